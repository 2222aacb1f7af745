import Diagnosis
import ExportGraph
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import Tagging

extension Sink {
  /// The WAV that the sink becomes, without its sound.
  ///
  /// - Parameters:
  ///   - format: How the sound is stored.
  ///   - stored: The chunks of a source with the same samples, which are kept in its order.
  /// - Returns: All chunks but `data`.
  /// - Throws: `mendJob` for a cue that WAV has no place for.
  func waveFile(
    _ format: WaveFormat, keeping stored: StoredChunks? = nil
  ) throws(Failure) -> WaveFile {
    var chunks = try WaveChunks(
      marks, broadcast(by: "avjob \(Engine.version)"), info: infoList, format)
    var form = output.waveContainer.map(WaveFile.Form.init)
    if let stored, let source = marks.identical?.source {
      var twin = self
      twin.metadata = source.metadata
      let others = WaveChunks(stored: stored.chunks)
      // Its own mask says where channels are that are placed otherwise here.
      let hasSameFormat =
        others.tell(format) && source.channelLayout == output.channelLayout
      if hasSameFormat { form = form ?? stored.waveForm }
      let listed = stored.taggedChapters
      let hasSameChapters = listed.map(hasChapters) ?? true
      let isStale =
        !hasSameChapters && (source.container == "flac" || !hasChapters(source.chapters))
      let hasSameTags =
        twin.infoList == infoList && source.marks?.hasEditedTags != true && !isStale
      let isToldByTags = hasSameTags && hasSameChapters && listed != nil && others.cues.isEmpty
      chunks = chunks.keeping(
        others, keepsFormat: hasSameFormat, keepsTags: hasSameTags, keepsCues: isToldByTags,
        unchanged: unchangedKinds(of: source.marks ?? MediaMarks()))
      // A source of more than 4 GiB may have sizes that have wrapped.
      let size = Int64(frames.count / format.blockLength) * Int64(format.blockSize)
      chunks.fit(form ?? .riff, of: stored.waveForm, isLarge: size > 3 << 30)
    }
    return WaveFile(
      of: format, leading: chunks.leading, trailing: chunks.trailing, as: form ?? .riff)
  }

  /// The kinds of chunks of a source whose facts its file has, too.
  private func unchangedKinds(of old: MediaMarks) -> Set<String> {
    // Of a FLAC with other tags by now the source's facts are not those of its chunk.
    let keepsBroadcast =
      marks.broadcast == old.broadcast && marks.step == nil && !old.hasEditedTags
      && output.marks?.removesBroadcast != true
    let kinds = [
      ("bext", keepsBroadcast), ("iXML", marks.iXML == old.iXML), ("cart", marks.cart == old.cart),
      ("smpl", marks.sampler == old.sampler), ("inst", marks.instrument == old.instrument),
    ]
    return Set(kinds.filter { $0.1 }.map { $0.0 })
  }

  /// Whether its file has these chapters, to a millisecond.
  private func hasChapters(_ listed: [Chapter]) -> Bool {
    let own = output.chapters.inFile ? chapters : []
    return own.count == listed.count
      && zip(own, listed).allSatisfy { one, other in
        let gap = one.start - other.start
        return max(gap, .zero - gap) <= Time(value: 1, timescale: 1000) && one.title == other.title
      }
  }

  /// The tags as texts of a WAV, in the order of their names, but for what libavformat has as tags of a
  /// `bext` that the file has, too.
  private var infoList: InfoList {
    let said = marks.broadcast.map { broadcast in
      [
        "comment": broadcast.description, "encoded_by": broadcast.originator,
        "date": broadcast.originationDate,
      ]
    }
    let entries = fields.compactMap { item -> InfoList.Entry? in
      let key = capabilities.tagName(of: item.key)
      guard !item.value.isEmpty, said?[key.lowercased()] != item.value else { return nil }
      return TagNames.infoName(of: key).map { InfoList.Entry($0, item.value) }
    }
    return InfoList(entries.sorted { $0.name < $1.name })
  }
}

extension Output.SampleFormat {
  /// How WAV stores such samples; `mask` has a bit for each channel (`AV_CH_…`), or none.
  func waveFormat(_ sound: AudioFormat, mask: UInt64) -> WaveFormat {
    let coding: WaveFormat.Coding =
      switch self {
      case .uint8, .int16, .int24: .integer
      case .float32: .float
      case .muLaw: .muLaw
      case .aLaw: .aLaw
      case .gsm: .gsm
      case .g722, .ima4: preconditionFailure("WAV is not written with \(self.rawValue)")
      }
    return WaveFormat(
      coding, bits: self == .gsm ? 0 : 8 * byteCount, sampleRate: sound.sampleRate,
      channelCount: sound.channelLayout.count, channelMask: mask)
  }
}

extension LibAVRecipe {
  /// Adds the cue sheet of a FLAC, and the chunks of the source whose samples the sink has.
  ///
  /// A WAV and an AIFF get them in the source's order, a FLAC as blocks (`flac
  /// --keep-foreign-metadata`). CAF, and an AIFF with other samples, which libavformat writes, get those
  /// that nothing else says again.
  ///
  /// - Throws: `mendInput` where the source cannot be read, `mendJob` where FLAC has no place for its
  ///   chunks.
  mutating func keepChunks(
    of sink: Sink, _ sound: AudioFormat, _ picture: PictureReader
  ) throws(Failure) {
    if container == .flac, let sheet = sink.marks.cueSheet { addBlock(5, sheet.bytes) }
    guard let identical = sink.marks.identical else { return }
    let source = identical.source
    let bytes = try MediumBytes(source.location)
    if container == .flac {
      for block in try Self.applications(of: source, bytes) { addBlock(2, block) }
      return
    }
    guard let stored = try StoredChunks(identical, bytes) else {
      return try appendUnknown(of: identical, bytes)
    }
    switch (sink.format, stored.form) {
    case (.wav(let samples), .wave):
      let layout = try sink.waveFile(
        samples.waveFormat(sound, mask: channelMask), keeping: stored)
      wrapping = .chunks(layout)
    case (.aiff(let samples), .aiff(let isCompressed)):
      let format = AIFFFormat(samples, sound, frameCount: Int64(sink.frames.count))
      guard stored.chunks.contains(where: { format.isTold(by: $0, isCompressed) }) else {
        return try appendUnknown(of: identical, bytes)
      }
      let kept = AIFFChunks(stored.chunks).replaced(
        by: chunks, keepsMarks: sink.marks.areThose(of: source),
        keepsTags: try sink.hasTags(of: source, written: tag, picture))
      let layout = AIFFFile(isCompressed: isCompressed, kept)
      guard layout.size(soundSize: format.soundSize) <= UInt32.max else {
        throw Failure(.mendJob, AIFFFormat.sizeProblem)
      }
      (wrapping, chunks) = (.chunks(layout), [])
    default: try appendUnknown(of: identical, bytes)
    }
  }

  /// Adds a block of a FLAC's metadata, which is not the last one (RFC 9639, 8.1).
  private mutating func addBlock(_ kind: UInt8, _ body: [UInt8]) {
    blocks += [kind] + [16, 8, 0].map { UInt8(truncatingIfNeeded: body.count >> $0) } + body
  }

  /// Adds the chunks that nothing else in the output says again.
  private mutating func appendUnknown(
    of kept: SinkMarks.KeptChunks, _ bytes: MediumBytes
  ) throws(Failure) {
    for chunk in kept.source.marks?.chunks ?? [] where !kept.omitted.contains(chunk.name) {
      switch TagClass(ofChunk: chunk.name) {
      case .content, .headerDate, .place, .times, .file: continue
      case .level, .samples, .bytes, .frames, .unknown:
        chunks.append(
          WaveFile.Chunk(
            chunk.name, try bytes.bytes(at: chunk.content.lowerBound, count: chunk.content.count)))
      }
    }
  }

  /// The blocks that hold the chunks of a file, or that a FLAC has of another one.
  private static func applications(
    of source: Asset, _ bytes: MediumBytes
  ) throws(Failure) -> [[UInt8]] {
    if let blocks = try FLACBlock.all(of: bytes) {
      return try blocks.filter { $0.kind == 2 }.map { block throws(Failure) in
        try bytes.bytes(at: block.body.lowerBound, count: block.body.count)
      }
    }
    var defects: [ChunkDefect] = []
    let found = try ForeignBlocks(
      file: bytes.size(), defects: &defects, read: bytes.bytes(at:count:))
    guard let found else {
      let reason = defects.first.map { ": \($0)" } ?? ""
      throw Failure(
        .mendJob,
        "its chunks cannot be kept in a FLAC\(reason); leave 'foreign: keep' out",
        location: source.location)
    }
    return found.applications
  }
}

/// The chunks of a WAV or an AIFF, or of a FLAC that holds those of one, with their contents.
struct StoredChunks: Sendable {
  /// How a file is called.
  enum Form: Sendable {
    case wave(WaveFile.Form)
    /// AIFF, or AIFC.
    case aiff(isCompressed: Bool)
  }

  /// In the order of the file; one of them is the sound's, of which there is what stands before the first
  /// sample.
  var chunks: [WaveFile.Chunk]
  var form: Form

  var waveForm: WaveFile.Form? {
    if case .wave(let form) = form { form } else { nil }
  }

  /// The chapters of its ID3 tag; nil without any.
  var taggedChapters: [Chapter]? {
    guard let content = chunks.first(where: { ["id3 ", "ID3 "].contains($0.name) })?.content,
      let tag = StoredID3Tag.read(
        at: 0, byteCount: content.count, inflating: Inflation.inflate(_:to:),
        reading: { offset, target in
          let part = content.dropFirst(offset).prefix(target.count)
          target.copyBytes(from: part)
          return part.count
        }), !tag.chapters.isEmpty
    else { return nil }
    return tag.chapters.map { Chapter(start: $0.range.start, title: $0.title, isInherited: true) }
      .lasting(by: \.start)
  }

  /// Reads them; nil where they are not those of an AIFF, or of a WAV with the lowest byte first.
  ///
  /// - Throws: `Failure` where the source cannot be read.
  init?(_ kept: SinkMarks.KeptChunks, _ bytes: MediumBytes) throws(Failure) {
    let head = try Self.head(bytes)
    let type = ContainerFacts.chunkName(head.dropFirst(8))
    switch ContainerFacts.chunkName(head.prefix(4)) {
    case "RIFF": form = .wave(.riff)
    case let name where ["RF64", "BW64"].contains(name):
      form = .wave(WaveFile.Form(longName: name, isAlwaysLong: true))
    case "FORM" where ["AIFF", "AIFC"].contains(type): form = .aiff(isCompressed: type == "AIFC")
    default: return nil
    }
    chunks = []
    for chunk in kept.source.marks?.chunks ?? [] where !kept.omitted.contains(chunk.name) {
      var count = chunk.content.count
      if chunk.name == "data" { count = 0 }
      if chunk.name == "SSND" {
        // An offset, the size of blocks, and as many bytes as the first says (AIFF 1.3, "Sound Data
        // Chunk").
        let offset = AtomHead.number(try bytes.bytes(at: chunk.content.lowerBound, count: 4))
        count = min(count, 8 + Int(clamping: offset))
      }
      let content = try bytes.bytes(at: chunk.content.lowerBound, count: count)
      chunks.append(WaveFile.Chunk(String(chunk.name.prefix(4)), content))
    }
  }

  /// The first twelve bytes of a file, or of that of which a FLAC has the chunks.
  private static func head(_ bytes: MediumBytes) throws(Failure) -> [UInt8] {
    guard let blocks = try FLACBlock.all(of: bytes) else {
      return try bytes.bytes(at: 0, count: 12)
    }
    for block in blocks where block.kind == 2 {
      let head = try bytes.bytes(at: block.body.lowerBound, count: 16)
      if ["riff", "aiff"].contains(ContainerFacts.chunkName(head.prefix(4))) {
        return Array(head.dropFirst(4))
      }
    }
    return []
  }
}
