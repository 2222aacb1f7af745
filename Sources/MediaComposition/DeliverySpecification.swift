/// What a place of delivery asks of a file, by the name that job files give it.
public struct DeliverySpecification: Sendable, Hashable {
  /// In job files, as `apple-podcasts`.
  public let name: String
  /// The document.
  public let document: String
  /// The level that it asks for.
  public let target: LoudnessTarget

  private init(
    _ name: String, _ document: String, _ level: LoudnessTarget.Level, truePeak: Double,
    isDualMono: Bool = false
  ) {
    self.name = name
    self.document = document
    target = LoudnessTarget(
      level, truePeak: truePeak, isDualMono: isDualMono, specification: name)
  }

  /// All of them.
  public static let all: [DeliverySpecification] = [
    // Stereo and mono alike: the page has no figure of its own for mono.
    DeliverySpecification(
      "apple-podcasts", "Apple Podcasts for Creators, Audio requirements", .integrated(-16),
      truePeak: -1),
    DeliverySpecification(
      "spotify", "Spotify, Loudness normalization", .integrated(-14), truePeak: -1),
    DeliverySpecification(
      "youtube", "YouTube's playback, which has no published document", .integrated(-14),
      truePeak: -1),
    DeliverySpecification(
      "ebu-r128", "EBU R 128 v4 (2020)", .integrated(-23), truePeak: -1),
    DeliverySpecification(
      "atsc-a85", "ATSC A/85:2013", .integrated(-24), truePeak: -2),
    DeliverySpecification(
      "aes-td1008-speech", "AES TD1008.1.21-9, speech", .integrated(-18), truePeak: -1),
    // Any RMS from −23 to −18 dB is accepted; the middle leaves most room for what readers do.
    DeliverySpecification(
      "acx", "ACX, Audio Submission Requirements", .rms(-20.5), truePeak: -3),
  ]

  /// The specification of a name; nil where there is none.
  public static func named(_ name: String) -> DeliverySpecification? {
    all.first { $0.name == name }
  }
}
