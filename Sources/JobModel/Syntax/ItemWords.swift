import Diagnosis

/// A phrase of an item's transcript: the moment at which it begins, or ends.
package struct PhrasePlace: Sendable, Hashable {
  /// Words in a row, across cues; case and punctuation do not count.
  package var text: String
  /// Which of several, from 1; nil: it is said once.
  package var occurrence: Int?
  /// Whether the moment is its end.
  package var isAfter: Bool

  /// The start of a phrase, or its end.
  package init(_ text: String, occurrence: Int? = nil, isAfter: Bool = false) {
    self.text = text
    self.occurrence = occurrence
    self.isAfter = isAfter
  }
}

extension PhrasePlace: CustomStringConvertible {
  /// For messages: the words in quotes.
  package var description: String { "'\(text)'" }
}

/// Words of an item's transcript that an edit takes.
package struct WordSelection: Sendable, Hashable {
  /// Words in a row, each time they are said.
  package var phrases: [Located<String>]
  /// All cues of these.
  package var speakers: [Located<String>]
  /// Cues by their numbers in the transcript, from 1.
  package var cues: [Located<ClosedRange<Int>>]

  /// A selection of all that is named.
  package init(
    phrases: [Located<String>] = [], speakers: [Located<String>] = [],
    cues: [Located<ClosedRange<Int>>] = []
  ) {
    self.phrases = phrases
    self.speakers = speakers
    self.cues = cues
  }

  /// How much is named.
  package var count: Int { phrases.count + speakers.count + cues.count }

  /// Where it is written.
  var origin: Origin {
    phrases.first?.origin ?? speakers.first?.origin ?? cues.first?.origin ?? .unknown
  }
}

extension Item {
  /// Whether an edge of it is moved to the quietest place near a word. O(ranges).
  var hasWordEdges: Bool {
    cutWords != nil || keptWords != nil || mutedWords != nil || range?.hasPhrase == true
      || cutsPhrases || mutes.contains { $0.value.hasPhrase }
      || insertions.contains { $0.at?.value.isPhrase == true }
  }

  /// Whether some of it is cut.
  var isCut: Bool { !cuts.isEmpty || cutWords != nil || keptWords != nil }

  /// Whether words say what is cut: then its cross-fades are as long as there is room for.
  var cutsWords: Bool { cutWords != nil || keptWords != nil || cutsPhrases }

  private var cutsPhrases: Bool { cuts.contains { $0.value.hasPhrase } }
}

extension ItemRange {
  /// Whether one of its ends is a phrase.
  var hasPhrase: Bool {
    if from?.value.isPhrase == true { return true }
    if case .moment(let end) = end { return end.value.isPhrase }
    return false
  }
}

extension Moment {
  /// Whether it counts from a phrase.
  package var isPhrase: Bool { if case .phrase = anchor { true } else { false } }
}
