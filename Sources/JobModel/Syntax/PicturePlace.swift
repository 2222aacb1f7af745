import MediaTime

/// One of the pictures of a source: the moment at which it is first shown.
package enum PicturePlace: Sendable, Hashable {
  /// By its number; the first picture is 0.
  case number(Int64)
  /// By its timecode.
  case timecode(Timecode)
}

extension Timecode {
  /// The number of its picture, counted from that of 00:00:00:00.
  ///
  /// - Parameter duration: How long each picture is shown.
  /// - Returns: The number, without those that drop-frame leaves out.
  /// - Throws: Why no picture has it at this rate.
  func number(lasting duration: Time) throws(QuantityError) -> Int64 {
    let rate = PictureRate(duration)
    guard let number = number(at: rate) else { throw refusal(at: rate) }
    return number
  }

  private func refusal(at rate: PictureRate) -> QuantityError {
    guard let nominal = rate.nominal else {
      return QuantityError(
        "'\(self)' is no timecode of \(rate) pictures a second",
        help: "timecodes are of 24, 25, 30, 50 or 60, and of 23.976, 29.97 or 59.94")
    }
    guard frames < nominal else {
      return QuantityError(
        "'\(self)' is no timecode of \(rate) pictures a second",
        help: "the last number goes to \(nominal - 1)")
    }
    guard let dropped = rate.dropped else {
      return QuantityError(
        "'\(self)' is a drop-frame timecode, which \(rate) pictures a second do not have",
        help: "write '\(withOtherSign)'")
    }
    return QuantityError(
      "'\(self)' is left out of drop-frame timecodes",
      help: "this minute begins at '\("\(self)".dropLast(2))0\(dropped)'")
  }

  /// The same digits with drop-frame or, of one, without it.
  var withOtherSign: Timecode {
    var other = self
    other.isDropFrame.toggle()
    return other
  }
}

extension PicturePlace {
  /// Reads `frame 1234`, `01:02:03:04` and `01:02:03;04`; nil for what looks like none of these.
  init?(parsing text: String) throws(QuantityError) {
    let bytes = text.utf8
    if text.hasPrefix("frame") {
      let digits = bytes.dropFirst(5).drop { $0 == UInt8(ascii: " ") }
      guard let first = digits.first, "0123456789-+".utf8.contains(first) else { return nil }
      guard let number = Quantity.count("\(Substring(digits))"), number <= Int(Int32.max) else {
        throw QuantityError(
          "'\(text)' is no picture", help: "write 'frame 1234': they are counted from 0 on")
      }
      self = .number(Int64(number))
      return
    }
    let separators = bytes.count { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
    guard separators == 3, bytes.first.map({ (0x30...0x39).contains($0) }) == true else {
      return nil
    }
    guard let timecode = Timecode(text) else {
      throw QuantityError(
        "'\(text)' is no timecode",
        help: "write hours, minutes, seconds and pictures, as '00:01:02:15', and with drop-frame "
          + "'00:01:02;15'")
    }
    self = .timecode(timecode)
  }
}

extension PicturePlace: CustomStringConvertible {
  /// In the language of job files.
  package var description: String {
    switch self {
    case .number(let number): "frame \(number)"
    case .timecode(let timecode): "\(timecode)"
    }
  }
}
