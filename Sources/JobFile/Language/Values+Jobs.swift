import Diagnosis
import JSON
import JobModel
import MediaComposition
import YAML

/// The kinds of values of a job's and a file's keys.
extension Values {
  static let jobs: Form = Form(
    "jobs", [.map], "named jobs, as { teaser: { clip: interview.wav, output: teaser.mp3 } }",
    maps: { [Language.job] }
  ) {
    JSONForm.map(of: Language.job.reference, isEmptyFine: false).with([
      "propertyNames": ["pattern": .text(Pattern.text)]
    ])
  }

  static let defaults: Form = Form(
    "defaults", [.map],
    "keys of jobs, as { sample_rate: 48 kHz, metadata: { artist: Deep Fields } }",
    maps: { [Language.defaults] }
  ) { Language.defaults.reference }

  static let variables: Form = Form("variables", [.map], "names and texts, as { episode: 42 }") {
    JSONForm.map(of: JSONForm.anyText).with([
      "propertyNames": ["pattern": .text(Pattern.variableName)]
    ])
  }

  /// Files are included before variables are known.
  static let includes: Form = Form(
    "includes", [.text, .list], "a file, as 'shows.yaml', or a list of them",
    maps: { [Language.included] }
  ) {
    let written = JSONForm.path.with([
      "not": ["type": "string", "pattern": .text(Pattern.template)]
    ])
    return JSONForm.shapes(text: written, list: JSONForm.list(of: written))
  }

  /// A pattern, a list of files or values, or lists of values by their names.
  static let loop: Form = Form(
    "for_each", [.text, .list, .map],
    "a pattern of files, as 'raw/**/*.wav', an address, a list of them, or lists of values, as "
      + "{ lang: [en, de] }"
  ) {
    let list = JSONForm.list(of: JSONForm.location)
    let files = JSONForm.shapes(text: JSONForm.location, list: list)
    let names: JSONValue = [
      "anyOf": [["const": "input"], ["pattern": .text(Pattern.variableName)]]
    ]
    let lists: JSONValue = [
      "type": "object", "minProperties": 1, "propertyNames": names,
      "properties": ["input": files],
      "additionalProperties": JSONForm.list(of: JSONForm.anyText).with(JSONForm.onceEach),
    ]
    return JSONForm.shapes(text: JSONForm.location, list: list, map: lists)
  }

  static let table: Form = Form("table", [.text], "a table, as 'words.csv'") { JSONForm.path }

  static let column: Form = Form("column", [.text], "the name of a column") { JSONForm.someText }

  /// Each once.
  static let names: NodeNotation<[Located<String>]> = NodeNotation(
    Form("names", [.text, .list], "a job's name, or a list, as [intro, 'episode-42']") {
      JSONForm.oneOrMore(JSONForm.someText)
    }
  ) { node, decoder, scope in
    var seen: Set<String> = []
    return node.elements.compactMap { node in
      guard let name = decoder.jobName(node, scope), seen.insert(name).inserted else { return nil }
      return Located(name, at: node.origin)
    }
  }

  /// The layout of a job's mix, or one channel of its only clip.
  static let mixChannels = TextNotation(
    channels.form.name, channels.form.example, channels.form.tree()
  ) { text throws(QuantityError) in
    if let channels = try? Quantity.itemChannels(text), channels.isPick { return channels }
    return ItemChannels.layout(try Quantity.channels(text))
  }

  static let split: Form = Form(
    "split", [.text, .map],
    "the path or address of a list of times, as 'album.cue', or { 0:00: One, 4:10: Two }, "
      + "{ every: 10m }, 'chapters' or 'cues'", maps: { [Language.split] }
  ) {
    JSONForm.shapes(
      text: JSONForm.location,
      map: JSONForm.map(
        Language.split,
        or: JSONForm.map(of: JSONForm.anyText, isEmptyFine: false).with([
          "propertyNames": ["pattern": .text(Pattern.ownMoment)]
        ])))
  }

  /// Which cues are parts.
  static let cueParts: MapNotation<CueParts> = MapNotation(
    "the bounds of cues", CueParts(), example: "{ longer: 1s, shorter: 15s, margin: 100ms }",
    [
      Key("longer", time, "the length of a cue at least; others are left out") { $0.least = $1 },
      Key("shorter", time, "the length of a cue at most; others are left out") { $0.most = $1 },
      Key("margin", time, "sound around a cue, up to half of the way to another one") {
        $0.margin = $1
      },
    ])

  /// The name of a source, or a medium; an empty text for none.
  static let media: Form = Form("media", [.text], "the name of a source, a path or an address") {
    JSONForm.locationOrNone
  }

  static let cover: Form = Form(
    "cover", [.text], "a picture's path or address, as 'media/cover.jpg'"
  ) { JSONForm.locationOrNone }
}

extension YAMLNode {
  /// The entries of a map; none of any other node.
  var entries: [YAMLEntry] { if case .mapping(let entries) = kind { entries } else { [] } }

  /// The elements of a list; a node that is no list, alone.
  var elements: [YAMLNode] { if case .sequence(let nodes) = kind { nodes } else { [self] } }
}
