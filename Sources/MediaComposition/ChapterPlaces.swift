/// Where the chapters of an output are written.
public struct ChapterPlaces: Sendable, Hashable, Codable {
  /// A file of chapters beside an output, under its name.
  public enum Sidecar: String, Sendable, Hashable, CaseIterable, Codable {
    /// XML, [Podlove Simple Chapters](https://podlove.org/simple-chapters) 1.2.
    case podlove
    /// JSON, the Podcast Namespace's "JSON Chapters Format" 1.2.
    case podcasting2
    /// Audacity's labels: start, end and title, to the millionth of a second.
    case labels
    /// A CUE sheet, to the 75th of a second.
    case cue

    /// What stands in place of the output's extension.
    package var fileExtension: String {
      switch self {
      case .podlove: "psc"
      case .podcasting2: "chapters.json"
      case .labels: "labels.txt"
      case .cue: "cue"
      }
    }

    /// Its name for people.
    package var name: String {
      switch self {
      case .podlove: "Podlove Simple Chapters"
      case .podcasting2: "Podcasting 2.0 chapters"
      case .labels: "labels of chapters"
      case .cue: "CUE sheet"
      }
    }
  }

  /// Whether they go into the file itself, as its format has them.
  package var inFile: Bool
  /// The files beside it, no kind twice.
  package var sidecars: [Sidecar]

  /// Chapters in these places.
  public init(inFile: Bool = true, sidecars: [Sidecar] = []) {
    self.inFile = inFile
    self.sidecars = sidecars
  }

  /// Into the file itself.
  public static let standard = ChapterPlaces()
}
