import Diagnosis
import ExportGraph
import MediaComposition

/// A source from its present frame on, slower or faster with the pitch kept (`AVPlayer.rate`): what a
/// listener asks for, and no export.
///
/// In the time domain (`AVAudioTimePitchAlgorithm.timeDomain`): a listener changes the speed to go
/// through speech, and a spectral stretch takes several times as long.
///
/// One thread at a time.
package final class PlaybackStretch {
  private let source: any FrameSource
  private let stretched: FilteredSource
  private let speed: FrameRatio
  private let start: Int64
  private let frameCount: Int64

  /// The frames of `source`, which has `frameCount` of them, from its position on. Nothing else may
  /// read it meanwhile.
  ///
  /// - Throws: `mendMachine` without libavfilter.
  package init(
    _ source: any FrameSource, frameCount: Int64, sampleRate: Int, at speed: FrameRatio
  ) throws(Failure) {
    (self.source, self.speed, self.frameCount) = (source, speed, frameCount)
    start = source.position
    let count = frameCount - start
    stretched = FilteredSource(
      OffsetSource(source, from: start, frameCount: count),
      try FilteredSource.Setup.stretch(speed, .timeDomain, sampleRate: sampleRate), speed,
      sampleRate: sampleRate, frameCount: speed.target(ofSource: count))
  }

  /// The frame of the source that sounds next.
  package var position: Int64 {
    start + speed.place(ofTarget: stretched.position, in: frameCount - start)
  }

  /// Fills a buffer's first frames; fewer than `count` only at the end.
  package func read(into buffer: AudioBuffer, count: Int) throws(Failure) {
    buffer.frameCount = try stretched.read(into: buffer, at: 0, count: count)
  }
}

extension FrameRatio {
  /// The place in `count` frames of one of their results: `count` after the last of these, and less
  /// before it, however lengths are rounded.
  func place(ofTarget frame: Int64, in count: Int64) -> Int64 {
    frame >= target(ofSource: count) ? count : min(count - 1, source(ofTarget: frame))
  }
}

private final class OffsetSource: FrameSource {
  let channelCount: Int
  private let source: any FrameSource
  private let start: Int64
  private let end: Int64

  init(_ source: any FrameSource, from start: Int64, frameCount: Int64) {
    self.source = source
    self.start = start
    end = start + frameCount
    channelCount = source.channelCount
  }

  var position: Int64 { source.position - start }

  func seek(to frame: Int64) throws(Failure) { try source.seek(to: start + frame) }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    let wanted = Int(max(0, min(Int64(count), end - source.position)))
    return try source.read(into: buffer, at: offset, count: wanted)
  }
}
