/// The tables of a track's packets in the index of an MP4 (`stbl`; ISO/IEC 14496-12, 8.5.1), exchanged
/// for others.
package struct MovieTables {
  /// The index up to the lengths of packets, which follow: four bytes each, the most significant first.
  package let front: [UInt8]
  /// What follows behind them.
  package let behind: [UInt8]

  /// The first track of sound in `movie`, with other tables; nil where that is no index with one `stsz`,
  /// or would have 4 GiB or more.
  ///
  /// - Parameters:
  ///   - tables: By their names the atoms, with their heads, that take the place of those of the track.
  ///     One that it does not have is left out; `stco` also takes the place of `co64`.
  ///   - count: How many lengths there are: those of its `stsz` (8.7.3) give way to them.
  ///   - movie: The whole index, with its head.
  /// - Complexity: O(n)
  package init?(replacing tables: [String: [UInt8]], lengths count: Int, in movie: [UInt8]) {
    guard let head = AtomHead(movie, space: Int64(movie.count)), head.name == "moov",
      head.size == movie.count, let found = Self.tables(in: movie[...])
    else { return nil }
    var parts: (before: [UInt8], after: [UInt8]) = ([], [])
    var lengths: [UInt8]?
    for atom in Atom.all(in: found.table.body) {
      let name = atom.name == "co64" ? "stco" : atom.name
      if name == "stsz" {
        guard lengths == nil else { return nil }
        lengths = Self.lengthsHead(count)
        continue
      }
      let bytes = tables[name] ?? Array(movie[atom.whole])
      if lengths == nil { parts.before += bytes } else { parts.after += bytes }
    }
    guard let lengths else { return nil }
    let size = 8 + parts.before.count + lengths.count + 4 * count + parts.after.count
    var front = Array(movie[..<found.table.whole.lowerBound])
    for parent in found.parents {
      // Heads of atoms that libavformat writes have eight bytes.
      guard let head = AtomHead(movie[parent], space: Int64(parent.count)), head.headSize == 8
      else { return nil }
      let grown = parent.count - found.table.whole.count + size
      guard let grown = UInt32(exactly: grown) else { return nil }
      front.replaceSubrange(parent.lowerBound..<parent.lowerBound + 4, with: Self.bytes(grown))
    }
    front += Self.bytes(UInt32(clamping: size)) + Array("stbl".utf8)
    self.front = front + parts.before + lengths
    behind = parts.after + movie[found.table.whole.upperBound...]
  }

  /// The head of a table of lengths that differ.
  private static func lengthsHead(_ count: Int) -> [UInt8] {
    let size = UInt32(clamping: 20 + 4 * count)
    return bytes(size) + Array("stsz".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
      + bytes(UInt32(clamping: count))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// The tables of the first track of sound, and the atoms around them, from the outermost on.
  private static func tables(
    in movie: ArraySlice<UInt8>
  ) -> (table: Atom, parents: [Range<Int>])? {
    guard let movie = Atom.all(in: movie).first else { return nil }
    for track in Atom.all(in: movie.body) where track.name == "trak" {
      var parents = [movie.whole, track.whole]
      guard let media = track.first("mdia"),
        // Behind version, flags and a number of QuickTime's (8.4.3).
        let handler = media.first("hdlr"), handler.body.dropFirst(8).starts(with: "soun".utf8),
        let information = media.first("minf"), let table = information.first("stbl")
      else { continue }
      parents += [media.whole, information.whole]
      return (table, parents)
    }
    return nil
  }
}

extension Atom {
  /// The first atom of a name in this one.
  fileprivate func first(_ name: String) -> Atom? {
    Atom.all(in: body).first { $0.name == name }
  }
}
