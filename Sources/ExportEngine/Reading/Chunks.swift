import Diagnosis
import MediaComposition
import Tagging

/// Chunks of RIFF, AIFF and CAF, of which libavformat reads some.
extension ContainerFacts {
  /// One chunk.
  struct Chunk {
    var name: String
    var body: Range<Int64>
  }

  /// Chunks that are read here or by libavformat, that hold no facts, or that the sound makes.
  private static let known: [String: Set<String>] = [
    "wav": [
      "fmt ", "fact", "data", "LIST", "bext", "cue ", "id3 ", "ID3 ", "ds64", "JUNK", "junk",
      "PAD ",
      "FLLR", "filr", "Fake",
    ],
    "aiff": ["COMM", "SSND", "FVER", "NAME", "AUTH", "(c) ", "ANNO", "ID3 ", "FLLR"],
    "caf": ["desc", "data", "pakt", "kuki", "chan", "free", "info"],
  ]

  /// A chunk's name, without bytes that are no letters.
  static func chunkName(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// The names of chunks that nothing reads.
  static func unreadChunks(of format: String, _ medium: MediumBytes) throws(Failure) -> [String] {
    guard var known = known[format] else { return [] }
    let kind = try medium.bytes(at: 0, count: 4)
    let isRIFX = format == "wav" && kind == Array("RIFX".utf8)
    // libavformat is given its sound and its texts alone (`WaveSource`).
    if isRIFX { known.subtract(["bext", "cue "]) }
    var found: [String] = []
    func add(_ name: String) { if !found.contains(name), found.count < 100 { found.append(name) } }
    for chunk in try chunks(of: format, medium) {
      if chunk.name == "LIST", format == "wav" {
        for name in try unreadLists(chunk, isRIFX: isRIFX, medium) { add(name) }
      } else if !known.contains(chunk.name) {
        let name = chunk.name.last == " " ? String(chunk.name.dropLast()) : chunk.name
        add(name)
      }
    }
    return found
  }

  /// What of a list is not read: labels of cues are chapters, and INFO has the tags.
  private static func unreadLists(
    _ list: Chunk, isRIFX: Bool, _ medium: MediumBytes
  ) throws(Failure) -> [String] {
    guard list.body.count >= 4 else { return ["LIST"] }
    let kind = chunkName(try medium.bytes(at: list.body.lowerBound, count: 4))
    switch kind {
    case "INFO": return []
    case "adtl" where !isRIFX:
      let inner = try chunks(
        in: list.body.lowerBound + 4..<list.body.upperBound, isBigEndian: false, sizeBytes: 4,
        medium)
      return Set(inner.map(\.name)).subtracting(["labl"]).sorted().map {
        $0 == "ltxt" ? "lengths of cues (ltxt)" : "texts of cues (\($0))"
      }
    default: return ["LIST \(kind)"]
    }
  }

  /// All chunks of a file, in its order.
  static func chunks(of format: String, _ medium: MediumBytes) throws(Failure) -> [Chunk] {
    let size = try medium.size()
    return switch format {
    case "caf": try chunks(in: 8..<max(8, size), isBigEndian: true, sizeBytes: 8, medium)
    case "aiff": try chunks(in: 12..<max(12, size), isBigEndian: true, sizeBytes: 4, medium)
    default:
      try chunks(
        in: 12..<max(12, size),
        isBigEndian: try medium.bytes(at: 0, count: 4) == Array("RIFX".utf8), sizeBytes: 4, medium)
    }
  }

  private static func chunks(
    in range: Range<Int64>, isBigEndian: Bool, sizeBytes: Int, _ medium: MediumBytes
  ) throws(Failure) -> [Chunk] {
    var found: [Chunk] = []
    var offset = range.lowerBound
    var longSize: Int64?
    // More chunks than any honest file has.
    for _ in 0..<1000 where offset + Int64(4 + sizeBytes) <= range.upperBound {
      let head = try medium.bytes(at: offset, count: 4 + sizeBytes)
      guard head.count == 4 + sizeBytes, head[..<4].contains(where: { $0 != 0 }) else { break }
      let digits = isBigEndian ? Array(head[4...]) : head[4...].reversed()
      var size = Int64(clamping: digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      let name = chunkName(head[..<4])
      let start = offset + Int64(4 + sizeBytes)
      if name == "ds64" {
        let long = try medium.bytes(at: start + 8, count: 8)
        longSize = Int64(clamping: long.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      }
      if name == "data", size == 0xFFFF_FFFF, let longSize { size = longSize }
      let (end, isTooMuch) = start.addingReportingOverflow(size)
      guard !isTooMuch, end <= range.upperBound else {
        found.append(Chunk(name: name, body: start..<range.upperBound))
        break
      }
      found.append(Chunk(name: name, body: start..<end))
      // Of CAF, chunks are not padded.
      offset = end + (sizeBytes == 4 ? size % 2 : 0)
    }
    return found
  }
}

extension Prober {
  /// The tags of AIFF's chunks: of ID3, and of texts (AIFF 1.3, "Text chunks"), which have one value
  /// each, but for annotations.
  func addAIFFChunks(to tags: inout SourceTags) throws(Failure) {
    var found = SourceTags()
    var texts = SourceTags()
    for chunk in try ContainerFacts.chunks(of: "aiff", bytes) {
      let key = [
        "NAME": "title", "AUTH": "artist", "(c) ": "copyright", "ANNO": "comment",
      ][chunk.name]
      if chunk.name == "ID3 ", let tag = try storedTag(at: Int(chunk.body.lowerBound)) {
        found.complete(with: try self.tags(of: tag))
      } else if let key, chunk.body.count <= 1 << 20 {
        let text = try bytes.bytes(at: chunk.body.lowerBound, count: chunk.body.count)
        let (value, isGuessed) = EightBitText.decoded(text.prefix { $0 != 0 })
        if isGuessed, !texts.guessed.contains(key) { texts.guessed.append(key) }
        texts.add(value, to: key)
      }
    }
    found.unread += try ContainerFacts.unreadChunks(of: "aiff", bytes)
    found.complete(with: texts)
    tags = found
  }
}
