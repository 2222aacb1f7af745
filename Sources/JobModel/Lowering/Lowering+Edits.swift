import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

// MARK: - Channels

extension Lowering {
  mutating func select(_ channels: Located<ItemChannels>?, in lowered: inout LoweredItem) -> Bool {
    guard let channels, lowered.content != .silence else { return true }
    var layout: ChannelLayout?
    if case .asset(let asset) = lowered.content { layout = asset.channelLayout }
    switch channels.value {
    case .layout(let wanted):
      lowered.channels = wanted == layout ? nil : .layout(wanted)
      return true
    case .position(let position):
      // The first two channels of a mix with a left and a right are these, in FFmpeg's order.
      let usual = ChannelLayout(ChannelLayout.Channel.allCases)
      guard let index = (layout ?? usual).channels.firstIndex(of: position) else {
        return refuse(channels, of: lowered, layout)
      }
      lowered.channels = layout == .mono ? nil : .channel(index)
    case .number(let number):
      guard number <= layout?.count ?? usualLimit else {
        return refuse(channels, of: lowered, layout)
      }
      lowered.channels = layout?.count == 1 ? nil : .channel(number - 1)
    }
    return true
  }

  private var usualLimit: Int { ChannelLayout.Channel.allCases.count }

  private mutating func refuse(
    _ channels: Located<ItemChannels>, of lowered: LoweredItem, _ layout: ChannelLayout?
  ) -> Bool {
    let wanted =
      switch channels.value {
      case .position(.frontLeft): "left channel"
      case .position(.frontRight): "right channel"
      case .position: "centre channel"
      case .number(let number): "channel \(number)"
      case .layout(let layout): layout.name
      }
    let count = layout?.count ?? usualLimit
    error(
      "\(lowered.name) is \(layout?.name ?? "a mix") and has no \(wanted)", at: channels.origin,
      help: count == 1 ? "leave 'channels' out" : "its channels are 1 to \(count)")
    return false
  }
}

// MARK: - Cut and insert

extension Lowering {
  /// Removes the cuts and adds the insertions, all at times of the unedited item.
  mutating func edit(_ lowered: inout LoweredItem, by item: Item, at place: ItemPlace) -> Bool {
    addChapters(of: item, at: place, to: &lowered)
    guard !item.cuts.isEmpty || !item.insertions.isEmpty else { return true }
    let kept = keptParts(of: lowered, by: item, at: place)
    let insertions = insertions(into: lowered, by: item, at: place)
    guard let kept, let insertions else { return false }
    let origin = item.cuts.first?.origin ?? item.insertions.first?.origin ?? item.origin
    if kept.isEmpty, insertions.isEmpty {
      error("nothing is left of \(lowered.name)", at: origin, help: "cut less of it")
      return false
    }
    let count = kept.count + insertions.count
    guard
      takes(
        count, lowered.content, at: origin, "\(count) pieces of \(lowered.name)",
        help: "cut the items that it is made of, each on its own")
    else { return false }
    liftChapters(of: &lowered)
    nameStart(of: &lowered, item, for: insertions)
    var segments: [Segment] = []
    var parts: [EditedPart] = []
    var end = Time.zero
    func append(_ segment: Segment, _ part: EditedPart) {
      segments.append(segment)
      parts.append(part)
      end = end + part.duration
    }
    func appendPart(_ range: TimeRange) {
      guard range.duration > .zero else { return }
      var piece = lowered
      piece.chapters = []
      piece.source = TimeRange(start: lowered.source.start + range.start, duration: range.duration)
      piece.duration = range.duration
      append(piece.segment(at: end), .part(range))
    }
    var rest = kept[...]
    for insertion in insertions {
      while let next = rest.first, next.start < insertion.time {
        let cut = min(next.end, insertion.time)
        appendPart(TimeRange(start: next.start, end: cut))
        guard cut == next.end else {
          rest[rest.startIndex] = TimeRange(start: cut, end: next.end)
          break
        }
        rest.removeFirst()
      }
      var inserted = insertion.lowered
      let chapters = inserted.allChapters
      liftChapters(of: &inserted)
      inserted.chapters = []
      append(
        inserted.placed(at: end), .other(duration: inserted.duration, chapters: chapters))
    }
    for part in rest { appendPart(part) }
    lowered.chapters = lowered.chapters.played(as: parts, of: lowered.duration)
    lowered.nest(as: segments)
    edits = parts
    return checkLimit(of: lowered.duration, at: item.origin)
  }

  /// Gives the item a chapter at its start where something with a chapter is inserted before its
  /// first one: the item's chapter continues after the insertion, and the inserted chapter ends.
  private func nameStart(
    of lowered: inout LoweredItem, _ item: Item, for insertions: [Insertion]
  ) {
    let first = lowered.chapters.first?.start ?? lowered.duration
    guard insertions.contains(where: { $0.time < first && !$0.lowered.allChapters.isEmpty }) else {
      return
    }
    var clip: FilePath?
    item.forEachClip { clip = clip ?? $0.path }
    var title = item.name?.value ?? clip?.stem ?? "\(lowered.name)"
    if item.name == nil, case .asset(let asset) = lowered.content {
      title = asset.metadata["title"] ?? title
    }
    let own = Chapter(start: .zero, title: title, isInherited: true, origin: item.origin)
    lowered.chapters.insert(item.chapter.map { Chapter($0, start: .zero) } ?? own, at: 0)
  }

  /// The parts between the cuts, in order of time; cuts may overlap.
  private mutating func keptParts(
    of lowered: LoweredItem, by item: Item, at place: ItemPlace
  ) -> [TimeRange]? {
    var cuts: [TimeRange] = []
    var isWhole = true
    for cut in item.cuts {
      if let range = part(cut.value, of: lowered, at: place, .edits, else: cut.origin) {
        cuts.append(range)
      } else {
        isWhole = false
      }
    }
    guard isWhole else { return nil }
    var kept: [TimeRange] = []
    var time = Time.zero
    for cut in cuts.sorted(by: { $0.start < $1.start }) {
      if time < cut.start { kept.append(TimeRange(start: time, end: cut.start)) }
      time = max(time, cut.end)
    }
    if time < lowered.duration { kept.append(TimeRange(start: time, end: lowered.duration)) }
    return kept
  }

  private struct Insertion {
    var lowered: LoweredItem
    var time: Time
  }

  /// The insertions, in order of time, and of writing where two have one place.
  private mutating func insertions(
    into lowered: LoweredItem, by item: Item, at place: ItemPlace
  ) -> [Insertion]? {
    var found: [(index: Int, insertion: Insertion)] = []
    for (index, item) in item.insertions.enumerated() {
      let inserted = self.lowered(at: addRoot(item, isJob: false))
      let at = item.at ?? Located(.start, at: item.origin)
      guard let time = time(at, of: lowered, at: place, .edits) else { continue }
      guard time >= .zero, time <= lowered.duration else {
        let lengths = lengths(time, lowered.duration)
        error(
          time < .zero
            ? "this is before the start of \(lowered.name)"
            : "this is at \(lengths.a), but \(lowered.name) lasts \(lengths.b)", at: at.origin,
          help: "write a time within it; what goes to its end is 'at: end'")
        continue
      }
      if let inserted { found.append((index, Insertion(lowered: inserted, time: time))) }
    }
    guard found.count == item.insertions.count else { return nil }
    return found.sorted { ($0.insertion.time, $0.index) < ($1.insertion.time, $1.index) }
      .map(\.insertion)
  }
}

extension LoweredItem {
  fileprivate var allChapters: [Chapter] {
    guard case .composition(let composition) = content else { return chapters }
    return (chapters + composition.chapters).sortedByStart
  }
}

// MARK: - Direction, speed and rounds

extension Lowering {
  mutating func reverse(_ lowered: inout LoweredItem, by item: Item) {
    guard item.isReversed else { return }
    liftChapters(of: &lowered)
    lowered.isReversed = true
    lowered.chapters = lowered.chapters.reversed(over: lowered.duration)
  }

  mutating func changeSpeed(of lowered: inout LoweredItem, by item: Item) -> Bool {
    guard let speed = item.speed, !speed.value.isUnity else { return true }
    liftChapters(of: &lowered)
    let (n, d) = (speed.value.denominator, speed.value.numerator)
    lowered.duration = lowered.duration.multiplied(by: n, over: d)
    lowered.chapters = lowered.chapters.map { $0.at($0.start.multiplied(by: n, over: d)) }
    lowered.algorithm = speed.value.algorithm
    return checkLimit(of: lowered.duration, at: speed.origin)
  }

  /// Whether `count` pieces of `content`, called `name`, are few enough; reports it where they are
  /// not.
  private mutating func takes(
    _ count: Int, _ content: Segment.Content, chapters: Int = 0, at origin: Origin,
    _ name: @autoclosure () -> String, help: @autoclosure () -> String
  ) -> Bool {
    switch budget.takes(count, content, chapters: chapters) {
    case .granted: return true
    case .tooMany: error("\(name()) are too many", at: origin, help: help())
    case .exhausted:
      let found = SegmentBudget.exhausted(at: origin)
      error(found.message, at: origin, help: found.help)
    }
    return false
  }

  mutating func loop(_ lowered: inout LoweredItem, by item: Item, at place: ItemPlace) -> Bool {
    guard let loop = item.loop, loop.value != .count(1) else { return true }
    guard lowered.duration > .zero else { return true }
    let end: Time
    let count: Int
    switch loop.value {
    case .count(let rounds):
      count = rounds
      end = lowered.duration * rounds
      guard checkLimit(of: end, at: loop.origin) else { return false }
    case .end:
      guard let length = lengthToEnd(of: place, lowered, loop.origin) else { return false }
      end = length
      count = lowered.duration.rounds(in: length)
    }
    let chapters = lowered.allChapters
    guard
      takes(
        count > Quantity.loopLimit ? .max : count, lowered.content, chapters: chapters.count,
        at: loop.origin, "\(count) rounds of \(lowered.name)",
        help: "a round of \(Self.text(lowered.duration)) is short; write a longer one")
    else { return false }
    liftChapters(of: &lowered)
    var round = lowered
    round.chapters = []
    let starts = (0..<count).map { lowered.duration * $0 }
    lowered.chapters = starts.flatMap { start in chapters.map { $0.moved(by: start) } }
      .filter { $0.start < end }
    lowered.nest(as: starts.map(round.segment))
    lowered.source.duration = end
    lowered.duration = end
    return true
  }
}

extension Time {
  /// How many times this fits into `length`, including a last part.
  fileprivate func rounds(in length: Time) -> Int {
    let estimate = length.seconds / seconds
    guard estimate < 1e9 else { return .max }
    var count = max(1, Int(estimate.rounded()))
    while self * count < length { count += 1 }
    while count > 1, self * (count - 1) >= length { count -= 1 }
    return count
  }
}
