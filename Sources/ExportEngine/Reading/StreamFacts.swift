import LibAV
import SystemPackage

/// What reading one stream takes, found by probing.
struct StreamFacts: Sendable, Hashable {
  /// What reads the file.
  enum Reader: Sendable, Hashable {
    /// Bare MPEG frames, found by our own index.
    case mpegAudio
    case demuxer(Access, TimeBase)
  }

  var path: FilePath
  var streamIndex: Int
  var sampleRate: Int
  var channelCount: Int
  var reader: Reader
  /// The raw frame, counted by timestamps, that is frame 0 of the asset.
  var origin: Int64
  /// The raw frame of the first sample that the first packets decode to.
  var firstRaw: Int64

  var access: Access {
    if case .demuxer(let access, _) = reader { access } else { .start }
  }

  /// A timestamp in frames; nil where the time base does not count frames.
  func rawFrame(_ timestamp: Int64) -> Int64? {
    guard case .demuxer(_, let base) = reader else { return nil }
    let ticks = Int128(timestamp) * Int128(base.numerator) * Int128(sampleRate)
    let (frames, rest) = ticks.quotientAndRemainder(dividingBy: Int128(base.denominator))
    return rest == 0 ? Int64(exactly: frames) : nil
  }

  /// The timestamp of a raw frame, or the last one before it.
  func timestamp(ofRaw frame: Int64) -> Int64 {
    guard case .demuxer(_, let base) = reader else { return frame }
    let ticks = Int128(frame) * Int128(base.denominator)
    let scale = Int128(base.numerator) * Int128(sampleRate)
    return Int64(clamping: frame < 0 ? (ticks - scale + 1) / scale : ticks / scale)
  }
}
