import Diagnosis
import Synchronization
import Threads

/// Bytes as a program's own source, which counts its reads, and fails or waits where it is told to.
public final class TestSource: MediaSource {
  /// As of `MediaSource`.
  public let name: String
  /// As of `MediaSource`.
  public let cacheIdentifier: String?
  /// The medium.
  public let bytes: [UInt8]
  private let longestRead: Int
  private let information: Mutex<MediaContentInformation>
  private let state: Monitor<State>

  private struct State {
    var reads: [Range<Int64>] = []
    var gap: Range<Int64>?
    var held: Range<Int64>?
    var waiting = 0
  }

  /// What a read of the gap throws.
  public struct Gap: Error, CustomStringConvertible {
    /// One line.
    public let description = "the key is missing"

    /// The failure of a gap.
    public init() {}
  }

  /// A source of these bytes.
  ///
  /// - Parameters:
  ///   - bytes: The medium.
  ///   - name: Its name.
  ///   - cacheIdentifier: As of `MediaSource`.
  ///   - validator: As of `MediaContentInformation`.
  ///   - contentType: As of `MediaContentInformation`.
  ///   - hasLength: Whether the length is given.
  ///   - hasRanges: Whether it can be read at any place.
  ///   - longestRead: More bytes are not read at once.
  ///   - gap: Reads that begin there fail, and others end before it.
  ///   - held: Reads that begin there wait for `release`, and others end before it.
  public init(
    _ bytes: [UInt8], name: String, cacheIdentifier: String? = nil, validator: String? = nil,
    contentType: String? = nil, hasLength: Bool = true, hasRanges: Bool = true,
    longestRead: Int = .max, gap: Range<Int64>? = nil, held: Range<Int64>? = nil
  ) {
    (self.bytes, self.name, self.cacheIdentifier) = (bytes, name, cacheIdentifier)
    self.longestRead = longestRead
    information = Mutex(
      MediaContentInformation(
        contentLength: hasLength ? Int64(bytes.count) : nil, contentType: contentType,
        validator: validator, isByteRangeAccessSupported: hasRanges))
    state = Monitor(State(gap: gap, held: held))
  }

  /// The ranges that were read, in their order.
  public var reads: [Range<Int64>] { state.withLock { $0.reads } }

  /// How many reads wait.
  public var waiting: Int { state.withLock { $0.waiting } }

  /// Lets all reads go on.
  public func release() { state.withLock { $0.held = nil } }

  /// Ends the gap, or begins another one.
  public func setGap(_ gap: Range<Int64>?) { state.withLock { $0.gap = gap } }

  /// Says from now on that the content is another one.
  public func setValidator(_ validator: String?) {
    information.withLock { $0.validator = validator }
  }

  /// As of `MediaSource`.
  public func contentInformation() throws -> MediaContentInformation {
    information.withLock { $0 }
  }

  /// As of `MediaSource`.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let limit: Int64? = state.wait { state -> Int64?? in
      if let held = state.held, held.contains(offset) {
        state.waiting += 1
        return nil
      }
      if let gap = state.gap, gap.contains(offset) { return .some(nil) }
      let ends = [state.gap, state.held].compactMap(\.self).map(\.lowerBound)
      return ends.filter { $0 > offset }.min() ?? Int64(bytes.count)
    }
    guard let limit else { throw Gap() }
    let count = Int(max(0, min(limit - offset, Int64(min(buffer.count, longestRead)))))
    if count > 0 {
      buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
      state.withLock { $0.reads.append(offset..<offset + Int64(count)) }
    }
    return count
  }
}
