import MediaTime

/// The settings of an effect, most of them numbers in a table: checks, texts and job files follow
/// from it.
package protocol EffectSettings: Sendable, Hashable, Codable {
  /// The usual settings.
  init()
  /// In the order of documentation.
  static var parameters: [EffectParameter<Self>] { get }
}

/// A number among the settings of an effect: its name in job files, its unit, and what is possible.
package struct EffectParameter<Settings: EffectSettings>: Sendable {
  /// Where the settings hold it.
  package enum Place: Sendable {
    case number(WritableKeyPath<Settings, Double> & Sendable)
    case time(WritableKeyPath<Settings, Time> & Sendable)
  }

  /// As in job files.
  package let name: String
  /// One line.
  package let help: String
  /// The unit of `range`.
  package let unit: EffectUnit
  /// What is possible, in `unit`.
  package let range: ClosedRange<Double>
  /// Where the settings hold it.
  package let place: Place

  /// A number; `range` is in `unit`.
  package init(
    _ name: String, _ path: WritableKeyPath<Settings, Double> & Sendable, _ unit: EffectUnit,
    _ range: ClosedRange<Double>, _ help: String
  ) {
    (self.name, self.help, self.unit, self.range) = (name, help, unit, range)
    place = .number(path)
  }

  /// A time; `range` is in milliseconds.
  package init(
    _ name: String, _ path: WritableKeyPath<Settings, Time> & Sendable,
    _ range: ClosedRange<Double>, _ help: String
  ) {
    (self.name, self.help, self.range) = (name, help, range)
    unit = .milliseconds
    place = .time(path)
  }

  /// The value in `settings`, in `unit`.
  package func value(in settings: Settings) -> Double {
    switch place {
    case .number(let path): settings[keyPath: path]
    case .time(let path): settings[keyPath: path].seconds * 1000
    }
  }

  /// For example `-60 dB to 0 dB`.
  package var rangeText: String {
    "\(unit.text(range.lowerBound)) to \(unit.text(range.upperBound))"
  }
}

/// The unit of a setting.
package enum EffectUnit: Sendable, Hashable, CaseIterable {
  /// Of amplitude: 20 dB are a factor of 10.
  case decibels
  /// Of a peak between samples, in dBTP.
  case truePeak
  /// In LUFS.
  case loudness
  case hertz
  /// Of one: 25 % are 0.25.
  case percent
  case milliseconds
  /// A plain number, such as a ratio.
  case number
  /// A whole number.
  case count

  /// For example `-20 dB`, rounded to six decimals.
  package func text(_ value: Double) -> String {
    switch self {
    case .decibels: "\(Self.digits(value)) dB"
    case .truePeak: "\(Self.digits(value)) dBTP"
    case .loudness: "\(Self.digits(value)) LUFS"
    case .hertz: "\(Self.digits(value)) Hz"
    case .percent: "\(Self.digits(value * 100)) %"
    case .milliseconds:
      value < 1000 ? "\(Self.digits(value)) ms" : "\(Self.digits(value / 1000)) s"
    case .number, .count: Self.digits(value)
    }
  }

  private static func digits(_ value: Double) -> String {
    let rounded = (value * 1e6).rounded() / 1e6
    return rounded == rounded.rounded() && abs(rounded) < 1e9 ? "\(Int(rounded))" : "\(rounded)"
  }
}

extension EffectSettings {
  /// For example `threshold -20 dB, ratio 3`.
  package var settingsText: String {
    Self.parameters.map { "\($0.name) \($0.unit.text($0.value(in: self)))" }
      .joined(separator: ", ")
  }

  /// The first setting that is not possible, in words; nil where all are.
  package var problem: String? {
    for parameter in Self.parameters {
      let value = parameter.value(in: self)
      guard
        !parameter.range.contains(value)
          || parameter.unit == .count && value != value.rounded()
      else { continue }
      return "\(parameter.name) goes from \(parameter.rangeText)"
    }
    return nil
  }
}
