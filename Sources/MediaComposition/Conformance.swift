import Diagnosis
import JSON

/// What checking a file by a delivery specification gave.
package struct Conformance: Sendable, Hashable, Codable {
  /// The specification's name.
  package var specification: String
  /// One for each figure that it limits, in the order of its table.
  package var checks: [ConformanceCheck]

  /// Whether every check passed.
  package var isMet: Bool { checks.allSatisfy(\.passed) }

  /// What failed, with its limit and what to change, in one line; nil where nothing did.
  package var refusal: String? {
    let failed = checks.filter { !$0.passed }
    guard !failed.isEmpty else { return nil }
    let reasons = failed.map { check in
      "\(check.label) \(check.found) (\(check.limit): \(check.remedy(for: specification)))"
    }
    return "does not conform to \(specification): " + reasons.joined(separator: "; ")
  }
}

/// A specification that an output is checked by, and where that was written.
package struct ConformRequest: Sendable, Hashable, Codable {
  /// The specification's name.
  package var name: String
  /// Where it was written.
  package var origin: Origin

  /// A request.
  package init(_ name: String, origin: Origin = .unknown) {
    self.name = name
    self.origin = origin
  }
}

/// One figure of a file beside its limit.
package struct ConformanceCheck: Sendable, Hashable, Codable {
  /// What is checked; raw values are those of `docs/json.md`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  package enum Figure: String, Sendable, Hashable, CaseIterable, Codable {
    case integrated = "integrated_lufs"
    case rms = "rms_dbfs"
    case truePeak = "true_peak_dbtp"
    case samplePeak = "sample_peak_dbfs"
    case noiseFloor = "noise_floor_dbfs"
    case head = "head_seconds"
    case tail = "tail_seconds"
    case codec
    case sampleRate = "sample_rate"
    case channelCount = "channel_count"
    case bitRate = "bit_rate"
    case bitRateMode = "bit_rate_mode"
    case duration = "duration_seconds"
    case tags
  }

  /// A figure's value: a number in its unit, or words.
  package enum Value: Sendable, Hashable, Codable {
    case number(Double)
    case words([String])
    /// −∞ decibels, or no such thing in the file.
    case none
  }

  /// Which values pass.
  package enum Bounds: Sendable, Hashable, Codable {
    /// nil: no bound on that side.
    case range(Double?, Double?)
    /// One of these.
    case numbers([Double])
    /// One of these; of tags, all of these.
    case words([String])
  }

  /// What is checked.
  package var figure: Figure
  /// What the file has.
  package var value: Value
  /// What it may have.
  package var bounds: Bounds
  /// Whether it has that.
  package var passed: Bool
}

// MARK: - Checking

/// What is known of a file that is to be delivered.
package struct DeliveredSound: Sendable, Hashable {
  /// Its format, length and tags: probed, or predicted.
  package var asset: Asset
  /// Its levels, mono as one channel; nil: it is not written yet.
  package var levels: LoudnessMeasurement?
  /// The level that it is brought to, by which a file is judged that is not written yet.
  package var target: LoudnessTarget?

  /// A file that was measured, or, without `levels`, one that is still to be written.
  package init(_ asset: Asset, levels: LoudnessMeasurement?, target: LoudnessTarget? = nil) {
    self.asset = asset
    self.levels = levels
    self.target = target
  }
}

extension DeliverySpecification {
  /// Checks a file, as far as it is known: what only decoding shows is left out of a file that is not
  /// written yet. O(tags)
  package func conformance(of sound: DeliveredSound) -> Conformance {
    var sound = sound
    if target.isDualMono, sound.asset.channelLayout.count == 1 {
      sound.levels = sound.levels?.asDualMono
    }
    let checks = limits.compactMap { $0.check(sound, dualMono: target.isDualMono) }
    return Conformance(specification: name, checks: checks)
  }
}

extension DeliveryLimit {
  /// The check of a file; nil where the limit does not apply to it, or the figure is not known.
  fileprivate func check(_ sound: DeliveredSound, dualMono: Bool) -> ConformanceCheck? {
    switch self {
    case .integrated(let least, let most):
      return sound.level(\.integrated, dualMono).map { .level(.integrated, $0, least, most) }
    case .rms(let least, let most):
      return sound.level(\.rms, dualMono).map { .level(.rms, $0, least, most) }
    case .truePeak(let most):
      return sound.level(\.truePeak, dualMono).map { .level(.truePeak, $0, nil, most) }
    case .truePeakOfLouder(let most, than: let loudness):
      guard let integrated = sound.levels?.integrated, integrated.inTenths > loudness.inTenths
      else { return nil }
      return sound.level(\.truePeak, dualMono).map { .level(.truePeak, $0, nil, most) }
    case .samplePeak(let most):
      return sound.level(\.samplePeak, dualMono).map { .level(.samplePeak, $0, nil, most) }
    case .noiseFloor(let most):
      return sound.level(\.noiseFloor, dualMono).map { .level(.noiseFloor, $0, nil, most) }
    case .head(let least, let most):
      return sound.levels.map { .time(.head, $0.roomTone?.head.seconds, least, most) }
    case .tail(let least, let most):
      return sound.levels.map { .time(.tail, $0.roomTone?.tail.seconds, least, most) }
    case .duration(let most): return .time(.duration, sound.asset.duration.seconds, nil, most)
    default: return formatCheck(sound.asset)
    }
  }

  private func formatCheck(_ asset: Asset) -> ConformanceCheck? {
    switch self {
    case .codecs(let names): return .word(.codec, asset.codec, names)
    case .sampleRates(let rates): return .number(.sampleRate, asset.sampleRate, rates)
    case .channelCounts(let counts):
      return .number(.channelCount, asset.channelLayout.count, counts)
    case .bitRate(let least, let most, let channelCount):
      // The limits are those of lossy codecs; another codec is refused as such.
      guard channelCount ?? asset.channelLayout.count == asset.channelLayout.count,
        asset.bitDepth == nil, let rate = asset.deliveredBitRate
      else { return nil }
      // Encoders without frames of one size miss their rate by a few per cent, and spend next to
      // nothing on silence.
      let isExact = asset.codec == "mp3"
      let passed =
        isExact ? rate >= Double(least) && rate <= Double(most) : rate <= Double(most) * 1.05
      return ConformanceCheck(
        figure: .bitRate, value: .number(rate),
        bounds: .range(isExact ? Double(least) : nil, Double(most)), passed: passed)
    case .constantBitRate:
      guard asset.codec == "mp3" else { return nil }
      return .word(.bitRateMode, asset.hasConstantBitRate ? "constant" : "variable", ["constant"])
    case .tags(let names):
      let found = names.filter { !(asset.metadata[$0] ?? "").isEmpty }
      return ConformanceCheck(
        figure: .tags, value: found.isEmpty ? .none : .words(found), bounds: .words(names),
        passed: found.count == names.count)
    default: return nil
    }
  }
}

extension DeliveredSound {
  /// A measured figure, −∞ being nil within, or the one that the sound is brought to; nil where it is
  /// neither.
  fileprivate func level(
    _ figure: KeyPath<LoudnessMeasurement, Double?>, _ dualMono: Bool
  ) -> Double?? {
    if let levels { return .some(levels[keyPath: figure]) }
    // The level of a group is not that of each of its sounds.
    guard let target, target.group == nil, target.level.figure == figure,
      asset.channelLayout.count > 1 || target.isDualMono == dualMono
    else { return nil }
    return .some(target.level.decibels)
  }
}

extension Asset {
  /// Whether every frame of an MP3 has the same bit rate.
  fileprivate var hasConstantBitRate: Bool {
    if case .cbr? = mp3Settings?.rateControl { true } else { false }
  }

  /// Bits a second; of an MP3 with a constant rate the nominal one. Nil where none is known.
  fileprivate var deliveredBitRate: Double? {
    if case .cbr(let rate)? = mp3Settings?.rateControl { return Double(rate) }
    return bitRate.map(Double.init)
  }
}

extension Double {
  /// To a tenth, as it is printed.
  fileprivate var inTenths: Double { (self * 10).rounded() / 10 }
  fileprivate var inHundredths: Double { (self * 100).rounded() / 100 }
}

extension ConformanceCheck {
  fileprivate static func level(
    _ figure: Figure, _ level: Double?, _ least: Double?, _ most: Double?
  ) -> Self {
    bounded(figure, level.map(\.inTenths), least, most)
  }

  fileprivate static func time(
    _ figure: Figure, _ seconds: Double?, _ least: Double?, _ most: Double?
  ) -> Self {
    bounded(figure, seconds.map(\.inHundredths), least, most)
  }

  /// Silence is below every upper bound, and not above a lower one.
  private static func bounded(
    _ figure: Figure, _ value: Double?, _ least: Double?, _ most: Double?
  ) -> Self {
    let level = value ?? -.infinity
    return ConformanceCheck(
      figure: figure, value: value.map(Value.number) ?? .none, bounds: .range(least, most),
      passed: level >= least ?? -.infinity && level <= most ?? .infinity)
  }

  fileprivate static func number(_ figure: Figure, _ value: Int, _ allowed: [Int]) -> Self {
    ConformanceCheck(
      figure: figure, value: .number(Double(value)), bounds: .numbers(allowed.map(Double.init)),
      passed: allowed.contains(value))
  }

  fileprivate static func word(_ figure: Figure, _ value: String, _ allowed: [String]) -> Self {
    ConformanceCheck(
      figure: figure, value: .words([value]), bounds: .words(allowed),
      passed: allowed.contains(value))
  }
}
