import MediaComposition
import MediaTime

/// The order of items: which item is rendered next, and whether the rendered sound is still right
/// after a change of the queue or a loop.
extension PlayerState {
  /// Whether an item is in the queue, or another one in its place.
  func isQueued(_ item: PlayerItem) -> Bool {
    isInQueue(resolved(item))
  }

  /// The next item of the queue; in a repeated queue the first follows the last, and a single item
  /// itself. O(items).
  func item(after item: PlayerItem) -> PlayerItem? {
    let item = resolved(item)
    guard let index = queue.firstIndex(where: { $0 === item }) else { return nil }
    return index + 1 < queue.count ? queue[index + 1] : repeatsQueue ? queue.first : nil
  }

  /// The range of a mark's item that is looped.
  func loop(in mark: Mark) -> TimeRange? {
    guard let loop, loop.item === mark.item, mark.frames(in: loop.range).count > 0 else {
      return nil
    }
    return loop.range
  }

  /// The cause of sound after a mark's item, or its looped range; nil: the end.
  func cause(behind mark: Mark) -> Mark.Cause? {
    if let range = loop(in: mark) { return .loop(range) }
    if mark.loopsLeft != 0 { return .again }
    return item(after: mark.item).map { .advance(past: [], isSame: $0 === mark.item) }
  }

  /// The frame at which an item, or its looped range, ends; 0 while another item is rendered.
  func end(of item: PlayerItem) -> Int64 {
    guard let mark = marks.last, mark.item === item else { return 0 }
    return loop(in: mark).map { mark.frames(in: $0).upperBound } ?? mark.frameCount
  }

  /// Whether more follows the rendered item.
  var goesOn: Bool { marks.last.flatMap(cause(behind:)) != nil }

  /// The first of the items that could not be played after a mark, if they would be tried in this
  /// order now; one that was replaced is not. The first may be the mark's own item; its loops do not
  /// count then.
  func tried(_ items: [PlayerItem], behind mark: Mark) -> [PlayerItem] {
    var (count, last) = (0, mark.item)
    if items.first === last {
      count = 1
    } else if loop(in: mark) != nil || mark.loopsLeft != 0 {
      return []
    }
    while count < items.count, item(after: last) === items[count] {
      last = items[count]
      count += 1
    }
    return Array(items[..<count])
  }

  /// Whether a mark would still follow another one.
  private func follows(_ mark: Mark, _ last: Mark) -> Bool {
    switch (mark.cause, cause(behind: last)) {
    case (.jump, _), (.resume, _), (.change, _), (.replacement, _): true
    // What was looped is rendered anew, as another item is.
    case (.loop, _) where replacement(of: last.item) != nil: true
    case (.again, _) where replacement(of: last.item) != nil: true
    case (.loop(let made), .loop(let range)): made == range
    case (.again, .again): true
    case (.advance(let past, _), let cause):
      if let end = past.last {
        tried(past, behind: last).count == past.count && item(after: end) === resolved(mark.item)
      } else if case .advance = cause {
        item(after: last.item) === resolved(mark.item)
      } else {
        false
      }
    default: false
    }
  }

  /// The first mark that is out of date, of those that were not heard yet.
  ///
  /// - Parameters:
  ///   - heard: The frame of the rings that is heard next.
  ///   - produced: The frame that is rendered next.
  /// - Returns: Nil if everything is right. The number of marks if only the sound after the last
  ///   one is not.
  /// - Complexity: O(marks x items)
  func firstStale(from heard: Int64, to produced: Int64) -> Int? {
    guard !marks.isEmpty else { return nil }
    let first = marks.lastIndex { $0.index < heard } ?? 0
    // The item was removed before it was known to be heard.
    if !isQueued(marks[first].item) { return first + 1 }
    for index in first..<marks.count {
      let (mark, next) = (marks[index], index + 1)
      if next < marks.count, !follows(marks[next], mark) { return next }
      // The item was rendered beyond the end of its loop, or looped from a later place.
      let end = next < marks.count ? marks[next].index : produced
      if let loop = loop(in: mark), end > mark.index,
        mark.passes(mark.frames(in: loop).upperBound, before: end)
      {
        return next
      }
    }
    return nil
  }

  /// Finds the frame from which on rendered sound does not count as heard, since it is out of date.
  ///
  /// What a device has begun since a change goes on, unless it stands for items that could not be played
  /// before it: one of them was replaced, and would be passed over.
  ///
  /// - Parameters:
  ///   - heard: The frame of the rings that is heard next.
  ///   - changed: The one that was heard next at the time of the change.
  ///   - produced: The frame that is rendered next.
  /// - Returns: The frame; `.max` if all that is out of date lies ahead, nil if everything is right.
  /// - Complexity: O(marks x items)
  func staleFrame(from heard: Int64, since changed: Int64, to produced: Int64) -> Int64? {
    if let first = firstStale(from: min(heard, changed), to: produced), first < marks.count,
      case .advance(let past, isSame: _) = marks[first].cause, !past.isEmpty
    {
      return marks[first].index
    }
    return firstStale(from: heard, to: produced) == nil ? nil : .max
  }

  /// The place to continue from, after the sound up to a frame of the rings was heard and the rest
  /// was discarded. Removes the marks that are out of date.
  ///
  /// - Returns: The place of that frame; if its item was removed from the queue, the item after the
  ///   last one that was not. Nil before the first sound.
  /// - Complexity: O(marks x items)
  mutating func placeToGoOn(from heard: Int64, to produced: Int64) -> Jump? {
    if let stale = firstStale(from: heard, to: produced) { marks.removeSubrange(stale...) }
    guard let place = place(of: heard), !isQueued(place.item) else { return place(of: heard) }
    guard let last = marks.last(where: { $0.index <= heard && isQueued($0.item) })?.item else {
      return current.map { isQueued($0) ? Jump(item: $0, time: .zero) : place } ?? place
    }
    return item(after: last).map { Jump(item: $0, time: .zero) }
      ?? Jump(item: last, time: last.duration)
  }

  /// How often the item that is heard is still to be played again.
  func loopsLeft(at heard: Int64) -> Int {
    (marks.last { $0.index <= heard } ?? marks.first)?.loopsLeft ?? loopsLeft
  }

  /// Sets how often the item that is heard is to be played again; repetitions that are rendered
  /// ahead count.
  mutating func setLoops(_ count: Int, heard: Int64) {
    loopsLeft = count
    for index in marks.indices {
      if marks[index].index > heard { countDown(for: marks[index].cause) }
      marks[index].loopsLeft = loopsLeft
    }
    isChanged = true
  }

  /// Counts a repetition down, if the cause is one.
  mutating func countDown(for cause: Mark.Cause) {
    if case .again = cause, loopsLeft > 0 { loopsLeft -= 1 }
  }
}

extension PlayerState.Mark {
  /// The item's frames in a range of its time.
  func frames(in range: TimeRange) -> Range<Int64> {
    let start = range.start.frames(atRate: sampleRate)
    return start..<max(start, min(range.end.frames(atRate: sampleRate), frameCount))
  }

  /// Whether the sound up to a frame of the rings goes beyond one of the item's frames.
  fileprivate func passes(_ frame: Int64, before end: Int64) -> Bool {
    // At another speed, the last frame may fall on either side of the rounded length.
    self.frame + speed.sourceFrames(of: end - index) > frame + (speed == .normal ? 0 : 2)
  }
}
