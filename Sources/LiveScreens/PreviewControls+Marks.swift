import Diagnosis
import MediaTime
import Playback

/// Commands for loops, marks and tracks.
extension PreviewControls {
  // MARK: Loops

  mutating func setLoop(_ loop: PreviewModel.Loop?) {
    self.loop = loop
    loopedEntry = currentEntry?.id
    player.loopRange = nil
  }

  /// Starts a loop here, or gives the one that is there this start.
  mutating func startLoop() {
    tour = nil
    let start = player.currentTime
    guard let end = loop?.end, start < end else {
      setLoop(PreviewModel.Loop(start: start))
      message = "the loop starts at \(start.clockText(decimals: 3)); ] ends it"
      return
    }
    repeatLoop(from: start, to: end)
  }

  /// Ends the loop here, and goes to its start.
  mutating func endLoop() {
    tour = nil
    let start = loop?.start ?? .zero
    let end = player.currentTime
    guard start < end else {
      message = "a loop ends after its start: press [ first, and ] later"
      return
    }
    if repeatLoop(from: start, to: end) { player.seek(to: start) }
  }

  @discardableResult
  private mutating func repeatLoop(from start: Time, to end: Time) -> Bool {
    let before = player.loopRange
    let range = TimeRange(start: start, end: end)
    player.loopRange = range
    guard player.loopRange != nil else {
      player.loopRange = before
      message = "a loop lasts 10 ms or more"
      return false
    }
    (loop, loopedEntry) = (PreviewModel.Loop(start: start, end: end), currentEntry?.id)
    let texts = [start, end, range.duration].map { $0.clockText(decimals: 3) }
    message = "loop from \(texts[0]) to \(texts[1]), \(texts[2]) long; \\ clears it"
    return true
  }

  mutating func clearLoop() {
    message = loop == nil ? "there is no loop" : "the loop is cleared"
    setLoop(nil)
  }

  // MARK: Marks

  /// Marks the present place.
  mutating func mark() {
    guard let item = player.currentItem else { return }
    let place = min(player.currentTime, item.duration)
    mark(TimeRange(start: place, duration: .zero))
  }

  /// Marks the range of the loop.
  mutating func markLoop() {
    guard let loop, let end = loop.end, currentEntry.map({ $0.id == loopedEntry }) == true else {
      message = "there is no loop to mark: [ starts one, and ] ends it"
      return
    }
    mark(TimeRange(start: loop.start, end: end))
  }

  /// Marks a range of the entry, or a place, with what is shown and said there.
  ///
  /// - Parameters:
  ///   - range: In the time of the entry.
  ///   - name: What is said there; nil: it gets a number.
  mutating func mark(_ range: TimeRange, named name: String? = nil) {
    guard let entry = currentEntry?.id, let item = player.currentItem.map({ mix(of: $0) }) else {
      return
    }
    let words = name == nil ? item.transcript.text(in: range) : nil
    let mark = marks.add(
      range, of: entry, named: name, showing: item.picture?.frames(in: range), saying: words)
    guard let mark else {
      message = "a mark is here already"
      return
    }
    saveMarks(of: entry)
    let place = range.start.clockText(decimals: 3)
    let end = range.duration > .zero ? " to \(range.end.clockText(decimals: 3))" : ""
    let notes = mark.notes.map { ", \($0)" }.joined()
    message = message ?? "\(mark.name) at \(place)\(end)\(notes); Enter names it"
  }

  mutating func unmark() {
    guard let mark = marks.removeLast() else {
      message = "there is no mark: m sets one"
      return
    }
    saveMarks(of: mark.entry)
    message = message ?? "'\(mark.name)' is removed"
  }

  mutating func nameMark(_ name: String) {
    guard let last = marks.all.last else {
      message = "there is no mark to name: m sets one"
      return
    }
    guard let former = marks.nameLast(name.printable) else { return }
    saveMarks(of: last.entry)
    message = message ?? "\(former) is '\(name)' now"
  }

  /// Writes the marks of an entry to its file, if there is one.
  mutating func saveMarks(of entry: Int) {
    guard var files = markFiles, let name = items.playlist.entry(entry)?.entry.name else {
      return
    }
    // In place of a copy, which would be made of both.
    markFiles = nil
    do throws(Failure) {
      try files.write(marks, of: entry, named: name)
    } catch {
      message = "the mark is not written: \(error)"
    }
    markFiles = files
  }

  // MARK: Tracks

  mutating func withTrack(_ index: Int, _ body: (PlayerItemTrack) -> Void) {
    guard let tracks = player.currentItem?.tracks, tracks.indices.contains(index) else {
      message = "there is no track \(index + 1)"
      return
    }
    body(tracks[index])
  }

  mutating func perform(_ command: PlayerCommand.TrackCommand) {
    let last = (player.currentItem?.tracks.count ?? 1) - 1
    let cursor = trackCursor ?? 0
    switch command {
    case .choose: trackCursor = last < 0 ? nil : min(cursor, last)
    case .leave: trackCursor = nil
    case .move(let step): trackCursor = max(0, min(last, cursor + step))
    case .first: trackCursor = 0
    case .last: trackCursor = last
    case .go(let number):
      if number >= 1, number - 1 <= last {
        trackCursor = number - 1
      } else {
        message = "there is no track \(number)"
      }
    case .mute: withTrack(cursor) { $0.isEnabled.toggle() }
    case .solo: withTrack(cursor) { $0.isSolo.toggle() }
    }
  }
}

extension PreviewControls {
  /// The marks as text for a person, of each entry; empty without marks.
  var marksText: String {
    items.playlist.entries.map { entry in
      let labels = marks.labels(of: entry.id, withNotes: true)
      return labels.isEmpty ? "" : "marks of \(entry.entry.name.printable):\n" + labels
    }.joined()
  }
}
