import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime

/// A stream that is being probed.
struct OpenedStream {
  let demuxer: Demuxer
  let stream: LibAV.Stream
  let first: Prober.FirstFrame
  let opening: MediumOpening
  /// Of an MP4.
  let track: MP4Track?
  /// What is played of the stream, where that is ours to apply; nil: what libavformat gives.
  var edits: PlayedEdits?
  /// Of an AVI.
  var pauses: AVIPauses?
  /// Whether iTunes' note contradicts what is there.
  var isNoteRefuted = false

  /// Whether granules say where the sound of a Vorbis stream ends.
  var isVorbisInOgg: Bool { demuxer.formatName == "ogg" && stream.codecName == "vorbis" }
  var isSpeexInOgg: Bool { demuxer.formatName == "ogg" && stream.codecName == "speex" }

  /// Whether granules say where the sound of an Opus stream begins.
  var isOpusInOgg: Bool { demuxer.formatName == "ogg" && stream.codecName == "opus" }

  /// Whether libavformat applies an edit list.
  var isListedElsewhere: Bool { track?.edits.isEmpty == false && !opening.ignoresEditLists }
}

extension Prober.FirstFrame {
  /// The first decoded frame by the container's clock, in frames.
  var startFrame: Int64 { timestamp?.frames(atRate: sampleRate) ?? 0 }

  /// Whether a packet of AAC gives more than the 1024 frames that it codes (ISO 14496-3, 4.6.18).
  func hasBandReplication(in stream: LibAV.Stream) -> Bool {
    stream.codecName == "aac" && sampleCount > 1024
  }
}

/// Edits and other marks of what is played.
extension Prober {
  /// Opens a stream so that nothing of it is left out: see `MP4Track.patches`.
  func open(_ demuxer: Demuxer, _ stream: LibAV.Stream) throws(Failure) -> OpenedStream {
    var opening = MediumOpening()
    var track: MP4Track?
    var table: CAFPacketTable?
    switch demuxer.formatName {
    case "mov,mp4,m4a,3gp,3g2,mj2":
      track = try MP4Track.read(in: bytes, id: stream.id)
      guard track?.timescale != 0 else {
        throw Failure(
          .mendInput,
          "its track has 0 ticks a second (mdhd), so its times mean nothing; make it again",
          location: location)
      }
      if let track { try requireOneDescription(of: track) } else { try requirePlainHeader() }
      opening.patches = track?.patches ?? []
    case "caf":
      try requirePackedSamples()
      (table, opening.patches) = try CAFPacketTable.read(in: bytes)
    case "ogg": opening.patches = oggPatches
    default: break
    }
    // libavformat may have nothing to decode of what such a list plays.
    if let track, track.hasOddEdits { return try openWhole(demuxer, stream, opening, track) }
    var opened = try open(demuxer, stream, opening, track)
    if demuxer.formatName == "avi" {
      // A tick is a picture. Encoders have up to two decoded ahead; of an AVI libavformat may not know how
      // many.
      let picture = demuxer.streams.first(where: \.isMovingPicture)
      opened.pauses = try AVIPauses.find(
        ofStream: stream.index, atRate: opened.first.sampleRate,
        behind: picture?.timeBase.time(of: 2) ?? .zero, in: bytes)
    }
    if let table { opened.edits = PlayedEdits(table, atRate: opened.first.sampleRate) }
    return opened
  }

  private func open(
    _ demuxer: Demuxer, _ stream: LibAV.Stream, _ opening: MediumOpening, _ track: MP4Track?
  ) throws(Failure) -> OpenedStream {
    var (demuxer, stream) = (demuxer, stream)
    if opening != MediumOpening() {
      (demuxer, stream) = try reading(location) { () throws(LibAVError) in
        let facts = StreamFacts(
          location: location, streamIndex: stream.index, sampleRate: 1, channelCount: 1,
          reader: .counted(AnchorIndex()), origin: 0, firstRaw: 0, opening: opening,
          range: range)
        return try facts.open()
      }
    }
    demuxer.select(stream: stream.index)
    let first = try decodeFirstFrame(of: stream, demuxer, track)
    guard Self.sampleRates.contains(first.sampleRate) else {
      throw Failure(
        .mendInput,
        "claims \(first.sampleRate) samples a second; sound has 1000 to 768000", location: location)
    }
    try requireConsistentHeader(of: stream, demuxer)
    let opened = OpenedStream(
      demuxer: demuxer, stream: stream, first: first, opening: opening, track: track, edits: nil)
    guard let track, !opening.ignoresEditLists else { return opened }
    return try needsOwnReading(track, opened) ? reopen(opened) : opened
  }

  /// Opens a stream of an MP4 again, whose edit list is ours to apply from now on.
  func reopen(_ opened: OpenedStream) throws(Failure) -> OpenedStream {
    guard let track = opened.track else { return opened }
    return try openWhole(opened.demuxer, opened.stream, opened.opening, track)
  }

  /// Opens a stream of an MP4, whose edit list is ours to apply.
  private func openWhole(
    _ demuxer: Demuxer, _ stream: LibAV.Stream, _ opening: MediumOpening, _ track: MP4Track
  ) throws(Failure) -> OpenedStream {
    var opening = opening
    opening.ignoresEditLists = true
    var own = try open(demuxer, stream, opening, track)
    if track.edits.isEmpty {
      try noteEdits(&own)
    } else {
      own.edits = try PlayedEdits(track, atRate: own.first.sampleRate, in: location)
    }
    return own
  }

  /// Whether libavformat may leave out other sound than is meant: a last packet behind the edit's end; and
  /// it counts the delay of HE-AAC twice.
  private func needsOwnReading(
    _ track: MP4Track, _ opened: OpenedStream
  ) throws(Failure) -> Bool {
    if track.hasPacketBehindEdit { return true }
    guard opened.first.hasBandReplication(in: opened.stream) else { return false }
    guard track.edits.isEmpty else { return true }
    return try ContainerFacts.iTunesNote(in: bytes) != nil
  }

  /// iTunes' note of HE-AAC, which counts samples of the core or of what it decodes to: all of it
  /// together is what the packets hold, and else no note of this sound.
  private func noteEdits(_ opened: inout OpenedStream) throws(Failure) {
    guard let note = try ContainerFacts.iTunesNote(in: bytes), let track = opened.track,
      let packets = track.packetCount
    else { return }
    let noted = Int64(note.delay) + note.length + Int64(note.padding)
    // Beyond any file.
    let there = min(packets, 1 << 40) * Int64(opened.first.sampleCount)
    let isCore = (there - 2 * noted).magnitude < (there - noted).magnitude
    let scale: Int64 = isCore ? 2 : 1
    guard (there - noted * scale).magnitude <= opened.first.sampleCount else {
      opened.isNoteRefuted = true
      return
    }
    let start = opened.first.startFrame + Int64(note.delay) * scale
    opened.edits = PlayedEdits(
      entries: [.init(times: start..<start + note.length * scale, count: note.length * scale)])
  }

  // MARK: Playing

  /// Plays edits of a stream.
  ///
  /// - Parameters:
  ///   - edits: The edits.
  ///   - clock: Where the stream's frames lie.
  ///   - lastFrames: The stream's frames, the last packet by its own duration.
  ///   - facts: For reading all of it.
  /// - Returns: The facts for reading what is played.
  /// - Throws: `mendInput` where that is nothing, or too much.
  func play(
    _ edits: PlayedEdits, _ clock: MediaClock, lastFrames: Int64, _ facts: StreamFacts
  ) throws(Failure) -> Measured {
    var played = SoundPieces()
    var offered: Int64 = 0
    let exactEnd = clock.endTime - (clock.end - lastFrames)
    for (index, entry) in edits.entries.enumerated() {
      var times = entry.times
      if let given = times, index == edits.entries.count - 1 {
        let end = given.upperBound
        let isExact = end >= clock.endTime || (end - exactEnd).magnitude <= edits.tick
        times = given.lowerBound..<max(given.lowerBound, isExact ? exactEnd : end)
      }
      let count = times.map { Int64($0.count) } ?? entry.count
      let isThere =
        times.map { clock.append($0, to: &played) }
        ?? played.append(.init(start: nil, count: count))
      let (sum, isTooLong) = offered.addingReportingOverflow(count)
      guard isThere, !isTooLong else { throw tooMuch }
      offered = sum
    }
    guard played.frameCount > 0 else {
      throw Failure(
        .mendInput, "its edit list plays nothing of its sound; make it again", location: location)
    }
    var facts = facts
    let start = Time(frames: offered - played.frameCount, rate: facts.sampleRate)
    guard let sole = played.sole else {
      played.areEdits = true
      facts.pieces = played
      return Measured(facts: facts, length: Length(frames: played.frameCount), start: start)
    }
    facts.origin += sole.lowerBound
    let padding = clock.end - sole.upperBound
    let delay = sole.lowerBound > 0 ? sole.lowerBound : nil
    return Measured(
      facts: facts,
      length: Length(
        frames: Int64(sole.count), delay: delay,
        padding: padding > 0 || delay != nil ? padding : nil),
      start: start)
  }

  /// Fills a stream's holes with silence.
  func fill(_ clock: MediaClock, in measured: inout Measured) throws(Failure) {
    guard clock.runs.count > 1, let first = clock.runs.first else { return }
    var played = SoundPieces()
    let end = clock.endTime - max(0, clock.end - measured.length.frames)
    guard clock.append(first.time..<max(first.time, end), to: &played) else { throw tooMuch }
    measured.facts.pieces = played
    measured.length = Length(frames: played.frameCount)
  }

  private var tooMuch: Failure {
    Failure(
      .mendInput,
      "plays more than years, or more than \(SoundPieces.most) pieces, by its time stamps",
      location: location)
  }

  /// Refuses a hole that is longer than a minute and than all of the sound: one wrong number makes
  /// hours of silence.
  func requireNoLeap(
    _ holes: [HoleFinder.Hole]?, in frames: Int64, rate: Int
  ) throws(Failure) {
    func seconds(_ frames: Int64) -> String { Time(frames: frames, rate: rate).inSeconds }
    let longest = max(frames, 60 * Int64(rate))
    guard let hole = holes?.first(where: { $0.count > longest }) else { return }
    throw Failure(
      .mendInput,
      "its time stamps leap by \(seconds(hole.count)) at \(seconds(hole.frame)), longer than all of "
        + "its sound (\(seconds(frames))); copy or download it again, or write it as a WAV first",
      location: location)
  }

  /// What is to be said of holes that are played.
  func warnings(
    of holes: [HoleFinder.Hole]?, _ measured: Measured
  ) -> [Warning] {
    guard let holes else {
      return [
        Warning(
          "has time stamps that do not fit its sound; all of the sound is read, without holes",
          location: location)
      ]
    }
    guard let pieces = measured.facts.pieces else { return [] }
    let rate = measured.facts.sampleRate
    let counts = Dictionary(holes.map { ($0.frame, $0.count) }) { first, _ in first }
    var found: [(place: Int64, count: Int64)] = []
    for (piece, end) in zip(pieces.pieces, pieces.ends) {
      guard let start = piece.start, let count = counts[start] else { continue }
      found.append((max(0, end - piece.count - count), count))
    }
    guard let first = found.first else { return [] }
    let place = Time(frames: first.place, rate: rate).inSeconds
    let size = Time(frames: first.count, rate: rate).inSeconds
    let all = Time(frames: found.reduce(0) { $0 + $1.count }, rate: rate).inSeconds
    let text =
      found.count == 1
      ? "has a hole of \(size) in its time stamps at \(place); silence is put there"
      : "has \(found.count) holes in its time stamps, the first of \(size) at \(place); "
        + "\(all) of silence is put there"
    return [Warning(text, location: location)]
  }
  /// A warning of time stamps that go back.
  func warning(of falls: [HoleFinder.Hole], _ facts: StreamFacts) -> Warning {
    func seconds(_ frames: Int64) -> String {
      Time(frames: frames, rate: facts.sampleRate).inSeconds
    }
    let first = falls[0]
    let others = falls.count > 1 ? ", and at \(falls.count - 1) other places" : ""
    return Warning(
      "its time stamps go back by \(seconds(first.count)) at "
        + "\(seconds(max(0, first.frame - facts.origin)))\(others): parts of it are there twice, or "
        + "not in their order; all of it is read as it lies there", location: location)
  }

  /// A warning of packets that an MP4's fragments list and libavformat does not give, or leaves out
  /// without an edit list: of fragments with one time it takes one.
  ///
  /// - Throws: Where they are more than half.
  func lostPackets(
    of opened: OpenedStream, _ count: CountedStream.Count
  ) throws(Failure) -> Warning? {
    guard let track = opened.track, track.isFragmented, let listed = track.packetCount else {
      return nil
    }
    let heard = count.packets - (track.edits.isEmpty ? count.discarded : 0)
    guard listed > heard else { return nil }
    // Of a file that was cut short its end is named.
    let missing = try ContainerFacts.missingBytes(
      of: opened.demuxer.formatName, wave: nil, in: bytes)
    guard missing == 0 else { return nil }
    let text =
      "its fragments list \(listed) packets, and \(heard) can be read by their time stamps"
    guard Int64(heard) * 2 >= listed else {
      throw Failure(
        .mendInput, text + ": less than half; write it again with the program that made it",
        location: location)
    }
    return Warning(text + ": the others are left out", location: location)
  }
}
