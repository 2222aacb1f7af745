/// A time as a job file writes it, read without loss.
///
/// `90s`, `1.5s`, `250ms`, `12m`, `1h`, `1:02`, `1:02:03.25`, `1001/30000s`; `44100 samples` is a
/// time only once a rate is known. A decimal fraction is the rational it spells: `1.1s` is 11/10.
public enum TimeText: Sendable, Hashable {
  /// A time of its own.
  case time(Time)
  /// A number of frames at a rate that the text does not have.
  case frames(Int64)

  /// Reads `text`, the whole of it; a leading minus only where `allowingNegative` says so. It
  /// takes time in proportion to the text.
  ///
  /// - Throws: `TimeTextError` with what to write instead.
  public init(
    parsing text: some StringProtocol, allowingNegative: Bool = false
  ) throws(TimeTextError) {
    self = try TimeReader.read(String(text), allowingNegative: allowingNegative)
  }

  /// The time that is meant where sound has `rate` frames a second; invalid for a number of frames
  /// where no timescale can hold `rate`.
  public func time(atRate rate: Int) -> Time {
    switch self {
    case .time(let time): time
    case .frames(let count): Time(frames: count, rate: rate)
    }
  }
}

extension TimeText: LosslessStringConvertible {
  /// The canonical text, which reads back as an equal value.
  public var description: String {
    switch self {
    case .time(let time): time.description
    case .frames(let count): "\(count) samples"
    }
  }

  /// Reads every text of ``description``, and what ``init(parsing:allowingNegative:)`` reads; nil
  /// where that throws.
  public init?(_ description: String) {
    if let text = try? TimeText(parsing: description, allowingNegative: true) {
      self = text
    } else if let time = Time(description) {
      self = .time(time)
    } else {
      return nil
    }
  }
}

extension Time {
  /// Reads `text` as `TimeText` does, and refuses a number of samples.
  ///
  /// - Throws: `TimeTextError` with what to write instead.
  public init(
    parsing text: some StringProtocol, allowingNegative: Bool = false
  ) throws(TimeTextError) {
    switch try TimeText(parsing: text, allowingNegative: allowingNegative) {
    case .time(let time): self = time
    case .frames:
      throw TimeTextError("'\(text)' needs a sample rate, and here is none: write seconds")
    }
  }
}

/// Why a text is no time.
public struct TimeTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line for the user, to stand after `file:line:column: error: `.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
