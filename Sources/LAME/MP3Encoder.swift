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

  let lame: lame_t
  private let output: UnsafeMutableBufferPointer<UInt8>

  private init(_ lame: lame_t, channelCount: Int) {
    self.lame = lame
    self.channelCount = channelCount
    samplesPerFrame = Int(lame_get_framesize(lame))
    // lame.h at `lame_encode_buffer`: 1.25 × samples + 7200 bytes always suffice.
    output = .allocate(capacity: Self.blockLength * 5 / 4 + 7200)
  }

  deinit {
    output.deallocate()
    lame_close(lame)
  }

  /// PCM frames that LAME is fed at once; it holds a copy of as many.
  private static let blockLength = 4608

  /// An encoder, ready for sound.
  ///
  /// - Parameters:
  ///   - settings: Rate control and quality; validated here against what LAME takes.
  ///   - sampleRate: Frames a second, one of `MP3Settings.sampleRates`.
  ///   - channelCount: 1 (mono) or 2 (joint stereo).
  /// - Returns: The encoder, at frame zero.
  /// - Throws: What LAME cannot do, or would only do in another way than asked.
  package static func open(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int
  ) throws(LAMEError) -> MP3Encoder {
    guard MP3Settings.sampleRates.contains(sampleRate) else {
      let rates = MP3Settings.sampleRates.map(String.init).joined(separator: ", ")
      throw .unsupported("MP3 has no sample rate of \(sampleRate) Hz, only \(rates)")
    }
    guard 1...2 ~= channelCount else {
      throw .unsupported("MP3 has one or two channels, not \(channelCount)")
    }
    // `lame_init_params` multiplies the scale by a factor of its ABR and CBR presets (0.95 up to
    // 160 kbps, 0.97 at 192, 0.98 at 224; presets.c) and shows the product afterwards.
    let attenuation = try initialised(
      settings, sampleRate: sampleRate, channelCount: channelCount, scale: 1
    ).scale
    return try initialised(
      settings, sampleRate: sampleRate, channelCount: channelCount, scale: 1 / attenuation)
  }

  private static func initialised(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int, scale: Float
  ) throws(LAMEError) -> MP3Encoder {
    guard let lame = lame_init() else { throw .status(-10, operation: "lame_init") }
    do {
      avjob_lame_silence(lame)
      let rate = Int32(sampleRate)
      try check(lame_set_in_samplerate(lame, rate), "lame_set_in_samplerate")
      try check(lame_set_out_samplerate(lame, rate), "lame_set_out_samplerate")
      try check(lame_set_num_channels(lame, Int32(channelCount)), "lame_set_num_channels")
      try check(lame_set_mode(lame, channelCount == 1 ? MONO : JOINT_STEREO), "lame_set_mode")
      try check(lame_set_scale(lame, scale), "lame_set_scale")
      lame_set_write_id3tag_automatic(lame, 0)
      // `InfoFrame` is written instead: LAME's knows nothing of frames that were put together.
      try check(lame_set_bWriteVbrTag(lame, 0), "lame_set_bWriteVbrTag")
      try apply(settings, to: lame)
      try check(lame_init_params(lame), "lame_init_params")
      try requireUnchanged(settings, in: lame, sampleRate: sampleRate)
    } catch {
      lame_close(lame)
      throw error
    }
    return MP3Encoder(lame, channelCount: channelCount)
  }

  /// What LAME multiplies samples with.
  var scale: Float { lame_get_scale(lame) }

  private static func apply(_ settings: MP3Settings, to lame: lame_t) throws(LAMEError) {
    switch settings.rateControl {
    case .vbr(let quality):
      guard quality >= 0, quality < 10 else {
        throw .unsupported("VBR quality is 0 … 9.999, not \(quality)")
      }
      try check(lame_set_VBR(lame, vbr_default), "lame_set_VBR")
      try check(lame_set_VBR_quality(lame, Float(quality)), "lame_set_VBR_quality")
    case .abr(let bitRate):
      try check(lame_set_VBR(lame, vbr_abr), "lame_set_VBR")
      try check(
        lame_set_VBR_mean_bitrate_kbps(lame, kilobits(bitRate)), "lame_set_VBR_mean_bitrate_kbps")
    case .cbr(let bitRate):
      try check(lame_set_VBR(lame, vbr_off), "lame_set_VBR")
      try check(lame_set_brate(lame, kilobits(bitRate)), "lame_set_brate")
    }
    if let quality = settings.quality {
      guard 0...9 ~= quality else { throw .unsupported("LAME's quality is 0 … 9, not \(quality)") }
      try check(lame_set_quality(lame, Int32(quality)), "lame_set_quality")
    }
  }

  private static func kilobits(_ bitRate: Int) throws(LAMEError) -> Int32 {
    guard bitRate > 0, bitRate % 1000 == 0, bitRate <= 320_000 else {
      throw .unsupported("LAME has no bit rate of \(bitRate) b/s")
    }
    return Int32(bitRate / 1000)
  }

  /// LAME takes the nearest bit rate that it has, without a word: refuses instead.
  private static func requireUnchanged(
    _ settings: MP3Settings, in lame: lame_t, sampleRate: Int
  ) throws(LAMEError) {
    let (asked, taken): (Int, Int32) =
      switch settings.rateControl {
      case .vbr: (0, 0)
      case .abr(let bitRate): (bitRate / 1000, lame_get_VBR_mean_bitrate_kbps(lame))
      case .cbr(let bitRate): (bitRate / 1000, lame_get_brate(lame))
      }
    guard asked == Int(taken) else {
      throw .unsupported(
        "at \(sampleRate) Hz LAME has no bit rate of \(asked) kbps; the nearest is \(taken)")
    }
    guard lame_get_out_samplerate(lame) == Int32(sampleRate) else {
      throw .unsupported("LAME would resample from \(sampleRate) Hz")
    }
  }

  /// Encodes frames and appends what they give to `bytes`: MP3 frames, of which the last one may
  /// lack its end until the next call (LAME writes as far as the main data go).
  ///
  /// - Parameters:
  ///   - planes: One pointer for each channel, to `count` samples where ±1 is full scale.
  ///   - count: PCM frames, any number.
  ///   - bytes: Grows by MP3 frames and pieces of them.
  /// - Throws: `.notFinite` and `.tooLoud` before any of the frames is encoded, or LAME's status.
  package mutating func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    try Self.requireEncodable(
      planes, channelCount: channelCount, count: count, firstFrame: frameCount)
    try encode(planes, from: 0, count: count, into: &bytes)
  }

  /// The same for `count` frames from `start` on, which were found encodable before.
  mutating func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, count: Int,
    into bytes: inout [UInt8]
  ) throws(LAMEError) {
    var done = start
    while done < start + count {
      let length = min(start + count - done, Self.blockLength)
      let left = planes[0] + done
      let right = planes[channelCount - 1] + done
      let size = try check(
        lame_encode_buffer_ieee_float(
          lame, left, right, Int32(length), output.baseAddress, Int32(output.count)),
        "lame_encode_buffer_ieee_float")
      bytes.append(contentsOf: output[..<Int(size)])
      done += length
      frameCount += Int64(length)
    }
  }

  /// Completes the stream: appends the last frames to `bytes`, whole. Nothing may be encoded after
  /// it.
  ///
  /// - Parameter bytes: Grows by the last MP3 frames.
  /// - Throws: LAME's status.
  package mutating func flush(into bytes: inout [UInt8]) throws(LAMEError) {
    let size = try check(
      lame_encode_flush(lame, output.baseAddress, Int32(output.count)), "lame_encode_flush")
    bytes.append(contentsOf: output[..<Int(size)])
  }

  /// Samples that a decoder puts out before the first one that was put in, without its own 529.
  package var delay: Int { Int(lame_get_encoder_delay(lame)) }

  /// Samples after the last one that was put in; known after `flush`.
  package var padding: Int { Int(lame_get_encoder_padding(lame)) }

  /// Refuses what LAME must not see. `firstFrame` is where the frames lie in the whole sound.
  static func requireEncodable(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, count: Int,
    firstFrame: Int64
  ) throws(LAMEError) {
    for channel in 0..<channelCount {
      let samples = planes[channel]
      // The bit patterns of magnitudes are in the order of their values, NaN above infinity.
      var largest: UInt32 = 0
      for index in 0..<count { largest = max(largest, samples[index].bitPattern & 0x7FFF_FFFF) }
      guard largest > Self.largestSample.bitPattern else { continue }
      for index in 0..<count where !(samples[index].magnitude <= Self.largestSample) {
        let frame = firstFrame + Int64(index)
        throw samples[index].isFinite
          ? .tooLoud(channel: channel, frame: frame) : .notFinite(channel: channel, frame: frame)
      }
    }
  }
}
