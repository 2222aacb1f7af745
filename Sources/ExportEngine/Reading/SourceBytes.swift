import Diagnosis
import LibAV
import MediaCache
import MediaComposition

/// The bytes of a program's own source as one reader asks for them, with failures that name source and
/// place. One thread at a time.
final class SourceBytes: ByteSource {
  private let source: any MediaSource
  private let length: Int64

  /// The bytes of a source that has so many.
  init(_ source: any MediaSource, length: Int64) {
    (self.source, self.length) = (source, length)
    source.noteReader(1)
  }

  deinit { source.noteReader(-1) }

  func size() -> Int64 { length }

  /// - Throws: `Failure`
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    // Tables of a damaged file lead to any offset.
    guard 0..<length ~= offset, !bytes.isEmpty else { return 0 }
    let wanted = Int(min(Int64(bytes.count), length - offset))
    let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted])
    let count = try source.read(at: offset, whileWatched: part)
    guard count > 0 else {
      throw Failure(
        .mendInput, "ends after \(offset) bytes, though its length is \(length)",
        location: .source(source))
    }
    return count
  }
}

/// A source that looks by itself whether a wait is to be ended, or never waits.
protocol UnblockedSource: MediaSource {}

extension MediaSource {
  /// Counts readers, where the source does something when the last one goes.
  func noteReader(_ change: Int) { (self as? AssetResourceLoader)?.countReader(change) }

  /// Reads on a thread of its own where this one is watched (`MediaNetwork.watchingWaits`).
  fileprivate func read(
    at offset: Int64, whileWatched bytes: UnsafeMutableRawBufferPointer
  ) throws -> Int {
    guard ByteWaiting.isWatched, !(self is any UnblockedSource) else {
      return try checkedRead(at: offset, into: bytes)
    }
    let wanted = bytes.count
    let read = try awaited { () throws(Failure) -> [UInt8] in
      var own = [UInt8](repeating: 0, count: wanted)
      let count = try own.withUnsafeMutableBytes { buffer in
        Result { () throws(Failure) in try self.checkedRead(at: offset, into: buffer) }
      }.get()
      own.removeLast(wanted - count)
      return own
    }
    bytes.copyBytes(from: read)
    return read.count
  }

  /// Reads, and holds the source to what it promises.
  ///
  /// - Throws: `Failure`, with the source's name and the place.
  func checkedRead(
    at offset: Int64, into bytes: UnsafeMutableRawBufferPointer
  ) throws(Failure) -> Int {
    let count: Int
    do {
      count = try read(at: offset, into: bytes)
    } catch {
      throw failure(error, "cannot be read at byte \(offset)")
    }
    guard 0...bytes.count ~= count else {
      throw Failure(
        .mendInput,
        "says that it has read \(count) bytes at byte \(offset), where there was room for "
          + "\(bytes.count); mend the source", location: .source(self))
    }
    return count
  }

  /// What is known of the medium before it is read.
  ///
  /// - Throws: `Failure`, with the source's name.
  func checkedInformation() throws(Failure) -> MediaContentInformation {
    let information: MediaContentInformation
    if ByteWaiting.isWatched, !(self is any UnblockedSource) {
      information = try awaited { () throws(Failure) in try self.ownInformation() }
    } else {
      information = try ownInformation()
    }
    if let length = information.contentLength {
      guard length > 0 else {
        throw Failure(
          .mendInput,
          length == 0 ? "is empty (0 bytes)" : "says that its length is \(length); mend the source",
          location: .source(self))
      }
    }
    return information
  }

  private func ownInformation() throws(Failure) -> MediaContentInformation {
    do { return try contentInformation() } catch { throw failure(error, "cannot be opened") }
  }

  private func awaited<T: Sendable>(
    _ body: @escaping @Sendable () throws(Failure) -> T
  ) throws(Failure) -> T {
    let outcome: Result<T, Failure>?
    do {
      outcome = try ByteWaiting.run(unless: { MediaNetwork.isCancelled }) { Result(catching: body) }
    } catch {
      throw .outOfThreads(error, at: .source(self))
    }
    guard let outcome else { throw cancellation }
    return try outcome.get()
  }

  /// The failure of a read whose wait was ended.
  var cancellation: Failure {
    Failure(
      .tryAgain, "the wait for its bytes was ended; read it again", location: .source(self),
      code: .cancelled)
  }

  /// The failure for an error of the source's.
  func failure(_ error: any Error, _ attempt: String) -> Failure {
    switch error {
    case let failure as Failure:
      return Failure(
        failure.remedy, "\(attempt): \(failure.message)", location: .source(self),
        origin: failure.origin, code: failure.code)
    case is CancellationError: return cancellation
    default: return Failure(.mendInput, "\(attempt): \(error)", location: .source(self))
    }
  }
}
