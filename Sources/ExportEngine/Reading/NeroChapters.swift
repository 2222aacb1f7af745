import Diagnosis
import MediaComposition
import MediaTime

/// Nero's list of chapters in an MP4 file (`moov/udta/chpl`), which has at most 255 of them, with titles
/// of at most 255 bytes.
struct NeroChapters: Sendable, Hashable {
  struct Chapter: Sendable, Hashable {
    /// In 100 ns.
    var start: UInt64
    /// In UTF-8, or in what its writer's system has.
    var title: [UInt8]
  }

  var chapters: [Chapter] = []

  /// The content of a `chpl`: a version of four bytes, four more that are reserved unless the version is
  /// 0, a number, and of each chapter a time of eight bytes and a title with its length
  /// (`mov_read_chpl` in libavformat's mov.c). What breaks off ends the list.
  init(_ body: [UInt8]) {
    guard let version = body.first else { return }
    var offset = version == 0 ? 4 : 8
    guard offset < body.count else { return }
    let count = Int(body[offset])
    offset += 1
    while chapters.count < count, offset + 9 <= body.count {
      let start = body[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
      let title = offset + 9..<offset + 9 + Int(body[offset + 8])
      guard title.upperBound <= body.count else { return }
      chapters.append(Chapter(start: start, title: Array(body[title])))
      offset = title.upperBound
    }
  }

  /// Whether players show the same chapters by this list as by `others`: as many as it can hold, at the
  /// same times, but for rounding, with the same titles, as far as it can hold them.
  func agrees(with others: [MediaComposition.Chapter]) -> Bool {
    var own = chapters[...]
    // A chapter track has no gaps, and some writers fill this list's, too.
    if own.count > 1, let first = own.first, first.start == 0, first.title.isEmpty {
      own = own.dropFirst()
    }
    let isFull = chapters.count == Self.limit && others.count > own.count
    guard own.count == others.count || isFull else { return false }
    return zip(own, others).allSatisfy { own, other in
      let start = Time(value: Int64(clamping: own.start), timescale: 10_000_000)
      let difference = start > other.start ? start - other.start : other.start - start
      let title = Array(other.title.utf8)
      return difference <= Self.rounding
        && (own.title == title || own.title.count >= Self.limit - 4 && title.starts(with: own.title)
          || String(validating: own.title, as: UTF8.self) == nil)
    }
  }

  private static let limit = 255
  /// More than a frame of AAC at 22.05 kHz, to which some writers round, and less than anybody hears.
  private static let rounding = Time(value: 1, timescale: 20)
}

extension ContainerFacts {
  /// Nero's chapters of an MP4 file; nil where it has no such list. Reads only the heads of the atoms on
  /// the way.
  static func neroChapters(in medium: MediumBytes) throws(Failure) -> NeroChapters? {
    var parent = 0..<(try medium.size())
    for name in ["moov", "udta", "chpl"] {
      guard let body = try atom(name, in: parent, medium) else { return nil }
      parent = body
    }
    // A byte for the number, and at most 264 bytes for each.
    let count = min(parent.upperBound - parent.lowerBound, 1 << 17)
    return NeroChapters(try medium.bytes(at: parent.lowerBound, count: Int(count)))
  }

  /// Where the content of an atom lies (ISO 14496-12, 4.2).
  private static func atom(
    _ name: String, in parent: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> Range<Int64>? {
    var offset = parent.lowerBound
    // More than any honest file has side by side.
    for _ in 0..<10_000 {
      let head = try medium.bytes(at: offset, count: 16)
      guard head.count >= 8, offset + 8 <= parent.upperBound else { return nil }
      func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      var (size, start) = (number(head[0..<4]), offset + 8)
      if size == 1, head.count == 16 { (size, start) = (number(head[8..<16]), offset + 16) }
      if size == 0 { size = UInt64(parent.upperBound - offset) }
      let (end, isTooMuch) = offset.addingReportingOverflow(Int64(clamping: size))
      guard !isTooMuch, end >= start, end <= parent.upperBound else { return nil }
      if head[4..<8].elementsEqual(name.utf8) { return start..<end }
      offset = end
    }
    return nil
  }
}
