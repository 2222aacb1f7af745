import Diagnosis
import JSON
import JobModel
import MediaComposition
import MediaTime

/// The notations of Broadcast Wave, of radio's chunk and of loops (docs/broadcast.md).
extension Values {
  /// A text of a field that holds so many bytes.
  private static func field(of limit: Int) -> TextNotation<String> {
    TextNotation("field_of_\(limit)", "a text of up to \(limit) bytes", JSONForm.anyText) {
      text throws(QuantityError) in
      guard text.utf8.count <= limit else {
        throw QuantityError(
          "this text has \(text.utf8.count) bytes, and its field holds \(limit)",
          help: "shorten it")
      }
      return text
    }
  }

  private static let measured = TextNotation(
    "measured_loudness", [("measure", true)], refusal: "is nothing that a 'bext' does with loudness"
  )

  private static let noBroadcast = TextNotation(
    "no_broadcast", [("none", true)], refusal: "is no 'bext'",
    help: "write 'none', or { description: \"Interview, side A\" }")

  /// `none`, which is nil, or what `bext` has.
  static let broadcast: NodeNotation<Located<MarkRequest.Broadcast?>> = NodeNotation(
    "bwf", "'none', or a map, as { description: \"Interview, side A\" }", text: noBroadcast,
    convert: { Located(nil, at: $0.origin) },
    map: MapNotation(
      "a 'bext'", MarkRequest.Broadcast(), example: "{ description: \"Interview, side A\" }",
      [
        Key("description", field(of: 256), "what the sound is; else the source's") {
          $0.description = $1.value
        },
        Key("originator", field(of: 32), "who made it; else the source's") {
          $0.originator = $1.value
        },
        Key("originator_reference", field(of: 32), "its name there (EBU R 99)") {
          $0.originatorReference = $1.value
        },
        Key("loudness", measured, "'measure': the loudness of the written file") {
          $0.measuresLoudness = $1.value
        },
      ]),
    finish: { broadcast, node, _ in Located(broadcast, at: node.origin) })

  /// A moment of an output.
  private static let outputMoment = TextNotation(
    "output_moment", "a time of the output, as '1:30' or 'end-1.5s'",
    Pattern.whole("(?!.*sample)" + Pattern.ownMomentBody)
  ) { text throws(QuantityError) in
    let moment = try Moment(parsing: text)
    let isFromEnd = moment.anchor == .end
    guard isFromEnd || moment.anchor == .start, case .time(let offset) = moment.offset,
      moment.isEarlier == isFromEnd || offset == .zero
    else {
      throw QuantityError(
        "'\(text)' is no time of an output", help: "write a time, as '1:30' or 'end-1.5s'")
    }
    return MarkRequest.Edge(offset, isFromEnd: isFromEnd)
  }

  private static func timer(_ name: String, _ usage: String, _ help: String) -> Key<
    MarkRequest.Cart
  > {
    Key(name, outputMoment, help) { $0.timers.append(.init(usage, $1.value)) }
  }

  private static func text(
    _ key: MarkRequest.Cart.Text, _ help: String, _ notation: TextNotation<String> = field(of: 64)
  ) -> Key<MarkRequest.Cart> {
    Key(key.rawValue, notation, help) { $0.texts.append(.init(key, $1.value)) }
  }

  /// The numbers of a day or a time of day, between the signs that AES46 (4.6, 4.7) lets part them; nil
  /// for any other text.
  private static func numbers(_ text: String, _ digits: [Int]) -> [Int]? {
    let parts = text.split(omittingEmptySubsequences: false) { "/-:._ ".contains($0) }
    guard parts.map(\.utf8.count) == digits else { return nil }
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(part) : nil
    }
    return numbers.count == digits.count ? numbers : nil
  }

  private static let cartDay = TextNotation(
    "cart_day", "a day, as '2026/11/29', or nothing", JSONForm.anyText
  ) { text throws(QuantityError) in
    guard
      text.isEmpty
        || numbers(text, [4, 2, 2]).map({ CalendarDay($0[0], $0[1], $0[2]) != nil }) == true
    else {
      throw QuantityError("'\(text)' is no day", help: "write year, month and day, as '2026/11/29'")
    }
    return text
  }

  private static let cartTime = TextNotation(
    "cart_time", "a time of day, as '07:30:00', or nothing", JSONForm.anyText
  ) { text throws(QuantityError) in
    guard
      text.isEmpty
        || numbers(text, [2, 2, 2]).map({ $0[0] < 24 && $0[1] < 60 && $0[2] < 60 }) == true
    else {
      throw QuantityError(
        "'\(text)' is no time of day", help: "write hour, minute and second, as '07:30:00'")
    }
    return text
  }

  /// What `cart` has.
  static let cart: MapNotation<MarkRequest.Cart> = {
    let texts = [
      text(.cutID, "its number in the system"), text(.title, "its title"),
      text(.artist, "its artist"), text(.category, "its category, as 'SPOT'"),
      text(.classification, "its class"), text(.clientID, "whose it is"),
      text(.outCue, "its last words"),
      text(.startDate, "the day from which it may run, as '2026/11/29'", cartDay),
      text(.startTime, "the time of that day, as '07:30:00'", cartTime),
      text(.endDate, "the day until which it may run", cartDay),
      text(.endTime, "the time of that day", cartTime),
    ]
    let timers = [
      timer("audio_start", "AUDs", "where its sound begins"),
      timer("audio_end", "AUDe", "where its sound ends"),
      timer("intro_start", "INTs", "where its introduction begins"),
      timer("intro_end", "INTe", "where its introduction ends"),
      timer("segue", "SEGs", "where the next one may begin"),
      timer("segue_end", "SEGe", "where the next one must have begun"),
      timer("end", "EOD ", "where it ends"),
    ]
    return MapNotation(
      "a cart", MarkRequest.Cart(), example: "{ cut_id: '000123', segue: end-1.5s }",
      rules: [
        .some(
          of: (texts + timers).map(\.facts.name), missing: "a cart without keys",
          help: "write { cut_id: '000123', segue: end-1.5s }")
      ], texts + timers)
  }()

  static let foreign = TextNotation(
    "foreign", [("keep", true)], refusal: "is nothing that becomes of foreign chunks")

  /// A range, or `none`.
  static let loopPoints: NodeNotation<Located<LoopPoints>> = NodeNotation(
    Form(
      "loop_points", [.text, .map], "a range, as '3s..7s', or 'none'", maps: { [range.schema] }
    ) {
      JSONForm.shapes(
        text: JSONForm.text(Pattern.whole(Pattern.one(of: "none", rangeBody))),
        map: range.schema.reference)
    }
  ) { node, decoder, scope in
    if case .mapping = node.kind {
      return range.read(node, decoder, scope).map { Located(.range($0), at: node.origin) }
    }
    guard let text = decoder.text(node, scope) else { return nil }
    if text.string == "none" { return Located(LoopPoints.none, at: node.origin) }
    return decoder.range(node, scope).map { Located(.range($0.value), at: $0.origin) }
  }
}
