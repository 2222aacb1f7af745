import MediaComposition
import Testing
import TestSupport

@testable import JobFile

/// `conform`: what finished files are checked by.
@Suite struct ConformTests {
  private func names(_ yaml: String) throws -> [[String]?] {
    try Bench().exports(yaml).flatMap(\.outputs).map { $0.conform?.map(\.name) }
  }

  @Test("a job's specifications are those of outputs without their own; 'none' takes them away")
  func places() throws {
    #expect(try names("clip: a.wav\noutput: a.mp3") == [nil])
    #expect(
      try names(
        """
        clip: a.wav
        conform: [ebu-r128, atsc-a85, ebu-r128]
        output:
          - master.wav
          - { file: b.mp3, conform: spotify }
          - { file: c.wav, conform: none }
          - { file: d.m4a, preset: apple-podcasts }
        """) == [["ebu-r128", "atsc-a85"], ["spotify"], [], ["apple-podcasts"]])
  }

  @Test("a key beside a preset wins over what the preset is checked by")
  func beside() throws {
    #expect(
      try names(
        "clip: a.wav\noutput: { file: b.wav, preset: radio, conform: none, loudness: -20 LUFS }")
        == [[]])
  }

  @Test("Names that are none, and one of no document")
  func unknown() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { clip: a.wav, conform: axc, output: a.mp3 }
          b: { clip: a.wav, conform: [acx, loud], output: b.mp3 }
          c: { clip: a.wav, conform: youtube, output: c.mp3 }
        """),
      """
      job.yaml:2:30: error: 'axc' is no delivery specification
          2 |   a: { clip: a.wav, conform: axc, output: a.mp3 }
            |                              ^~~
        help: did you mean 'acx'?
      job.yaml:3:36: error: 'loud' is no delivery specification
          3 |   b: { clip: a.wav, conform: [acx, loud], output: b.mp3 }
            |                                    ^~~~
        help: write one of apple-podcasts, spotify, ebu-r128, atsc-a85, aes-td1008-speech, acx, librivox
      job.yaml:4:30: error: 'youtube' has no limits to check a file by
          4 |   c: { clip: a.wav, conform: youtube, output: c.mp3 }
            |                              ^~~~~~~
        help: leave it out, and write 'loudness: youtube' for its level: its source is YouTube's playback, which has no published document
      """)
  }

  @Test("a preset's level stands before the job's, which a note says")
  func preset() throws {
    let yaml = """
      clip: a.wav
      loudness: ebu-r128
      output: [master.wav, { file: a.m4a, preset: apple-podcasts }]
      """
    let exports = try Bench().exports(yaml)
    #expect(exports[0].loudness?.specification == "ebu-r128")
    #expect(exports[0].outputs.map { $0.loudness?.specification } == [nil, "apple-podcasts"])
    expect(
      Bench().screen(yaml),
      """
      job.yaml:3:45: note: the preset brings this output to −16.0 LUFS, and not to the job's −23.0 LUFS
          3 | output: [master.wav, { file: a.m4a, preset: apple-podcasts }]
            |                                             ^~~~~~~~~~~~~~
        help: for another level, write 'loudness' beside 'preset'
      job.yaml:2:11: note: the job's is written here
          2 | loudness: ebu-r128
            |           ^~~~~~~~
      """)
    // One level written twice is no contradiction.
    expect(
      Bench().screen(
        "clip: a.wav\nloudness: -16 LUFS\noutput: { file: a.m4a, preset: apple-podcasts }"), "")
  }
}
