import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import Tagging

/// What a file says of its sound in chunks beside tags, and what is odd about them.
struct ProbedMarks {
  var marks = MediaMarks()
  var defects: [ChunkDefect] = []
  /// Sentences about the file.
  var oddities: [String] = []
  /// Whether the chunks are those of an AIFF or a CAF, whose loops have no rate.
  var hasNoPeriod = false
  /// What of them is not read.
  var unread: [String] = []
  /// Bytes of contents that may still be read.
  private var room = ChunkLimits.totalSize
  private let medium: MediumBytes

  init(_ medium: MediumBytes) { self.medium = medium }

  /// A chunk with its content.
  typealias Read = (chunk: ContainerFacts.Chunk, content: [UInt8])

  /// The chunks of some names with their contents, in the file's order: of several of one name, but for
  /// lists, the first. Those that are too large together are left out.
  mutating func read(
    _ names: Set<String>, among chunks: [ContainerFacts.Chunk]
  ) throws(Failure) -> [Read] {
    var found: [Read] = []
    for chunk in chunks where names.contains(chunk.name) {
      guard chunk.name == "LIST" || !found.contains(where: { $0.chunk.name == chunk.name }) else {
        oddities.append(
          "has several chunks '\(chunk.name)': the first one counts, and no edit keeps the others")
        continue
      }
      guard chunk.body.count <= room else {
        oddities.append(
          "the chunk '\(chunk.name)' has \(chunk.body.count) bytes, and chunks of "
            + "\(ChunkLimits.totalSize >> 20) MiB together are read: it is left out")
        continue
      }
      room -= chunk.body.count
      found.append(
        (chunk, try medium.bytes(at: chunk.body.lowerBound, count: chunk.body.count)))
    }
    return found
  }
}

// MARK: - WAV

extension ProbedMarks {
  private static let waveNames: Set = ["bext", "cart", "iXML", "cue ", "LIST", "smpl", "inst"]

  /// Reads the chunks of a WAV or Wave64, or those of a WAV that a FLAC holds.
  ///
  /// - Parameters:
  ///   - chunks: In the order of the file; `data` is among them.
  ///   - isBigEndian: Whether it is a RIFX.
  /// - Returns: Those that were read, in the order of the file.
  /// - Throws: Where the file cannot be read.
  mutating func readWave(
    _ chunks: [ContainerFacts.Chunk], isBigEndian: Bool = false
  ) throws(Failure) -> [WaveFile.Chunk] {
    let found = try read(Self.waveNames, among: chunks)
    for (chunk, content) in found {
      switch chunk.name {
      case "bext":
        marks.broadcast = BroadcastExtension(content, isBigEndian: isBigEndian, defects: &defects)
      case "cart":
        // As it is remembered: a short one is completed.
        var known: [ChunkDefect] = []
        marks.cart = CartChunk(content, isBigEndian: isBigEndian, defects: &defects)
          .flatMap { CartChunk($0.bytes(), defects: &known) }
      case "iXML": marks.iXML = IXML(content, defects: &defects)
      case "smpl":
        marks.sampler = SamplerChunk(content, isBigEndian: isBigEndian, defects: &defects)
      case "inst": marks.instrument = InstrumentChunk(content, defects: &defects)
      default: break
      }
    }
    let contents = found.map { WaveFile.Chunk($0.chunk.name, $0.content) }
    marks.cues = [MediaMarks.Cue](of: contents, isBigEndian: isBigEndian, &defects)
    if marks.sampler?.loops.isEmpty == false,
      let points = contents.first(where: { $0.name == "cue " })
    {
      // What is wrong with them was found above.
      var known: [ChunkDefect] = []
      let cues = CuePoints(
        cue: points.content, lists: [], isBigEndian: isBigEndian, defects: &known
      ).cues
      marks.cueNumbers = cues.enumerated()
        .sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }
        .map(\.element.id)
    }
    return contents
  }

  /// Notes where all chunks lie, so that another file may have them byte for byte.
  mutating func keep(_ chunks: [ContainerFacts.Chunk]) throws(Failure) {
    let size = chunks.reduce(Int64(0)) {
      ["data", "SSND"].contains($1.name) ? $0 : $0 + Int64($1.body.count)
    }
    guard size <= ChunkLimits.totalSize else {
      oddities.append(
        "has chunks of \(size) bytes beside its sound: no more than \(ChunkLimits.totalSize >> 20) MiB are "
          + "kept in a copy")
      return
    }
    if chunks.count >= ChunkLimits.chunks {
      oddities.append("has more chunks than \(ChunkLimits.chunks): those behind may be left out")
    }
    marks.chunks = try chunks.map { chunk throws(Failure) in
      guard chunk.name == "LIST" else {
        return MediaMarks.StoredChunk(name: chunk.name, content: chunk.body)
      }
      let kind = try medium.bytes(at: chunk.body.lowerBound, count: min(4, chunk.body.count))
      return MediaMarks.StoredChunk(
        name: "LIST " + ContainerFacts.chunkName(kind), content: chunk.body)
    }
  }

  /// Whether avjob itself writes these chunks of a WAV for what they say: they are not kept, since they
  /// are made again. `contents` are those that were read.
  mutating func isUsual(
    _ chunks: [ContainerFacts.Chunk], _ contents: [WaveFile.Chunk]
  ) throws(Failure) -> Bool {
    let others: Set = ["JUNK", "fmt ", "fact"]
    let names = Self.waveNames.union(others)
    guard chunks.allSatisfy({ names.contains($0.name) || $0.name == "data" }),
      chunks.allSatisfy({ !others.contains($0.name) || $0.body.count <= 64 }),
      // A second one of a name was not read.
      contents.count == chunks.count(where: { Self.waveNames.contains($0.name) })
    else { return false }
    var left = contents[...]
    var stored: [WaveFile.Chunk] = []
    for chunk in chunks {
      if chunk.name == "data" {
        stored.append(WaveFile.Chunk(chunk.name, []))
      } else if others.contains(chunk.name) {
        let content = try medium.bytes(at: chunk.body.lowerBound, count: chunk.body.count)
        stored.append(WaveFile.Chunk(chunk.name, chunk.name == "fact" ? [0, 0, 0, 0] : content))
      } else if let read = left.popFirst() {
        stored.append(read)
      }
    }
    guard
      let format = stored.first(where: { $0.name == "fmt " }).flatMap({
        WaveFormat($0.content)
      })
    else { return false }
    var ignored: [ChunkDefect] = []
    let info = stored.lazy.compactMap { InfoList($0.content, defects: &ignored) }.first
    guard
      var own = try? WaveChunks(
        SinkMarks(like: marks), marks.broadcast, info: info ?? InfoList(), format)
    else {
      return false
    }
    // A file without room for large sizes is not told from one with it.
    if stored.first != .room { own.leading.removeFirst() }
    return own == WaveChunks(stored: stored)
  }
}

extension SinkMarks {
  /// What a source has.
  fileprivate init(like marks: MediaMarks) {
    self.init()
    (cart, iXML) = (marks.cart, marks.iXML)
    (cues, sampler, instrument) = (marks.cues, marks.sampler, marks.instrument)
  }
}

// MARK: - AIFF

extension ProbedMarks {
  /// Reads markers, their comments, and the loops of an AIFF, whose ends are markers that are no cues.
  mutating func readAIFF(_ chunks: [ContainerFacts.Chunk]) throws(Failure) {
    let found = try read(["MARK", "COMT", "INST"], among: chunks)
    func content(_ name: String) -> [UInt8]? { found.first { $0.chunk.name == name }?.content }
    hasNoPeriod = true
    let aiff = AIFFMarkers(
      marks: content("MARK"), comments: content("COMT"), instrument: content("INST"),
      defects: &defects)
    let notes = Dictionary(
      aiff.comments.filter { $0.marker != 0 }.map { ($0.marker, $0.text) },
      uniquingKeysWith: { first, _ in first })
    var ends: Set<UInt16> = []
    if let instrument = aiff.instrument {
      marks.instrument = instrument.playing
      var sampler = SamplerChunk()
      sampler.unityNote = UInt32(instrument.playing.unityNote)
      for (loop, isRelease) in [(instrument.sustain, false), (instrument.release, true)]
      where loop.mode != 0 {
        guard let frames = aiff.frames(of: loop) else {
          defects.append(
            ChunkDefect("INST", .badLoop(first: UInt32(loop.begin), last: UInt32(loop.end))))
          continue
        }
        ends.formUnion([loop.begin, loop.end])
        sampler.loops.append(
          .init(
            type: loop.mode == 2 ? 1 : 0, first: frames.lowerBound, last: frames.upperBound - 1,
            isRelease: isRelease))
        func words(_ id: UInt16, _ usual: String) -> MediaMarks.LoopMarkers.Words {
          let name = aiff.markers.first { $0.id == id }?.name
          return .init(label: name == usual ? nil : name, note: notes[id])
        }
        let (begin, end) = (
          words(loop.begin, AIFFMarkers.Loop.beginName), words(loop.end, AIFFMarkers.Loop.endName)
        )
        if [begin, end].contains(where: { $0 != .init() }) {
          marks.loopMarkers.append(
            .init(
              frames: Int64(frames.lowerBound)..<Int64(frames.upperBound), isRelease: isRelease,
              begin: begin, end: end))
        }
      }
      if !sampler.loops.isEmpty { marks.sampler = sampler }
    }
    marks.cues =
      aiff.markers.filter { !ends.contains($0.id) }.map { marker in
        MediaMarks.Cue(
          frame: Int64(marker.frame), label: marker.name.isEmpty ? nil : marker.name,
          note: notes[marker.id])
      }.sortedByFrame
  }
}

// MARK: - FLAC

extension ProbedMarks {
  /// Reads the cue sheet of a FLAC (RFC 9639, 8.7): a list of times without names, of which each is where
  /// the sound of a track begins.
  mutating func readCueSheet(_ blocks: [FLACBlock]) throws(Failure) {
    guard let block = blocks.first(where: { $0.kind == 5 }),
      let sheet = CueSheetBlock(
        try medium.bytes(at: block.body.lowerBound, count: block.body.count), defects: &defects)
    else { return }
    marks.cueSheet = sheet
    guard marks.cues.isEmpty else { return }
    marks.cues =
      sheet.tracks.filter(\.isAudio).map { track in
        let start = track.indices.first { $0.number == 1 }?.offset ?? 0
        return MediaMarks.Cue(frame: Int64(clamping: track.offset &+ start))
      }.sortedByFrame
  }
}

// MARK: - Of a file

extension Prober {
  /// What the chunks of a file say; nil where nothing of it has such chunks.
  func marks(of demuxer: Demuxer) throws(Failure) -> ProbedMarks? {
    let format = demuxer.formatName
    var found = ProbedMarks(bytes)
    switch format {
    case "wav", "w64":
      if demuxer.wave == nil, try hidesSound(format) {
        found.oddities.append(
          "has more chunks than \(ChunkLimits.chunks) before its sound: no output keeps them")
      }
      let chunks = try ContainerFacts.chunks(of: format, wave: demuxer.wave, bytes)
      let contents = try found.readWave(chunks, isBigEndian: demuxer.wave?.kind == .rifx)
      if demuxer.wave?.kind == .riff, try !found.isUsual(chunks, contents) {
        try found.keep(chunks)
      }
    case "aiff", "caf":
      let chunks = try ContainerFacts.chunks(of: format, wave: nil, bytes)
      if format == "aiff" {
        try found.readAIFF(chunks)
        if try !isUsualAIFF(chunks) { try found.keep(chunks) }
      } else {
        try found.readCAF(chunks)
        if try !ContainerFacts.unreadChunks(of: format, bytes).isEmpty {
          // Regions are written anew.
          try found.keep(chunks.filter { $0.name != "regn" })
        }
      }
    case "flac":
      let blocks = try FLACBlock.all(of: bytes) ?? []
      if let foreign = try foreignChunks(of: blocks) {
        if foreign.container == .aiff {
          try found.readAIFF(foreign.chunks)
        } else {
          _ = try found.readWave(foreign.chunks)
        }
        // No output but a FLAC has a Wave64's: without a format they are no WAV's.
        let isWave64 = foreign.container == .wave64
        try found.keep(foreign.chunks.filter { !isWave64 || $0.name != "fmt " })
      }
      try found.readCueSheet(blocks)
    default: return nil
    }
    return found
  }

  /// Adds what chunks say to a file's facts.
  ///
  /// - Returns: Warnings of chunks, but for texts of a guessed encoding, which `SourceTags` names.
  func add(_ found: ProbedMarks, to asset: inout Asset) -> [Warning] {
    if !found.marks.isEmpty { asset.marks = found.marks }
    if found.hasNoPeriod {
      let period = SamplerChunk.period(sampleRate: asset.sampleRate)
      asset.marks?.sampler?.period = period
    }
    // Each output has these or names them.
    let kept = Set(found.marks.chunks.map { ContainerFacts.shownName($0.name) })
    asset.unread.removeAll(where: kept.contains)
    asset.unread += found.unread
    let told = found.defects.filter {
      if case .guessedEncoding = $0.problem { false } else { true }
    }
    return (told.map(\.description) + found.oddities).map { Warning($0, location: location) }
  }

  /// Whether libavformat writes these chunks of an AIFF for any sound like it: they are not kept.
  private func isUsualAIFF(_ chunks: [ContainerFacts.Chunk]) throws(Failure) -> Bool {
    guard chunks.map(\.name) == ["COMM", "SSND"], chunks[0].body.count == 18 else { return false }
    return try bytes.bytes(at: chunks[1].body.lowerBound, count: 8).allSatisfy { $0 == 0 }
  }

  /// The chunks of a WAV, an AIFF or a Wave64 in blocks of a FLAC (`flac --keep-foreign-metadata`): a block
  /// has one, with its head, and of the sound what stands before its first sample. nil without any.
  func foreignChunks(
    of blocks: [FLACBlock]
  ) throws(Failure) -> (container: ForeignBlocks.Container, chunks: [ContainerFacts.Chunk])? {
    var found: (container: ForeignBlocks.Container, chunks: [ContainerFacts.Chunk])?
    for block in blocks where block.kind == 2 {
      let head = try bytes.bytes(at: block.body.lowerBound, count: 4)
      guard
        let container = ForeignBlocks.Container(rawValue: ContainerFacts.chunkName(head)),
        found.map({ $0.container == container }) ?? true
      else { continue }
      let content =
        block.body.lowerBound + 4..<max(block.body.lowerBound + 4, block.body.upperBound)
      // Of the sound there is the head alone, whatever its size says.
      var walk = ChunkWalk(in: content, container.layout)
      guard let chunk = try walk.next(bytes.bytes(at:count:)) else { continue }
      let name = ContainerFacts.chunkName(chunk.name)
      guard !["RIFF", "RF64", "BW64", "FORM", "riff"].contains(name) else { continue }
      let first = chunk.content.lowerBound
      let body = name == "data" ? first..<first : chunk.content
      found = (
        container, (found?.chunks ?? []) + [ContainerFacts.Chunk(name: name, body: body)]
      )
    }
    return found
  }
}

// MARK: - Tags of a FLAC beside chunks

extension ProbedMarks {
  /// Takes what tag editors changed in a FLAC that has the chunks of another file: its own tags count, and
  /// texts that only the chunks have stay.
  mutating func take(_ edits: [SourceTags.Edit]) {
    marks.hasEditedTags = !edits.isEmpty
    guard var broadcast = marks.broadcast else { return }
    for edit in edits where edit.old == broadcast.tags.first(where: { $0.key == edit.key })?.text {
      switch edit.key {
      // A new text has a place in INFO.
      case "comment" where edit.old != nil: broadcast.description = edit.new
      case "encoded_by" where edit.old != nil: broadcast.originator = edit.new
      case "originator_reference": broadcast.originatorReference = edit.new
      case "coding_history": broadcast.codingHistory = edit.new
      case "date" where edit.old != nil && edit.new.utf8.count == 10:
        broadcast.originationDate = edit.new
      case "time_reference":
        broadcast.timeReference =
          BroadcastExtension.timeReference(edit.new) ?? broadcast.timeReference
      default: break
      }
    }
    marks.broadcast = broadcast
  }
}

extension BroadcastExtension {
  /// Its fields as tags by libavformat's names (`wav_parse_bext_tag`, `wav_metadata_conv`), those that say
  /// something: other formats have a place for these alone. libavformat itself reads on behind a chunk
  /// that is too short.
  var tags: [(key: String, text: String)] {
    let digits = umid.map { byte in
      String(UInt16(byte) + 0x100, radix: 16, uppercase: true).dropFirst()
    }
    return [
      ("comment", description), ("encoded_by", originator),
      ("originator_reference", originatorReference), ("date", originationDate),
      ("time_reference", "\(timeReference)"), ("umid", umid.isEmpty ? "" : "0x" + digits.joined()),
      ("coding_history", codingHistory),
    ].filter { !$0.1.isEmpty }
  }
}
