import Diagnosis
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

  /// The facts for reading an asset, if its file is still the probed one. The file stays open as long
  /// as they live: one that is removed, or replaced by another, is read to its end.
  private func readable(_ asset: Asset) throws(Failure) -> StreamFacts {
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
        .tryAgain, "is not as long as its tag says; run the job again", location: asset.location)
    }
  }
}
