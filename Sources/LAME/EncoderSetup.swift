internal import CLAME
package import MPEGAudio

/// Settings that LAME has proven, once: encoders of them open without another instance.
///
/// A value that threads may share. Opening an encoder starts one LAME instance; the proof costs another.
package struct EncoderSetup: Sendable, Hashable {
  /// Rate control, quality and the rest.
  package let settings: MP3Settings
  /// Frames a second.
  package let sampleRate: Int
  /// 1 (mono) or 2.
  package let channelCount: Int
  /// LAME's scale, which makes its product with LAME's own factor one.
  private(set) var scale: Float
  /// What its frames are for.
  let purpose: Purpose

  /// What frames are for.
  enum Purpose: Sendable, Hashable {
    /// A stream of their own.
    case stream
    /// A few frames between those of other encoders: nothing is put off by the reservoir.
    case seam
    /// A few frames between those of other encoders, with long blocks alone.
    case longSeam
  }

  /// Proves by LAME's getters that it makes these settings.
  ///
  /// - Parameters:
  ///   - settings: Rate control, quality and the rest.
  ///   - sampleRate: Frames a second, one of `MP3Settings.sampleRates`.
  ///   - channelCount: 1 (mono) or 2.
  /// - Throws: Settings that LAME cannot make, or would change.
  package init(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int
  ) throws(LAMEError) {
    try self.init(settings, sampleRate: sampleRate, channelCount: channelCount, for: .stream)
  }

  init(
    _ settings: MP3Settings, sampleRate: Int, channelCount: Int, for purpose: Purpose
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
    self.purpose = purpose
    // `lame_init_params` multiplies the scale by a factor of its ABR and CBR presets (0.95 up to
    // 160 kbps, 0.97 at 192, 0.98 at 224; presets.c) and gives the product afterwards.
    scale = 1
    let lame = try instance()
    defer { lame_close(lame) }
    try settings.requireUnchanged(in: lame, sampleRate: sampleRate, channelCount: channelCount)
    scale = Self.scale(cancelling: lame_get_scale(lame))
  }

  /// The number of which LAME's product with `attenuation` is one, to the last bit: the quotient, or
  /// the number beside it.
  private static func scale(cancelling attenuation: Float) -> Float {
    let quotient = 1 / attenuation
    return [quotient, quotient.nextUp, quotient.nextDown]
      .first { $0 * attenuation == 1 } ?? quotient
  }

  /// PCM frames in each MP3 frame (ISO 11172-3 §2.4.2.1, 13818-3 §2.4.2.1).
  package var samplesPerFrame: Int { FrameHeader.samplesPerFrame(ofSampleRate: sampleRate) }

  /// Bits a second in free format, for rates that frames have only there; nil: not needed.
  var freeFormatBitRate: Int? {
    guard purpose != .stream, case .cbr(let bitRate) = settings.rateControl,
      bitRate > MP3Settings.bitRates(forSampleRate: sampleRate).last ?? 0
    else { return nil }
    return bitRate
  }

  /// How long the frames' slots are: as short as they can be, within the bounds that are set, where
  /// the bit rate is not constant.
  var slots: FramePacker.Slots {
    if case .cbr = settings.rateControl { return .own }
    // Headers count bit rates from 1.
    let rates = MP3Settings.bitRates(forSampleRate: sampleRate)
    let least = rates.firstIndex { $0 >= settings.minimumBitRate ?? 0 } ?? 0
    let most = rates.lastIndex { $0 <= settings.maximumBitRate ?? .max } ?? rates.count - 1
    return .smallest(bitRateIndices: least + 1...max(least, most) + 1)
  }

  /// Starts LAME with these settings.
  ///
  /// - Returns: An encoder at frame zero, ready for sound.
  /// - Throws: LAME's status, as where memory is short.
  package func open() throws(LAMEError) -> MP3Encoder {
    MP3Encoder(try instance(), self)
  }

  /// A LAME instance with all settings; the caller closes it.
  private func instance() throws(LAMEError) -> lame_t {
    guard let lame = lame_init() else { throw .status(-10, operation: "lame_init") }
    do throws(LAMEError) {
      avjob_lame_silence(lame)
      let rate = Int32(sampleRate)
      try check(lame_set_in_samplerate(lame, rate), "lame_set_in_samplerate")
      try check(lame_set_out_samplerate(lame, rate), "lame_set_out_samplerate")
      try check(lame_set_num_channels(lame, Int32(channelCount)), "lame_set_num_channels")
      try check(lame_set_mode(lame, settings.mode(of: channelCount)), "lame_set_mode")
      try check(lame_set_scale(lame, scale), "lame_set_scale")
      lame_set_write_id3tag_automatic(lame, 0)
      // `InfoFrame` is written instead: LAME's is not right for frames of several encoders.
      try check(lame_set_bWriteVbrTag(lame, 0), "lame_set_bWriteVbrTag")
      try settings.apply(to: lame)
      if purpose != .stream {
        try check(lame_set_disable_reservoir(lame, 1), "lame_set_disable_reservoir")
      }
      if freeFormatBitRate != nil {
        try check(lame_set_free_format(lame, 1), "lame_set_free_format")
      }
      if purpose == .longSeam {
        try check(lame_set_no_short_blocks(lame, 1), "lame_set_no_short_blocks")
      }
      try check(lame_init_params(lame), "lame_init_params")
    } catch {
      lame_close(lame)
      throw error
    }
    return lame
  }
}

extension MP3Settings {
  /// Settings of the channels, which `lame_init_params` leaves as they are.
  fileprivate func mode(of channelCount: Int) -> MPEG_mode {
    channelCount == 1 && stereoMode == .joint ? MONO : stereoMode == .simple ? STEREO : JOINT_STEREO
  }

  /// Sets LAME's parameters, before `lame_init_params`.
  fileprivate func apply(to lame: lame_t) throws(LAMEError) {
    switch rateControl {
    case .vbr(let quality):
      guard 0...9.999 ~= quality else {
        throw .unsupported("VBR quality is 0 … 9.999, not \(quality)")
      }
      try check(lame_set_VBR(lame, vbr_default), "lame_set_VBR")
      try check(lame_set_VBR_quality(lame, Float(quality)), "lame_set_VBR_quality")
    case .abr(let bitRate):
      // The library accepts means up to 320 kbps; `lame --abr` ends at 310.
      guard bitRate <= 310_000 else {
        throw .unsupported("LAME's mean bit rates end at 310 kbps")
      }
      try check(lame_set_VBR(lame, vbr_abr), "lame_set_VBR")
      try check(
        lame_set_VBR_mean_bitrate_kbps(lame, try Self.kilobits(bitRate)),
        "lame_set_VBR_mean_bitrate_kbps")
    case .cbr(let bitRate):
      try check(lame_set_VBR(lame, vbr_off), "lame_set_VBR")
      try check(lame_set_brate(lame, try Self.kilobits(bitRate)), "lame_set_brate")
      guard minimumBitRate == nil, maximumBitRate == nil else {
        throw .unsupported("LAME ignores bounds of a constant bit rate")
      }
    }
    if let quality {
      guard 0...9 ~= quality else { throw .unsupported("LAME's quality is 0 … 9, not \(quality)") }
      try check(lame_set_quality(lame, Int32(quality)), "lame_set_quality")
    }
    try check(lame_set_force_ms(lame, stereoMode == .forced ? 1 : 0), "lame_set_force_ms")
    if let minimumBitRate {
      try check(
        lame_set_VBR_min_bitrate_kbps(lame, try Self.kilobits(minimumBitRate)),
        "lame_set_VBR_min_bitrate_kbps")
      // Else silence would get the standard's least.
      try check(lame_set_VBR_hard_min(lame, 1), "lame_set_VBR_hard_min")
    }
    if let maximumBitRate {
      guard minimumBitRate ?? 0 <= maximumBitRate else {
        throw .unsupported(
          "LAME has no bit rates between \(minimumBitRate ?? 0) and \(maximumBitRate)")
      }
      try check(
        lame_set_VBR_max_bitrate_kbps(lame, try Self.kilobits(maximumBitRate)),
        "lame_set_VBR_max_bitrate_kbps")
    }
    switch lowpass {
    case .automatic: break
    case .hertz(let frequency):
      try check(lame_set_lowpassfreq(lame, try Self.hertz(frequency)), "lame_set_lowpassfreq")
    case .off: try check(lame_set_lowpassfreq(lame, -1), "lame_set_lowpassfreq")
    }
    if let highpass {
      try check(lame_set_highpassfreq(lame, try Self.hertz(highpass)), "lame_set_highpassfreq")
    }
  }

  private static func kilobits(_ bitRate: Int) throws(LAMEError) -> Int32 {
    guard bitRate > 0, bitRate % 1000 == 0, bitRate <= 640_000 else {
      throw .unsupported("LAME has no bit rate of \(bitRate) b/s")
    }
    return Int32(bitRate / 1000)
  }

  private static func hertz(_ frequency: Int) throws(LAMEError) -> Int32 {
    guard 1...24_000 ~= frequency else {
      throw .unsupported("LAME has no filter at \(frequency) Hz")
    }
    return Int32(frequency)
  }

  /// LAME would take the nearest that it has: refuses instead.
  fileprivate func requireUnchanged(
    in lame: lame_t, sampleRate: Int, channelCount: Int
  ) throws(LAMEError) {
    func require(_ asked: Int?, _ taken: Int32, _ what: String) throws(LAMEError) {
      guard let asked, asked != Int(taken) else { return }
      throw .unsupported(
        "at \(sampleRate) Hz LAME has no \(what) of \(asked); it would take \(taken)")
    }
    switch rateControl {
    case .vbr: break
    case .abr(let bitRate):
      try require(bitRate / 1000, lame_get_VBR_mean_bitrate_kbps(lame), "mean kbps")
    case .cbr(let bitRate): try require(bitRate / 1000, lame_get_brate(lame), "constant kbps")
    }
    let quality = lame_get_quality(lame)
    if !isQuality(Int(quality), ofLAME: LAMELibrary.majorVersion) {
      try require(workingQuality, quality, "quality")
    }
    try require(minimumBitRate.map { $0 / 1000 }, lame_get_VBR_min_bitrate_kbps(lame), "least kbps")
    try require(
      maximumBitRate.map { $0 / 1000 }, lame_get_VBR_max_bitrate_kbps(lame), "highest kbps")
    if case .hertz(let frequency) = lowpass {
      try require(frequency, lame_get_lowpassfreq(lame), "lowpass in Hz")
    }
    try require(highpass, lame_get_highpassfreq(lame), "highpass in Hz")
    guard lame_get_mode(lame) == mode(of: channelCount),
      lame_get_force_ms(lame) == (stereoMode == .forced ? 1 : 0)
    else { throw .unsupported("LAME has no \(stereoMode) of \(channelCount) channels") }
    guard lame_get_out_samplerate(lame) == Int32(sampleRate) else {
      throw .unsupported("LAME would resample from \(sampleRate) Hz")
    }
    // LAME returns the frequency of a filter that it leaves out, too.
    if let problem = filterProblem(sampleRate: sampleRate, channelCount: channelCount) {
      throw .unsupported(problem.message)
    }
  }
}
