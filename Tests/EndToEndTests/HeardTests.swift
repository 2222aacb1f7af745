import Glibc
import TestSupport
import Testing

/// What `avjob preview` plays of every file in `Jobs/`, against what `avjob run` writes of it.
@Suite struct HeardTests {
  private let stage = Stage()

  /// A copy of the repository's jobs and media, and of each job file another one that makes WAVs.
  init() throws {
    try stage.write("wavs.py", Self.rewriting)
    try stage.write("reported.py", Self.reported)
    try stage.make(
      """
      cp -r "$FIXTURES" Fixtures
      mkdir Jobs Wavs
      cp "$FIXTURES"/../Jobs/*.* Jobs
      # Ceilings leave an encoder room, which a WAV needs none of.
      sed -i 's/^loudness: .*/loudness: { integrated: -16 LUFS, true_peak: none }/' Jobs/*.yaml
      cp Jobs/*.txt Wavs
      for file in Jobs/*.yaml; do python3 wavs.py "$file" > "Wavs/${file#Jobs/}"; done
      """)
  }

  /// Writes a job file anew in which each output is two: a WAV of floats and one of 16 bits.
  private static let rewriting = """
    import copy, os, sys, yaml

    def text(value): return yaml.ScalarNode('tag:yaml.org,2002:str', value)

    def wavs(output):
        outputs = output.value if output.id == 'sequence' else [output]
        for number, output in enumerate(outputs):
            keys = {'file': output}
            if output.id == 'mapping': keys = {key.value: value for key, value in output.value}
            for format in ['32 bit float', '16 bit']:
                kept = [key for key in ('sample_rate', 'channels') if key in keys]
                wav = {key: copy.deepcopy(keys[key]) for key in kept}
                place = f'{number}-{format[:2]}/'
                if 'folder' in keys: wav['folder'] = text(place + keys['folder'].value)
                else: wav['file'] = text(place + os.path.splitext(keys['file'].value)[0] + '.wav')
                wav['wav'] = text(format)
                pairs = [(text(key), value) for key, value in wav.items()]
                yield yaml.MappingNode('tag:yaml.org,2002:map', pairs)

    # Nodes, and not values: YAML 1.1 takes 0:13 for a number of seconds.
    file = yaml.compose(open(sys.argv[1]))
    jobs = [value for key, value in file.value if key.value == 'jobs']
    for job in [file, *(value for each in jobs for _, value in each.value)]:
        job.value = [
            (key, yaml.SequenceNode('tag:yaml.org,2002:seq', list(wavs(value))))
            if key.value == 'output' else (key, value)
            for key, value in job.value]
    print(yaml.serialize(file))
    """

  /// A line for each job or part of one: the job's name, and its outputs.
  private static let reported = """
    import json
    for job in json.load(open('report.json'))['jobs']:
        print(job.get('job', job['name']), *(it['path'] for it in job['outputs']), sep='\\t')
    """

  /// A job: all of its parts, in order, where it is split.
  private struct Job {
    let name: String
    /// Of each part, for each of the job's outputs, a WAV of floats and one of 16 bits.
    var wavs: [[String]]
  }

  /// Makes the WAVs of a job file.
  private func export(_ file: String) throws -> [Job] {
    let lines = try stage.make(
      """
      avjob run --quiet --report report.json Wavs/\(file) > said.txt
      python3 reported.py
      """
    ).text.split(separator: "\n")
    var jobs: [Job] = []
    for line in lines {
      let words = line.split(separator: "\t").map(String.init)
      if jobs.last?.name != words[0] { jobs.append(Job(name: words[0], wavs: [])) }
      jobs[jobs.count - 1].wavs.append(Array(words.dropFirst()))
    }
    return jobs
  }

  /// What a device of alsa-lib's `file` plugin gets of a preview; the file says what was agreed on.
  private func heard(
    _ arguments: String, on sink: String
  ) throws -> (format: String, bytes: [UInt8]) {
    let folder = TestFolder()
    let configuration = try SoundCard.configuration(
      [
        "default": "type file slave.pcm sink file \"\(folder.path("%r-%c-%f"))\" format raw",
        "sink": sink,
      ], in: folder)
    let result = try stage.run(
      "avjob preview \(arguments)", environment: ["ALSA_CONFIG_PATH": configuration])
    #expect(result.status == 0)
    // With its excerpt of two lines.
    let note = try Regex("[^\n]*: note: the picture of [^\n]*\n[^\n]*\n[^\n]*\n")
    #expect(result.errors.replacing(note, with: "") == "")
    let name = try Tool.succeed("sh", "-c", "ls | grep -v conf", in: folder.root).text
      .filter { $0 != "\n" }
    return (name, try readFile(folder.path(name)))
  }

  /// Whether bytes are the sound of some WAVs, one behind the other.
  private static func isMade(_ bytes: [UInt8], of wavs: [WAVFile]) -> Bool {
    var rest = bytes[...]
    for wav in wavs {
      guard rest.count >= wav.data.count else { return false }
      // By the system: a build for debugging compares arrays slowly.
      let isEqual = rest.withUnsafeBytes { rest in
        wav.data.withUnsafeBytes { data in
          guard let a = rest.baseAddress, let b = data.baseAddress else { return false }
          return memcmp(a, b, data.count) == 0
        }
      }
      guard isEqual else { return false }
      rest = rest.dropFirst(wav.data.count)
    }
    return rest.isEmpty && !bytes.isEmpty
  }

  @Test(
    "what is heard of every file in Jobs/ is what a WAV of it holds, bit for bit",
    arguments: [
      ("FLOAT_LE", "type null"),
      ("S16_LE", "type avpaced formats [ S16_LE ] speed 1000 stall yes"),
    ])
  func everything(format: String, sink: String) throws {
    let files = try stage.make("ls Jobs/*.yaml").text.split(separator: "\n")
    #expect(files.count >= 6)
    for file in files {
      let jobs = try export(String(file.dropFirst("Jobs/".count)))
      #expect(!jobs.isEmpty)
      for job in jobs {
        for output in 0..<job.wavs[0].count / 2 {
          let wavs = try job.wavs.map {
            try WAVFile(stage.path($0[output * 2 + (format == "S16_LE" ? 1 : 0)]))
          }
          let heard = try heard("\(file) --job '\(job.name)' --output \(output + 1)", on: sink)
          #expect(heard.format == "\(wavs[0].sampleRate)-\(wavs[0].channelCount)-\(format)")
          let isMade = Self.isMade(heard.bytes, of: wavs)
          #expect(isMade, "\(file): \(job.name), output \(output + 1)")
        }
      }
    }
  }
}
