import SystemPackage

/// The order in which people number files: `ch2` before `ch10`.
enum NaturalOrder {
  /// Folder by folder; runs of ASCII digits count as numbers, ASCII letters alike in both cases.
  /// Names that only differ in case or in leading zeros follow the order of their bytes.
  ///
  /// - Complexity: O(n log n)
  static func sorted(_ paths: some Sequence<FilePath>) -> [FilePath] {
    // Paths are split once, not once a comparison.
    let split = paths.map { path in (path: path, names: path.components.map(\.string)) }
    return split.sorted { a, b in
      for (x, y) in zip(a.names, b.names) where x != y { return precedes(x, y) }
      return a.names.count < b.names.count
    }.map(\.path)
  }

  /// - Complexity: O(length)
  static func precedes(_ a: String, _ b: String) -> Bool {
    let (x, y) = (Array(a.utf8), Array(b.utf8))
    var (i, j) = (0, 0)
    while i < x.count, j < y.count {
      if isDigit(x[i]), isDigit(y[j]) {
        let (m, n) = (number(in: x, at: &i), number(in: y, at: &j))
        if m.count != n.count { return m.count < n.count }
        if !m.elementsEqual(n) { return m.lexicographicallyPrecedes(n) }
      } else {
        let (c, d) = (lowercased(x[i]), lowercased(y[j]))
        if c != d { return c < d }
        i += 1
        j += 1
      }
    }
    if i < x.count || j < y.count { return j < y.count }
    return x.lexicographicallyPrecedes(y)
  }

  /// The digits at `index` without leading zeros; moves past them.
  private static func number(in bytes: [UInt8], at index: inout Int) -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return bytes[start..<index].drop { $0 == UInt8(ascii: "0") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
