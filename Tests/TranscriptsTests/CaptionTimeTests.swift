import MediaTime
import TestSupport
import Testing

@testable import Transcripts

/// Clocks of captions.
@Suite struct CaptionTimeTests {
  private func read(_ text: String) -> (milliseconds: Int64, isStrict: Bool)? {
    let bytes = Array("<\(text)>".utf8)[1...].dropLast()
    return (try? CaptionTime.clock(bytes, mark: ".")).map {
      (CaptionTime.milliseconds($0.time), $0.isStrict)
    }
  }

  private func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  @Test("a clock has the digits of its time, and is read as what it was, with hours and without")
  func clocks() {
    var dice = Dice(43)
    let most: [Int64] = [1000, 60_000, 3_600_000, 100 * 3_600_000, 1_000_000 * 3_600_000]
    for round in 0..<4000 {
      let time = dice.number(0..<most[round % most.count])
      let (minutes, hours) = (time / 60_000 % 60, time / 3_600_000)
      let rest =
        padded(minutes, 2) + ":" + padded(time / 1000 % 60, 2) + "." + padded(time % 1000, 3)
      let text = CaptionTime.text(milliseconds: time, mark: UInt8(ascii: "."))
      #expect(text == padded(hours, 2) + ":" + rest)
      var spelled = [text, "0" + text, "\(hours):\(rest)"]
      if hours == 0 { spelled.append(rest) }
      for text in spelled {
        let found = read(text)
        #expect(found?.milliseconds == time && found?.isStrict == true, "\(text)")
        let comma = read(text.replacing(".", with: ","))
        #expect(comma?.milliseconds == time && comma?.isStrict == false, "\(text)")
      }
    }
  }

  @Test("what is no clock is refused, and an odd one is no clock of WebVTT")
  func oddClocks() {
    for text in [
      "", ".", "1", "00:01", "00:01.5", "00:01.5000", "00:60.000", "60:00.000", "00:60:00.000",
      "0a:01.000", "00:0a.000", "00:01.00a", ":00:01.000", "00::01.000", "-0:01.000", "+0:01.000",
      "1000001:00:00.000", "99999999999:00:00.000", "0:00:00:01.000", "00;01.000", "00:01;000",
    ] {
      #expect(read(text) == nil, "\(text)")
    }
    for text in ["0:01.000", "00:1.000", "1:0:01.000"] {
      #expect(read(text)?.isStrict == false, "\(text)")
    }
    #expect(read("1000000:00:00.000")?.milliseconds == 3_600_000_000_000)
  }
}
