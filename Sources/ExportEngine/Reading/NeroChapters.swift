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
  /// same times, but for rounding, with the same titles, as far as it can hold them. Of a list without
  /// chapters, players show the others.
  func agrees(with others: [MediaComposition.Chapter]) -> Bool {
    guard !chapters.isEmpty else { return true }
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
    var reader = AtomReader(medium: medium)
    let file = 0..<(try medium.size())
    guard let list = try reader.atom(path: ["moov", "udta", "chpl"], in: file) else { return nil }
    // A byte for the number, and at most 264 bytes for each.
    return NeroChapters(try reader.bytes(of: list, count: 1 << 17))
  }
}
