import MediaTime

extension String {
  /// This markup of a cue with each moment in it, as in `<00:01:02.500>`, mapped (WebVTT, 6.4). O(n).
  func mappingMoments(_ map: (Time) -> Time) -> String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstIndex(of: "<") {
      result += rest[...start]
      rest = rest[rest.index(after: start)...]
      guard let end = rest.firstIndex(of: ">"), let moment = Self.moment(rest[..<end]) else {
        continue
      }
      result += Self.text(map(moment))
      rest = rest[end...]
    }
    return result + rest
  }

  /// `[hh:]mm:ss.mmm` as a time; nil: another tag.
  private static func moment(_ tag: Substring) -> Time? {
    let parts = tag.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let last = parts.last, last.utf8.count == 6 else {
      return nil
    }
    let seconds = last.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = (parts.dropLast() + seconds).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(part) : nil
    }
    guard seconds.count == 2, seconds[0].utf8.count == 2,
      let milliseconds = numbers[numbers.count - 1]
    else { return nil }
    var total: Int64 = 0
    for number in numbers.dropLast() {
      guard let number, number < 1_000_000 else { return nil }
      total = total * 60 + number
    }
    return Time(value: total * 1000 + milliseconds, timescale: 1000)
  }

  private static func text(_ moment: Time) -> String {
    let count = Swift.max(0, moment.frames(atRate: 1000, rounding: .halfAwayFromZero))
    func digits(_ number: Int64, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: Swift.max(0, width - text.count)) + text
    }
    let (minutes, rest) = (count / 60_000, count % 60_000)
    return "\(digits(minutes / 60, 2)):\(digits(minutes % 60, 2)):"
      + "\(digits(rest / 1000, 2)).\(digits(rest % 1000, 3))"
  }
}
