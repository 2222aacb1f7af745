import MediaTime

extension Composition {
  /// All of an asset: its sound on one track, and its picture, if it has one, on another.
  ///
  /// - Throws: `EditError.invalidRange` for an asset of no length, `tooLong` for one of more than
  ///   `longestDuration`.
  public init(_ asset: Asset) throws(EditError) {
    self.init()
    try insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)
  }

  /// Adds a track, and gives its index.
  ///
  /// With the first track of pictures, those of sources are not shown with their sound any more: the
  /// composition shows what its tracks of pictures hold, and nothing else.
  @discardableResult
  public mutating func addTrack(_ track: Track = Track()) -> Int {
    tracks.append(track)
    return tracks.count - 1
  }

  /// Adds an empty track, as `addTrack(_:)`, and gives its index
  /// (`addMutableTrack(withMediaType:preferredTrackID:)`).
  @discardableResult
  public mutating func addMutableTrack(withMediaType mediaType: Track.MediaType) -> Int {
    addTrack(Track(mediaType: mediaType))
  }

  /// Takes a track out (`removeTrack(_:)`), and gives it back. No track is ducked under its name any
  /// more, unless another track has that name. Without its last track of pictures a composition shows
  /// those of its sound again; for a composition without pictures disable that track. O(tracks).
  @discardableResult
  public mutating func removeTrack(at index: Int) -> Track {
    let removed = tracks.remove(at: index)
    guard let name = removed.name, !tracks.contains(where: { $0.name == name }) else {
      return removed
    }
    for index in tracks.indices {
      tracks[index].ducking?.keyTracks.removeAll { $0 == name }
      if tracks[index].ducking?.keyTracks.isEmpty == true { tracks[index].ducking = nil }
    }
    return removed
  }

  /// Inserts a part of an asset: its sound, if it has one, into the first enabled track of sound, and
  /// its picture, if it has one, into the first enabled track of pictures. Tracks are added where there are none;
  /// what is at `startTime` and later is pushed back on all tracks
  /// (`AVMutableComposition.insertTimeRange(_:of:at:)`).
  ///
  /// Where pictures followed their sound so far, they are on the added track, too.
  ///
  /// Mixes of tracks and of exports do not move: they are automation in the composition's time, as
  /// an `AVAudioMix` is. `Time.invalid` means the end, as in AVFoundation. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range is not within the asset, `invalidTime`
  ///   where `startTime` is before zero or no number, `tooLong`. The composition is then as it was.
  public mutating func insertTimeRange(
    _ timeRange: TimeRange, of asset: Asset, at startTime: Time
  ) throws(EditError) {
    try timeRange.requireWithin(asset.duration)
    let start = try startTime.requireInsertion(of: timeRange.duration, into: duration)
    let excerpt = Excerpt(Segment(.asset(asset), source: timeRange, at: .zero))
    let hasPicture = asset.videoCodec != nil
    if hasPicture { separatePictures() }
    var excerpts = asset.hasSound ? [firstTrack(.audio): excerpt] : [:]
    if hasPicture { excerpts[firstTrack(.video)] = excerpt }
    insert(excerpts, lasting: timeRange.duration, at: start)
  }

  /// The first enabled track of a kind, which is added where there is none.
  private mutating func firstTrack(_ mediaType: Track.MediaType) -> Int {
    tracks.firstIndex { $0.isEnabled && $0.mediaType == mediaType }
      ?? addMutableTrack(withMediaType: mediaType)
  }

  /// Inserts what another composition plays during a range, its tracks into matching tracks; what
  /// is at `startTime` and later is pushed back on all tracks.
  ///
  /// A track goes into the first of its kind that is not taken yet, is enabled and ducked as it is,
  /// and has its name; else into the first of which one of both has no name, unless tracks are ducked
  /// under its name; else a track is added. What the receiving
  /// track's mix does to all that it holds, it does to what is inserted. Where the other track has
  /// a mix of its own, another volume, or another time-pitch algorithm that matters, it is inserted
  /// as a nested composition, so that it sounds as it did. Where one of both has tracks of pictures,
  /// pictures that follow their sound in the other one get a track. To insert the composition as one
  /// segment, see `Track.insertTimeRange(_:of:at:)`. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range is not within the composition,
  ///   `invalidTime` where `startTime` is before zero or no number, `tooLong`. The composition is
  ///   then as it was.
  public mutating func insertTimeRange(
    _ timeRange: TimeRange, of composition: Composition, at startTime: Time
  ) throws(EditError) {
    try timeRange.requireWithin(composition.duration)
    let start = try startTime.requireInsertion(of: timeRange.duration, into: duration)
    var excerpts: [Int: Excerpt] = [:]
    var composition = composition
    if !(videoTracks.isEmpty && composition.videoTracks.isEmpty) {
      separatePictures()
      composition.separatePictures()
    }
    let keys = Set(composition.tracks.flatMap { $0.ducking?.keyTracks ?? [] })
    for track in composition.tracks {
      var track = track
      let index =
        tracks.index(receiving: track, without: Set(excerpts.keys), keys)
        ?? addTrack(
          Track(
            name: track.name, mediaType: track.mediaType, isEnabled: track.isEnabled,
            preferredVolume: track.preferredVolume, ducking: track.ducking,
            timePitchAlgorithm: track.timePitchAlgorithm, origin: track.origin))
      // The receiving track does what the other one did.
      if tracks[index].preferredVolume == track.preferredVolume { track.preferredVolume = .unity }
      excerpts[index] = track.excerpt(timeRange, for: tracks[index])
    }
    insert(excerpts, lasting: timeRange.duration, at: start)
  }

  /// Inserts silence; on all tracks, what is at the range's start and later is pushed back by its
  /// duration (`AVMutableComposition.insertEmptyTimeRange(_:)`).
  ///
  /// Unlike AVFoundation's, silence at the end counts: the composition lasts so much longer.
  /// O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range lasts no time or begins before zero,
  ///   `tooLong`. The composition is then as it was.
  public mutating func insertEmptyTimeRange(_ timeRange: TimeRange) throws(EditError) {
    try timeRange.requireWithin(.positiveInfinity)
    let start = try timeRange.start.requireInsertion(of: timeRange.duration, into: duration)
    insert([:], lasting: timeRange.duration, at: start)
  }

  /// Takes a range out of all tracks; what is later moves forward by its duration
  /// (`AVMutableComposition.removeTimeRange(_:)`).
  ///
  /// What of the range is after the end is nothing; its duration may be `Time.positiveInfinity`.
  /// The composition is then shorter by exactly what was taken. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range lasts no time or begins before zero. The
  ///   composition is then as it was.
  public mutating func removeTimeRange(_ timeRange: TimeRange) throws(EditError) {
    try timeRange.requireOnTimeline()
    for index in tracks.indices { tracks[index].remove(timeRange) }
  }

  /// Plays a range of all tracks slower or faster, so that it lasts `duration`; what is later moves
  /// (`AVMutableComposition.scaleTimeRange(_:toDuration:)`).
  ///
  /// - Throws: `EditError.invalidRange` where the range lasts no time or begins before zero,
  ///   `invalidTime` where `duration` is not positive, `tooLong`. The composition is then as it
  ///   was.
  public mutating func scaleTimeRange(
    _ timeRange: TimeRange, toDuration duration: Time
  ) throws(EditError) {
    try timeRange.requireScalable(to: duration, end: self.duration)
    for index in tracks.indices { tracks[index].scale(timeRange, toDuration: duration) }
  }

  /// Inserts excerpts into the tracks of these indices, and pushes back what is later on all.
  private mutating func insert(_ excerpts: [Int: Excerpt], lasting length: Time, at start: Time) {
    let end = max(start, duration) + length
    for index in tracks.indices {
      if let excerpt = excerpts[index] {
        tracks[index].insert(excerpt, at: start)
      } else if start < tracks[index].end {
        tracks[index].insert(Excerpt(.silence(lasting: length)), at: start)
      }
    }
    guard duration < end else { return }
    if tracks.isEmpty { addTrack() }
    tracks[0].extend(to: end)
  }
}

extension [Track] {
  /// The track that a track of another composition is inserted into, where others are ducked under
  /// `keys`.
  fileprivate func index(
    receiving other: Track, without taken: Set<Int>, _ keys: Set<String>
  ) -> Int? {
    let free = indices.filter {
      !taken.contains($0) && self[$0].mediaType == other.mediaType
        && self[$0].isEnabled == other.isEnabled && self[$0].ducking == other.ducking
    }
    if let same = free.first(where: { self[$0].name == other.name }) { return same }
    if let name = other.name, keys.contains(name) { return nil }
    return free.first { self[$0].name == nil || other.name == nil }
  }
}
