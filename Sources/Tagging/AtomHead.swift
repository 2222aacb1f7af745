/// The head of an atom of QuickTime and MP4 (ISO 14496-12, 4.2).
package struct AtomHead: Sendable, Hashable {
  /// Four characters of ISO 8859-1: Apple's begin with `©`.
  package let name: String
  /// Bytes of the head.
  package let headSize: Int64
  /// Bytes of the whole atom.
  package let size: Int64

  /// The most bytes that a head has.
  package static let longest = 16

  /// The head that `bytes` begin with; nil where it is incomplete, or the atom does not fit.
  ///
  /// - Parameters:
  ///   - bytes: At least `longest`, if there are as many.
  ///   - space: Bytes up to the end of what holds the atom; one whose size is 0 takes all.
  package init?(_ bytes: some Collection<UInt8>, space: Int64) {
    let head = Array(bytes.prefix(Self.longest))
    guard head.count >= 8 else { return nil }
    var size = Self.number(head[..<4])
    var headSize: Int64 = 8
    if size == 1, head.count == Self.longest {
      (size, headSize) = (Self.number(head[8...]), 16)
    } else if size == 0 {
      // Zeros are no atom.
      guard head[4..<8].allSatisfy({ $0 >= 0x20 }) else { return nil }
      size = UInt64(clamping: space)
    }
    guard let size = Int64(exactly: size), headSize <= size, size <= space else { return nil }
    (self.size, self.headSize) = (size, headSize)
    var name = ""
    name.unicodeScalars.append(contentsOf: head[4..<8].map { Unicode.Scalar($0) })
    self.name = name
  }

  /// A number of up to eight bytes, the most significant first.
  package static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A whole atom, with a head of eight bytes.
  ///
  /// - Parameters:
  ///   - name: Four characters of ISO 8859-1.
  ///   - body: Less than 4 GiB.
  /// - Returns: Its bytes.
  /// - Complexity: O(n)
  package static func encoded(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let size = body.count + 8
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
      + name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + body
  }
}
