import Diagnosis
import LibAV
import MediaComposition
import MediaTime

/// Moving pictures without sound: screens that were recorded, what cameras film slowly. They are heard
/// as silence, beside which there may be other sounds.
extension Prober {
  /// Of a silence no output has the rate, unless it is all that there is.
  private static let silentRate = 48_000

  /// The picture of a file without sound; nil where a sound is there, or is asked for.
  func soleMovingPicture(
    _ index: Int?, in demuxer: Demuxer
  ) throws(Failure) -> LibAV.Stream? {
    guard index == nil || index == Asset.noStream else { return nil }
    guard !demuxer.streams.contains(where: \.isAudio) else { return nil }
    return demuxer.streams.first(where: \.isMovingPicture)
  }

  /// The facts of a file without sound: silence from its first picture's start to its last one's end.
  func probeSilence(
    under picture: LibAV.Stream, _ demuxer: Demuxer
  ) throws(Failure) -> ProbedStream {
    let tags = try tags(of: demuxer, picture)
    let shown = try reading(location) { () throws(LibAVError) in
      try demuxer.shownTimes(of: picture)
    }
    guard let shown else {
      throw Failure(
        .mendInput, "holds no sound, and no picture that has a time (\(picture.codecName))",
        location: location)
    }
    // As of sound (`FirstFrame`).
    let first = picture.timeBase.time(of: shown.lowerBound)
    let start = demuxer.formatName == "mpegts" ? first : max(.zero, first)
    let duration = picture.timeBase.time(of: shown.upperBound) - start
    let frameCount = duration.frames(atRate: Self.silentRate)
    guard frameCount > 0, duration <= Composition.longestDuration else {
      throw Failure(
        .mendInput, "holds no sound, and a picture of \(duration.readableText)", location: location)
    }
    let listed = try chapters(of: demuxer, from: start, tags)
    var asset = Asset(
      location: location, streamIndex: Asset.noStream, container: demuxer.formatName, codec: "none",
      sampleRate: Self.silentRate, channelLayout: .mono, frameCount: frameCount,
      metadata: tags.metadata, chapters: listed.chapters, identity: identity)
    asset.tracks = AssetTrack.all(of: demuxer)
    try addCropping(to: &asset.tracks, of: demuxer)
    asset.start = start
    asset.unread = tags.unread
    try addPictureTimes(to: &asset.tracks)
    var facts = StreamFacts(
      location: location, streamIndex: Asset.noStream, sampleRate: Self.silentRate, channelCount: 1,
      reader: .silence, origin: 0, firstRaw: 0)
    facts.start = start
    let cut = try cutWarning(demuxer, breaksOff: false, at: duration)
    return ProbedStream(
      asset: asset, facts: facts, warnings: listed.warnings + (cut.map { [$0] } ?? []))
  }
}

/// Silence, of any length.
final class SilentSound: Sound {
  let channelCount = 1

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) -> Int {
    (buffer.planes[0] + offset).update(repeating: 0, count: frames.count)
    return frames.count
  }
}
