/// The index of an MP4 or QuickTime movie (`moov`; ISO 14496-12, 8.2.1).
package enum MovieIndex {
  /// An index that lies behind all media, made for a place in front of them: there they lie later by its
  /// size.
  ///
  /// - Parameter movie: The whole atom, with its head.
  /// - Returns: nil where it is none, or damaged. O(n)
  package static func inFront(_ movie: [UInt8]) -> [UInt8]? {
    guard let head = AtomHead(movie, space: Int64(movie.count)), head.name == "moov",
      head.size == movie.count
    else { return nil }
    var index = movie
    var size = 0
    // A table whose numbers become wider moves the media on.
    while index.count != size {
      size = index.count
      guard let moved = moved(movie[...], by: UInt64(size)) else { return nil }
      index = moved
    }
    return index
  }

  /// Atoms by which media lie so much later.
  private static func moved(_ atoms: ArraySlice<UInt8>, by distance: UInt64) -> [UInt8]? {
    var result: [UInt8] = []
    var end = atoms.startIndex
    for atom in Atom.all(in: atoms) {
      end = atom.whole.upperBound
      switch atom.name {
      case "moov", "trak", "mdia", "minf", "stbl":
        guard let body = moved(atom.body, by: distance) else { return nil }
        result += Atom.encoded(atom.name, body)
      case "stco", "co64":
        guard let table = table(atom, movedBy: distance) else { return nil }
        result += table
      default: result += atoms[atom.whole]
      }
    }
    return end == atoms.endIndex ? result : nil
  }

  /// A table of places in the file (8.7.5), each so much later: of 32 bits, or of 64 where one needs them.
  private static func table(_ table: Atom, movedBy distance: UInt64) -> [UInt8]? {
    let width = table.name == "co64" ? 8 : 4
    let (head, numbers) = (table.body.prefix(8), table.body.dropFirst(8))
    guard head.count == 8, numbers.count == Int(AtomHead.number(head.suffix(4))) * width else {
      return nil
    }
    let places = stride(from: numbers.startIndex, to: numbers.endIndex, by: width).map {
      AtomHead.number(numbers[$0..<$0 + width]) &+ distance
    }
    let isWide = width == 8 || places.contains { $0 > UInt64(UInt32.max) }
    var body = Array(head)
    for place in places {
      for shift in stride(from: isWide ? 56 : 24, through: 0, by: -8) {
        body.append(UInt8(truncatingIfNeeded: place >> UInt64(shift)))
      }
    }
    return Atom.encoded(isWide ? "co64" : "stco", body)
  }
}
