import Diagnosis
import MediaTime

/// WebVTT as its section 4 ("Syntax") wants it.
enum VTTWriter {
  static func text(_ cues: [WrittenCue], language: String?) -> String {
    var text = "WEBVTT\n"
    if let language = language.flatMap(LanguageTag.read) { text += "Language: \(language)\n" }
    var names: Set<String> = []
    for cue in cues {
      text += "\n"
      if let name = cue.cue.identifier?.tidiedLines.nonEmpty, isOneLine(name),
        names.insert(name).inserted
      {
        text += name + "\n"
      }
      text += cue.times(mark: UInt8(ascii: "."))
      if let settings = cue.cue.settings?.tidiedLines.nonEmpty, isOneLine(settings) {
        text += " " + settings
      }
      text += "\n"
      if let speaker = cue.speaker { text += "<v \(annotation(speaker))>" }
      text += body(of: cue) + "\n"
    }
    return text
  }

  /// Whether a line may be beside an arrow.
  private static func isOneLine(_ text: String) -> Bool {
    !text.contains("\n") && !text.containsScalars("-->")
  }

  /// A name within a tag, whose end makes no arrow of dashes.
  private static func annotation(_ name: String) -> String {
    let escaped = CharacterReference.escaped(name)
    guard escaped.endsWithScalars("--") else { return escaped }
    return String(escaped.unicodeScalars.dropLast()) + "&#45;"
  }

  /// The text of a cue, with its tags if they still are of that text: what has been taken out of a
  /// text must not come back with them.
  private static func body(of cue: WrittenCue) -> String {
    guard let markup = cue.cue.markup else { return CharacterReference.escaped(cue.text) }
    let parts = MarkupPart.parts(of: markup)
    let plain = parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    guard plain.tidiedLines == cue.text else { return CharacterReference.escaped(cue.text) }
    return Self.text(of: parts, cue).tidiedLines
  }

  private static func text(of parts: [MarkupPart], _ cue: WrittenCue) -> String {
    var text = ""
    var open: [String] = []
    var moments = moments(of: parts, cue)[...]
    for part in parts {
      switch part {
      case .text(let plain): text += CharacterReference.escaped(plain)
      case .opening("v", _), .closing("v"): break
      case .opening(let name, let rest):
        open.append(name)
        text += "<\(name)\(rest.endsWithScalars("--") ? "" : rest)>"
      case .closing(let name):
        guard let index = open.lastIndex(of: name) else { break }
        for name in open[index...].reversed() { text += "</\(name)>" }
        open.removeSubrange(index...)
      case .moment:
        if let moment = moments.popFirst() ?? nil {
          text += "<\(CaptionTime.text(milliseconds: moment, mark: UInt8(ascii: ".")))>"
        }
      }
    }
    return text + open.reversed().map { "</\($0)>" }.joined()
  }

  /// What the moments of a text are now, as its words have been moved: where its next word begins; nil
  /// for one that may not stand there. They lie within the cue and go up (4.2.2).
  private static func moments(of parts: [MarkupPart], _ cue: WrittenCue) -> [Int64?] {
    var spans = 0
    var nexts: [Int] = []
    var isBlank = true
    for part in parts {
      switch part {
      case .text(let text):
        if isBlank, !text.tidiedLines.isEmpty {
          (isBlank, spans) = (false, spans + 1)
        }
      case .moment:
        nexts.append(spans)
        isBlank = true
      default: break
      }
    }
    let words = cue.cue.words
    guard spans == words.count else { return nexts.map { _ in nil } }
    var last = cue.start
    return nexts.map { next in
      let time = next < words.count ? words[next].range?.start : words.last?.range?.end
      guard let moment = time.map(CaptionTime.milliseconds), last < moment, moment < cue.end else {
        return nil
      }
      last = moment
      return moment
    }
  }
}
