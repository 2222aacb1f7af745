import Diagnosis
import MediaComposition
import MediaTime

extension Lowering {
  /// A sequence as one track, or as two where items cross-fade.
  mutating func tracks(of id: Int) -> [Track]? {
    guard var placed = placed(id) else { return nil }
    // `at` may change the order of writing; the sort is stable.
    placed.sort { $0.start < $1.start }
    guard checkOverlaps(placed) else { return nil }
    var lanes: [[Segment]] = [[], []]
    lanes[0].reserveCapacity(placed.count)
    var lane = 0
    // Members, and not the items, here and below: copying one retains a dozen references.
    for index in placed.indices {
      if placed[index].crossfade != nil { lane = 1 - lane }
      lanes[lane].append(placed[index].lowered.placed(at: placed[index].start))
    }
    let (name, origin) = (sequences[id].names.first?.value, sequences[id].origin)
    let ducking = sequences[id].ducking.map { self.ducking($0) }
    return lanes.filter { !$0.isEmpty }.map {
      Track(name: name, segments: $0, ducking: ducking, origin: origin)
    }
  }

  private struct Placed {
    var lowered: LoweredItem
    /// Its place in the order of writing.
    var index: Int
    var start: Time
    /// How long the item before continues; nil where it has ended.
    var crossfade: Time?
    /// Where the job writes its place.
    var origin: Origin

    var end: Time { start + lowered.duration }
  }

  private mutating func placed(_ id: Int) -> [Placed]? {
    let places = sequences[id].sequence.items.indices.map { ItemPlace(sequence: id, index: $0) }
    // Each is lowered, even after one that failed.
    for place in places { lower(place) }
    var placed: [Placed] = []
    placed.reserveCapacity(places.count)
    var isWhole = true
    for place in places {
      guard let start = start(of: place), let lowered = self.lowered(at: place) else {
        isWhole = false
        continue
      }
      let at = sequences[id].sequence.items[place.index].at
      let origin = at?.origin ?? sequences[id].sequence.items[place.index].origin
      if start < .zero, at != nil {
        error("this is before the start of the list", at: origin, help: "write a later time")
        isWhole = false
      }
      var next = Placed(lowered: lowered, index: place.index, start: start, origin: origin)
      if let duration = sequences[id].crossfades[place.index], isWhole,
        let fade = sequences[id].sequence.items[place.index].crossfade
          ?? sequences[id].sequence.crossfade
      {
        isWhole = cross(fade, duration, from: &placed, to: &next)
      }
      isWhole = checkLimit(of: next.end, at: origin) && isWhole
      placed.append(next)
    }
    return isWhole ? placed : nil
  }

  /// Adds the ramps of a cross-fade to the last of `placed` and to `next`.
  private mutating func cross(
    _ fade: Located<Fade>, _ duration: Time, from placed: inout [Placed], to next: inout Placed
  ) -> Bool {
    guard let before = placed.last?.lowered else { return false }
    guard duration + duration <= min(before.duration, next.lowered.duration) else {
      let text = Self.text(duration)
      let (a, b) = (
        lengths(before.duration, duration + duration).a,
        lengths(next.lowered.duration, duration + duration).a
      )
      error(
        "a cross-fade of \(text) is longer than half of an item: "
          + "\(before.name) lasts \(a), \(next.lowered.name) \(b)",
        at: fade.origin, help: "make it shorter",
        notes: [.init("the items join here", at: next.lowered.origin)])
      return false
    }
    let curve = fade.value.curve ?? .equalPower
    let end = TimeRange(start: before.duration - duration, duration: duration)
    let start = TimeRange(start: .zero, duration: duration)
    let picture: PictureTransition = fade.value.cutsPicture ? .cut : .blend
    placed[placed.count - 1].lowered.mix.addRamp(
      from: .unity, to: .silence, over: end, curve, picture)
    next.lowered.mix.addRamp(from: .silence, to: .unity, over: start, curve, picture)
    if hasTranscripts {
      let half = duration.multiplied(by: 1, over: 2)
      placed[placed.count - 1].lowered.hear(until: before.duration - half)
      next.lowered.hear(from: half)
    }
    next.crossfade = duration
    return true
  }

  private mutating func checkOverlaps(_ placed: [Placed]) -> Bool {
    var isFree = true
    for index in placed.indices.dropLast() where placed[index + 1].start < placed[index].end {
      let (a, b) = (placed[index], placed[index + 1])
      if b.index == a.index + 1, b.crossfade != nil { continue }
      // The error belongs to the one with an `at`; of two, to the later written.
      let (blamed, other) = a.index > b.index ? (a, b) : (b, a)
      let start = lengths(b.start, a.end)
      error(
        "items overlap: one starts at \(start.a), before another ends at \(start.b)",
        at: blamed.origin, help: "put it on a track of its own, or let it 'crossfade'",
        notes: [.init("the other one is here", at: other.lowered.origin)])
      isFree = false
    }
    return isFree
  }
}

// MARK: - References

extension Lowering {
  /// An item in work, and why.
  enum Step {
    case item(ItemPlace)
    case start(ItemPlace)
    /// Another item's reference needs its time.
    case reference(Origin)
  }

  /// The item at `place`, lowered once.
  mutating func lowered(at place: ItemPlace) -> LoweredItem? {
    lower(place)
    guard case .known(let lowered) = sequences[place.sequence].lowered[place.index] else {
      return nil
    }
    return lowered
  }

  mutating func duration(of place: ItemPlace) -> Time? {
    lower(place)
    guard case .known(let lowered) = sequences[place.sequence].lowered[place.index] else {
      return nil
    }
    return lowered.duration
  }

  /// Lowers the item at `place`, unless that was done.
  private mutating func lower(_ place: ItemPlace) {
    switch sequences[place.sequence].lowered[place.index] {
    case .known, .failed: return
    case .busy: return refuseCircle { if case .item(place) = $0 { true } else { false } }
    case .unknown: break
    }
    sequences[place.sequence].lowered[place.index] = .busy
    path.append(.item(place))
    let lowered = makeItem(at: place)
    path.removeLast()
    sequences[place.sequence].lowered[place.index] = lowered.map { .known($0) } ?? .failed
  }

  /// Where the item at `place` starts, in the time of the sequence that holds it.
  mutating func start(of place: ItemPlace) -> Time? {
    let id = place.sequence
    switch sequences[id].starts[place.index] {
    case .known(let time): return time
    case .failed: return nil
    case .busy:
      refuseCircle { if case .start(place) = $0 { true } else { false } }
      return nil
    case .unknown: break
    }
    // From the last item whose place is known or independent of the one before.
    var first = place.index
    while first > 0, sequences[id].sequence.items[first].at == nil,
      case .unknown = sequences[id].starts[first - 1]
    {
      first -= 1
    }
    var start: Time?
    for index in first...place.index {
      let place = ItemPlace(sequence: id, index: index)
      sequences[id].starts[index] = .busy
      path.append(.start(place))
      start = makeStart(of: place)
      path.removeLast()
      sequences[id].starts[index] = start.map { .known($0) } ?? .failed
    }
    return start
  }

  private mutating func makeStart(of place: ItemPlace) -> Time? {
    // A job's item, and an inserted one, begin their timeline.
    guard sequences[place.sequence].holder != nil else { return .zero }
    if let at = sequences[place.sequence].sequence.items[place.index].at {
      guard let offset = time(Located(at.value.offset, at: at.origin), rate: sampleRate) else {
        return nil
      }
      if case .picture = at.value.anchor {
        error(
          "'\(at.value)' is a picture of a source, and no time of a timeline", at: at.origin,
          help: "write seconds")
        return nil
      }
      if at.value.isPhrase {
        error(
          "\(at.value) are words of a source, and no time of a timeline", at: at.origin,
          help: "write seconds")
        return nil
      }
      guard case .item = at.value.anchor else { return offset }
      guard let time = time(of: at, for: place, .place) else { return nil }
      return at.value.isEarlier ? time - offset : time + offset
    }
    let isFirst = place.index == 0
    let own = sequences[place.sequence].sequence.items[place.index].crossfade
    let fade = own ?? (isFirst ? nil : sequences[place.sequence].sequence.crossfade)
    var crossfade = Time.zero
    if let fade {
      let text = Located(fade.value.duration, at: fade.origin)
      guard let duration = time(text, rate: sampleRate) else { return nil }
      crossfade = duration
    }
    guard !isFirst else {
      guard let fade, crossfade > .zero else { return .zero }
      error(
        "the first item has none before it to cross-fade with", at: fade.origin,
        help: "write 'fade_in'")
      return nil
    }
    let before = ItemPlace(sequence: place.sequence, index: place.index - 1)
    guard let start = start(of: before), let duration = duration(of: before) else { return nil }
    if crossfade > .zero { sequences[place.sequence].crossfades[place.index] = crossfade }
    return start + duration - crossfade
  }

  private mutating func refuseCircle(from isFirst: (Step) -> Bool) {
    let first = path.lastIndex(where: isFirst) ?? path.startIndex
    let references = path[first...].compactMap { step in
      if case .reference(let origin) = step { origin } else { nil }
    }
    guard let last = references.last else { return }
    error(
      "this time depends on itself", at: last,
      help: "write one of the times out",
      notes: references.dropLast().map { .init("and on this one", at: $0) })
  }
}
