/// The levels of a sound, measured over all of it.
///
/// Loudness is that of ITU-R BS.1770-4 and EBU Tech 3341, in LUFS, which Apple and ATSC call LKFS.
/// Decibels count from full scale; a sine of full scale has an RMS of −3.01 dB. Nil stands for −∞:
/// digital silence, or no sound that is long enough for the window.
public struct LoudnessMeasurement: Sendable, Hashable, Codable {
  /// LUFS of everything that passes both gates (BS.1770-4, annex 1).
  public var integrated: Double?
  /// LUFS of the loudest 400 ms (EBU Tech 3341).
  public var maximumMomentary: Double?
  /// LUFS of the loudest three seconds (EBU Tech 3341).
  public var maximumShortTerm: Double?
  /// Loudness range in LU (EBU Tech 3342); 0 for sounds of less than three seconds.
  public var range: Double
  /// dBTP of the highest peak between samples, over all channels (BS.1770-4, annex 2).
  public var truePeak: Double?
  /// dBFS of the largest sample, over all channels.
  public var samplePeak: Double?
  /// dB of the mean power of all channels.
  public var rms: Double?
  /// dB of the mean power of the quietest half second.
  public var noiseFloor: Double?

  /// A measurement of these figures.
  public init(
    integrated: Double?, maximumMomentary: Double?, maximumShortTerm: Double?, range: Double,
    truePeak: Double?, samplePeak: Double?, rms: Double?, noiseFloor: Double?
  ) {
    self.integrated = integrated
    self.maximumMomentary = maximumMomentary
    self.maximumShortTerm = maximumShortTerm
    self.range = range
    self.truePeak = truePeak
    self.samplePeak = samplePeak
    self.rms = rms
    self.noiseFloor = noiseFloor
  }
}
