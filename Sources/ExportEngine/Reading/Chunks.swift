import Diagnosis
import LibAV
import MediaComposition
import Tagging

/// Chunks of RIFF, Wave64, AIFF and CAF, of which libavformat reads some.
extension ContainerFacts {
  /// One chunk.
  struct Chunk {
    var name: String
    /// What the file has of it.
    var body: Range<Int64>
    /// How many bytes its size counts beyond what holds it.
    var missing: Int64 = 0
    /// Whether it is an AIFF's sound without a size, up to the file's end.
    var isOpen = false
  }

  /// Chunks that are read here or by libavformat, that hold no facts, or that the sound makes.
  static let known: [String: Set<String>] = [
    "wav": [
      "fmt ", "fact", "data", "LIST", "bext", "cue ", "id3 ", "ID3 ", "ds64", "JUNK", "junk",
      "PAD ", "FLLR", "filr", "Fake", "cart", "iXML", "smpl", "inst",
    ],
    "w64": [
      "fmt ", "fact", "data", "summary list", "junk", "bext", "cart", "iXML", "cue ", "smpl",
      "inst",
    ],
    "aiff": [
      "COMM", "SSND", "FVER", "NAME", "AUTH", "(c) ", "ANNO", "ID3 ", "FLLR", "MARK", "COMT",
      "INST",
    ],
    "caf": [
      "desc", "data", "pakt", "kuki", "chan", "free", "info", "mark", "strg", "regn", "inst",
    ],
  ]

  /// A chunk's name, without bytes that are no letters.
  static func chunkName(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// A chunk's name in messages.
  static func shownName(_ name: String) -> String {
    name.last == " " ? String(name.dropLast()) : name
  }

  /// The names of chunks that nothing reads; of a WAV or Wave64, `wave` is its header.
  static func unreadChunks(
    of format: String, wave: WaveHeader? = nil, _ medium: MediumBytes
  ) throws(Failure) -> [String] {
    guard let known = known[format] else { return [] }
    var found: [String] = []
    func add(_ name: String) { if !found.contains(name), found.count < 100 { found.append(name) } }
    for chunk in try chunks(of: format, wave: wave, medium) {
      if chunk.name == "LIST", format == "wav" {
        let kind = chunkName(
          try medium.bytes(at: chunk.body.lowerBound, count: min(4, chunk.body.count)))
        if !["INFO", "adtl"].contains(kind) { add("LIST \(kind)") }
      } else if !known.contains(chunk.name) {
        add(shownName(chunk.name))
      }
    }
    return found
  }

  /// All chunks of a file, in its order; of a WAV or Wave64, those of its header.
  static func chunks(
    of format: String, wave: WaveHeader?, _ medium: MediumBytes
  ) throws(Failure) -> [Chunk] {
    let size = try medium.size()
    return switch format {
    case "caf": try chunks(in: 8..<max(8, size), of: .caf, medium)
    case "aiff": try chunks(in: 12..<max(12, size), of: .aiff, medium)
    default:
      (wave?.chunksOfOneSound ?? []).map { Chunk(name: chunkName($0.name.utf8), body: $0.content) }
    }
  }

  /// The chunks in a range of a file's bytes; `isLenient` where writers leave padding out.
  static func chunks(
    in range: Range<Int64>, of layout: ChunkWalk.Layout, isLenient: Bool = false,
    _ medium: MediumBytes
  ) throws(Failure) -> [Chunk] {
    var found: [Chunk] = []
    var hasSound = false
    var walk = ChunkWalk(in: range, layout, isLenient: isLenient)
    while let chunk = try walk.next(medium.bytes(at:count:)),
      chunk.name.contains(where: { $0 != 0 })
    {
      let name = chunkName(chunk.name)
      // Samples, or another file, behind the last chunk: those of AIFF and CAF have names of letters.
      if layout.isBigEndian,
        chunk.name.contains(where: { !(0x20...0x7E ~= $0) }) || name == "FORM" || name == "caff"
      {
        break
      }
      // Of the first one alone: each look walks to the end of the file.
      if layout == .aiff, !hasSound,
        try chunk.isOpenSound(before: range.upperBound, medium.bytes(at:count:))
      {
        let body = chunk.content.lowerBound..<range.upperBound
        found.append(Chunk(name: name, body: body, isOpen: true))
        break
      }
      hasSound = hasSound || name == "SSND"
      let (end, isTooMuch) = chunk.content.lowerBound
        .addingReportingOverflow(chunk.announcedSize)
      let missing = isTooMuch ? 0 : max(0, end - range.upperBound)
      found.append(Chunk(name: name, body: chunk.content, missing: missing))
      guard chunk.isWhole else { break }
    }
    return found
  }
}

extension Prober {
  /// Adds the ID3 tag of a DSDIFF file, which libavformat leaves out.
  func addDSDIFFTag(to tags: inout SourceTags) throws(Failure) {
    let head = try bytes.bytes(at: 0, count: 16)
    guard head.starts(with: "FRM8".utf8), head.suffix(4).elementsEqual("DSD ".utf8) else { return }
    let range = 16..<max(16, try bytes.size())
    for chunk in try ContainerFacts.chunks(in: range, of: .dsdiff, bytes) {
      guard chunk.name == "ID3 ", let tag = try storedTag(at: Int(clamping: chunk.body.lowerBound))
      else { continue }
      var found = try self.tags(of: tag)
      found.complete(with: tags)
      tags = found
    }
  }

  /// The tags of AIFF's chunks: of ID3, and of texts (AIFF 1.3, "Text chunks"), which have one value
  /// each, but for annotations.
  func aiffTags(in chunks: [ContainerFacts.Chunk]) throws(Failure) -> SourceTags {
    var found = SourceTags()
    var texts = SourceTags()
    for chunk in chunks {
      let key = [
        "NAME": "title", "AUTH": "artist", "(c) ": "copyright", "ANNO": "comment",
      ][chunk.name]
      if chunk.name == "ID3 ", let tag = try storedTag(at: Int(chunk.body.lowerBound)) {
        found.complete(with: try self.tags(of: tag))
      } else if chunk.name == "COMT", chunk.body.count <= 1 << 20 {
        var defects: [ChunkDefect] = []
        let list = try bytes.bytes(at: chunk.body.lowerBound, count: chunk.body.count)
        // Those of markers are notes of cues.
        for comment in AIFFMarkers(comments: list, defects: &defects).comments
        where comment.marker == 0 { texts.add(comment.text, to: "comment") }
      } else if let key, chunk.body.count <= 1 << 20 {
        let text = try bytes.bytes(at: chunk.body.lowerBound, count: chunk.body.count)
        let (value, isGuessed) = EightBitText.decoded(text.prefix { $0 != 0 })
        if isGuessed, !texts.guessed.contains(key) { texts.guessed.append(key) }
        texts.add(value, to: key)
      }
    }
    found.complete(with: texts)
    return found
  }

  /// The tags of a WAV's chunks: of ID3, of INFO's texts, and of `bext`. libavformat takes the first of
  /// several values of ID3.
  func waveTags(
    in chunks: [ContainerFacts.Chunk], isBigEndian: Bool, _ broadcast: BroadcastExtension?
  ) throws(Failure) -> SourceTags {
    var tags: SourceTags?
    for chunk in chunks where ["id3 ", "ID3 "].contains(chunk.name) && tags == nil {
      tags = try storedTag(at: Int(clamping: chunk.body.lowerBound)).map {
        tag throws(Failure) in try self.tags(of: tag)
      }
    }
    var found = tags ?? SourceTags()
    if let info = try infoTags(in: chunks, isBigEndian: isBigEndian) { found.complete(with: info) }
    var said = SourceTags()
    for (key, text) in broadcast?.tags ?? [] { said.add(text, to: key) }
    found.complete(with: said)
    return found
  }

  /// The texts of a WAV's INFO lists, of which one may stand several times: libavformat has the last.
  /// nil without any.
  private func infoTags(
    in chunks: [ContainerFacts.Chunk], isBigEndian: Bool
  ) throws(Failure) -> SourceTags? {
    var found: SourceTags?
    let layout: ChunkWalk.Layout = isBigEndian ? .aiff : .riff
    for list in chunks where list.name == "LIST" && list.body.count > 4 {
      let start = list.body.lowerBound
      guard try bytes.bytes(at: start, count: 4) == Array("INFO".utf8) else { continue }
      for chunk in try ContainerFacts.chunks(
        in: start + 4..<list.body.upperBound, of: layout, isLenient: true, bytes)
      where chunk.missing == 0 && chunk.body.count <= 1 << 20 {
        let text = try bytes.bytes(at: chunk.body.lowerBound, count: chunk.body.count)
        let (value, isGuessed) = EightBitText.decoded(text.prefix { $0 != 0 })
        guard !value.isEmpty else { continue }
        var tags = found ?? SourceTags()
        let key = TagNames.key(ofInfo: chunk.name)
        if isGuessed, !tags.guessed.contains(key) { tags.guessed.append(key) }
        tags.add(value, to: key)
        found = tags
      }
    }
    return found
  }
}
