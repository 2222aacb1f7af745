import ExportEngine
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

/// The settings of AVAudioRecorder's and ExtAudioFile's samples, and LAME's functions.
@Suite(.timeLimit(.minutes(5))) struct CompressionPorting {
  private let folder = TestFolder()

  /// Exports a part of a fixture into several outputs at once.
  private func export(
    _ fixture: String, from start: Time = .zero, for duration: Time = .seconds(3),
    into outputs: [Output]
  ) async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: FilePath(Fixture.path(fixture)))
    let export = Export(
      name: "formats", composition: try Composition(asset),
      timeRange: TimeRange(start: start, duration: duration), outputs: outputs)
    try await ExportSession(export, library: library).export()
  }

  private func output(_ name: String, _ format: Output.Format, rate: Int? = nil) -> Output {
    Output(path: FilePath(folder.path(name)), format: format, sampleRate: rate)
  }

  /// An entry of ffprobe's about the sound of a file.
  private func probed(_ name: String, _ entry: String) throws -> String {
    let text = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "stream=\(entry)", "-of", "csv=p=0",
      folder.path(name)
    ).text
    return text.replacing("\n", with: "")
  }

  @Test("AVSampleRateKey: sound of 8 kHz is written at each rate")
  func rates() async throws {
    let rates = [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000]
    try await export(
      "voice-8k.wav", into: rates.map { output("\($0).wav", .wav(.int16), rate: $0) })
    for rate in rates {
      #expect(try probed("\(rate).wav", "sample_rate,duration_ts") == "\(rate),\(3 * rate)")
    }
  }

  @Test("AVLinearPCMBitDepthKey and IsFloatKey, µ-law and a-law, in WAV, AIFF and CAF")
  func depths() async throws {
    let formats: [(String, Output.Format, String)] = [
      ("8.wav", .wav(.uint8), "pcm_u8"), ("16.wav", .wav(.int16), "pcm_s16"),
      ("24.wav", .wav(.int24), "pcm_s24"), ("float.wav", .wav(.float32), "pcm_f32"),
      ("mu.wav", .wav(.muLaw), "pcm_mulaw"), ("a.wav", .wav(.aLaw), "pcm_alaw"),
      ("16.aiff", .aiff(.int16), "pcm_s16"), ("24.aiff", .aiff(.int24), "pcm_s24"),
      ("float.aiff", .aiff(.float32), "pcm_f32"), ("16.caf", .caf(.int16), "pcm_s16"),
      ("24.caf", .caf(.int24), "pcm_s24"), ("float.caf", .caf(.float32), "pcm_f32"),
    ]
    try await export("voice-8k.wav", into: formats.map { output($0.0, $0.1) })
    for (name, _, codec) in formats {
      let found = try probed(name, "codec_name,duration_ts")
      #expect(found.hasPrefix(codec) && found.hasSuffix(",24000"), "\(name): \(found)")
    }
  }

  @Test("AVEncoderBitRateKey: the size of AAC and Opus follows the bit rate, from 32k to 320k")
  func bitRates() async throws {
    let rates = [32_000, 64_000, 128_000, 256_000, 320_000]
    let outputs = rates.flatMap { rate in
      [
        output("\(rate).m4a", .m4a(bitRate: rate)),
        output("\(rate).opus", .opus(bitRate: rate), rate: 48_000),
      ]
    }
    try await export("feelings.ogg", for: .seconds(10), into: outputs)
    for name in ["m4a", "opus"] {
      let sizes = try rates.map { try readFile(folder.path("\($0).\(name)")).count }
      for (rate, size) in zip(rates, sizes) {
        let found = Double(size * 8) / 10 / Double(rate)
        #expect((0.75...1.35).contains(found), "\(name) of \(rate): \(found)")
      }
    }
  }

  @Test("lame_set_VBR, lame_set_brate, lame_set_quality and lame_set_out_samplerate")
  func lame() async throws {
    // lame_set_out_samplerate(lame, 8000); lame_set_brate(lame, 32); lame_set_quality(lame, 7)
    try await export(
      "feelings.ogg", from: .seconds(10), for: .seconds(5),
      into: [
        output("talk.mp3", .mp3(MP3Settings(.cbr(bitRate: 32_000), quality: 7)), rate: 8000),
        output("cbr.mp3", .mp3(MP3Settings(.cbr(bitRate: 128_000)))),
        output("abr.mp3", .mp3(MP3Settings(.abr(bitRate: 96_000)))),
        // lame_set_VBR(lame, vbr_default)
        output("vbr.mp3", .mp3(MP3Settings(.vbr(quality: 4)))),
      ])
    #expect(try probed("talk.mp3", "sample_rate,bit_rate") == "8000,32000")
    #expect(try probed("cbr.mp3", "sample_rate,bit_rate") == "44100,128000")
    let mean = try #require(Double(try probed("abr.mp3", "bit_rate")))
    #expect((86_000...110_000).contains(mean), "\(mean)")
    for (name, tag, rate) in [
      ("talk", "Info", 8000), ("cbr", "Info", 44_100), ("abr", "Xing", 44_100),
      ("vbr", "Xing", 44_100),
    ] {
      // LAME's tag: "Xing" where the bit rate varies.
      let head = String(
        decoding: try readFile(folder.path("\(name).mp3")).prefix(4000), as: UTF8.self)
      #expect(head.contains(tag) && head.contains("LAME"), "\(name)")
      // lame_encode_flush: to the last sample, by another decoder.
      let decoded = try Tool.succeed(
        "mpg123", "-q", "--mono", "-e", "s16", "-s", folder.path("\(name).mp3")
      ).steps
      #expect(decoded.count == 5 * rate, "\(name)")
    }
  }

  @Test("100 KB of a recording are less than 10 KB")
  func memo() async throws {
    try await export(
      "voice-8k.wav", for: .seconds(6),
      into: [
        output("memo.wav", .wav(.int16)),
        output("memo.mp3", .mp3(MP3Settings(.cbr(bitRate: 8000)))),
      ])
    let (whole, small) = try (
      readFile(folder.path("memo.wav")).count, readFile(folder.path("memo.mp3")).count
    )
    #expect(whole > 96_000 && small * 10 < whole, "\(small) of \(whole)")
  }
}
