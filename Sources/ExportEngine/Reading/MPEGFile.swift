import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import Synchronization

/// Media whose heads have counted wrong in this process: their frames are counted when they are opened
/// next, here or in a later run, which finds all of a server's medium in the cache.
enum DoubtfulHeads {
  /// By their hashes: a location keeps its source. Another medium of one hash is only counted, too.
  private static let locations = Mutex<Set<Int>>([])

  static func note(_ location: MediaLocation) {
    locations.withLock { _ = $0.insert(location.hashValue) }
  }

  static func contain(_ location: MediaLocation) -> Bool {
    locations.withLock { $0.contains(location.hashValue) }
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
  /// meanwhile ends there. Of a server's file most frames are left for later, if its head says how
  /// many there are.
  func frames(
    noting note: ITunesGapless?
  ) throws(Failure) -> Result<GrowingFrameIndex, FrameIndex.Refusal> {
    let size = try medium.size()
    guard size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", location: medium.location, code: .mediaEmpty)
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
    if medium.isCostly, !DoubtfulHeads.contain(medium.location) {
      let growing = try GrowingFrameIndex(byteCount: Int(size), noting: note, reading: fill)
      if let growing {
        // Of a short file all is asked for at once, and its first frames are heard meanwhile. Not
        // before its end is here, which would wait for all that comes before.
        if medium.missingBytes(of: [0..<size]) <= Self.fewBytes { medium.prefetch(now: 0..<size) }
        return growing
      }
    }
    // An exact place needs every byte before it.
    medium.prefetch(now: 0..<size)
    let index = try FrameIndex(byteCount: Int(size), reading: fill)
    return GrowingFrameIndex(note.map(index.noting) ?? index)
  }

  private static let fewBytes: Int64 = 1 << 20

  /// Reads for a scan.
  private func fill(_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    // A server that fails is not asked for all the rest.
    guard failure == nil else { return 0 }
    do throws(Failure) {
      return try medium.read(at: Int64(offset), into: bytes)
    } catch {
      failure = error
      return 0
    }
  }

  /// - Throws: Why bytes could not be read for a scan.
  func requireRead() throws(Failure) {
    if let failure { throw failure }
  }

  /// The index of the frames of a file that must be Layer III.
  func scan(noting note: ITunesGapless? = nil) throws(Failure) -> GrowingFrameIndex {
    switch try frames(noting: note) {
    case .success(let frames): return frames
    case .failure(let refusal): throw Failure(.mendInput, "\(refusal)", location: medium.location)
    }
  }

  /// A packet of bytes of the file; fewer where the file was truncated meanwhile.
  func packet(_ range: Range<Int>, timestamp: Int64) throws(Failure) -> Packet {
    let part = try bytes(range)
    return try reading(medium.location) { () throws(LibAVError) in
      try part.withUnsafeBufferPointer { bytes throws(LibAVError) in
        try Packet(copying: UnsafeRawBufferPointer(bytes), timestamp: timestamp)
      }
    }
  }

  /// Bytes of the file; fewer where it was truncated meanwhile.
  func bytes(_ range: Range<Int>) throws(Failure) -> ArraySlice<UInt8> {
    if range.lowerBound < windowStart || range.upperBound > windowStart + window.count {
      window = try medium.bytes(
        at: Int64(range.lowerBound), atLeast: range.count,
        atMost: max(Self.windowSize, range.count))
      windowStart = range.lowerBound
    }
    let start = range.lowerBound - windowStart
    let count = max(0, min(range.count, window.count - start))
    return window[start..<start + count]
  }
}
