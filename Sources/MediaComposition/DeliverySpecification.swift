import Diagnosis

/// What a place of delivery asks of a file, by the name that job files give it.
///
/// One table: `loudness` takes the targets, `conform` and `avjob probe --conform` the limits, presets
/// both. A limit that a document does not have is not in it.
package struct DeliverySpecification: Sendable, Hashable {
  /// In job files, as `apple-podcasts`.
  package let name: String
  /// The document.
  package let document: String
  /// The level that it asks for.
  package let target: LoudnessTarget
  /// What a finished file is held to; none where there is no document.
  package let limits: [DeliveryLimit]

  private init(
    _ name: String, _ document: String, _ level: LoudnessTarget.Level, truePeak: Double,
    isDualMono: Bool = false, _ limits: [DeliveryLimit]
  ) {
    self.name = name
    self.document = document
    self.limits = limits
    target = LoudnessTarget(
      level, truePeak: truePeak, isDualMono: isDualMono, specification: name)
  }

  /// All of them. In none of the documents mono counts as heard from two loudspeakers.
  package static let all: [DeliverySpecification] = [
    // "Loudness": −16 dB LKFS ± 1, true peaks of −1 dB. "RSS feed audio": MP3 or AAC, the recommended
    // bit rates of both. Stereo and mono alike: the page has no loudness of its own for mono.
    DeliverySpecification(
      "apple-podcasts", "Apple Podcasts for Creators, Audio requirements", .integrated(-16),
      truePeak: -1,
      [
        .integrated(-17, -15), .truePeak(-1), .codecs(["mp3", "aac"]),
        .sampleRates([44_100, 48_000]), .channelCounts([1, 2]),
        .bitRate(64_000, 128_000, channelCount: 1), .bitRate(128_000, 256_000, channelCount: 2),
      ]),
    // A level without a tolerance: louder music is turned down, and has a lower ceiling.
    DeliverySpecification(
      "spotify", "Spotify, Loudness normalization", .integrated(-14), truePeak: -1,
      [.truePeak(-1), .truePeakOfLouder(-2, than: -14)]),
    DeliverySpecification(
      "youtube", "YouTube's playback, which has no published document", .integrated(-14),
      truePeak: -1, []),
    // ± 0.2 LU where a finished programme is measured; ± 1.0 LU is for live production.
    DeliverySpecification(
      "ebu-r128", "EBU R 128 v4 (2020)", .integrated(-23), truePeak: -1,
      [.integrated(-23.2, -22.8), .truePeak(-1)]),
    DeliverySpecification(
      "atsc-a85", "ATSC A/85:2013", .integrated(-24), truePeak: -2,
      [.integrated(-26, -22), .truePeak(-2)]),
    // ± 2 LU where speech is not measured apart from all else, which avjob does not do.
    DeliverySpecification(
      "aes-td1008-speech", "AES TD1008.1.21-9, speech", .integrated(-18), truePeak: -1,
      [.integrated(-20, -16), .truePeak(-1)]),
    // Any RMS from −23 to −18 dB is accepted; the middle leaves most room for what readers do.
    DeliverySpecification(
      "acx", "ACX, Audio Submission Requirements", .rms(-20.5), truePeak: -3,
      [
        .rms(-23, -18), .samplePeak(-3), .noiseFloor(-60), .head(0.5, 1), .tail(1, 5),
        .codecs(["mp3"]), .constantBitRate, .sampleRates([44_100]), .channelCounts([1, 2]),
        .bitRate(192_000, 320_000, channelCount: nil), .duration(120 * 60), .oneChannelFormat,
      ]),
    // 89 dB by ReplayGain 1 are −18 LUFS; the page itself takes −21 to −16 LUFS for that.
    DeliverySpecification(
      "librivox", "LibriVox wiki, Tech Specs", .integrated(-18), truePeak: -1,
      [
        .integrated(-21, -16), .codecs(["mp3"]), .constantBitRate, .sampleRates([44_100]),
        .channelCounts([1]), .bitRate(128_000, 128_000, channelCount: nil),
        .tags(["title", "artist", "album"]),
      ]),
  ]

  /// The specification of a name; nil where there is none.
  package static func named(_ name: String) -> DeliverySpecification? {
    all.first { $0.name == name }
  }

  /// Whether all files of a set have as many channels.
  package var takesOneChannelFormat: Bool { limits.contains(.oneChannelFormat) }

  /// Those that a file can be checked by.
  package static let checked = all.filter { !$0.limits.isEmpty }

  /// Why a name is none of those, and what to write instead; nil where it is one.
  package static func refusal(of name: String) -> (message: String, help: String)? {
    let names = checked.map(\.name)
    guard !names.contains(name) else { return nil }
    if let known = named(name) {
      return (
        "'\(name)' has no limits to check a file by",
        "leave it out, and write 'loudness: \(name)' for its level: its source is \(known.document)"
      )
    }
    return (
      "'\(name)' is no delivery specification",
      Spelling.help(for: name, among: names)
        ?? "write one of " + names.joined(separator: ", ")
    )
  }
}

/// One requirement of a delivery specification. Levels are compared to a tenth of a decibel, as the
/// documents and meters write them, times to ten milliseconds.
package enum DeliveryLimit: Sendable, Hashable {
  /// Integrated loudness from … to …, LUFS.
  case integrated(Double, Double)
  /// Mean power of all channels from … to …, dB.
  case rms(Double, Double)
  /// Highest peak between samples, dBTP.
  case truePeak(Double)
  /// Highest peak between samples, dBTP, of sounds that are louder than some LUFS.
  case truePeakOfLouder(Double, than: Double)
  /// Largest sample, dBFS.
  case samplePeak(Double)
  /// dB of the quietest half second.
  case noiseFloor(Double)
  /// Seconds of room tone before the sound, from … to ….
  case head(Double, Double)
  /// Seconds of room tone after the sound, from … to ….
  case tail(Double, Double)
  /// FFmpeg's names.
  case codecs([String])
  /// Frames a second.
  case sampleRates([Int])
  /// Numbers of channels.
  case channelCounts([Int])
  /// Bits a second from … to …, for files of so many channels; nil: of any.
  case bitRate(Int, Int, channelCount: Int?)
  /// Every frame has the same bit rate.
  case constantBitRate
  /// Seconds that a file may last.
  case duration(Double)
  /// Tags that a file has, by FFmpeg's generic names.
  case tags([String])
  /// All files of a set have as many channels.
  case oneChannelFormat
}
