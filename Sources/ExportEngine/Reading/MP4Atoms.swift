import Diagnosis
import MPEGAudio
import Tagging

extension ContainerFacts {
  /// The content of iTunes' free-form atom `iTunSMPB` in an MP4 file, of which libavformat takes
  /// the delay and drops the length; nil where there is none. Reads only the atoms on the way (ISO
  /// 14496-12, 4.2; the atoms below `ilst` are iTunes' own).
  static func iTunesNote(in medium: MediumBytes) throws(Failure) -> ITunesGapless? {
    var reader = AtomReader(medium: medium)
    for list in try reader.tags().lists {
      for atom in try reader.atoms(in: list.items) where atom.name == "----" {
        let parts = try reader.atoms(in: atom.body)
        guard let name = parts.first(where: { $0.name == "name" }),
          try reader.text(in: name.body, from: 4) == "iTunSMPB",
          let data = parts.first(where: { $0.name == "data" })
        else { continue }
        return ITunesGapless(parsing: try reader.text(in: data.body, from: 8))
      }
    }
    return nil
  }
}

/// Reads the heads of atoms, and short ones' content.
struct AtomReader {
  typealias Atom = (name: String, body: Range<Int64>)

  let medium: MediumBytes
  /// Atoms that may still be read: files with more are made to waste time.
  private(set) var rest: Int

  init(medium: MediumBytes, limit: Int = 10_000) { (self.medium, rest) = (medium, limit) }

  /// The atoms that begin in a range, up to the first that is none.
  mutating func atoms(in range: Range<Int64>) throws(Failure) -> [Atom] {
    var found: [Atom] = []
    var position = range.lowerBound
    while let atom = try atom(at: position, in: range) {
      found.append(atom)
      position = atom.body.upperBound
    }
    return found
  }

  /// The content of the first atom of a name in a range.
  mutating func atom(_ name: String, in range: Range<Int64>) throws(Failure) -> Range<Int64>? {
    var position = range.lowerBound
    while let atom = try atom(at: position, in: range) {
      if atom.name == name { return atom.body }
      position = atom.body.upperBound
    }
    return nil
  }

  /// The content of an atom below others.
  mutating func atom(path: [String], in range: Range<Int64>) throws(Failure) -> Range<Int64>? {
    var parent = range
    for name in path {
      guard let atom = try atom(name, in: parent) else { return nil }
      parent = atom
    }
    return parent
  }

  /// The atom at a place; nil at the range's end, where there is none, and where too many were read.
  mutating func atom(at position: Int64, in range: Range<Int64>) throws(Failure) -> Atom? {
    guard position + 8 <= range.upperBound, rest > 0 else { return nil }
    rest -= 1
    let bytes = try medium.bytes(at: position, count: AtomHead.longest)
    guard let head = AtomHead(bytes, space: range.upperBound - position) else { return nil }
    return (head.name, position + head.headSize..<position + head.size)
  }

  /// The first bytes of an atom's content, `count` at most.
  func bytes(of body: Range<Int64>, count: Int) throws(Failure) -> [UInt8] {
    try medium.bytes(at: body.lowerBound, count: Int(min(Int64(count), Int64(body.count))))
  }

  func text(in range: Range<Int64>, from offset: Int64) throws(Failure) -> String {
    let count = min(256, range.upperBound - range.lowerBound) - offset
    guard count > 0 else { return "" }
    let bytes = try medium.bytes(at: range.lowerBound + offset, count: Int(count))
    return String(decoding: bytes, as: UTF8.self)
  }
}
