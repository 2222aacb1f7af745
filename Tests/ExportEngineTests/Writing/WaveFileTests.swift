import ExportGraph
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("WAVs that avjob writes itself") struct WaveFileTests {
  let folder = TestFolder()

  @Test(
    "a head without chunks of its own is FFmpeg's, byte for byte",
    arguments: Output.SampleFormat.allCases,
    [
      (ChannelLayout.mono, 44_100), (.stereo, 48_000), (.stereo, 96_000), (.surround51, 44_100),
    ])
  func head(samples: Output.SampleFormat, sound: (layout: ChannelLayout, rate: Int)) throws {
    let codec =
      switch samples {
      case .uint8: "pcm_u8"
      case .int16: "pcm_s16le"
      case .int24: "pcm_s24le"
      case .float32: "pcm_f32le"
      case .muLaw: "pcm_mulaw"
      case .aLaw: "pcm_alaw"
      case .gsm: "libgsm_ms"
      case .g722, .ima4: ""
      }
    // Of GSM there is one channel at 8 kHz, and of IMA4 no WAV.
    guard samples != .ima4, samples.telephoneSound.map({ $0 == .anyRate }) ?? true else { return }
    let path = folder.path("a.wav")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=0.01:r=\(sound.rate)", "-ac",
      "\(sound.layout.count)", "-c:a", codec, "-rf64", "auto", "-fflags", "+bitexact", "-flags",
      "+bitexact", path)
    let format = samples.waveFormat(
      AudioFormat(sampleRate: sound.rate, channelLayout: sound.layout),
      mask: sound.layout.channels.reduce(0) { $0 | 1 << UInt64($1.rawValue) })
    let wave = WaveFile(format)
    let bytes = try readFile(path)
    let size = Int64(sound.rate / 100 * format.blockSize)
    let head = wave.head(soundSize: size, isComplete: true)
    // FFmpeg 7 writes floats of one or two channels as WAVE_FORMAT_IEEE_FLOAT, without their places.
    let isPlainFloat = bytes[56] == 3
    guard !isPlainFloat else { return #expect(samples == .float32 && sound.layout.count <= 2) }
    #expect(Array(bytes.prefix(head.count)) == head)
    #expect(bytes.count == head.count + Int(size) + wave.tail(soundSize: size).count)
    #expect(WaveFormat(format.content) == format)
  }

  @Test("a file that is asked for as BW64 is one at any size, and past 4 GiB others are RF64")
  func longForms() {
    let format = WaveFormat(
      .integer, bits: 16, sampleRate: 48_000, channelCount: 1, channelMask: 4)
    let always = WaveFile(
      of: format, leading: WaveFile.leading(format),
      as: WaveFile.Form(longName: "BW64", isAlwaysLong: true))
    let head = always.head(soundSize: 3, isComplete: true)
    #expect(head.starts(with: Array("BW64".utf8) + [255, 255, 255, 255]))
    // Bytes of a part of a frame are none.
    #expect(head[12..<16].elementsEqual("ds64".utf8) && head[28] == 2 && head[36] == 1)
    let usual = WaveFile(format)
    #expect(usual.head(soundSize: 3).starts(with: "RIFF".utf8))
    #expect(usual.head(soundSize: 1 << 33).starts(with: "RF64".utf8))
  }

  @Test("chunks of a source stay where they say the same, and where not they are others")
  func kept() throws {
    func chunks(_ leading: [String: [UInt8]]) -> WaveChunks {
      WaveChunks(
        stored: leading.sorted { $0.key < $1.key }.map { WaveFile.Chunk($0.key, $0.value) })
    }
    let own = chunks(["iXML": [1], "smpl": [UInt8](repeating: 0, count: 36)])
    let stored = chunks(["abcd": [9], "iXML": [1, 0], "inst": [0, 0, 0, 0, 0, 0, 0]])
    let kept = own.keeping(stored, keepsFormat: false, keepsTags: true)
    #expect(kept.leading.map(\.name) == ["abcd", "iXML", "smpl"])
    #expect(kept.leading[1].content == [1])
  }

  @Test("a format that says fewer bits, or other things beside the samples, stays as it is")
  func keptFormat() {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func content(
      bits: Int, bytes: Int, valid: Int? = nil, mask: Int = 3, code: Int = 1, channels: Int = 2
    ) -> [UInt8] {
      let size = channels * bytes
      let head =
        number(valid == nil ? code : 0xFFFE, 2) + number(channels, 2) + number(48_000, 4)
        + number(48_000 * size, 4) + number(size, 2) + number(bits, 2)
      guard let valid else { return head }
      return head + number(22, 2) + number(valid, 2) + number(mask, 4) + number(code, 4)
        + [UInt8](repeating: 0, count: 12)
    }
    func format(_ bits: Int, _ coding: WaveFormat.Coding = .integer) -> WaveFormat {
      WaveFormat(coding, bits: bits, sampleRate: 48_000, channelCount: 2, channelMask: 3)
    }
    for (told, bits) in [
      (content(bits: 24, bytes: 3, valid: 20), 24), (content(bits: 24, bytes: 3, valid: 0), 24),
      (content(bits: 20, bytes: 3), 24), (content(bits: 24, bytes: 3), 24),
      (content(bits: 12, bytes: 2), 16), (content(bits: 16, bytes: 2, valid: 12, mask: 0), 16),
    ] {
      #expect(format(bits).isTold(by: told))
      #expect(WaveChunks(stored: [.init("fmt ", told)]).tell(format(bits)))
      let own = WaveChunks(stored: WaveFile.leading(format(bits)))
      let source = WaveChunks(stored: [.init("fmt ", told), .init("xyz ", [1])])
      #expect(own.keeping(source, keepsFormat: true, keepsTags: true) == source)
    }
    for (other, coding, bits) in [
      (content(bits: 32, bytes: 4, valid: 24), .integer, 24),
      (content(bits: 24, bytes: 4), .integer, 24),
      (content(bits: 16, bytes: 2, channels: 1), .integer, 16),
      (content(bits: 32, bytes: 4), .float, 32), ([1, 0], .integer, 16),
    ] as [([UInt8], WaveFormat.Coding, Int)] {
      #expect(!format(bits, coding).isTold(by: other))
    }
  }
}
