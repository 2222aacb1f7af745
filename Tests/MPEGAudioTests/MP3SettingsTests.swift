import MPEGAudio
import TestSupport
import Testing

@Suite struct MP3SettingsTests {
  @Test(
    "Settings are read in LAME's words",
    arguments: [
      ("V0", .vbr(quality: 0)), ("v9", .vbr(quality: 9)), ("V2.5", .vbr(quality: 2.5)),
      ("V9.999", .vbr(quality: 9.999)), ("abr 96k", .abr(bitRate: 96_000)),
      ("ABR 96 kbps", .abr(bitRate: 96_000)), ("cbr 128k", .cbr(bitRate: 128_000)),
      ("CBR 128 kbit/s", .cbr(bitRate: 128_000)), ("medium", .vbr(quality: 4)),
      ("standard", .vbr(quality: 2)), ("Extreme", .vbr(quality: 0)),
      ("insane", .cbr(bitRate: 320_000)), ("phone", .abr(bitRate: 16_000)),
      ("voice", .abr(bitRate: 56_000)), ("radio", .abr(bitRate: 112_000)),
      ("hifi", .abr(bitRate: 160_000)), ("cd", .abr(bitRate: 192_000)),
      ("studio", .abr(bitRate: 256_000)), ("mw-us", .abr(bitRate: 40_000)),
      ("phon+", .abr(bitRate: 24_000)),
    ] as [(String, MP3Settings.RateControl)])
  func reading(text: String, rateControl: MP3Settings.RateControl) throws {
    let settings = try MP3Settings(parsing: text)
    #expect(settings == MP3Settings(rateControl))
    #expect(try MP3Settings(parsing: "\(settings)") == settings)
  }

  @Test("Names of narrow-band presets also mean one channel")
  func mono() {
    let mono = MP3Preset.allCases.filter(\.isMono).map(\.rawValue)
    #expect(mono == ["phone", "phon+", "lw", "mw-eu", "sw", "mw-us", "voice"])
  }

  @Test(
    "Settings print in one way",
    arguments: [
      (MP3Settings(.vbr(quality: 2)), "V2"), (MP3Settings(.vbr(quality: 2.5)), "V2.5"),
      (MP3Settings(.abr(bitRate: 96_000)), "ABR 96 kbps"),
      (MP3Settings(.cbr(bitRate: 128_000)), "CBR 128 kbps"),
      (MP3Settings(.vbr(quality: 2), quality: 0), "V2 (quality 0)"),
      (MP3Settings(.vbr(quality: 2), quality: 3), "V2 (quality 3, the same as 0)"),
      (MP3Settings(.cbr(bitRate: 96_000), quality: 8), "CBR 96 kbps (quality 8, the same as 7)"),
      (
        .all,
        "V2.5 (quality 5, simple stereo, lowpass 15.5 kHz, highpass 750 Hz, min 64 kbps, "
          + "max 192 kbps)"
      ),
    ])
  func printing(settings: MP3Settings, text: String) {
    #expect("\(settings)" == text)
  }

  @Test("A LAME works at the asked quality by its version's own numbers")
  func workingQualities() {
    func accepted(_ settings: MP3Settings, ofLAME version: Int) -> [Int] {
      (0...9).filter { settings.isQuality($0, ofLAME: version) }
    }
    let constant = (0...9).map { MP3Settings(.cbr(bitRate: 128_000), quality: $0) }
    #expect(
      constant.map { accepted($0, ofLAME: 3) } == [0, 1, 2, 3, 4, 5, 6, 7, 7, 9].map { [$0] })
    #expect(
      constant.map { accepted($0, ofLAME: 4) } == [4, 4, 4, 4, 4, 5, 6, 7, 7, 9].map { [$0] })
    let variable = (0...9).map { MP3Settings(.vbr(quality: 2), quality: $0) }
    for version in [3, 4] {
      #expect(
        variable.map { accepted($0, ofLAME: version) }
          == [0, 0, 0, 0, 0, 5, 6, 7, 7, 7].map { [$0] })
    }
  }

  @Test(
    "What is no setting is refused with the text to write",
    arguments: [
      ("V10", "'V10' is no VBR quality: they go from V0 (best) to V9.999"),
      ("V2.", "'V2.' is no VBR quality: they go from V0 (best) to V9.999"),
      ("V9.9991", "'V9.9991' is no VBR quality: they go from V0 (best) to V9.999"),
      ("abr 96", "'abr 96' has no unit: write abr 96k"),
      ("cbr", unknown("cbr")), ("fast", unknown("fast")), ("", unknown("")), ("V", unknown("V")),
      ("cbr 1.5k", "'cbr 1.5k' has no bit rate in whole kbps: write cbr 128k"),
      ("cbr 128 M", "'cbr 128 M' has no bit rate in whole kbps: write cbr 128k"),
      (
        "cbr 99999999999999999999k",
        "'cbr 99999999999999999999k' has no bit rate in whole kbps: write cbr 128k"
      ),
      ("128k", "'128k' may be a constant or a mean bit rate: write cbr 128k or abr 128k"),
      ("128 kbps", "'128 kbps' may be a constant or a mean bit rate: write cbr 128k or abr 128k"),
    ])
  func refusals(text: String, message: String) {
    let error = #expect(throws: MP3SettingsError.self) { try MP3Settings(parsing: text) }
    #expect(error?.message == message)
  }

  private static func unknown(_ text: String) -> String {
    "'\(text)' is no MP3 setting: write V0 … V9, abr 96k, cbr 128k, or one of medium, standard, "
      + "extreme, insane, phone, phon+, lw, mw-eu, sw, mw-us, voice, fm, radio, tape, hifi, cd, studio"
  }

  @Test("Sample rates that MP3 lacks have a nearest one that keeps the sound")
  func sampleRates() {
    #expect(
      MP3Settings.sampleRates == [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000])
    let nearest = [6000: 8000, 8000: 8000, 18900: 22050, 37800: 44100, 88200: 44100, 96000: 48000]
    for (rate, legal) in nearest {
      #expect(MP3Settings.nearestLegalSampleRate(for: rate) == legal)
    }
    #expect(MP3Settings.nearestLegalSampleRate(for: -1) == 8000)
    #expect(MP3Settings.nearestLegalSampleRate(for: .max) == 48000)
  }

  @Test("The constant bit rates are those that LAME writes", arguments: [8000, 22050, 44100])
  func constantBitRates(rate: Int) throws {
    try MP3Files.withFolder { folder in
      let path = "\(folder)/a.mp3"
      for bitRate in MP3Settings.bitRates(forSampleRate: rate) {
        #expect(
          MP3Settings(.cbr(bitRate: bitRate)).problem(sampleRate: rate, channelCount: 2) == nil)
        _ = try MP3Files.run([
          "lame", "--quiet", "--cbr", "-b", "\(bitRate / 1000)", "--resample",
          "\(Double(rate) / 1000)", Fixture.path("lame-testcase.wav"), path,
        ])
        let bytes = try readFile(path)
        let index = try MP3Files.index(of: bytes)
        let first = bytes[index.byteRange(ofFrame: 0)].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        #expect(FrameHeader(bits: first)?.bitRate == bitRate && index.sampleRate == rate)
      }
    }
  }
}

extension MP3Settings {
  /// With every field set.
  fileprivate static let all: MP3Settings = {
    var settings = MP3Settings(.vbr(quality: 2.5), quality: 5)
    settings.stereoMode = .simple
    settings.lowpass = .hertz(15_500)
    settings.highpass = 750
    settings.minimumBitRate = 64_000
    settings.maximumBitRate = 192_000
    return settings
  }()
}
