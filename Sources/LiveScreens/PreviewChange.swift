import Diagnosis
import MediaTime
import Playback

/// Another version of a preview's entries, whose changed items are made and not heard yet.
package struct PreviewChange: Sendable {
  /// The new version's entries, in order.
  let slots: [PreviewItems.Slot]
  /// The items that others take the place of, in order.
  let replaced: [Replacement]
  /// The entry that follows each item that is gone, by the item: the next one that stays.
  let successors: [ObjectIdentifier: PlayerItem]

  /// An item, and what takes its place.
  struct Replacement: Sendable {
    let old: PlayerItem
    let new: PlayerItem
    let places: PlaceMap
  }

  /// The items of the new version, in order.
  var items: [PlayerItem] { slots.compactMap(\.made?.item) }

  /// The change with the sounds of entries that are played now, where it was made of other ones of the
  /// same entries: a listener may go over to an encoded output while a change is made.
  ///
  /// - Parameter sounds: The sound that is played, and the other one, of each entry with two.
  /// - Returns: The change.
  /// - Complexity: O(entries) for each sound
  func keeping(_ sounds: [(present: PlayerItem, other: PlayerItem)]) -> PreviewChange {
    sounds.reduce(self) { change, sound in
      func current(_ item: PlayerItem) -> PlayerItem {
        item === sound.other ? sound.present : item
      }
      let slots = change.slots.map { slot in
        var slot = slot
        if let item = slot.made?.item { slot.made?.item = current(item) }
        return slot
      }
      let replaced = change.replaced.map {
        Replacement(old: current($0.old), new: $0.new, places: $0.places)
      }
      var successors = change.successors.mapValues(current)
      if let next = successors[ObjectIdentifier(sound.other)] {
        successors[ObjectIdentifier(sound.present)] = next
      }
      return PreviewChange(slots: slots, replaced: replaced, successors: successors)
    }
  }
}

/// An entry of another version of the job files.
package enum NextEntry: Sendable {
  case entry(PreviewEntry)
  /// The job of this name cannot be played as it is now; its entries stay as they were.
  case refused(job: String)
}

/// Another version of the entries.
extension PreviewItems {
  /// Makes the items of entries that have changed. Entries that are the same keep their items; new ones
  /// are left to `load`. An entry whose item cannot be made keeps the one that it has.
  ///
  /// - Parameters:
  ///   - next: The entries of the new version.
  ///   - end: Where the last entry ends.
  ///   - measuring: How measuring is ended.
  /// - Returns: The change, and what is wrong with entries that keep their old items.
  /// - Throws: `CancellationError` if the measuring was ended.
  /// - Complexity: O(entries), and that of compiling, probing and measuring those that have changed
  func change(
    to next: [NextEntry], endingAt end: PreviewTime?, _ measuring: PreviewMeasuring
  ) throws(CancellationError) -> (change: PreviewChange, problems: [(Failure, PreviewEntry)]) {
    let before = state.withLock { $0.slots }
    let lastIndex = next.count - 1
    let old = OldSlots.matches(of: next, in: before)
    var slots: [Slot] = []
    var replaced: [PreviewChange.Replacement] = []
    var problems: [(Failure, PreviewEntry)] = []
    for (index, next) in next.enumerated() {
      let entry: PreviewEntry
      switch next {
      case .refused:
        slots += old[index]
        continue
      case .entry(let new): entry = new
      }
      let known = old[index].first
      guard let known, let made = known.made else {
        // It is tried again, and the same failure is not reported again.
        slots.append(Slot(entry: entry, reported: known?.failure ?? known?.reported))
        continue
      }
      let end = index == lastIndex ? end : nil
      let digest = (try? entry.session(library))?.heardDigest
      let isSame = digest != nil && digest == made.digest && entry.name == made.entry.name
      guard !isSame || made.isCut != (end != nil) else {
        slots.append(Slot(entry: entry, made: made))
        continue
      }
      do throws(Failure) {
        let new = try build(entry, to: end, measuring)
        slots.append(Slot(entry: entry, made: new))
        replaced.append(
          PreviewChange.Replacement(
            old: made.item, new: new.item, places: PlaceMap(from: made.export, to: new.export)))
      } catch {
        if measuring.cancellation.isCancelled { throw CancellationError() }
        slots.append(known)
        problems.append((error.placed(at: entry.origin), entry))
      }
    }
    let change = PreviewChange(
      slots: slots, replaced: replaced, successors: Self.successors(of: before, in: slots, replaced)
    )
    isChanging.withLock { $0 = true }
    return (change, problems)
  }

  /// Makes an item again whose medium has changed.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - next: The entries as they are now; of these only the item's counts.
  ///   - end: Where the last entry ends.
  /// - Returns: A change of this item; nil if there is no such entry any more.
  /// - Throws: Why the item cannot be made.
  /// - Complexity: O(entries), and that of compiling, probing and measuring the item
  func renewal(
    of item: PlayerItem, among next: [NextEntry], endingAt end: PreviewTime?
  ) throws(Failure) -> PreviewChange? {
    var slots = state.withLock { $0.slots }
    guard let index = slots.firstIndex(where: { $0.made?.item === item }),
      let made = slots[index].made
    else { return nil }
    var old = OldSlots(slots)
    for case .entry(let entry) in next {
      guard let slot = old.take(entry), slot.made?.item === item else { continue }
      let new: MadeItem
      do throws(Failure) {
        new = try build(entry, to: made.isCut ? end : nil, PreviewMeasuring())
      } catch {
        throw error.placed(at: entry.origin)
      }
      slots[index] = Slot(entry: entry, made: new)
      isChanging.withLock { $0 = true }
      let places = PlaceMap(from: made.export, to: new.export)
      return PreviewChange(
        slots: slots,
        replaced: [PreviewChange.Replacement(old: item, new: new.item, places: places)],
        successors: [:])
    }
    return nil
  }

  /// The items that are made, by the indices of their entries.
  var itemsByEntry: [Int: PlayerItem] {
    state.withLock { state in
      state.slots.indices.reduce(into: [:]) { $0[$1] = state.slots[$1].made?.item }
    }
  }

  /// The sound of a pair that its entry has now, and the other one; nil: there is no such entry.
  func present(
    of pair: PreviewControls.SoundPair
  ) -> (present: PlayerItem, other: PlayerItem)? {
    guard let index = index(of: pair.encoded) ?? index(of: pair.mix) else { return nil }
    let isEncoded = item(ofEntry: index) === pair.encoded
    return isEncoded ? (pair.encoded, pair.mix) : (pair.mix, pair.encoded)
  }

  /// Waits until the last change is taken over, also by the player.
  func awaitCommit() { isChanging.wait { $0 ? nil : () } }

  /// For each item that is gone, the item after it that is not.
  private static func successors(
    of old: [Slot], in new: [Slot], _ replaced: [PreviewChange.Replacement]
  ) -> [ObjectIdentifier: PlayerItem] {
    var kept: [ObjectIdentifier: PlayerItem] = [:]
    for item in new.compactMap(\.made?.item) { kept[ObjectIdentifier(item)] = item }
    for change in replaced { kept[ObjectIdentifier(change.old)] = change.new }
    var successors: [ObjectIdentifier: PlayerItem] = [:]
    var next: PlayerItem?
    for item in old.reversed().compactMap(\.made?.item) {
      if let other = kept[ObjectIdentifier(item)] {
        next = other
      } else {
        successors[ObjectIdentifier(item)] = next
      }
    }
    return successors
  }

  /// Takes a change over. Called on the thread that controls the player, after `change` and before the
  /// next one; `endCommit` follows.
  func commit(_ change: PreviewChange) {
    state.withLock { state in
      state.slots = change.slots
      state.indices = [:]
      for (index, slot) in change.slots.enumerated() {
        if let made = slot.made { state.indices[ObjectIdentifier(made.item)] = index }
      }
      state.isLoading = change.slots.contains { $0.made == nil && $0.failure == nil }
    }
  }

  /// Notes that the player has a change, too: what is made from now on is not of its queue yet.
  func endCommit() { isChanging.withLock { $0 = false } }
}

/// The entries of the version before, each of which is one entry of the next version at most.
private struct OldSlots {
  private let slots: [PreviewItems.Slot]
  private var isTaken: [Bool]
  /// The places of entries, the last first.
  private var places: [PreviewEntry.Key: [Int]] = [:]
  private var jobs: [String: [Int]] = [:]

  init(_ slots: [PreviewItems.Slot]) {
    self.slots = slots
    isTaken = Array(repeating: false, count: slots.count)
    for index in slots.indices.reversed() {
      let entry = slots[index].entry
      for key in entry.keys { places[key, default: []].append(index) }
      if let job = entry.job { jobs[job, default: []].append(index) }
    }
  }

  /// The slot of the same entry.
  mutating func take(_ entry: PreviewEntry) -> PreviewItems.Slot? {
    for key in entry.keys {
      while let index = places[key]?.popLast() {
        if isTaken[index] { continue }
        isTaken[index] = true
        return slots[index]
      }
    }
    return nil
  }

  /// The slots that each entry of another version has now, one at most, and all of a job that is
  /// refused. A job without a slot has that at its own place, if nothing else has it: it was renamed.
  static func matches(
    of next: [NextEntry], in slots: [PreviewItems.Slot]
  ) -> [[PreviewItems.Slot]] {
    var old = OldSlots(slots)
    var matches = next.map { next -> [PreviewItems.Slot] in
      if case .entry(let entry) = next { old.take(entry).map { [$0] } ?? [] } else { [] }
    }
    for (index, next) in next.enumerated() {
      if case .refused(let job) = next { matches[index] = old.take(job: job) }
    }
    for (index, next) in next.enumerated() {
      if case .entry(let entry) = next, entry.job != nil, matches[index].isEmpty {
        matches[index] = old.takeJob(at: index).map { [$0] } ?? []
      }
    }
    return matches
  }

  /// The slot of this index, if it is a job's.
  private mutating func takeJob(at index: Int) -> PreviewItems.Slot? {
    guard slots.indices.contains(index), !isTaken[index], slots[index].entry.job != nil else {
      return nil
    }
    isTaken[index] = true
    return slots[index]
  }

  /// The slots of all parts of a job.
  mutating func take(job: String) -> [PreviewItems.Slot] {
    let indices = (jobs[job] ?? []).reversed().filter { !isTaken[$0] }
    for index in indices { isTaken[index] = true }
    return indices.map { slots[$0] }
  }
}
