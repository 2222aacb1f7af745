/// Finds frames in bytes that may hold anything.
///
/// Every search looks at each byte once and at no more than four headers from each.
struct FrameSync {
  let bytes: FileWindow
  private let limit: Int

  /// - Parameters:
  ///   - bytes: The file.
  ///   - limit: Where its frames end.
  init(_ bytes: FileWindow, end limit: Int) { (self.bytes, self.limit) = (bytes, limit) }

  /// Where frames end: earlier than at first, where bytes could not be read.
  var end: Int { min(limit, bytes.count) }

  /// How many headers in a row are evidence of a stream.
  private static let chainLength = 4
  /// How many headers of free format are tried before a file is given up.
  private static let freeFormatAttempts = 256
  /// Bytes in which a stream must begin: no honest file has as much before it.
  private static let mostJunk = 64 << 20

  /// Bytes of a frame without padding, by the header's bit rate index; 0 where there is none.
  static func lengths(like header: FrameHeader) -> [Int] {
    (0..<16).map { index in
      let bits = header.bits & ~0xF200 | UInt32(index) << 12
      return FrameHeader(bits: bits)?.frameLength ?? 0
    }
  }

  /// The first frame of a stream of any layer. Right at `start`, two in a row are enough.
  func firstFrame(from start: Int) throws(FrameIndex.Refusal) -> (Int, FrameHeader)? {
    var position = start
    let limit = start + Self.mostJunk
    while let candidate = nextSync(from: position, limit: limit) {
      if let header = chain(of: Self.chainLength, at: candidate, mayBeSingle: candidate == start) {
        return (candidate, header)
      }
      position = candidate + 1
    }
    if isFreeFormat(from: start, limit: limit) { throw .freeFormat }
    return chain(of: 2, at: start, mayBeSingle: true).map { (start, $0) }
  }

  /// The next frame that agrees with `header` and is followed by one that does, or the start of a
  /// stream of another format; `junkStart` is where a known tag before it ends.
  func nextFrame(
    from start: Int, like stream: FrameHeader
  ) -> (position: Int, junkStart: Int, header: FrameHeader)? {
    let junkStart = TagBoundary.start(in: bytes, from: start, end: end)
    var position = junkStart
    while let candidate = nextSync(from: position) {
      position = candidate + 1
      guard let header = self.header(at: candidate) else { continue }
      let isOurs = header.isConsistent(with: stream)
      if chain(of: isOurs ? 2 : Self.chainLength, at: candidate, mayBeSingle: isOurs) != nil {
        return (candidate, junkStart, header)
      }
    }
    return nil
  }

  /// How much of the frame at `position` lies behind the end; nil where there is no frame, or all
  /// of one.
  func missingBytes(at position: Int, like stream: FrameHeader) -> Int? {
    guard let header = header(at: position), header.isConsistent(with: stream),
      let length = header.frameLength, position + length > end
    else { return nil }
    return position + length - end
  }

  /// Where the frame begins that ends at a place, and has the bit rate of `header`; nil where there is
  /// none.
  func start(ofFrameEndingAt place: Int, like header: FrameHeader) -> Int? {
    guard let length = header.lengthWithoutPadding else { return nil }
    for start in [place - length, place - length - 1] where start >= 0 {
      if let found = self.header(at: start), found.isConsistent(with: header),
        found.bitRate == header.bitRate, found.frameLength == place - start
      {
        return start
      }
    }
    return nil
  }

  /// The header at `position`, if `count` headers that agree follow one another from there, or
  /// fewer up to the end: two, of which the second may be cut short, or a single whole frame.
  private func chain(of count: Int, at position: Int, mayBeSingle: Bool) -> FrameHeader? {
    guard let first = header(at: position) else { return nil }
    var next = position
    for index in 0..<count {
      if next == end { return index > (mayBeSingle ? 0 : 1) ? first : nil }
      if next > end - 4 { return index > 1 ? first : nil }
      guard let header = header(at: next), header.isConsistent(with: first),
        let length = header.frameLength
      else { return nil }
      if next + length > end { return index > 0 ? first : nil }
      next += length
    }
    return first
  }

  private func header(at position: Int) -> FrameHeader? {
    position <= end - 4 ? FrameHeader(bits: bytes.bigEndian32(at: position)) : nil
  }

  /// The next place before `limit` where a sync word may start.
  private func nextSync(from start: Int, limit: Int = .max) -> Int? {
    var position = start
    while position + 4 <= end, position < limit {
      if bytes[position] == 0xFF, bytes[position + 1] >= 0xE0 { return position }
      position += 1
    }
    return nil
  }

  /// Whether Layer III headers without a bit rate follow one another at one distance, give or take
  /// a byte of padding.
  private func isFreeFormat(from start: Int, limit: Int) -> Bool {
    var position = start
    for _ in 0..<Self.freeFormatAttempts {
      guard let candidate = nextFreeFormat(from: position, limit: limit),
        let first = header(at: candidate)
      else {
        return false
      }
      position = candidate + 1
      // 640 kbps at 8 kHz is more than any encoder writes.
      for distance in 24...5760 where agrees(first, at: candidate + distance) {
        var next = candidate + distance
        var count = 2
        while count < Self.chainLength,
          let step = (-1...1).first(where: { agrees(first, at: next + distance + $0) })
        {
          next += distance + step
          count += 1
        }
        if count == Self.chainLength { return true }
      }
    }
    return false
  }

  private func nextFreeFormat(from start: Int, limit: Int) -> Int? {
    var position = start
    while let candidate = nextSync(from: position, limit: limit) {
      if let header = header(at: candidate), header.isFreeFormat, header.layer == .layer3 {
        return candidate
      }
      position = candidate + 1
    }
    return nil
  }

  /// Whether the headers differ in nothing but padding, the private bit and stereo's fine print.
  private func agrees(_ first: FrameHeader, at position: Int) -> Bool {
    guard let other = header(at: position) else { return false }
    return (first.bits ^ other.bits) & 0xFFFF_FCC0 == 0
  }
}
