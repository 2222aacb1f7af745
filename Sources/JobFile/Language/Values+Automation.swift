import Diagnosis
import JobModel
import MediaComposition
import MediaTime

/// What radio automation reads in tags.
extension Values {
  /// A time of the whole, or `trim`.
  static let automationText = TextNotation<Automation.Place>(
    "automation_text", "a time, as '1:30' or 'end-4s', or 'trim'",
    Pattern.whole(
      Pattern.one(of: "trim", "start", "end(-\(Pattern.timeBody))?", Pattern.timeBody))
  ) { text throws(QuantityError) in
    if text == "trim" { return .trim }
    let moment = try Moment(parsing: text)
    guard moment.anchor == .start || moment.anchor == .end else {
      throw QuantityError(
        "'\(text)' is no time of the whole", help: "write a time, as '1:30' or 'end-4s'")
    }
    return .moment(moment)
  }

  private struct PlaceFields: Sendable {
    var chapter: Located<String>?
  }

  private static let automationPlace: NodeNotation<Located<Automation.Place>> = NodeNotation(
    "automation_place", "a time, as 'end-4s', 'trim', or { chapter: Outro }", text: automationText,
    convert: { $0 },
    map: MapNotation(
      "a moment of a chapter", PlaceFields(), example: "{ chapter: Outro }",
      rules: [
        .some(
          of: ["chapter"], missing: "a moment needs a 'chapter'", help: "write { chapter: Outro }")
      ],
      [Key("chapter", text, "the title of the chapter that begins then") { $0.chapter = $1 }]),
    finish: { fields, _, _ in
      fields.chapter.map { Located(.chapter($0.value), at: $0.origin) }
    })

  private struct AutomationFields: Sendable {
    var automation = Automation()
    var below: Located<Gain>?
    var keep: TimeText = .time(.zero)
  }

  private static let automationMap = MapNotation<AutomationFields>(
    "the marks for automation", AutomationFields(),
    example: "{ cue_in: trim, cue_out: trim, below: -45 dB, next: end-4s }",
    rules: [
      .some(
        of: ["cue_in", "cue_out", "next", "fade_in", "fade_out", "amplify"],
        missing: "'automation' without marks",
        help: "write { cue_in: 0.3s, cue_out: end-1s, next: end-4s }"),
      .key(
        "keep", needs: ["below"], "'keep' without 'below'",
        help: "it is for cues at 'trim': write 'below: -45 dB' beside it"),
    ],
    [
      Key("cue_in", automationPlace, "where it begins to be heard") { $0.automation.cueIn = $1 },
      Key("cue_out", automationPlace, "where it is no longer heard") { $0.automation.cueOut = $1 },
      Key("next", automationPlace, "where the next file begins") { $0.automation.next = $1 },
      Key("fade_in", time, "how long it is faded in") { $0.automation.fadeIn = $1 },
      Key("fade_out", time, "how long it is faded out") { $0.automation.fadeOut = $1 },
      Key("amplify", gain, "the gain with which it is played") { $0.automation.amplify = $1 },
      Key("below", silenceLevel, "for 'trim': the level under which sound is silence") {
        $0.below = $1
      },
      Key("keep", time, "for 'trim': how much of the silence stays at each end") {
        $0.keep = $1.value
      },
    ])

  /// Where a file begins and ends for automation, and where the next one begins.
  static let automation: NodeNotation<Automation> = NodeNotation(automationMap.form) {
    node, decoder, scope in
    guard let fields = automationMap.read(node, decoder, scope) else { return nil }
    var automation = fields.automation
    automation.origin = node.origin
    automation.trim = fields.below.map { Trim(below: $0.value, keep: fields.keep) }
    let places = [automation.cueIn, automation.cueOut, automation.next]
    let trimmed = places.compactMap(\.self).first { $0.value == .trim }
    switch (trimmed, fields.below) {
    case (let place?, nil):
      decoder.sink.error(
        "'trim' needs a level", at: place.origin, help: "write 'below: -45 dB' beside it")
      return nil
    case (nil, let below?):
      decoder.sink.error(
        "'below' without a cue at 'trim'", at: below.origin,
        help: "write 'cue_in: trim', or leave it out")
      return nil
    default: return automation
    }
  }
}
