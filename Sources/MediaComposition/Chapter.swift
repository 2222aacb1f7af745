import Diagnosis
import MediaTime

/// A named moment; it lasts until the next one.
public struct Chapter: Sendable, Hashable, Codable {
  /// In the time of what the chapter is attached to.
  public var start: Time
  /// What players show.
  public var title: String
  /// A page about the chapter.
  public var url: String?
  /// What to show meanwhile.
  public var image: Artwork?
  /// Whether it comes from a media file and not from the job: it is dropped where it cannot be kept,
  /// and is no mistake.
  package var isInherited: Bool
  /// Where it was written.
  package var origin: Origin

  /// A chapter that starts at `start`.
  public init(start: Time, title: String, url: String? = nil, image: Artwork? = nil) {
    self.init(
      start: start, title: title, url: url, image: image, isInherited: false, origin: .unknown)
  }

  /// A chapter that a job file has at `origin`, or that a medium brought along.
  package init(
    start: Time, title: String, url: String? = nil, image: Artwork? = nil,
    isInherited: Bool = false, origin: Origin = .unknown
  ) {
    self.start = start
    self.title = title
    self.url = url
    self.image = image
    self.isInherited = isInherited
    self.origin = origin
  }
}

extension [Chapter] {
  /// These chapters, in order of time, without those that media files brought along and that last
  /// no time: of several at one moment a written one stays, or else the last. O(n).
  ///
  /// - Parameter moment: What counts as the time of a chapter.
  /// - Returns: The others, in their order.
  public func lasting<Moment: Hashable>(by moment: (Chapter) -> Moment) -> [Chapter] {
    let moments = map(moment)
    let written = Set(indices.lazy.filter { !self[$0].isInherited }.map { moments[$0] })
    return indices.filter { index in
      guard self[index].isInherited else { return true }
      let isLast = index + 1 == count || moments[index + 1] != moments[index]
      return isLast && !written.contains(moments[index])
    }
    .map { self[$0] }
  }
}
