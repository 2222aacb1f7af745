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
  /// See `EncoderSetup`.
  let freeFormatBitRate: Int?
  /// PCM frames that were encoded so far.
  package private(set) var frameCount: Int64 = 0

  let lame: lame_t
  private let output: UnsafeMutableBufferPointer<UInt8>
  /// A block of each channel as LAME is fed with it, one behind the other.
  private let input: UnsafeMutablePointer<Float>

  /// What ±1 is in `lame_encode_buffer_float`. The multiplication is ours: `lame_encode_buffer_ieee_float`
  /// multiplies by 32767, and a scale of 32768 breaks VBR (`lame_set_scale`).
  private static let fullScale: Float = 32768

  /// Takes an instance that `setup` made, and closes it when it goes.
  init(_ lame: lame_t, _ setup: EncoderSetup) {
    self.lame = lame
    channelCount = setup.channelCount
    freeFormatBitRate = setup.freeFormatBitRate
    samplesPerFrame = Int(lame_get_framesize(lame))
    // lame.h at `lame_encode_buffer`: 1.25 × samples + 7200 bytes always suffice.
    output = .allocate(capacity: Self.blockLength * 5 / 4 + 7200)
    input = .allocate(capacity: Self.blockLength * setup.channelCount)
  }

  deinit {
    output.deallocate()
    input.deallocate()
    lame_close(lame)
  }

  /// PCM frames that LAME is fed at once; it holds a copy of as many.
  private static let blockLength = 4608

  /// Starts LAME; to open several encoders of one kind, use an `EncoderSetup`.
  ///
  /// - Parameters:
  ///   - settings: Rate control, quality and the rest; LAME's getters prove them.
  ///   - sampleRate: Frames a second, one of `MP3Settings.sampleRates`.
  ///   - channelCount: 1 (mono) or 2.
  /// - Returns: An encoder at frame zero, ready for sound.
  /// - Throws: Settings that LAME cannot make, or would change.
  package static func open(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int
  ) throws(LAMEError) -> MP3Encoder {
    try EncoderSetup(settings, sampleRate: sampleRate, channelCount: channelCount).open()
  }

  /// What LAME multiplies samples with.
  var scale: Float { lame_get_scale(lame) }

  /// Hertz; -1 where LAME's lowpass is off.
  var lowpassFrequency: Int { Int(lame_get_lowpassfreq(lame)) }

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

  /// Encodes `count` frames from `start` on, which `requireEncodable` has accepted before.
  mutating func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, count: Int,
    into bytes: inout [UInt8]
  ) throws(LAMEError) {
    var done = start
    while done < start + count {
      let length = min(start + count - done, Self.blockLength)
      for channel in 0..<channelCount {
        let (source, target) = (planes[channel] + done, input + channel * Self.blockLength)
        for index in 0..<length { target[index] = source[index] * Self.fullScale }
      }
      let right = input + (channelCount - 1) * Self.blockLength
      let size = try check(
        lame_encode_buffer_float(
          lame, input, right, Int32(length), output.baseAddress, Int32(output.count)),
        "lame_encode_buffer_float")
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
