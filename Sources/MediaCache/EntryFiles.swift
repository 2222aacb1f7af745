import Files
import Glibc
import LibAV
import SystemPackage
import Threads

/// The bytes and the map of one generation of an entry.
///
/// The map has eight bytes for each block of 16 KiB: 0, or a `BlockRecord`. A block's bytes are written
/// before its record, so however a process ends, the map records nothing that is not there; and after
/// the machine itself stopped, digests show which blocks reached the disk.
///
/// Safe from any thread and process: what is recorded never changes.
final class EntryFiles: Sendable {
  /// Bytes of a block; the last one may have fewer.
  static let blockSize: Int64 = 16 << 10
  /// Of no more blocks the records are read for a display.
  static let blocksReadAtOnce = 0..<1 << 22

  let size: Int64
  private let data: FileBytes
  private let map: FileBytes
  /// Of the machine's start that counts now.
  private let mark: UInt64

  /// Opens the files of a generation, and makes them where there are none.
  ///
  /// - Parameters:
  ///   - facts: Its name, and the entity's size.
  ///   - folder: The entry's.
  ///   - boot: The start of the machine (`ProcessIdentity.boot`).
  /// - Throws: `Errno`
  init(of facts: EntryFacts, in folder: EntryFolder, boot: String) throws {
    func open(_ name: String) throws(Errno) -> FileBytes {
      FileBytes(try folder.open(facts.generation + name, O_RDWR | O_CREAT))
    }
    // The map first, which is also removed first: two processes that share a map share the data.
    let map = try open(".map")
    data = try open(".data")
    // In this order: what is recorded meanwhile was written before.
    let recorded = try map.size()
    let whole = try Self.mapSize(ofData: data.size(), of: facts.size)
    if recorded > whole {
      // The data were removed or cut off. Processes that have the old ones open go on recording
      // their blocks in the old map.
      try folder.remove([facts.generation + ".map"])
      self.map = try open(".map")
      try Self.copy(map, to: self.map, upTo: whole)
    } else {
      self.map = map
    }
    size = facts.size
    mark = BlockRecord.mark(of: boot)
  }

  /// The same files, for an entity whose size is known now.
  init(_ files: EntryFiles, size: Int64) {
    (data, map, mark, self.size) = (files.data, files.map, files.mark, size)
  }

  /// The length of a map that records no more than there is of an entity's data.
  private static func mapSize(ofData length: Int64, of size: Int64) -> Int64 {
    (length >= size ? (size + blockSize - 1) / blockSize : length / blockSize) * 8
  }

  private static func copy(
    _ map: FileBytes, to other: FileBytes, upTo end: Int64
  ) throws {
    for start in stride(from: 0, to: end, by: 4096) {
      var bytes = [UInt8](repeating: 0, count: Int(min(4096, end - start)))
      _ = try bytes.withUnsafeMutableBytes { try map.fill($0, from: start) }
      _ = try other.descriptor.writeAll(toAbsoluteOffset: start, bytes)
    }
  }

  var blockCount: Int { Int((size + Self.blockSize - 1) / Self.blockSize) }

  /// The bytes of some blocks.
  func bytes(of blocks: Range<Int>) -> Range<Int64> {
    min(
      size, Int64(blocks.lowerBound) * Self.blockSize)..<min(
        size, Int64(blocks.upperBound) * Self.blockSize)
  }

  /// The blocks that hold some bytes.
  func blocks(of bytes: Range<Int64>) -> Range<Int> {
    Int(
      bytes.lowerBound / Self.blockSize)..<min(
        blockCount, Int((bytes.upperBound + Self.blockSize - 1) / Self.blockSize))
  }

  // MARK: Reading

  /// Looks which of some blocks are there.
  ///
  /// - Parameters:
  ///   - blocks: Some blocks.
  ///   - compared: Those that are read, and so found or given up, if they were recorded before the
  ///     machine's start; others of that time count as missing.
  ///   - known: Blocks that need not be read.
  /// - Returns: Those that are.
  /// - Throws: `Errno`, `LibAVError`
  /// - Complexity: O(n) in the blocks, as far as the map goes
  func present(
    in blocks: Range<Int>, comparing compared: Range<Int> = 0..<0,
    except known: RangeSet<Int> = RangeSet()
  ) throws -> RangeSet<Int> {
    var present = RangeSet<Int>()
    try forEachRecord(in: blocks) { block, record in
      let isThere =
        try record.isTrusted(under: mark)
        || compared.contains(block) && !known.contains(block) && renew(record, of: block)
      if isThere { present.insert(block) }
    }
    return present
  }

  /// Which of some blocks are recorded; the machine may have lost some since.
  ///
  /// - Throws: `Errno`
  /// - Complexity: O(n) in the blocks, as far as the map goes
  func recorded(in blocks: Range<Int>) throws -> RangeSet<Int> {
    var recorded = RangeSet<Int>()
    try forEachRecord(in: blocks) { block, _ in recorded.insert(block) }
    return recorded
  }

  /// A number that changes with each record of some blocks.
  ///
  /// - Throws: `Errno`
  /// - Complexity: O(n) in the blocks, as far as the map goes
  func trace(of blocks: Range<Int>) throws -> Int {
    var hasher = Hasher()
    try forEachRecord(in: blocks) { block, record in
      hasher.combine(block)
      hasher.combine(record)
    }
    return hasher.finalize()
  }

  /// Compares a block with its record of before the machine's start, and records it anew.
  ///
  /// - Returns: Whether it is there.
  /// - Throws: `Errno`, `LibAVError`
  private func renew(_ record: BlockRecord, of block: Int) throws -> Bool {
    let range = bytes(of: block..<block + 1)
    var bytes = [UInt8](repeating: 0, count: range.count)
    let isThere = try bytes.withUnsafeMutableBytes { buffer in
      try data.fill(buffer, from: range.lowerBound) == range.count
        && record.hasDigest(of: UnsafeRawBufferPointer(buffer))
    }
    if isThere, mark != 0, !record.isTrusted(under: mark) {
      try write(record.renewed(under: mark), of: block)
    }
    return isThere
  }

  /// Reads bytes that are there.
  ///
  /// - Throws: `Errno`
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    try data.read(at: offset, into: bytes)
  }

  /// Compares all recorded blocks with their digests, and removes the records that are wrong.
  ///
  /// - Returns: The bytes compared, and the blocks that were damaged.
  /// - Throws: `Errno`, `LibAVError`
  func check() throws -> (bytes: Int64, damaged: [Int]) {
    var (compared, damaged): (Int64, [Int]) = (0, [])
    try forEachRecord(in: 0..<blockCount) { block, record in
      compared += Int64(bytes(of: block..<block + 1).count)
      guard try !renew(record, of: block) else { return }
      damaged.append(block)
      try write(BlockRecord(word: 0), of: block)
    }
    return (compared, damaged)
  }

  /// How many blocks are recorded.
  ///
  /// - Throws: `Errno`
  /// - Complexity: O(n) in the map
  func recordedCount() throws -> Int {
    var count = 0
    try forEachRecord(in: 0..<blockCount) { _, _ in count += 1 }
    return count
  }

  private func forEachRecord(
    in blocks: Range<Int>, _ body: (Int, BlockRecord) throws -> Void
  ) throws {
    let end = min(blocks.upperBound, try mapEnd())
    var start = blocks.lowerBound
    var words = [UInt64](repeating: 0, count: 512)
    while start < end {
      // A map is as sparse as its file. Of few records a hole costs nothing, while some file systems
      // write all that is new before they say where it is.
      if end - start > words.count { start = max(start, firstWritten(from: start) ?? end) }
      let count = min(end - start, words.count)
      guard count > 0 else { return }
      let filled = try words.withUnsafeMutableBytes { bytes in
        try map.fill(.init(rebasing: bytes[..<(count * 8)]), from: Int64(start) * 8)
      }
      for (offset, word) in words[..<(filled / 8)].enumerated() where word != 0 {
        try body(start + offset, BlockRecord(word: UInt64(littleEndian: word)))
      }
      start += count
    }
  }

  /// The first block from `block` on that is not in a hole of the map; nil if there is none.
  private func firstWritten(from block: Int) -> Int? {
    let place = lseek(map.descriptor.rawValue, off_t(block) * 8, Self.seekData)
    if place < 0 { return errno == ENXIO ? nil : block }
    return Int(place / 8)
  }

  /// SEEK_DATA (lseek(2)), which is there only under _GNU_SOURCE.
  private static let seekData: Int32 = 3

  /// The map's own length, in blocks: behind it nothing was recorded.
  ///
  /// - Throws: `Errno`
  func mapEnd() throws -> Int { min(blockCount, Int(try map.size() / 8)) }

  /// Bytes on the disk, for files without names.
  var diskBytes: Int64 {
    [data, map].reduce(0) { sum, file in
      sum + ((try? FileStatus(of: file.descriptor.rawValue))?.diskSize ?? 0)
    }
  }

  // MARK: Writing

  /// Writes bytes, which count once their block is recorded.
  ///
  /// - Throws: `Errno`
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    _ = try data.descriptor.writeAll(toAbsoluteOffset: offset, bytes)
  }

  /// Records a block whose bytes, which these are, were written.
  ///
  /// - Throws: `Errno`, `LibAVError`
  func record(_ block: Int, _ bytes: UnsafeRawBufferPointer) throws {
    try write(BlockRecord(of: bytes, under: mark), of: block)
  }

  private func write(_ record: BlockRecord, of block: Int) throws {
    _ = try withUnsafeBytes(of: record.word.littleEndian) {
      try map.descriptor.writeAll(toAbsoluteOffset: Int64(block) * 8, $0)
    }
  }

  // MARK: Claims

  /// Tries to be the one who fetches some blocks, among all processes. All threads share this
  /// object's claims.
  ///
  /// - Throws: `Errno`, also for no blocks.
  func claim(_ blocks: Range<Int>) throws(Errno) -> Bool {
    try RangeLock.tryLock(Int64(blocks.lowerBound)..<Int64(blocks.upperBound), of: map.descriptor)
  }

  /// Gives claims back.
  func release(_ blocks: Range<Int>) {
    RangeLock.unlock(Int64(blocks.lowerBound)..<Int64(blocks.upperBound), of: map.descriptor)
  }

  /// All blocks that are claimed together with one, by somebody else; nil where nobody claims it.
  func claim(of block: Int) -> Range<Int>? {
    let found = RangeLock.obstacle(to: Int64(block)..<Int64(block) + 1, of: map.descriptor)
    return found.map { Int($0.lowerBound)..<Int($0.upperBound) }
  }
}

/// What the map says of a block: nothing, or 40 bits of its digest, and 24 that stand for the start of
/// the machine under which it was last known to be on the disk.
struct BlockRecord: Sendable, Hashable {
  let word: UInt64

  /// What stands in the map.
  init(word: UInt64) { self.word = word }

  /// The record of a block with these bytes.
  ///
  /// - Throws: `LibAVError`
  init(of bytes: UnsafeRawBufferPointer, under mark: UInt64) throws {
    word = try Self.digest(bytes) << 24 | mark
  }

  /// The mark of a start of the machine; 0 where it is not known which one it is.
  static func mark(of boot: String) -> UInt64 {
    boot == "unknown" ? 0 : max(1, boot.utf8.fnv1a() >> 40)
  }

  private static func digest(_ bytes: UnsafeRawBufferPointer) throws -> UInt64 {
    // 0 says that there is no block.
    max(1, try BlockDigest.digest(bytes) >> 24)
  }

  /// Whether the block was written, or found, since a start of the machine.
  func isTrusted(under mark: UInt64) -> Bool { mark != 0 && word & 0xFF_FFFF == mark }

  /// Whether the bytes are those that were recorded.
  ///
  /// - Throws: `LibAVError`
  func hasDigest(of bytes: UnsafeRawBufferPointer) throws -> Bool {
    try Self.digest(bytes) == word >> 24
  }

  /// This record with the mark of another start of the machine, once the block was found.
  func renewed(under mark: UInt64) -> BlockRecord { BlockRecord(word: (word >> 24) << 24 | mark) }
}
