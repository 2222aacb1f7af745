import Diagnosis
import MediaComposition
import MediaTime
import Testing
import Transcripts

@testable import JobModel

/// A sequence of one plain sequence is that sequence: what makes an item more than plain must be
/// known.
@Suite struct PlainItemTests {
  /// Stored properties that a plain item may have: its content, and what goes with the content to the
  /// sequence that takes its place, or means nothing without a property of the other list.
  private static let carried: Set<String> = [
    "content", "_name", "origin", "_ducking", "keepsChapters", "_at", "_crossfade", "_cutCrossfade",
    "_snap",
    "volumeCurve", "clocks", "_redaction",
  ]

  /// Those of the others that change the time of the content.
  private static let edits: Set<String> = [
    "cuts", "_cutWords", "_keptWords", "insertions", "_pauses", "_trim", "isReversed", "_speed",
    "_loop",
  ]

  private static let moment = Located(Moment.start)
  private static let range = ItemRange(from: moment)
  private static let words = WordSelection(phrases: [Located("um")])

  /// Changes by each of the others.
  fileprivate static let changes: [String: @Sendable (inout Item) -> Void] = [
    "_channels": { $0.channels = Located(.number(1)) },
    "_range": { $0.range = range },
    "cuts": { $0.cuts = [Located(range)] },
    "_cutWords": { $0.cutWords = words },
    "_keptWords": { $0.keptWords = words },
    "_mutedWords": { $0.mutedWords = words },
    "insertions": { $0.insertions = [Item(.silence(Located(.time(.zero))))] },
    "_pauses": {
      let length = Located(TimeText.time(.zero))
      $0.pauses = Located(Pauses(longerThan: length, to: length, below: .unity))
    },
    "_trim": { $0.trim = Located(Trim(below: .unity)) },
    "isReversed": { $0.isReversed = true },
    "_speed": { $0.speed = Speed(2).map { Located($0) } },
    "_loop": { $0.loop = Located(.count(2)) },
    "effects": { $0.effects = [.effect(.highpass(frequency: 80))] },
    "_loudness": { $0.loudness = LoudnessTarget(.integrated(-16)) },
    "gain": { $0.gain = Located(Gain(decibels: -6)) },
    "volume": { $0.volume = [ItemPoint(moment, .unity)] },
    "pan": { $0.pan = [ItemPoint(moment, .left)] },
    "invertsPolarity": { $0.invertsPolarity = true },
    "isMuted": { $0.isMuted = true },
    "mutes": { $0.mutes = [Located(range)] },
    "_fadeIn": { $0.fadeIn = Located(Fade(.time(.zero))) },
    "_fadeOut": { $0.fadeOut = Located(Fade(.time(.zero))) },
    "_loopPoints": { $0.loopPoints = Located(.range(range)) },
    "_chapter": { $0.chapter = ItemChapter("A") },
    "chapters": { $0.chapters = [ItemChapter("A")] },
    "_chapterSearch": { $0.chapterSearch = ChapterSearch(Split(.chapters)) },
    "_transcript": { $0.transcript = Located(ItemTranscript(.read(Transcript()))) },
  ]

  private let item = Item(.concat(ItemSequence([])))

  @Test(
    "every stored property of an item is known to be carried, or makes the item more than plain")
  func properties() {
    let all = Set(Mirror(reflecting: item).children.compactMap(\.label))
    #expect(all == Self.carried.union(Self.changes.keys))
    #expect(Self.carried.isDisjoint(with: Self.changes.keys))
  }

  @Test(
    "an item that a modifier changes is not plain, and takes memory for each element of a list",
    arguments: PlainItemTests.changes.keys.sorted())
  func modified(name: String) {
    #expect(item.isPlain)
    var changed = item
    Self.changes[name]?(&changed)
    #expect(!changed.isPlain)
    #expect(changed.isEdited == Self.edits.contains(name))
    let isList =
      name.hasSuffix("Words")
      || Mirror(reflecting: item).children.contains {
        $0.label == name && $0.value is any Collection
      }
    // Items in it are counted by themselves.
    let isCounted = changed.ownSize(isSent: false) > item.ownSize(isSent: false)
    #expect(isCounted == (isList && name != "insertions"))
  }
}
