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

  @Test("Levels", arguments: LevelUnit.allCases)
  func levels(unit: LevelUnit) throws {
    let notation = Values.level("level", "-16 LUFS", in: unit, from: -1e30...1e30)
    let regex = try Regex(try #require(notation.pattern))
    var dice = Dice(5)
    let pieces = ["-", "+", " ", "16", "0", ".", "5", "inf"] + LevelUnit.allCases.flatMap(\.names)
    var accepted = 0
    for _ in 0..<3000 {
      let word = (0..<Int(dice.number(1..<5))).map { _ in
        pieces[Int(dice.number(0..<Int64(pieces.count)))]
      }.joined()
      let isFine = (try? notation.parse(word)) != nil
      if isFine { accepted += 1 }
      #expect(try (regex.firstMatch(in: word) != nil) == isFine, "'\(word)'")
    }
    #expect(accepted > 10)
  }

  /// Whether pattern and reader of `notation` take the same words, but for those that `isKnown` to be
  /// left to the reader: a pattern knows nothing of the bounds of numbers.
  private func compare<Content>(
    _ notation: TextNotation<Content>, atLeast: Int = 1,
    besides isKnown: (String) -> Bool = { _ in false },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let name = notation.form.name
    let regex = try Regex(try #require(notation.pattern))
    var accepted = 0
    for word in Self.words(1_000, seed: 7) where !isKnown(word) {
      let isFine = (try? notation.parse(word)) != nil
      if isFine { accepted += 1 }
      let isMatched = try regex.firstMatch(in: word) != nil
      if isMatched != isFine {
        Issue.record("\(name): '\(word)'", sourceLocation: sourceLocation)
      }
    }
    #expect(accepted >= atLeast, "\(name)", sourceLocation: sourceLocation)
  }

  private func number(_ text: String) -> Double { Quantity(text).double ?? 0 }

  @Test("Times, moments, gains and places")
  func times() throws {
    try compare(Values.time)
    try compare(Values.moment)
    try compare(Values.automationText)
    try compare(Values.length)
    try compare(Values.timeout)
    try compare(
      Values.gain,
      besides: { $0.contains("%") && $0.utf8.count > 6 || $0.hasPrefix("-") && $0.hasSuffix("%") })
    try compare(Values.depth, besides: { number($0) > 100 })
    try compare(
      Values.threshold, besides: { Quantity($0).double.map { !(-100...0 ~= $0) } ?? false })
    try compare(Values.place, besides: { abs(number($0)) > 100 })
  }

  @Test(
    "Pictures as times",
    arguments: [
      "frame 12", "frame12", "frame  3", "frame", "frame 1.5", "frame -1", "00:01:02:03", "1:2:3:4",
      "00:60:00:00", "24:00:00:00", "00:00:00;00", "00:00:00:1", "00:00:00:001", "00;00;00;00",
      "0:00:00:00", "000:00:00:00", "00:00:00:0000",
    ])
  func pictures(text: String) throws {
    let regex = try Regex(try #require(Values.moment.pattern))
    let isFine = (try? Values.moment.parse(text)) != nil
    #expect(try (regex.firstMatch(in: text) != nil) == isFine)
  }

  @Test("Settings of effects, by their units")
  func effectSettings() throws {
    // Each with the widest bounds.
    for parameter in WideSettings.parameters {
      switch parameter.place {
      case .number: try compare(Values.number(parameter), atLeast: 2, besides: isOutOfRange)
      case .time: try compare(Values.time(parameter), atLeast: 2, besides: isOutOfRange)
      }
    }
    func isOutOfRange(_ word: String) -> Bool {
      WideSettings.parameters.contains { parameter in
        do throws(QuantityError) {
          _ = try Quantity.setting(word, of: parameter)
          return false
        } catch {
          return error.message.hasSuffix("out of range")
        }
      }
    }
  }

  @Test("Rates, frequencies, speeds, rounds and numbers")
  func rates() throws {
    try compare(
      Values.sampleRate,
      besides: { (try? Quantity.sampleRate($0)) == nil && $0.lowercased().hasSuffix("hz") })
    try compare(Values.bitRate, besides: { number($0) == 0 || $0.contains(".") })
    try compare(Values.frequency, besides: { number($0) > 384 || number($0) < 1 })
    try compare(
      Values.factor,
      besides: { (try? Quantity.speed($0)) == nil && ($0.hasSuffix("%") || number($0) != 1) })
    try compare(Values.rounds, besides: { $0.utf8.count > 5 })
    try compare(Values.stream, besides: { $0.utf8.count > 18 })
    try compare(Values.retries)
    try compare(Values.link, besides: \.isEmpty)
  }

  @Test("Settings of formats")
  func settings() throws {
    try compare(Values.mp3Text, besides: { $0.contains("0000") })
    try compare(Values.stereoMode)
    try compare(Values.quality)
    try compare(Values.vbr)
    try compare(Values.wholeBitRate("cbr"), besides: { $0.contains("0000") })
    try compare(Values.lamePreset)
    let regex = try Regex(Values.pcmText)
    // The decoder drops blanks and hyphens wherever they are.
    for word in Self.words(1_000, seed: 7) where !word.contains(where: { " -".contains($0) }) {
      let isFine = (try? Quantity.sampleFormat(word, of: .wav)) != nil
      #expect(try (regex.firstMatch(in: word) != nil) == isFine, "'\(word)'")
    }
  }

  @Test("Texts with variables")
  func texts() throws {
    let regex = try Regex(Pattern.text)
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

/// A setting of each unit.
private struct WideSettings: EffectSettings {
  var number = 0.0
  var time = Time.zero

  static let parameters =
    // Levels have a test of their own.
    EffectUnit.allCases.filter { ![.milliseconds, .truePeak, .loudness].contains($0) }.map { unit in
      EffectParameter("number", \WideSettings.number, unit, -1e9...1e9, "")
    } + [EffectParameter("time", \WideSettings.time, 0...1e9, "")]
}
