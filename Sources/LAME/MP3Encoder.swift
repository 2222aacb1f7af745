internal import CLAME
package import MPEGAudio

/// One run of libmp3lame: float sound in, Layer III frames out (`lame_t`).
///
/// The owner of its LAME instance, which it closes when it goes; to be used by one thread at a
/// time. Sound comes out at the rate and the level at which it went in: LAME never resamples
/// here, and the attenuation that its presets apply is cancelled.
package struct MP3Encoder: ~Copyable {
  /// The largest magnitude that is encoded: +60 dB over full scale. LAME's assertions end the
  /// process somewhere between 10,000 and 100,000 times full scale.
  package static let largestSample: Float = 1000

  package let channelCount: Int
  /// Frames (PCM) in each MP3 frame: 1152, or 576 at 24 kHz and below.
  package let samplesPerFrame: Int
  /// PCM frames that were encoded so far.
  package private(set) var frameCount: Int64 = 0

  private let lame: lame_t
  /// Stands in for LAME's own Info frame where that has no room for one.
  private var infoFrameOfLowRate: LowRateInfoFrame?
  private let output: UnsafeMutableBufferPointer<UInt8>

  /// Takes an instance that `setup` made, and closes it when it goes.
  init(_ lame: lame_t, _ setup: EncoderSetup, reservesInfoFrame: Bool) {
    self.lame = lame
    channelCount = setup.channelCount
    samplesPerFrame = Int(lame_get_framesize(lame))
    // lame.h at `lame_encode_buffer`: 1.25 × samples + 7200 bytes always suffice.
    output = .allocate(capacity: Self.blockLength * 5 / 4 + 7200)
    if reservesInfoFrame, case .cbr(let bitRate) = setup.settings.rateControl,
      !LowRateInfoFrame.fits(
        bitRate: bitRate, sampleRate: setup.sampleRate, channelCount: channelCount)
    {
      infoFrameOfLowRate = LowRateInfoFrame(bitRate: bitRate)
    }
  }

  deinit {
    output.deallocate()
    lame_close(lame)
  }

  /// PCM frames that LAME is fed at once; it holds a copy of as many.
  private static let blockLength = 4608

  /// Starts LAME; who needs several encoders of one kind opens them from an `EncoderSetup`.
  ///
  /// - Parameters:
  ///   - settings: Rate control, quality and the rest; LAME is asked whether it does what they say.
  ///   - sampleRate: Frames a second, one of `MP3Settings.sampleRates`.
  ///   - channelCount: 1 (mono) or 2.
  ///   - reservesInfoFrame: Whether the first frame is kept free for `infoFrame()`.
  /// - Returns: An encoder at frame zero, ready for sound.
  /// - Throws: What LAME cannot do, or would only do in another way than asked.
  package static func open(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int, reservesInfoFrame: Bool = true
  ) throws(LAMEError) -> MP3Encoder {
    try EncoderSetup(settings, sampleRate: sampleRate, channelCount: channelCount)
      .open(reservesInfoFrame: reservesInfoFrame)
  }

  /// What LAME multiplies samples with.
  var scale: Float { lame_get_scale(lame) }

  /// Hertz; -1 where LAME's lowpass is off.
  var lowpassFrequency: Int { Int(lame_get_lowpassfreq(lame)) }

  /// Encodes frames and appends the MP3 frames that they complete to `bytes`.
  ///
  /// - Parameters:
  ///   - planes: One pointer for each channel, to `count` samples where ±1 is full scale.
  ///   - count: PCM frames, any number.
  ///   - bytes: Grows by whole MP3 frames.
  /// - Throws: `.notFinite` and `.tooLoud` before any of the frames is encoded, or LAME's status.
  package mutating func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    try requireEncodable(planes, count: count)
    var done = 0
    while done < count {
      let length = min(count - done, Self.blockLength)
      let left = planes[0] + done
      let right = planes[channelCount - 1] + done
      let size = try check(
        lame_encode_buffer_ieee_float(
          lame, left, right, Int32(length), output.baseAddress, Int32(output.count)),
        "lame_encode_buffer_ieee_float")
      append(output[..<Int(size)], to: &bytes)
      done += length
      frameCount += Int64(length)
    }
  }

  /// Completes the stream: appends the last frames to `bytes`. Nothing may be encoded after it.
  ///
  /// - Parameter bytes: Grows by the last MP3 frames.
  /// - Throws: LAME's status.
  package mutating func flush(into bytes: inout [UInt8]) throws(LAMEError) {
    let size = try check(
      lame_encode_flush(lame, output.baseAddress, Int32(output.count)), "lame_encode_flush")
    append(output[..<Int(size)], to: &bytes)
  }

  private mutating func append(
    _ frames: Slice<UnsafeMutableBufferPointer<UInt8>>, to bytes: inout [UInt8]
  ) {
    if let placeholder = infoFrameOfLowRate?.add(frames) { bytes += placeholder }
    bytes.append(contentsOf: frames)
  }

  /// Samples that a decoder puts out before the first one that was put in, without its own 529.
  package var delay: Int { Int(lame_get_encoder_delay(lame)) }

  /// Samples after the last one that was put in; known after `flush`.
  package var padding: Int { Int(lame_get_encoder_padding(lame)) }

  /// The frame that belongs where the first, empty one stands; after `flush`
  /// (`lame_get_lametag_frame`). Empty where none is reserved.
  package func infoFrame() -> [UInt8] {
    if let infoFrameOfLowRate { return infoFrameOfLowRate.frame(facts) }
    let size = lame_get_lametag_frame(lame, nil, 0)
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = lame_get_lametag_frame(lame, buffer.baseAddress, size)
    }
  }

  /// What an Info frame says of the whole stream.
  var facts: LowRateInfoFrame.Facts {
    LowRateInfoFrame.Facts(
      quality: 100 - 10 * Int(lame_get_VBR_q(lame)) - Int(lame_get_quality(lame)),
      lowpass: Int(lame_get_lowpassfreq(lame)), delay: delay, padding: padding,
      frameCount: (delay + Int(frameCount) + padding) / samplesPerFrame,
      encoder: String(cString: get_lame_very_short_version()))
  }

  private func requireEncodable(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int
  ) throws(LAMEError) {
    for channel in 0..<channelCount {
      let samples = planes[channel]
      // The bit patterns of magnitudes are in the order of their values, NaN above infinity.
      var largest: UInt32 = 0
      for index in 0..<count { largest = max(largest, samples[index].bitPattern & 0x7FFF_FFFF) }
      guard largest > Self.largestSample.bitPattern else { continue }
      for index in 0..<count where !(samples[index].magnitude <= Self.largestSample) {
        let frame = frameCount + Int64(index)
        throw samples[index].isFinite
          ? .tooLoud(channel: channel, frame: frame) : .notFinite(channel: channel, frame: frame)
      }
    }
  }
}
