import Glibc
import MediaComposition
import MediaTime

/// Why a text is not the expected quantity.
package struct QuantityError: Error, Sendable, Hashable {
  /// One line, to stand after a place.
  package var message: String
  /// A correction.
  package var help: String?

  package init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}

extension Gain {
  /// Reads `-18 dB`, `50 %` and `-inf dB`. Decibels are of amplitude: 20 dB are a factor of 10.
  package init(parsing text: some StringProtocol) throws(QuantityError) {
    let text = String(text)
    try Quantity.refuseTypographicMinus(text)
    let quantity = Quantity(text)
    switch quantity.unit.lowercased() {
    case "db" where quantity.number == "-inf": self = .silence
    case "db":
      guard let decibels = quantity.double else { throw Self.malformed(text) }
      guard abs(decibels) <= 200 else {
        throw QuantityError(
          "'\(text)' is out of range", help: "gains go from -200 dB to 200 dB, and to -inf dB")
      }
      self.init(factor: pow(10, decibels / 20))
    case "%":
      guard let percent = quantity.double else { throw Self.malformed(text) }
      guard percent >= 0, percent <= 1_000_000 else {
        throw QuantityError(
          "'\(text)' is out of range", help: "0 % is silence, 100 % changes nothing")
      }
      self.init(factor: percent / 100)
    case "" where quantity.double != nil:
      throw QuantityError(
        "'\(text)' has no unit", help: "write '\(text) dB', or a factor as '50 %'")
    default: throw Self.malformed(text)
    }
  }

  private static func malformed(_ text: String) -> QuantityError {
    QuantityError("'\(text)' is no gain", help: "write '-18 dB', '50 %' or '-inf dB'")
  }
}

/// A number and its unit, parsed.
package struct Quantity {
  /// As written, with its sign.
  package let number: Substring
  package let unit: Substring

  package init(_ text: String) {
    let end = text.firstIndex { !("0"..."9").contains($0) && !"+-.".contains($0) } ?? text.endIndex
    let infinity = ["-inf", "+inf", "inf"].first { text.hasPrefix($0) }
    let split = infinity.map { text.index(text.startIndex, offsetBy: $0.count) } ?? end
    number = text[..<split]
    unit = text[split...].drop { $0 == " " }
  }

  /// The number, where it is an optional sign, digits and at most one point.
  package var double: Double? {
    guard let digits = unsignedDigits, Self.isDecimal(digits) else { return nil }
    return Double(number)
  }

  /// `number · factor`, if that is a whole number and not negative.
  package func whole(times factor: Int) -> Int? {
    guard Self.isDecimal(number) else { return nil }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    var fraction = parts.count == 2 ? parts[1] : ""
    while fraction.last == "0" { fraction.removeLast() }
    guard fraction.count <= 9, let integer = Int(parts[0]) else { return nil }
    let scale = (0..<fraction.count).reduce(1) { scale, _ in scale * 10 }
    let (product, overflow) = ((fraction.isEmpty ? 0 : Int(fraction)) ?? 0)
      .multipliedReportingOverflow(by: factor)
    let (base, overflow2) = integer.multipliedReportingOverflow(by: factor)
    guard !overflow, !overflow2, product % scale == 0 else { return nil }
    let (sum, overflow3) = base.addingReportingOverflow(product / scale)
    return overflow3 ? nil : sum
  }

  /// Refuses `−`, which word processors write.
  package static func refuseTypographicMinus(_ text: String) throws(QuantityError) {
    guard text.contains("\u{2212}") else { return }
    let ascii = String(text.map { $0 == "\u{2212}" ? "-" : $0 })
    throw QuantityError("'\(text)' has a typographic minus", help: "write '\(ascii)'")
  }

  private var unsignedDigits: Substring? {
    guard let first = number.first else { return nil }
    return first == "+" || first == "-" ? number.dropFirst() : number
  }

  private static func isDecimal(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }
  }

  /// `1:30`, `250ms`; `help` is for a text that is no time.
  package static func time(
    _ text: some StringProtocol, help: @autoclosure () -> String? = nil
  ) throws(QuantityError) -> TimeText {
    do throws(TimeTextError) {
      return try TimeText(parsing: text)
    } catch {
      throw QuantityError(error.message, help: help())
    }
  }

  // MARK: Rates

  /// The sample rates of jobs, in frames a second.
  package static let sampleRates = 1_000...768_000

  /// `44.1 kHz`, `48000 Hz`: frames a second.
  package static func sampleRate(_ text: String) throws(QuantityError) -> Int {
    let quantity = Quantity(text)
    let rate: Int?
    switch quantity.unit.lowercased() {
    case "khz": rate = quantity.whole(times: 1000)
    case "hz": rate = quantity.whole(times: 1)
    case "" where quantity.double != nil:
      let unit = (quantity.double ?? 0) < 1000 ? "kHz" : "Hz"
      throw QuantityError("'\(text)' has no unit", help: "write '\(text) \(unit)'")
    case "k":
      throw QuantityError(
        "'\(text)' has no unit that is known", help: "write '\(quantity.number) kHz'")
    default: rate = nil
    }
    guard let rate else {
      throw QuantityError("'\(text)' is no sample rate", help: "write '44.1 kHz' or '48000 Hz'")
    }
    guard sampleRates.contains(rate) else {
      throw QuantityError(
        "'\(text)' is out of range", help: "sample rates go from 1 kHz to 768 kHz")
    }
    return rate
  }

  /// `128k`, `320 kbps`: bits a second; one k is 1000.
  package static func bitRate(_ text: String) throws(QuantityError) -> Int {
    let quantity = Quantity(text)
    switch quantity.unit.lowercased() {
    case "k", "kbps", "kbit/s", "kb/s":
      if let rate = quantity.whole(times: 1000), rate > 0 { return rate }
    case "" where quantity.double != nil:
      throw QuantityError("'\(text)' has no unit", help: "write '\(text)k'")
    default: break
    }
    throw QuantityError("'\(text)' is no bit rate", help: "write '128k' or '320 kbps'")
  }

  /// `16 bit`, `24 bit`, `32 bit float`; of WAV also `8 bit`, `mu-law` and `a-law`, of CAF `ima4`; also
  /// by FFmpeg's names.
  package static func sampleFormat(
    _ text: String, of kind: Output.Kind
  ) throws(QuantityError) -> Output.SampleFormat {
    func plain(_ text: String) -> String {
      text.lowercased().filter { $0 != " " && $0 != "-" }.replacing("µ", with: "mu")
    }
    let offered = kind.capabilities.sampleFormats
    let word = plain(text) == "ulaw" ? "mulaw" : plain(text)
    if let format = offered.first(where: { plain($0.rawValue) == word }) { return format }
    let names = offered.map { "'\($0.rawValue)'" }
    throw QuantityError(
      "'\(text)' is no sample format of \(kind.capabilities.codecName)",
      help: "write " + names.listed("or"))
  }

  /// `mono`, `stereo`, `quad`, `5.0`, `5.1`, `7.1`.
  package static func channels(_ text: String) throws(QuantityError) -> ChannelLayout {
    if let layout = ChannelLayout.named.first(where: { $0.key == text }) { return layout.value }
    let counted = count(text)
    let meant = ChannelLayout.named.first { $0.value.count == counted }
    let names = ChannelLayout.named.map { "'\($0.key)'" }
    throw QuantityError(
      "'\(text)' is no channel layout",
      help: meant.map { "write '\($0.key)'" } ?? "write one of " + names.joined(separator: ", "))
  }

  /// A whole number in ASCII digits.
  package static func count(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}
