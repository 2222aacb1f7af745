import Diagnosis
import LibAV
import SystemPackage

/// A list of files with their SHA-256, as `sha256sum` and BagIt write it. Its names count from its own
/// folder.
package struct DigestList: Sendable {
  /// How names are written.
  package enum Form: Sendable {
    /// As `sha256sum` writes them: all but line ends and backslashes stand for themselves.
    case sums
    /// As BagIt does (RFC 8493, 2.1.3): `%`, line feed and carriage return are percent-encoded.
    case bag
  }

  /// A file of the list.
  struct Line: Hashable {
    var name: FilePath
    /// The name with no character decoded, for lists that encode none; nil: the same.
    var literal: FilePath?
    var digest: [UInt8]
  }

  private(set) var lines: [Line] = []
  /// The numbers of lines that are none, from 1.
  private(set) var faults: [Int] = []

  /// Bytes of a list, at some 150 a line: one of a million files is read. A larger one is refused.
  package static let largestSize = 256_000_000

  /// Reads a list.
  ///
  /// - Complexity: O(length)
  init(_ bytes: [UInt8], form: Form) {
    var number = 0
    // A bag's lines may end in carriage returns alone (RFC 8493, 2.1.3), which no name has there.
    let end: UInt8 = form == .bag && !bytes.contains(0x0A) ? 0x0D : 0x0A
    for part in bytes.split(separator: end, omittingEmptySubsequences: false) {
      number += 1
      let line = part.last == 0x0D ? part.dropLast() : part
      // Remarks, which `sha256sum` and bagit.py leave out, too.
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      let read = form == .bag ? Self.bagLine(line) : Self.sumsLine(line) ?? Self.taggedLine(line)
      if let read { lines.append(read) } else { faults.append(number) }
    }
  }

  /// Whether a text begins as a list does.
  static func isBegun(by bytes: [UInt8]) -> Bool {
    guard let line = bytes.split(separator: 0x0A, maxSplits: 1).first else { return false }
    return sumsLine(line) != nil || taggedLine(line) != nil
  }

  /// Whether a file is called as lists are.
  static func isName(_ name: FilePath.Component) -> Bool {
    let text = name.string.lowercased()
    let names = ["sha256sum", "sha256sums", "sha256sum.txt", "sha256sums.txt"]
    return Bag.lists.contains(name) || names.contains(text) || text.hasSuffix(".sha256")
      || text.hasSuffix(".sha256sum")
  }

  // MARK: Lines

  /// A digest, spaces, and a name.
  private static func bagLine(_ line: ArraySlice<UInt8>) -> Line? {
    guard let (digest, rest) = digest(line) else { return nil }
    var name = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard name.count < rest.count else { return nil }
    // md5sum's mark of binary files, which some tools write.
    if name.first == UInt8(ascii: "*") { name = name.dropFirst() }
    let literal = FilePath(bytes: name)
    let decoded = FilePath(bytes: decoded(name))
    guard !name.isEmpty, !name.contains(0) else { return nil }
    return Line(name: decoded, literal: decoded == literal ? nil : literal, digest: digest)
  }

  /// A digest, a space, a space or `*`, and a name; `\` in front where the name has escapes.
  private static func sumsLine(_ line: ArraySlice<UInt8>) -> Line? {
    let isEscaped = line.first == UInt8(ascii: "\\")
    guard let (digest, rest) = digest(isEscaped ? line.dropFirst() : line), rest.count > 2,
      rest.first == 0x20, [0x20, UInt8(ascii: "*")].contains(rest[rest.startIndex + 1])
    else { return nil }
    return named(rest.dropFirst(2), digest, isEscaped: isEscaped)
  }

  /// `SHA256 (name) = digest`, as `sha256sum --tag` writes it.
  private static func taggedLine(_ line: ArraySlice<UInt8>) -> Line? {
    let (head, middle) = (Array("SHA256 (".utf8), Array(") = ".utf8))
    let isEscaped = line.first == UInt8(ascii: "\\")
    let body = isEscaped ? line.dropFirst() : line
    guard body.starts(with: head), body.count > head.count + middle.count + 64,
      let (digest, rest) = digest(body.suffix(64)), rest.isEmpty
    else { return nil }
    let name = body.dropFirst(head.count).dropLast(64)
    guard name.suffix(middle.count).elementsEqual(middle) else { return nil }
    return named(name.dropLast(middle.count), digest, isEscaped: isEscaped)
  }

  private static func named(
    _ bytes: ArraySlice<UInt8>, _ digest: [UInt8], isEscaped: Bool
  ) -> Line? {
    guard !bytes.contains(0), !bytes.isEmpty else { return nil }
    guard isEscaped else { return Line(name: FilePath(bytes: bytes), digest: digest) }
    var name: [UInt8] = []
    var isBehindBackslash = false
    for byte in bytes {
      switch (isBehindBackslash, byte) {
      case (false, UInt8(ascii: "\\")): break
      case (false, _), (true, UInt8(ascii: "\\")): name.append(byte)
      case (true, UInt8(ascii: "n")): name.append(0x0A)
      case (true, UInt8(ascii: "r")): name.append(0x0D)
      case (true, _): return nil
      }
      isBehindBackslash = !isBehindBackslash && byte == UInt8(ascii: "\\")
    }
    return isBehindBackslash ? nil : Line(name: FilePath(bytes: name), digest: digest)
  }

  private static func digest(
    _ line: ArraySlice<UInt8>
  ) -> (digest: [UInt8], rest: ArraySlice<UInt8>)? {
    let digits = line.prefix(2 * SHA256.byteCount)
    let text = String(decoding: digits, as: UTF8.self).lowercased()
    guard digits.count == 2 * SHA256.byteCount, let digest = [UInt8](hexadecimal: text) else {
      return nil
    }
    return (digest, line.dropFirst(digits.count))
  }

  // MARK: Names of bags

  /// The three bytes that a bag's list encodes, and how.
  private static let codes: [(byte: UInt8, code: [UInt8])] = [
    (0x25, Array("%25".utf8)), (0x0A, Array("%0A".utf8)), (0x0D, Array("%0D".utf8)),
  ]

  private static func decoded(_ name: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = name
    while let first = rest.first {
      let code = rest.prefix(3).map { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }
      let known = first == 0x25 ? codes.first { $0.code == code } : nil
      bytes.append(known?.byte ?? first)
      rest = rest.dropFirst(known == nil ? 1 : 3)
    }
    return bytes
  }

  /// A bag's list, sorted by names.
  static func bagBytes(of files: [(name: FilePath, digest: [UInt8])]) -> [UInt8] {
    let lines = files.map { file in
      let name = file.name.bytes.flatMap { byte in
        codes.first { $0.byte == byte }?.code ?? [byte]
      }
      return (name: name, bytes: Array((file.digest.hexadecimal + "  ").utf8) + name + [0x0A])
    }
    return lines.sorted { $0.name.lexicographicallyPrecedes($1.name) }.flatMap(\.bytes)
  }
}
