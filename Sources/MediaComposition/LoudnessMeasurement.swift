import Glibc

/// The levels of a sound, measured over all of it.
///
/// Loudness is that of ITU-R BS.1770-4 and EBU Tech 3341, in LUFS, which Apple and ATSC call LKFS.
/// Decibels count from full scale; a sine of full scale has an RMS of −3.01 dB. Nil stands for −∞:
/// digital silence, or no sound that is long enough for the window.
public struct LoudnessMeasurement: Sendable, Hashable, Codable {
  /// LUFS of everything that passes both gates (BS.1770-4, annex 1). A sound of less than 400 ms,
  /// the length of a gating block, counts as one block.
  public var integrated: Double?
  /// LUFS of the loudest 400 ms (EBU Tech 3341), in steps of 10 ms.
  public var maximumMomentary: Double?
  /// LUFS of the loudest three seconds (EBU Tech 3341), in steps of 10 ms.
  public var maximumShortTerm: Double?
  /// Loudness range in LU (EBU Tech 3342); 0 for sounds of less than three seconds.
  public var range: Double
  /// dBTP of the highest peak between samples, over all channels (BS.1770-4, annex 2).
  public var truePeak: Double?
  /// dBFS of the largest sample, over all channels.
  public var samplePeak: Double?
  /// dB of the mean power of all channels.
  public var rms: Double?
  /// dB of the mean power of the quietest half second, in steps of 10 ms; of a shorter sound, of all
  /// of it.
  package var noiseFloor: Double?
  /// Before and after the sound; nil where all is room tone, or it was not looked for.
  package var roomTone: RoomTone?
  /// By which measurements of several sounds become one.
  package var statistics = Statistics()

  /// What figures are computed from, where they do not add up themselves.
  package struct Statistics: Sendable, Hashable, Codable {
    /// Blocks of 400 ms, ten a second.
    package var blocks = LoudnessHistogram()
    /// Windows of three seconds, ten a second.
    package var windows = LoudnessHistogram()
    /// The mean square of all channels.
    package var power = 0.0
    /// The sound's length in frames.
    package var frames: Int64 = 0
    /// Frames a second.
    package var sampleRate = 1

    /// Of no sound.
    package init() {}

    fileprivate var seconds: Double { Double(frames) / Double(sampleRate) }
  }

  /// A measurement of these figures.
  package init(
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

  /// The figures that follow from statistics, beside those that do not.
  package init(
    _ statistics: Statistics, maximumMomentary: Double?, maximumShortTerm: Double?,
    truePeak: Double?, samplePeak: Double?, noiseFloor: Double?
  ) {
    self.init(
      integrated: statistics.blocks.integrated, maximumMomentary: maximumMomentary,
      maximumShortTerm: maximumShortTerm, range: statistics.windows.range, truePeak: truePeak,
      samplePeak: samplePeak, rms: Self.decibels(ofPower: statistics.power),
      noiseFloor: noiseFloor)
    self.statistics = statistics
  }

  /// dB of a mean square; nil for none.
  package static func decibels(ofPower power: Double) -> Double? {
    power > 0 ? 10 * log10(power) : nil
  }

  /// dB of an amplitude; nil for none.
  package static func decibels(ofPeak peak: Double) -> Double? {
    peak > 0 ? 20 * log10(peak) : nil
  }
}

extension LoudnessMeasurement {
  /// A mono sound as it sounds from two loudspeakers: 10 log 2, or 3.01 LU, louder before the gates,
  /// with the same peaks and powers.
  package var asDualMono: LoudnessMeasurement {
    let gain = 10 * log10(2.0)
    var statistics = statistics
    statistics.blocks = statistics.blocks.amplified(byEnergy: 2)
    statistics.windows = statistics.windows.amplified(byEnergy: 2)
    var copy = LoudnessMeasurement(
      statistics, maximumMomentary: maximumMomentary.map { $0 + gain },
      maximumShortTerm: maximumShortTerm.map { $0 + gain }, truePeak: truePeak,
      samplePeak: samplePeak, noiseFloor: noiseFloor)
    copy.roomTone = roomTone
    return copy
  }

  /// The sound with `gain` decibels on it: blocks may pass the gate at −70 LUFS that did not, or the
  /// other way about. What of it is room tone is left open.
  package func amplified(by gain: Double) -> LoudnessMeasurement {
    let factor = pow(10, gain / 10)
    var statistics = statistics
    statistics.blocks = statistics.blocks.amplified(byEnergy: factor)
    statistics.windows = statistics.windows.amplified(byEnergy: factor)
    statistics.power *= factor
    return LoudnessMeasurement(
      statistics, maximumMomentary: maximumMomentary.map { $0 + gain },
      maximumShortTerm: maximumShortTerm.map { $0 + gain }, truePeak: truePeak.map { $0 + gain },
      samplePeak: samplePeak.map { $0 + gain }, noiseFloor: noiseFloor.map { $0 + gain })
  }

  /// The measurement of several sounds together: the gates are those of all of them. No window
  /// crosses from one sound into the next. Nil without sounds, or where none has a length.
  package static func merged(_ measurements: [LoudnessMeasurement]) -> LoudnessMeasurement? {
    let parts = measurements.filter { $0.statistics.frames > 0 }
    guard var statistics = parts.first?.statistics else { return nil }
    let seconds = parts.reduce(0) { $0 + $1.statistics.seconds }
    statistics.power =
      parts.reduce(0) { $0 + $1.statistics.power * $1.statistics.seconds } / seconds
    for part in parts.dropFirst().map(\.statistics) {
      statistics.blocks = statistics.blocks.merged(with: part.blocks)
      statistics.windows = statistics.windows.merged(with: part.windows)
    }
    statistics.frames = Int64((seconds * Double(statistics.sampleRate)).rounded())
    func maximum(_ figure: (LoudnessMeasurement) -> Double?) -> Double? {
      parts.compactMap(figure).max()
    }
    // Silence has the lowest floor of all.
    let floors = parts.compactMap(\.noiseFloor)
    return LoudnessMeasurement(
      statistics, maximumMomentary: maximum(\.maximumMomentary),
      maximumShortTerm: maximum(\.maximumShortTerm), truePeak: maximum(\.truePeak),
      samplePeak: maximum(\.samplePeak),
      noiseFloor: floors.count == parts.count ? floors.min() : nil)
  }

  /// Whether a sound could have these figures: what was written down somewhere may be damaged.
  package var isPlausible: Bool {
    let figures = [
      integrated, maximumMomentary, maximumShortTerm, range, truePeak, samplePeak, rms, noiseFloor,
    ]
    return figures.allSatisfy { $0.map { abs($0) < 10_000 } ?? true } && range >= 0
      && statistics.blocks.isPlausible && statistics.windows.isPlausible
      && statistics.power >= 0 && statistics.power < .infinity && statistics.frames >= 0
      && statistics.sampleRate > 0
  }
}
