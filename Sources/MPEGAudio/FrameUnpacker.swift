/// Takes the frames of a Layer III stream out of its bit reservoir.
///
/// Fed with the stream in pieces of any size. A frame comes out as soon as its main data are
/// complete, which is often before its slot is: encoders write no further than they must.
package struct FrameUnpacker: Sendable {
  /// Why bytes are no stream that starts with a frame.
  package enum Problem: Error, Sendable, Hashable {
    /// There is no header of Layer III with a bit rate where a frame should start.
    case noHeader(offset: Int)
    /// A frame's main data begin before the stream does.
    case missingMainData(frame: Int)
    /// A frame's main data end behind its slot.
    case overlongMainData(frame: Int)
  }

  /// Frames that came out so far.
  package private(set) var count = 0

  private let freeFormatBitRate: Int?
  /// Bytes of the stream that were fed.
  private var position = 0
  /// The start of a frame that is not complete up to the end of its side information.
  private var head: [UInt8] = []
  /// What slots held, of which the last bytes may still be referred to.
  private var mainData: [UInt8] = []
  /// How many of these bytes were dropped.
  private var dropped = 0
  /// Bytes of the last slot that are still to come.
  private var slotRest = 0
  /// The frame whose main data are not complete.
  private var waiting: Waiting?

  private struct Waiting {
    var header: FrameHeader
    var mainDataBegin: Int
    var sideInformation: [UInt8]
    /// Counted from the first byte of the first slot.
    var mainData: Range<Int>
    /// Of main data.
    var bits: Int
  }

  /// - Parameter freeFormatBitRate: Bits a second of frames in free format; nil: they are refused.
  package init(freeFormatBitRate: Int? = nil) { self.freeFormatBitRate = freeFormatBitRate }

  /// Takes the next bytes of the stream, and appends the frames that they complete to `frames`.
  ///
  /// - Throws: `Problem`; nothing is to be fed after it.
  package mutating func unpack(
    _ bytes: UnsafeBufferPointer<UInt8>, into frames: inout [UnpackedFrame]
  ) throws(Problem) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count: Int
      if slotRest > 0 {
        count = min(slotRest, rest.count)
        mainData.append(contentsOf: rest.prefix(count))
        slotRest -= count
        position += count
      } else {
        count = min(try missingHead(), rest.count)
        head.append(contentsOf: rest.prefix(count))
        position += count
        if try missingHead() == 0 { try readHead() }
      }
      rest = rest.dropFirst(count)
      if let frame = try completeFrame() {
        frames.append(frame)
        dropUnreachable()
      }
    }
  }

  /// How many bytes `head` lacks: to a header, and then to the end of the side information.
  private func missingHead() throws(Problem) -> Int {
    guard head.count >= 4 else { return 4 - head.count }
    let bits = head.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    guard let header = FrameHeader(bits: bits), header.layer == .layer3,
      !header.isFreeFormat || freeFormatBitRate != nil
    else {
      throw .noHeader(offset: position - head.count)
    }
    return header.headLength - head.count
  }

  private mutating func readHead() throws(Problem) {
    let bits = head.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    guard let header = FrameHeader(bits: bits) else {
      throw .noHeader(offset: position - head.count)
    }
    var side = Array(head.suffix(header.sideInformationLength))
    let (begin, length) = side.withUnsafeBufferPointer {
      (SideInformation.mainDataBegin($0, header), SideInformation.mainDataBits($0, header))
    }
    SideInformation.setMainDataBegin(0, in: &side, at: 0, header)
    let start = dropped + mainData.count - begin
    guard start >= dropped else { throw .missingMainData(frame: count) }
    var slotLength = header.slotLength
    // The frame gets another slot, and begins with the least.
    var plain = header
    if header.isFreeFormat, let freeFormatBitRate {
      let length = header.samplesPerFrame / 8 * freeFormatBitRate / header.sampleRate
      slotLength = length + (header.hasPadding ? 1 : 0) - header.headLength
      plain = FrameHeader(bits: bits & ~0x200 | 0x1000) ?? header
    }
    waiting = Waiting(
      header: plain, mainDataBegin: begin, sideInformation: side,
      mainData: start..<start + (length + 7) / 8, bits: length)
    slotRest = slotLength
    head.removeAll(keepingCapacity: true)
  }

  private mutating func completeFrame() throws(Problem) -> UnpackedFrame? {
    guard let frame = waiting else { return nil }
    guard frame.mainData.upperBound <= dropped + mainData.count else {
      guard slotRest > 0 else { throw .overlongMainData(frame: count) }
      return nil
    }
    var content = frame.sideInformation
    let start = frame.mainData.lowerBound - dropped
    content.append(contentsOf: mainData[start..<start + frame.mainData.count])
    if frame.bits % 8 != 0 { content[content.count - 1] &= 0xFF << UInt8(8 - frame.bits % 8) }
    waiting = nil
    count += 1
    return UnpackedFrame(
      header: frame.header, mainDataBegin: frame.mainDataBegin, content: content)
  }

  /// Keeps what the next frame may reach back to, moving bytes now and then only.
  private mutating func dropUnreachable() {
    guard mainData.count > 1 << 13 else { return }
    let excess = mainData.count - 511
    mainData.removeFirst(excess)
    dropped += excess
  }
}
