import JobModel
import MediaTime
import Playback

/// Commands that go to another place.
extension PreviewControls {
  /// Goes to a time of the present item. A loop stays if the place is not behind its end; behind it
  /// the loop waits, so that a later end can be set.
  mutating func seek(to time: Time) {
    tour = nil
    go(to: time)
  }

  /// Goes to a time of the present item, as `seek(to:)`, also for a tour.
  private func go(to time: Time) {
    if let loop, let end = loop.end, let item = player.currentItem {
      let isBehind = end <= time && time < item.duration
      let range = isBehind ? nil : TimeRange(start: loop.start, end: end)
      if player.loopRange != range { player.loopRange = range }
    }
    player.seek(to: time)
  }

  /// Goes forward, or back; beyond the end, to the next entry.
  mutating func skip(by time: Time) {
    guard let item = player.currentItem else { return }
    let place = player.currentTime + time
    if place > item.duration { goToEntry(by: 1) } else { seek(to: place) }
  }

  /// Moves by frames of the entry, and pauses: between two drawings many frames are heard.
  mutating func moveFrames(by step: Int) {
    guard let item = player.currentItem else { return }
    setPlaying(false)
    let frame = player.currentTime.frames(atRate: item.sampleRate) + Int64(step)
    seek(to: Time(frames: max(0, frame), rate: item.sampleRate))
  }

  mutating func go(to text: String) {
    guard let item = player.currentItem else { return }
    do throws(QuantityError) {
      let time = try PreviewTime(text)
      guard let place = time.time(in: item.duration, rate: item.sampleRate) else {
        message = time.refusal(in: item.name, lasting: item.duration)
        return
      }
      seek(to: place)
    } catch {
      message = error.message + (error.help.map { "; \($0)" } ?? "")
    }
  }

  // MARK: Chapters, items and entries

  private func places(_ stops: PlayerCommand.Stops) -> PreviewPlaces {
    let item = player.currentItem
    let items = stops == .chaptersOrItems ? item?.segments.map(\.timeRange.start) : []
    return PreviewPlaces(chapters: item?.chapters.map(\.start) ?? [], segments: items ?? [])
  }

  mutating func next(_ stops: PlayerCommand.Stops) {
    if let place = places(stops).next(after: player.currentTime) {
      seek(to: place)
    } else {
      goToEntry(by: 1)
    }
  }

  mutating func previous(_ stops: PlayerCommand.Stops) {
    if let place = places(stops).previous(before: player.currentTime) {
      seek(to: place)
    } else {
      goToEntry(by: -1)
    }
  }

  /// Goes to an entry that many entries later.
  mutating func goToEntry(by step: Int) {
    guard let item = player.currentItem else { return }
    if let neighbour = neighbour(of: item, step) {
      begin(neighbour)
    } else if step > 0 {
      reportNoNext()
    } else {
      seek(to: .zero)
    }
  }

  private mutating func reportNoNext() {
    message = items.isLoading ? "the next entry is not ready yet" : "this is the last entry"
  }

  /// Goes to the start of the next item of the job, or of the last one.
  mutating func goToItem(by step: Int) {
    guard let item = player.currentItem else { return }
    let places = PreviewPlaces(starts: item.segments.map(\.timeRange.start))
    if step < 0 {
      seek(to: places.previous(before: player.currentTime) ?? .zero)
    } else if let place = places.next(after: player.currentTime) {
      seek(to: place)
    } else {
      let remedy = neighbour(of: item, 1) == nil ? "" : "; N goes to the next entry"
      message = "no item begins after this place\(remedy)"
    }
  }

  /// The entry `step` entries later; nil at the ends of a queue without a loop.
  private func neighbour(of item: PlayerItem, _ step: Int) -> PlayerItem? {
    let items = items.items
    guard let index = items.firstIndex(where: { $0 === item }) else { return nil }
    let other = index + step
    if items.indices.contains(other) { return items[other] }
    return isLooping && items.count > 1 ? items[(other + items.count) % items.count] : nil
  }

  /// Begins the entry of an index.
  ///
  /// - Returns: Whether it is ready.
  mutating func begin(entry index: Int) -> Bool {
    let entries = items.playlist.entries
    guard entries.indices.contains(index) else { return false }
    guard let item = entries[index].item else {
      let state = entries[index].failure == nil ? "is not ready yet" : "cannot be played"
      message = "'\(entries[index].entry.name)' \(state)"
      return false
    }
    begin(item)
    return true
  }

  private mutating func begin(_ item: PlayerItem) {
    tour = nil
    setLoop(nil)
    player.go(to: item)
  }

  // MARK: Joins

  /// The item itself, or the mix that an encoded output was made of: it has its joins and its pictures.
  func mix(of item: PlayerItem) -> PlayerItem { items.entry(of: item)?.made?.item ?? item }

  /// The joins of an item; an encoded output has those of its mix.
  mutating func joins(of item: PlayerItem) -> [TimeRange] {
    let item = mix(of: item)
    if let knownJoins, knownJoins.item === item { return knownJoins.ranges }
    let ranges = item.joins.map(\.timeRange)
    knownJoins = (item, ranges)
    return ranges
  }

  /// Goes to a neighbouring join: to the join itself in a pause, else to where its sound in a tour
  /// begins.
  mutating func goToJoin(by step: Int) {
    guard let item = player.currentItem else { return }
    let joins = joins(of: item)
    guard !joins.isEmpty else { return reportNoJoins(of: item) }
    if tour != nil {
      tour?.move(by: step)
      if let start = tour?.start { go(to: start) }
      return
    }
    let lead = isPlaying ? JoinTour.margin : .zero
    let place = player.currentTime + lead
    let places = PreviewPlaces(starts: joins.map(\.start))
    let target = step > 0 ? places.next(after: place) : places.previous(before: place)
    guard let target, let index = joins.firstIndex(where: { $0.start == target }) else {
      message = step > 0 ? "no join comes after this place" : "no join comes before this place"
      return
    }
    seek(to: max(.zero, target - lead))
    message = "join \(index + 1) of \(joins.count) at \(target.clockText(decimals: 3))"
  }

  private mutating func reportNoJoins(of item: PlayerItem) {
    message = "'\(item.name)' has no joins: none of its items begins where another one ends"
  }

  mutating func beginTour() {
    guard let item = player.currentItem else { return }
    guard let tour = JoinTour(joins(of: item), of: item.duration, from: player.currentTime) else {
      return reportNoJoins(of: item)
    }
    setLoop(nil)
    (self.tour, touredEntry) = (tour, currentEntry?.id)
    go(to: tour.start)
    setPlaying(true)
  }

  mutating func endTour() {
    tour = nil
    message = "the joins are left; the sound goes on"
  }

  /// Goes to the next join of a tour, when the time has come; called some times a second.
  mutating func advanceTour() {
    guard isPlaying, let step = tour?.step(at: player.currentTime) else { return }
    switch step {
    case .wait: break
    case .seek(let time): go(to: time)
    case .over:
      let count = tour?.joins.count ?? 0
      tour = nil
      setPlaying(false)
      message = "that was the last of \(count) joins; r plays them again"
    }
  }

  // MARK: The list

  mutating func perform(_ command: PlayerCommand.ListCommand) {
    switch command {
    case .open: openList()
    case .openDevices: openDevices()
    case .close: list = nil
    case .move(let step): list?.move(by: step)
    case .first: list?.moveToEnd(false)
    case .last: list?.moveToEnd(true)
    case .find(let text): list?.find(text)
    case .choose: goToSelection()
    case .remove: removeSelection()
    }
  }

  private mutating func openList() {
    trackCursor = nil
    list = PreviewList(listRows, at: currentEntry?.id ?? 0, player.currentTime)
  }

  /// The rows of the list of entries. O(n log n).
  var listRows: [PreviewList.Row] {
    items.playlist.entries.enumerated().flatMap { index, entry -> [PreviewList.Row] in
      let (id, item) = (entry.id, entry.item)
      let length =
        item.map { PreviewLayout.clock($0.duration) }
        ?? (entry.failure == nil ? "not ready" : "cannot be played")
      let row = PreviewList.Row(
        kind: .entry, entry: id, number: index + 1, time: item == nil ? nil : .zero,
        text: entry.entry.name + "  " + length)
      let chapters = (item?.chapters ?? []).map {
        PreviewList.Row(kind: .chapter, entry: id, time: $0.start, text: $0.title)
      }
      let marks = marks.marks(of: id).map {
        PreviewList.Row(kind: .mark($0), entry: id, time: $0.range.start, text: $0.name)
      }
      return [row] + (chapters + marks).sorted { $0.time ?? .zero < $1.time ?? .zero }
    }
  }

  private mutating func goToSelection() {
    defer { list = nil }
    guard let row = list?.selected else { return }
    if case .device(let name) = row.kind { return goOver(toDevice: name) }
    let time = row.time ?? .zero
    if row.kind != .entry, row.entry == currentEntry?.id {
      seek(to: time)
    } else if let index = items.playlist.index(ofEntry: row.entry), begin(entry: index),
      time > .zero
    {
      player.seek(to: time)
    }
  }

  private mutating func removeSelection() {
    guard let row = list?.selected, case .mark(let mark) = row.kind else {
      message = "only marks can be removed from the list"
      return
    }
    marks.remove(mark)
    saveMarks(of: mark.entry)
    openList()
    message = message ?? "'\(mark.name)' is removed"
  }
}
