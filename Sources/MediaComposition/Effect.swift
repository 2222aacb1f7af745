/// A filter of sound, each by one filter of libavfilter.
public enum Effect: Sendable, Hashable, Codable {
  /// Attenuates what is below `frequency` hertz, 12 dB an octave (`highpass`).
  case highpass(frequency: Double)
  /// Attenuates what is above `frequency` hertz, 12 dB an octave (`lowpass`).
  case lowpass(frequency: Double)
  /// Reduces steady noise by `reduction` decibels (`afftdn`).
  case denoise(reduction: Double)
}

extension Effect: CustomStringConvertible {
  /// As `highpass 80 Hz`.
  public var description: String {
    switch self {
    case .highpass(let frequency): "highpass \(Self.text(frequency)) Hz"
    case .lowpass(let frequency): "lowpass \(Self.text(frequency)) Hz"
    case .denoise(let reduction): "denoise \(Self.text(reduction)) dB"
    }
  }

  private static func text(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e9 ? "\(Int(number))" : "\(number)"
  }
}
