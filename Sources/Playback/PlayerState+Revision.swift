import MediaTime

/// What is to sound otherwise than it was rendered.
extension PlayerState {
  /// An item in whose place another one is heard.
  struct Replacement {
    let old: PlayerItem
    let new: PlayerItem
    /// What is added to a time of the old one.
    let offset: Time
  }

  /// Whether the sound from a frame of the ring on is to be rendered anew: at another speed, with
  /// other tracks, or of another item.
  ///
  /// Tracks of items with unbounded memory are left out, since their sound would be another one
  /// after a way back: there a change is heard after the sound that is rendered ahead.
  func isRevised(from index: Int64) -> Bool {
    for (number, mark) in marks.enumerated() {
      let end = number + 1 < marks.count ? marks[number + 1].index : .max
      guard end > max(index, mark.index) else { continue }
      let hasOtherTracks = mark.trackRevision != mark.item.trackChanges.count
      if mark.speed != speed || hasOtherTracks && !mark.item.remembers
        || replacement(of: mark.item) != nil
      {
        return true
      }
    }
    return false
  }

  /// The item of a frame of the ring.
  func item(at index: Int64) -> PlayerItem? { place(of: index)?.item }

  /// The item that is heard in place of another one.
  func replacement(of item: PlayerItem) -> Replacement? { replacements.last { $0.old === item } }

  /// A place, in the item that is heard instead if there is one.
  func resolved(_ place: Jump) -> Jump {
    var place = place
    while let replacement = replacement(of: place.item) {
      place.item = replacement.new
      place.time = max(.zero, min(place.time + replacement.offset, replacement.new.duration))
    }
    return place
  }

  /// The item that is heard instead of an item, or that item.
  func resolved(_ item: PlayerItem) -> PlayerItem {
    replacement(of: item).map { resolved($0.new) } ?? item
  }

  /// Puts an item in the place of another one.
  ///
  /// - Parameters:
  ///   - item: The item, in the queue.
  ///   - other: The other item, which is not there.
  ///   - offset: What is added to a time of `item`.
  ///   - heard: The frame of the ring that is heard next.
  mutating func replace(
    _ item: PlayerItem, with other: PlayerItem, offset: Time, heard: Int64
  ) {
    guard let index = queue.firstIndex(where: { $0 === item }) else { return }
    // Behind what was rendered of it the next item is on its way already, maybe in the device.
    if isPlaying, jump == nil, isCutShort(item), let place = place(of: heard), place.item === item {
      jump = place
    }
    // It may have been replaced itself, and come back.
    replacements.removeAll { $0.old === other }
    let replacement = Replacement(old: item, new: other, offset: offset)
    replacements.append(replacement)
    queue[index] = other
    if let place = jump {
      // The seek goes on, in the other item.
      let seek = waiters.seek
      waiters.seek = nil
      jump = resolved(place)
      waiters.seek = seek
    }
    rest = rest.map(resolved)
    if unplayable === item { unplayable = nil }
    guard current === item else { return }
    let loop = loop
    current = other
    if let loop { self.loop = loop.moved(by: replacement) }
    // A paused player is where it would go on.
    if !isPlaying, jump == nil, let rest { jump = rest }
  }

  /// Whether sound of a next item is rendered behind an item that could not be played on.
  private func isCutShort(_ item: PlayerItem) -> Bool {
    zip(marks, marks.dropFirst()).contains { last, next in
      guard case .advance(let past, isSame: _) = next.cause else { return false }
      return last.item === item && past.first === item
    }
  }

  /// Whether the queue has an item itself.
  func isInQueue(_ item: PlayerItem) -> Bool { queue.contains { $0 === item } }

  /// Forgets replacements of items of which no sound is left.
  mutating func forgetReplacements() {
    guard !replacements.isEmpty else { return }
    replacements.removeAll { replacement in
      !marks.contains { $0.item === replacement.old }
    }
  }
}

extension PlayerState.Loop {
  /// The loop of the other item; nil where that is too short for it.
  fileprivate func moved(by replacement: PlayerState.Replacement) -> Self? {
    let moved = TimeRange(start: range.start + replacement.offset, duration: range.duration)
    guard moved.start >= .zero, moved.end <= replacement.new.duration else { return nil }
    return Self(item: replacement.new, range: moved)
  }
}
