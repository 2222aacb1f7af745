import Diagnosis
import LibAV

/// Reads a cached medium in the way that one demuxer does: fetches what it asks for, and ahead of it.
/// One thread at a time.
package final class CachedReader: ByteSource {
  /// What it reads.
  package let medium: CachedMedium
  private var window = PrefetchWindow()

  /// A reader that begins at the start of a medium.
  package init(_ medium: CachedMedium) {
    self.medium = medium
    medium.noteReader(1)
  }

  deinit {
    medium.state.withLock { $0.planned[ObjectIdentifier(self)] = nil }
    medium.noteReader(-1)
  }

  /// Begins to fetch bytes that will be read soon, by this reader or another one.
  package func prefetch(now range: Range<Int64>) {
    medium.prefetch(from: range.lowerBound, to: min(range.upperBound, medium.size), others: 3)
  }

  package func size() -> Int64 { medium.size }

  /// - Throws: `Failure`
  package func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    // Tables of a damaged file lead to any offset.
    guard offset < medium.size else { return 0 }
    let end = offset + min(Int64(bytes.count), medium.size - offset)
    let goal = window.goal(reading: offset..<end, planned: medium.plannedRead)
    let count = try medium.read(at: offset, into: bytes, goal: goal)
    window.note(offset..<offset + Int64(count))
    return count
  }
}
