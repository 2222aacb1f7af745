import Diagnosis
import MediaComposition
import MediaTime

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

  /// Outputs have no more, and so have mixes.
  private var usualLimit: Int { 8 }

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

// MARK: - Direction, speed and rounds

extension Lowering {
  mutating func reverse(_ lowered: inout LoweredItem, by item: Item) {
    guard item.isReversed else { return }
    noteReversedWords(of: lowered, by: item)
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

  /// Whether `count` pieces of `content`, called `name`, each with so many chapters and cues, are few
  /// enough; reports it where they are not.
  mutating func takes(
    _ count: Int, _ content: Segment.Content, details: Int = 0, at origin: Origin,
    _ name: @autoclosure () -> String, help: @autoclosure () -> String
  ) -> Bool {
    switch budget.takes(count, content, details: details) {
    case .granted: return true
    case .tooMany: error("\(name()) are too many", at: origin, help: help())
    case .exhausted:
      let found = budget.exhausted(by: name(), at: origin)
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
    let details = chapters.count + transcript(of: lowered).cues.count
    guard
      takes(
        count > Quantity.loopLimit ? .max : count, lowered.content, details: details,
        at: loop.origin, "\(count) rounds of \(lowered.name)",
        help: "a round of \(Self.text(lowered.duration)) is short; write a longer one")
    else { return false }
    liftChapters(of: &lowered)
    var round = lowered
    round.chapters = []
    let starts = (0..<count).map { lowered.duration * $0 }
    lowered.chapters = starts.flatMap { start in chapters.map { $0.moved(by: start) } }
      .filter { $0.start < end }
    lowered.nest(as: [starts.map(round.segment)])
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
