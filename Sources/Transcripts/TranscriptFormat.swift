/// A form in which a transcript is written.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum TranscriptFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// WebVTT (W3C): with speakers and markup.
  case vtt
  /// SRT: what every player reads.
  case srt
  /// The JSON of Podcasting 2.0 (Podcast Namespace, "Transcripts").
  case podcasting2
  /// What is said, in paragraphs by speaker, without times.
  case txt
  /// Audacity's labels: start, end and text, with the speaker's name in front.
  case labels

  /// What the name of such a file ends in, without a dot in front.
  public var fileExtension: String {
    switch self {
    case .vtt, .srt, .txt: rawValue
    case .podcasting2: "transcript.json"
    case .labels: "transcript.labels.txt"
    }
  }

  /// Whether lines of it are shown on a picture or a screen, where width is scarce.
  var isOfCaptions: Bool { self == .vtt || self == .srt }

  /// Whether a podcast's feed names such a file: labels are for an editor.
  package var isOfFeeds: Bool { self != .labels }

  /// Its name in messages.
  package var name: String {
    switch self {
    case .vtt: "WebVTT"
    case .srt: "SRT"
    case .podcasting2: "JSON of Podcasting 2.0"
    case .txt: "plain text"
    case .labels: "labels of words"
    }
  }

  /// As a feed names it: `<podcast:transcript type="…">`.
  package var mediaType: String {
    switch self {
    case .vtt: "text/vtt"
    case .srt: "application/x-subrip"
    case .podcasting2: "application/json"
    case .txt, .labels: "text/plain"
    }
  }
}
