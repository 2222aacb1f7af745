import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import Tagging

/// What a file has beside its sound.
struct SourceTags {
  var metadata = Metadata()
  /// nil: libavformat's. Of a file whose sound begins later than its clock, in that clock.
  var chapters: [Chapter]?
  /// Sentences about these, of the file.
  var chapterOddities: [String] = []
  /// Names of tags that are not UTF-8 where they should be, and are taken for Windows-1252.
  var guessed: [String] = []
  /// The pictures of FLAC, Ogg and MP4.
  var pictures: [ListedPicture] = []
  /// What is not read: chunks, frames, streams.
  var unread: [String] = []
  /// Keys, in small letters, under which libavformat has what is here, maybe under others.
  var otherKeys: Set<String> = []
  /// Where the tags of a FLAC say other things than the chunks that it holds of another file.
  var edits: [Edit] = []

  /// A tag that was changed or added.
  struct Edit {
    /// In small letters.
    var key: String
    /// What the chunks say; nil: nothing.
    var old: String?
    var new: String
  }

  /// Adds a value of a tag, unless it describes the file and not its sound.
  mutating func add(_ value: String, to key: String) {
    // Its levels are those of the file that iTunes measured.
    if ["itunnorm", "comment:itunnorm"].contains(key.lowercased()) {
      if !unread.contains("iTunNORM") { unread.append("iTunNORM") }
    } else if !TagNames.isTechnical(key) {
      metadata.add(value, to: key)
    }
  }

  /// Adds what is not here.
  mutating func complete(with others: SourceTags) {
    guessed += others.guessed.filter { metadata.values(of: $0).isEmpty }
    metadata.complete(with: others.metadata)
    if chapters == nil {
      (chapters, chapterOddities) = (others.chapters, others.chapterOddities)
    }
    pictures += others.pictures
    unread += others.unread.filter { !unread.contains($0) }
  }

  /// Adds what chunks say beside a FLAC's own tags, and notes where the two differ, in tags that the
  /// file of the chunks can hold.
  mutating func complete(withChunks others: SourceTags, holding isHeld: (String) -> Bool) {
    edits = metadata.items.compactMap { item in
      let key = item.key.lowercased()
      guard isHeld(key), others.metadata.values(of: key) != item.values else { return nil }
      return Edit(key: key, old: others.metadata[key], new: item.value)
    }
    complete(with: others)
  }

  /// Adds what libavformat has and is not here, under whatever key.
  mutating func complete(withDemuxed others: SourceTags) {
    var others = others
    for item in others.metadata.items where otherKeys.contains(item.key.lowercased()) {
      others.metadata[item.key] = nil
    }
    complete(with: others)
  }

  /// Has where something was recorded once: sources say it in several languages, and libavformat says that
  /// of one atom (`loci`) twice.
  mutating func settlePlaces() {
    for item in metadata.items where item.key.lowercased().hasPrefix(RecordingPlace.key + "-") {
      metadata[item.key] = nil
      let known = metadata.values(of: RecordingPlace.key)
      if known.isEmpty {
        metadata.set(item.values, of: RecordingPlace.key)
      } else if !Self.isSaid(item, by: known) {
        unread.append(item.key)
      }
    }
  }

  /// Whether values of a tag say what another one of its key says.
  static func isSaid(_ item: Metadata.Item, by known: [String]) -> Bool {
    guard item.key.lowercased().hasPrefix(RecordingPlace.key) else {
      return item.values.allSatisfy(known.contains)
    }
    let places = known.compactMap { RecordingPlace($0) }
    return item.values.allSatisfy { value in
      known.contains(value)
        || RecordingPlace(value).map { place in places.contains(where: place.isNear) } ?? false
    }
  }

  /// A warning of texts whose encoding was guessed.
  func guess(_ location: MediaLocation, chapters: Bool) -> Warning? {
    var names = guessed.map { Prober.shownName(of: $0) }
    if chapters { names.append("titles of chapters") }
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " …" : "")
    return Warning(
      "has tags that are not UTF-8 and are read as Windows-1252, the Latin-1 of old files: \(shown)",
      location: location)
  }
}

extension SourceTags {
  init(_ tag: APETag) {
    for item in tag.items {
      for value in item.values { add(value, to: APETag.key(of: item.name)) }
    }
    guessed = tag.guessed
    unread = tag.binary
  }

  init(_ tag: ID3v1Tag) {
    for item in tag.items { add(item.value, to: item.key) }
    if let genre = ID3Tag.genre(Int(tag.genre)) { add(genre, to: "genre") }
    guessed = tag.guessed
  }

  init(_ comment: VorbisComment) {
    for field in comment.fields where !Self.isOfContainer(field.name) {
      add(field.value, to: TagNames.key(ofField: field.name))
    }
    guessed = comment.guessed
    if let listed = VorbisChapters(comment.fields) { take(listed) }
  }

  /// Chapters and pictures, which are read otherwise.
  private static func isOfContainer(_ field: String) -> Bool {
    ["METADATA_BLOCK_PICTURE", "COVERART", "COVERARTMIME"].contains(field.uppercased())
      || VorbisChapters.isPart(field)
  }

  /// Takes the chapters of comments.
  private mutating func take(_ listed: VorbisChapters) {
    chapters = listed.chapters.map { chapter in
      // Most have whole milliseconds.
      let (milliseconds, rest) = chapter.start.quotientAndRemainder(dividingBy: 1_000_000)
      return Chapter(
        start: rest == 0
          ? Time(value: milliseconds, timescale: 1000)
          : Time(value: chapter.start, timescale: 1_000_000_000),
        title: chapter.title,
        url: chapter.url.map { $0.utf8.percentEncoded { 0x21...0x7E ~= $0 } }, isInherited: true)
    }
    func shown(_ names: [String]) -> String {
      names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " …" : "")
    }
    if !listed.timeless.isEmpty {
      chapterOddities.append(
        "has comments of chapters without a time as 00:01:02.500, which are left out: "
          + shown(listed.timeless))
    }
    if !listed.repeated.isEmpty {
      chapterOddities.append(
        "has chapters whose times stand there twice: the last one counts of "
          + shown(listed.repeated))
    }
  }

  init(_ list: ItemList) {
    for item in list.items {
      for value in item.values {
        if item.key == "gnre" {
          if let genre = Int(value).flatMap({ ID3Tag.genre($0 - 1) }) { add(genre, to: "genre") }
        } else {
          add(value, to: ID3Tag.key(ofDescription: item.key) ?? item.key)
        }
      }
    }
    guessed = list.guessed
    unread = list.binary.filter { !TagNames.isTechnical($0) }
  }
}

extension Prober {
  static func shownName(of key: String) -> String {
    TagNames.row(of: key)?.key ?? key
  }

  /// The tags of a file that libavformat reads: from the file itself where libavformat joins several
  /// values or renames tags.
  func tags(
    of demuxer: Demuxer, _ stream: LibAV.Stream, _ broadcast: BroadcastExtension? = nil
  ) throws(Failure) -> SourceTags {
    let format = demuxer.formatName
    var tags: SourceTags?
    switch format {
    case "flac":
      tags = try flacTags()
      try addForeignTags(to: &tags, broadcast)
    case "ogg":
      let twins = demuxer.streams.prefix { $0.index < stream.index }
      tags = try oggTags(
        of: stream.codecName, number: twins.count { $0.codecName == stream.codecName })
    case _ where Self.formatsWithTrailingTags.contains(format): tags = try trailingTags()
    case _ where format.hasPrefix("mov,"):
      tags = try ContainerFacts.movieTags(in: bytes)
      tags?.complete(withDemuxedMovie: demuxedTags(of: demuxer, stream))
    case "wav":
      let chunks = try ContainerFacts.chunks(of: format, wave: demuxer.wave, bytes)
      var found = try waveTags(in: chunks, isBigEndian: demuxer.wave?.kind == .rifx, broadcast)
      if !chunks.contains(where: { $0.name == "bext" }) {
        found.complete(with: demuxedTags(of: demuxer, stream))
      }
      tags = found
    case _ where format.hasPrefix("matroska,"):
      tags = try ContainerFacts.matroskaTags(in: bytes, stream: stream.index)
      tags?.complete(withDemuxed: demuxedTags(of: demuxer, stream))
    default: break
    }
    var found = tags ?? demuxedTags(of: demuxer, stream)
    switch format {
    case "aiff":
      found = try aiffTags(in: ContainerFacts.chunks(of: format, wave: nil, bytes))
      found.unread += try ContainerFacts.unreadChunks(of: format, bytes)
    case "iff": try addDSDIFFTag(to: &found)
    case "asf", "asf_o":
      found.unread += try ASFValues.repeated(in: bytes).map { "other values of \($0)" }
    case "ogg" where demuxer.streams.contains { $0.codecName == "theora" }:
      // Encoders of video write the file's tags there.
      if let others = try oggTags(of: "theora", number: 0) { found.complete(with: others) }
    case "wav", "w64", "caf":
      found.unread += try ContainerFacts.unreadChunks(of: format, wave: demuxer.wave, bytes)
    case _ where format.hasPrefix("mov,"):
      found.unread += try ContainerFacts.unreadBoxes(in: bytes)
      if demuxer.hasMovingPicture {
        found.unread += try ContainerFacts.lostLanguages(in: bytes, of: demuxer.streams)
      }
    default: break
    }
    found.settlePlaces()
    // Of a file of sound alone it is when that was encoded.
    let date = demuxer.metadata.first { $0.key.lowercased() == HeaderDate.key }
    if demuxer.hasMovingPicture, let date = date.flatMap({ HeaderDate($0.value) }) {
      found.metadata[HeaderDate.key] = date.text
    }
    try settlePictures(of: demuxer, in: &found)
    found.unread += unreadStreams(of: demuxer, besides: stream)
    return found
  }

  /// Streams that no output gets; those of a file with a moving picture are the asset's tracks.
  private func unreadStreams(of demuxer: Demuxer, besides stream: LibAV.Stream) -> [String] {
    var found: [String] = []
    guard !demuxer.hasMovingPicture else { return found }
    for other in demuxer.streams where other.index != stream.index && !other.isAttachedPicture {
      if demuxer.isChapterTrack(other) { continue }
      switch other.mediaType {
      case "video": continue
      case "audio": found.append("stream \(other.index) (\(other.codecName))")
      case "subtitle": found.append("subtitles of stream \(other.index) (\(other.codecName))")
      default: found.append("\(other.mediaType) of stream \(other.index)")
      }
      if found.count > 20 { break }
    }
    return found
  }

  // MARK: FLAC, Ogg, APE

  /// The comments of a FLAC file (RFC 9639, 8), and of other tags around it.
  private func flacTags() throws(Failure) -> SourceTags? {
    var offset: Int64 = 0
    var tags: SourceTags?
    var pictures = PictureList()
    var others = try mpegTags()
    if let tag = try storedTag() { offset = Int64(tag.byteCount) }
    guard try bytes.bytes(at: offset, count: 4) == Array("fLaC".utf8) else { return nil }
    for block in try FLACBlock.all(from: offset + 4, reading: bytes.bytes(at:count:)) {
      let start = block.body.lowerBound
      switch block.kind {
      case 4 where tags == nil:
        let body = try bytes.bytes(at: start, count: block.body.count)
        tags = SourceTags(VorbisComment(parsing: body[...]))
      case 6:
        try pictures.add(block: block.body, of: bytes)
      case 2:
        let name = ContainerFacts.chunkName(try bytes.bytes(at: start, count: 4))
        // Chunks of a WAV, an AIFF or a Wave64 are read (`ProbedMarks`).
        if ForeignBlocks.Container(rawValue: name) == nil {
          others.unread.append("APPLICATION " + name)
        }
      default: break
      }
    }
    tags = tags ?? SourceTags()
    tags?.take(pictures)
    tags?.complete(with: others)
    return tags
  }

  /// The tags that chunks of another file have in a FLAC, beside its own.
  private func addForeignTags(
    to tags: inout SourceTags?, _ broadcast: BroadcastExtension?
  ) throws(Failure) {
    guard let blocks = try FLACBlock.all(of: bytes), let foreign = try foreignChunks(of: blocks)
    else { return }
    if foreign.container == .aiff {
      tags?.complete(withChunks: try aiffTags(in: foreign.chunks)) {
        TagClass(of: $0) == .content
      }
    } else {
      let said = try waveTags(in: foreign.chunks, isBigEndian: false, broadcast)
      tags?.complete(withChunks: said) { key in
        TagNames.infoName(of: key) != nil
          || ["originator_reference", "coding_history", "time_reference"].contains(key)
      }
    }
  }

  /// The comments of the `number`th Ogg stream of a codec.
  private func oggTags(of codec: String, number: Int) throws(Failure) -> SourceTags? {
    let signs: [String: [UInt8]] = [
      "vorbis": [1] + Array("vorbis".utf8), "opus": Array("OpusHead".utf8),
      "flac": [0x7F] + Array("FLAC".utf8), "speex": Array("Speex   ".utf8),
      "theora": [0x80] + Array("theora".utf8),
    ]
    guard let sign = signs[codec] else { return nil }
    var finder: OggCommentFinder?
    var offset = range?.lowerBound ?? 0
    let end = range?.upperBound ?? .max
    var left = number
    for _ in 0..<10_000 where offset < end {
      let head = try bytes.bytes(at: offset, count: OggPage.longestHead)
      guard let page = OggPage(head) else { break }
      if page.isFirst, finder == nil,
        try bytes.bytes(at: offset + Int64(page.headSize), count: sign.count) == sign
      {
        if left == 0 {
          let others =
            try codec == "flac" ? otherBlocks(at: offset + Int64(page.headSize)) : 0
          finder = OggCommentFinder(serial: page.serial, others: others)
        }
        left -= 1
      }
      if finder?.isComplete == true, page.hasFrames { break }
      finder?.add(page, at: offset)
      if finder?.isAtEnd == true { break }
      offset += Int64(page.size)
    }
    guard let finder, finder.isComplete else { return nil }
    var packet: [UInt8] = []
    for range in finder.ranges where packet.count < 1 << 26 {
      packet += try bytes.bytes(at: range.lowerBound, count: range.count)
    }
    let heads: [String: Int] = ["vorbis": 7, "opus": 8, "flac": 4, "theora": 7]
    let comments = packet.dropFirst(heads[codec] ?? 0)
    var tags = SourceTags(VorbisComment(parsing: comments))
    var pictures = PictureList(comments: comments, in: finder.ranges)
    if codec == "flac" { try pictures.add(blocks: finder.others, of: bytes) }
    tags.take(pictures)
    return tags
  }

  /// Formats without tags of their own but those of MP3: APEv2 and ID3v1 behind the sound, and ID3v2
  /// before it.
  private static let formatsWithTrailingTags: Set = [
    "ape", "wv", "mpc", "mpc8", "tak", "tta", "aac", "loas", "ac3", "eac3", "dts", "dtshd", "mlp",
    "truehd", "mp3",
  ]

  /// Such tags; nil where there are none.
  private func trailingTags() throws(Failure) -> SourceTags? {
    let found = try mpegTags()
    let isEmpty = found.metadata.items.isEmpty && found.metadata.cover == nil
    return isEmpty && found.chapters == nil && found.unread.isEmpty ? nil : found
  }
}
