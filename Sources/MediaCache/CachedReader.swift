import Diagnosis
import LibAV

/// Reads a cached medium in the way that one demuxer does: fetches what it asks for, and ahead of it.
/// One thread at a time.
package final class CachedReader: ByteSource {
  /// What it reads.
  package let medium: CachedMedium
  private var ahead = ReadAhead()

  /// A reader that begins at the start of a medium.
  package init(_ medium: CachedMedium) {
    self.medium = medium
    medium.noteReader(1)
  }

  deinit {
    medium.state.withLock { $0.expected[ObjectIdentifier(self)] = nil }
    medium.noteReader(-1)
  }

  /// Says that all bytes up to `end` will be read in order: they are fetched with few requests.
  package func expectReading(upTo end: Int64) { ahead.expectedEnd = min(end, medium.size) }

  /// Begins to fetch bytes that will be read soon, by this reader or another one.
  package func prefetch(_ range: Range<Int64>) {
    medium.fetchAhead(from: range.lowerBound, to: min(range.upperBound, medium.size), others: 3)
  }

  package func size() -> Int64 { medium.size }

  /// - Throws: `Failure`
  package func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    // Tables of a damaged file lead to any offset.
    guard offset < medium.size else { return 0 }
    let end = offset + min(Int64(bytes.count), medium.size - offset)
    let goal = ahead.goal(reading: offset..<end, expected: medium.expectedRead)
    let count = try medium.read(at: offset, into: bytes, goal: goal)
    ahead.note(offset..<offset + Int64(count))
    return count
  }
}
