import Diagnosis
import MPEGAudio

extension ContainerFacts {
  /// The content of iTunes' free-form atom `iTunSMPB` in an MP4 file, of which libavformat takes
  /// the delay and drops the length; nil where there is none. Reads only the atoms on the way (ISO
  /// 14496-12, 4.2; the atoms below `ilst` are iTunes' own).
  static func iTunesNote(in medium: MediumBytes) throws(Failure) -> ITunesGapless? {
    var reader = AtomReader(medium: medium)
    var parent = 0..<(try medium.size())
    for name in ["moov", "udta", "meta", "ilst"] {
      guard let atom = try reader.atoms(in: parent).first(where: { $0.name == name }) else {
        return nil
      }
      // `meta` begins with a version of four bytes.
      let head: Int64 = name == "meta" ? 4 : 0
      guard atom.body.count > head else { return nil }
      parent = atom.body.lowerBound + head..<atom.body.upperBound
    }
    for atom in try reader.atoms(in: parent) where atom.name == "----" {
      let parts = try reader.atoms(in: atom.body)
      guard let name = parts.first(where: { $0.name == "name" }),
        try reader.text(in: name.body, from: 4) == "iTunSMPB",
        let data = parts.first(where: { $0.name == "data" })
      else { continue }
      return ITunesGapless(parsing: try reader.text(in: data.body, from: 8))
    }
    return nil
  }
}

extension ContainerFacts {
  /// Ticks a second of an MP4's edit lists (`mvhd`), and the duration of a track's last packet by
  /// the table of durations, in the track's ticks (`stts`; ISO 14496-12, 8.2.2 and 8.6.1.2). Nil
  /// where the file has none.
  static func movieEnd(
    in medium: MediumBytes, track: Int
  ) throws(Failure) -> (timescale: UInt32, lastDuration: Int64)? {
    var reader = AtomReader(medium: medium)
    guard
      let movie = try reader.atoms(in: 0..<(try medium.size())).first(where: { $0.name == "moov" })
    else {
      return nil
    }
    let parts = try reader.atoms(in: movie.body)
    let tracks = parts.filter { $0.name == "trak" }
    guard let header = parts.first(where: { $0.name == "mvhd" }), track < tracks.count else {
      return nil
    }
    let version = try medium.bytes(at: header.body.lowerBound, count: 1)
    // Two dates of 32 bits, or of 64 in version 1, stand before it.
    let timescale = try medium.number(at: header.body.lowerBound + (version == [1] ? 20 : 12))
    var parent = tracks[track].body
    for name in ["mdia", "minf", "stbl", "stts"] {
      guard let atom = try reader.atoms(in: parent).first(where: { $0.name == name }) else {
        return nil
      }
      parent = atom.body
    }
    // Pairs of a number of packets and the duration of each.
    guard let timescale, timescale > 0, parent.count >= 16,
      let duration = try medium.number(at: parent.upperBound - 4)
    else { return nil }
    return (timescale, Int64(duration))
  }
}

/// Reads the heads of atoms, and short ones' texts.
private struct AtomReader {
  let medium: MediumBytes
  /// More than any file has on the way: files with more are made to waste time.
  private var rest = 10_000

  init(medium: MediumBytes) { self.medium = medium }

  mutating func atoms(
    in range: Range<Int64>
  ) throws(Failure) -> [(name: String, body: Range<Int64>)] {
    var found: [(name: String, body: Range<Int64>)] = []
    var position = range.lowerBound
    while position + 8 <= range.upperBound, rest > 0 {
      rest -= 1
      let head = try medium.bytes(at: position, count: 16)
      guard head.count >= 8 else { break }
      func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      var size = number(head[0..<4])
      var start = position + 8
      if size == 1, head.count == 16 {
        size = number(head[8..<16])
        start += 8
      } else if size == 0 {
        size = UInt64(range.upperBound - position)
      }
      let (end, isTooMuch) = position.addingReportingOverflow(Int64(clamping: size))
      guard !isTooMuch, end >= start, end <= range.upperBound else { break }
      found.append((String(decoding: head[4..<8], as: UTF8.self), start..<end))
      position = end
    }
    return found
  }

  func text(in range: Range<Int64>, from offset: Int64) throws(Failure) -> String {
    let count = min(256, range.upperBound - range.lowerBound) - offset
    guard count > 0 else { return "" }
    let bytes = try medium.bytes(at: range.lowerBound + offset, count: Int(count))
    return String(decoding: bytes, as: UTF8.self)
  }
}
