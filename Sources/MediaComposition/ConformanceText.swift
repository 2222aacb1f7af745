import JSON
import MediaTime

// MARK: - In words

extension ConformanceCheck {
  /// The figure, as `noise floor`.
  package var label: String {
    switch figure {
    case .integrated: "loudness"
    case .rms: "RMS"
    case .truePeak: "true peak"
    case .samplePeak: "peak"
    case .noiseFloor: "noise floor"
    case .head: "room tone at the start"
    case .tail: "room tone at the end"
    case .codec: "codec"
    case .sampleRate: "sample rate"
    case .channelCount: "channels"
    case .bitRate: "bit rate"
    case .bitRateMode: "bit rate mode"
    case .duration: "length"
    case .tags: "tags"
    }
  }

  /// What the file has, as `−52.3 dB`.
  package var found: String {
    switch value {
    case .number(let number): text(number)
    case .words(let words): words.joined(separator: ", ")
    case .none: "none"
    }
  }

  /// What it may have, as `at most −60.0 dB`.
  package var limit: String {
    switch bounds {
    case .range(let least?, let most?):
      least == most ? text(least) : "\(digits(least)) to \(text(most))"
    case .range(let least?, nil): "at least \(text(least))"
    case .range(nil, let most?): "at most \(text(most))"
    case .range(nil, nil): "any"
    case .numbers(let numbers): numbers.map(digits).listed("or") + unit
    case .words(let words): figure == .tags ? words.joined(separator: ", ") : words.listed("or")
    }
  }

  private func text(_ number: Double) -> String { digits(number) + unit }

  private var unit: String {
    switch figure {
    case .integrated: " LUFS"
    case .rms, .noiseFloor: " dB"
    case .truePeak: " dBTP"
    case .samplePeak: " dBFS"
    case .head, .tail: " s"
    case .sampleRate: " kHz"
    case .bitRate: " kbps"
    case .codec, .channelCount, .bitRateMode, .duration, .tags: ""
    }
  }

  private func digits(_ number: Double) -> String {
    switch figure {
    case .integrated, .rms, .noiseFloor, .truePeak, .samplePeak: number.tenths
    case .head, .tail: number.hundredths
    case .bitRate: String(Int((number / 1000).rounded()))
    case .duration: Time(value: Int64(number.rounded()), timescale: 1).clockText(decimals: 0)
    case .sampleRate: number.hundredthsOfThousands
    case .channelCount: number == 1 ? "mono" : number == 2 ? "stereo" : "\(Int(number))"
    case .codec, .bitRateMode, .tags: String(Int(number))
    }
  }

  /// What to change in a job file, or in a recording.
  package func remedy(for specification: String) -> String {
    let named = DeliverySpecification.named(specification)
    switch figure {
    case .integrated, .rms, .truePeak, .samplePeak: return "write 'loudness: \(specification)'"
    case .noiseFloor: return "'denoise' or 'gate' lowers it, a quieter recording is better"
    case .head: return isTooMuch ? "cut some of it" : "put recorded room tone before it"
    case .tail: return isTooMuch ? "cut some of it" : "put recorded room tone behind it"
    case .sampleRate: return "write 'sample_rate: \(firstNumber) kHz'"
    case .channelCount: return "write 'channels: \(firstNumber)'"
    case .codec, .bitRate, .bitRateMode: return named?.formatRemedy(for: bounds) ?? "choose another"
    case .duration: return "'split' the job"
    case .tags: return "write them under 'metadata'"
    }
  }

  private var isTooMuch: Bool {
    guard case .number(let number) = value, case .range(_, let most?) = bounds else { return false }
    return number > most
  }

  private var firstNumber: String {
    if case .numbers(let numbers) = bounds { numbers.first.map(digits) ?? "" } else { "" }
  }
}

extension DeliverySpecification {
  /// A format that it takes, as the job language writes it.
  fileprivate func formatRemedy(for bounds: ConformanceCheck.Bounds) -> String {
    var rate = 128_000
    for case .bitRate(let least, _, channelCount: let count) in limits where count != 1 {
      rate = least
    }
    if case .range(let least?, _) = bounds { rate = Int(least) }
    let constant = "write 'mp3: cbr \(rate / 1000)k'"
    return limits.contains(.constantBitRate) ? constant : constant + " or 'aac: \(rate / 1000)k'"
  }
}

extension Double {
  /// As `44.1` for 44,100.
  fileprivate var hundredthsOfThousands: String {
    let (whole, rest) = Int((self / 10).rounded()).quotientAndRemainder(dividingBy: 100)
    let decimals = rest % 10 == 0 ? "\(rest / 10)" : (rest < 10 ? "0" : "") + "\(rest)"
    return rest == 0 ? "\(whole)" : "\(whole).\(decimals)"
  }
}

// MARK: - JSON

extension Conformance {
  /// A member of `conformance` in any document.
  package var json: JSONValue {
    [
      "specification": .text(specification), "conforms": .boolean(isMet),
      "checks": .list(checks.map(\.json)),
    ]
  }
}

extension [Conformance] {
  /// All of them; nil where there are none.
  package var json: JSONValue? { isEmpty ? nil : .list(map(\.json)) }
}

extension ConformanceCheck {
  fileprivate var json: JSONValue {
    var limit: JSONValue = [:]
    switch bounds {
    case .range(let least, let most):
      limit = .members([
        "minimum": least.map { .number($0, decimals: 2) },
        "maximum": most.map { .number($0, decimals: 2) },
      ])
    case .numbers(let numbers):
      limit = ["allowed": .list(numbers.map { .number($0, decimals: 0) })]
    case .words(let words):
      let name = figure == .tags ? "required" : "allowed"
      limit = .object([.init(name, .list(words.map { .text($0) }))])
    }
    return JSONValue.members(["figure": .text(figure.rawValue), "value": valueJSON])
      .with(limit).with(["passed": .boolean(passed)])
  }

  private var valueJSON: JSONValue {
    switch value {
    case .number(let number): .number(number, decimals: 2)
    case .words(let words) where figure == .tags: .list(words.map { .text($0) })
    case .words(let words): .text(words.joined(separator: ", "))
    case .none: figure == .tags ? [] : .null
    }
  }
}
