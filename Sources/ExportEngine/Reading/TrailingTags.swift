import Diagnosis
import LibAV

/// Tags and padding, which are no sound, wherever a file has them behind it.
extension ContainerFacts {
  /// What of the bytes behind a sound is neither a tag nor zero; nil where nothing is.
  static func withoutTags(
    _ range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> Range<Int64>? {
    var (start, end) = (range.lowerBound, range.upperBound)
    // More tags than any honest file has.
    for _ in 0..<8 {
      guard let tag = try startOfTag(endingAt: end, medium), tag >= start, tag < end else { break }
      end = tag
    }
    for _ in 0..<8 {
      start = try behindZeros(start..<end, medium)
      guard let next = try endOfTag(at: start, medium), next <= end else { break }
      start = next
    }
    return start < end ? start..<end : nil
  }

  /// Zeros that are passed over at most: more are no padding, but silence.
  private static let mostPadding: Int64 = 1 << 20

  private static func behindZeros(
    _ range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> Int64 {
    var place = range.lowerBound
    let limit = min(range.upperBound, place + mostPadding)
    while place < limit {
      let block = try medium.bytes(at: place, count: Int(min(1 << 16, limit - place)))
      guard !block.isEmpty else { return place }
      if let first = block.firstIndex(where: { $0 != 0 }) { return place + Int64(first) }
      place += Int64(block.count)
    }
    return limit == range.upperBound ? limit : range.lowerBound
  }

  /// ID3v2 and APEv2 with a header.
  private static func endOfTag(
    at place: Int64, _ medium: MediumBytes
  ) throws(Failure) -> Int64? {
    let head = try medium.bytes(at: place, count: 32)
    if head.count >= 10, head.starts(with: "ID3".utf8), let size = syncsafe(head[6..<10]) {
      return place + 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
    }
    if head.count == 32, head.starts(with: "APETAGEX".utf8) {
      return place + 32 + littleEndian(head[12..<16])
    }
    return nil
  }

  /// ID3v1 with its enhancement, APEv2, Lyrics3 v2 and an appended ID3v2.4.
  private static func startOfTag(
    endingAt end: Int64, _ medium: MediumBytes
  ) throws(Failure) -> Int64? {
    let tail = try medium.bytes(at: max(0, end - 355), count: Int(min(355, end)))
    func holds(_ text: String, before count: Int) -> Bool {
      tail.count >= count && tail[(tail.count - count)...].starts(with: text.utf8)
    }
    if holds("TAG", before: 128) { return end - (holds("TAG+", before: 355) ? 355 : 128) }
    if holds("APETAGEX", before: 32) {
      let footer = tail.suffix(32)
      let start = footer.startIndex
      // Its size counts the footer, and not the header that its flags tell.
      let hasHeader = footer[start + 23] & 0x80 != 0
      return end - littleEndian(footer[start + 12..<start + 16]) - (hasHeader ? 32 : 0)
    }
    if holds("LYRICS200", before: 9),
      let size = Int64(String(decoding: tail.suffix(15).prefix(6), as: UTF8.self))
    {
      return end - 15 - size
    }
    if holds("3DI", before: 10), let size = syncsafe(tail.suffix(4)) { return end - 20 - size }
    return nil
  }

  private static func syncsafe(_ bytes: some Collection<UInt8>) -> Int64? {
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    return bytes.reduce(0) { $0 << 7 | Int64($1) }
  }

  private static func littleEndian(_ bytes: some BidirectionalCollection<UInt8>) -> Int64 {
    bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
  }
}
