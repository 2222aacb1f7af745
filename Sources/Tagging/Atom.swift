/// An atom in memory.
struct Atom {
  let name: String
  let body: ArraySlice<UInt8>
  /// Its head and body.
  let whole: Range<Int>

  /// All atoms that `bytes` begin with.
  static func all(in bytes: ArraySlice<UInt8>) -> [Atom] {
    var found: [Atom] = []
    var position = bytes.startIndex
    while let head = AtomHead(bytes[position...], space: Int64(bytes.endIndex - position)) {
      let end = position + Int(head.size)
      found.append(
        Atom(
          name: head.name, body: bytes[position + Int(head.headSize)..<end], whole: position..<end))
      position = end
    }
    return found
  }

  static func encoded(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let size = body.count + 8
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
      + name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + body
  }
}
