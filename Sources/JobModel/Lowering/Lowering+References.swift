import Diagnosis
import MediaComposition
import MediaTime

extension Lowering {
  /// The time in which a moment counts.
  enum Stage {
    /// That of the sequence that holds the item.
    case place
    /// The item's content, before its range is taken.
    case content
    /// The item's own, after its range was taken and before any other edit.
    case edits
    /// The item's own, as it sounds.
    case level
  }

  static let referenceLimit = 200

  /// The time of another item that `moment` names, without its offset, in the time of the item at
  /// `place`.
  mutating func time(
    of moment: Located<Moment>, for place: ItemPlace, _ stage: Stage
  ) -> Time? {
    guard case .item(let reference) = moment.value.anchor else { return nil }
    let depth = path.reduce(0) { if case .reference = $1 { $0 + 1 } else { $0 } }
    guard depth < Self.referenceLimit else {
      error(
        "more than \(Self.referenceLimit) times refer to one another in a row", at: moment.origin,
        help: "write some of them out")
      return nil
    }
    guard let target = target(of: reference, at: moment.origin, from: place) else { return nil }
    path.append(.reference(moment.origin))
    defer { path.removeLast() }
    guard let time = edge(reference.edge, of: target) else { return nil }
    let space = self.space(of: target)
    let holder = sequences[place.sequence].holder
    switch stage {
    case .place: return convert(time, from: space, to: holder, moment)
    case .content: return convert(time, from: space, to: place, moment)
    case .level where !ancestors(of: space).contains(place):
      guard let there = convert(time, from: space, to: holder, moment), let start = start(of: place)
      else { return nil }
      return there - start
    case .edits, .level:
      if stage == .level, item(at: place).isEdited { return refuse(moment, through: place) }
      guard let there = convert(time, from: space, to: place, moment) else { return nil }
      guard let from = rangeStart(of: place, moment) else { return nil }
      return there - from
    }
  }

  /// The start or the end of a target, in the time of the sequence that holds it.
  private mutating func edge(_ edge: ItemReference.Edge, of target: NamedPlace) -> Time? {
    switch target {
    case .item(let place):
      guard let start = start(of: place) else { return nil }
      guard edge == .end else { return start }
      return duration(of: place).map { start + $0 }
    case .track(let id):
      let places = sequences[id].sequence.items.indices.map { ItemPlace(sequence: id, index: $0) }
      var times: [Time] = []
      for place in places {
        guard let time = self.edge(edge, of: .item(place)) else { return nil }
        times.append(time)
      }
      return edge == .start ? times.min() : times.max()
    }
  }

  /// How long `lowered` must sound to end with the longest other track.
  mutating func lengthToEnd(of place: ItemPlace, _ lowered: LoweredItem, _ origin: Origin) -> Time?
  {
    var others: Range<Int> = 0..<0
    if let holder = sequences[place.sequence].holder { others = children(of: holder) }
    // Tracks that end with the others do not define that end.
    let measured = others.filter { id in
      id != place.sequence
        && !sequences[id].sequence.items.contains { $0.loop?.value == .end }
    }
    guard !measured.isEmpty else {
      error(
        "there is no other track whose end \(lowered.name) could be repeated to", at: origin,
        help: "write how often, as 'loop: 4', or put it on a track beside another one")
      return nil
    }
    path.append(.reference(origin))
    defer { path.removeLast() }
    var end = Time.zero
    for id in measured {
      guard let time = edge(.end, of: .track(id)) else { return nil }
      end = max(end, time)
    }
    guard let start = start(of: place) else { return nil }
    guard start < end else {
      let lengths = lengths(start, end)
      error(
        "\(lowered.name) starts at \(lengths.a), but the longest other track ends at \(lengths.b)",
        at: origin, help: "start it earlier, or leave it out")
      return nil
    }
    return end - start
  }
}

// MARK: - Names

extension Lowering {
  /// The target of `reference`: the nearest one of several.
  private mutating func target(
    of reference: ItemReference, at origin: Origin, from place: ItemPlace
  ) -> NamedPlace? {
    let own = ancestors(of: place)
    let root = own.first?.sequence ?? place.sequence
    if names[root] == nil { collectNames(below: root) }
    let known = names[root] ?? [:]
    guard let targets = known[reference.name], let first = targets.first else {
      if let leftOut = leftOut[reference.name] {
        error(
          "'\(reference.name)' is left out", at: origin,
          help: "give the item that refers to it the same 'when'",
          notes: [.init("it is left out here", at: leftOut)])
        return nil
      }
      error(
        "there is no track or item '\(reference.name)'", at: origin,
        help: diagnostics.all.count < DiagnosticSink.suggestionLimit
          ? Self.help(for: reference.name, among: known.keys.sorted()) : nil)
      return nil
    }
    guard targets.count > 1 else { return first }
    let common = targets.map { target in
      zip(ancestors(of: space(of: target)), own).prefix { $0 == $1 }.count
    }
    let most = common.max() ?? 0
    let nearest = zip(targets, common).filter { $0.1 == most }.map(\.0)
    if nearest.count > 1 {
      error(
        "'\(reference.name)' is the name of several items", at: origin,
        help: "give the one that is meant a name of its own",
        notes: nearest.prefix(5).map { .init("one is here", at: self.origin(of: $0)) })
      return nil
    }
    return nearest.first
  }

  private static func help(for name: String, among names: [String]) -> String? {
    if let help = Spelling.help(for: name, among: names) { return help }
    return names.isEmpty
      ? "give the item that is meant a 'name'"
      : names.count > 10 ? nil : "the names are \(names.quoted)"
  }

  /// Every name below the sequence `root`, with its targets.
  private mutating func collectNames(below root: Int) {
    var found: [String: [NamedPlace]] = [:]
    var open = [root]
    while let id = open.popLast() {
      for name in sequences[id].names { found[name.value, default: []].append(.track(id)) }
      for (index, item) in sequences[id].sequence.items.enumerated() {
        let place = ItemPlace(sequence: id, index: index)
        if let name = item.name { found[name.value, default: []].append(.item(place)) }
        open += children(of: place)
      }
    }
    names[root] = found
  }

  private func origin(of target: NamedPlace) -> Origin {
    switch target {
    case .item(let place): item(at: place).name?.origin ?? item(at: place).origin
    case .track(let id): sequences[id].names.first?.origin ?? sequences[id].origin
    }
  }
}

// MARK: - From one time to another

extension Lowering {
  /// The item whose content's time `target` is in.
  private func space(of target: NamedPlace) -> ItemPlace? {
    switch target {
    case .item(let place): sequences[place.sequence].holder
    case .track(let id): sequences[id].holder
    }
  }

  /// `place` and the items around it, the outermost first.
  private func ancestors(of place: ItemPlace?) -> [ItemPlace] {
    var found: [ItemPlace] = []
    var next = place
    while let place = next {
      found.append(place)
      next = sequences[place.sequence].holder
    }
    return found.reversed()
  }

  /// `time` of the content of `source`, in that of `target`; nil stands for a job's item itself.
  private mutating func convert(
    _ time: Time, from source: ItemPlace?, to target: ItemPlace?, _ moment: Located<Moment>
  ) -> Time? {
    let (up, down) = (ancestors(of: source), ancestors(of: target))
    let common = zip(up, down).prefix { $0 == $1 }.count
    var time = time
    for place in up.dropFirst(common).reversed() {
      guard let offset = offset(of: place, moment) else { return nil }
      time = time + offset
    }
    for place in down.dropFirst(common) {
      guard let offset = offset(of: place, moment) else { return nil }
      time = time - offset
    }
    return time
  }

  /// The offset from the item's content to the sequence that holds the item.
  private mutating func offset(of place: ItemPlace, _ moment: Located<Moment>) -> Time? {
    guard !item(at: place).isEdited else { return refuse(moment, through: place) }
    guard let start = start(of: place), let from = rangeStart(of: place, moment) else { return nil }
    return start - from
  }

  private mutating func rangeStart(of place: ItemPlace, _ moment: Located<Moment>) -> Time? {
    guard let from = item(at: place).range?.from else { return .zero }
    var asset: Asset?
    if case .clip(let reference) = item(at: place).content { asset = assets[reference] }
    if case .picture(let picture) = from.value.anchor, let asset {
      // Where it has no time, that is reported with the range.
      return try? asset.start(of: picture, called: .medium(asset.location))
    }
    guard from.value.anchor == .start else {
      error(
        "'\(moment.value)' has no fixed time here: it depends on the start of a range",
        at: moment.origin, help: "write the time itself",
        notes: [.init("the range starts here", at: from.origin)])
      return nil
    }
    let rate = asset?.sampleRate ?? sampleRate
    let start = time(Located(from.value.offset, at: from.origin), rate: rate)
    guard let snap = item(at: place).snap, let asset else { return start }
    return start.flatMap {
      snapped(
        $0, .start, of: asset, within: TimeRange(start: .zero, duration: asset.duration), by: snap)
    }
  }

  private mutating func refuse(_ moment: Located<Moment>, through place: ItemPlace) -> Time? {
    error(
      "'\(moment.value)' has no fixed time here", at: moment.origin,
      help: "write the time itself",
      notes: [
        .init(
          "between the two is an item that is cut, inserted into, trimmed, reversed, repeated or "
            + "played at another speed", at: item(at: place).origin)
      ])
    return nil
  }
}
