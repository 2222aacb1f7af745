extension Time: Codable {
  /// The keys that `CMTimeCopyAsDictionary` writes.
  private enum Key: String, CodingKey {
    case value, timescale, epoch, flags
  }

  /// Reads what `encode(to:)` wrote, and what CoreMedia's dictionaries hold: `value`, `timescale`
  /// and `flags`, and an `epoch` if that is 0 (`CMTimeMakeFromDictionary`).
  ///
  /// - Throws: `DecodingError` where a key is missing, a numeric time's timescale is not positive,
  ///   an epoch is not 0, or a flag is not known.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let flags = Flags(rawValue: try container.decode(UInt32.self, forKey: .flags))
    guard flags.isSubset(of: .all) else {
      throw DecodingError.dataCorruptedError(
        forKey: .flags, in: container, debugDescription: "flags \(flags.rawValue) are not known")
    }
    let epoch = try container.decodeIfPresent(Int64.self, forKey: .epoch) ?? 0
    guard epoch == 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .epoch, in: container, debugDescription: "epoch \(epoch): only 0 is kept")
    }
    let value = try container.decode(Int64.self, forKey: .value)
    let timescale = try container.decode(Int32.self, forKey: .timescale)
    switch Time(value: value, timescale: timescale, flags: flags).kind {
    case .number where timescale > 0:
      self.init(value: value, timescale: timescale, flags: flags)
    case .number:
      throw DecodingError.dataCorruptedError(
        forKey: .timescale, in: container,
        debugDescription: "timescale \(timescale) is not positive")
    case .positiveInfinity: self = .positiveInfinity
    case .negativeInfinity: self = .negativeInfinity
    case .indefinite: self = .indefinite
    case .invalid: self = .invalid
    }
  }

  /// Writes value, timescale and flags, so that timescale and rounding are kept
  /// (`CMTimeCopyAsDictionary`). There is no epoch to write.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(value, forKey: .value)
    try container.encode(timescale, forKey: .timescale)
    try container.encode(flags.rawValue, forKey: .flags)
  }
}

extension Time.Flags {
  fileprivate static let all: Time.Flags = [
    .valid, .hasBeenRounded, .positiveInfinity, .negativeInfinity, .indefinite,
  ]
}
