internal import CLAME
package import MPEGAudio

extension MP3Encoder {
  /// What the Info frame repeats of LAME's settings, as LAME has them now that it is initialised.
  package var encoding: InfoFrame.Encoding {
    InfoFrame.Encoding(
      method: method, bitRate: tagBitRate * 1000,
      quality: max(0, 100 - 10 * Int(lame_get_VBR_q(lame)) - Int(lame_get_quality(lame))),
      encoder: String(cString: get_lame_very_short_version()),
      lowpass: Int(lame_get_lowpassfreq(lame)),
      sourceSampleRate: Int(lame_get_in_samplerate(lame)), stereoMode: stereoMode,
      noiseShaping: noiseShaping, isUnwise: isUnwise, thresholdType: Int(lame_get_ATHtype(lame)),
      hasSafeJointStereo: lame_get_mode(lame) == JOINT_STEREO
        && lame_get_exp_nspsytune(lame) & 2 != 0,
      preset: preset)
  }

  private var method: InfoFrame.Encoding.Method {
    switch lame_get_VBR(lame) {
    case vbr_off: .constant
    case vbr_abr: .mean
    case vbr_rh: .variableRH
    case vbr_mt: .variableMT
    default: .variableMTRH
    }
  }

  /// kbps.
  private var tagBitRate: Int {
    switch lame_get_VBR(lame) {
    case vbr_off: Int(lame_get_brate(lame))
    case vbr_abr: Int(lame_get_VBR_mean_bitrate_kbps(lame))
    default: Int(lame_get_VBR_min_bitrate_kbps(lame))
    }
  }

  private var isVariable: Bool {
    let mode = lame_get_VBR(lame)
    return mode != vbr_off && mode != vbr_abr
  }

  private var stereoMode: InfoFrame.Encoding.StereoMode {
    switch lame_get_mode(lame) {
    case MONO: .mono
    case STEREO: .stereo
    case DUAL_CHANNEL: .dualChannel
    default: lame_get_force_ms(lame) != 0 ? .forcedMidSide : .joint
    }
  }

  /// LAME has no getter for it: none at quality 7 and worse (`lame_init_qval`), of the second kind
  /// where bit rates up to that of 160 kbps are given (`apply_abr_preset`), which are all nearer to
  /// 160 than to 192.
  private var noiseShaping: Int {
    if lame_get_quality(lame) >= 7 { return 0 }
    return isVariable || tagBitRate >= 176 ? 1 : 2
  }

  /// LAME has no getter for it: `apply_preset`.
  private var preset: Int { isVariable ? 500 - 10 * Int(lame_get_VBR_q(lame)) : tagBitRate }

  /// What LAME's tag calls "nasty options", a low sample rate among them.
  private var isUnwise: Bool {
    lame_get_no_short_blocks(lame) == 1 || lame_get_force_short_blocks(lame) == 1
      || (lame_get_lowpassfreq(lame) == -1 && lame_get_highpassfreq(lame) == -1)
      || (lame_get_disable_reservoir(lame) != 0 && lame_get_brate(lame) < 320)
      || lame_get_noATH(lame) != 0 || lame_get_ATHonly(lame) != 0 || lame_get_ATHtype(lame) == 0
      || lame_get_in_samplerate(lame) <= 32000
  }
}
