/// What was unsynchronised, as it was before, and where in the file it lies (2.4.0 structure §6.1).
struct SynchronisedBytes {
  let bytes: [UInt8]
  private let start: Int
  /// Before which of the bytes a zero was taken out, in order.
  private let gaps: [UInt32]
  /// Whether the bytes have places in the file: not if they were compressed there.
  var isInFile: Bool { start >= 0 }

  /// Takes the zero out that stands behind each 0xFF of what is stored from `start` of the file on.
  ///
  /// - Complexity: O(n)
  init(_ stored: some Collection<UInt8>, at start: Int) {
    var bytes: [UInt8] = []
    var gaps: [UInt32] = []
    bytes.reserveCapacity(stored.count)
    var isBehindSync = false
    for byte in stored {
      if isBehindSync, byte == 0 {
        gaps.append(UInt32(truncatingIfNeeded: bytes.count))
      } else {
        bytes.append(byte)
      }
      isBehindSync = byte == 0xFF
    }
    (self.bytes, self.start, self.gaps) = (bytes, start, gaps)
  }

  /// What was compressed, as it was before.
  init(inflated bytes: [UInt8]) { (self.bytes, start, gaps) = (bytes, -1, []) }

  /// Where in the file the bytes of `range`, which is not empty, lie.
  ///
  /// - Complexity: O(log n)
  func stored(_ range: Range<Int>) -> Range<Int> {
    place(of: range.lowerBound)..<place(of: range.upperBound - 1) + 1
  }

  private func place(of index: Int) -> Int {
    var (low, high) = (0, gaps.count)
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle] <= index { low = middle + 1 } else { high = middle }
    }
    return start + index + low
  }
}

/// Bytes that frames are read from: a file's, or what was unsynchronised, in memory.
enum ID3Bytes {
  case file(FileWindow)
  case memory(SynchronisedBytes)

  /// Zero where there is none.
  subscript(position: Int) -> UInt8 {
    switch self {
    case .file(let window): window[position]
    case .memory(let plain): plain.bytes.indices.contains(position) ? plain.bytes[position] : 0
    }
  }

  /// A copy; zeros where there are none.
  func copy(_ range: Range<Int>) -> [UInt8] {
    switch self {
    case .memory(let plain):
      let held = range.clamped(to: 0..<plain.bytes.count)
      return plain.bytes[held] + [UInt8](repeating: 0, count: range.count - held.count)
    case .file(let window):
      var copy: [UInt8] = []
      copy.reserveCapacity(range.count)
      // As much as a window lends at once.
      for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 16) {
        let count = min(1 << 16, range.upperBound - start)
        window.withBytes(at: start, count: count) { copy += $0 }
      }
      return copy
    }
  }

  /// Whether there is nothing but zeros.
  func isEmpty(in range: Range<Int>) -> Bool { range.allSatisfy { self[$0] == 0 } }

  /// A number of `count` bytes with `bits` significant bits in each; nil where a byte has more.
  func number(at position: Int, count: Int, bits: Int) -> Int? {
    var number = 0
    for offset in 0..<count {
      let byte = Int(self[position + offset])
      guard byte < 1 << bits else { return nil }
      number = number << bits | byte
    }
    return number
  }
}

/// A stretch of frames.
struct ID3Part {
  var bytes: ID3Bytes
  var range: Range<Int>

  init(_ bytes: ID3Bytes, _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  /// All of what was unsynchronised.
  init(_ plain: SynchronisedBytes) {
    self.init(.memory(plain), 0..<plain.bytes.count)
  }

  /// The place of a picture, which is not empty, in this part; nil where the file has it in another
  /// form.
  func image(_ content: Range<Int>) -> StoredID3Tag.Image? {
    switch bytes {
    case .file: StoredID3Tag.Image(stored: content, isUnsynchronised: false)
    case .memory(let plain):
      plain.isInFile
        ? StoredID3Tag.Image(stored: plain.stored(content), isUnsynchronised: true) : nil
    }
  }
}

/// One frame's header, and where its content lies.
struct ID3Frame {
  /// As 2.3 and 2.4 name it.
  var identifier: String
  /// The second byte of flags; 0 in 2.2.
  var flags: UInt8
  var body: Range<Int>
}

/// Goes from frame to frame.
struct ID3FrameWalk: Sequence, IteratorProtocol {
  private let bytes: ID3Bytes
  private let end: Int
  private let version: UInt8
  /// Of a size's bytes, in 2.4: 7, or 8 where its writer took the sizes of 2.3.
  private let bits: Int
  /// Where the next frame is expected.
  private(set) var position: Int

  init(_ part: ID3Part, version: UInt8, bits: Int) {
    bytes = part.bytes
    end = part.range.upperBound
    position = part.range.lowerBound
    self.version = version
    self.bits = bits
  }

  /// Of a whole part, with the sizes that fit it.
  init(_ part: ID3Part, version: UInt8) {
    self.init(part, version: version, bits: version < 4 ? 8 : Self.bits(in: part))
  }

  mutating func next() -> ID3Frame? {
    let idCount = version == 2 ? 3 : 4
    let headCount = version == 2 ? 6 : 10
    guard end - position >= headCount, let identifier = identifier(count: idCount),
      let size = bytes.number(at: position + idCount, count: idCount, bits: bits),
      size <= end - position - headCount
    else { return nil }
    let start = position + headCount
    position = start + size
    let flags = version == 2 ? 0 : bytes[start - 1]
    return ID3Frame(identifier: identifier, flags: flags, body: start..<position)
  }

  /// Capital letters and digits. What was carried over from 2.2 with its old name has a zero or a
  /// space behind it.
  private func identifier(count: Int) -> String? {
    let letters = bytes.copy(position..<position + count)
    let isOld = count == 3 || letters[3] == 0 || letters[3] == 0x20
    let name = String(decoding: letters.prefix(isOld ? 3 : 4), as: UTF8.self)
    guard name.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }) else { return nil }
    return isOld ? ID3Keys.olderFrames[name] ?? name : name
  }

  /// Tells which sizes a part of 2.4 has: those with which the frames fill it, or after which there
  /// are only zeros; else those that lead to more frames. iTunes wrote plain ones for years, and
  /// below 128 there is no difference.
  private static func bits(in part: ID3Part) -> Int {
    var counts: [Int] = []
    for bits in [7, 8] {
      var walk = ID3FrameWalk(part, version: 4, bits: bits)
      var count = 0
      while walk.next() != nil { count += 1 }
      if part.bytes.isEmpty(in: walk.position..<part.range.upperBound) { return bits }
      counts.append(count)
    }
    return counts[1] > counts[0] ? 8 : 7
  }
}
