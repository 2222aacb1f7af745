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
    /// Bytes between the tags at the file's start and end, without zeros before the first frame.
    var streamLength = 0
    var entries: [FrameIndex.Entry] = []
    var anomalies: [FrameIndex.Anomaly] = []
  }

  private let bytes: FileWindow
  /// Bytes from the first frame, that of the tag or one with sound, to the tags at the file's end.
  let streamLength: Int
  private let sync: FrameSync
  /// Where the scan goes on, and whether it has found all.
  private var position: Int
  private(set) var isAtEnd = false
  /// Whether bytes between frames were passed over, in which frames may have been.
  private(set) var isInterrupted = false
  private(set) var result: Result
  private var skipped = (count: 0, runs: 0, firstOffset: 0, frames: [Int]())
  /// So many places of skipped bytes are known by their frames.
  private static let mostSkippedFrames = 1000

  /// Finds the first frame, and reads its tag. See `FrameIndex.init(byteCount:reading:)`.
  init(_ bytes: FileWindow) throws(FrameIndex.Refusal) {
    let end = TagBoundary.end(in: bytes)
    let sync = FrameSync(bytes, end: end)
    let start = TagBoundary.start(in: bytes, end: end)
    guard let (first, header) = try sync.firstFrame(from: start) else { throw .noFrames }
    guard header.layer == .layer3 else { throw .notLayer3(header.layer) }
    (self.bytes, self.sync) = (bytes, sync)
    streamLength = end - first
    result = Result(header: header)
    position = first
    skip(from: start, to: first)
    // Frames that are damaged may lie before the first ones in a row.
    result.streamLength = skipped.count + end - first
    if let tag = EncoderTag(in: bytes, at: first, header: header), let length = header.frameLength {
      result.tag = tag
      result.tagLength = length
      position += length
    }
  }

  /// Where the tags at the file's end start.
  private var end: Int { sync.end }

  /// How many frames the stream has if all are like the first ones, which were found, and the last
  /// ones, which are looked at: those of a constant bit rate, whose padding makes up for the part of a
  /// byte that each frame lacks, or is not used at all (ISO 11172-3, 2.4.2.3). Nil where its bytes do
  /// not agree with that.
  var constantCount: Int? {
    let header = result.header
    guard !isInterrupted, !isAtEnd, let first = result.entries.first,
      let length = header.lengthWithoutPadding,
      result.entries.allSatisfy({ $0.length == length || $0.length == length + 1 })
    else { return nil }
    let total = end - first.offset
    // A frame's bytes are the quotient of these.
    let (size, rate) = (header.samplesPerFrame / 8 * header.bitRate, header.sampleRate)
    let isPadded = result.entries.contains { $0.length > length }
    let count = isPadded ? (total * rate + size / 2) / size : total / length
    let error = isPadded ? abs(total * rate - count * size) : (total % length) * rate
    guard count > result.entries.count, isPadded ? error <= rate : error == 0 else { return nil }
    var place = end
    for _ in 0..<Self.lastFrames {
      guard let start = sync.start(ofFrameEndingAt: place, like: header) else { return nil }
      place = start
    }
    return count
  }

  /// As many are looked at: with the tags behind them they lie in one block of a server's file.
  private static let lastFrames = 3

  /// Goes on until `count` frames are found, or all. Takes time linear in the bytes that it passes.
  mutating func find(_ count: Int = .max) {
    while !isAtEnd, result.entries.count < count {
      // No byte behind the frames that are needed: it may be on its way, or never come.
      let missing = min(count - result.entries.count, Self.step)
      let stop = count == .max ? end : min(end, position + (missing - 1) * shortest + 4)
      position = takeFrames(from: position, until: stop)
      if position + 4 > stop, stop < end { continue }
      resume()
    }
  }

  /// Frames after which a scan looks at least whether it has found enough.
  private static let step = 1 << 16

  /// The fewest bytes that a frame may have.
  private var shortest: Int {
    FrameSync.lengths(like: result.header).filter { $0 > 1 }.min() ?? 24
  }

  /// Looks for the next frame where none follows.
  private mutating func resume() {
    if let missing = sync.missingBytes(at: position, like: result.header) {
      finish(.truncatedFrame(missingBytes: missing))
      return
    }
    guard let next = sync.nextFrame(from: position, like: result.header) else {
      skip(from: TagBoundary.start(in: bytes, from: position, end: end), to: end)
      finish()
      return
    }
    skip(from: next.junkStart, to: next.position)
    if next.position > position { isInterrupted = true }
    position = next.position
    if !next.header.isConsistent(with: result.header) {
      let frame = result.entries.count
      finish(.formatChange(frame: frame, offset: position, header: next.header))
    }
  }

  private mutating func finish(_ anomaly: FrameIndex.Anomaly? = nil) {
    isAtEnd = true
    if let anomaly { result.anomalies.append(anomaly) }
    if skipped.runs > 0 {
      result.anomalies.append(
        .skippedBytes(
          skipped.count, runs: skipped.runs, firstOffset: skipped.firstOffset,
          frames: skipped.frames))
    }
  }

  /// Notes bytes that are no frames, unless they are all zero.
  private mutating func skip(from start: Int, to end: Int) {
    guard let first = (start..<max(start, end)).first(where: { bytes[$0] != 0 }) else { return }
    if skipped.runs == 0 { skipped.firstOffset = first }
    if skipped.frames.count < Self.mostSkippedFrames { skipped.frames.append(result.entries.count) }
    skipped.count += end - first
    skipped.runs += 1
  }

  /// Takes frames that begin before `stop`, while each starts where the one before it ends; returns
  /// where that stops.
  ///
  /// This loop is what an hour-long file spends its scan in.
  private mutating func takeFrames(from start: Int, until stop: Int) -> Int {
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
    while position + 4 <= stop {
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
