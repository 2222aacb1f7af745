import Diagnosis
import MediaComposition
import TestSupport
import Testing

@testable import JobFile

/// The settings of AAC, by FFmpeg's encoder and by libfdk-aac.
@Suite("Settings of AAC") struct AACTests {
  private func format(_ setting: String) throws -> Output.Format? {
    let yaml = "clip: a.wav\noutput: { file: x.m4a, aac: \(setting) }"
    return try #require(try Bench().exports(yaml).first).outputs.first?.format
  }

  @Test(
    "a map and its short form say the same",
    arguments: [
      ("{ bit_rate: 96k }", "96k", Output.Format.m4a(bitRate: 96_000)),
      (
        "{ encoder: fdk, bit_rate: 128k }", "fdk 128k", .fdkAAC(FDKAACSettings(.bitRate(128_000)))
      ),
      (
        "{ encoder: fdk, profile: he, bit_rate: 48 kbps }", "fdk he 48 kbps",
        .fdkAAC(FDKAACSettings(.bitRate(48_000), profile: .he))
      ),
      (
        "{ vbr: 2, encoder: fdk, profile: he-v2 }", "fdk  he-v2  vbr 2",
        .fdkAAC(FDKAACSettings(.vbr(quality: 2), profile: .heV2))
      ),
      (
        "{ encoder: fdk, profile: lc, vbr: 5 }", "fdk lc vbr5",
        .fdkAAC(FDKAACSettings(.vbr(quality: 5)))
      ),
    ])
  func forms(_ map: String, _ text: String, _ expected: Output.Format) throws {
    #expect(try format(map) == expected)
    #expect(try format(text) == expected)
  }

  @Test("what is no setting is refused with what there is")
  func refusals() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.m4a, aac: { encoder: faac, bit_rate: 96k } }
          - { file: b.m4a, aac: { vbr: 4 } }
          - { file: c.m4a, aac: { encoder: fdk, profile: hev3, vbr: 6 } }
          - { file: d.m4a, aac: { profile: he, bit_rate: 48k } }
          - { file: e.m4a, aac: { encoder: fdk } }
          - { file: f.m4a, aac: fdk best }
          - { file: g.m4a, aac: fdk vbr 7 }
        """#),
      #"""
      job.yaml:3:36: error: 'faac' is no encoder of AAC
          3 |   - { file: a.m4a, aac: { encoder: faac, bit_rate: 96k } }
            |                                    ^~~~
        help: write 'fdk', or leave 'encoder' out for FFmpeg's
      job.yaml:4:27: error: 'vbr' belongs to 'encoder: fdk'
          4 |   - { file: b.m4a, aac: { vbr: 4 } }
            |                           ^~~
        help: add 'encoder: fdk', or write 'bit_rate: 128k': FFmpeg's AAC has no 'vbr'
      job.yaml:5:50: error: 'hev3' is no profile of AAC
          5 |   - { file: c.m4a, aac: { encoder: fdk, profile: hev3, vbr: 6 } }
            |                                                  ^~~~
        help: write 'lc', 'he' or 'he-v2'
      job.yaml:5:61: error: '6' is no quality of libfdk-aac
          5 |   - { file: c.m4a, aac: { encoder: fdk, profile: hev3, vbr: 6 } }
            |                                                             ^
        help: write 1 (smallest) to 5
      job.yaml:6:27: error: 'profile' belongs to 'encoder: fdk'
          6 |   - { file: d.m4a, aac: { profile: he, bit_rate: 48k } }
            |                           ^~~~~~~
        help: add 'encoder: fdk': FFmpeg's encoder makes AAC-LC alone
      job.yaml:7:25: error: one of 'bit_rate', 'vbr' is missing
          7 |   - { file: e.m4a, aac: { encoder: fdk } }
            |                         ^
        help: add one, as 'bit_rate: 128k'
      job.yaml:8:25: error: 'best' is no setting of libfdk-aac
          8 |   - { file: f.m4a, aac: fdk best }
            |                         ^~~~~~~~
        help: write 'fdk 128k', 'fdk he 48k' or 'fdk vbr 4'
      job.yaml:9:25: error: '7' is no quality of libfdk-aac
          9 |   - { file: g.m4a, aac: fdk vbr 7 }
            |                         ^~~~~~~~~
        help: write 1 (smallest) to 5
      """#)
  }
}
