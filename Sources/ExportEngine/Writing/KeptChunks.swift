import Diagnosis
import ExportGraph
import MediaComposition
import Tagging

extension Sink {
  /// The WAV that the sink becomes, without its sound.
  ///
  /// - Parameters:
  ///   - format: How the sound is stored.
  ///   - stored: The chunks of a source with the same samples, which are kept.
  /// - Returns: All chunks but `data`.
  /// - Throws: `mendJob` for a cue that WAV has no place for.
  func waveFile(
    _ format: WaveFormat, keeping stored: StoredChunks? = nil
  ) throws(Failure) -> WaveFile {
    var chunks = try WaveChunks(
      marks, broadcast(by: "avjob \(Engine.version)"), info: infoList, format)
    var form: WaveFile.Form?
    if let stored, let source = marks.identical?.source {
      var twin = self
      twin.metadata = source.metadata
      let others = WaveChunks(stored: stored.chunks)
      if chunks.hasFormat(of: others) { form = stored.form }
      chunks = chunks.keeping(others, keepsTags: twin.infoList == infoList)
      // A source of more than 4 GiB may have sizes that have wrapped.
      let size = Int64(frames.count / format.blockLength) * Int64(format.blockSize)
      let hasRoom = chunks.leading.first.map { ["JUNK", "ds64"].contains($0.name) } ?? false
      if size > 3 << 30, !hasRoom { chunks.leading.insert(.room, at: 0) }
    }
    return WaveFile(
      of: format, leading: chunks.leading, trailing: chunks.trailing,
      as: form ?? .riff)
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
      let key = format.kind.tagName(of: item.key)
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
      case .g722: preconditionFailure("WAV is not written with G.722")
      }
    return WaveFormat(
      coding, bits: self == .gsm ? 0 : 8 * byteCount, sampleRate: sound.sampleRate,
      channelCount: sound.channelLayout.count, channelMask: mask)
  }
}

extension LibAVRecipe {
  /// Adds the chunks of the source whose samples the sink has: to a WAV in its order, to a FLAC as blocks,
  /// as `flac --keep-foreign-metadata` has them, and to AIFF and CAF, which libavformat writes, those that
  /// nothing else says again.
  ///
  /// - Throws: `mendInput` where the source cannot be read, `mendJob` where FLAC has no place for its
  ///   chunks.
  mutating func keepChunks(of sink: Sink, _ sound: AudioFormat) throws(Failure) {
    guard let source = sink.marks.identical?.source else { return }
    let bytes = try MediumBytes(source.location)
    if case .wav(let samples) = sink.format, let stored = try StoredChunks(source, bytes) {
      wrapping = .wave(
        try sink.waveFile(samples.waveFormat(sound, mask: channelMask), keeping: stored))
    } else if container == .flac {
      for block in try Self.applications(of: source, bytes) {
        let count = block.count
        // An application's block, which is not the last one (RFC 9639, 8.1).
        blocks += [2, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + block
      }
    } else {
      for chunk in source.marks?.chunks ?? [] {
        switch TagClass(ofChunk: chunk.name) {
        case .content, .place, .file: continue
        case .level, .samples, .frames, .unknown:
          chunks.append(
            WaveFile.Chunk(
              chunk.name,
              try bytes.bytes(at: chunk.content.lowerBound, count: chunk.content.count)))
        }
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

/// The chunks of a WAV, or of a FLAC that holds those of a WAV, with their contents.
struct StoredChunks: Sendable {
  /// In the order of the file; one of them is `data`, without content.
  var chunks: [WaveFile.Chunk]
  /// How the file is called.
  var form: WaveFile.Form

  /// Reads them; nil where they are not those of a WAV with the lowest byte first.
  ///
  /// - Throws: `Failure` where the source cannot be read.
  init?(_ source: Asset, _ bytes: MediumBytes) throws(Failure) {
    guard let name = try Self.formName(bytes) else { return nil }
    switch name {
    case "RIFF": form = .riff
    case "RF64", "BW64": form = WaveFile.Form(longName: name, isAlwaysLong: true)
    default: return nil
    }
    chunks = []
    for chunk in source.marks?.chunks ?? [] {
      let isSound = chunk.name == "data"
      let content =
        isSound ? [] : try bytes.bytes(at: chunk.content.lowerBound, count: chunk.content.count)
      chunks.append(WaveFile.Chunk(String(chunk.name.prefix(4)), content))
    }
  }

  /// The first four bytes of a file, or of that of which a FLAC has the chunks.
  private static func formName(_ bytes: MediumBytes) throws(Failure) -> String? {
    guard let blocks = try FLACBlock.all(of: bytes) else {
      return ContainerFacts.chunkName(try bytes.bytes(at: 0, count: 4))
    }
    for block in blocks where block.kind == 2 {
      let head = try bytes.bytes(at: block.body.lowerBound, count: 8)
      if head.starts(with: "riff".utf8) { return ContainerFacts.chunkName(head.dropFirst(4)) }
    }
    return nil
  }
}
