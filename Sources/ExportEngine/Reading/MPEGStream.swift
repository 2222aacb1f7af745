import Diagnosis
import Files
import Glibc
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

/// A bare MPEG audio file, with seeks by our own index of its frames: libavformat's seek is an
/// estimate.
final class MPEGStream: FrameSource {
  let channelCount: Int
  var position: Int64 { cursor.position }

  private let path: FilePath
  private let file: MPEGFile
  private let index: FrameIndex
  private let decoder: Decoder
  private let cursor: FrameCursor

  /// The next frame to decode, and the first whose samples count.
  private var next = 0
  private var firstWanted = 0

  private init(
    _ path: FilePath, _ file: MPEGFile, _ index: FrameIndex, _ damage: Damage
  ) throws(LibAVError) {
    self.path = path
    self.file = file
    self.index = index
    channelCount = index.channelCount
    decoder = try Decoder.openMP3()
    cursor = try FrameCursor(path, channelCount: index.channelCount, damage)
  }

  /// Opens a file by its index, or scans it again without one, with iTunes' note.
  static func open(
    _ facts: StreamFacts, _ known: FrameIndex?, _ note: ITunesGapless?, _ damage: Damage
  ) throws(Failure) -> MPEGStream {
    let file = try MPEGFile.open(facts.path)
    let index: FrameIndex
    if let known { index = known } else { index = try file.scan(noting: note) }
    return try reading(facts.path) { () throws(LibAVError) in
      try MPEGStream(facts.path, file, index, damage)
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
    try reading(path) { () throws(LibAVError) in
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
  private let path: FilePath
  private let descriptor: FileDescriptor
  /// The last bytes read, so that frames in order need one call for many.
  private var window: [UInt8] = []
  private var windowStart = 0
  private static let windowSize = 1 << 16

  private init(_ path: FilePath, _ descriptor: FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { try? descriptor.close() }

  static func open(_ path: FilePath) throws(Failure) -> MPEGFile {
    do {
      return MPEGFile(path, try PathCalls.openToRead(path))
    } catch {
      throw Self.failure(error, "cannot be opened", path)
    }
  }

  private static func failure(
    _ error: any Error, _ action: String, _ path: FilePath
  ) -> Failure {
    (error as? Errno).flatMap { .reading($0.rawValue, action, path: path) }
      ?? Failure(.mendMachine, "\(action): \(error)", path: path)
  }

  /// Finds all frames, in memory that does not grow with the file. A file that is truncated
  /// meanwhile ends there.
  func index(
    noting note: ITunesGapless?
  ) throws(Failure) -> Result<FrameIndex, FrameIndex.Refusal> {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", path: path)
    }
    var failure: Failure?
    let result: Result<FrameIndex, FrameIndex.Refusal>
    do throws(FrameIndex.Refusal) {
      let index = try FrameIndex(byteCount: Int(status.st_size)) { offset, bytes in
        do throws(Failure) {
          return try self.fill(bytes, from: offset)
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
    case .failure(let refusal): throw Failure(.mendInput, "\(refusal)", path: path)
    }
  }

  /// A packet of bytes of the file; fewer where the file was truncated meanwhile.
  func packet(_ range: Range<Int>, timestamp: Int64) throws(Failure) -> Packet {
    if range.lowerBound < windowStart || range.upperBound > windowStart + window.count {
      window = [UInt8](repeating: 0, count: max(Self.windowSize, range.count))
      windowStart = range.lowerBound
      let filled = try window.withUnsafeMutableBytes { bytes in
        Result { () throws(Failure) in try fill(bytes, from: windowStart) }
      }.get()
      window.removeLast(window.count - filled)
    }
    let start = range.lowerBound - windowStart
    let count = max(0, min(range.count, window.count - start))
    return try reading(path) { () throws(LibAVError) in
      try window.withUnsafeBufferPointer { bytes throws(LibAVError) in
        let part = UnsafeBufferPointer(rebasing: bytes[start..<start + count])
        return try Packet(copying: UnsafeRawBufferPointer(part), timestamp: timestamp)
      }
    }
  }

  /// Fills `bytes` from `offset` on; gives the number of bytes, fewer at the file's end.
  private func fill(
    _ bytes: UnsafeMutableRawBufferPointer, from offset: Int
  ) throws(Failure) -> Int {
    var filled = 0
    while filled < bytes.count {
      let count: Int
      do {
        count = try descriptor.read(
          fromAbsoluteOffset: Int64(offset + filled),
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
      } catch {
        throw Self.failure(error, "cannot be read", path)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}
