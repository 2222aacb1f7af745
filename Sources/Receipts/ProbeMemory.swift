import FoundationEssentials
import LibAV
import MediaComposition
import Synchronization
import SystemPackage

/// The results of probing in earlier runs, as `.avjob/probes` holds them: one file, which is read at
/// once, also over a network, for any number of sources.
///
/// Each line has a checksum, the digest of a path and a stream, and the facts as JSON, which are
/// decoded when they are needed. A line that is torn, or about a file that has changed, is
/// ignored. Paths are relative to the job files' folder.
///
/// Safe from any thread. Where several processes write, the last one's facts are kept.
public final class ProbeMemory: Sendable {
  private let folder: StateFolder
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
    var json: Range<Int>
    /// From the checksum to before the line feed.
    var whole: Range<Int>
  }

  /// One line's JSON.
  private struct Entry: Codable {
    /// The requested stream; nil: the best.
    var stream: Int?
    var probed: ProbedAsset
  }

  /// A media file, and which of its streams; nil: the best.
  public struct Key: Sendable, Hashable {
    /// Where it is.
    public var path: FilePath
    /// As the job names it.
    public var stream: Int?

    /// A stream of a file.
    public init(_ path: FilePath, stream: Int? = nil) {
      self.path = path
      self.stream = stream
    }
  }

  private var file: FilePath { folder.path.appending("probes") }
  /// Bytes: those of some 400,000 sources. Other sources are probed again.
  private static let largestSize = 256_000_000
  /// Bytes of a line: of a source with thousands of chapters.
  private static let longestLine = 1_000_000
  /// Each takes memory, however short it is.
  private static let mostLines = 500_000

  /// Reads what there is when it is asked for; nothing where the folder is not there or was written
  /// by others than `tools`, which may find other facts.
  public init(in folder: StateFolder, tools: [String: String]) {
    self.folder = folder
    let told = tools.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    version = "avjob probes 1 " + Self.number(of: told.joined(separator: "\n").utf8).hexadecimal
  }

  /// - Complexity: O(size of the file) the first time, and after `release`: some 600 bytes a source
  private func read() -> Contents {
    contents.withLock { contents in
      if let contents { return contents }
      let bytes = StateFolder.contents(of: file, limit: Self.largestSize) ?? []
      let read = Contents(bytes: bytes, lines: Self.lines(of: bytes, version: version))
      contents = read
      return read
    }
  }

  /// Gives back the memory of what was read, which is read again if it is asked for.
  public func release() { contents.withLock { $0 = nil } }

  /// What an earlier run found, where the file is still the one that it looked at.
  public func find(_ key: Key, _ identity: FileIdentity) -> ProbedAsset? {
    let relative = folder.relative(key.path)
    let known = read()
    guard let line = known.lines[Self.number(of: relative, stream: key.stream)],
      Self.number(of: known.bytes[line.json]) == line.checksum,
      let entry = try? JSONDecoder().decode(Entry.self, from: Data(known.bytes[line.json])),
      entry.stream == key.stream, entry.probed.asset.path == relative,
      entry.probed.asset.identity.isSameContent(as: identity), entry.probed.isPlausible
    else { return nil }
    return entry.probed.moved(to: key.path, identity)
  }

  /// Writes this run's results, together with those that it did not use; nothing where none is new.
  ///
  /// - Parameters:
  ///   - media: What this run used.
  ///   - find: The facts of one, and whether they come from here; nil where there are none.
  /// - Throws: `Errno` where the folder cannot be written.
  /// - Complexity: O(size of the file), of which it holds some lines
  public func save(
    _ media: [Key], found find: (Key) -> (found: ProbedAsset, isRecalled: Bool)?
  ) throws(Errno) {
    guard media.contains(where: { find($0)?.isRecalled == false }) else { return }
    try folder.make()
    let known = read()
    try folder.write(to: file) { (file: inout PieceWriter) throws(Errno) in
      var used: Set<UInt64> = []
      var room = Self.largestSize - version.utf8.count - 1
      try file.append(Array(version.utf8) + [0x0A])
      for key in media {
        guard let (probed, isRecalled) = find(key) else { continue }
        let number = Self.number(of: folder.relative(key.path), stream: key.stream)
        guard used.insert(number).inserted, room > 2 * Self.longestLine else { continue }
        if isRecalled, let line = known.lines[number] {
          try file.append(known.bytes[line.whole] + [0x0A])
          room -= line.whole.count + 1
        } else if let line = line(key, number, probed) {
          try file.append(line)
          room -= line.count
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

  /// A line to be written; nil for one that is too long, and would not be read.
  private func line(_ key: Key, _ number: UInt64, _ probed: ProbedAsset) -> [UInt8]? {
    let relative = folder.relative(key.path)
    let entry = Entry(stream: key.stream, probed: probed.moved(to: relative, probed.asset.identity))
    guard let json = try? JSONEncoder().encode(entry), json.count + 34 <= Self.longestLine else {
      return nil
    }
    let numbers = "\(Self.number(of: json).hexadecimal) \(number.hexadecimal) "
    return Array(numbers.utf8) + json + [0x0A]
  }

  /// So many lines are kept in any case that the run had no use for.
  private static let fewest = 1000

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
      lines[key] = Line(checksum: checksum, json: start + 34..<end, whole: start..<end)
    }
    return lines
  }

  private static func number(of path: FilePath, stream: Int?) -> UInt64 {
    number(of: Array("\(stream.map { "\($0)" } ?? "-") ".utf8) + path.bytes)
  }

  /// The first 64 bits of the bytes' digest.
  private static func number(of bytes: some Sequence<UInt8>) -> UInt64 {
    let digest =
      bytes.withContiguousStorageIfAvailable {
        try? SHA256.digest(UnsafeRawBufferPointer($0))
      } ?? Array(bytes).withUnsafeBytes { try? SHA256.digest($0) }
    return (digest ?? []).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension FileIdentity {
  /// Whether a file is the one that it was, wherever it is mounted now.
  fileprivate func isSameContent(as other: FileIdentity) -> Bool {
    size == other.size && inode == other.inode && modificationTime == other.modificationTime
  }
}

extension UInt64 {
  /// 16 digits.
  fileprivate var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  fileprivate init?(hexadecimal digits: some Collection<UInt8>) {
    self.init(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
