import JSON

/// How a sound was brought to a level.
package struct LoudnessCorrection: Sendable, Hashable, Codable {
  /// The level.
  package var target: LoudnessTarget
  /// The sound as it came.
  package var before: LoudnessMeasurement
  /// The gain in dB.
  package var gain: Double
  /// The limiter's ceiling in dBTP; nil: no peak passed it, and nothing was limited.
  package var ceiling: Double?
  /// The sound as it is handed on, before any encoder.
  package var after: LoudnessMeasurement

  /// A correction of these.
  package init(
    target: LoudnessTarget, before: LoudnessMeasurement, gain: Double, ceiling: Double? = nil,
    after: LoudnessMeasurement
  ) {
    self.target = target
    self.before = before
    self.gain = gain
    self.ceiling = ceiling
    self.after = after
  }

  /// dB by which the sound misses its level: below it where the limiter took more than the gain
  /// could give back. Nil for silence, which has no level.
  package var miss: Double? { target.level.value(in: after).map { $0 - target.level.decibels } }
}

extension LoudnessCorrection {
  /// A member `normalization` of `docs/json.md`.
  package var json: JSONValue {
    .members([
      "target": .members([
        "name": target.specification.map { .text($0) },
        "group": target.group.map { .text($0) },
        "integrated_lufs": target.level.json { if case .integrated = $0 { true } else { false } },
        "rms_db": target.level.json { if case .rms = $0 { true } else { false } },
        "sample_peak_dbfs": target.level.json { if case .samplePeak = $0 { true } else { false } },
        "true_peak_dbtp": target.truePeak.map { .number($0, decimals: 2) },
        "dual_mono": target.isDualMono ? .boolean(true) : nil,
      ]),
      "gain_db": .number(gain, decimals: 2),
      "limiter_dbtp": ceiling.map { .number($0, decimals: 2) },
      "before": before.json(),
    ])
  }
}

extension LoudnessTarget.Level {
  /// The level, if it is of the figure that is meant.
  fileprivate func json(_ isMeant: (Self) -> Bool) -> JSONValue? {
    isMeant(self) ? .number(decibels, decimals: 2) : nil
  }
}
