import FoundationEssentials
import TestSupport
import Testing

@testable import JobFile

/// The JSON Schema of the language, held against the decoder by a validator that nobody here wrote.
@Suite struct SchemaTests {
  @Test("The documentation, the tour and the starter are valid, in any reader of YAML")
  func goodFiles() throws {
    var cases: [SchemaCase] = []
    let others = ["pydub", "ffmpeg-normalize", "m4b-tool", "audacity"].map { "docs/from-\($0).md" }
    for page in [
      "README.md", "docs/job-language.md", "docs/network.md", "docs/captions.md",
    ] + others {
      for (index, yaml) in try DocumentationTests.jobs(of: page).enumerated() {
        cases.append(SchemaCase(name: "\(page) \(index)", yaml: yaml))
      }
    }
    for name in ["clip", "concat", "design", "podcast", "split", "transcode"] {
      let text = try readFile(Fixture.path("../Jobs/\(name).yaml"))
      cases.append(SchemaCase(name: name, yaml: String(decoding: text, as: UTF8.self)))
    }
    cases.append(SchemaCase(name: "init", yaml: StarterJob.text(named: "job.yaml")))
    cases += Self.oddities.enumerated().map { SchemaCase(name: "odd \($0)", yaml: $1) }
    #expect(cases.count > 30)
    let verdicts = try SchemaCase.verdicts(on: cases)
    for verdict in verdicts {
      #expect(verdict.base == [] && verdict.core == [], "\(verdict.name): \(verdict)")
    }
  }

  /// Good files in whose values YAML sees numbers, booleans and other things.
  static let oddities = [
    """
    version: 1
    vars: { episode: 7, big: true, pi: 3.14 }
    clip: 42
    speed: 1.05
    loop: 2
    reverse: true
    mute: false
    stream: 1
    chapter: 1984
    channels: 5.1
    metadata: { track: 7, title: true, bpm: 120.5, comment: "" , cover: "", from: "" }
    output: [{ folder: 2024, flac: 16 bit }, { file: x.mp3, mp3: { vbr: 2, quality: 3 }, id3: 2.3 }]
    """,
    """
    clip: "${file}"
    gain: "${gain:--3 dB}"
    speed: ${speed}
    loop: ${n:02}
    reverse: ${back}
    from: ${from}
    split: { 0:00: "${a}", end-10s: b }
    output: { file: "${out}${part.n}", channels: "${layout}" }
    """,
    """
    jobs:
      a${n}:
        for_each: [raw/*.wav]
        needs: [b]
        retries: 2
        timeout: 10m
        output: [{ folder: x, preset: podcast }, { folder: x, json: sidecar }]
      b: { needs: a1, clip: a.wav ..1s, sample_rate: 44.1 kHz, output: { file: b.wav, wav: 32 bit float } }
    presets: { small: { mp3: abr 48k, channels: mono } }
    """,
    """
    include: [shows.yaml, lib/defaults.yaml]
    defaults: { sample_rate: 48 kHz, clip: a.wav, metadata: { artist: 7 } }
    sources: { host: "raw/${episode}.wav 2s.." }
    jobs:
      a: { for_each: { lang: [en, 7, true], input: raw/*.wav }, output: "${lang}.mp3" }
      b: { for_each: [1, 2.5, x], gain: 0 dB }
      c:
        rows: 2024.csv
        group_by: 1
        concat: [{ each: row, clip: "${file}" }, 1s]
        insert: [{ each: row, clip: a.wav, at: "${at:-1s}" }]
        output: "${n}.mp3"
    """,
    """
    clip: a.wav
    volume: { points: { talk.end-1.5s: -inf dB, end: 50 % }, curve: exponential }
    pan: { 0s: left, 4s: 100 % }
    cut: [..2.5s, 12:00..13:30, "1s .. + 3s", { from: 40:05, duration: 70s }]
    insert: [{ clip: b.wav, at: end-1:00 }, { silence: 1001/30000s, at: start }]
    effects: [denoise, highpass: 80 Hz, { lowpass: 12 kHz, denoise: 6 dB }]
    chapters: { 0s: Intro, 5:00: { title: News, url: "https://example.org/x" } }
    output: { file: x.ogg, opus: 96k, chapters: [] }
    """,
  ]

  @Test("The schema refuses the decoder's errors on the same line, where a schema can")
  func refusals() throws {
    let screens = try RefusalScreen.all()
    #expect(screens.count > 120)
    let verdicts = try SchemaCase.verdicts(on: screens.map(\.asCase))
    var unseen: [String] = []
    var used: Set<String> = []
    for (screen, verdict) in zip(screens, verdicts) {
      // A file that is no YAML is refused by every reader.
      guard let base = verdict.base, let core = verdict.core else { continue }
      for error in screen.errors {
        if base.contains(error.line), core.contains(error.line) { continue }
        let reasons = Self.unseen.filter { error.message.contains($0) }
        used.formUnion(reasons)
        if reasons.isEmpty {
          unseen.append("\(screen.name): \(error.line): \(error.message)")
        }
      }
    }
    #expect(unseen.isEmpty, "\n\(unseen.joined(separator: "\n"))\n")
    #expect(Self.unseen.filter { !used.contains($0) } == [])
  }

  /// What a schema cannot see, by the words of the decoder.
  static let unseen = [
    // What is on the disk and in the environment.
    "there is no file", "there is no folder", "no file in", "is a folder",
    "stands for several files",
    "is not allowed here", "is the sound of a whole file",
    // Two words in a list that would be files, if there were such files.
    "needs two digits below 60", "is no time", "has several units",
    // Other keys of the file, by their names and texts.
    "unknown variable", "needs itself", "of which it is one", "there is no job",
    "there is no preset",
    "the preset is 'mp3'",
    // One path at two places, one path for all parts.
    "is a source", "two outputs at", "both write",
    // Which rates, bit rates and layouts go together; formats that only the path says.
    "at 48000 Hz with 2 channels has", "has no sample rate of", "has no bit rates at",
    "MP3 has one or two channels", "is not possible at",
    "has neither a least nor", "is over", "needs two channels", "'mode: mono' of an output",
    // Numbers in texts.
    "is out of range",
    // Where YAML ends a text.
    "ends at a comma",
    // Which filters of FFmpeg's are allowed, and how they are quoted.
    "opens files or devices", "changes the time of a sound", "is no filter that is allowed here",
    "a label, or a second chain", "a quotation in a filter", "may not end",
    "a filter without a name",
    // Two values that contradict each other.
    "does not keep the pitch", "'spectral' keeps the pitch",
    // YAML's readers take the last of two, and an empty text for a key without a value.
    "duplicate key", "has no value",
  ]
}

/// A file that is given to the validator.
struct SchemaCase: Codable {
  var name: String
  var yaml: String

  /// The lines that are found wrong, with all scalars as texts and as the core schema of YAML 1.2
  /// reads them; nil where the file is no YAML.
  struct Verdict: Codable {
    var name: String
    var base: [Int]?
    var core: [Int]?
    var messages: [String]?
  }

  static func verdicts(on cases: [SchemaCase]) throws -> [Verdict] {
    let folder = TestFolder()
    try writeFile(folder.path("schema.json"), JobFile.schema.utf8)
    try writeFile(folder.path("cases.json"), try JSONEncoder().encode(cases))
    try writeFile(folder.path("validate.py"), validator.utf8)
    let result = try Tool.succeed(
      "python3", folder.path("validate.py"), folder.path("schema.json"), folder.path("cases.json"))
    return try JSONDecoder().decode([Verdict].self, from: Data(result.output))
  }

  private static let validator = #"""
    import json, re, sys
    import jsonschema, yaml

    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)


    class Core(yaml.SafeLoader):
        """The core schema of YAML 1.2.2, section 10.3.2."""


    Core.yaml_implicit_resolvers = {}
    for tag, pattern in [
        ("null", r"^(~|null|Null|NULL|)$"),
        ("bool", r"^(true|True|TRUE|false|False|FALSE)$"),
        ("int", r"^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"),
        ("float", r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)$"),
    ]:
        Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), None)
    # Not octal, as in YAML 1.1.
    Core.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value, 10))


    def step(node, key):
        """The node below, and where it is named."""
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                if name.value == str(key) or name.value.lower() == str(key).lower():
                    return value, name
        if isinstance(node, yaml.SequenceNode):
            return node.value[key], node.value[key]
        return node, node


    def lines(error, root):
        node = name = root
        for key in error.absolute_path:
            node, name = step(node, key)
        found = {name.start_mark.line + 1, node.start_mark.line + 1}
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = error.schema.get("properties", {})
            found = {step(node, key)[1].start_mark.line + 1
                     for key in error.instance if key not in known}
        if isinstance(error.instance, dict) and error.validator != "additionalProperties":
            # A rule about keys: all that it speaks of.
            rule = json.dumps([error.validator_value, list(error.absolute_schema_path)])
            found |= {step(node, key)[1].start_mark.line + 1
                      for key in error.instance if json.dumps(key) in rule}
        if "propertyNames" in error.absolute_schema_path:
            found.add(step(node, error.instance)[1].start_mark.line + 1)
        return found


    def verdict(text, loader):
        try:
            root = yaml.compose(text, loader)
            value = yaml.load(text, loader)
            if root is None:
                return None, []
        except (yaml.YAMLError, ValueError):
            return None, []
        errors = list(validator.iter_errors(value))
        found = set()
        for error in errors:
            found |= lines(error, root)
        return sorted(found), [error.message[:200] for error in errors]


    answers = []
    for case in json.load(open(sys.argv[2])):
        base, first = verdict(case["yaml"], yaml.BaseLoader)
        core, second = verdict(case["yaml"], Core)
        answers.append({"name": case["name"], "base": base, "core": core,
                        "messages": first + second})
    print(json.dumps(answers))
    """#
}

/// A job file that a test says is refused, and how.
struct RefusalScreen {
  var name: String
  var yaml: String
  var errors: [(line: Int, message: String)]

  var asCase: SchemaCase { SchemaCase(name: name, yaml: yaml) }

  /// Those of every file of screens in this folder: two literals behind `.screen(`.
  static func all() throws -> [RefusalScreen] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    return try [
      "FormatScreens", "ItemScreens", "MP3Screens", "ModifierScreens", "OutputScreens",
      "VariableScreens", "YAMLScreens", "CarriedTests", "RunPolicyTests", "PresetTests",
      "RecordTests", "AddressScreens",
    ].flatMap { name in
      let text = String(decoding: try readFile("/\(folder)/\(name).swift"), as: UTF8.self)
      return screens(in: text.split(separator: "\n", omittingEmptySubsequences: false), of: name)
    }
  }

  private static func screens(in lines: [Substring], of file: String) -> [RefusalScreen] {
    var screens: [RefusalScreen] = []
    var test = ""
    var position = 0
    /// The literal that opens at `position`, without its indentation.
    func literal() -> String? {
      guard lines[position].hasSuffix(#"#""""#) else { return nil }
      var body: [Substring] = []
      position += 1
      while position < lines.count, !lines[position].contains(#"""""#) {
        body.append(lines[position])
        position += 1
      }
      let indent = lines[position].prefix { $0 == " " }.count
      return body.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
    }
    while position < lines.count {
      let line = lines[position]
      if line.contains("@Test(\"") { test = "\(file), \(line.split(separator: "\"")[1])" }
      if line.hasSuffix("screen("), position + 1 < lines.count {
        position += 1
        if let yaml = literal() {
          position += 1
          if position < lines.count, let screen = literal() {
            screens.append(RefusalScreen(name: test, yaml: yaml, errors: errors(in: screen)))
          }
        }
      }
      position += 1
    }
    return screens
  }

  /// `job.yaml:3:7: error: …`
  private static func errors(in screen: String) -> [(line: Int, message: String)] {
    screen.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 4)
      guard parts.count == 5, parts[0] == "job.yaml", parts[3] == " error",
        let number = Int(parts[1])
      else { return nil }
      return (number, String(parts[4].dropFirst()))
    }
  }
}
