/// The grid on which rates are converted: fixed stretches of the source, each resampled afresh
/// with real sound around it, so that a slice is the same however it is reached.
package enum Resampling {
  /// Frames of the slower of two rates that the resampler's filter reaches to either side;
  /// soxr's at 28 bits measured 140, whatever the ratio.
  static let reach = 512

  /// Source frames of real sound before and after a stretch: a multiple of the period.
  package static func warmUp(_ ratio: FrameRatio) -> Int {
    let (source, target) = (ratio.source, ratio.target)
    let needed = source > target ? (reach * source + target - 1) / target : reach
    return (needed + source - 1) / source * source
  }

  /// Source frames in a stretch, about two seconds at `sampleRate`, or more where the warm-up is
  /// long: a multiple of the period. Two stretches never share more than half of either, so that
  /// the source is read once and in order.
  package static func stretch(_ ratio: FrameRatio, sampleRate: Int) -> Int {
    let needed = max(2 * sampleRate, 4 * warmUp(ratio))
    return (needed + ratio.source - 1) / ratio.source * ratio.source
  }
}
