import MediaComposition

/// The texts of an item's modifiers.
extension Quantity {
  /// `true`, `false`.
  package static func boolean(_ text: String) throws(QuantityError) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default:
      let isYes =
        ["yes", "on", "y", "1"].contains(text.lowercased()) || text.lowercased() == "true"
      let isNo =
        ["no", "off", "n", "0"].contains(text.lowercased()) || text.lowercased() == "false"
      let help = isYes ? "write 'true'" : isNo ? "write 'false'" : "write 'true' or 'false'"
      throw QuantityError("'\(text)' is neither 'true' nor 'false'", help: help)
    }
  }

  /// `-20 %`, `left`, `centre`, `right`.
  package static func pan(_ text: String) throws(QuantityError) -> Pan {
    switch text {
    case "left": return .left
    case "right": return .right
    case "centre", "center": return .centre
    default: break
    }
    try refuseTypographicMinus(text)
    let quantity = Quantity(text)
    guard let number = quantity.double else {
      throw QuantityError(
        "'\(text)' is no place between left and right", help: "write '-20 %', 'left' or 'right'")
    }
    guard quantity.unit == "%" else {
      guard quantity.unit.isEmpty else {
        throw QuantityError(
          "'\(text)' has no unit that is known", help: "write '\(quantity.number) %'")
      }
      let percent = abs(number) <= 1 ? number * 100 : number
      let digits = Int(exactly: percent).map(String.init) ?? "\(percent)"
      throw QuantityError("'\(text)' has no unit", help: "write '\(digits) %'")
    }
    guard abs(number) <= 100 else {
      throw QuantityError(
        "'\(text)' is out of range", help: "-100 % is left, 0 % the centre, 100 % right")
    }
    return Pan(position: number / 100)
  }

  /// `mono`, `stereo`, `left`, `right`, `centre`, `channel 2`.
  package static func itemChannels(_ text: String) throws(QuantityError) -> ItemChannels {
    switch text {
    case "left": return .position(.frontLeft)
    case "right": return .position(.frontRight)
    case "centre", "center": return .position(.frontCenter)
    default: break
    }
    if let layout = try? channels(text) { return .layout(layout) }
    if text.hasPrefix("channel "), let number = count(String(text.dropFirst(8))), number > 0 {
      return .number(number)
    }
    // A count or a number? Both are usual.
    if let number = count(text), number > 0 {
      let layout = number == 1 ? "'mono'" : number == 2 ? "'stereo'" : "a layout"
      throw QuantityError(
        "'\(text)' may be a number of channels or one of them",
        help: "write \(layout), or 'channel \(number)' for that one alone")
    }
    throw QuantityError(
      "'\(text)' is no channel and no layout",
      help: "write 'mono', 'stereo', 'left', 'right' or 'channel 1'")
  }

  /// `1.05`, `105 %`, `4/3`, as an exact factor.
  package static func speed(_ text: String) throws(QuantityError) -> Speed {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let speed: Speed?
    if parts.count == 2, let numerator = count(String(parts[0])),
      let denominator = count(String(parts[1])), denominator > 0
    {
      speed = Speed(Int64(numerator), over: Int64(denominator))
    } else {
      let quantity = Quantity(text)
      let isPercent = quantity.unit == "%"
      guard quantity.unit.isEmpty || isPercent,
        let billionths = quantity.whole(times: 1_000_000_000)
      else {
        throw QuantityError(
          "'\(text)' is no speed",
          help: text.hasPrefix("-")
            ? "write 'reverse: true' for backwards"
            : "write a factor, as '1.05', '105 %' or '4/3'")
      }
      speed = Speed(Int64(billionths), over: isPercent ? 100_000_000_000 : 1_000_000_000)
    }
    guard let speed else {
      throw QuantityError(
        "'\(text)' is out of range",
        help: "speeds go from 1/32 to 32"
          + ((try? Self.speed(text + " %")) == nil ? "" : "; of 100 it is '\(text) %'"))
    }
    return speed
  }

  /// The most rounds of an item.
  package static let loopLimit = 100_000

  /// `4`, `end`.
  package static func loop(_ text: String) throws(QuantityError) -> Loop {
    if text == "end" { return .end }
    guard let rounds = count(text) else {
      throw QuantityError("'\(text)' is no number of rounds", help: "write '4' or 'end'")
    }
    guard (1...loopLimit).contains(rounds) else {
      throw QuantityError(
        "'\(text)' is out of range", help: "1 to \(loopLimit) rounds are possible")
    }
    return .count(rounds)
  }

  /// `12 dB`: by how much a track is lowered.
  package static func depth(_ text: String) throws(QuantityError) -> Double {
    let depth = try decibels(text)
    guard !text.hasPrefix("-") else {
      throw QuantityError(
        "'\(text)' would be louder", help: "a track is lowered by '\(text.dropFirst())'")
    }
    guard depth <= 100 else {
      throw QuantityError("'\(text)' is out of range", help: "depths go from 0 dB to 100 dB")
    }
    return depth
  }

  /// `-40 dB`: the level from which on a track sounds.
  package static func threshold(_ text: String) throws(QuantityError) -> Gain {
    let level = try decibels(text)
    guard (-100...0).contains(level) else {
      throw QuantityError(
        "'\(text)' is out of range", help: "thresholds go from -100 dB to 0 dB")
    }
    return Gain(decibels: level)
  }
}
