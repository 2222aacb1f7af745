import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Tagging

/// A file's facts for users besides its sound.
extension Prober {
  func announcedDuration(
    ofPackets opened: OpenedStream
  ) throws(Failure) -> Time? {
    let (stream, demuxer) = (opened.stream, opened.demuxer)
    // libavformat silently lowers a WAV's length to the bytes present.
    if stream.isLossless, stream.blockAlign > 0, stream.sampleRate > 0, let wave = demuxer.wave,
      let told = wave.announcedSize
    {
      let bytes = wave.isWrapped ? wave.soundSize : told
      return Time(
        frames: bytes / Int64(stream.blockAlign), rate: stream.sampleRate)
    }
    guard !demuxer.estimatesDurations else { return nil }
    if demuxer.formatName == "mpc8" {
      return try musepack(demuxer).map {
        Time(frames: $0.frameCount - $0.silence, rate: stream.sampleRate)
      }
    }
    if var ticks = stream.duration {
      if opened.isOpusInOgg {
        // One page alone says only where it ends, and libavformat has it begin at 0.
        guard let start = opened.first.rawStart else { return nil }
        if start == 0, try isOnePage(opened) { return nil }
        // The last granule counts from any number on, and includes the frames left out at the start.
        ticks = ticks &- Int64(stream.initialPadding) &- start
      }
      if opened.isSpeexInOgg, let start = opened.first.rawStart {
        if try isOnePage(opened) { return nil }
        // libavformat counts what the first page leaves out, too.
        ticks = ticks &+ min(0, start)
      }
      let value = Int128(ticks) * Int128(stream.timeBase.numerator)
      return Time(value: Int64(clamping: value), timescale: stream.timeBase.denominator)
    }
    return demuxer.announcedMicroseconds.map { Time(value: $0, timescale: 1_000_000) }
  }

  /// Takes the first granule of an Ogg stream, by which its sound begins at the raw frame `raw`; gives the
  /// number of frames that the granule leaves out.
  func takeGranule(
    _ raw: Int64, of opened: OpenedStream, in facts: inout StreamFacts
  ) throws(Failure) -> Int64 {
    guard opened.stream.codecName != "opus" else {
      facts.countFromSound()
      return 0
    }
    guard raw < 0, raw >= -facts.sampleRate else { return 0 }
    // A first page whose granule is lower than its content cuts the start (Vorbis I, A.2). A page has
    // about a second; cameras write pages of packets without bytes, which are miscounted.
    facts.origin = 0
    guard opened.isSpeexInOgg else { return 0 &- raw }
    // A sole page cuts the end.
    return try isOnePage(opened) ? 0 : 0 &- raw + speexDelay(atRate: facts.sampleRate)
  }

  /// Frames by which the decoder of Speex is late (`SPEEX_GET_LOOKAHEAD`). Its own tool, speexdec, leaves
  /// them out where a first page cuts the start, and plays them where a last one cuts the end.
  func speexDelay(atRate rate: Int) -> Int64 { Int64(rate / 8000 * 40) }

  /// How many frames of Speex in Ogg are to be played by its pages; nil of other streams, and where pages are
  /// missing.
  func speexLength(of opened: OpenedStream, _ facts: StreamFacts) throws(Failure) -> Int64? {
    guard opened.isSpeexInOgg, let pages = try oggStream(of: opened), !pages.lacksPages,
      let count = pages.count
    else { return nil }
    let tail = min(count.padding, speexDelay(atRate: facts.sampleRate))
    return count.end - count.start + tail - facts.origin
  }

  /// Whether the first page of sound of an Ogg stream is its last one.
  func isOnePage(_ opened: OpenedStream) throws(Failure) -> Bool {
    guard let place = opened.first.dataStart else { return false }
    let head = try bytes.bytes(at: place + (range?.lowerBound ?? 0), count: OggPage.longestHead)
    return OggPage(head)?.isLast == true
  }

  /// A warning of Opus whose first page of sound holds more than it counts, as a cut of Vorbis would.
  /// Players disagree on it: opusdec refuses the file, FFmpeg plays all of it.
  func granuleWarnings(_ opened: OpenedStream) -> [Warning] {
    guard opened.isOpusInOgg, let start = opened.first.rawStart, start < 0 else { return [] }
    return [
      Warning(
        "its first page counts \(start.magnitude) samples fewer than it holds, which Ogg Opus does not "
          + "allow (RFC 7845, 4.5): all of its sound is read", location: location)
    ]
  }

  /// The header of Musepack 8, without an ID3 tag before it, as mpcdec reads it.
  func musepack(_ demuxer: Demuxer) throws(Failure) -> MusepackHeader? {
    demuxer.formatName == "mpc8" ? try MusepackHeader.read(in: bytes) : nil
  }

  /// The length by an edit list that libavformat applies, which lowers it to that of the packets.
  func announcedByEdits(
    of track: MP4Track, _ opened: OpenedStream, _ announced: Time?
  ) throws(Failure) -> Time? {
    guard !track.edits.isEmpty else { return announced }
    let rate = opened.first.sampleRate
    let listed = try PlayedEdits(track, atRate: rate, in: location).announced
    guard let listed = listed.map({ Time(frames: $0, rate: rate) }) else { return announced }
    guard let announced else { return listed }
    // Lists are rounded.
    return listed > announced + Time(value: 1, timescale: 10) ? listed : announced
  }

  /// A warning of iTunes' note where the packets refute it.
  var refutedNote: Warning {
    Warning(
      "its note of delay and length (iTunSMPB) does not fit its packets: it is not believed, and all "
        + "of the sound is read", location: location)
  }

  /// The length of an MP4 of fragments: libavformat counts from 0, wherever the first one begins, as
  /// after a cut out of a live stream, and no index of segments that may be missing.
  func announcedByFragments(
    of track: MP4Track, _ opened: OpenedStream, _ announced: Time?
  ) -> Time? {
    var announced = announced
    let start = Time(
      frames: track.firstFrame(of: opened.first), rate: opened.first.sampleRate)
    if let end = announced, start > .zero, start < end {
      announced = end - start
    }
    guard let indexed = indexed(of: track, opened) else { return announced }
    return max(announced ?? indexed, indexed)
  }

  /// What segment indexes count of the sound that is played; nil where edits say how long that is.
  private func indexed(of track: MP4Track, _ opened: OpenedStream) -> Time? {
    guard let index = track.indexed, let timescale = Int32(exactly: index.timescale) else {
      return nil
    }
    let all = Time(value: Int64(index.times.count), timescale: timescale)
    guard let edits = opened.edits else { return all }
    // One edit without a duration, such as FFmpeg writes before fragments, plays all from there on.
    let played = edits.entries.compactMap(\.times)
    guard edits.announced == nil, played.count == 1 else { return nil }
    // Behind an encoder's delay indexes begin there as well.
    let start = Time(frames: played[0].lowerBound, rate: opened.first.sampleRate)
    return start > Time(value: 1, timescale: 4) ? max(.zero, all - start) : all
  }

  /// A warning of bytes among fragments that are none, with all behind them.
  ///
  /// - Throws: Where they are more than all others.
  func strayBytes(_ stray: Range<Int64>) throws(Failure) -> Warning? {
    guard let stray = try withoutTags(stray) else { return nil }
    let text = "holds \(stray.count) bytes from byte \(stray.lowerBound) on that are no atoms"
    guard Int64(stray.count) <= stray.lowerBound else {
      throw Failure(
        .mendInput, text + ", more than are read; copy or download it again", location: location)
    }
    return Warning(text + ": they are left out", location: location)
  }

  /// A warning where a header is off by more than a tenth of a second and a hundredth.
  func warning(announced: Time, found: Time) -> Warning? {
    let difference = announced > found ? announced - found : found - announced
    let limit = max(
      Time(value: 1, timescale: 10), Time(value: found.value, timescale: found.timescale).hundredth)
    guard difference > limit else { return nil }
    return Warning(
      "\(header) announces \(announced.inSeconds), \(found.inSeconds)\(ofLink) can be decoded",
      location: location)
  }

  /// Refuses a file of which less than half is there.
  func requireMost(of announced: Time, found: Time) throws(Failure) {
    guard found + found < announced else { return }
    throw Failure(
      .mendInput,
      "\(header) announces \(announced.inSeconds), and \(found.inSeconds)\(ofLink) can be decoded: "
        + "less than half; copy or download it again", location: location)
  }

  private var header: String {
    link.map { "the header of link \($0) of its chain" } ?? "its header"
  }

  /// Tags as libavformat reads them.
  func demuxedTags(of demuxer: Demuxer, _ stream: LibAV.Stream) -> SourceTags {
    var tags = SourceTags()
    // Ogg keeps its comments on the stream, other containers on the file. A stream's language is
    // that of its speech; a file's is a tag.
    let ofStream = stream.metadata.filter { demuxer.formatName == "ogg" || $0.key != "language" }
    for (key, value) in demuxer.metadata + ofStream {
      let name = Self.genericName(of: key, in: demuxer.formatName)
      if tags.metadata[name] == nil { tags.add(value, to: name) }
    }
    if tags.metadata["lyrics"] == nil, let language = tags.metadata["language"]?.lowercased(),
      let lyrics = tags.metadata["lyrics-" + language]
    {
      tags.metadata["lyrics-" + language] = nil
      tags.metadata["lyrics"] = lyrics
    }
    tags.guessed = demuxer.guessedTexts.tags
    return tags
  }

  /// Formats whose ID3 tags libavformat reads, too.
  private static let formatsWithID3: Set = ["wav", "dsf", "iff", "oma"]

  /// FFmpeg's generic names are in small letters, unlike Matroska's and Vorbis comments. Lyrics of
  /// unknown language are lyrics.
  private static func genericName(of key: String, in format: String) -> String {
    let name = key.lowercased()
    if ["lyrics-xxx", "lyrics-und", "lyrics-"].contains(name) { return "lyrics" }
    // FFmpeg's name of a BWF's time of origination, and MP4's of its sort orders.
    if name == "creation_time", format == "wav" { return "origination_time" }
    // Of ID3's TPE3, which is the conductor's; no other tags of these formats have the name.
    if name == "performer", formatsWithID3.contains(format), key == name { return "conductor" }
    if name.hasPrefix("sort_"), let row = TagNames.row(of: name) { return row.key }
    return format.hasPrefix("matroska,")
      ? TagNames.key(ofMatroska: key) : TagNames.key(ofField: key)
  }
}

extension Time {
  fileprivate var hundredth: Time {
    timescale <= Int32.max / 100
      ? Time(value: value, timescale: timescale * 100)
      : Time(value: value / 100, timescale: timescale)
  }

  /// Seconds with three decimals, for messages.
  var inSeconds: String {
    let milliseconds = frames(atRate: 1000)
    let fraction = String(milliseconds.magnitude % 1000 + 1000).dropFirst()
    return "\(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000).\(fraction) s"
  }
}
