import Diagnosis
import JSON
import JobModel
import MediaComposition
import YAML

/// The level that a sound is brought to.
extension Values {
  /// The fields of a map, before the ceiling that follows from the place is known.
  struct LoudnessRequest: Sendable {
    /// The level, with what a specification says of it.
    var target: LoudnessTarget
    /// Whether peaks between samples have a ceiling by the text itself.
    var hasCeiling: Bool

    /// The target of a sound that is handed on, which has a ceiling in any case.
    var ofOutput: LoudnessTarget {
      var target = target
      // What is brought to a peak needs no ceiling: no sample passes it.
      if case .samplePeak = target.level { return target }
      if !hasCeiling { target.truePeak = Self.usualCeiling }
      return target
    }

    /// dBTP: what EBU R 128 allows, and most platforms.
    static let usualCeiling = -1.0
  }

  private struct LoudnessFields: Sendable {
    var specification: Located<LoudnessTarget>?
    var level: Located<LoudnessTarget.Level>?
    var ceiling: Located<Ceiling>?
    var isDualMono: Located<Bool>?
    var group: Located<String>?
  }

  private enum Ceiling: Sendable, Hashable {
    case none
    case at(Double)
  }

  /// The figures that a level can be of, each with its unit and an example.
  private static let levels: [(unit: LevelUnit, example: String, target: Figure)] = [
    (.lufs, "-16 LUFS", { .integrated($0) }), (.db, "-20 dB", { .rms($0) }),
    (.dbfs, "-3 dBFS", { .samplePeak($0) }),
  ]
  private typealias Figure = @Sendable (Double) -> LoudnessTarget.Level

  /// Levels that can be asked for.
  private static let levelRange = -70.0...0.0

  private static func level(_ name: String, at index: Int) -> TextNotation<LoudnessTarget.Level> {
    let (unit, example, target) = levels[index]
    return TextNotation(
      name, "a level, as '\(example)'", Pattern.whole(Pattern.level(in: unit))
    ) { text throws(QuantityError) in
      target(try Quantity.level(text, in: unit, from: levelRange, example: example))
    }
  }

  private static let specification = TextNotation(
    "loudness_name", DeliverySpecification.all.map { ($0.name, $0.target) },
    refusal: "is no loudness")

  private static let ceiling = TextNotation(
    "ceiling", "a ceiling, as '-1 dBTP', or 'none'",
    Pattern.whole(Pattern.one(of: "none", Pattern.level(in: .dbtp)))
  ) { text throws(QuantityError) in
    text == "none"
      ? Ceiling.none
      : .at(try Quantity.level(text, in: .dbtp, from: -60...0, example: "-1 dBTP"))
  }

  /// `-20 dB RMS` says of which figure its decibels are.
  private static let rmsUnit = "RMS"

  private static let anyLevel = TextNotation(
    "loudness_text", "a level, as '-16 LUFS', or a name, as 'apple-podcasts'", anyPattern,
    parse: target)

  private static var anyPattern: String {
    let levels = [
      Pattern.level(in: .lufs), Pattern.level(in: .dbfs),
      Pattern.level(in: .db) + " " + Pattern.anyCase(rmsUnit),
    ]
    return Pattern.whole(Pattern.one(of: DeliverySpecification.all.map(\.name) + levels))
  }

  private static func target(_ text: String) throws(QuantityError) -> LoudnessTarget {
    if let known = DeliverySpecification.named(text) { return known.target }
    if text.first?.isLetter == true { throw noLoudness(text) }
    let words = text.split(separator: " ")
    if let last = words.last, words.count > 1, last.uppercased() == rmsUnit {
      let number = text.dropLast(last.count + 1)
      return LoudnessTarget(
        .rms(try Quantity.level(String(number), in: .db, from: levelRange, example: "-20 dB RMS")))
    }
    if Quantity(text).unit.uppercased() == "DB" {
      throw QuantityError(
        "'\(text)' may be a loudness, a power or a peak",
        help: "write '\(Quantity(text).number) LUFS', '… dB RMS' or '… dBFS'")
    }
    let isPeak = Quantity(text).unit.uppercased() == LevelUnit.dbfs.rawValue.uppercased()
    let (unit, example, target) = levels[isPeak ? 2 : 0]
    return LoudnessTarget(
      target(try Quantity.level(text, in: unit, from: levelRange, example: example)))
  }

  private static func noLoudness(_ text: String) -> QuantityError {
    let names = DeliverySpecification.all.map(\.name)
    return QuantityError(
      "'\(text)' is no loudness",
      help: Spelling.help(for: text, among: names)
        ?? "write a level, as '-16 LUFS', or one of " + names.joined(separator: ", "))
  }

  /// A name, a level, or a map of both with a ceiling.
  static let loudness: NodeNotation<LoudnessRequest> = NodeNotation(
    "target_loudness", "a level, as '-16 LUFS', or a name, as 'apple-podcasts'",
    text: anyLevel,
    convert: { located in
      var target = located.value
      target.origin = located.origin
      return LoudnessRequest(target: target, hasCeiling: target.truePeak != nil)
    },
    map: MapNotation(
      "a loudness", LoudnessFields(), example: "{ integrated: -16 LUFS, true_peak: -1 dBTP }",
      rules: [
        .atMostOne(
          of: ["name", "integrated", "rms", "peak"], beside: "a sound is brought to one level"),
        .some(
          of: ["name", "integrated", "rms", "peak"], missing: "a loudness needs a level",
          help: "write { integrated: -16 LUFS, true_peak: -1 dBTP }"),
      ],
      [
        Key("name", specification, "a delivery specification, as 'apple-podcasts'") {
          $0.specification = $1
        },
        Key("integrated", level("integrated", at: 0), "loudness over all of it, gated") {
          $0.level = $1
        },
        Key("rms", level("rms", at: 1), "mean power over all of it") { $0.level = $1 },
        Key("peak", level("peak", at: 2), "the largest sample") { $0.level = $1 },
        Key("true_peak", ceiling, "what no peak between samples may pass, by a limiter") {
          $0.ceiling = $1
        },
        Key("dual_mono", boolean, "whether mono counts as heard from two loudspeakers") {
          $0.isDualMono = $1
        },
        Key("group", text, "one gain for all sounds of this name, in all jobs of the run") {
          $0.group = $1
        },
      ]),
    finish: { fields, node, decoder in request(fields, at: node.origin, decoder) })

  private static func request(
    _ fields: LoudnessFields, at origin: Origin, _ decoder: Decoder
  ) -> LoudnessRequest? {
    guard
      var target = fields.specification?.value ?? fields.level.map({ LoudnessTarget($0.value) })
    else { return nil }
    target.origin = origin
    if let isDualMono = fields.isDualMono { target.isDualMono = isDualMono.value }
    target.group = fields.group?.value
    var hasCeiling = target.truePeak != nil
    if let ceiling = fields.ceiling {
      hasCeiling = true
      target.truePeak = if case .at(let level) = ceiling.value { level } else { nil }
    }
    if let ceiling = fields.ceiling, let peak = target.truePeak, let least = target.level.leastPeak,
      peak < least
    {
      decoder.sink.error(
        "peaks cannot stay below \(peak.tenths) dBTP in a sound of \(target.level)",
        at: ceiling.origin, help: "give a higher 'true_peak', or a lower level")
      return nil
    }
    return LoudnessRequest(target: target, hasCeiling: hasCeiling)
  }
}
