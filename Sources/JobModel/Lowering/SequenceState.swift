import Diagnosis
import MediaComposition
import MediaTime

struct ItemPlace: Hashable {
  /// The number of the sequence that holds it.
  var sequence: Int
  /// Its place in the order of writing.
  var index: Int
}

enum NamedPlace: Hashable {
  case item(ItemPlace)
  case track(Int)
}

/// One sequence of a job while it is lowered: the known values of its items.
struct SequenceState {
  /// A value that others may depend on.
  enum Resolution<Value> {
    case unknown
    /// In work: a read of it now is a circle.
    case busy
    /// Failed, which was reported.
    case failed
    case known(Value)
  }

  let sequence: ItemSequence
  /// Its names for users; a sequence that is only the content of an item has none.
  let names: [Located<String>]
  /// Of a track.
  let ducking: ItemDucking?
  let origin: Origin
  /// The item whose content it is, alone or with others; nil for a job's own item and an insertion.
  let holder: ItemPlace?
  /// Whether it has only a job's own item.
  var isJob = false
  /// The numbers of the sequences in an item's content.
  var children: [Int: Range<Int>] = [:]
  var starts: [Resolution<Time>]
  var lowered: [Resolution<LoweredItem>]
  /// How long the item before continues.
  var crossfades: [Int: Time] = [:]

  init(
    _ sequence: ItemSequence, names: [Located<String>] = [], ducking: ItemDucking? = nil,
    origin: Origin, holder: ItemPlace?
  ) {
    self.sequence = sequence
    self.names = names
    self.ducking = ducking
    self.origin = origin
    self.holder = holder
    starts = Array(repeating: .unknown, count: sequence.items.count)
    lowered = Array(repeating: .unknown, count: sequence.items.count)
  }
}

extension Lowering {
  func item(at place: ItemPlace) -> Item { sequences[place.sequence].sequence.items[place.index] }

  func isJob(_ place: ItemPlace) -> Bool { sequences[place.sequence].isJob }

  /// A timeline of its own for `item`: a job's, or an insertion's.
  mutating func addRoot(_ item: Item, isJob: Bool = true) -> ItemPlace {
    var state = SequenceState(ItemSequence([item]), origin: item.origin, holder: nil)
    state.isJob = isJob
    sequences.append(state)
    return ItemPlace(sequence: sequences.count - 1, index: 0)
  }

  /// The sequences that are the content of an item; none of a clip or a silence.
  mutating func children(of place: ItemPlace) -> Range<Int> {
    if let known = sequences[place.sequence].children[place.index] { return known }
    let first = sequences.count
    let item = item(at: place)
    switch item.content {
    case .clip, .silence: break
    case .concat(let sequence):
      sequences.append(SequenceState(sequence, origin: item.origin, holder: place))
    case .tracks(let tracks):
      for track in tracks {
        let (sequence, name) = track.sequence.flattened
        let names = [Located(track.name, at: track.origin)] + (name.map { [$0] } ?? [])
        sequences.append(
          SequenceState(
            sequence, names: names, ducking: track.sequence.items.first?.ducking,
            origin: track.origin, holder: place))
      }
    }
    sequences[place.sequence].children[place.index] = first..<sequences.count
    return first..<sequences.count
  }
}

extension ItemSequence {
  /// A sequence of one plain sequence is that sequence, with the inner one's name. What the item says
  /// of its members goes to them.
  fileprivate var flattened: (sequence: ItemSequence, name: Located<String>?) {
    guard items.count == 1, let only = items.first, only.at == nil, only.isPlain,
      case .concat(var inner) = only.content
    else { return (self, nil) }
    if only.keepsChapters {
      for index in inner.items.indices where !inner.items[index].hasOwnChapters {
        inner.items[index].keepsChapters = true
      }
    }
    if let kept = only.transcript {
      for index in inner.items.indices where inner.items[index].transcript == nil {
        inner.items[index].transcript = kept
      }
    }
    return (inner, only.name)
  }
}

extension Item {
  /// Whether nothing changes the content: then a sequence of this one item is the item's own. Each
  /// stored property is considered here, or goes to what the item becomes; a test lists them all.
  var isPlain: Bool {
    range == nil && !isEdited && channels == nil && effects.isEmpty && loudness == nil
      && gain?.value ?? .unity == .unity && volume.isEmpty && pan.allSatisfy { $0.value == .centre }
      && !invertsPolarity && !isMuted && mutes.isEmpty && mutedWords == nil && fadeIn == nil
      && fadeOut == nil && !hasOwnChapters && loopPoints == nil
      && (transcript == nil || transcript?.value.source == .keep)
  }

  /// Whether it has chapters that its job writes, or searches.
  var hasOwnChapters: Bool {
    chapter != nil || !chapters.isEmpty || chapterSearch != nil
  }

  /// Whether the content's time differs from the item's by more than its start.
  var isEdited: Bool {
    isCut || !insertions.isEmpty || pauses != nil || trim != nil || isReversed
      || speed.map { !$0.value.isUnity } ?? false || loop.map { $0.value != .count(1) } ?? false
  }
}
