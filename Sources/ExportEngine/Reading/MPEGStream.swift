import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime

/// A bare MPEG audio file, with seeks by our own index of its frames: libavformat's seek is an
/// estimate.
final class MPEGStream: FrameSource {
  let channelCount: Int
  var position: Int64 { cursor.position }

  /// PCM frames of sound.
  var frameCount: Int64 { index.validFrameCount }

  private let location: MediaLocation
  private let file: MPEGFile
  private var frames: GrowingFrameIndex
  private let decoder: Decoder
  private let cursor: FrameCursor

  /// The next frame to decode, and the first whose samples count.
  private var next = 0
  private var firstWanted = 0

  private init(
    _ location: MediaLocation, _ file: MPEGFile, _ frames: GrowingFrameIndex, _ damage: Damage
  ) throws(LibAVError) {
    self.location = location
    self.file = file
    self.frames = frames
    channelCount = frames.index.channelCount
    decoder = try Decoder.openMP3()
    cursor = try FrameCursor(location, channelCount: channelCount, damage)
  }

  private var index: FrameIndex { frames.index }

  /// Opens a file by its index, or scans it again without one, with iTunes' note.
  static func open(
    _ facts: StreamFacts, _ known: FrameIndex?, _ note: ITunesGapless?, _ damage: Damage
  ) throws(Failure) -> MPEGStream {
    let file = MPEGFile(try MediumBytes(facts.location))
    let frames: GrowingFrameIndex
    if let known { frames = GrowingFrameIndex(known) } else { frames = try file.scan(noting: note) }
    return try reading(facts.location) { () throws(LibAVError) in
      try MPEGStream(facts.location, file, frames, damage)
    }
  }

  func seek(to target: Int64) throws(Failure) {
    guard target != position else { return }
    let frame = index.frame(containing: target)
    try find(frame)
    // Ahead by less than the warm-up of a jump: decode on.
    if target < position || frame - next > index.preRoll(ofFrame: frame) {
      decoder.flush()
      firstWanted = frame
      next = frame - index.preRoll(ofFrame: frame)
      cursor.clear()
    }
    cursor.position = target
  }

  /// Makes sure that the index has a frame.
  private func find(_ frame: Int) throws(Failure) {
    do throws(GrowingFrameIndex.Contradiction) {
      try frames.find(frame)
    } catch {
      // Zeros that stand for bytes which could not be read are no frames.
      try file.requireRead()
      throw Failure(
        .tryAgain,
        "announces \(error.announced) frames and holds \(error.found); run the job again: all of it "
          + "is here now, and will be counted", location: location)
    }
    try file.requireRead()
  }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    let count = Int(min(Int64(count), index.validFrameCount - position))
    let filled = try cursor.read(into: buffer, at: offset, count: count) { () throws(Failure) in
      try advance()
    }
    // Frames at the end that do not decode are silent: the index has counted them.
    return filled
      + cursor.silence(
        in: buffer, at: offset + filled, upTo: index.validFrameCount, count: count - filled)
  }

  /// Decodes one frame; false after the last.
  private func advance() throws(Failure) -> Bool {
    guard next < index.count else { return false }
    let current = next
    next += 1
    try find(current)
    let packet = try file.packet(index.byteRange(ofFrame: current), timestamp: Int64(current))
    try reading(location) { () throws(LibAVError) in
      do throws(LibAVError) {
        try decoder.send(packet)
        guard try decoder.receive(into: cursor.frame) else { return }
      } catch {
        // Its frames stay silent, and count as a hole.
        guard error.isDamage else { throw error }
        return
      }
      guard cursor.frame.sampleRate == index.sampleRate,
        cursor.frame.channelCount == channelCount
      else {
        throw LibAVError.formatChanged(
          to: cursor.frame,
          at: Time(frames: index.firstSample(ofFrame: current), rate: index.sampleRate).inSeconds)
      }
      guard current >= firstWanted else { return }
      cursor.place(at: index.firstSample(ofFrame: current))
    }
    return true
  }
}

/// A bare MPEG audio file's bytes. One thread at a time.
final class MPEGFile {
  private let medium: MediumBytes
  /// Why bytes could not be read: a scan takes them for zeros.
  private var failure: Failure?
  /// The last bytes read, so that frames in order need one call for many.
  private var window: [UInt8] = []
  private var windowStart = 0
  private static let windowSize = 1 << 16

  init(_ medium: MediumBytes) { self.medium = medium }

  /// Finds all frames, in memory that does not grow with the file. A file that is truncated
  /// meanwhile ends there. Of a server's file most frames are left for later, if its tag says how
  /// many there are.
  func frames(
    noting note: ITunesGapless?
  ) throws(Failure) -> Result<GrowingFrameIndex, FrameIndex.Refusal> {
    let size = try medium.size()
    guard size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", location: medium.location)
    }
    let result: Result<GrowingFrameIndex, FrameIndex.Refusal>
    do throws(FrameIndex.Refusal) {
      result = .success(try find(size, note))
    } catch {
      result = .failure(error)
    }
    try requireRead()
    return result
  }

  private func find(
    _ size: Int64, _ note: ITunesGapless?
  ) throws(FrameIndex.Refusal) -> GrowingFrameIndex {
    // Fewer bytes are here sooner than another request is answered. If a tag is wrong, the next run
    // counts the frames that are kept.
    let isCostly = medium.isKept && medium.missingBytes(of: [0..<size]) > Self.fewBytes
    if isCostly, let growing = try GrowingFrameIndex(byteCount: Int(size), reading: fill) {
      return growing
    }
    // An exact place needs every byte before it.
    medium.expect(0..<size)
    let index = try FrameIndex(byteCount: Int(size), reading: fill)
    return GrowingFrameIndex(note.map(index.noting) ?? index)
  }

  private static let fewBytes: Int64 = 1 << 20

  /// Reads for a scan.
  private func fill(_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    // A server that fails is not asked for all the rest.
    guard failure == nil else { return 0 }
    do throws(Failure) {
      return try medium.fill(bytes, from: Int64(offset))
    } catch {
      failure = error
      return 0
    }
  }

  /// - Throws: Why bytes could not be read for a scan.
  func requireRead() throws(Failure) {
    if let failure { throw failure }
  }

  /// The same, for a file that must be Layer III.
  func scan(noting note: ITunesGapless? = nil) throws(Failure) -> GrowingFrameIndex {
    switch try frames(noting: note) {
    case .success(let frames): return frames
    case .failure(let refusal): throw Failure(.mendInput, "\(refusal)", location: medium.location)
    }
  }

  /// A packet of bytes of the file; fewer where the file was truncated meanwhile.
  func packet(_ range: Range<Int>, timestamp: Int64) throws(Failure) -> Packet {
    if range.lowerBound < windowStart || range.upperBound > windowStart + window.count {
      window = try medium.bytes(
        at: Int64(range.lowerBound), count: max(Self.windowSize, range.count))
      windowStart = range.lowerBound
    }
    let start = range.lowerBound - windowStart
    let count = max(0, min(range.count, window.count - start))
    return try reading(medium.location) { () throws(LibAVError) in
      try window.withUnsafeBufferPointer { bytes throws(LibAVError) in
        let part = UnsafeBufferPointer(rebasing: bytes[start..<start + count])
        return try Packet(copying: UnsafeRawBufferPointer(part), timestamp: timestamp)
      }
    }
  }
}
