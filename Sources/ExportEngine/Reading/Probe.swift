import LibAV
import MediaComposition
import MediaTime
import SystemPackage

/// What probing one stream found: the facts a user sees, and those that reading needs.
struct ProbedStream: Sendable {
  var asset: Asset
  var facts: StreamFacts
  var warnings: [Warning]
}

/// Finds what a media file holds, trusting evidence over headers.
///
/// The frame count is the one that decoding gives. Where container and codec prove it (PCM's size,
/// FLAC's last packet, MP4's table, Ogg's last granule) nothing is decoded but the first packet;
/// elsewhere the whole stream is decoded once to count it.
struct Prober {
  let path: FilePath
  let identity: FileIdentity

  /// - Throws: `Failure` (`mendInput`, `mendMachine`) where there is no sound to be read.
  static func probe(_ path: FilePath, stream index: Int?) throws(Failure) -> ProbedStream {
    let prober = Prober(path: path, identity: try SourceFile.identify(path))
    let demuxer: Demuxer
    do throws(LibAVError) {
      demuxer = try Demuxer.open(path)
    } catch {
      guard error.isUnknownFormat else { throw error.inputFailure(path) }
      // libavformat takes a short MP3 for noise; the frames themselves are proof.
      if let short = try? prober.probeMPEGAudio(nil, stream: index) { return short }
      throw Failure(
        .mendInput, "holds no sound that avjob knows (a text, a playlist, a damaged header?)",
        path: path)
    }
    if demuxer.formatName == "mp3" {
      return try prober.probeMPEGAudio(demuxer, stream: index)
    }
    return try prober.probe(demuxer, stream: index)
  }

  // MARK: Through libavformat

  /// Beyond these a header is wrong, and would set how much memory resampling takes.
  private static let sampleRates = 1000...768_000

  private func probe(_ demuxer: Demuxer, stream index: Int?) throws(Failure) -> ProbedStream {
    try reading(path) { () throws(LibAVError) in try demuxer.completeParameters() }
    let stream = try choose(index, in: demuxer)
    demuxer.select(stream: stream.index)

    let first = try decodeFirstFrame(of: stream, demuxer)
    guard Self.sampleRates.contains(first.sampleRate) else {
      throw Failure(
        .mendInput,
        "claims \(first.sampleRate) samples a second; sound has 1000 to 768000", path: path)
    }
    var facts = StreamFacts(
      path: path, streamIndex: stream.index, sampleRate: first.sampleRate,
      channelCount: first.channelCount, reader: .demuxer(.start, stream.timeBase), origin: 0,
      firstRaw: 0)
    var warnings: [Warning] = []
    let announced = announcedDuration(of: stream, demuxer)
    try requireConsistentHeader(of: stream, demuxer)

    var proven: Int64?
    if let raw = first.rawStart, first.timestampsCountFrames {
      facts.origin = raw
      facts.firstRaw = raw &- first.skip
      facts.reader = .demuxer(access(of: stream, demuxer), stream.timeBase)
      proven = try provenFrameCount(of: stream, demuxer, facts, first)
    }
    if proven == nil {
      facts.reader = .demuxer(.start, stream.timeBase)
      facts.origin = 0
    }
    let frameCount: Int64
    if let proven { frameCount = proven } else { frameCount = try countByDecoding(facts) }
    guard frameCount > 0 else { throw headerOnly }
    let duration = Time(frames: frameCount, rate: facts.sampleRate)
    if let announced, let warning = warning(announced: announced, found: duration) {
      warnings.append(warning)
    } else if demuxer.formatName == "ogg", ContainerFacts.oggBreaksOff(path) {
      warnings.append(
        Warning(
          "was cut short: its last page is missing; \(duration.inSeconds) can be decoded",
          path: path))
    }
    let asset = Asset(
      path: path, streamIndex: stream.index, container: demuxer.formatName,
      codec: stream.codecName, sampleRate: facts.sampleRate,
      channelLayout: ChannelLayout(mask: first.channelMask, count: first.channelCount),
      bitDepth: stream.integerBitDepth, frameCount: frameCount, announcedDuration: announced,
      bitRate: stream.bitRate, metadata: metadata(of: demuxer, stream),
      chapters: chapters(of: demuxer), identity: identity)
    return ProbedStream(asset: asset, facts: facts, warnings: warnings)
  }

  func choose(_ index: Int?, in demuxer: Demuxer) throws(Failure) -> LibAV.Stream {
    let streams = demuxer.streams
    if let index {
      guard streams.indices.contains(index), streams[index].isAudio else {
        let sounding = streams.filter(\.isAudio).map { String($0.index) }
        throw Failure(
          .mendJob,
          "has no stream of sound \(index); "
            + (sounding.isEmpty ? "it has none" : "it has " + sounding.joined(separator: ", ")),
          path: path)
      }
      return streams[index]
    }
    guard let best = demuxer.bestAudioStream else {
      guard !streams.contains(where: \.isAudio) else {
        throw Failure(
          .mendInput, "holds sound without a number of channels or a sample rate", path: path)
      }
      let kinds = streams.map { "\($0.mediaType) (\($0.codecName))" }
      throw Failure(
        .mendInput,
        kinds.isEmpty ? "holds no sound" : "holds no sound, only \(kinds.joined(separator: ", "))",
        path: path)
    }
    return streams[best]
  }

  /// What the first packets decode to.
  private struct FirstFrame {
    var sampleRate: Int
    var channelCount: Int
    var channelMask: UInt64
    var sampleCount: Int
    /// The timestamp of the first sample that sounds, in frames, where timestamps say.
    var rawStart: Int64?
    /// Samples of encoder delay before it.
    var skip: Int64
    /// The file's offset of the first packet.
    var dataStart: Int64?
    /// Whether the stream's ticks are its frames.
    var timestampsCountFrames: Bool
  }

  private func decodeFirstFrame(
    of stream: LibAV.Stream, _ demuxer: Demuxer
  ) throws(Failure) -> FirstFrame {
    let first = try reading(path) { () throws(LibAVError) -> FirstFrame? in
      let decoder = try Decoder.open(stream, removesPadding: false)
      let frame = try Frame()
      var dataStart: Int64?
      var skip = 0
      // Decoders may need a few packets, and a damaged start costs some more.
      for _ in 0..<64 {
        guard let packet = try demuxer.readWhatIsThere() else { break }
        guard packet.streamIndex == stream.index else { continue }
        dataStart = dataStart ?? packet.position
        skip += packet.skip.start
        do throws(LibAVError) {
          try decoder.send(packet)
          guard try decoder.receive(into: frame) else { continue }
        } catch {
          guard error.isDamage else { throw error }
          continue
        }
        let base = stream.timeBase
        let facts = StreamFacts(
          path: path, streamIndex: stream.index, sampleRate: frame.sampleRate,
          channelCount: frame.channelCount, reader: .demuxer(.start, base), origin: 0,
          firstRaw: 0)
        return FirstFrame(
          sampleRate: frame.sampleRate, channelCount: frame.channelCount,
          channelMask: frame.channelMask, sampleCount: frame.sampleCount,
          rawStart: frame.timestamp.flatMap(facts.rawFrame).map { $0 &+ Int64(skip) },
          skip: Int64(skip),
          dataStart: dataStart,
          timestampsCountFrames: base.numerator == 1
            && Int(base.denominator) % max(1, frame.sampleRate) == 0)
      }
      guard dataStart != nil else { return nil }
      throw LibAVError.nothingDecoded
    }
    guard let first else { throw headerOnly }
    return first
  }

  private var headerOnly: Failure {
    Failure(.mendInput, "holds no sound (its header is all there is)", path: path)
  }

  /// Refuses a WAV whose frames are not of the size that its samples need: FFmpeg reads noise.
  private func requireConsistentHeader(
    of stream: LibAV.Stream, _ demuxer: Demuxer
  ) throws(Failure) {
    guard demuxer.formatName == "wav", stream.isLossless, stream.storedBits > 0,
      stream.blockAlign * 8 != stream.channelCount * stream.storedBits
    else { return }
    throw Failure(
      .mendInput,
      "its header contradicts itself: \(stream.channelCount) channels of \(stream.codedBits) bits "
        + "in \(stream.blockAlign) bytes; encode it anew", path: path)
  }

  /// How packets of this container and codec may be reached.
  private func access(of stream: LibAV.Stream, _ demuxer: Demuxer) -> Access {
    if stream.isLossless { return .packets }
    // One stride costs a decoder's start, and on average half a stride of decoding for a seek.
    // Opus takes 32 packets to converge; the others' overlap is one block of at most 8192 frames.
    return .anchors(stride: 1 << 17, preRoll: stream.codecName == "opus" ? 1 << 15 : 1 << 14)
  }

  /// The number of frames that decoding would give, where the container proves it; else nil.
  private func provenFrameCount(
    of stream: LibAV.Stream, _ demuxer: Demuxer, _ facts: StreamFacts, _ first: FirstFrame
  ) throws(Failure) -> Int64? {
    let announced = stream.duration.flatMap(facts.rawFrame)
    switch demuxer.formatName {
    case "wav", "w64", "aiff", "au", "caf":
      guard stream.isLossless, stream.blockAlign > 0, let start = first.dataStart else {
        return nil
      }
      let there = (identity.size - start) / Int64(stream.blockAlign)
      return min(announced ?? there, there)
    case "flac":
      guard let announced,
        try lastPacketEnd(of: stream, demuxer, facts, near: announced) == facts.origin + announced
      else { return nil }
      return announced
    case "mov,mp4,m4a,3gp,3g2,mj2":
      guard let announced, let end = stream.indexedEnd, end <= identity.size else { return nil }
      if stream.isLossless { return announced }
      guard let ticks = stream.indexedTicks(every: Int64(first.sampleCount)) else { return nil }
      return min(announced, ticks &- facts.origin)
    case "ogg":
      // A stream that was cut out of another begins anywhere.
      guard (0...8192).contains(facts.origin) else { return nil }
      return try scanOgg(stream, facts)
    default:
      return nil
    }
  }

  /// Where the last packet ends, found by reading only the file's end.
  private func lastPacketEnd(
    of stream: LibAV.Stream, _ demuxer: Demuxer, _ facts: StreamFacts, near announced: Int64
  ) throws(Failure) -> Int64? {
    try reading(path) { () throws(LibAVError) in
      let near = facts.timestamp(ofRaw: max(0, announced - Int64(facts.sampleRate)))
      do { try demuxer.seek(stream: stream.index, to: near) } catch { return nil }
      var end: Int64?
      while let packet = try demuxer.readWhatIsThere() {
        guard packet.streamIndex == stream.index, let timestamp = packet.timestamp else { continue }
        let next = facts.rawFrame(timestamp &+ packet.duration)
        // Numbers that start anew are another file behind this one.
        if let end, let next, next <= end { return nil }
        end = next
      }
      return end
    }
  }

  /// Reads all packets of an Ogg stream without decoding: whether its timestamps run on without a
  /// hole, as those of a chained, cut or damaged file do not, and where they end.
  private func scanOgg(_ stream: LibAV.Stream, _ facts: StreamFacts) throws(Failure) -> Int64? {
    try reading(path) { () throws(LibAVError) in
      let demuxer = try Demuxer.open(path)
      demuxer.select(stream: facts.streamIndex)
      let isOpus = stream.codecName == "opus"
      var last: Int64?
      var end: Int64?
      while let packet = try demuxer.read() {
        guard packet.streamIndex == facts.streamIndex else { continue }
        guard let raw = packet.timestamp.flatMap(facts.rawFrame) else { return nil }
        // Vorbis' blocks are at most 8192 frames, Opus' packets at most 120 ms.
        if let last, raw <= last || raw - last > 8192 { return nil }
        last = raw
        if isOpus { end = raw + packet.duration }
      }
      // Vorbis' last packet has a duration only by the granule of its page: the stream's own.
      let streamEnd = stream.duration.flatMap(facts.rawFrame)
      guard let end = isOpus ? end : streamEnd, let last, end > last - 8192 else { return nil }
      return isOpus ? end - facts.origin : end
    }
  }

  private func countByDecoding(_ facts: StreamFacts) throws(Failure) -> Int64 {
    let stream = try DemuxedStream.open(facts, Damage())
    let buffer = AudioBuffer(channelCount: facts.channelCount, capacity: 16_384)
    while try stream.read(into: buffer, at: 0, count: buffer.capacity) == buffer.capacity {}
    return stream.position
  }

  // MARK: What users see

  private func announcedDuration(of stream: LibAV.Stream, _ demuxer: Demuxer) -> Time? {
    // libavformat lowers a WAV's length in silence to what is there.
    if demuxer.formatName == "wav", stream.isLossless, stream.blockAlign > 0,
      stream.sampleRate > 0, let bytes = ContainerFacts.announcedWAVSize(path)
    {
      return Time(
        frames: Int64(clamping: bytes) / Int64(stream.blockAlign), rate: stream.sampleRate)
    }
    if let ticks = stream.duration {
      let value = Int128(ticks) * Int128(stream.timeBase.numerator)
      return Time(value: Int64(clamping: value), timescale: stream.timeBase.denominator)
    }
    return demuxer.announcedMicroseconds.map { Time(value: $0, timescale: 1_000_000) }
  }

  /// Says so where a header is off by more than a tenth of a second and a hundredth.
  func warning(announced: Time, found: Time) -> Warning? {
    let difference = announced > found ? announced - found : found - announced
    let limit = max(
      Time(value: 1, timescale: 10), Time(value: found.value, timescale: found.timescale).hundredth)
    guard difference > limit else { return nil }
    return Warning(
      "its header announces \(announced.inSeconds), \(found.inSeconds) can be decoded", path: path)
  }

  func metadata(of demuxer: Demuxer, _ stream: LibAV.Stream) -> Metadata {
    var metadata = Metadata()
    // Ogg keeps its comments on the stream, everything else on the file.
    for (key, value) in demuxer.metadata + stream.metadata where !Self.technicalTags.contains(key) {
      if metadata[key] == nil { metadata[key] = value }
    }
    return metadata
  }

  /// Tags that describe the file at hand and not the sound in it.
  private static let technicalTags: Set<String> = [
    "encoder", "major_brand", "minor_version", "compatible_brands", "creation_time",
    "handler_name", "vendor_id", "language", "DURATION", "iTunSMPB",
  ]

  func chapters(of demuxer: Demuxer) -> [Chapter] {
    demuxer.chapters.map { chapter in
      let ticks = Int128(chapter.start) * Int128(chapter.timeBase.numerator)
      return Chapter(
        start: Time(value: Int64(clamping: ticks), timescale: chapter.timeBase.denominator),
        title: chapter.title)
    }
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
