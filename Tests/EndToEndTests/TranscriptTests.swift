import TestSupport
import Testing

/// Words that are read beside recordings, moved through edits, and written beside outputs.
@Suite struct TranscriptTests {
  private static let talk = """
    WEBVTT

    intro
    00:01.000 --> 00:03.000
    One &amp; two

    00:04.500 --> 00:06.000
    Lost

    00:08.000 --> 00:09.500
    <v Ann>Three

    """

  /// Twelve seconds of sound, and its words.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share("sox -n -r 48000 -c 1 -b 16 talk.wav synth 12 sine 300 gain -10")
    try stage.write("talk.vtt", Self.talk)
    return stage
  }

  /// Runs a job, about which nothing may be said.
  private func run(_ yaml: String, on stage: Stage) throws {
    let result = try stage.job(yaml)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
  }

  private func text(_ name: String, of stage: Stage) throws -> String {
    String(decoding: try readFile(stage.path(name)), as: UTF8.self)
  }

  @Test("an episode that is cut has words that fit, beside it in each form")
  func episode() throws {
    let stage = try stage()
    try run(
      """
      clip: talk.wav
      transcript: talk.vtt
      cut: { ranges: [5s..7s], crossfade: 10ms }
      output: { file: ep.mp3, transcript: [vtt, srt, podcasting2, txt] }
      """, on: stage)
    #expect(
      try text("ep.vtt", of: stage) == """
        WEBVTT

        intro
        00:00:01.000 --> 00:00:03.000
        One &amp; two

        00:00:06.000 --> 00:00:07.500
        <v Ann>Three

        """)
    #expect(
      try text("ep.srt", of: stage) == """
        1
        00:00:01,000 --> 00:00:03,000
        One & two

        2
        00:00:06,000 --> 00:00:07,500
        Ann: Three

        """)
    #expect(try text("ep.txt", of: stage) == "One & two\n\nAnn: Three\n")
    let segments = try stage.make(
      """
      /usr/bin/python3 -c "
      import json
      for s in json.load(open('ep.transcript.json'))['segments']:
          print(s['startTime'], s['endTime'], s.get('speaker'), s['body'])"
      """)
    #expect(segments.text == "1 3 None One & two\n6 7.5 Ann Three\n")
  }

  @Test("two recordings have one transcript, and the names of tracks are those of speakers")
  func tracks() throws {
    let stage = try stage()
    try stage.make("cp talk.wav ann.wav; cp talk.wav ben.wav")
    for (name, text) in [("ann", " Hello Ben."), ("ben", " Hello Ann.")] {
      try stage.write(
        "\(name).json",
        #"{"text":"\#(text)","segments":[{"id":0,"start":1.0,"end":2.5,"text":"\#(text)"}]}"#)
    }
    try run(
      """
      tracks:
        Ann: { clip: ann.wav, transcript: ann.json }
        Ben: { clip: ben.wav, transcript: ben.json, at: 1.2s }
      output: { file: ep.m4a, transcript: vtt }
      """, on: stage)
    #expect(
      try text("ep.vtt", of: stage) == """
        WEBVTT

        00:00:01.000 --> 00:00:02.500
        <v Ann>Hello Ben.

        00:00:02.200 --> 00:00:03.700
        <v Ben>Hello Ann.

        """)
  }

  @Test("in a cross-fade of a list, words change in its middle")
  func book() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 48000 -c 1 -b 16 01.wav synth 4 sine 300 gain -10
      cp 01.wav ad.wav; cp 01.wav 02.wav
      """)
    try stage.write(
      "01.srt",
      "1\n00:00:01,000 --> 00:00:02,000\nA\n\n2\n00:00:03,000 --> 00:00:04,000\nB\n")
    try stage.write(
      "02.srt",
      "1\n00:00:00,000 --> 00:00:01,000\nC\n\n2\n00:00:02,000 --> 00:00:03,000\nD\n")
    try run(
      """
      concat: [{ clip: 01.wav, transcript: 01.srt }, { clip: ad.wav }, { clip: 02.wav, transcript: 02.srt }]
      crossfade: 1s
      output: { file: book.m4b, transcript: srt }
      """, on: stage)
    #expect(
      try text("book.srt", of: stage) == """
        1
        00:00:01,000 --> 00:00:02,000
        A

        2
        00:00:03,000 --> 00:00:03,500
        B

        3
        00:00:06,500 --> 00:00:07,000
        C

        4
        00:00:08,000 --> 00:00:09,000
        D

        """)
  }

  @Test("each part of a split job has words of its own, and a part without any has no file")
  func split() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      clip: talk.wav
      transcript: talk.vtt
      split: { 0s: a, 3.5s: b, 7s: c, 10s: d }
      output: { file: "${part.title}.flac", transcript: [txt, vtt] }
      """)
    #expect(result.status == 0)
    #expect(result.errors.contains("no words: 'd.txt' is not written"))
    #expect(try text("a.txt", of: stage) == "One & two\n")
    #expect(try text("b.txt", of: stage) == "Lost\n")
    #expect(try text("c.txt", of: stage) == "Ann: Three\n")
    #expect(try text("c.vtt", of: stage).contains("\n00:00:01.000 --> 00:00:02.500\n"))
    #expect(try stage.run("ls d.*").text == "d.flac\n")
  }

  @Test("words are said once a round, and faster where the sound is")
  func loop() throws {
    let stage = try stage()
    try run(
      """
      clip: talk.wav 1s..4s
      transcript: talk.vtt
      speed: 2
      loop: 2
      output: { file: ep.flac, transcript: vtt }
      """, on: stage)
    let lines = try text("ep.vtt", of: stage).split(separator: "\n")
    #expect(
      lines.filter { $0.contains("-->") } == [
        "00:00:00.000 --> 00:00:01.000", "00:00:01.500 --> 00:00:02.500",
      ])
    #expect(lines.filter { $0 == "One &amp; two" }.count == 2)
  }

  @Test("of an output that fails, no words are left, and older ones stay as they were")
  func failure() throws {
    let stage = try stage()
    let job = """
      clip: talk.wav
      transcript: talk.vtt
      conform: acx
      output: { file: out/ep.mp3, transcript: [vtt, srt] }
      """
    #expect(try stage.job(job).status != 0)
    #expect(try stage.listing().filter { $0.contains("ep") || $0.contains("out") } == [])
    try stage.make("mkdir out; echo old > out/ep.vtt")
    #expect(try stage.job(job).status != 0)
    #expect(try stage.run("ls out; cat out/ep.vtt").text == "ep.vtt\nold\n")
  }

  @Test("a changed text makes the outputs that write it anew, and no others")
  func receipts() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      defaults: { clip: talk.wav, transcript: talk.vtt }
      jobs:
        with: { output: { file: with.flac, transcript: vtt } }
        without: { output: without.flac }
      """)
    try stage.make("avjob run --quiet job.yaml; stat -c %i with.flac without.flac > before")
    let again = try stage.make(
      "avjob run --quiet job.yaml; stat -c %i with.flac without.flac | cmp before - && echo same")
    #expect(again.text == "same\n")
    let changed = try stage.make(
      """
      sed -i s/Lost/Found/ talk.vtt
      avjob run --quiet job.yaml
      grep Found with.vtt
      stat -c %i with.flac without.flac | { diff before - || true; } | grep -c '^>'
      rm with.vtt
      avjob run --quiet job.yaml
      grep Found with.vtt
      """)
    #expect(changed.text == "Found\n1\nFound\n")
  }

  @Test("plans and records say where words go, and by which map they were moved")
  func documents() throws {
    let stage = try stage()
    try stage.write("talk.vtt", "WEBVTT\nLanguage: en\n" + Self.talk.dropFirst(7))
    try stage.write(
      "job.yaml",
      """
      clip: talk.wav
      transcript: talk.vtt
      cut: [5s..7s]
      output: [{ file: ep.flac, transcript: [vtt, txt] }, { file: facts.json, json: sidecar }]
      """)
    let plan = try stage.make("avjob plan job.yaml")
    #expect(plan.text.contains("\n    ep.vtt  WebVTT, 2 cues\n    ep.txt  plain text, 2 cues\n"))
    try JSONSchema.validate(try stage.make("avjob plan --json job.yaml").text, as: "plan")
    let map = try stage.make(
      """
      avjob plan --json job.yaml | /usr/bin/python3 -c "
      import json, sys
      job = json.load(sys.stdin)['jobs'][0]
      for h in job['heard']:
          print(h['path'], h['source_start'], h['source_end'], h['start'], h['end'])
      print(job['outputs'][0]['transcript'])
      print([f['media_type'] for f in job['outputs'][0]['transcript_files']])"
      """)
    #expect(
      map.text == """
        talk.wav 0 5 0 5
        talk.wav 7 12 5 10
        {'cues': 2, 'words': 0, 'language': 'en', 'captions': False, 'lyrics': False}
        ['text/vtt', 'text/plain']

        """)
    try stage.make("avjob run --quiet job.yaml")
    try JSONSchema.validate(try text("facts.json", of: stage), as: "record")
    let feed = try stage.make(
      """
      /usr/bin/python3 -c "
      import json
      for f in json.load(open('facts.json'))['outputs'][0]['transcript_files']: print(f['feed'])"
      """)
    #expect(
      feed.text == """
        <podcast:transcript url="ep.vtt" type="text/vtt" language="en"/>
        <podcast:transcript url="ep.txt" type="text/plain" language="en"/>

        """)
  }

  @Test("a feed's line has the language of the tags where the words have none, and labels no line")
  func feedLanguage() throws {
    let stage = try stage()
    try stage.write("said.srt", "1\n00:00:01,000 --> 00:00:02,000\nHallo\n")
    let result = try stage.job(
      """
      clip: talk.wav
      transcript: said.srt
      metadata: { language: ger }
      output: [{ file: de.flac, transcript: [vtt, labels] }, { file: de.json, json: sidecar }]
      """)
    #expect(result.status == 0, "\(result.errors)")
    try JSONSchema.validate(try text("de.json", of: stage), as: "record")
    let feed = try stage.make(
      """
      /usr/bin/python3 -c "
      import json
      for f in json.load(open('de.json'))['outputs'][0]['transcript_files']:
          print(f['format'], f.get('feed'))"
      """)
    #expect(
      feed.text == """
        WebVTT <podcast:transcript url="de.vtt" type="text/vtt" language="de"/>
        labels of words None

        """)
  }

  @Test("what is lost is named: cues behind the end, and words that are played backwards")
  func lost() throws {
    let stage = try stage()
    let cues = (0..<20).map { "00:00:0\($0 / 4).000 --> 00:00:09.500\nA\n\n" }
    try stage.write(
      "talk.vtt",
      "WEBVTT\n\n\(cues.joined())00:00:13.000 --> 00:00:14.000\nThank you for watching\n")
    try stage.write(
      "job.yaml",
      "clip: talk.wav\ntranscript: talk.vtt\noutput: { file: ep.flac, transcript: vtt }\n")
    let late = try stage.run("avjob run job.yaml")
    #expect(late.status == 0)
    #expect(late.errors.contains("note: 1 cue begins after the end of 'talk.wav': left out"))
    #expect(!(try text("ep.vtt", of: stage)).contains("watching"))
    try stage.write(
      "job.yaml",
      """
      clip: talk.wav
      transcript: talk.vtt
      reverse: true
      output: { file: back.flac, transcript: vtt }
      """)
    let reversed = try stage.run("avjob check job.yaml")
    #expect(reversed.errors.contains("which is reversed"), "\(reversed.errors)")
    #expect(reversed.errors.contains("no words: 'back.vtt' is not written"))
  }

  @Test("an output that asks for words where there are none is written without, with a warning")
  func wordless() throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: talk.wav\noutput: { file: ep.flac, transcript: [vtt, srt] }\n")
    #expect(result.status == 0)
    #expect(result.errors.contains("no words: 'ep.vtt' is not written"))
    #expect(result.errors.contains("no words: 'ep.srt' is not written"))
    #expect(try stage.run("ls ep.*").text == "ep.flac\n")
    // A refused transcript is the only mistake.
    let missing = try stage.job(
      "clip: talk.wav\ntranscript: nope.vtt\noutput: { file: x.flac, transcript: [vtt, srt] }\n")
    #expect(missing.errors.contains("there is no file 'nope.vtt'"))
    #expect(!missing.errors.contains("no words"), "\(missing.errors)")
  }

  @Test("sidecars that avjob made go with the words that they had, and others stay, with a warning")
  func staleSidecars() throws {
    let stage = try stage()
    let job = """
      clip: talk.wav
      transcript: talk.vtt
      chapters: { 0s: One }
      output: { file: st.flac, transcript: [vtt, srt], chapters: podlove }

      """
    try run(job, on: stage)
    #expect(try stage.run("ls st.*").text == "st.flac\nst.psc\nst.srt\nst.vtt\n")
    try stage.make("echo mine > st.srt")
    let muted = try stage.job(
      job.replacing("chapters: { 0s: One }", with: "mute: true")
        .replacing(", chapters: podlove", with: ""))
    #expect(muted.status == 0)
    #expect(
      muted.errors.contains(
        "no words: 'st.srt' is not written; an older one is there, which stays unless a receipt"),
      "\(muted.errors)")
    #expect(muted.errors.contains("st.vtt"), "\(muted.errors)")
    #expect(try stage.run("ls st.*; cat st.srt").text == "st.flac\nst.srt\nmine\n")
  }

  @Test("a sidecar of an earlier run that a job reads by now stays")
  func readSidecar() throws {
    let stage = try stage()
    let job = "clip: talk.wav\ntranscript: talk.vtt\noutput: { file: st.flac, transcript: vtt }\n"
    try run(job, on: stage)
    let next = try stage.job(
      job.replacing("talk.vtt", with: "st.vtt").replacing(", transcript: vtt", with: ""))
    #expect(next.status == 0, "\(next.errors)")
    #expect(try stage.run("ls st.*").text == "st.flac\nst.vtt\n")
  }
}
