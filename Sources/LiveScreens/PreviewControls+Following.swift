import Diagnosis
import MediaTime
import Playback

/// Another version of the entries, taken over while the player plays.
extension PreviewControls {
  /// Goes on in another version of the entries, at the same places of it: paused or playing, with the
  /// same loop, and with the same tracks muted or alone, by their names.
  ///
  /// - Parameters:
  ///   - change: The other version.
  ///   - lost: An item that could not be read any more, and the time up to which it was heard. If it
  ///     is replaced, the player goes on there.
  /// - Returns: Whether `lost` was replaced.
  @discardableResult
  mutating func take(_ change: Playlist.Difference, lost: LostItem? = nil) -> Bool {
    message = nil
    let before = items.playlist
    let (hasStopped, present) = (player.timeControlStatus == .paused, player.currentPlace)
    let (heard, now) = (present?.item ?? player.currentItem, present?.time ?? .zero)
    var found: Playlist.Difference.Replacement?
    for replacement in change.replacements(of: before) {
      replacement.new.takeTracks(of: replacement.old)
      let isHeard = replacement.old === heard
      let isLost = replacement.old === lost?.item
      // A player that has stopped for an item is at its start.
      let place = isLost && hasStopped ? lost?.time ?? .zero : now
      player.replace(
        replacement.old, with: replacement.new,
        at: isHeard ? replacement.places.time(of: place) : .zero,
        insteadOf: isHeard ? now : .zero)
      if replacement.id == loopedEntry { followLoop(replacement) }
      if replacement.id == touredEntry { followTour(replacement, at: isHeard ? place : nil) }
      if replacement.old === failedItem { failedItem = nil }
      if isLost { found = replacement }
    }
    items.commit(change)
    follow(change, from: before)
    let after = items.playlist
    if tour != nil, touredEntry.flatMap(after.entry) == nil {
      tour = nil
      message = "the tour of the joins has ended: its entry is gone"
    }
    let all = after.items
    let next = before.entry(of: heard).flatMap { change.successors[$0.id] }.flatMap(after.entry)
    player.arrange(all, orElse: next?.item ?? all.last)
    // An entry that is made and queued before would leave the queue again.
    items.endCommit()
    // A loop of one entry is its own, if there were not more before.
    let repeats = isLooping && (all.count > 1 || player.repeatsQueue) && !items.isLoading
    if player.repeatsQueue != repeats { player.repeatsQueue = repeats }
    guard let found, let lost else { return false }
    // Asked anew: the player may have gone on since.
    let onward = player.currentPlace?.item ?? player.currentItem
    goOn(found, lost, isHeard: onward === found.new || isBefore(onward, found.new))
    if hasStopped { playAgain() }
    return true
  }

  /// Leaves marks where their sound is now, shows the new entries in an open list, and removes the
  /// encoded outputs of items that are not played any more. Marks of entries that are gone are gone,
  /// too.
  private mutating func follow(_ change: Playlist.Difference, from before: Playlist) {
    let after = items.playlist
    for entry in before.entries where after.entry(entry.id)?.made !== entry.made {
      if let file = entry.encoded?.file { outputs.remove(file) }
    }
    let marksBefore = marks
    marks.move { mark in
      guard after.entry(mark.entry) != nil else { return nil }
      guard let places = change.changed[mark.entry] else { return mark }
      var mark = mark
      let start = places.time(of: mark.range.start)
      let end = max(start, places.time(of: mark.range.end))
      mark.range = TimeRange(start: start, end: end)
      let plan = after.entry(mark.entry)?.made?.item.picture
      mark.pictures = plan.flatMap { $0.frames(in: mark.range) }
      return mark
    }
    markFiles?.take(
      after.entries.map { ($0.id, $0.entry.name) },
      keeping: Set(before.entries.filter { $0.made != nil }.map(\.id)))
    for entry in before.entries where change.changed[entry.id] != nil {
      let ranges = [marksBefore, marks].map { $0.marks(of: entry.id).map(\.range) }
      if ranges[0] != ranges[1] { saveMarks(of: entry.id) }
    }
    guard list?.isOfDevices == false else { return }
    let rows = listRows
    list?.take(rows)
  }

  /// An item whose medium was changed or removed before all of it was read.
  struct LostItem {
    var item: PlayerItem
    /// The time that was heard when it was lost.
    var time: Time
    /// The time up to which it could be read.
    var end: Time
    /// Why it cannot be read.
    var failure: Failure
  }

  /// Goes back to an item that was passed over, unless it is heard or still to come.
  private mutating func goOn(
    _ replacement: Playlist.Difference.Replacement, _ lost: LostItem, isHeard: Bool
  ) {
    guard !isHeard else { return }
    player.go(to: replacement.new)
    player.seek(to: replacement.places.time(of: lost.end))
  }

  private func isBefore(_ item: PlayerItem?, _ other: PlayerItem) -> Bool {
    guard let first = items.index(of: item), let second = items.index(of: other) else {
      return false
    }
    return first < second
  }

  /// Plays the same join of another version of the toured item, or the next one; if none is left
  /// there, the last one.
  ///
  /// - Parameters:
  ///   - replacement: The item, and the other version.
  ///   - time: The time of the old version that is heard; nil: another item is.
  private mutating func followTour(_ replacement: Playlist.Difference.Replacement, at time: Time?) {
    let (new, places) = (replacement.new, replacement.places)
    guard let before = tour else { return }
    let place = places.time(of: before.joins[before.index].start)
    let joins = joins(of: new)
    let start = min(place, joins.last?.start ?? place)
    guard let next = JoinTour(joins, of: new.duration, from: start) else {
      tour = nil
      message = "the tour has ended: '\(new.name)' has no joins any more"
      return
    }
    tour = next
    guard let time else { return }
    let now = places.time(of: time)
    let isNear = next.start <= now && now <= next.joins[next.index].end + JoinTour.margin
    if !isNear { player.seek(to: next.start) }
  }

  /// Loops the same part of another version of the looped item.
  private mutating func followLoop(_ replacement: Playlist.Difference.Replacement) {
    let (old, new) = (replacement.old, replacement.new)
    guard let before = loop else { return }
    // A whole item stays whole.
    let start = before.start > .zero ? replacement.places.time(of: before.start) : .zero
    let end = before.end.map {
      $0 < old.duration ? replacement.places.time(of: $0) : new.duration
    }
    guard let end else {
      loop = PreviewModel.Loop(start: start)
      return
    }
    player.loopRange = start < end ? TimeRange(start: start, end: end) : nil
    loop = player.loopRange.map { PreviewModel.Loop(start: $0.start, end: $0.end) }
  }
}

extension PlayerItem {
  /// Mutes the same tracks, by their names, and hears the same ones alone.
  fileprivate func takeTracks(of other: PlayerItem) {
    for track in tracks {
      guard let before = other.tracks.first(where: { $0.name == track.name }) else { continue }
      (track.isEnabled, track.isSolo) = (before.isEnabled, before.isSolo)
    }
  }
}
