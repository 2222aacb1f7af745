import Diagnosis

/// Puts bytes that arrive in order into the blocks of an entry, and records each once it is written.
struct BlockWriter {
  private let files: EntryFiles
  /// The next byte to come.
  private(set) var cursor: Int64
  /// What came of the block around the cursor.
  private var block: [UInt8] = []

  /// - Parameters:
  ///   - files: Where the blocks belong.
  ///   - start: Where a block begins.
  init(_ files: EntryFiles, from start: Int64 = 0) {
    (self.files, cursor) = (files, start)
    block.reserveCapacity(Int(EntryFiles.blockSize))
  }

  /// What came of the block around the cursor, for readers that get no more of it.
  func broken(by failure: Failure) -> BrokenFetch {
    BrokenFetch(failure: failure, cursor: cursor, bytes: block)
  }

  /// Where the block around the cursor begins.
  var blockStart: Int64 { cursor - Int64(block.count) }

  /// Goes on at another block; what came of the last one is left out.
  mutating func skip(to start: Int64) {
    block.removeAll(keepingCapacity: true)
    cursor = start
  }

  /// Takes the next bytes; those behind the entity's end are left out.
  ///
  /// - Parameters:
  ///   - bytes: At the cursor.
  ///   - isThere: Called with the number of each block that is complete.
  /// - Throws: `Errno`, `LibAVError`
  mutating func take(
    _ bytes: Slice<UnsafeRawBufferPointer>, _ isThere: (Int) -> Void = { _ in }
  ) throws {
    var rest = bytes
    while !rest.isEmpty {
      let end = files.bytes(of: files.blocks(of: cursor..<cursor + 1)).upperBound
      let part = rest.prefix(Int(end - cursor))
      if part.isEmpty { return }
      block += part
      rest = rest.dropFirst(part.count)
      cursor += Int64(part.count)
      if cursor == end { isThere(try complete()) }
    }
  }

  /// Writes the last block of an entity that has ended.
  ///
  /// - Throws: `Errno`, `LibAVError`
  mutating func finish() throws {
    if !block.isEmpty { _ = try complete() }
  }

  /// Writes a block, and records it then; gives its number.
  private mutating func complete() throws -> Int {
    let start = blockStart
    let number = Int(start / EntryFiles.blockSize)
    try block.withUnsafeBytes { bytes in
      try files.write(bytes, at: start)
      try files.record(number, bytes)
    }
    block.removeAll(keepingCapacity: true)
    return number
  }
}

/// How a fetch ended before its goal. What came of its last block is no part of the entry, since no
/// digest of it is recorded.
struct BrokenFetch: Sendable {
  /// Why it ended.
  let failure: Failure
  /// The first byte that did not come.
  let cursor: Int64
  /// What came of that byte's block.
  let bytes: [UInt8]

  /// Copies what came from an offset on; gives the number of bytes.
  func copy(from offset: Int64, to target: UnsafeMutableRawBufferPointer) -> Int {
    let start = cursor - Int64(bytes.count)
    guard start..<cursor ~= offset else { return 0 }
    let part = bytes[Int(offset - start)...].prefix(target.count)
    target.copyBytes(from: part)
    return part.count
  }
}
