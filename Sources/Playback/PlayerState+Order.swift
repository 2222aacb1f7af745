import MediaComposition
import MediaTime

/// What follows what: the one rule for what is rendered next, and for whether what is rendered ahead is
/// what should be, after the queue or a loop was changed.
extension PlayerState {
  /// Whether an item is to be played. O(items).
  func isQueued(_ item: PlayerItem) -> Bool { queue.contains { $0 === item } }

  /// The item that follows another in the queue; one that is alone follows itself where the queue is
  /// repeated. O(items).
  func item(after item: PlayerItem) -> PlayerItem? {
    guard let index = queue.firstIndex(where: { $0 === item }) else { return nil }
    return index + 1 < queue.count ? queue[index + 1] : repeatsQueue ? queue.first : nil
  }

  /// What is looped of a mark's item.
  func loop(in mark: Mark) -> TimeRange? {
    guard let loop, loop.item === mark.item, mark.frames(in: loop.range).count > 0 else {
      return nil
    }
    return loop.range
  }

  /// Why something follows the end of a mark's item, or of what is looped of it; nil: nothing does.
  func cause(behind mark: Mark) -> Mark.Cause? {
    if let range = loop(in: mark) { return .loop(range) }
    if mark.loopsLeft != 0 { return .again }
    return item(after: mark.item).map { .advance(past: [], isSame: $0 === mark.item) }
  }

  /// The frame at which an item ends, or what is looped of it; the first, where another is rendered.
  func end(of item: PlayerItem) -> Int64 {
    guard let mark = marks.last, mark.item === item else { return 0 }
    return loop(in: mark).map { mark.frames(in: $0).upperBound } ?? mark.frameCount
  }

  /// Whether something follows what is being rendered.
  var goesOn: Bool { marks.last.flatMap(cause(behind:)) != nil }

  /// Of the items that were tried in vain behind a mark, those that would be now, up to the first that
  /// would not. The first may be the mark's own, which broke off: then its loops are not asked for.
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

  /// Whether a mark would follow another one now, as it does.
  private func follows(_ mark: Mark, _ last: Mark) -> Bool {
    switch (mark.cause, cause(behind: last)) {
    case (.jump, _), (.change, _): true
    case (.loop(let made), .loop(let range)): made == range
    case (.again, .again): true
    case (.advance(let past, _), let cause):
      if let end = past.last {
        tried(past, behind: last).count == past.count && item(after: end) === mark.item
      } else if case .advance = cause {
        item(after: last.item) === mark.item
      } else {
        false
      }
    default: false
    }
  }

  /// The first mark that would not be made now, of those of which nothing was heard.
  ///
  /// - Parameters:
  ///   - heard: The frame of the rings that is heard next.
  ///   - produced: The one that is rendered next.
  /// - Returns: Nil: what is rendered is what should be. The number of marks: the marks are, but not all
  ///   that is rendered behind the last of them.
  /// - Complexity: O(marks x items)
  func firstStale(from heard: Int64, to produced: Int64) -> Int? {
    guard !marks.isEmpty else { return nil }
    let first = marks.lastIndex { $0.index < heard } ?? 0
    // It was taken out before anybody knew that it was heard.
    if !isQueued(marks[first].item) { return first + 1 }
    for index in first..<marks.count {
      let (mark, next) = (marks[index], index + 1)
      if next < marks.count, !follows(marks[next], mark) { return next }
      // It was rendered on beyond the end of what is looped by now, be it looped from further on.
      let end = next < marks.count ? marks[next].index : produced
      if let loop = loop(in: mark), end > mark.index,
        mark.passes(mark.frames(in: loop).upperBound, before: end)
      {
        return next
      }
    }
    return nil
  }

  /// The place from which it goes on where it was heard up to a frame of the rings, and nothing is
  /// rendered ahead any more. Forgets the marks that would not be made now.
  ///
  /// - Returns: The place of that frame; where its item was taken out of the queue, what follows the
  ///   last one before it that was not. Nil before anything was played.
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

  /// How often what is heard is still to be played again.
  func loopsLeft(at heard: Int64) -> Int {
    (marks.last { $0.index <= heard } ?? marks.first)?.loopsLeft ?? loopsLeft
  }

  /// Sets how often what is heard is to be played again; what is rendered ahead counts, as far as it is
  /// that.
  mutating func setLoops(_ count: Int, heard: Int64) {
    loopsLeft = count
    for index in marks.indices {
      if marks[index].index > heard { countDown(for: marks[index].cause) }
      marks[index].loopsLeft = loopsLeft
    }
    isChanged = true
  }

  /// Takes away one of the times that the item is to be played again, where it is for that.
  mutating func countDown(for cause: Mark.Cause) {
    if case .again = cause, loopsLeft > 0 { loopsLeft -= 1 }
  }
}

extension PlayerState.Mark {
  /// The item's frames that lie in a range of its time.
  func frames(in range: TimeRange) -> Range<Int64> {
    let start = range.start.frames(atRate: sampleRate)
    return start..<max(start, min(range.end.frames(atRate: sampleRate), frameCount))
  }

  /// Whether it goes on beyond one of its item's frames before a frame of the rings.
  fileprivate func passes(_ frame: Int64, before end: Int64) -> Bool {
    // At another speed, the last frame may fall on either side of the rounded length.
    self.frame + speed.sourceFrames(of: end - index) > frame + (speed == .normal ? 0 : 2)
  }
}
