import Diagnosis
import Files
import LibAV
import MediaComposition
import Synchronization
import SystemPackage

/// Facts in one file of `.avjob`, a line each: one file is read at once, also over a network, for any
/// number of facts.
///
/// The first line has the version. Each other one has a checksum, a key, and a text without line
/// feeds; a line that is torn is ignored. Safe from any thread. Where several processes write, the
/// last one's facts are kept.
final class LineStore: Sendable {
  private let folder: StateFolder
  private let file: FilePath
  private let version: String
  /// nil: to be read when it is needed.
  private let contents = Mutex<Contents?>(nil)

  private struct Contents {
    var bytes: [UInt8]
    /// The line about each key.
    var lines: [UInt64: Line]
  }

  private struct Line {
    var checksum: UInt64
    var text: Range<Int>
    /// From the checksum to before the line feed.
    var whole: Range<Int>
  }

  /// Bytes.
  private static let largestSize = 256_000_000
  /// Bytes of a line: of a source with thousands of chapters.
  private static let longestLine = 1_000_000
  /// Each takes memory, however short it is.
  private static let mostLines = 500_000
  /// So many lines are kept in any case that the run had no use for.
  private static let fewest = 1000

  /// Reads `name` of the folder when it is asked for; nothing where it is not there or has another
  /// version.
  init(_ name: FilePath.Component, in folder: StateFolder, version: String) {
    self.folder = folder
    file = folder.path.appending(name)
    self.version = version
  }

  /// - Complexity: O(size of the file) the first time, and after `release`
  private func read() -> Contents {
    contents.withLock { contents in
      if let contents { return contents }
      let bytes = (try? PathCalls.contents(of: file, limit: Self.largestSize)) ?? []
      let read = Contents(bytes: bytes, lines: Self.lines(of: bytes, version: version))
      contents = read
      return read
    }
  }

  /// Gives back the memory of what was read, which is read again if it is asked for.
  func release() { contents.withLock { $0 = nil } }

  /// The text under a key, as it was written.
  func find(_ key: UInt64) -> [UInt8]? {
    let known = read()
    guard let line = known.lines[key], Self.number(of: known.bytes[line.text]) == line.checksum
    else { return nil }
    return Array(known.bytes[line.text])
  }

  /// Writes lines for `keys`, and behind them others that there were, the newest first.
  ///
  /// - Parameters:
  ///   - keys: In order; each counts once.
  ///   - text: A new text for a key, which may have a line; nil: the line stays, if there is one.
  /// - Throws: `Errno` where the folder cannot be written.
  /// - Complexity: O(size of the file), of which it holds some lines
  func save(_ keys: [UInt64], _ text: (_ key: UInt64, _ isThere: Bool) -> [UInt8]?) throws(Errno) {
    try folder.make()
    let known = read()
    try folder.write(to: file) { (file: inout PieceWriter) throws(Errno) in
      var used: Set<UInt64> = []
      var room = Self.largestSize - version.utf8.count - 1
      try file.append(Array(version.utf8) + [0x0A])
      for key in keys {
        guard used.insert(key).inserted, room > 2 * Self.longestLine else { continue }
        let old = known.lines[key]
        if let text = text(key, old != nil) {
          // A longer one would not be read.
          guard text.count + 34 <= Self.longestLine else { continue }
          let numbers = "\(Self.number(of: text).hexadecimal) \(key.hexadecimal) "
          let line = Array(numbers.utf8) + text + [0x0A]
          try file.append(line)
          room -= line.count
        } else if let old {
          try file.append(known.bytes[old.whole] + [0x0A])
          room -= old.whole.count + 1
        }
      }
      // What other job files of the folder use, or this one once did: the newest stand first.
      let others = known.lines.filter { !used.contains($0.key) }.values
        .sorted { $0.whole.lowerBound < $1.whole.lowerBound }
        .prefix(max(Self.fewest, 4 * used.count))
      for line in others {
        room -= line.whole.count + 1
        guard room >= 0 else { break }
        try file.append(known.bytes[line.whole] + [0x0A])
      }
    }
  }

  // MARK: The format

  private static func lines(of bytes: [UInt8], version: String) -> [UInt64: Line] {
    var lines: [UInt64: Line] = [:]
    var isFirst = true
    var start = 0
    while start < bytes.count, let end = bytes[start...].firstIndex(of: 0x0A) {
      defer { start = end + 1 }
      if isFirst {
        guard bytes[start..<end].elementsEqual(version.utf8) else { return [:] }
        isFirst = false
        continue
      }
      // Two numbers of 16 digits, each with a space behind it.
      guard (35...longestLine).contains(end - start), lines.count < mostLines,
        let checksum = UInt64(hexadecimal: bytes[start..<start + 16]),
        let key = UInt64(hexadecimal: bytes[start + 17..<start + 33])
      else { continue }
      lines[key] = Line(checksum: checksum, text: start + 34..<end, whole: start..<end)
    }
    return lines
  }

  /// The first 64 bits of the bytes' digest.
  static func number(of bytes: some Sequence<UInt8>) -> UInt64 {
    let digest =
      bytes.withContiguousStorageIfAvailable {
        try? SHA256.digest(UnsafeRawBufferPointer($0))
      } ?? Array(bytes).withUnsafeBytes { try? SHA256.digest($0) }
    return (digest ?? []).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension UInt64 {
  /// 16 digits.
  var hexadecimal: String { digits(16, radix: 16, uppercase: false) }

  init?(hexadecimal digits: some Collection<UInt8>) {
    self.init(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
