import Diagnosis
import ExportGraph
import LibAV
import MPEGAudio
import MediaComposition
import Threads

/// Media that are read.
extension MediaLibrary {
  /// Opens an asset for reading, if its file is still the probed one.
  func open(_ asset: Asset, noting damage: Damage) throws(Failure) -> any Sound {
    watch?(asset.location)
    defer { watch?(nil) }
    let facts = try readable(asset)
    let source = try facts.sound(noting: damage)
    if let stream = source as? MPEGStream { try requireAnnounced(stream.index, asset) }
    return watch.map { WatchedSource(source, asset.location, $0) } ?? source
  }

  /// Opens the frames of a bare MP3 as bytes, if its file is still the probed one; nil for another
  /// format.
  func openFrames(of asset: Asset) throws(Failure) -> MPEGFrames? {
    watch?(asset.location)
    defer { watch?(nil) }
    let facts = try readable(asset)
    guard case .mpegAudio(let index, let note) = facts.reader else { return nil }
    let frames = try MPEGFrames.open(facts, index, note, watching: watch)
    try requireAnnounced(frames.index, asset)
    return frames
  }

  /// Opens the packets of an asset, if its file is still the probed one.
  ///
  /// - Throws: `mendInput` also for packets that cannot be copied into another file.
  func openPackets(
    of asset: Asset, unless cancellation: CancellationFlag
  ) throws(Failure) -> SourcePackets {
    try SourcePackets.open(
      try readable(asset), unless: cancellation, watching: watch)
  }

  /// Reads all packets of an asset, in order, if its file is still the probed one.
  ///
  /// - Parameters:
  ///   - asset: The asset.
  ///   - cancellation: Once set, reading throws.
  ///   - begin: Is called once, with the stream that they are of.
  ///   - take: Is called for each packet; reading ends where it gives false.
  /// - Throws: The failure of a file that cannot be read, or has changed, and what `begin` and `take` throw.
  func readPackets(
    of asset: Asset, unless cancellation: CancellationFlag,
    begin: (LibAV.Stream) throws -> Void, _ take: (Packet) throws -> Bool
  ) throws {
    func watched<Result>(_ read: () throws -> Result) throws -> Result {
      watch?(asset.location)
      defer { watch?(nil) }
      return try read()
    }
    let packets = try watched {
      let facts = try readable(asset)
      return try reading(asset.location) { () throws(LibAVError) in
        try PacketReader(facts, unless: cancellation)
      }
    }
    try begin(packets.stream)
    while true {
      if cancellation.isCancelled { throw Failure.cancelled(at: asset.location) }
      let next = try watched {
        try reading(asset.location) { () throws(LibAVError) in try packets.next() }
      }
      guard let next, try take(next) else { return }
    }
  }

  /// The facts for reading an asset, if its file is still the probed one. The file stays open as long
  /// as they live: one that is removed, or replaced by another, is read to its end.
  func readable(_ asset: Asset) throws(Failure) -> StreamFacts {
    guard let file = try openFile(of: asset) else {
      try SourceFile.requireUnchanged(asset.location, asset.identity)
      return try facts(of: asset)
    }
    var facts = try file.facts(ofStream: asset.streamIndex) { () throws(Failure) in
      try self.facts(of: asset)
    }
    facts.file = file
    return facts
  }

  /// Refuses an MP3 whose frames were announced when it was probed, and counted otherwise since.
  private func requireAnnounced(_ index: FrameIndex, _ asset: Asset) throws(Failure) {
    guard index.validFrameCount == asset.frameCount else {
      throw Failure(
        .tryAgain, "is not as long as its tag says; run the job again", location: asset.location,
        code: .mediaChanged)
    }
  }
}

/// What an output has beside its sound.
struct OpenedCompanions {
  var streams: Companions?
  /// Those of `streams` that are rendered.
  var sounds = OtherSounds()
}

/// Moving pictures that are copied.
extension MediaLibrary {
  /// Opens what an output has beside its sound, if the files are still the probed ones.
  ///
  /// - Parameters:
  ///   - plan: The sources, and their tracks.
  ///   - sink: The output.
  ///   - format: That of its sound.
  ///   - tally: Counts the pictures.
  ///   - cancellation: Once it is set, a file that gives nothing is not asked again.
  ///   - sound: Opens the output's sound once more, for what is drawn of it.
  /// - Returns: The tracks at their first packets.
  /// - Throws: As reading the files does, and `mendInput` for packets without times, for a sound that
  ///   begins more than 10,000 hours before or behind 0 by the file's clock, and for pictures that cannot
  ///   be cut or joined.
  func openCompanions(
    of plan: PicturePlan, beside sink: Sink, _ format: AudioFormat, counting tally: PictureTally,
    unless cancellation: CancellationFlag, hearing sound: () throws(Failure) -> OutputSound
  ) throws(Failure) -> OpenedCompanions {
    if let settings = plan.encoding, settings.isStill {
      return OpenedCompanions(streams: try openStills(of: plan, settings, counting: tally, sound))
    }
    try plan.requireNearSounds()
    guard plan.spans.isEmpty else {
      return try openPicture(
        of: plan, beside: sink, format, counting: tally, unless: cancellation)
    }
    return OpenedCompanions(
      streams: try openCopies(
        of: plan, atRate: format.sampleRate, counting: tally, unless: cancellation))
  }

  /// Opens the tracks of the only source, which are copied as they are.
  func openCopies(
    of plan: PicturePlan, atRate sampleRate: Int, counting tally: PictureTally,
    unless cancellation: CancellationFlag
  ) throws(Failure) -> Companions {
    guard let asset = plan.assets.first else { throw Failure(.reportBug, "has no picture to copy") }
    let demuxer = try openPictures(of: asset)
    try requireOneEdit(of: asset, demuxer)
    var setting = CompanionSetting(
      delay: asset.start.frames(atRate: sampleRate),
      language: asset.tracks.first { $0.index == asset.streamIndex }?.language)
    setting.keepsDolbyVision = plan.keepsDolbyVision
    if let sound = demuxer.streams.first(where: { $0.index == asset.streamIndex }), sound.isAudio {
      setting.labels = sound.labels
    }
    // Matroska has the times of showing alone.
    if asset.container == MovieContainer.mkv.demuxer { setting.depths = [:] }
    for track in plan.tracks where track.mediaType == .video {
      // Another demuxer, since its form may have to be looked for.
      let own = try openPictures(of: asset)
      let reel = try reading(asset.location) { () throws(LibAVError) in
        let reel = try PictureReel(
          0, own, of: track, by: pictureCodecs, unless: cancellation)
        // MP4's entry for VP9 (`vpcC`) says how pixels lie; others can do without.
        if track.codec == "vp9" { _ = try reel.requiredForm() }
        return reel
      }
      setting.forms[track.index] = reel.form
      setting.depths?[track.index] = reel.reorderDepth
    }
    return try reading(asset.location) { () throws(LibAVError) in
      let streams = try CopiedStreams(
        demuxer, plan.tracks.map(\.index), setting,
        blaming: { $0.inputFailure(asset.location) }, unless: { cancellation.isCancelled })
      tally.copies = (streams, asset)
      return .copied(streams)
    }
  }

  /// A demuxer for pictures of an asset's file, whose streams have their tracks' names.
  ///
  /// - Throws: As reading does, and `mendInput` for a chain of files.
  func openPictures(of asset: Asset) throws(Failure) -> Demuxer {
    var facts = try readable(asset)
    if case .chained = facts.reader {
      throw Failure(
        .mendInput,
        "is a chain of Ogg files, whose pictures are not cut and joined; encode it again, as with "
          + "'ffmpeg -i IN OUT.mkv'", location: asset.location)
    }
    // Edit lists are libavformat's to apply: it hides packets, and leaves none out.
    facts.opening = MediumOpening()
    let opened = facts
    let demuxer = try reading(asset.location) { () throws(LibAVError) in try opened.demuxer() }
    guard demuxer.formatName.hasPrefix("mov,") else { return demuxer }
    let names = try MP4Track.names(in: try opened.bytes())
    return try reading(asset.location) { () throws(LibAVError) in
      for stream in demuxer.streams {
        if let name = names[stream.id] { try stream.name(name) }
      }
      return demuxer
    }
  }

  /// Refuses a picture that is put together by several edits (ISO 14496-12, 8.6.6): around each of them
  /// libavformat gives pictures of both sides the same times, so that it is not known which are shown, and
  /// its muxer writes one edit.
  func requireOneEdit(of asset: Asset, _ demuxer: Demuxer) throws(Failure) {
    guard demuxer.formatName.hasPrefix("mov,"), let track = asset.pictureTrack,
      demuxer.streams.indices.contains(track.index),
      let movie = try MP4Track.read(
        in: try readable(asset).bytes(), id: demuxer.streams[track.index].id),
      movie.edits.count(where: { $0.mediaTime != nil }) > 1
    else { return }
    throw Failure(
      .mendInput,
      "has a picture of several edits (elst), which is not built yet; encode it again, as with "
        + "'ffmpeg -i IN OUT.mp4'", location: asset.location)
  }
}

extension PicturePlan {
  /// Refuses sounds that begin more than 10,000 hours before or behind 0 by the file's clock, by which
  /// pictures are placed.
  ///
  /// - Throws: `Failure` (`mendInput`).
  func requireNearSounds() throws(Failure) {
    guard encoding?.isStill != true else { return }
    let farthest = Composition.longestDuration
    for asset in assets where asset.start < .zero - farthest || asset.start > farthest {
      throw Failure(
        .mendInput,
        "its sound begins \(asset.start.readableText) after its picture; 10,000 hours are the most",
        location: asset.location)
    }
  }
}
