import Diagnosis
import MPEGAudio

/// Tags and padding, which are no sound, wherever a file has them.
extension Prober {
  /// What of the bytes behind a sound is neither a tag nor zero; nil where nothing is.
  func withoutTags(_ range: Range<Int64>) throws(Failure) -> Range<Int64>? {
    var rest = range
    // More tags than any honest file has.
    for _ in 0..<8 {
      let start = try behindZeros(rest)
      let found = try readingBytes { read in
        MPEGTags.between(from: Int(start), byteCount: Int(clamping: identity.size), reading: read)
      }
      let end = min(range.upperBound, Int64(found.upperBound))
      guard Int64(found.lowerBound) < end else { return nil }
      let isSettled = Int64(found.lowerBound) == start
      rest = Int64(found.lowerBound)..<end
      if isSettled { return rest }
    }
    return rest
  }

  /// Where the sound of a bare stream lies, if tags follow it, which a parser would take for a part of
  /// the last packet.
  func rangeBeforeTags() throws(Failure) -> Range<Int64>? {
    let size = identity.size
    let end = try readingBytes { read in
      MPEGTags.between(from: 0, byteCount: Int(clamping: size), reading: read).upperBound
    }
    return 0..<size ~= Int64(end) ? 0..<Int64(end) : nil
  }

  /// Zeros that are passed over at most: more are no padding, but silence.
  private static let mostPadding: Int64 = 1 << 20

  private func behindZeros(_ range: Range<Int64>) throws(Failure) -> Int64 {
    var place = range.lowerBound
    let limit = min(range.upperBound, place + Self.mostPadding)
    while place < limit {
      let block = try bytes.bytes(at: place, count: Int(min(1 << 16, limit - place)))
      guard !block.isEmpty else { return place }
      if let first = block.firstIndex(where: { $0 != 0 }) { return place + Int64(first) }
      place += Int64(block.count)
    }
    return limit == range.upperBound ? limit : range.lowerBound
  }
}
