/// Cues of a WAV: the chunk `cue ` and the texts and lengths in `LIST adtl` (Microsoft and IBM,
/// "Multimedia Programming Interface and Data Specifications 1.0", "Cue-Points Chunk" and "Associated
/// Data Chunk").
package struct CuePoints: Sendable, Hashable {
  /// A place in the sound, or a region of it.
  package struct Cue: Sendable, Hashable {
    /// What texts and lengths name it by.
    package var id: UInt32
    package var frame: UInt32
    /// Its title (`labl`).
    package var label: String?
    /// A comment (`note`).
    package var note: String?
    /// Frames of the region that it begins (`ltxt` of the purpose `rgn `); nil for a place alone.
    package var length: UInt32?

    package init(
      id: UInt32, frame: UInt32, label: String? = nil, note: String? = nil, length: UInt32? = nil
    ) {
      (self.id, self.frame, self.label, self.note) = (id, frame, label, note)
      self.length = length
    }

    fileprivate var hasText: Bool { label != nil || note != nil || (length ?? 0) > 0 }
  }

  /// In the order of the chunk, which need not be that of the sound.
  package var cues: [Cue]

  package init(_ cues: [Cue] = []) { self.cues = cues }

  private static let (chunk, list) = ("cue ", "adtl")
  private static let entrySize = 24

  /// Reads the content of `cue `, and those of lists `adtl`, which begin with that name; other lists
  /// are left alone. O(n)
  package init(
    cue: [UInt8], lists: [[UInt8]], isBigEndian: Bool = false, defects: inout [ChunkDefect]
  ) {
    cues = []
    var reader = ChunkReader(Self.chunk, cue, isBigEndian: isBigEndian)
    if cue.count < 4 { defects.note(Self.chunk, .unreadable(has: cue.count, needs: 4)) }
    let announced = reader.number(UInt32.self)
    var places: [UInt32: Int] = [:]
    for _ in 0..<reader.count(UInt64(announced), of: Self.entrySize, &defects) {
      let id = reader.number(UInt32.self)
      // The place in the play list, the chunk's name, and the starts of chunk and block.
      _ = reader.bytes(16)
      let frame = reader.number(UInt32.self)
      if places[id] != nil { defects.note(Self.chunk, .repeatedID(id)) }
      places[id] = places[id] ?? cues.count
      cues.append(Cue(id: id, frame: frame))
    }
    for list in lists where list.starts(with: Self.list.utf8) {
      read(list, isBigEndian: isBigEndian, places, &defects)
    }
  }

  private mutating func read(
    _ list: [UInt8], isBigEndian: Bool, _ places: [UInt32: Int], _ defects: inout [ChunkDefect]
  ) {
    var texts: [Int: String] = [:]
    for (name, content) in ChunkList.entries(of: list, isBigEndian: isBigEndian, &defects) {
      var reader = ChunkReader(name, content, isBigEndian: isBigEndian)
      let needed = name == "ltxt" ? 12 : 4
      guard ["labl", "note", "ltxt"].contains(name) else {
        defects.note(Self.list, .unread(name))
        continue
      }
      guard content.count >= needed else {
        defects.note(name, .short(has: content.count, needs: needed))
        continue
      }
      let id = reader.number(UInt32.self)
      guard let place = places[id] else {
        defects.note(name, .orphan(id))
        continue
      }
      switch name {
      case "labl": cues[place].label = cues[place].label ?? reader.text("label", &defects)
      case "note": cues[place].note = cues[place].note ?? reader.text("note", &defects)
      default:
        let length = reader.number(UInt32.self)
        let purpose = reader.bytes(4)
        guard purpose.elementsEqual("rgn ".utf8) else {
          defects.note(name, .unread("purpose " + EightBitText.windows1252(purpose)))
          continue
        }
        if length > 0 { cues[place].length = cues[place].length ?? length }
        // Country, language, dialect and code page.
        _ = reader.bytes(8)
        let text = reader.text("region", &defects)
        if !text.isEmpty { texts[place] = texts[place] ?? text }
      }
    }
    // The text of a region is its title where it has no other.
    for (place, text) in texts { cues[place].label = cues[place].label ?? text }
  }

  /// Cues as they are written: each with a number of its own, new ones if they are not, and no more
  /// than are read.
  private var numbered: [Cue] {
    var written = Array(cues.prefix(ChunkLimits.entries))
    guard Set(written.map(\.id)).count < written.count else { return written }
    for index in written.indices { written[index].id = UInt32(index + 1) }
    return written
  }

  /// What the two contents cannot hold.
  package var losses: [ChunkDefect] {
    guard cues.count > ChunkLimits.entries else { return [] }
    return [ChunkDefect(Self.chunk, .tooMany(limit: ChunkLimits.entries))]
  }

  /// The content of `cue `; nil without cues. O(n)
  package func cueBytes(isBigEndian: Bool = false) -> [UInt8]? {
    guard !cues.isEmpty else { return nil }
    var writer = ChunkWriter(isBigEndian: isBigEndian)
    let cues = numbered
    writer.append(UInt32(cues.count))
    for cue in cues {
      writer.append(cue.id)
      // Without a play list the place in it is that in the sound.
      writer.append(cue.frame)
      writer.append("data".utf8)
      writer.append(zeros: 8)
      writer.append(cue.frame)
    }
    return writer.bytes
  }

  /// The content of `LIST`, from `adtl` on; nil where no cue has a text or a length. O(n)
  package func listBytes(isBigEndian: Bool = false) -> [UInt8]? {
    let cues = numbered.filter(\.hasText)
    guard !cues.isEmpty else { return nil }
    var list = ChunkList(Self.list, isBigEndian: isBigEndian)
    for cue in cues {
      for (name, text) in [("labl", cue.label), ("note", cue.note)] {
        guard let text else { continue }
        var writer = ChunkWriter(isBigEndian: isBigEndian)
        writer.append(cue.id)
        writer.append(text.bytes(atMost: .max) + [0])
        list.append(name, writer.bytes)
      }
      guard let length = cue.length, length > 0 else { continue }
      var writer = ChunkWriter(isBigEndian: isBigEndian)
      writer.append(cue.id)
      writer.append(length)
      writer.append("rgn ".utf8)
      // Country, language, dialect and code page of a text that is not there.
      writer.append(zeros: 8)
      list.append("ltxt", writer.bytes)
    }
    return list.bytes
  }
}
