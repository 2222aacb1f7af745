internal import CFFmpeg

/// Turns decoded samples of any format into planar 32-bit float, ±1 being full scale.
///
/// Owns its `SwrContext`, made again where the format changes. One thread at a time. Integers of up
/// to 24 bits arrive exactly, and the negative zeros of mu-law as such.
package final class FrameConverter {
  private var context: OpaquePointer?
  private var format = AV_SAMPLE_FMT_NONE
  private var channelCount = 0

  /// Of libswresample's converters (`SWR_CH_MAX`).
  private static let mostChannels = 64

  package init() {}
  deinit { swr_free(&context) }

  /// Refuses samples of more channels than are converted.
  package static func requireReadable(_ frame: Frame) throws(LibAVError) {
    let format = AVSampleFormat(frame.pointer.pointee.format)
    if format != AV_SAMPLE_FMT_FLTP { try requireReadable(frame.channelCount) }
  }

  private static func requireReadable(_ channels: Int) throws(LibAVError) {
    guard channels > mostChannels else { return }
    throw .refused(
      "has \(channels) channels, of which \(mostChannels) at most are read; write a file of those "
        + "that are wanted, as by 'sox IN OUT remix 1 2'")
  }

  /// Writes samples `offset ..< offset + count` of a frame to `planes`, one for each channel.
  package func convert(
    _ frame: Frame, from offset: Int, count: Int,
    into planes: UnsafePointer<UnsafeMutablePointer<Float>>, at start: Int
  ) throws(LibAVError) {
    precondition(offset >= 0 && count >= 0 && offset + count <= frame.sampleCount)
    let format = AVSampleFormat(frame.pointer.pointee.format)
    let channels = frame.channelCount
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    let sampleSize = Int(av_get_bytes_per_sample(format))
    let stride = isPlanar ? sampleSize : sampleSize * channels
    guard let data = frame.pointer.pointee.extended_data else { return }
    if format == AV_SAMPLE_FMT_FLTP {
      for channel in 0..<channels {
        guard let source = data[channel] else { continue }
        (planes[channel] + start).withMemoryRebound(to: UInt8.self, capacity: count * 4) {
          $0.update(from: source + offset * stride, count: count * 4)
        }
      }
      return
    }
    try prepare(format, channels)
    let status = withUnsafeTemporaryAllocation(
      of: UnsafePointer<UInt8>?.self, capacity: isPlanar ? channels : 1
    ) { input in
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: channels) {
        output in
        for plane in input.indices {
          input.initializeElement(
            at: plane, to: UnsafePointer(data[plane].map { $0 + offset * stride }))
        }
        for channel in output.indices {
          output.initializeElement(
            at: channel,
            to: UnsafeMutableRawPointer(planes[channel] + start).assumingMemoryBound(to: UInt8.self)
          )
        }
        return swr_convert(
          context, output.baseAddress, Int32(count), input.baseAddress, Int32(count))
      }
    }
    try check(status, "swr_convert")
    frame.muLaw?.putNegativeZeros(
      of: frame, from: offset, count: count, into: planes, at: start)
  }

  private func prepare(_ format: AVSampleFormat, _ channels: Int) throws(LibAVError) {
    if format == self.format, channels == channelCount { return }
    try Self.requireReadable(channels)
    self.format = AV_SAMPLE_FMT_NONE
    swr_free(&context)
    try check(
      avjob_swr_alloc(&context, Int32(channels), 48_000, format, 48_000), "swr_alloc_set_opts2")
    try check(swr_init(context), "swr_init")
    self.format = format
    channelCount = channels
  }
}
