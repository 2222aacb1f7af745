internal import CFFmpeg

/// Changes the rate of planar float sound: libswresample over soxr, 28 bits (“very high quality”).
///
/// Owns its `SwrContext`. One thread at a time. Deterministic: what comes out depends on what went
/// in, not on how it was cut into blocks. Output frame 0 lies on input frame 0; the filter's delay
/// is already taken off.
package final class Resampler {
  private var context: OpaquePointer?
  private let channelCount: Int

  private init(channelCount: Int) { self.channelCount = channelCount }
  deinit { swr_free(&context) }

  /// Makes one for rates in frames a second (`swr_init`).
  package static func open(
    from source: Int, to target: Int, channelCount: Int
  ) throws(LibAVError) -> Resampler {
    let resampler = Resampler(channelCount: channelCount)
    try check(
      avjob_swr_alloc(
        &resampler.context, Int32(channelCount), Int32(source), AV_SAMPLE_FMT_FLTP, Int32(target)),
      "swr_alloc_set_opts2")
    let object = UnsafeMutableRawPointer(resampler.context)
    try check(
      av_opt_set_int(object, "resampler", Int64(SWR_ENGINE_SOXR.rawValue), 0), "av_opt_set_int")
    try check(av_opt_set_double(object, "precision", 28, 0), "av_opt_set_double")
    try check(swr_init(resampler.context), "swr_init")
    return resampler
  }

  /// Feeds `count` frames from `input` at `offset` (none at the end of the sound, with `input`
  /// nil) and takes at most `capacity` frames to `output` at `start`. Gives the number taken.
  package func convert(
    _ input: UnsafePointer<UnsafeMutablePointer<Float>>?, from offset: Int, count: Int,
    into output: UnsafePointer<UnsafeMutablePointer<Float>>, at start: Int, capacity: Int
  ) throws(LibAVError) -> Int {
    let status = withUnsafeTemporaryAllocation(
      of: UnsafePointer<UInt8>?.self, capacity: channelCount
    ) { inputs in
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: channelCount) {
        outputs in
        for channel in 0..<channelCount {
          inputs.initializeElement(
            at: channel,
            to: input.map {
              UnsafeRawPointer($0[channel] + offset).assumingMemoryBound(to: UInt8.self)
            })
          outputs.initializeElement(
            at: channel,
            to: UnsafeMutableRawPointer(output[channel] + start).assumingMemoryBound(
              to: UInt8.self))
        }
        return swr_convert(
          context, outputs.baseAddress, Int32(capacity),
          input == nil ? nil : inputs.baseAddress, Int32(count))
      }
    }
    return Int(try check(status, "swr_convert"))
  }
}
