/// What is wrong with a chunk: what its reader left out or guessed, and what its writer cannot hold.
package struct ChunkDefect: Sendable, Hashable, CustomStringConvertible {
  /// One fault.
  package enum Problem: Sendable, Hashable {
    /// The chunk ends before its fields do; those that lie there whole are read.
    case short(has: Int, needs: Int)
    /// The chunk ends before its first fields do, and nothing of it is read.
    case unreadable(has: Int, needs: Int)
    /// A count of entries that the chunk has no room for; `found` of them are read.
    case overstated(announced: UInt64, found: Int)
    /// More entries than are read or can be written; the first ones are.
    case tooMany(limit: Int)
    /// A text that is not UTF-8, and is taken for Windows-1252.
    case guessedEncoding(field: String)
    /// Two entries with one number; texts go to the first.
    case repeatedID(UInt32)
    /// A number that the standard does not allow.
    case badID(UInt32)
    /// A chunk that is longer than what is to hold it.
    case tooLong(limit: Int)
    /// A text or a length of an entry that the file has not.
    case orphan(UInt32)
    /// A loop that ends before it begins, or whose markers are not there; it is left out.
    case badLoop(first: UInt32, last: UInt32)
    /// A value outside of the range that the standard gives the field; it is left out.
    case badValue(field: String)
    /// A version that is newer than the reader; the fields of the last known one are read.
    case version(Int)
    /// The padding byte behind a content of odd size is not there.
    case unpadded
    /// A part that nothing reads.
    case unread(String)
    /// The file's structure, as the tool that stored it wrote it, does not fit together.
    case inconsistent(String)
    /// A text to be written is longer than its field; what fits is written.
    case cut(field: String, limit: Int)
    /// A value to be written that the chunk has no place for.
    case noPlace(String)
    /// A text to be written has characters beyond ASCII; it is written in UTF-8.
    case notASCII(field: String)
  }

  /// The name of the chunk, as `bext`.
  package let chunk: String
  package let problem: Problem

  package init(_ chunk: String, _ problem: Problem) {
    (self.chunk, self.problem) = (chunk, problem)
  }

  /// A sentence without its full stop, for a note or a warning.
  package var description: String {
    let name = chunk.last == " " ? String(chunk.dropLast()) : chunk
    var plain = String.UnicodeScalarView()
    // Names may be any bytes.
    for scalar in "the chunk '\(name)' \(predicate)".unicodeScalars {
      plain.append(scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value ? "?" : scalar)
    }
    return String(plain)
  }

  /// Whether something of a chunk is left out of it where it is written.
  package var isOmission: Bool {
    switch problem {
    case .cut, .tooMany, .noPlace: true
    default: false
    }
  }

  private var predicate: String {
    switch problem {
    case .short(let has, let needs): "has \(has) bytes, and its fields take \(needs)"
    case .unreadable(let has, let needs):
      "has \(has) bytes, and its fields take \(needs): it is not read, and no edit keeps it"
    case .overstated(let announced, let found): "counts \(announced) entries, and has \(found)"
    case .tooMany(let limit): "has more than \(limit) entries; the first \(limit) are taken"
    case .guessedEncoding(let field):
      "has a text that is not UTF-8 (\(field)), read as Windows-1252"
    case .repeatedID(let id): "has more than one entry with the number \(id)"
    case .badID(let id): "has an entry with the number \(id), which is not allowed"
    case .tooLong(let limit): "has more than \(limit) bytes, which is too much to keep"
    case .orphan(let id): "describes an entry \(id) that the file does not have"
    case .badLoop(let first, let last): "has a loop from \(first) to \(last), which is left out"
    case .badValue(let field): "has a value out of range (\(field)), which is left out"
    case .version(let version): "has the version \(version), of which the older fields are read"
    case .unpadded: "lacks the padding byte behind an odd size"
    case .unread(let part): "has a part that is not read (\(part))"
    case .inconsistent(let what): "does not fit the file: \(what)"
    case .cut(let field, let limit): "holds \(limit) bytes of a longer text (\(field))"
    case .noPlace(let value): "has no place for \(value), which is left out"
    case .notASCII(let field): "has a text beyond ASCII (\(field)), written in UTF-8"
    }
  }
}

/// The bounds of chunks that are read into memory.
package enum ChunkLimits {
  /// Bytes of all chunks of a file together, but for its sound.
  package static let totalSize = 64 << 20
  /// Chunks of a file before its sound, and as many behind it: more than any honest one has.
  package static let chunks = 20_000
  /// Cues, markers or comments of a file.
  package static let entries = 100_000
  /// Defects that are listed of one file.
  package static let defects = 100
}

extension [ChunkDefect] {
  /// Adds a defect, unless it is there or the list is long.
  package mutating func note(_ chunk: String, _ problem: ChunkDefect.Problem) {
    let defect = ChunkDefect(chunk, problem)
    guard count < ChunkLimits.defects, !contains(defect) else { return }
    append(defect)
  }
}
