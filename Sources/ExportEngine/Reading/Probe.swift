import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// The facts of one stream, for users and for reading.
struct ProbedStream: Sendable {
  var asset: Asset
  var facts: StreamFacts
  var warnings: [Warning]
  /// Whether the length is only a tag's word (`ProbedAsset.isLengthAnnounced`).
  var isLengthAnnounced = false
}

/// Finds the facts of a media file, trusting evidence over headers. The frame count is that of
/// decoding. Where container and codec prove it (PCM's size, FLAC's last packet, MP4's table, Ogg's
/// last granule) only the first packet is decoded; elsewhere the whole stream is decoded once.
struct Prober {
  let location: MediaLocation
  let identity: FileIdentity
  /// Its bytes, beside the demuxer's.
  let bytes: MediumBytes
  /// Which of them are probed, if others lie around these, as of a file that is chained.
  var range: Range<Int64>?
  /// What its pages say, of an Ogg file or a link of one.
  var ogg: OggLink?
  /// Which of these that is, counted from 1.
  var link: Int?

  /// - Throws: `Failure` (`mendInput`, `mendMachine`) where there is no readable sound.
  ///
  /// `raw` is what a file without a header holds, which its name does not say.
  static func probe(
    _ location: MediaLocation, stream index: Int?, raw: RawSound? = nil
  ) throws(Failure) -> ProbedStream {
    let found = try look(into: location, stream: index, raw: raw)
    try CancellationFlag.requireWanted(at: location)
    return found
  }

  private static func look(
    into location: MediaLocation, stream index: Int?, raw: RawSound?
  ) throws(Failure) -> ProbedStream {
    if raw == nil { try requireHeader(location) }
    var prober = Prober(
      location: location, identity: try SourceFile.settle(location),
      bytes: try MediumBytes(location))
    var demuxer: Demuxer
    do throws(LibAVError) {
      demuxer = try location.demuxer(MediumOpening(sound: raw))
    } catch {
      if error.cause == nil { try prober.requireIndex() }
      guard error.isUnknownFormat else { throw error.inputFailure(location) }
      // libavformat refuses a short MP3 as noise; the frames themselves are proof.
      if let short = try prober.shortMPEGAudio(stream: index) { return short }
      throw try prober.unknownFormat()
    }
    if let sound = raw ?? location.headerlessSound {
      return try prober.probe(headerless: sound, demuxer, stream: index, isNamed: raw == nil)
    }
    // MP3 has its own index of frames.
    if BareStream.formats.union(["flac"]).subtracting(["mp3"]).contains(demuxer.formatName),
      let sound = try prober.rangeBeforeTags()
    {
      prober.range = sound
      demuxer = try reading(location) { () throws(LibAVError) in try location.demuxer(of: sound) }
    }
    var stream =
      demuxer.formatName == "mp3"
      ? try prober.probeMPEGAudio(demuxer, stream: index)
      : try prober.probe(demuxer, stream: index)
    if demuxer.leavesTagsOut {
      stream.warnings.append(
        Warning(
          "has more than \(Metadata.mostItems) tags or \(ReadingBounds.chapterLimit) chapters, or "
            + "larger tags than are read: others are left out",
          location: location))
    }
    return stream
  }

  /// Refuses an MP4 that was cut short before or within its index.
  private func requireIndex() throws(Failure) {
    guard try bytes.bytes(at: 4, count: 4) == Array("ftyp".utf8) else { return }
    let missing = try ContainerFacts.missingBytes(of: "mov,mp4", wave: nil, in: bytes)
    guard missing > 0 else { return }
    throw Failure(
      .mendInput,
      "was cut short: its last \(missing) bytes are missing, and its index (moov) with them; copy "
        + "or download it again", location: location)
  }

  // MARK: Through libavformat

  /// Beyond these a header is wrong, and would make resampling take too much memory.
  static let sampleRates = 1000...768_000

  func probe(_ demuxer: Demuxer, stream index: Int?) throws(Failure) -> ProbedStream {
    if demuxer.formatName == "ogg", ogg == nil { return try probeOgg(demuxer, stream: index) }
    try reading(location) { () throws(LibAVError) in try demuxer.completeParameters() }
    if let picture = try soleMovingPicture(index, in: demuxer) {
      return try probeSilence(under: picture, demuxer)
    }
    let opened = try open(demuxer, try choose(index, in: demuxer))
    let (demuxer, stream, first) = (opened.demuxer, opened.stream, opened.first)
    let whole = try announcedDuration(of: opened)
    guard var measured = try measure(opened) else { return try probeAllPages(stream: index) }
    measured.facts.start = measured.start ?? opened.pauses?.start ?? first.start(in: demuxer)
    let (facts, length, frameCount) = (measured.facts, measured.length, measured.length.frames)
    guard frameCount > 0 else { throw headerOnly }
    let duration = Time(frames: frameCount, rate: facts.sampleRate)
    let announced = try announcedDuration(
      ofSound: whole, opened, from: facts.start, found: duration)
    if let announced, stream.announcesLength {
      try requireMost(of: announced, found: duration)
    }
    var warnings = measured.warnings + waveWarnings(demuxer) + granuleWarnings(opened)
    warnings += try oggWarnings(opened)
    warnings += try self.warnings(ofBytesBehind: stream, demuxer, measured)
    if let skipped = try skippedFrames(opened) { warnings.append(skipped) }
    if let stray = try opened.track?.stray.flatMap(strayBytes) { warnings.append(stray) }
    if opened.isNoteRefuted { warnings.append(refutedNote) }
    if let announced, let warning = warning(announced: announced, found: duration) {
      warnings.append(warning)
    } else if let cut = try cutWarning(demuxer, breaksOff: measured.breaksOff, at: duration) {
      warnings.append(cut)
    }
    var found = try marks(of: demuxer)
    let tags = try tags(of: demuxer, stream, found?.marks.broadcast)
    found?.take(tags.edits)
    let listed = try chapters(
      of: demuxer, from: facts.start, tags, found?.marks, frameCount: frameCount)
    var asset = Asset(
      location: location, streamIndex: stream.index, container: demuxer.formatName,
      codec: stream.codecName, sampleRate: facts.sampleRate,
      channelLayout: ChannelLayout(
        mask: channelMask(of: first, stream, demuxer), count: first.channelCount),
      bitDepth: first.bitDepth, frameCount: frameCount,
      encoderDelay: length.delay.map { Int($0) }, encoderPadding: length.padding.map { Int($0) },
      announcedDuration: announced, bitRate: stream.bitRate,
      metadata: tags.metadata, chapters: listed.chapters, identity: identity)
    asset.profile = first.profile
    facts.addPackets(of: stream, to: &asset)
    asset.tracks = AssetTrack.all(of: demuxer)
    try addCropping(to: &asset.tracks, of: demuxer)
    if !asset.tracks.isEmpty { asset.start = facts.start }
    try addPictureTimes(to: &asset.tracks)
    asset.unread = tags.unread
    if let found { warnings += add(found, to: &asset) }
    warnings += tags.guess(location, chapters: demuxer.guessedTexts.hasChapters).map { [$0] } ?? []
    return ProbedStream(asset: asset, facts: facts, warnings: warnings + listed.warnings)
  }

  /// How long its sound is by what the container says of it.
  private func announcedDuration(of opened: OpenedStream) throws(Failure) -> Time? {
    let first = opened.first
    if try leavesLengthOpen(opened.demuxer) { return nil }
    if let pauses = opened.pauses { return pauses.announced }
    var announced =
      opened.edits == nil
      ? try announcedDuration(ofPackets: opened).map { withoutLead($0, opened) }
      : opened.edits?.announced.map { Time(frames: $0, rate: first.sampleRate) }
    if let track = opened.track, opened.edits == nil {
      announced = try announcedByEdits(of: track, opened, announced)
    }
    if let track = opened.track, track.isFragmented {
      announced = announcedByFragments(of: track, opened, announced)
    }
    return announced
  }

  /// A warning where the file ends before what it holds does, at the end of what can be read, or its end
  /// is damaged; nil where nothing shows that.
  ///
  /// - Throws: Where more of it is missing than is there.
  func cutWarning(
    _ demuxer: Demuxer, breaksOff: Bool, at end: Time
  ) throws(Failure) -> Warning? {
    guard let cut = try cut(demuxer, breaksOff: breaksOff) else { return nil }
    return Warning(
      "\(link.map { "link \($0) of its chain " } ?? "")\(cut); "
        + "\(end.inSeconds)\(ofLink) can be decoded", location: location)
  }

  /// What shows that; nil where nothing does.
  private func cut(_ demuxer: Demuxer, breaksOff: Bool) throws(Failure) -> String? {
    if let ogg {
      return switch ogg.end {
      case .whole, .open: nil
      case .missing: "was cut short: its last page is missing"
      case .damaged: "is damaged: the checksum of its last page is wrong"
      }
    }
    let missing = try ContainerFacts.missingBytes(
      of: demuxer.formatName, wave: demuxer.wave, in: bytes)
    guard missing <= identity.size else {
      throw Failure(
        .mendInput,
        "was cut short: \(missing) bytes are missing, more than the \(identity.size) that are there; "
          + "copy or download it again", location: location)
    }
    if missing == 1 { return "was cut short: its last byte is missing" }
    if missing > 0 { return "was cut short: its last \(missing) bytes are missing" }
    return breaksOff ? "was cut short: its last packet is not whole" : nil
  }

  /// For messages of lengths, which are those of a link.
  var ofLink: String { link == nil ? "" : " of it" }

  func choose(_ index: Int?, in demuxer: Demuxer) throws(Failure) -> LibAV.Stream {
    let streams = demuxer.streams
    if let index {
      guard streams.indices.contains(index), streams[index].isAudio else {
        let sounding = streams.filter(\.isAudio).map { String($0.index) }
        throw Failure(
          .mendJob,
          "has no stream of sound \(index); "
            + (sounding.isEmpty ? "it has none" : "it has " + sounding.joined(separator: ", ")),
          location: location, code: .mediaStreamNotFound)
      }
      return streams[index]
    }
    guard let best = demuxer.bestAudioStream else {
      guard !streams.contains(where: \.isAudio) else {
        throw Failure(
          .mendInput, "holds sound without a number of channels or a sample rate",
          location: location)
      }
      let kinds = streams.map { "\($0.mediaType) (\($0.codecName))" }
      throw Failure(
        .mendInput,
        kinds.isEmpty ? "holds no sound" : "holds no sound, only \(kinds.joined(separator: ", "))",
        location: location, code: .mediaUnsupported)
    }
    return streams[best]
  }

  /// Durations of Matroska begin with the file, and have what is decoded before the sound.
  func withoutLead(_ announced: Time, _ opened: OpenedStream) -> Time {
    let stream = opened.stream
    guard opened.demuxer.formatName == "matroska,webm", stream.sampleRate > 0 else {
      return announced
    }
    let delay = Time(frames: Int64(stream.initialPadding), rate: stream.sampleRate)
    return max(.zero, announced - opened.first.start(in: opened.demuxer) - delay)
  }

  struct FirstFrame {
    var sampleRate: Int
    var channelCount: Int
    var channelMask: UInt64
    /// Where channels are in another order than that of their bits.
    var order: ChannelOrder?
    var sampleCount: Int
    /// Significant bits where decoding gives integers.
    var bitDepth: Int?
    /// As of an asset.
    var profile: String?
    /// The timestamp of the first sample that sounds, in frames, if known.
    var rawStart: Int64?
    /// The timestamp of the first frame, of which `skip` samples are dropped.
    var timestamp: Time?
    /// Samples of encoder delay before it.
    var skip: Int64
    var dataStart: Int64?
    var timestampsCountFrames: Bool
    /// Frames by which its packet and the next one are presented after they are decoded.
    var lateness: Int64 = 0

    /// When the first sample sounds by the clock of chapters and pictures: in these containers sound may
    /// begin later than the file, and in MPEG-TS, whose clock goes over its 33 bits, before 0.
    func start(in demuxer: Demuxer) -> Time {
      var formats = ["mov,", "matroska,", "mpegts", "flv"]
      // Of these, sounds alone are counted from their own start.
      if demuxer.hasMovingPicture { formats += ["avi", "mpeg", "ogg"] }
      guard formats.contains(where: demuxer.formatName.hasPrefix), let timestamp
      else { return .zero }
      let start = timestamp + Time(frames: skip, rate: sampleRate)
      return demuxer.formatName == "mpegts" ? start : max(.zero, start)
    }
  }

  func decodeFirstFrame(
    of stream: LibAV.Stream, _ demuxer: Demuxer, _ track: MP4Track?
  ) throws(Failure) -> FirstFrame {
    var latest: Packet?
    let layout = try appleLayout(of: stream, demuxer, track)
    let first = try reading(location) { () throws(LibAVError) -> FirstFrame? in
      let decoder = try Decoder.open(stream, removesPadding: false)
      let frame = try Frame()
      var dataStart: Int64?
      var skip = 0
      // Decoders may need a few packets, and a damaged start costs some more. Of other streams there may
      // be any number before them: some demuxers give them all.
      var attempts = 0
      while attempts < 64, let packet = try demuxer.readWhatIsThere() {
        guard packet.streamIndex == stream.index else { continue }
        attempts += 1
        dataStart = dataStart ?? packet.position
        latest = packet
        skip += packet.skip.start
        do throws(LibAVError) {
          try decoder.send(packet)
          guard try decoder.receive(into: frame) else { continue }
        } catch {
          guard error.isDamage else { throw error }
          continue
        }
        try FrameConverter.requireReadable(frame)
        skip = max(skip, frame.skip)
        let order = channelOrder(of: stream, frame, appleLayout: layout)
        let base = stream.timeBase
        let facts = StreamFacts(
          location: location, streamIndex: stream.index, sampleRate: frame.sampleRate,
          channelCount: frame.channelCount, reader: .demuxer(.packets, base), origin: 0,
          firstRaw: 0, range: range)
        return FirstFrame(
          sampleRate: frame.sampleRate, channelCount: frame.channelCount,
          channelMask: order?.mask ?? frame.channelMask, order: order,
          sampleCount: frame.sampleCount,
          bitDepth: stream.integerBitDepth ?? decoder.integerBits,
          profile: decoder.highEfficiencyProfile,
          rawStart: frame.timestamp.flatMap(facts.rawFrame).map { $0 &+ Int64(skip) },
          timestamp: frame.timestamp.map { ticks in
            let value = Int128(ticks) * Int128(base.numerator)
            return Time(value: Int64(clamping: value), timescale: base.denominator)
          },
          skip: Int64(skip),
          dataStart: dataStart,
          timestampsCountFrames: base.numerator == 1
            && Int(base.denominator) % max(1, frame.sampleRate) == 0)
      }
      guard dataStart != nil, stream.bitsOfFLAC != 32 else { return nil }
      throw LibAVError.nothingDecoded
    }
    guard var first else { throw unreadFLAC(stream, demuxer) ?? headerOnly }
    if let latest { try settle(&first, of: stream, demuxer, behind: latest) }
    return first
  }

  /// Takes the place of the first frame from the packets behind it, where an MP4 presents its packet
  /// later than it is decoded: FAAC's first one has the time of the second.
  private func settle(
    _ first: inout FirstFrame, of stream: LibAV.Stream, _ demuxer: Demuxer, behind packet: Packet
  ) throws(Failure) {
    guard demuxer.formatName.hasPrefix("mov,"), packet.lateness != 0, first.timestampsCountFrames,
      Self.sampleRates.contains(first.sampleRate)
    else { return }
    let next = try reading(location) { () throws(LibAVError) -> Packet? in
      while let next = try demuxer.readWhatIsThere() {
        if next.streamIndex == stream.index { return next }
      }
      return nil
    }
    let lateness = next?.lateness ?? packet.lateness
    let ticks = Int64(stream.timeBase.denominator) / Int64(first.sampleRate)
    first.lateness = lateness / ticks
    let moved = first.rawStart?.subtractingReportingOverflow((packet.lateness &- lateness) / ticks)
    first.rawStart = moved.flatMap { $0.overflow ? nil : $0.partialValue }
  }

  var headerOnly: Failure {
    let message = "holds no sound (its header is all there is)"
    return Failure(.mendInput, message, location: location, code: .mediaEmpty)
  }

  /// Refuses a WAV whose frame size does not match its samples: FFmpeg reads noise.
  func requireConsistentHeader(
    of stream: LibAV.Stream, _ demuxer: Demuxer
  ) throws(Failure) {
    // Wherever a `WAVEFORMATEX` is the header.
    guard ["wav", "w64", "avi", "asf", "matroska,webm"].contains(demuxer.formatName),
      stream.isLossless, stream.storedBits > 0, stream.blockAlign > 0,
      stream.blockAlign * 8 != stream.channelCount * stream.storedBits
    else { return }
    throw Failure(
      .mendInput,
      "its header contradicts itself: \(stream.channelCount) channels of \(stream.codedBits) bits "
        + "in \(stream.blockAlign) bytes; encode it again", location: location)
  }
}
