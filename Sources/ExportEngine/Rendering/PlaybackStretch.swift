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
  private let stretched: FilteredSource
  private let speed: FrameRatio
  private let start: Int64
  private let frameCount: Int64
  /// The frame of the stretched sound that is read next.
  private var next: Int64 = 0

  /// The frames of `source`, which has `frameCount` of them, from `start` on.
  ///
  /// - Throws: `mendMachine` without libavfilter.
  package init(
    _ source: any Sound, from start: Int64, frameCount: Int64, sampleRate: Int, at speed: FrameRatio
  ) throws(Failure) {
    (self.start, self.speed, self.frameCount) = (start, speed, frameCount)
    stretched = FilteredSource(
      ExcerptSound(source, start..<frameCount),
      try FilteredSource.Setup.stretch(speed, .timeDomain, sampleRate: sampleRate), speed,
      sampleRate: sampleRate, frameCount: speed.target(ofSource: frameCount - start))
  }

  /// The frame of the source that sounds next.
  package var position: Int64 {
    start + speed.place(ofTarget: next, in: frameCount - start)
  }

  /// Fills a buffer's first frames; fewer than `count` only at the end.
  package func read(into buffer: AudioBuffer, count: Int) throws(Failure) {
    buffer.frameCount = try stretched.read(next..<next + Int64(count), into: buffer, at: 0)
    next += Int64(buffer.frameCount)
  }
}

extension FrameRatio {
  /// The place in `count` frames of one of their results: `count` after the last of these, and less
  /// before it, however lengths are rounded.
  func place(ofTarget frame: Int64, in count: Int64) -> Int64 {
    frame >= target(ofSource: count) ? count : min(count - 1, source(ofTarget: frame))
  }
}
