/// One pass over a file's bytes that finds its Layer III frames.
///
/// In step, a header that agrees with the stream's is taken at its word; out of step, it must be
/// followed by another one where it says. The first frame, and a change of format, need a chain of
/// four, or as many as the file has: pictures in a badly measured tag are full of sync words.
struct FrameScanner {
  /// What a scan finds.
  struct Result {
    var header: FrameHeader
    var tag: EncoderTag?
    /// Bytes of the frame that holds the tag.
    var tagLength = 0
    var entries: [FrameIndex.Entry] = []
    var anomalies: [FrameIndex.Anomaly] = []
  }

  private let bytes: FileWindow
  /// Where the tags at the file's end start.
  private let end: Int
  private var result: Result
  private var skipped = (count: 0, runs: 0, firstOffset: 0)

  private init(_ bytes: FileWindow, end: Int, header: FrameHeader) {
    self.bytes = bytes
    self.end = end
    result = Result(header: header)
  }

  /// See `FrameIndex.init(byteCount:reading:)`.
  static func scan(_ bytes: FileWindow) throws(FrameIndex.Refusal) -> Result {
    let end = TagBoundary.end(in: bytes)
    let sync = FrameSync(bytes: bytes, end: end)
    let start = TagBoundary.start(in: bytes, end: end)
    guard let (first, header) = try sync.firstFrame(from: start) else { throw .noFrames }
    guard header.layer == .layer3 else { throw .notLayer3(header.layer) }
    var scanner = FrameScanner(bytes, end: end, header: header)
    scanner.skip(from: start, to: first)
    var position = first
    if let tag = EncoderTag(in: bytes, at: first, header: header), let length = header.frameLength {
      scanner.result.tag = tag
      scanner.result.tagLength = length
      position += length
    }
    scanner.run(from: position, sync: sync)
    return scanner.result
  }

  private mutating func run(from start: Int, sync: FrameSync) {
    var position = start
    while true {
      position = takeFrames(from: position)
      if let missing = sync.missingBytes(at: position, like: result.header) {
        result.anomalies.append(.truncatedFrame(missingBytes: missing))
        break
      }
      guard let next = sync.nextFrame(from: position, like: result.header) else {
        skip(from: TagBoundary.start(in: bytes, from: position, end: end), to: end)
        break
      }
      skip(from: next.junkStart, to: next.position)
      position = next.position
      if !next.header.isConsistent(with: result.header) {
        let frame = result.entries.count
        result.anomalies.append(.formatChange(frame: frame, offset: position, header: next.header))
        break
      }
    }
    if skipped.runs > 0 {
      result.anomalies.append(
        .skippedBytes(skipped.count, runs: skipped.runs, firstOffset: skipped.firstOffset))
    }
  }

  /// Notes bytes that are no frames, unless they are all zero.
  private mutating func skip(from start: Int, to end: Int) {
    guard let first = (start..<max(start, end)).first(where: { bytes[$0] != 0 }) else { return }
    if skipped.runs == 0 { skipped.firstOffset = first }
    skipped.count += end - first
    skipped.runs += 1
  }

  /// Takes frames while each starts where the one before it ends; returns where that stops.
  ///
  /// This loop is what an hour-long file spends its scan in.
  private mutating func takeFrames(from start: Int) -> Int {
    let header = result.header
    let key = header.bits & FrameHeader.streamMask
    let isMPEG1 = header.version == .mpeg1
    let lengths = FrameSync.lengths(like: header)
    if result.entries.isEmpty {
      // Once: a reservation of an exact size after every bit of junk would copy all frames again.
      let estimate = (end - start) / max(24, header.frameLength ?? 24)
      result.entries.reserveCapacity(min(estimate, 1 << 20))
    }
    var wasMono = header.channelMode == .mono
    if let last = result.entries.last { wasMono = last.isMono }

    var position = start
    while position + 4 <= end {
      let word = bytes.bigEndian32(at: position)
      guard word & FrameHeader.streamMask == key else { break }
      let length = lengths[Int(word >> 12 & 15)] + Int(word >> 9 & 1)
      guard length > 1, position + length <= end else { break }
      let hasChecksum = word & 0x1_0000 == 0
      let isMono = word & 0xC0 == 0xC0
      let sideInformation = position + (hasChecksum ? 6 : 4)
      let begin = bytes.bigEndian16(at: sideInformation)
      let entry = FrameIndex.Entry(
        offset: position, length: length, mainDataBegin: Int(begin >> (isMPEG1 ? 7 : 8)),
        isMono: isMono, hasChecksum: hasChecksum)
      if isMono != wasMono { noteChannels(isMono: isMono) }
      wasMono = isMono
      if begin == 0 { noteTag(at: position, word: word) }
      result.entries.append(entry)
      position += length
    }
    return position
  }

  private mutating func noteChannels(isMono: Bool) {
    for case .channelCountChange in result.anomalies { return }
    result.anomalies.append(
      .channelCountChange(frame: result.entries.count, channelCount: isMono ? 1 : 2))
  }

  /// A tag's frame in mid-stream is decoded like any other, and said.
  private mutating func noteTag(at position: Int, word: UInt32) {
    guard let header = FrameHeader(bits: word) else { return }
    let name = position + 4 + header.sideInformationLength
    guard bytes.holds("Xing", at: name) || bytes.holds("Info", at: name) else { return }
    for case .innerTag in result.anomalies { return }
    result.anomalies.append(.innerTag(frame: result.entries.count))
  }
}
