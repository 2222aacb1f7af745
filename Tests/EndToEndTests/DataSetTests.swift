import TestSupport
import Testing

/// Data sets of utterances: a file for each cue, and a list of them.
@Suite("Data sets")
struct DataSetTests {
  /// `reader.flac`, twelve seconds, and what is said in it.
  private func reader() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 48000 -n -b 16 reader.flac synth 12 sine 440 gain -3")
    try stage.write("reader.vtt", Self.words)
    return stage
  }

  private static let words = """
    WEBVTT

    00:01.000 --> 00:03.000
    <v Ann>Call me Ishmael.</v>

    00:03.100 --> 00:03.500
    Um

    00:05.000 --> 00:06.500
    <v Ann>Some "years" ago |
    never mind how long</v>

    00:08.000 --> 00:11.000
    <v Ben>A damp November</v>

    """

  private static let sentences = """
    clip: reader.flac
    transcript: reader.vtt
    split: { cues: { longer: 1s, shorter: 15s, margin: 100ms } }
    output:
      - { file: "set/wav/${part.n:05}.wav", sample_rate: 16 kHz }
      - { manifest: set/train.jsonl, form: nemo }

    """

  /// What Python reads of a list of JSON, a tuple a line, and the frames of the files that it names.
  private func lines(of path: String, in stage: Stage) throws -> String {
    try stage.make(
      """
      /usr/bin/python3 -c '
      import json, os, sys, wave
      for line in open("\(path)", encoding="utf-8"):
          r = json.loads(line)
          sound = wave.open(os.path.join(os.path.dirname("\(path)"), r["audio_filepath"]))
          exact = abs(r["duration"] - sound.getnframes() / sound.getframerate()) < 1e-6
          print(r["audio_filepath"], sound.getnframes(), exact, r["text"], r.get("speaker"), sep="; ")'
      """
    ).text
  }

  @Test("Sentences for a speech model: a WAV a cue, and a line of NeMo's for each")
  func sentences() throws {
    let stage = try reader()
    try stage.write("job.yaml", Self.sentences)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors.contains(
        "note: 1 of 4 cues are no parts: 1 shorter than 1s ('Um' at 3.1s)"), "\(result.errors)")
    // The first one ends half way to the one that is left out.
    #expect(
      try lines(of: "set/train.jsonl", in: stage) == """
        wav/00001.wav; 34400; True; Call me Ishmael.; Ann
        wav/00002.wav; 27200; True; Some "years" ago | never mind how long; Ann
        wav/00003.wav; 51200; True; A damp November; Ben

        """)
  }

  @Test("A plan names the list, and a check finds that it cannot be written")
  func plan() throws {
    let stage = try reader()
    try stage.write("job.yaml", Self.sentences)
    #expect(
      try stage.make("avjob plan job.yaml").text.hasSuffix(
        "\nmanifest set/train.jsonl (nemo): 3 files\n"))
    #expect(
      try stage.make(
        """
        avjob plan --json job.yaml | /usr/bin/python3 -c 'import json, sys
        print(json.load(sys.stdin)["manifests"])'
        """
      ).text == "[{'path': 'set/train.jsonl', 'form': 'nemo', 'files': 3}]\n")
    let wrong = try stage.run("mkdir -p set/train.jsonl; avjob check job.yaml")
    #expect(wrong.status == 2)
    #expect(
      wrong.errors.contains("job.yaml:6:17: error: 'set/train.jsonl': is a folder; name a file"),
      "\(wrong.errors)")
  }

  @Test("Names that a list cannot hold are found before any file is made")
  func names() throws {
    let stage = try reader()
    try stage.write(
      "job.yaml",
      """
      clip: reader.flac
      transcript: reader.vtt
      split: { cues: { longer: 1s } }
      output:
        - "set/${part.text}.wav"
        - { manifest: metadata.csv, form: ljspeech }

      """)
    let wrong = try stage.run("avjob check job.yaml")
    #expect(wrong.status == 2)
    #expect(
      wrong.errors.contains(
        "job.yaml:6:17: error: 'set/Some \"years\" ago | never mind how long.wav': has a name that a "
          + "manifest of the form 'ljspeech' cannot hold"), "\(wrong.errors)")
  }

  @Test("A second run makes no part again, and its list has all of them")
  func incremental() throws {
    let stage = try reader()
    _ = try stage.job(Self.sentences)
    let made = try stage.make("md5sum set/train.jsonl; stat -c %y set/wav/* set/train.jsonl").text
    // What is as it would be stays untouched.
    let again = try stage.run("avjob run --quiet --explain job.yaml")
    #expect(again.status == 0)
    #expect(
      try stage.make("md5sum set/train.jsonl; stat -c %y set/wav/* set/train.jsonl").text == made)
    try stage.make("rm set/train.jsonl set/wav/00002.wav")
    #expect(try stage.run("avjob run --quiet job.yaml").status == 0)
    #expect(try stage.make("md5sum set/train.jsonl").text == made.prefix { $0 != "\n" } + "\n")
    // Another text is another line, and takes the place of a list that avjob wrote.
    try stage.write("reader.vtt", Self.words.replacing("Ishmael", with: "Ahab"))
    let changed = try stage.run("avjob run --quiet job.yaml")
    #expect(changed.status == 0 && !changed.errors.contains("is replaced"), "\(changed.errors)")
    #expect(try lines(of: "set/train.jsonl", in: stage).contains("; Call me Ahab.; Ann\n"))
  }

  @Test("Where a part fails, the list stays as it was, or is not there")
  func failure() throws {
    let stage = try reader()
    let parts = """
      clip: reader.flac
      transcript: reader.vtt
      split: { cues: { longer: 1s } }
      output:
        - { file: "mp3/${part.n}.mp3", mp3: cbr 192k, sample_rate: 44.1 kHz }
        - { manifest: train.jsonl, form: nemo }

      """
    try stage.write("wrong.yaml", parts + "conform: acx\n")
    let wrong = try stage.run("avjob run wrong.yaml")
    #expect(wrong.status == 1)
    #expect(
      wrong.errors.contains("note: 'train.jsonl' is not written: 3 of its 3 files are missing"),
      "\(wrong.errors)")
    #expect(try stage.run("ls train.jsonl").status != 0)
    #expect(try stage.job(parts).status == 0)
    let made = try stage.make("md5sum train.jsonl").text
    try stage.write("reader.vtt", Self.words.replacing("Ishmael", with: "Ahab"))
    try stage.write("later.yaml", parts.replacing("1s }", with: "1.8s }") + "conform: acx\n")
    let later = try stage.run("avjob run later.yaml")
    #expect(
      later.errors.contains("note: 'train.jsonl' stays as it was: "),
      "\(later.errors)")
    #expect(try stage.make("md5sum train.jsonl").text == made)
  }

  /// Three clips with a transcript each.
  private func clips() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      mkdir raw
      for i in 1 2 10; do
        sox -R -r 16000 -n -b 16 raw/$i.wav synth 0.$i sine 440
        printf 'WEBVTT\\n\\n00:00.000 --> 00:00.100\\nNumber %s, please\\n' $i > raw/$i.vtt
      done
      """)
    try stage.write(
      "job.yaml",
      """
      for_each: raw/*.wav
      transcript: "raw/${input.stem}.vtt"
      output: [{ folder: out, flac: 16 bit }, { manifest: out/metadata.csv, form: audiofolder }]

      """)
    return stage
  }

  private static let table = """
    file_name,text,speaker,language
    1.flac,"Number 1, please",,
    2.flac,"Number 2, please",,
    10.flac,"Number 10, please",,

    """

  @Test("Jobs that name one list share it, in their order")
  func shared() throws {
    let stage = try clips()
    #expect(try stage.make("avjob run --quiet job.yaml; cat out/metadata.csv").text == Self.table)
    // One job alone completes what the others have made.
    try stage.make("rm out/metadata.csv out/2.flac")
    let one = try stage.run("avjob run --quiet --only 2 job.yaml; cat out/metadata.csv")
    #expect(one.text == Self.table, "\(one.errors)")
  }

  @Test("Of several shards, the last to end writes the list of all")
  func shards() throws {
    let stage = try clips()
    let first = try stage.run("avjob run --shard 1/2 --report 1.json job.yaml")
    #expect(first.status == 0)
    let listed =
      "import json; r = json.load(open(\"1.json\")); print(r[\"manifests\"][0][\"whole\"])"
    #expect(try stage.make("/usr/bin/python3 -c '\(listed)'").text == "False\n")
    #expect(first.errors.contains("note: 'out/metadata.csv' is not written: "), "\(first.errors)")
    #expect(
      try stage.make("avjob run --quiet --shard 2/2 job.yaml; cat out/metadata.csv").text
        == Self.table)
  }

  @Test("A list has files that are made of what other jobs write, also when one job alone is run")
  func derived() throws {
    let stage = try reader()
    let list = "{ manifest: train.jsonl, form: nemo }"
    let made = try stage.job(
      """
      jobs:
        a: { clip: reader.flac, output: a.wav }
        b: { clip: a.wav, transcript: reader.vtt, output: [b.wav, \(list)] }
        c: { clip: reader.flac, transcript: reader.vtt, output: [c.wav, \(list)] }

      """)
    #expect(made.status == 0, "\(made.errors)")
    let all = try stage.make("cat train.jsonl; rm train.jsonl c.wav").text
    #expect(all.split(separator: "\n").count == 2)
    let one = try stage.run("avjob run --quiet --only c job.yaml; cat train.jsonl")
    #expect(one.text == all, "\(one.errors)")
  }

  @Test("With --checksum, a list waits for a file of another run whose transcript has decayed")
  func decayed() throws {
    let stage = try reader()
    let list = "{ manifest: train.jsonl, form: nemo }"
    try stage.make("{ cat reader.vtt; printf '\\nNOTE old\\n'; } > noted.vtt")
    try stage.write(
      "job.yaml",
      """
      jobs:
        a: { clip: reader.flac, transcript: reader.vtt, output: [a.wav, \(list)] }
        b: { clip: reader.flac, transcript: noted.vtt, output: [b.wav, \(list)] }

      """)
    try stage.make("avjob run -q --checksum job.yaml; rm train.jsonl")
    let fine = try stage.run("avjob run -q --checksum --only a job.yaml; rm train.jsonl")
    #expect(fine.status == 0, "\(fine.errors)")
    // What it says stays the same, and so does its time.
    try stage.make(
      "touch -r noted.vtt time; sed -i s/old/odd/ noted.vtt; touch -r time noted.vtt")
    let one = try stage.run("avjob run --checksum --only a job.yaml")
    #expect(one.errors.contains("'train.jsonl' is not written: 1 of its 2 files"), "\(one.errors)")
  }

  @Test("A job file that takes over the list of another one says so, and one run writes both")
  func takenOver() throws {
    let stage = try reader()
    for name in ["a", "b"] {
      try stage.write(
        "\(name).yaml",
        """
        clip: reader.flac
        transcript: reader.vtt
        output: [\(name).wav, { manifest: train.jsonl, form: nemo }]

        """)
    }
    let first = try stage.run("avjob run --quiet a.yaml")
    #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
    let again = try stage.run("avjob run --quiet a.yaml")
    #expect(again.errors.isEmpty, "\(again.errors)")
    let second = try stage.run("avjob run --quiet b.yaml")
    #expect(
      second.errors.contains(
        "b.yaml:3:29: warning: 'train.jsonl' loses the lines of 'a.yaml', which wrote it before"),
      "\(second.errors)")
    let both = try stage.run("avjob run --quiet a.yaml b.yaml; wc -l < train.jsonl")
    #expect(both.errors.isEmpty && both.text == "2\n", "\(both.errors)")
  }

  @Test("A list that no job names any more is pruned")
  func prunedList() throws {
    let stage = try clips()
    try stage.make(
      """
      avjob run --quiet job.yaml
      sed -i 's,out/metadata.csv,out/train.jsonl,; s/audiofolder/nemo/' job.yaml
      """)
    let pruned = try stage.run("avjob run --quiet --prune job.yaml; ls out")
    #expect(pruned.errors.contains("  out/metadata.csv\n"), "\(pruned.errors)")
    #expect(!pruned.errors.contains("is not removed"), "\(pruned.errors)")
    #expect(pruned.text == "1.flac\n10.flac\n2.flac\ntrain.jsonl\n")
  }

  @Test("A list that a job names is not pruned")
  func pruning() throws {
    let stage = try clips()
    try stage.make("avjob run --quiet job.yaml; rm raw/2.*")
    let pruned = try stage.run("avjob run --quiet --prune job.yaml; cat out/metadata.csv")
    #expect(pruned.errors.contains("  out/2.flac\n") && !pruned.errors.contains("metadata"))
    #expect(
      pruned.text == """
        file_name,text,speaker,language
        1.flac,"Number 1, please",,
        10.flac,"Number 10, please",,

        """)
  }

  @Test("A list that is no work of avjob's is named before it is replaced")
  func foreign() throws {
    let stage = try clips()
    try stage.make("mkdir out; echo mine > out/metadata.csv")
    let result = try stage.run("avjob run --quiet job.yaml; cat out/metadata.csv")
    #expect(
      result.errors.contains(
        "warning: 'out/metadata.csv' is replaced, and no receipt shows that avjob made it"),
      "\(result.errors)")
    #expect(result.text == Self.table)
  }

  @Test("A lesson: each sentence, a pause, the sentence again more slowly")
  func lesson() throws {
    let stage = try reader()
    let result = try stage.job(
      """
      sources: { reader: { file: reader.flac, transcript: reader.vtt } }
      concat:
        - each: cue
          of: reader
          concat: [{ clip: "${cue.clip}" }, 2s, { clip: "${cue.clip}", speed: 0.8, gain: -3 dB }]
      output: lesson.wav
      """)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    // 6.9 s of speech, and as much at 0.8 times the speed, with four pauses of 2 s.
    #expect(try WAVFile(stage.path("lesson.wav")).frameCount == 1_129_200)
  }

  @Test("Cues without a length are no parts, no files of a data set, and no clips, in any form")
  func momentary() throws {
    let stage = try reader()
    try stage.write(
      "reader.tsv",
      "start\tend\ttext\n1000\t1000\tUm\n3000\t2000\tEr\n5000\t6000\tYes\n")
    try stage.write(
      "reader.json",
      #"{"segments": [{"start": 1, "end": 1, "text": "Um"}, {"start": 3, "end": 2, "text": "Er"}, "#
        + #"{"start": 5, "end": 6, "text": "Yes"}]}"#)
    for kind in ["tsv", "json"] {
      try stage.write(
        "job.yaml",
        """
        clip: reader.flac
        transcript: reader.\(kind)
        split: cues
        output: ["\(kind)/${part.n}.wav", { manifest: \(kind)/train.jsonl, form: nemo }]

        """)
      let parts = try stage.run("avjob run job.yaml")
      #expect(parts.status == 0, "\(parts.errors)")
      #expect(
        parts.errors.contains(
          "note: 2 of 3 cues are no parts: 2 without a length ('Um' at 1s, 'Er' at 3s)"),
        "\(parts.errors)")
      #expect(
        try lines(of: "\(kind)/train.jsonl", in: stage) == "1.wav; 48000; True; Yes; None\n")
      try stage.write(
        "job.yaml",
        """
        sources: { reader: { file: reader.flac, transcript: reader.\(kind) } }
        concat: [{ each: cue, of: reader, clip: "${cue.clip}" }]
        output: \(kind).wav

        """)
      let clips = try stage.run("avjob run job.yaml")
      #expect(clips.status == 0, "\(clips.errors)")
      #expect(
        clips.errors.contains("note: 2 cues have no length in 'reader', or a start before it"),
        "\(clips.errors)")
      #expect(try WAVFile(stage.path("\(kind).wav")).frameCount == 48_000)
    }
  }
}
