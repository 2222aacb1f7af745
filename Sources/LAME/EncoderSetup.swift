internal import CLAME
package import MPEGAudio

/// Settings that LAME was asked about, once: encoders of them open without asking again.
///
/// A value that threads may share. Opening an encoder starts one LAME instance; asking costs another.
package struct EncoderSetup: Sendable, Hashable {
  /// Rate control, quality and the rest.
  package let settings: MP3Settings
  /// Frames a second.
  package let sampleRate: Int
  /// 1 (mono) or 2.
  package let channelCount: Int
  /// What LAME is told to multiply samples with, so that it multiplies them with one.
  private let scale: Float

  /// Asks LAME whether it does what the settings say.
  ///
  /// - Parameters:
  ///   - settings: Rate control, quality and the rest.
  ///   - sampleRate: Frames a second, one of `MP3Settings.sampleRates`.
  ///   - channelCount: 1 (mono) or 2.
  /// - Throws: What LAME cannot do, or would only do in another way than asked.
  package init(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int
  ) throws(LAMEError) {
    guard MP3Settings.sampleRates.contains(sampleRate) else {
      let rates = MP3Settings.sampleRates.map(String.init).joined(separator: ", ")
      throw .unsupported("MP3 has no sample rate of \(sampleRate) Hz, only \(rates)")
    }
    guard 1...2 ~= channelCount else {
      throw .unsupported("MP3 has one or two channels, not \(channelCount)")
    }
    self.settings = settings
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    // `lame_init_params` multiplies the scale by a factor of its ABR and CBR presets (0.95 up to
    // 160 kbps, 0.97 at 192, 0.98 at 224; presets.c) and shows the product afterwards.
    let lame = try Self.instance(
      settings, sampleRate: sampleRate, channelCount: channelCount, scale: 1)
    defer { lame_close(lame) }
    try settings.requireUnchanged(in: lame, sampleRate: sampleRate)
    scale = 1 / lame_get_scale(lame)
  }

  /// PCM frames in each MP3 frame (ISO 11172-3 §2.4.2.1, 13818-3 §2.4.2.1).
  package var samplesPerFrame: Int { sampleRate >= 32000 ? 1152 : 576 }

  /// How long the frames' slots are.
  var slots: FramePacker.Slots {
    if case .cbr = settings.rateControl { .own } else { .smallest(bitRateIndices: 1...14) }
  }

  /// Starts LAME with these settings.
  ///
  /// - Returns: An encoder at frame zero, ready for sound.
  /// - Throws: LAME's status, as where memory is short.
  package func open() throws(LAMEError) -> MP3Encoder {
    MP3Encoder(
      try Self.instance(
        settings, sampleRate: sampleRate, channelCount: channelCount, scale: scale),
      self)
  }

  /// A LAME instance that took all it was told; the caller closes it.
  private static func instance(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int, scale: Float
  ) throws(LAMEError) -> lame_t {
    guard let lame = lame_init() else { throw .status(-10, operation: "lame_init") }
    do throws(LAMEError) {
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
      try settings.apply(to: lame)
      try check(lame_init_params(lame), "lame_init_params")
    } catch {
      lame_close(lame)
      throw error
    }
    return lame
  }
}

extension MP3Settings {
  /// Tells LAME, before `lame_init_params`.
  fileprivate func apply(to lame: lame_t) throws(LAMEError) {
    switch rateControl {
    case .vbr(let quality):
      guard quality >= 0, quality < 10 else {
        throw .unsupported("VBR quality is 0 … 9.999, not \(quality)")
      }
      try check(lame_set_VBR(lame, vbr_default), "lame_set_VBR")
      try check(lame_set_VBR_quality(lame, Float(quality)), "lame_set_VBR_quality")
    case .abr(let bitRate):
      try check(lame_set_VBR(lame, vbr_abr), "lame_set_VBR")
      try check(
        lame_set_VBR_mean_bitrate_kbps(lame, try Self.kilobits(bitRate)),
        "lame_set_VBR_mean_bitrate_kbps")
    case .cbr(let bitRate):
      try check(lame_set_VBR(lame, vbr_off), "lame_set_VBR")
      try check(lame_set_brate(lame, try Self.kilobits(bitRate)), "lame_set_brate")
    }
    if let quality {
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
  fileprivate func requireUnchanged(in lame: lame_t, sampleRate: Int) throws(LAMEError) {
    let (asked, taken): (Int, Int32) =
      switch rateControl {
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
}
