import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage

/// Sound of unknown length on its way into an output: a float WAV with a temporary name beside it, which
/// goes with this object. One thread at a time.
final class SpooledSound {
  private let file: OutputFile
  private let writer: GrowingWriter
  private let block: AudioBuffer
  let format: AudioFormat
  private(set) var frameCount: Int64 = 0

  /// A file beside an output; missing folders are made, and go with it.
  ///
  /// - Throws: As `OutputFile.create`.
  init(beside output: FilePath, _ format: AudioFormat) throws(Failure) {
    var calls = FileCalls.system
    // Nobody reads it after a crash.
    calls.flush = { _ in 0 }
    LeftoverCache().removeLeftovers(beside: output)
    self.format = format
    do {
      file = try OutputFile.create(at: output, calls: calls)
      writer = try GrowingTarget.opener("spool.wav", .wav(.float32), format, false)(file)
    } catch {
      throw error.failure(writing: output)
    }
    block = AudioBuffer(channelCount: format.channelLayout.count, capacity: Renderer.blockSize)
  }

  deinit { discard() }

  /// Appends the frames of a buffer of its rate and channels, which are all finite.
  ///
  /// - Throws: The disk's error.
  func append(_ buffer: PCMBuffer) throws(Failure) {
    let planes = (0..<block.channelCount).map(buffer.channel)
    var first = 0
    while first < buffer.frameCount {
      block.take(buffer, from: first, planes)
      try write()
      first += block.frameCount
    }
  }

  /// Appends silence.
  ///
  /// - Parameters:
  ///   - count: Frames of it.
  ///   - requireWanted: Called now and then.
  /// - Throws: The disk's error, and what `requireWanted` does.
  func appendSilence(
    _ count: Int64, while requireWanted: () throws(Failure) -> Void
  ) throws(Failure) {
    for channel in 0..<block.channelCount {
      block.planes[channel].update(repeating: 0, count: block.capacity)
    }
    var rest = count
    while rest > 0 {
      try requireWanted()
      block.frameCount = Int(min(rest, Int64(block.capacity)))
      try write()
      rest -= Int64(block.frameCount)
    }
  }

  private func write() throws(Failure) {
    try writer.write(block)
    frameCount += Int64(block.frameCount)
  }

  /// Ends the file, and gives the asset that it is until this object is released.
  ///
  /// - Throws: The disk's error, and as probing.
  func finish(_ library: MediaLibrary) throws(Failure) -> Asset {
    _ = try writer.finish()
    var asset = try library.asset(at: file.currentPath)
    // A WAV has places for fewer channels.
    asset.channelLayout = format.channelLayout
    return asset
  }

  /// Removes the file. Does nothing the second time.
  func discard() { writer.abandon() }
}

/// The temporary file of a take, made when its first samples are written.
//
// `@unchecked Sendable`: `sound` is touched by the one thread that holds the writer's `disk`, and at the
// end by the one that releases it, when no other has a reference any more.
final class SpoolFile: @unchecked Sendable {
  /// nil before the first samples are written.
  private(set) var sound: SpooledSound?

  /// The file, which `open` makes the first time.
  func opened(by open: () throws(Failure) -> SpooledSound) throws(Failure) -> SpooledSound {
    if let sound { return sound }
    let opened = try open()
    sound = opened
    return opened
  }
}

extension Asset {
  /// What such sound will be in a file.
  static func spool(
    at path: FilePath, sampleRate: Int, channelLayout: ChannelLayout, frameCount: Int64
  ) -> Asset {
    Asset(
      location: .file(path), streamIndex: 0, container: "wav", codec: "pcm_f32le",
      sampleRate: sampleRate, channelLayout: channelLayout, frameCount: frameCount,
      identity: .predicted)
  }
}

extension Composition {
  /// All of an asset's sound.
  init(soundOf asset: Asset) {
    self.init(tracks: [
      Track(segments: [
        Segment(
          .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
      ])
    ])
  }
}
