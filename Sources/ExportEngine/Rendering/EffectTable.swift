import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// How an effect is made.
struct EffectRow {
  /// In a row; none where the effect changes nothing at the rate.
  var filters: [FilterChain.Filter]
  /// Frames by which they give a sound late, which `FilteredSource` takes away.
  var lag = 0
}

extension Effect {
  /// The table of effects: filters of libavfilter, and their lag at a rate. The memory of each is
  /// without bound, as all have feedback. Lags and levels are tested against clicks, glides and
  /// formulas (`EffectTableTests`); `docs/job-language.md` has the same table.
  func row(sampleRate: Int) -> EffectRow {
    switch self {
    case .highpass(let frequency):
      EffectRow(filters: [.biquad("highpass", frequency)])
    // The filter takes no frequency above half of the rate.
    case .lowpass(let frequency):
      EffectRow(filters: 2 * frequency < Double(sampleRate) ? [.biquad("lowpass", frequency)] : [])
    case .equalizer(let bands):
      EffectRow(filters: bands.filter { $0.gain != 0 }.map(\.filter))
    case .dehum(let settings):
      EffectRow(
        filters: (1...Int(settings.harmonics)).map { Double($0) * settings.frequency }
          .filter { 2 * $0 < Double(sampleRate) }
          .map { .biquad("bandreject", $0, [("width_type", "h"), ("width", "\(settings.width)")]) })
    case .compressor(let settings): EffectRow(filters: [settings.filter])
    case .gate(let settings): EffectRow(filters: [settings.filter])
    case .deesser(let settings): EffectRow(filters: [settings.filter])
    case .denoise(let settings):
      .denoising(settings.filter, sampleRate: sampleRate)
    case .declick(let settings): EffectRow(filters: [settings.filter])
    // Each is a process of its own: `EchoSource`, `afir` with a response (`Convolution.swift`),
    // `DynamicsSource`, and `ProcessorSource`.
    case .delay, .reverb, .leveler, .limiter, .custom: EffectRow(filters: [])
    case .filter(let description): description.row(sampleRate: sampleRate)
    }
  }
}

extension EffectRow {
  /// `afftdn` gives a frame after two more of its steps of 1/80 s, rounded down. It keeps its input's
  /// time, which filters behind it would take for the sound's.
  fileprivate static func denoising(_ filter: FilterChain.Filter, sampleRate: Int) -> Self {
    let lag = 2 * (sampleRate / 80)
    return EffectRow(
      filters: [filter, FilterChain.Filter("asetpts", [("expr", "PTS-\(lag)/SR/TB")])], lag: lag)
  }
}

extension FilterDescription {
  /// What depends on the time (`enable`, or `eval`
  /// for each frame) is looked at once in a frame of libavfilter's: these are made short.
  fileprivate func row(sampleRate: Int) -> EffectRow {
    var row = EffectRow(filters: [])
    if filters.contains(where: { $0.arguments.contains("enable") || $0.arguments.contains("eval") })
    {
      row.filters.append(FilterChain.Filter("asetnsamples", [("n", "64"), ("p", "0")]))
    }
    for filter in filters {
      var made = FilterChain.Filter(filter.name, arguments: filter.arguments)
      made.excess = filter.excess
      let one =
        filter.name == "afftdn"
        ? EffectRow.denoising(made, sampleRate: sampleRate) : EffectRow(filters: [made])
      row.filters += one.filters
      row.lag += one.lag
    }
    return row
  }
}

extension FilterDescription.Filter {
  /// What becomes of sound above full scale in front of a filter that is made for less: `deesser` has a
  /// pole of `1 - abs(sample) - iirAmount`, which leaves the unit circle there (af_deesser.c). It gives
  /// each frame at once. With `s=e`, its fourth option, it gives what it takes away.
  fileprivate var excess: FilterChain.Filter.Excess? {
    guard name == "deesser" else { return nil }
    let options = arguments.split(separator: ":", omittingEmptySubsequences: false)
    let place = options.prefix { !$0.contains("=") }.dropFirst(3).first
    let mode = options.last { $0.hasPrefix("s=") }?.dropFirst(2) ?? place
    return mode == "e" || mode == "2" ? .dropped : .passed
  }
}

extension FilterChain.Filter {
  /// One of libavfilter's biquads, at a frequency in hertz, computed in double.
  fileprivate static func biquad(
    _ name: String, _ frequency: Double, _ options: [(String, String)] = []
  ) -> Self {
    Self(name, [("frequency", "\(frequency)")] + options + [("precision", "f64")])
  }
}

extension Effect.Band {
  fileprivate var filter: FilterChain.Filter {
    let name =
      switch shape {
      case .peak: "equalizer"
      case .lowShelf: "lowshelf"
      case .highShelf: "highshelf"
      }
    return .biquad(
      name, frequency, [("gain", "\(gain)"), ("width_type", "q"), ("width", "\(q)")])
  }
}

extension Effect.Compressor {
  fileprivate var filter: FilterChain.Filter {
    FilterChain.Filter(
      "acompressor",
      [
        ("threshold", threshold.factorText(0.000_976_563...1)), ("ratio", "\(ratio)"),
        ("attack", attack.millisecondsText), ("release", release.millisecondsText),
        ("knee", knee.factorText(1...8)), ("makeup", makeup.factorText(1...64)),
        ("mix", "\(mix)"), ("link", "maximum"), ("detection", "rms"),
      ])
  }
}

extension Effect.Gate {
  /// The filter takes the level as a power and its gain as an amplitude: what it adds to a ratio of
  /// 1 counts twice (`gate` and `output_gain` in af_agate.c).
  fileprivate var filter: FilterChain.Filter {
    FilterChain.Filter(
      "agate",
      [
        ("threshold", threshold.factorText(0...1)), ("range", (-range).factorText(0...1)),
        ("ratio", "\((ratio + 1) / 2)"), ("attack", attack.millisecondsText),
        ("release", release.millisecondsText), ("knee", knee.factorText(1...8)),
        ("link", "maximum"), ("detection", "rms"),
      ])
  }
}

extension Effect.Deesser {
  /// Its `m` goes from 48 dB to none (`maxdess` in af_deesser.c).
  fileprivate var filter: FilterChain.Filter {
    var filter = FilterChain.Filter(
      "deesser", [("i", "\(intensity)"), ("m", "\(1 - reduction / 48)")])
    filter.excess = .passed
    return filter
  }
}

extension Effect.Denoise {
  fileprivate var filter: FilterChain.Filter {
    FilterChain.Filter(
      "afftdn", [("noise_reduction", "\(max(0.01, reduction))"), ("noise_floor", "\(floor)")])
  }
}

extension Effect.Declick {
  /// In its method that copies what has no clicks.
  fileprivate var filter: FilterChain.Filter {
    FilterChain.Filter(
      "adeclick",
      [
        ("method", "save"), ("threshold", "\(threshold)"), ("window", window.millisecondsText),
        ("arorder", "\(order * 100)"), ("burst", "\(burst * 100)"),
      ])
  }
}

extension Double {
  /// Decibels as the factor of an option, within the option's range, which is rounded there.
  fileprivate func factorText(_ range: ClosedRange<Double>) -> String {
    "\(Swift.min(Swift.max(Gain(decibels: self).factor, range.lowerBound), range.upperBound))"
  }
}

extension Time {
  fileprivate var millisecondsText: String { "\(seconds * 1000)" }
}
