import Files
import Glibc
import LibAV
import SystemPackage

/// The bytes and the map of one generation of an entry.
///
/// The map has eight bytes for each block of 16 KiB: 0, or the block's digest. A block's bytes are
/// written before its digest, so however a process ends, the map promises nothing that is not there;
/// and after the machine itself stopped, digests tell which blocks reached the disk.
///
/// Owns its descriptors. Safe from any thread and process: what is promised never changes.
final class EntryFiles: Sendable {
  /// Bytes of a block; the last one may have fewer.
  static let blockSize: Int64 = 16 << 10

  let size: Int64
  private let data: FileDescriptor
  private let map: FileDescriptor
  /// Whether digests are compared when blocks are first looked at.
  let isDoubtful: Bool

  /// Opens the files of a generation, and makes them where there are none.
  ///
  /// - Parameters:
  ///   - generation: Its name.
  ///   - size: The entity's bytes.
  ///   - folder: The entry's.
  ///   - isDoubtful: Whether the machine was started anew since blocks were written.
  /// - Throws: `Errno`
  init(
    of generation: String, size: Int64, in folder: EntryFolder, isDoubtful: Bool
  ) throws(Errno) {
    data = try folder.open(generation + ".data", O_RDWR | O_CREAT)
    do throws(Errno) {
      map = try folder.open(generation + ".map", O_RDWR | O_CREAT)
    } catch {
      try? data.close()
      throw error
    }
    (self.size, self.isDoubtful) = (size, isDoubtful)
  }

  deinit {
    try? data.close()
    try? map.close()
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

  /// Which of some blocks are there.
  ///
  /// - Throws: `Errno`, `LibAVError`
  func present(_ blocks: Range<Int>) throws -> [Bool] {
    try digests(of: blocks).enumerated().map { index, digest in
      guard digest != 0 else { return false }
      return try !isDoubtful || self.digest(of: blocks.lowerBound + index) == digest
    }
  }

  /// The digests in the map.
  ///
  /// - Throws: `Errno`
  private func digests(of blocks: Range<Int>) throws -> [UInt64] {
    var digests = [UInt64](repeating: 0, count: blocks.count)
    // What lies behind the map's end was never written: 0.
    try digests.withUnsafeMutableBytes { bytes in
      _ = try map.readAll(into: bytes, from: Int64(blocks.lowerBound) * 8)
    }
    return digests.map(UInt64.init(littleEndian:))
  }

  /// The digest of a block as it is on the disk; 0 where it has too few bytes.
  ///
  /// - Throws: `Errno`, `LibAVError`
  private func digest(of block: Int) throws -> UInt64 {
    let range = bytes(of: block..<block + 1)
    var bytes = [UInt8](repeating: 0, count: range.count)
    return try bytes.withUnsafeMutableBytes { buffer in
      guard try data.readAll(into: buffer, from: range.lowerBound) == range.count else { return 0 }
      return try Self.digest(UnsafeRawBufferPointer(buffer))
    }
  }

  private static func digest(_ bytes: UnsafeRawBufferPointer) throws -> UInt64 {
    // 0 says that there is no block.
    max(1, try BlockDigest.digest(bytes))
  }

  /// Reads bytes that are there.
  ///
  /// - Throws: `Errno`
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    try data.read(fromAbsoluteOffset: offset, into: bytes)
  }

  /// Compares all promised blocks with their digests, and takes back the promises that are wrong.
  ///
  /// - Returns: The bytes compared, and the blocks that were damaged.
  /// - Throws: `Errno`, `LibAVError`
  func check() throws -> (bytes: Int64, damaged: [Int]) {
    var (compared, damaged): (Int64, [Int]) = (0, [])
    for start in stride(from: 0, to: try promisedCount(), by: 512) {
      let blocks = start..<min(start + 512, blockCount)
      for (block, digest) in zip(blocks, try digests(of: blocks)) where digest != 0 {
        compared += Int64(bytes(of: block..<block + 1).count)
        guard try self.digest(of: block) != digest else { continue }
        damaged.append(block)
        try forget(block)
      }
    }
    return (compared, damaged)
  }

  /// The map's own length, in blocks: behind it nothing was promised.
  ///
  /// - Throws: `Errno`
  func promisedCount() throws -> Int {
    min(blockCount, Int(try map.seek(offset: 0, from: .end) / 8))
  }

  // MARK: Writing

  /// Writes bytes, which count once `promise` has named their block.
  ///
  /// - Throws: `Errno`
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    _ = try data.writeAll(toAbsoluteOffset: offset, bytes)
  }

  /// Promises a block whose bytes, which these are, were written.
  ///
  /// - Throws: `Errno`, `LibAVError`
  func promise(_ block: Int, _ bytes: UnsafeRawBufferPointer) throws {
    var digest = try Self.digest(bytes).littleEndian
    _ = try withUnsafeBytes(of: &digest) {
      try map.writeAll(toAbsoluteOffset: Int64(block) * 8, $0)
    }
  }

  /// Takes a promise back: the block is fetched anew.
  ///
  /// - Throws: `Errno`
  private func forget(_ block: Int) throws {
    _ = try map.writeAll(toAbsoluteOffset: Int64(block) * 8, [UInt8](repeating: 0, count: 8))
  }

  // MARK: Claims

  /// Tries to be the one who fetches some blocks, among all processes. This object has one claim on a
  /// block at most, whoever made it.
  ///
  /// - Throws: `Errno`
  func claim(_ blocks: Range<Int>) throws(Errno) -> Bool {
    try RangeLock.tryLock(Int64(blocks.lowerBound)..<Int64(blocks.upperBound), of: map)
  }

  /// Gives claims back.
  func release(_ blocks: Range<Int>) {
    guard !blocks.isEmpty else { return }
    RangeLock.unlock(Int64(blocks.lowerBound)..<Int64(blocks.upperBound), of: map)
  }
}

extension FileDescriptor {
  /// Reads until `bytes` are full, or the file ends; gives how many there were.
  ///
  /// - Throws: `Errno`
  fileprivate func readAll(
    into bytes: UnsafeMutableRawBufferPointer, from offset: Int64
  ) throws -> Int {
    var filled = 0
    while filled < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
      let count = try read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}
