extension Output.SampleFormat {
  /// Bits of the integers that samples are rounded to; nil for floats. Of codecs those that FFmpeg
  /// codes and decodes.
  package var integerDepth: Int? {
    switch self {
    case .uint8: 8
    case .int16, .muLaw, .aLaw, .g722, .gsm, .ima4: 16
    case .int24: 24
    case .float32: nil
    }
  }

  /// Bytes of a sample in a file; of G.722, GSM and IMA4, of which several share a byte, more than it
  /// takes.
  package var byteCount: Int {
    switch self {
    case .uint8, .muLaw, .aLaw, .g722, .gsm, .ima4: 1
    case .int16: 2
    case .int24: 3
    case .float32: 4
    }
  }

  /// PCM frames that are coded together: a file holds a multiple of them, unless it says how many frames
  /// of the last ones are sound, as CAF does for IMA4.
  package func blockLength(inWAV: Bool) -> Int64 {
    switch self {
    case .g722: 2
    case .gsm: inWAV ? 320 : 160
    case .uint8, .int16, .int24, .float32, .muLaw, .aLaw, .ima4: 1
    }
  }

  /// For a codec of telephony the rate that it is made for; nil for PCM.
  package var telephoneSound: TelephoneSound? {
    switch self {
    case .muLaw, .aLaw: .anyRate
    case .g722: .rate(16_000)
    case .gsm: .rate(8000)
    case .uint8, .int16, .int24, .float32, .ima4: nil
    }
  }

  /// Whether a codec stores samples as others than it is given.
  package var isCoded: Bool { telephoneSound != nil || self == .ima4 }

  /// The sound of a codec of telephony.
  package enum TelephoneSound: Sendable, Hashable {
    /// G.711, which codes each sample for itself, is written at any rate.
    case anyRate
    /// One channel at this rate.
    case rate(Int)
  }
}
