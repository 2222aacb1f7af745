import MPEGAudio
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Each pattern of the schema says what the reader of the same texts says.
@Suite struct SchemaPatternTests {
  /// Words that are made of what quantities are made of.
  private static func words(_ count: Int, seed: UInt64) -> [String] {
    var dice = Dice(seed)
    let pieces = [
      "0", "1", "2", "5", "9", "10", "60", "75", "200", "1000", ".", "..", ":", "/", "-", "+", " ",
      "%", "s", "ms", "m", "h", "dB", "db", "k", "kbps", "kbit/s", "Hz", "kHz", "KHZ", "samples",
      "sample", "start", "end", "talk", "talk.end", "inf", "-inf", "V", "v2", "abr", "cbr", "q",
      "Q5",
      "voice", "mono", "bit", "float", "16", "24", "32", "left", "channel", "chan", "${x}", "é",
    ]
    return (0..<count).map { _ in
      (0..<Int(dice.number(1..<5))).map { _ in pieces[Int(dice.number(0..<Int64(pieces.count)))] }
        .joined()
    }
  }

  private func compare(
    _ name: String, _ pattern: String, atLeast: Int = 1, _ accepts: (String) throws -> Void,
    besides isKnown: (String) -> Bool = { _ in false },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let regex = try Regex(pattern)
    var accepted = 0
    for word in Self.words(1_000, seed: 7) where !isKnown(word) {
      let isFine = (try? accepts(word)) != nil
      if isFine { accepted += 1 }
      let isMatched = try regex.firstMatch(in: word) != nil
      if isMatched != isFine {
        Issue.record("\(name): '\(word)'", sourceLocation: sourceLocation)
      }
    }
    #expect(accepted >= atLeast, "\(name)", sourceLocation: sourceLocation)
  }

  @Test("Times, moments, gains and places")
  func times() throws {
    try compare("time", SchemaPattern.time) { _ = try TimeText(parsing: $0) }
    try compare("moment", SchemaPattern.moment) { _ = try Moment(parsing: $0) }
    try compare(
      "gain", SchemaPattern.gain, { _ = try Gain(parsing: $0) },
      // The bounds of per cents are left to the decoder.
      besides: { $0.contains("%") && $0.utf8.count > 6 || $0.hasPrefix("-") && $0.hasSuffix("%") })
    try compare(
      "pan", SchemaPattern.pan, { _ = try Quantity.pan($0) },
      besides: { Quantity($0).double.map { abs($0) > 100 } ?? false })
    try compare(
      "reduction", SchemaPattern.reduction, { _ = try Quantity.reduction($0) },
      besides: { Quantity($0).double.map { !(0.01...97 ~= $0) } ?? false })
  }

  @Test("Rates, frequencies, speeds and rounds")
  func rates() throws {
    func number(_ text: String) -> Double { Quantity(text).double ?? 0 }
    try compare(
      "sample rate", SchemaPattern.sampleRate, { _ = try Quantity.sampleRate($0) },
      besides: { (try? Quantity.sampleRate($0)) == nil && $0.lowercased().hasSuffix("hz") })
    try compare(
      "bit rate", SchemaPattern.bitRate, { _ = try Quantity.bitRate($0) },
      besides: { number($0) == 0 || $0.contains(".") })
    try compare(
      "frequency", SchemaPattern.frequency, { _ = try Quantity.frequency($0) },
      besides: { number($0) > 384 || number($0) < 1 })
    try compare(
      "speed", SchemaPattern.speed, { _ = try Quantity.speed($0) },
      // The bounds are left to the decoder.
      besides: { (try? Quantity.speed($0)) == nil && ($0.hasSuffix("%") || number($0) != 1) })
    try compare(
      "loop", SchemaPattern.loop, { _ = try Quantity.loop($0) },
      besides: { $0.utf8.count > 5 })
  }

  @Test("Settings of formats")
  func settings() throws {
    try compare(
      "mp3", SchemaPattern.mp3, { _ = try MP3Settings(parsing: $0) },
      besides: { $0.contains("0000") })
    try compare(
      "pcm", SchemaPattern.pcm, atLeast: 0, { _ = try Quantity.sampleFormat($0, of: .wav) },
      // The decoder drops blanks and hyphens wherever they are.
      besides: { $0.contains { $0 == " " || $0 == "-" } })
  }

  @Test("Texts with variables")
  func texts() throws {
    let regex = try Regex(SchemaPattern.text)
    let pieces = ["$", "{", "}", "x", ":", "-", "0", "2", "é", " ", "."]
    var dice = Dice(3)
    for _ in 0..<1_000 {
      let text = (0..<Int(dice.number(0..<8))).map { _ in
        pieces[Int(dice.number(0..<Int64(pieces.count)))]
      }.joined()
      var isFine = true
      do { _ = try Template.parse(text) } catch { isFine = false }
      let isMatched = try regex.firstMatch(in: text) != nil
      #expect(isMatched == isFine, "'\(text)'")
    }
  }
}
