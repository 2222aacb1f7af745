import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Tagging

/// A stream's length, and the facts for reading it.
extension Prober {
  /// Frames, and those to leave out around them.
  struct Length {
    var frames: Int64
    var delay: Int64?
    var padding: Int64?
    /// Of Opus, where its packets were looked at.
    var modes: OpusModes?
    /// Where the last packet ends in the file, if it was looked at.
    var endInFile: Int64?

    /// Leaves out what lies behind `count` frames.
    mutating func end(at count: Int64) {
      guard count < frames else { return }
      padding = (padding ?? 0) + frames - count
      frames = count
    }
  }

  /// What measuring found.
  struct Measured {
    var facts: StreamFacts
    var length: Length
    /// When the sound begins by the clock of chapters; nil: by its first time stamp.
    var start: Time?
    /// Whether the file was found to end within its last packet.
    var breaksOff = false
    /// Where the last packet ends in the file, if packets were counted.
    var lastEnd: Int64?
    var warnings: [Warning] = []
  }

  /// Takes the container's length where it is proven, and else decodes the stream once.
  ///
  /// - Returns: What was found; nil of a server's Ogg of which only the ends were looked at, and prove
  ///   nothing.
  func measure(_ opened: OpenedStream) throws(Failure) -> Measured? {
    let (stream, demuxer, first) = (opened.stream, opened.demuxer, opened.first)
    var facts = StreamFacts(
      location: location, streamIndex: stream.index, sampleRate: first.sampleRate,
      channelCount: first.channelCount, reader: .demuxer(access(of: stream), stream.timeBase),
      origin: 0, firstRaw: 0, hasBandReplication: first.hasBandReplication(in: stream),
      planes: first.order?.planes, opening: opened.opening, range: range)
    var lead: Int64 = 0
    if let raw = first.rawStart, first.timestampsCountFrames {
      facts.firstRaw = raw &- first.skip
      facts.origin = opened.opening.ignoresEditLists ? facts.firstRaw : raw
      if demuxer.formatName == "ogg" { lead = try takeGranule(raw, of: opened, in: &facts) }
      // Headers that promise more than years prove nothing.
      if let proven = try provenLength(opened, facts), proven.frames < SoundPieces.longest {
        if stream.codecName == "opus" {
          var modes = proven.modes
          if modes == nil { modes = try facts.opusModes(of: stream) }
          facts.reader = .demuxer(modes?.access ?? access(of: stream), stream.timeBase)
          facts.hasShortBlocks = modes?.hasShortBlocks ?? false
        }
        guard let edits = opened.edits else {
          return Measured(facts: facts, length: proven, lastEnd: proven.endInFile)
        }
        let clock = MediaClock(from: facts.origin, count: proven.frames + (proven.padding ?? 0))
        return try play(edits, clock, lastFrames: proven.frames, facts)
      }
    }
    // All of it is fetched, and its pages say what else is to be known.
    if ogg?.isSampled == true { return nil }
    // Counted frames are held to a list by its own times.
    if opened.isListedElsewhere { return try measure(try reopen(opened)) }
    // Without libavformat's reading nothing is left out but what edits leave out.
    let delay =
      opened.edits == nil && !opened.opening.ignoresEditLists
      ? toldDelay(of: stream, demuxer, first, lead: &lead) : nil
    let musepack = try musepack(demuxer)
    if let musepack { lead = MusepackHeader.decoderDelay + musepack.silence }
    facts.origin = lead
    facts.firstRaw = 0
    facts.reader = .counted(AnchorIndex())
    let gaps = try oggStream(of: opened)?.gaps ?? opened.pauses?.gaps ?? []
    let count = try CountedStream.count(facts, codec: stream.codecName, gaps)
    try requireMost(of: count, demuxer)
    facts.reader = .counted(count.index)
    facts.hasCountedPackets = facts.hasCountedPackets(by: count, in: demuxer, stream)
    let counted = facts
    facts.bareHeader = try reading(location) { () throws(LibAVError) in
      try counted.bareHeader(of: count, in: demuxer)
    }
    var measured = try measure(opened, facts, count, delay: musepack == nil ? delay : lead)
    if let musepack {
      measured.length.end(at: musepack.frameCount - musepack.silence)
    }
    return measured
  }

  /// The length of a counted stream.
  private func measure(
    _ opened: OpenedStream, _ facts: StreamFacts, _ count: CountedStream.Count, delay: Int64?
  ) throws(Failure) -> Measured {
    // Each empty chunk of an AVI is there.
    if opened.pauses == nil {
      try requireNoLeap(count.holes, in: count.frames, rate: facts.sampleRate)
    }
    var clock = MediaClock(from: opened.first.startFrame, count: count.frames)
    for hole in count.holes ?? [] {
      guard let last = clock.runs.last else { break }
      let time = last.time + hole.frame - last.frame + hole.count
      clock.runs.append(MediaClock.Run(frame: hole.frame, time: time))
    }
    var measured: Measured
    var lacking: Int64 = 0
    if let edits = opened.edits {
      // Without loss the last packet decodes to its own length.
      let isPadded = !opened.stream.isLossless
      let last = isPadded ? opened.track?.lastFrames(atRate: facts.sampleRate) : nil
      let packet = Int64(opened.first.sampleCount)
      let there = last.map { 1..<packet ~= $0 ? count.frames - packet + $0 : count.frames }
      measured = try play(edits, clock, lastFrames: there ?? count.frames, facts)
    } else {
      var length = Length(
        frames: count.frames, delay: delay, padding: count.padding > 0 ? count.padding : nil)
      if opened.isVorbisInOgg {
        let cut = max(0, min(count.padding - (try ghost(opened)), count.lastFrames))
        (length.frames, length.padding) = (count.frames - cut, cut > 0 ? cut : nil)
      }
      if let announced = try speexLength(of: opened, facts) {
        // It cuts no more than the last packet.
        let end = max(announced, count.frames - count.lastFrames)
        length.end(at: end)
        lacking = end - count.frames
      }
      measured = Measured(
        facts: facts,
        length: noting(try note(of: opened), opened.first, length, opened.demuxer))
      try fill(clock, in: &measured)
    }
    let lost = try lostPackets(of: opened, count)
    if lost == nil || count.holes != nil {
      measured.warnings += warnings(of: count.holes, measured)
    }
    if let lost { measured.warnings.append(lost) }
    // Where the last packet is ended early, the decoder's delay is missing there for speexdec, too.
    if lacking > speexDelay(atRate: facts.sampleRate) {
      let length = Time(frames: lacking, rate: facts.sampleRate).inSeconds
      measured.warnings.append(
        Warning(
          "its last packet holds less than the others, and FFmpeg \(Library.version) does not decode it: "
            + "the last \(length) are missing", location: location))
    }
    if !count.falls.isEmpty { measured.warnings.append(warning(of: count.falls, facts)) }
    measured.breaksOff = count.breaksOff
    measured.lastEnd = count.lastEnd
    if isBare(opened.demuxer) { measured.warnings += warnings(ofBytesBetweenFrames: count) }
    return measured
  }

  /// Frames that libavformat counts of the first packet of Vorbis, which gives none, where the first
  /// page of sound is the last one: it lays the packets from 0 on then, and cuts the end by as much.
  func ghost(_ opened: OpenedStream) throws(Failure) -> Int64 {
    guard opened.isVorbisInOgg, let raw = opened.first.rawStart, raw > 0 else { return 0 }
    return try isOnePage(opened) ? raw : 0
  }

  /// Refuses a stream of whose packets less than half give sound, or of whose bytes less than half are
  /// packets.
  private func requireMost(
    of count: CountedStream.Count, _ demuxer: Demuxer
  ) throws(Failure) {
    let byteCount = (range?.upperBound ?? identity.size) - count.firstPosition
    guard
      count.refused > count.packets / 2
        || isBare(demuxer) && count.packetBytes < byteCount / 2
    else { return }
    throw Failure(
      .mendInput,
      "is so damaged that less than half of it can be decoded: "
        + "\(count.packets - count.refused) packets in \(count.packetBytes) of \(byteCount) bytes; "
        + "copy or download it again", location: location)
  }

  /// The container's delay for a counted stream, nil without one; `lead` is raised where FFmpeg's
  /// decoder leaves the delay in.
  private func toldDelay(
    of stream: LibAV.Stream, _ demuxer: Demuxer, _ first: FirstFrame, lead: inout Int64
  ) -> Int64? {
    guard demuxer.formatName == "matroska,webm" else {
      return first.skip + lead > 0 ? first.skip + lead : nil
    }
    // `CodecDelay`: frames play earlier by it (Matroska, RFC 9559, 5.1.4.1.26). Opus' decoder
    // leaves out its own header's number, which is the same.
    guard stream.initialPadding > 0, stream.sampleRate > 0 else { return nil }
    let delay = Int64(stream.initialPadding) * Int64(first.sampleRate) / Int64(stream.sampleRate)
    if stream.codecName != "opus", first.skip == 0 { lead = delay }
    return delay
  }

  /// iTunes' note in an M4A, if it is believed.
  private func note(of opened: OpenedStream) throws(Failure) -> ITunesGapless? {
    opened.isNoteRefuted ? nil : try ContainerFacts.iTunesNote(in: bytes)
  }

  /// The length by iTunes' note in an M4A, of which libavformat took the delay.
  private func noting(
    _ note: ITunesGapless?, _ first: FirstFrame, _ length: Length, _ demuxer: Demuxer
  ) -> Length {
    guard demuxer.formatName.hasPrefix("mov,"), let note, Int64(note.delay) == first.skip,
      note.length < length.frames
    else { return length }
    return Length(
      frames: note.length, delay: length.delay,
      padding: (length.padding ?? 0) + length.frames - note.length)
  }

  /// How packets of this container and codec are reached.
  private func access(of stream: LibAV.Stream) -> Access {
    if stream.isLossless { return .packets }
    // A stride costs a decoder's start, and a seek on average half a stride of decoding. Opus has a
    // choice of its own (`OpusModes`); the others' overlap is one block of at most 8192 frames.
    return .anchors(stride: 1 << 17, preRoll: 1 << 14)
  }

  /// The number of frames by decoding, where the container proves it; else nil.
  private func provenLength(
    _ opened: OpenedStream, _ facts: StreamFacts
  ) throws(Failure) -> Length? {
    let (stream, demuxer, first) = (opened.stream, opened.demuxer, opened.first)
    let announced = stream.duration.flatMap(facts.rawFrame)
    let delay = facts.origin > facts.firstRaw ? facts.origin - facts.firstRaw : nil
    switch demuxer.formatName {
    case "wav", "w64", "aiff", "au", "caf":
      guard stream.isLossless, stream.blockAlign > 0, let start = first.dataStart else {
        return nil
      }
      let there = max(0, try soundEnd(demuxer) - start) / Int64(stream.blockAlign)
      // Of a CAF libavformat has the frames of its data chunk alone; other chunks may follow it.
      return Length(frames: min(announced ?? stream.frameCount ?? there, there))
    case "flac":
      guard let announced,
        let last = try lastPacket(of: stream, demuxer, facts, near: announced),
        last.end == facts.origin + announced
      else { return nil }
      if location.url == nil, try ContainerFacts.flacCountsAnew(bytes) { return nil }
      return Length(frames: announced, endInFile: last.endInFile)
    case "mov,mp4,m4a,3gp,3g2,mj2":
      return try listedLength(opened, facts, announced: announced, delay: delay)
    case "ogg": return try oggLength(of: opened, facts, delay: delay)
    default:
      return nil
    }
  }

  /// The number of frames by an MP4's tables, where these have all packets.
  private func listedLength(
    _ opened: OpenedStream, _ facts: StreamFacts, announced: Int64?, delay: Int64?
  ) throws(Failure) -> Length? {
    let (stream, first) = (opened.stream, opened.first)
    guard let end = stream.indexedEnd, end <= identity.size,
      let announced = announced.map({ $0 - (opened.track?.firstFrame(of: first) ?? 0) }),
      announced > 0
    else { return nil }
    // Fragments that libavformat has not looked at are no part of its index.
    if let track = opened.track, track.isFragmented, stream.indexedCount != track.packetCount {
      return nil
    }
    let packet = Int64(first.sampleCount)
    if stream.isLossless {
      let isWhole =
        stream.storedBits > 0
        ? stream.indexIsContiguous(bytesPerFrame: stream.storedBits / 8 * stream.channelCount)
        : stream.codecName != "alac" || stream.indexedTicks(every: packet) != nil
      return isWhole ? Length(frames: announced, delay: delay) : nil
    }
    // AMR's pauses have no frames, so only counting finds the others' places.
    guard AnchorIndex.spacing(of: stream.codecName) != nil, !stream.codecName.hasPrefix("amr_"),
      let ticks = stream.indexedTicks(every: packet),
      ticks.magnitude < StreamFacts.farthestFrame
    else { return nil }
    // The index has the times of decoding, and packets' times are those of presentation.
    let there = ticks - (facts.origin - first.lateness)
    let frames = listedFrames(
      of: opened.track, facts, announced: announced, there: there, packet: packet)
    // ALAC's last packet has its own length.
    let padding = stream.codecName == "alac" ? 0 : max(0, there - frames)
    let length = Length(
      frames: frames, delay: delay, padding: padding > 0 || delay != nil ? padding : nil)
    if opened.edits != nil { return length }
    return noting(try note(of: opened), first, length, opened.demuxer)
  }

  /// The length of an MP4's edit list, `announced`, of the frames that are `there`.
  ///
  /// Lists count in ticks of the movie, with FFmpeg's muxer milliseconds. If the list ends within a
  /// tick of the last packet's own end, or behind everything, as libavformat includes empty edits,
  /// then that end is meant.
  private func listedFrames(
    of track: MP4Track?, _ facts: StreamFacts, announced: Int64, there: Int64, packet: Int64
  ) -> Int64 {
    guard let track, !track.isFragmented, track.movieTimescale > 0,
      let last = track.lastDuration.flatMap(facts.rawFrame), (1...packet).contains(last)
    else { return min(announced, there) }
    let exact = there - packet + last
    let tick = UInt64(facts.sampleRate) / UInt64(track.movieTimescale)
    let isMeant = announced >= there || (exact - announced).magnitude <= tick
    return isMeant ? exact : min(announced, there)
  }

  /// The frame, and the byte, where the last packet of a FLAC ends, from the file's end alone; nil
  /// where it is not whole.
  private func lastPacket(
    of stream: LibAV.Stream, _ demuxer: Demuxer, _ facts: StreamFacts, near announced: Int64
  ) throws(Failure) -> (end: Int64, endInFile: Int64?)? {
    try reading(location) { () throws(LibAVError) in
      let raw = max(0, announced - Int64(facts.sampleRate))
      let near = facts.timestamp(ofRaw: raw)
      try facts.notePlaces(near: raw, of: stream, in: demuxer)
      do { try demuxer.seek(stream: stream.index, to: near) } catch { return nil }
      var end: Int64?
      var last: Packet?
      while let packet = try demuxer.readWhatIsThere() {
        guard packet.streamIndex == stream.index, let timestamp = packet.timestamp else { continue }
        last = packet
        let next = facts.rawFrame(timestamp &+ packet.duration)
        // Numbers that start again belong to another file behind this one.
        if let end, let next, next <= end { return nil }
        end = next
      }
      guard let last else { return nil }
      let decoder = try Decoder.open(stream, removesPadding: false)
      guard try decoder.decode(last, into: try Frame()), let end else { return nil }
      let count = last.flacFrameSize(largest: stream.largestFLACFrame)
      return (end, last.position.map { $0 + Int64(count) })
    }
  }

  /// Reads all packets of an Ogg stream without decoding: where its timestamps end, if they have no
  /// hole, as those of a cut or damaged file do. Of a server's file that was not looked through it reads
  /// the first 50 and those of the last two seconds, since all of them would be fetched.
  func scanOgg(
    _ stream: LibAV.Stream, _ facts: StreamFacts
  ) throws(Failure) -> (end: Int64, padding: Int64, modes: OpusModes)? {
    let isSampled = ogg?.isSampled == true
    return try reading(location) { () throws(LibAVError) in
      let packets = try PacketReader(facts)
      let (demuxer, stream) = (packets.demuxer, packets.stream)
      var modes = OpusModes(stream)
      var start: Int64?
      if isSampled, let announced = stream.duration.flatMap(facts.rawFrame) {
        for _ in 0..<50 {
          guard let packet = try packets.next() else { break }
          modes.note(packet)
          start = start ?? packet.timestamp.flatMap(facts.rawFrame)
        }
        let raw = max(0, announced - 2 * Int64(facts.sampleRate))
        try facts.notePlaces(near: raw, of: stream, in: demuxer)
        do { try demuxer.seek(stream: stream.index, to: facts.timestamp(ofRaw: raw)) } catch {
          return nil
        }
      }
      let isOpus = stream.codecName == "opus"
      var last: Int64?
      var end: Int64?
      var padding: Int64 = 0
      while let packet = try packets.next() {
        padding += Int64(packet.skip.end)
        modes.note(packet)
        guard let raw = packet.timestamp.flatMap(facts.rawFrame) else { return nil }
        // Vorbis' blocks are at most 8192 frames, Opus' packets at most 120 ms.
        if let last, raw <= last || raw - last > 8192 { return nil }
        last = raw
        start = start ?? raw
        if isOpus { end = raw &+ packet.duration }
      }
      if demuxer.breaksOff { return nil }
      // Vorbis' last packet has a duration only by its page's granule: the stream's own, which
      // libavformat counts from the first packet on, if that is behind 0.
      let streamEnd = stream.duration.flatMap(facts.rawFrame).map { $0 + max(0, start ?? 0) }
      guard let end = isOpus ? end : streamEnd, let last, end > last - 8192 else { return nil }
      return (end - facts.origin, padding, modes)
    }
  }
}
