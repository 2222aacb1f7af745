import Diagnosis
import ExportGraph
import LAME
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// Opens the output of a sink: its temporary file, its encoder, its headers.
///
/// - Parameters:
///   - sink: The output; exactly its number of frames will come.
///   - format: Rate and channels of the blocks.
///   - crew: The threads of encoders that can use several.
///   - library: Opens the sources of frames that are copied.
///   - graph: What the sink is in: of its sound a waveform is drawn.
/// - Returns: A writer at the sink's first frame, with the files beside the output.
/// - Throws: The failure of a cover that cannot be read, and the file system's error; nothing is
///   left behind.
package func makeWriter(
  for sink: Sink, format: AudioFormat, crew: Crew = Crew(),
  library: MediaLibrary = MediaLibrary(), of graph: Graph? = nil
) throws(Failure) -> SoundWriter {
  try sink.requireEncoder()
  let (path, origin) = (sink.output.path, sink.output.origin)
  var sidecars: [SoundWriter.OpenSidecar] = []
  do {
    try openSidecars(of: sink, sampleRate: format.sampleRate, &sidecars)
    let pictures = PictureTally()
    let (file, encoding) = try openEncoding(
      of: sink, format, crew, library, graph, counting: pictures)
    let tally = SoundTally(
      expectedFrames: sink.frameCount, channelCount: format.channelLayout.count,
      copied: sink.sparedParts)
    return SoundWriter(
      file, tally, encoding, sampleRate: format.sampleRate,
      pictures: sink.picture == nil ? nil : pictures, origin: origin, sidecars: sidecars)
  } catch {
    // In reverse, so that folders made for the first are empty again.
    for (_, file) in sidecars.reversed() { file.discard() }
    throw error.failure(writing: path).placed(at: origin)
  }
}

/// Starts the files beside an output, each with all that it will hold.
private func openSidecars(
  of sink: Sink, sampleRate: Int, _ opened: inout [SoundWriter.OpenSidecar]
) throws(Failure) {
  for kind in sink.sidecars {
    let path = sink.output.path.sidecar(kind)
    let bytes: [UInt8]
    switch kind {
    case .chapters(let format):
      let chapters = try chapters(of: sink, sampleRate: sampleRate)
      let text = ChapterText(
        chapters, sampleRate: sampleRate, beside: sink.output.path, sink.metadata)
      bytes = text.bytes(as: format)
    case .transcript(let format):
      let places = sink.output.transcript
      bytes = sink.transcript.bytes(
        as: format, lines: places.lines, wordSegments: places.wordSegments,
        until: Time(frames: Int64(sink.frames.count), rate: sampleRate))
    case .silences(let format):
      bytes = try SilenceText(of: sink, sampleRate: sampleRate).bytes(as: format)
    }
    do throws(Failure) {
      let file = try OutputFile.create(at: path)
      opened.append((kind, file))
      try file.put(bytes, at: 0)
    } catch {
      throw error.about(path)
    }
  }
}

/// Starts an output's file and what makes its bytes, after all that can fail without them.
private func openEncoding(
  of sink: Sink, _ format: AudioFormat, _ crew: Crew, _ library: MediaLibrary, _ graph: Graph?,
  counting tally: PictureTally
) throws -> (OutputFile, any SoundEncoding) {
  let channelCount = format.channelLayout.count
  if case .mp3(let settings) = sink.format {
    let tag = try id3Tag(of: sink, sampleRate: format.sampleRate, readPicture)
    let file = try OutputFile.create(at: sink.output.path)
    // A clip of one frame is encoded.
    if let plan = sink.copied, case .frames(let layout) = plan.method, !plan.assets.isEmpty {
      let sources = MP3Sources(plan, layout, library)
      return (file, try MP3CopyEncoding(file, sources, settings, format, tag: tag, crew: crew))
    }
    let setup = try EncoderSetup(
      settings, sampleRate: format.sampleRate, channelCount: channelCount)
    return (file, try MP3Encoding(file, ChunkEncoder(setup, crew: crew), tag: tag))
  }
  var recipe = try recipe(for: sink, format: format, readPicture)
  try recipe.keepChunks(of: sink, format, readPicture)
  let pictures = try sink.picture.map { plan throws(Failure) in
    try library.openCompanions(
      of: plan, beside: sink, format, counting: tally, unless: crew.cancellation
    ) { () throws(Failure) in
      guard let graph else { throw Failure(.reportBug, "has no graph to draw a waveform of") }
      return try OutputSound(of: sink, in: graph, library, unless: crew.cancellation)
    }
  }
  let streams = try sink.captioned(pictures, sampleRate: format.sampleRate)
  let file = try OutputFile.create(at: sink.output.path)
  if let plan = sink.copied, case .frames(let layout) = plan.method, !plan.assets.isEmpty {
    return (
      file,
      try PacketCopyEncoding(file, recipe, plan, layout, library, crew: crew, beside: streams)
    )
  }
  if let plan = sink.copied, plan.method == .whole, let asset = plan.assets.first {
    return (
      file,
      try WholeCopyEncoding(
        file, recipe, asset, plan.parts, library, unless: crew.cancellation)
    )
  }
  if let fdk = recipe.fdk {
    let settings = fdk.encoderSettings(sampleRate: format.sampleRate, channelCount: channelCount)
    return (file, try FDKEncoding(file, recipe, settings, crew: crew, beside: streams))
  }
  return (
    file,
    sink.format.kind.isSpliced
      ? try openSplicedEncoding(
        file, recipe, channelCount: channelCount, crew: crew, beside: streams)
      : try LibAVEncoding(file, recipe)
  )
}

/// Gives the picture to write, under its name in messages; nil for one that is left out.
typealias PictureReader = (Artwork, _ name: String) throws(Failure) -> Picture?

/// Checks an output before work starts, without touching the disk: its tags, cover and chapters can
/// be written, and its stills be shown.
///
/// - Parameters:
///   - sink: The output.
///   - format: Rate and channels of its blocks.
///   - pictures: Pictures that were read before.
/// - Throws: As `makeWriter`.
func requireEncodable(
  _ sink: Sink, format: AudioFormat, seeing pictures: inout PictureCache
) throws(Failure) {
  do throws(Failure) {
    // The tag gets a picture's first bytes: copying all of it for each job is slow.
    var left = 0
    func readNamed(_ artwork: Artwork, as name: String) throws(Failure) -> Picture? {
      // A media file's picture was checked by the probe.
      guard case .picture(let location) = artwork else { return nil }
      let (head, byteCount) = try pictures.picture(location, as: name)
      left += byteCount - head.bytes.count
      return head
    }
    let tag =
      if case .mp3 = sink.format {
        try id3Tag(of: sink, sampleRate: format.sampleRate, readNamed)
      } else {
        try recipe(for: sink, format: format, readNamed).tag
      }
    try requireRoom(in: tag, for: left)
    try sink.requireEncoder()
    if case .fdkAAC(let settings) = sink.format {
      do throws(Failure) {
        try settings.requireEncoder(
          sampleRate: format.sampleRate, channelCount: format.channelLayout.count)
      } catch {
        throw error.placed(at: sink.output.origins.format)
      }
    }
    if let plan = sink.picture { try pictures.requireStills(plan.stills) }
    if sink.sidecars.contains(where: \.isOfChapters) {
      _ = try chapters(of: sink, sampleRate: format.sampleRate)
    }
    if sink.sidecars.contains(.silences(.cue)) {
      try SilenceText(of: sink, sampleRate: format.sampleRate).requireTracks()
    }
  } catch {
    throw error.about(sink.output.path).placed(at: sink.output.origin)
  }
}

/// The cover to write; what is wrong with it is placed where it is written.
private func cover(of sink: Sink, _ picture: PictureReader) throws(Failure) -> Picture? {
  guard let cover = sink.metadata.cover else { return nil }
  do throws(Failure) {
    return try picture(cover, "the cover")
  } catch {
    throw error.placed(at: sink.output.origins.cover)
  }
}

private func requireRoom(in tag: [UInt8], for byteCount: Int) throws(Failure) {
  do throws(ID3TagError) {
    try ID3Tag.requireRoom(for: tag.count + byteCount)
  } catch {
    throw Failure(.mendJob, "the tag cannot be written: \(error.message)")
  }
}

func recipe(
  for sink: Sink, format: AudioFormat, _ picture: PictureReader
) throws(Failure) -> LibAVRecipe {
  let capabilities = sink.capabilities
  let layout = capabilities.stored(format.channelLayout) ?? format.channelLayout
  let mask = layout.mask
  let (wrapping, codec) = try sink.coding(of: format, mask: mask)
  var recipe = LibAVRecipe(
    wrapping: wrapping, codec: codec, sampleRate: format.sampleRate, channelMask: mask,
    isDithered: sink.isDithered, copied: sink.copied?.parts, firstFrame: sink.frames.lowerBound,
    metadata: [], chapters: [])
  if case .fdkAAC(let settings) = sink.format { recipe.fdk = settings }
  // The texts of a WAV stand in its chunks, and those of AIFF in its ID3 tag alone.
  if recipe.container != nil, !capabilities.hasID3 {
    (recipe.metadata, recipe.laterTags) = sink.writtenTags
  }
  if layout.isUnplaced {
    recipe.unplacedCount = layout.count
    // FLAC's own order gives each channel a position, unless this says otherwise (RFC 9639, 8.6.2).
    if sink.format.kind == .flac { recipe.metadata.append((Prober.channelMaskTag, "0x0")) }
  }
  guard !capabilities.hasID3 else {
    recipe.tag = try id3Tag(of: sink, sampleRate: format.sampleRate, picture)
    recipe.chunks = sink.marks.aiffChunks
    if !recipe.tag.isEmpty { recipe.chunks.append(WaveFile.Chunk("ID3 ", recipe.tag)) }
    return recipe
  }
  recipe.chapters = try muxedChapters(of: sink, sampleRate: format.sampleRate)
  if recipe.container == .caf || recipe.container == .codedCAF {
    recipe.chunks = sink.marks.cafChunks
  }
  if capabilities.holdsCover { recipe.picture = try cover(of: sink, picture) }
  return recipe
}

/// The chapters that libavformat writes, of those that the file holds.
private func muxedChapters(
  of sink: Sink, sampleRate: Int
) throws(Failure) -> [Muxer.Chapter] {
  let capabilities = sink.capabilities
  guard capabilities.holdsChapters, sink.output.chapters.inFile else { return [] }
  let placed = try chapters(of: sink, sampleRate: sampleRate)
  try sink.requireRoom(for: placed, sampleRate: sampleRate)
  // Elsewhere they are among the cues.
  guard !capabilities.places.contains(.cues) else { return [] }
  return zip(placed, sink.commentNumbers(count: placed.count)).map { placed, number in
    Muxer.Chapter(
      frames: placed.frames, title: placed.chapter.title,
      url: capabilities.holdsChapterLinks ? placed.chapter.url : nil, number: number)
  }
}

/// The ID3v2 tag before the sound of an MP3, or in a chunk of AIFF; there it is empty where it
/// would have no content. An MP3 always has one, because checkers take a file without a tag for a
/// fragment.
func id3Tag(
  of sink: Sink, sampleRate: Int, _ picture: PictureReader
) throws(Failure) -> [UInt8] {
  let isMP3 = sink.format.kind == .mp3
  var tag = ID3Tag(items: sink.id3Items)
  if isMP3, sink.metadata["encoder"] == nil {
    tag.items.insert(ID3Tag.Item(key: "encoder", value: "avjob"), at: 0)
  }
  tag.cover = try cover(of: sink, picture)?.bytes
  let placed = sink.output.chapters.inFile ? try chapters(of: sink, sampleRate: sampleRate) : []
  try sink.requireRoom(for: placed, sampleRate: sampleRate)
  tag.lyrics = sink.lyrics
  for (chapter, frames) in placed {
    let range = TimeRange(
      start: Time(frames: frames.lowerBound, rate: sampleRate),
      end: Time(frames: frames.upperBound, rate: sampleRate))
    var written = ID3Tag.Chapter(range: range, title: chapter.title, url: chapter.url)
    do throws(Failure) {
      if let image = chapter.image {
        written.image = try picture(image, "the image of '\(chapter.title)'")?.bytes
      }
    } catch {
      throw error.placed(at: chapter.origin)
    }
    tag.chapters.append(written)
  }
  do throws(ID3TagError) {
    // A tag with content may be edited later, without moving all of the sound.
    let isLoose = isMP3 && (!sink.metadata.isEmpty || !tag.chapters.isEmpty || tag.lyrics != nil)
    return try tag.encoded(as: sink.id3Version, padding: isLoose ? 1024 : 0)
  } catch {
    throw Failure(.mendJob, "the tag cannot be written: \(error.message)")
  }
}

/// The chapters with their frames: each lasts until the next one, the last until the end.
private func chapters(
  of sink: Sink, sampleRate: Int
) throws(Failure) -> [(chapter: Chapter, frames: Range<Int64>)] {
  var chapters: [(chapter: Chapter, frames: Range<Int64>)] = []
  var end = sink.frameCount
  for chapter in sink.chapters.reversed() {
    let start = chapter.start.frames(atRate: sampleRate)
    // One chapter may stand for a sound of no length.
    guard 0..<end ~= start || start == 0 && sink.frameCount == 0 && chapters.isEmpty else {
      throw Failure(
        .mendJob,
        chapters.last.map {
          "the chapters '\(chapter.title)' and '\($0.chapter.title)' begin at one time"
        } ?? "the chapter '\(chapter.title)' does not begin before the end", origin: chapter.origin)
    }
    chapters.append((chapter, start..<end))
    end = start
  }
  let most = CueSheetText.mostTracks
  if chapters.count > most, sink.sidecars.contains(.chapters(.cue)) {
    throw Failure(
      .mendJob,
      "a CUE sheet has \(most) tracks, and these are \(chapters.count) chapters: leave some out, or "
        + "write 'chapters: labels'", origin: sink.chapters[most].origin)
  }
  return chapters.reversed()
}

extension Sink {
  /// A value of a tag each, or several where it stands in several languages.
  var id3Items: [ID3Tag.Item] {
    fields.flatMap { item in
      item.values.flatMap { value -> [ID3Tag.Item] in
        let languages = metadata.languages(of: value, in: item.key)
        guard !languages.isEmpty else { return [ID3Tag.Item(key: item.key, value: value)] }
        return languages.map { ID3Tag.Item(key: item.key, value: value, language: $0) }
      }
    }
  }

  fileprivate var frameCount: Int64 { Int64(frames.count) }
}

extension ChannelLayout {
  /// A bit for each channel (`AV_CH_…`).
  fileprivate var mask: UInt64 {
    channels.reduce(0) { $1 == .unplaced ? $0 : $0 | 1 << UInt64($1.rawValue) }
  }
}

extension Output.Kind {
  /// Whether several encoders of FFmpeg's make one stream of it: not of samples, nor of AMR, which one
  /// core encodes a hundred times faster than it is heard.
  fileprivate var isSpliced: Bool { capabilities.sampleFormats.isEmpty && self != .amr }
}
