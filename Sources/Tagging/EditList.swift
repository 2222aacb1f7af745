/// An edit list (ISO 14496-12, 8.6.6), and how it is put into a finished movie: what is shown of a track,
/// and when.
package struct EditList: Sendable, Hashable {
  /// A time of the movie, and what of the track is shown from its start on.
  package struct Edit: Sendable, Hashable {
    /// In ticks of the list, which are the track's unless `put` is told otherwise, by the movie's clock.
    package var shown: Range<Int64>
    /// In ticks of the track, by its own clock.
    package var media: Int64

    package init(shown: Range<Int64>, media: Int64) { (self.shown, self.media) = (shown, media) }
  }

  /// In order of time, and not before 0. In a gap between two nothing is shown.
  package var edits: [Edit]

  package init(_ edits: [Edit]) { self.edits = edits }

  /// The index of a movie with this list in place of a track's own, and with the lengths of the track
  /// and of the movie that follow.
  ///
  /// - Parameters:
  ///   - movie: The whole atom `moov`, with its head. What it says of places in the file stays, so it
  ///     must lie behind them.
  ///   - handler: The kind of the track: `vide`, `soun` (8.4.3).
  ///   - place: Its place among the tracks of this kind, from 0 on; nil: it must be the only one.
  ///   - timescale: Ticks a second of the track.
  ///   - clock: Ticks a second in which the list has what is shown; nil: those of the track.
  /// - Returns: nil where `movie` is none, or has no such track of this timescale, or, without a place,
  ///   several.
  /// - Complexity: O(bytes)
  package func put(
    into movie: [UInt8], handler: String, at place: Int? = nil, timescale: UInt32,
    shownIn clock: UInt32? = nil
  ) -> [UInt8]? {
    guard let whole = Atom.all(in: movie[...]).first, whole.name == "moov",
      whole.whole.count == movie.count
    else { return nil }
    let parts = Atom.all(in: whole.body)
    guard let head = parts.firstIndex(where: { $0.name == "mvhd" }),
      let ticks = TimedHeader.movie.number(of: parts[head].body), ticks > 0
    else { return nil }
    var pieces = parts.map { Array(movie[$0.whole]) }
    var longest: UInt64 = 0
    var isThere = false
    var tracks = 0
    for (index, part) in parts.enumerated() where part.name == "trak" {
      guard let head = Atom.first("tkhd", in: part.body) else { return nil }
      var duration = TimedHeader.track.duration(of: head.body) ?? 0
      if let media = Atom.first("mdia", in: part.body), Self.handler(of: media) == handler {
        defer { tracks += 1 }
        if place == nil || place == tracks {
          guard !isThere, let times = Atom.first("mdhd", in: media.body),
            TimedHeader.movie.number(of: times.body) == timescale
          else { return nil }
          isThere = true
          let entries = self.entries(clock ?? timescale, inMovie: ticks)
          duration = entries.reduce(0) { $0 + $1.duration }
          pieces[index] = Self.replaced(part, head, entries, lasting: duration)
        }
      }
      longest = max(longest, duration)
    }
    guard isThere else { return nil }
    pieces[head] = AtomHead.encoded(
      "mvhd", TimedHeader.movie.lasting(longest, in: parts[head].body))
    return AtomHead.encoded("moov", pieces.flatMap(\.self))
  }

  // MARK: Entries

  private struct Entry {
    /// In ticks of the movie.
    var duration: UInt64
    /// In ticks of the track; -1: nothing is shown.
    var media: Int64
  }

  /// Both ends of an edit are rounded to a tick of the movie, so that nothing adds up.
  private func entries(_ timescale: UInt32, inMovie ticks: UInt32) -> [Entry] {
    func rounded(_ time: Int64) -> Int64 {
      let (unit, scaled) = (Int128(timescale), Int128(max(0, time)) * Int128(ticks))
      return Int64(clamping: (2 * scaled + unit) / (2 * unit))
    }
    var entries: [Entry] = []
    var end: Int64 = 0
    for edit in edits {
      let (first, last) = (rounded(edit.shown.lowerBound), rounded(edit.shown.upperBound))
      if first > end { entries.append(Entry(duration: UInt64(first - end), media: -1)) }
      end = max(end, first)
      // One without a duration would be all that is left.
      guard last > end else { continue }
      entries.append(Entry(duration: UInt64(last - end), media: edit.media))
      end = last
    }
    return entries
  }

  /// The atom `edts`.
  private static func encoded(_ entries: [Entry]) -> [UInt8] {
    let isWide = entries.contains {
      $0.duration > UInt64(UInt32.max) || $0.media > Int64(Int32.max)
    }
    var list: [UInt8] = [isWide ? 1 : 0, 0, 0, 0] + bytes(UInt64(entries.count), 4)
    for entry in entries {
      let width = isWide ? 8 : 4
      list += bytes(entry.duration, width) + bytes(UInt64(bitPattern: entry.media), width)
      // At its own speed.
      list += [0, 1, 0, 0]
    }
    return AtomHead.encoded("edts", AtomHead.encoded("elst", list))
  }

  fileprivate static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - $0))) }
  }

  // MARK: Tracks

  private static func handler(of media: Atom) -> String? {
    Atom.first("hdlr", in: media.body).map { head in
      String(decoding: head.body.dropFirst(8).prefix(4), as: UTF8.self)
    }
  }

  /// A track whose list stands behind its header.
  private static func replaced(
    _ track: Atom, _ head: Atom, _ entries: [Entry], lasting duration: UInt64
  ) -> [UInt8] {
    var body: [UInt8] = []
    for part in Atom.all(in: track.body) where part.name != "edts" {
      guard part.whole == head.whole else {
        body += AtomHead.encoded(part.name, Array(part.body))
        continue
      }
      body += AtomHead.encoded("tkhd", TimedHeader.track.lasting(duration, in: head.body))
      body += encoded(entries)
    }
    return AtomHead.encoded("trak", body)
  }
}

/// The header of a movie or of a medium (8.2.2, 8.4.2), or that of a track (8.3.2): dates, a number, and a
/// duration. Dates and the duration have 32 bits, or 64 in version 1.
private enum TimedHeader {
  /// The number is a timescale.
  case movie
  /// It is the track's own number, and four bytes follow it.
  case track

  private func isWide(_ body: ArraySlice<UInt8>) -> Bool { body.first == 1 }

  /// Where the number is.
  private func place(in body: ArraySlice<UInt8>) -> Int {
    body.startIndex + (isWide(body) ? 20 : 12)
  }

  func number(of body: ArraySlice<UInt8>) -> UInt32? {
    let place = place(in: body)
    guard place + 4 <= body.endIndex else { return nil }
    return UInt32(AtomHead.number(body[place..<place + 4]))
  }

  private func durationPlace(in body: ArraySlice<UInt8>) -> Range<Int>? {
    let start = place(in: body) + (self == .track ? 8 : 4)
    let end = start + (isWide(body) ? 8 : 4)
    return end <= body.endIndex ? start..<end : nil
  }

  func duration(of body: ArraySlice<UInt8>) -> UInt64? {
    durationPlace(in: body).map { AtomHead.number(body[$0]) }
  }

  /// With another duration; one that has no room is not known, which all ones say.
  func lasting(_ duration: UInt64, in body: ArraySlice<UInt8>) -> [UInt8] {
    guard let place = durationPlace(in: body) else { return Array(body) }
    let fits = place.count == 8 || duration < UInt64(UInt32.max)
    return body[..<place.lowerBound] + EditList.bytes(fits ? duration : .max, place.count)
      + body[place.upperBound...]
  }
}

extension Atom {
  /// The first one of a name.
  fileprivate static func first(_ name: String, in bytes: ArraySlice<UInt8>) -> Atom? {
    all(in: bytes).first { $0.name == name }
  }
}
