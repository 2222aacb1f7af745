import MPEGAudio
import MediaTime
import Testing

@testable import MediaComposition

/// Files beside the limits of delivery specifications: each limit has a file that passes it and one
/// that fails it.
@Suite struct ConformanceTests {
  /// A file that ACX and LibriVox take, but for what `edit` changes.
  static func sound(
    _ name: String = "acx", _ edit: (inout Asset, inout LoudnessMeasurement) -> Void = { _, _ in }
  ) -> DeliveredSound {
    var asset = Asset(
      location: .file("a.mp3"), streamIndex: 0, container: "mp3", codec: "mp3", sampleRate: 44_100,
      channelLayout: .mono, frameCount: 441_000, bitRate: 192_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    asset.mp3Settings = MP3Settings(.cbr(bitRate: 192_000))
    for tag in ["title", "artist", "album"] { asset.metadata[tag] = "x" }
    var levels = LoudnessMeasurement(
      integrated: -19, maximumMomentary: nil, maximumShortTerm: nil, range: 5, truePeak: -3.2,
      samplePeak: -3.3, rms: -20.5, noiseFloor: -64)
    levels.roomTone = RoomTone(
      head: Time(value: 75, timescale: 100), tail: Time(value: 3, timescale: 1))
    if name != "acx" {
      asset.mp3Settings = MP3Settings(.cbr(bitRate: 128_000))
      asset.bitRate = 128_000
    }
    switch DeliverySpecification.named(name)?.target.level {
    case .integrated(let level)?: levels.integrated = level
    default: break
    }
    edit(&asset, &levels)
    return DeliveredSound(asset, levels: levels)
  }

  static func failed(_ name: String, _ sound: DeliveredSound) -> [String] {
    guard let specification = DeliverySpecification.named(name) else { return ["unknown"] }
    return specification.conformance(of: sound).checks.filter { !$0.passed }
      .map { "\($0.label) \($0.found), \($0.limit)" }
  }

  @Test(
    "a file that keeps to every limit conforms, and every limit is checked",
    arguments: DeliverySpecification.checked)
  func conforms(specification: DeliverySpecification) {
    let conformance = specification.conformance(of: Self.sound(specification.name))
    #expect(conformance.isMet, "\(conformance.refusal ?? "")")
    #expect(!conformance.checks.isEmpty)
    #expect(conformance.refusal == nil)
  }

  typealias Edit = @Sendable (inout Asset, inout LoudnessMeasurement) -> Void

  /// Changes that break one limit each.
  private static let violations: [(String, Edit, String)] = [
    ("acx", { $1.rms = -23.1 }, "RMS −23.1 dB, −23.0 to −18.0 dB"),
    ("acx", { $1.rms = -17.9 }, "RMS −17.9 dB, −23.0 to −18.0 dB"),
    ("acx", { $1.rms = nil }, "RMS none, −23.0 to −18.0 dB"),
    ("acx", { $1.samplePeak = -2.9 }, "peak −2.9 dBFS, at most −3.0 dBFS"),
    ("acx", { $1.noiseFloor = -59.9 }, "noise floor −59.9 dB, at most −60.0 dB"),
    (
      "acx", { $1.roomTone?.head = Time(value: 49, timescale: 100) },
      "room tone at the start 0.49 s, 0.50 to 1.00 s"
    ),
    (
      "acx", { $1.roomTone?.head = Time(value: 101, timescale: 100) },
      "room tone at the start 1.01 s, 0.50 to 1.00 s"
    ),
    (
      "acx", { $1.roomTone?.tail = Time(value: 99, timescale: 100) },
      "room tone at the end 0.99 s, 1.00 to 5.00 s"
    ),
    (
      "acx", { $1.roomTone?.tail = Time(value: 501, timescale: 100) },
      "room tone at the end 5.01 s, 1.00 to 5.00 s"
    ),
    ("acx", { asset, _ in asset.codec = "aac" }, "codec aac, mp3"),
    ("acx", { asset, _ in asset.sampleRate = 48_000 }, "sample rate 48 kHz, 44.1 kHz"),
    (
      "acx", { asset, _ in asset.channelLayout = .surround51 }, "channels 6, mono or stereo"
    ),
    (
      "acx", { asset, _ in asset.mp3Settings = MP3Settings(.cbr(bitRate: 160_000)) },
      "bit rate 160 kbps, 192 to 320 kbps"
    ),
    (
      "acx", { asset, _ in asset.mp3Settings = MP3Settings(.abr(bitRate: 192_000)) },
      "bit rate mode variable, constant"
    ),
    ("acx", { asset, _ in asset.mp3Settings = nil }, "bit rate mode variable, constant"),
    (
      "acx", { asset, _ in asset.frameCount = 44_100 * 7201 }, "length 2:00:01, at most 2:00:00"
    ),
    ("apple-podcasts", { $1.integrated = -17.1 }, "loudness −17.1 LUFS, −17.0 to −15.0 LUFS"),
    ("apple-podcasts", { $1.integrated = nil }, "loudness none, −17.0 to −15.0 LUFS"),
    ("apple-podcasts", { $1.truePeak = -0.9 }, "true peak −0.9 dBTP, at most −1.0 dBTP"),
    ("apple-podcasts", { asset, _ in asset.codec = "opus" }, "codec opus, mp3 or aac"),
    (
      "apple-podcasts", { asset, _ in asset.sampleRate = 22_050 },
      "sample rate 22.05 kHz, 44.1 or 48 kHz"
    ),
    ("spotify", { $1.truePeak = -0.9 }, "true peak −0.9 dBTP, at most −1.0 dBTP"),
    ("ebu-r128", { $1.integrated = -22.7 }, "loudness −22.7 LUFS, −23.2 to −22.8 LUFS"),
    ("atsc-a85", { $1.integrated = -21.9 }, "loudness −21.9 LUFS, −26.0 to −22.0 LUFS"),
    ("atsc-a85", { $1.truePeak = -1.9 }, "true peak −1.9 dBTP, at most −2.0 dBTP"),
    ("aes-td1008-speech", { $1.integrated = -20.1 }, "loudness −20.1 LUFS, −20.0 to −16.0 LUFS"),
    ("librivox", { $1.integrated = -15.9 }, "loudness −15.9 LUFS, −21.0 to −16.0 LUFS"),
    (
      "librivox", { asset, _ in asset.metadata["album"] = nil },
      "tags title, artist, title, artist, album"
    ),
  ]

  @Test(
    "a figure beyond one limit fails that one alone",
    arguments: violations)
  func fails(name: String, edit: Edit, message: String) {
    #expect(Self.failed(name, Self.sound(name, edit)) == [message])
  }

  @Test("levels are compared as they are printed: what rounds to the limit passes")
  func rounding() {
    let name = "apple-podcasts"
    #expect(Self.failed(name, Self.sound(name) { $1.integrated = -15 + 0.04 }).isEmpty)
    #expect(Self.failed(name, Self.sound(name) { $1.integrated = -15 + 0.06 }).count == 1)
    #expect(Self.failed("acx", Self.sound { $1.noiseFloor = -59.96 }).isEmpty)
  }

  @Test("a sound that is louder than Spotify's level has a lower ceiling")
  func louder() {
    #expect(Self.failed("spotify", Self.sound { ($1.integrated, $1.truePeak) = (-14, -1.5) }) == [])
    #expect(
      Self.failed("spotify", Self.sound { ($1.integrated, $1.truePeak) = (-9, -1.5) })
        == ["true peak −1.5 dBTP, at most −2.0 dBTP"])
  }

  @Test("digital silence is a noise floor that passes, and a sound without any level")
  func silence() {
    #expect(Self.failed("acx", Self.sound { $1.noiseFloor = nil }) == [])
    let silent = Self.sound {
      $1 = LoudnessMeasurement(
        integrated: nil, maximumMomentary: nil, maximumShortTerm: nil, range: 0, truePeak: nil,
        samplePeak: nil, rms: nil, noiseFloor: nil)
    }
    #expect(
      Self.failed("acx", silent) == [
        "RMS none, −23.0 to −18.0 dB", "room tone at the start none, 0.50 to 1.00 s",
        "room tone at the end none, 1.00 to 5.00 s",
      ])
  }

  @Test("bit rates depend on the number of channels, and AAC spends little on silence")
  func bitRates() {
    func aac(_ layout: ChannelLayout, _ rate: Int?) -> [String] {
      Self.failed(
        "apple-podcasts",
        Self.sound("apple-podcasts") { asset, _ in
          (asset.codec, asset.mp3Settings, asset.channelLayout, asset.bitRate) =
            ("aac", nil, layout, rate)
        })
    }
    #expect(aac(.mono, 134_000) == [])
    #expect(aac(.mono, 135_000) == ["bit rate 135 kbps, at most 128 kbps"])
    #expect(aac(.stereo, 32_000) == [])
    // What is not known does not fail.
    #expect(aac(.stereo, nil) == [])
  }

  @Test("of a file that is still to be written, its settings and its planned level count")
  func planned() throws {
    let acx = try #require(DeliverySpecification.named("acx"))
    var sound = Self.sound()
    sound.levels = nil
    #expect(
      acx.conformance(of: sound).checks.map(\.figure)
        == [.codec, .bitRateMode, .sampleRate, .channelCount, .bitRate, .duration])
    sound.target = LoudnessTarget(.rms(-25))
    #expect(Self.failed("acx", sound) == ["RMS −25.0 dB, −23.0 to −18.0 dB"])
    sound.target?.group = "book"
    #expect(Self.failed("acx", sound) == [])
    sound.target = LoudnessTarget(.integrated(-23))
    #expect(Self.failed("ebu-r128", sound) == [])
    sound.target?.isDualMono = true
    #expect(Self.failed("apple-podcasts", sound).allSatisfy { !$0.contains("loudness") })
  }

  @Test("a refusal has each failed figure, its limit and what to change, in one line")
  func refusal() throws {
    let acx = try #require(DeliverySpecification.named("acx"))
    let sound = Self.sound { asset, levels in
      asset.mp3Settings = MP3Settings(.vbr(quality: 2))
      levels.noiseFloor = -52.31
      levels.roomTone?.head = .zero
      levels.roomTone?.tail = Time(value: 9, timescale: 1)
    }
    #expect(
      acx.conformance(of: sound).refusal
        == "does not conform to acx: noise floor −52.3 dB (at most −60.0 dB: 'denoise' or 'gate' "
        + "lowers it, a quieter recording is better); room tone at the start 0.00 s (0.50 to 1.00 s: "
        + "put recorded room tone before it); room tone at the end 9.00 s (1.00 to 5.00 s: cut some "
        + "of it); bit rate mode variable (constant: write 'mp3: cbr 192k')")
  }

  @Test("every remedy is something to write or to do, and every JSON figure has its limit")
  func texts() throws {
    var figures: Set<ConformanceCheck.Figure> = []
    for specification in DeliverySpecification.checked {
      let conformance = specification.conformance(of: Self.sound(specification.name))
      for check in conformance.checks {
        figures.insert(check.figure)
        #expect(!check.remedy(for: specification.name).isEmpty && !check.limit.isEmpty)
      }
    }
    #expect(figures == Set(ConformanceCheck.Figure.allCases))
    let acx = try #require(DeliverySpecification.named("acx"))
    #expect(
      acx.conformance(of: Self.sound { $1.noiseFloor = nil }).json.line.hasPrefix(
        #"{"specification":"acx","conforms":true,"checks":[{"figure":"rms_dbfs","value":-20.5,"#
          + #""minimum":-23,"maximum":-18,"passed":true},{"figure":"sample_peak_dbfs","#
          + #""value":-3.3,"maximum":-3,"passed":true},{"figure":"noise_floor_dbfs","#
          + #""value":null,"maximum":-60,"passed":true}"#))
  }
}
