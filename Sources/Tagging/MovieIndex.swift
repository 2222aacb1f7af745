/// The index of an MP4 or QuickTime movie (`moov`; ISO 14496-12, 8.2.1).
package enum MovieIndex {
  /// Makes an index that lies behind all media one for a place in front of them: there they lie later by
  /// its size.
  ///
  /// - Parameter movie: The whole atom, with its head: of a book of days some hundred megabytes, which
  ///   are changed in place.
  /// - Returns: False, and nothing is changed, where it is none, or damaged. O(n)
  package static func placeInFront(_ movie: inout [UInt8]) -> Bool {
    guard let head = AtomHead(movie, space: Int64(movie.count)), head.name == "moov",
      head.size == movie.count, var tables = PlaceTable.all(in: movie[...], within: [])
    else { return false }
    let whole = movie.count
    var size = 0
    // A table whose numbers become wider moves the media on.
    while true {
      let grown = tables.reduce(whole) { $0 + $1.growth }
      guard grown != size else { break }
      size = grown
      for index in tables.indices { tables[index].widen(movedBy: UInt64(size)) }
    }
    // From the last one on: what becomes longer lies behind all places that are still needed.
    for table in tables.reversed() { table.move(in: &movie, by: UInt64(size)) }
    return true
  }
}

/// A table of places in the file (ISO 14496-12, 8.7.5), of 32 bits (`stco`) or of 64 (`co64`).
private struct PlaceTable {
  /// The atom with its head.
  private let whole: Range<Int>
  /// Its numbers.
  private let numbers: Range<Int>
  /// Bytes of each.
  private let width: Int
  private let largest: UInt64
  /// The atoms around it, with their heads, from the outermost on.
  private let parents: [Range<Int>]
  /// Whether it gets numbers of 64 bits instead of 32.
  private var isWidened = false

  /// The tables in `atoms`, in order; nil where these are damaged. They refer to places in `atoms`.
  static func all(in atoms: ArraySlice<UInt8>, within parents: [Range<Int>]) -> [PlaceTable]? {
    var found: [PlaceTable] = []
    var end = atoms.startIndex
    for atom in Atom.all(in: atoms) {
      end = atom.whole.upperBound
      switch atom.name {
      case "moov", "trak", "mdia", "minf", "stbl":
        guard let inner = all(in: atom.body, within: parents + [atom.whole]) else { return nil }
        found += inner
      case "stco", "co64":
        guard let table = PlaceTable(atom, within: parents) else { return nil }
        found.append(table)
      default: break
      }
    }
    return end == atoms.endIndex ? found : nil
  }

  private init?(_ atom: Atom, within parents: [Range<Int>]) {
    let body = atom.body
    let width = atom.name == "co64" ? 8 : 4
    guard body.count >= 8 else { return nil }
    let numbers = body.startIndex + 8..<body.endIndex
    let count = AtomHead.number(body[numbers.lowerBound - 4..<numbers.lowerBound])
    guard numbers.count == Int(count) * width else { return nil }
    (whole, self.numbers, self.width, self.parents) = (atom.whole, numbers, width, parents)
    largest = stride(from: numbers.lowerBound, to: numbers.upperBound, by: width).reduce(0) {
      max($0, AtomHead.number(body[$1..<$1 + width]))
    }
  }

  /// By how many bytes it becomes longer.
  var growth: Int { isWidened ? numbers.count : 0 }

  mutating func widen(movedBy distance: UInt64) {
    if width == 4, largest + distance > UInt64(UInt32.max) { isWidened = true }
  }

  /// Adds `distance` to all places, in the bytes that it was found in.
  func move(in movie: inout [UInt8], by distance: UInt64) {
    guard isWidened else {
      for place in stride(from: numbers.lowerBound, to: numbers.upperBound, by: width) {
        movie.put(AtomHead.number(movie[place..<place + width]) &+ distance, width, at: place)
      }
      return
    }
    var wide = [UInt8](repeating: 0, count: 2 * numbers.count)
    for (index, place) in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 4)
      .enumerated()
    {
      wide.put(AtomHead.number(movie[place..<place + 4]) + distance, 8, at: 8 * index)
    }
    movie.replaceSubrange(numbers, with: wide)
    movie.replaceSubrange(whole.lowerBound + 4..<whole.lowerBound + 8, with: "co64".utf8)
    for atom in parents + [whole] {
      // A size of 1 stands for one of 64 bits behind the name (4.2).
      let short = AtomHead.number(movie[atom.lowerBound..<atom.lowerBound + 4])
      let (place, width) = short == 1 ? (atom.lowerBound + 8, 8) : (atom.lowerBound, 4)
      let size = AtomHead.number(movie[place..<place + width])
      movie.put(size + UInt64(growth), width, at: place)
    }
  }
}

extension [UInt8] {
  /// Stores a number of so many bytes, the most significant first.
  fileprivate mutating func put(_ number: UInt64, _ width: Int, at place: Int) {
    for index in 0..<width {
      self[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - 1 - index)))
    }
  }
}
