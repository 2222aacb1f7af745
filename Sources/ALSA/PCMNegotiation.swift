import Glibc

internal import CALSA

/// Agrees with a newly opened device on a format.
struct PCMNegotiation {
  let pcm: OpaquePointer
  let name: String
  let direction: PCMDirection

  /// Sets the device up, and leaves it prepared.
  ///
  /// - Parameters:
  ///   - request: The requested format.
  ///   - isConverted: The value for the answer.
  /// - Returns: The format of the device.
  /// - Throws: `.unsupported` if the device has none of the sample formats.
  func agree(on request: PCMRequest, isConverted: Bool) throws(ALSAError) -> PCMFormat {
    let parameters = try checkPointer("snd_pcm_hw_params_malloc") {
      alsa.pcm_hw_params_malloc(&$0)
    }
    defer { alsa.pcm_hw_params_free(parameters) }
    let agreed = try narrow(parameters, to: request)
    try setSizes(parameters, request, sampleRate: agreed.sampleRate)

    var (period, buffer, direction) = (snd_pcm_uframes_t(), snd_pcm_uframes_t(), Int32())
    try check("snd_pcm_hw_params_get_period_size", name) {
      alsa.pcm_hw_params_get_period_size(parameters, &period, &direction)
    }
    try check("snd_pcm_hw_params_get_buffer_size", name) {
      alsa.pcm_hw_params_get_buffer_size(parameters, &buffer)
    }
    let threshold = request.startThreshold.map { frames(in: $0, at: agreed.sampleRate) }
    let start = self.direction == .capture ? 1 : min(max(1, threshold ?? period), buffer)
    try setBehaviour(start: start, period: period, buffer: buffer)
    return PCMFormat(
      sampleFormat: agreed.sampleFormat, sampleRate: agreed.sampleRate,
      channelCount: agreed.channelCount, channelPositions: channelPositions,
      periodFrames: Int(period), bufferFrames: Int(buffer), isConverted: isConverted)
  }

  /// Narrows the device's offer (`snd_pcm_hw_params_any`) to one format, channels and rate.
  ///
  /// In this order: a wrong number of channels loses sound, another rate costs a resampling, a
  /// narrower sample adds noise. Cards offer their widest samples at some rates only.
  private func narrow(
    _ parameters: OpaquePointer, to request: PCMRequest
  ) throws(ALSAError) -> (sampleFormat: PCMSampleFormat, channelCount: Int, sampleRate: Int) {
    try check("snd_pcm_hw_params_any", name) { alsa.pcm_hw_params_any(pcm, parameters) }
    try check("snd_pcm_hw_params_set_access", name) {
      alsa.pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED)
    }
    try check("snd_pcm_hw_params_set_rate_resample", name) {
      alsa.pcm_hw_params_set_rate_resample(pcm, parameters, 0)
    }
    try keepFormats(request.sampleFormats, parameters)
    var channels = UInt32(clamping: request.channelCount)
    try check("snd_pcm_hw_params_set_channels_near", name) {
      alsa.pcm_hw_params_set_channels_near(pcm, parameters, &channels)
    }
    var (rate, side) = (UInt32(clamping: request.sampleRate), Int32())
    try check("snd_pcm_hw_params_set_rate_near", name) {
      alsa.pcm_hw_params_set_rate_near(pcm, parameters, &rate, &side)
    }
    let best = request.sampleFormats.first {
      alsa.pcm_hw_params_test_format(pcm, parameters, $0.alsa) == 0
    }
    guard let best else { throw refusal(of: request.sampleFormats, parameters) }
    try check("snd_pcm_hw_params_set_format", name) {
      alsa.pcm_hw_params_set_format(pcm, parameters, best.alsa)
    }
    return (best, Int(channels), Int(rate))
  }

  /// Keeps only the given sample formats, before other choices.
  private func keepFormats(
    _ formats: [PCMSampleFormat], _ parameters: OpaquePointer
  ) throws(ALSAError) {
    let offered = formats.filter {
      alsa.pcm_hw_params_test_format(pcm, parameters, $0.alsa) == 0
    }
    guard !offered.isEmpty else { throw refusal(of: formats, parameters) }
    let mask = try checkPointer("snd_pcm_format_mask_malloc") { alsa.pcm_format_mask_malloc(&$0) }
    defer { alsa.pcm_format_mask_free(mask) }
    alsa.pcm_format_mask_none(mask)
    for format in offered { alsa.pcm_format_mask_set(mask, format.alsa) }
    try check("snd_pcm_hw_params_set_format_mask", name) {
      alsa.pcm_hw_params_set_format_mask(pcm, parameters, mask)
    }
  }

  private func refusal(
    of formats: [PCMSampleFormat], _ parameters: OpaquePointer
  ) -> ALSAError {
    let names = (0...SND_PCM_FORMAT_LAST.rawValue).compactMap { number -> String? in
      let format = snd_pcm_format_t(rawValue: number)
      guard alsa.pcm_hw_params_test_format(pcm, parameters, format) == 0 else { return nil }
      return alsa.pcm_format_name(format).map { String(cString: $0) }
    }
    let wanted = formats.map(\.rawValue).joined(separator: ", ")
    return ALSAError(
      code: EINVAL, call: "snd_pcm_hw_params_test_format", device: name,
      message: "it offers \(names.joined(separator: ", ")), and none of \(wanted)")
  }

  /// Requests the sizes, and sets the device up (`snd_pcm_hw_params`).
  ///
  /// Sizes are optional: some plugins refuse a period, or both, instead of taking the nearest. A
  /// refused size is left out, the period first.
  private func setSizes(
    _ parameters: OpaquePointer, _ request: PCMRequest, sampleRate: Int
  ) throws(ALSAError) {
    let whole = try checkPointer("snd_pcm_hw_params_malloc") { alsa.pcm_hw_params_malloc(&$0) }
    defer { alsa.pcm_hw_params_free(whole) }
    alsa.pcm_hw_params_copy(whole, parameters)
    for (wantsPeriod, wantsBuffer) in [(true, true), (false, true), (false, false)] {
      alsa.pcm_hw_params_copy(parameters, whole)
      var side = Int32()
      var period = max(1, frames(in: request.period, at: sampleRate))
      var buffer = max(2 * period, frames(in: request.buffer, at: sampleRate))
      do throws(ALSAError) {
        if wantsPeriod {
          try check("snd_pcm_hw_params_set_period_size_near", name) {
            alsa.pcm_hw_params_set_period_size_near(pcm, parameters, &period, &side)
          }
        }
        if wantsBuffer {
          try check("snd_pcm_hw_params_set_buffer_size_near", name) {
            alsa.pcm_hw_params_set_buffer_size_near(pcm, parameters, &buffer)
          }
        }
        try check("snd_pcm_hw_params", name) { alsa.pcm_hw_params(pcm, parameters) }
        return
      } catch  where wantsBuffer && error.kind == .unsupported {
        continue
      }
    }
  }

  /// How the device starts, stops, wakes and keeps time (`snd_pcm_sw_params`).
  private func setBehaviour(
    start: snd_pcm_uframes_t, period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t
  ) throws(ALSAError) {
    let parameters = try checkPointer("snd_pcm_sw_params_malloc") {
      alsa.pcm_sw_params_malloc(&$0)
    }
    defer { alsa.pcm_sw_params_free(parameters) }
    try check("snd_pcm_sw_params_current", name) { alsa.pcm_sw_params_current(pcm, parameters) }
    try check("snd_pcm_sw_params_set_start_threshold", name) {
      alsa.pcm_sw_params_set_start_threshold(pcm, parameters, start)
    }
    // Stops when the buffer is empty, instead of playing old sound again.
    try check("snd_pcm_sw_params_set_stop_threshold", name) {
      alsa.pcm_sw_params_set_stop_threshold(pcm, parameters, buffer)
    }
    try check("snd_pcm_sw_params_set_avail_min", name) {
      alsa.pcm_sw_params_set_avail_min(pcm, parameters, period)
    }
    try check("snd_pcm_sw_params_set_tstamp_mode", name) {
      alsa.pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
    }
    try check("snd_pcm_sw_params_set_tstamp_type", name) {
      alsa.pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    }
    if direction == .playback {
      // Played frames become silence: a drain ends at a period's end, and would play old frames
      // after the last one.
      var boundary = snd_pcm_uframes_t()
      try check("snd_pcm_sw_params_get_boundary", name) {
        alsa.pcm_sw_params_get_boundary(parameters, &boundary)
      }
      try check("snd_pcm_sw_params_set_silence_threshold", name) {
        alsa.pcm_sw_params_set_silence_threshold(pcm, parameters, 0)
      }
      try check("snd_pcm_sw_params_set_silence_size", name) {
        alsa.pcm_sw_params_set_silence_size(pcm, parameters, boundary)
      }
    }
    try check("snd_pcm_sw_params", name) { alsa.pcm_sw_params(pcm, parameters) }
  }

  /// Nil without a channel map (`snd_pcm_get_chmap`).
  private var channelPositions: [PCMChannelPosition]? {
    guard let map = alsa.pcm_get_chmap(pcm) else { return nil }
    defer { free(map) }
    return (0..<map.pointee.channels).map {
      PCMChannelPosition(rawValue: avjob_chmap_position(map, $0))
    }
  }

  /// The whole frames in a length of time, at most 2^31.
  private func frames(in length: Duration, at rate: Int) -> snd_pcm_uframes_t {
    let (seconds, attoseconds) = min(max(.zero, length), .seconds(3600)).components
    let nanoseconds = attoseconds / 1_000_000_000
    let count = Int(seconds) * rate + Int(nanoseconds) * rate / 1_000_000_000
    return snd_pcm_uframes_t(min(count, 1 << 31))
  }
}
