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
}
