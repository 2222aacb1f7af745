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

  private let location: MediaLocation
  private let file: MPEGFile
  private let index: FrameIndex
  private let decoder: Decoder
  private let cursor: FrameCursor

  /// The next frame to decode, and the first whose samples count.
  private var next = 0
  private var firstWanted = 0

  private init(
    _ location: MediaLocation, _ file: MPEGFile, _ index: FrameIndex, _ damage: Damage
  ) throws(LibAVError) {
    self.location = location
    self.file = file
    self.index = index
    channelCount = index.channelCount
    decoder = try Decoder.openMP3()
    cursor = try FrameCursor(location, channelCount: index.channelCount, damage)
  }

  /// Opens a file by its index, or scans it again without one, with iTunes' note.
  static func open(
    _ facts: StreamFacts, _ known: FrameIndex?, _ note: ITunesGapless?, _ damage: Damage
  ) throws(Failure) -> MPEGStream {
    let file = MPEGFile(try MediumBytes(facts.location))
    let index: FrameIndex
    if let known { index = known } else { index = try file.scan(noting: note) }
    return try reading(facts.location) { () throws(LibAVError) in
      try MPEGStream(facts.location, file, index, damage)
    }
  }

  func seek(to target: Int64) throws(Failure) {
    guard target != position else { return }
    let frame = index.frame(containing: target)
    // Ahead by less than the warm-up of a jump: decode on.
    if target < position || frame - next > index.preRoll(ofFrame: frame) {
      decoder.flush()
      firstWanted = frame
      next = frame - index.preRoll(ofFrame: frame)
      cursor.clear()
    }
    cursor.position = target
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

final class MPEGFile {
  private let medium: MediumBytes
  /// The last bytes read, so that frames in order need one call for many.
  private var window: [UInt8] = []
  private var windowStart = 0
  private static let windowSize = 1 << 16

  init(_ medium: MediumBytes) { self.medium = medium }

  /// Finds all frames, in memory that does not grow with the file. A file that is truncated
  /// meanwhile ends there.
  func index(
    noting note: ITunesGapless?
  ) throws(Failure) -> Result<FrameIndex, FrameIndex.Refusal> {
    let size = try medium.size()
    guard size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", location: medium.location)
    }
    var failure: Failure?
    let result: Result<FrameIndex, FrameIndex.Refusal>
    do throws(FrameIndex.Refusal) {
      let index = try FrameIndex(byteCount: Int(size)) { offset, bytes in
        do throws(Failure) {
          return try self.medium.fill(bytes, from: Int64(offset))
        } catch {
          failure = error
          return 0
        }
      }
      result = .success(note.map(index.noting) ?? index)
    } catch {
      result = .failure(error)
    }
    if let failure { throw failure }
    return result
  }

  /// The same, for a file that must be Layer III.
  func scan(noting note: ITunesGapless? = nil) throws(Failure) -> FrameIndex {
    switch try index(noting: note) {
    case .success(let index): return index
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
