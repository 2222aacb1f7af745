import Diagnosis
import MediaComposition
import MediaTime

/// Where a job's timeline is parted, one set of outputs a part.
public struct Split: Sendable, Hashable {
  /// What says where parts begin.
  public enum Points: Sendable, Hashable {
    /// Each entry is a part; one without an end lasts to the next.
    case list(TimeList)
    /// Parts of one length, but for the last.
    case every(Located<TimeText>)
    /// Each chapter of the timeline is a part; the first begins with the timeline.
    case chapters
  }

  /// What says where parts begin.
  public var points: Points
  /// Where it was written.
  public var origin: Origin

  /// A split at `points`.
  public init(_ points: Points, origin: Origin = .unknown) {
    self.points = points
    self.origin = origin
  }
}

/// A stretch of a job's timeline that becomes files of its own, and what `${part…}` stands for in
/// their names and tags.
package struct Part {
  /// Its number, from 1 or as its list says.
  package var number: Int
  /// How many parts there are.
  package var count: Int
  package var title: String?
  /// Of this part and of all of them.
  package var tags = Metadata()

  /// The variables, for "did you mean".
  package static let names = [
    "part.n", "part.count", "part.title", "part.performer", "part.songwriter", "part.isrc",
  ]
  /// Those that are whole numbers, which take leading zeros.
  package static let numbers: Set<String> = ["part.n", "part.count"]

  /// The value of a variable; nil where this part has none.
  package func value(of name: String) -> String? {
    switch name {
    case "part.n": String(number)
    case "part.count": String(count)
    case "part.title": title
    case "part.performer": tags["artist"]
    case "part.songwriter": tags["composer"]
    case "part.isrc": tags["isrc"]
    default: nil
    }
  }
}
