import Diagnosis
import LibAV

/// Reads a cached medium in the way that one demuxer does: fetches what it asks for, and ahead of it.
/// One thread at a time.
package final class CachedReader: ByteSource {
  /// What it reads.
  package let medium: CachedMedium
  /// What its failures name; nil: the medium's address.
  private let location: MediaLocation?
  private var window = PrefetchWindow()
  /// Where a read has stopped at bytes that cannot be had, and why: the next read fails there, without
  /// another request.
  private var gap: (offset: Int64, failure: Failure)?

  /// A reader that begins at the start of a medium, whose failures name it by `location`, if there is
  /// one.
  package init(_ medium: CachedMedium, named location: MediaLocation? = nil) {
    (self.medium, self.location) = (medium, location)
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
    if let gap {
      self.gap = nil
      if gap.offset == offset { throw named(gap.failure) }
    }
    let end = offset + min(Int64(bytes.count), medium.size - offset)
    let goal = window.goal(reading: offset..<end, planned: medium.plannedRead)
    let (count, failure): (Int, Failure?)
    do throws(Failure) {
      (count, failure) = try medium.read(at: offset, into: bytes, goal: goal)
    } catch {
      throw named(error)
    }
    let reached = offset + Int64(count)
    // Less than came may have been asked for.
    if let failure, reached < end { gap = (reached, failure) }
    window.note(offset..<reached)
    return count
  }

  private func named(_ failure: Failure) -> Failure {
    location.map { failure.naming($0, insteadOf: medium.url) } ?? failure
  }
}

extension Failure {
  /// The same failure of another name for the medium at an address.
  package func naming(_ location: MediaLocation, insteadOf url: MediaURL) -> Failure {
    guard self.location == .remote(url) else { return self }
    var copy = self
    copy.location = location
    return copy
  }
}
