import Diagnosis
import MediaComposition
import MediaTime

/// Where a job's timeline is split, with one set of outputs for each part.
package struct Split: Sendable, Hashable {
  /// The rule for where parts begin.
  package enum Points: Sendable, Hashable {
    /// Each entry is a part; one without an end lasts to the next.
    case list(TimeList)
    /// Parts of one length, but for the last.
    case every(Located<TimeText>)
    /// Parts that begin in the middle of silences of at least this length, below a level.
    case silence(Located<TimeText>, below: Gain, lasting: PartLengths = PartLengths())
    /// Each chapter of the timeline is a part; the first begins with the timeline.
    case chapters
    /// Each cue of the timeline's transcript is a part.
    case cues(CueParts)
  }

  /// How long parts between silences last.
  package struct PartLengths: Sendable, Hashable {
    /// At least; nil: any length.
    package var shortest: Located<TimeText>?
    /// At most, wherever a silence allows it; nil: any length.
    package var longest: Located<TimeText>?

    /// Lengths between two bounds.
    package init(shortest: Located<TimeText>? = nil, longest: Located<TimeText>? = nil) {
      self.shortest = shortest
      self.longest = longest
    }
  }

  /// The rule for where parts begin.
  package var points: Points
  /// Where the job writes it.
  package var origin: Origin

  /// A split at `points`.
  package init(_ points: Points, origin: Origin = .unknown) {
    self.points = points
    self.origin = origin
  }
}

/// Chapters that begin where a split would part the timeline.
package struct ChapterSearch: Sendable, Hashable {
  /// Where they begin, and where the job writes that.
  package var split: Split
  /// The title of each, a template with `${part.n}` and `${part.count}`.
  package var title: String

  /// Chapters at the starts of the parts of `split`.
  package init(_ split: Split, title: String = "Chapter ${part.n}") {
    (self.split, self.title) = (split, title)
  }
}

/// Which cues of a transcript are parts, and how far the parts reach beyond their cues.
package struct CueParts: Sendable, Hashable {
  /// The length that a cue has at least; nil: any.
  package var least: Located<TimeText>?
  /// The length that a cue has at most; nil: any.
  package var most: Located<TimeText>?
  /// What a part has of the sound before its cue and behind it, where no other cue is near; nil: none.
  package var margin: Located<TimeText>?

  /// All cues, as they are.
  package init() {}
}

/// A part of a job's timeline with files of its own, and the values of `${part…}` in their names
/// and tags.
package struct Part {
  /// Its number, from 1 or by its list.
  package var number: Int
  /// The number of parts.
  package var count: Int
  package var title: String?
  /// What is said in it, on one line; nil where it is no cue.
  package var text: String?
  /// Who says it.
  package var speaker: String?
  /// The tags of this part and of all parts.
  package var tags = Metadata()

  private static let variables: KeyValuePairs<String, @Sendable (Part) -> String?> = [
    "part.n": { String($0.number) }, "part.count": { String($0.count) },
    "part.title": { $0.title }, "part.text": { $0.text }, "part.speaker": { $0.speaker },
    "part.performer": { $0.tags["artist"] }, "part.songwriter": { $0.tags["composer"] },
    "part.isrc": { $0.tags["isrc"] },
  ]
  /// The variables, for "did you mean".
  package static let names = variables.map(\.key)
  /// The variables that are whole numbers, and take leading zeros.
  package static let numbers: Set<String> = ["part.n", "part.count"]

  /// The value of a variable; nil where this part has none.
  package func value(of name: String) -> String? {
    Self.variables.first { $0.key == name }?.value(self)
  }
}
