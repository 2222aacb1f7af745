import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Threads

/// The pictures of a source with which decoding can begin (`PictureKind`), around moments of it.
///
/// For each moment the demuxer goes to one of them, and packets are read up to the next one: nothing is
/// decoded, and no index of a container is believed, whose times may be those of decoding.
struct KeyPictureFinder {
  let reel: PictureReel

  /// When the nearest one to a moment of the file's clock is shown, the later of two that are as near.
  ///
  /// - Throws: Also where there is none.
  func nearest(to time: Time) throws(LibAVError) -> Time {
    // The demuxer goes by times of decoding, or not as far back as is needed: it is then asked again.
    var seconds: Int64 = 0
    while true {
      let isFromStart = seconds > PicturePassage.mostSecondsBack
      if isFromStart {
        try reel.rewind()
      } else {
        try reel.seek(
          to: reel.tick(atOrBefore: time) - (seconds == 0 ? 0 : reel.ticks(seconds: seconds)))
      }
      let found = try survey(around: time)
      if found.earlier != nil || found.isFromStart || isFromStart {
        guard let nearest = found.nearest(to: time) else {
          throw LibAVError.refusedPicture(
            "has no picture with which decoding can begin; encode it again as H.264")
        }
        return nearest
      }
      seconds = seconds == 0 ? 1 : seconds * 4
    }
  }

  /// What was seen around a moment.
  private struct Survey {
    /// The last one that is shown at the moment or before it, and the first one behind it.
    var earlier: Time?
    var later: Time?
    /// Whether it began with the file's first picture.
    var isFromStart = false

    func nearest(to time: Time) -> Time? {
      guard let earlier, let later else { return self.earlier ?? self.later }
      return later - time <= time - earlier ? later : earlier
    }
  }

  /// Reads on until no nearer one can follow.
  private func survey(around time: Time) throws(LibAVError) -> Survey {
    var survey = Survey()
    var isFirst = true
    while survey.later == nil, let picture = try reel.next() {
      if isFirst { survey.isFromStart = picture.shown == reel.firstShown }
      isFirst = false
      let shown = reel.time(of: picture.shown)
      if let earlier = survey.earlier, shown - time > time - earlier { break }
      guard picture.kind != .other, !picture.isHidden else { continue }
      if shown <= time { survey.earlier = shown } else { survey.later = shown }
    }
    return survey
  }
}

extension MediaLibrary {
  /// Finds key pictures elsewhere, as in another process: for each moment the nearest one, in the time of the
  /// asset's sound. Called from any thread.
  package typealias FindKeyPictures =
    @Sendable (Asset, [Time]) throws(Failure) -> [Time]

  /// The nearest key picture to each moment of an asset's sound, in the time of that sound, the later of two
  /// that are as near. Once `cancellation` is set, this library soon ends its search.
  ///
  /// - Throws: Where the picture cannot be read, or has none; `tryAgain` after a cancellation.
  /// - Complexity: O(packets between the key pictures on both sides of each moment)
  package func keyPictures(
    of asset: Asset, near times: [Time], unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> [Time] {
    if let keyPictureFinder { return try keyPictureFinder(asset, times) }
    watch?(asset.location)
    defer { watch?(nil) }
    let demuxer = try openPictures(of: asset)
    try requireOneEdit(of: asset, demuxer)
    return try reading(asset.location) { () throws(LibAVError) in
      let finder = KeyPictureFinder(
        reel: try PictureReel(0, demuxer, of: asset.pictureTrack, unless: cancellation))
      var found: [Time] = []
      for time in times { found.append(try finder.nearest(to: asset.start + time) - asset.start) }
      return found
    }
  }

  /// What `keyPictures` finds for a search, which is asked once.
  package func keyPicture(
    _ search: KeyPictureSearch, unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> Time {
    if let known = try knownKeyPicture(search) { return known }
    return try findKeyPictures(of: search.asset, near: [search.time], unless: cancellation)[0]
  }

  /// What was found before; nil where nothing was, or other things may be found.
  package func knownKeyPicture(_ search: KeyPictureSearch) throws(Failure) -> Time? {
    try knownKeyPictures.withLock { $0[KeyPicturePlace(search.asset, search.time)] }?.get()
  }

  /// Finds what is asked of an asset in one go, for later calls of `keyPicture`.
  ///
  /// - Returns: One time for each.
  @discardableResult
  package func findKeyPictures(
    of asset: Asset, near times: [Time], unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> [Time] {
    let result: Result<[Time], Failure>
    do throws(Failure) {
      let found = try keyPictures(of: asset, near: times, unless: cancellation)
      guard found.count == times.count else {
        throw Failure(
          .reportBug, "was searched for other pictures than were asked", location: asset.location)
      }
      result = .success(found)
    } catch {
      result = .failure(error)
    }
    try CancellationFlag.requireWanted(at: asset.location)
    if case .failure(let failure) = result, failure.remedy == .tryAgain { throw failure }
    knownKeyPictures.withLock { known in
      for (index, time) in times.enumerated() {
        known[KeyPicturePlace(asset, time)] = result.map { $0[index] }
      }
    }
    return try result.get()
  }
}

/// A moment of a file's sound, as it is.
struct KeyPicturePlace: Hashable {
  private let location: MediaLocation
  private let streamIndex: Int
  private let identity: FileIdentity
  private let time: Time

  init(_ asset: Asset, _ time: Time) {
    (location, streamIndex) = (asset.location, asset.streamIndex)
    (identity, self.time) = (asset.identity, time)
  }
}
