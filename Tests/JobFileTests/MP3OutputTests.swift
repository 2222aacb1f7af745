import Diagnosis
import MPEGAudio
import MediaComposition
import Testing

@testable import JobFile

@Suite struct MP3OutputTests {
  private func outputs(
    _ yaml: String, rate: Int = 44_100, layout: ChannelLayout = .stereo
  ) throws -> [Output] {
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 60, rate: rate, layout: layout)
    return try #require(try bench.exports("clip: a.wav\n" + yaml).first).outputs
  }

  private func settings(_ map: String) throws -> MP3Settings? {
    let output = try outputs("output: { file: x.mp3, mp3: \(map) }").first
    guard case .mp3(let settings) = output?.format else { return nil }
    return settings
  }

  @Test("Each key of the map is one of LAME's options")
  func keys() throws {
    var all = MP3Settings(.vbr(quality: 2.5), quality: 3)
    all.stereoMode = .simple
    all.lowpass = .hertz(15_500)
    all.highpass = 600
    all.minimumBitRate = 64_000
    all.maximumBitRate = 192_000
    #expect(
      try settings(
        "{ vbr: 2.5, quality: 3, mode: simple, lowpass: 15.5 kHz, highpass: 600 Hz, min: 64k, "
          + "max: 192 kbps }") == all)
    var off = MP3Settings(.abr(bitRate: 96_000))
    off.lowpass = .off
    #expect(try settings("{ abr: 96k, lowpass: off }") == off)
    #expect(try settings("{ vbr: V4 }") == MP3Settings(.vbr(quality: 4)))
    #expect(
      try settings("{ preset: Studio, quality: 0 }")
        == MP3Settings(.abr(bitRate: 256_000), quality: 0))
  }

  @Test(
    "A mode goes by LAME's words, its letters and lame.h's",
    arguments: [
      (["joint", "j", "joint stereo", "joint_stereo"], MP3Settings.StereoMode.joint),
      (["forced", "force", "f", "Forced Joint Stereo"], .forced),
      (["simple", "s", "stereo", "simple stereo"], .simple),
    ])
  func modes(words: [String], mode: MP3Settings.StereoMode) throws {
    for word in words {
      #expect(try settings("{ vbr: 2, mode: \(word) }")?.stereoMode == mode)
    }
  }

  @Test("Mono is the number of channels of the output, whatever the job has")
  func mono() throws {
    let outputs = try outputs(
      """
      channels: stereo
      output:
        - { file: a.mp3, mp3: { vbr: 2, mode: mono } }
        - { file: b.mp3, mp3: { vbr: 2, mode: m }, channels: mono }
        - { file: c.mp3, mp3: voice }
        - { file: d.mp3, mp3: { preset: voice }, channels: stereo }
        - { file: e.mp3, mp3: { vbr: 2, mode: joint } }
      """)
    #expect(outputs.map(\.channelLayout) == [.mono, .mono, .mono, .stereo, .stereo])
  }

  @Test(
    "A name of LAME's chooses the sample rate as LAME does, where none is written",
    arguments: [
      (44_100, [16_000, 16_000, 24_000, 32_000, 44_100, 44_100, 44_100]),
      (48_000, [16_000, 16_000, 24_000, 32_000, 44_100, 48_000, 48_000]),
      (8000, [8000, 8000, 8000, 8000]),
      (96_000, [16_000, 16_000, 24_000, 32_000, 44_100, 48_000, 48_000]),
    ])
  func presets(rate: Int, expected: [Int]) throws {
    let names = ["phone", "lw", "mw-us", "voice", "radio", "hifi", "standard"]
    let list = zip(names, expected).map { "{ file: \($0.0).mp3, mp3: \($0.0) }" }
    let found = try outputs("output: [\(list.joined(separator: ", "))]", rate: rate)
    #expect(found.map(\.sampleRate) == expected)
    let map = try outputs("output: { file: x.mp3, mp3: { preset: voice, quality: 2 } }", rate: rate)
    #expect(map.map(\.sampleRate) == [expected[3]])
  }

  @Test("A bit rate that the sources' rate does not have is refused with those that would do")
  func bitRates() throws {
    for setting in ["abr 16k", "cbr 8k", "{ abr: 31k, mode: mono }", "cbr 24k"] {
      let refused = #expect(throws: Diagnostics.self) {
        try outputs("output: { file: x.mp3, mp3: \(setting) }", rate: 44_100)
      }
      let message = refused?.all.first?.message ?? ""
      #expect(message.contains("not possible at 44100 Hz") && message.contains("8000, 11025"))
    }
    for setting in ["abr 32k", "cbr 32k", "V9", "{ abr: 40k, lowpass: 5 kHz }"] {
      let output = try outputs("output: { file: x.mp3, mp3: \(setting) }", rate: 44_100).first
      #expect(output?.sampleRate == 44_100)
    }
  }

  @Test("A rate that is written stays")
  func writtenRates() throws {
    let own = try outputs("output: { file: x.mp3, mp3: voice, sample_rate: 44.1 kHz }")
    #expect(own.map(\.sampleRate) == [44_100])
    let mix = try outputs(
      "sample_rate: 48 kHz\noutput: [{ file: x.mp3, mp3: voice }, { file: y.mp3, mp3: radio }]")
    #expect(mix.map(\.sampleRate) == [48_000, 48_000])
  }
}
