import JSON

/// A map of the job language: its keys, and the rules between them. Refusal by name, "did you
/// mean", the JSON Schema and the reference page follow from it.
struct Schema: Sendable {
  /// The map's name with its article: `an item`.
  let subject: String
  /// Such a map, for "write …"; nil where no other shape is likely.
  let example: String?
  /// In the order of documentation.
  let keys: [Key]
  /// Enforced wherever such a map is read.
  let rules: [Rule]
  /// Rules between keys and values that only JSON Schema expresses.
  let conditions: @Sendable () -> [JSONValue]
  /// Whether the user's own keys are allowed beside them.
  let isOpen: Bool
  private let indices: [String: Int]

  init(
    _ subject: String, example: String? = nil, keys: [Key], rules: [Rule] = [],
    isOpen: Bool = false, conditions: @escaping @Sendable () -> [JSONValue] = { [] }
  ) {
    self.subject = subject
    self.example = example
    self.keys = keys
    self.rules = rules
    self.isOpen = isOpen
    self.conditions = conditions
    indices = Dictionary(
      keys.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A key in messages and documents.
  struct Key: Sendable {
    let name: String
    let form: Form
    let help: String

    init(_ name: String, _ form: Form, _ help: String) {
      self.name = name
      self.form = form
      self.help = help
    }
  }

  subscript(name: String) -> Key? { indices[name].map { keys[$0] } }

  /// The names of the keys.
  var names: [String] { keys.map(\.name) }

  /// The name of its definition in the JSON Schema: `item_map` of `an item`.
  var definition: String { name.replacing(" ", with: "_") + "_map" }

  var name: String {
    let words = subject.split(separator: " ")
    return words.count > 1 ? words.dropFirst().joined(separator: " ") : subject
  }

  /// Refers to its definition in the JSON Schema.
  var reference: JSONValue { JSONForm.reference(named: definition) }

  /// Other programs' names for keys of the language.
  static let synonyms = [
    "repeat": "loop", "repeats": "loop", "times": "loop", "tempo": "speed", "stretch": "speed",
    "atempo": "speed", "backwards": "reverse", "areverse": "reverse", "balance": "pan",
    "phase": "polarity", "invert": "polarity", "remove": "cut", "delete": "cut",
    "filters": "effects", "amplify": "gain", "level": "gain", "start": "from", "begin": "from",
    "end": "to", "length": "duration", "offset": "at", "delay": "at", "markers": "chapters",
    "tags": "metadata", "matrix": "for_each", "foreach": "for_each", "table": "rows",
    "csv": "rows", "imports": "include", "default": "defaults", "input": "clip", "source": "clip",
    "in": "clip", "audio": "clip", "media": "clip", "files": "concat", "join": "concat",
    "out": "output", "outfile": "output", "destination": "output", "dest": "output",
    "normalize": "loudness", "normalise": "loudness", "lufs": "loudness", "ducking": "duck",
    "colour": "color", "slides": "images", "truncate_silence": "pauses", "silenceremove": "pauses",
  ]

  /// The reports for words that belong elsewhere, or nowhere.
  static let elsewhere: [String: String] = {
    let rate = "a bit rate stands behind the format of an output, as { file: x.mp3, mp3: cbr 128k }"
    let format =
      "an output's extension or a key names its format, as { file: x.mp3, mp3: V2 }"
    let tag = "tags stand under 'metadata', as { title: Intro, artist: Deep Fields }"
    var hints = ["bitrate": rate, "bit_rate": rate, "kbps": rate, "format": format, "type": format]
    for key in ["title", "artist", "album", "year", "date", "genre", "comment", "cover"] {
      hints[key] = tag
    }
    for key in ["fade", "fades", "fadein_out"] {
      hints[key] = "write 'fade_in' for the start of an item, 'fade_out' for its end"
    }
    hints["duck"] = "'duck' belongs to a track: \(duckHelp)"
    return hints
  }()

  /// Where the key `duck` stands.
  static let duckHelp = "write it beside all of the track, as music: { concat: [...], duck: ... }"
}
