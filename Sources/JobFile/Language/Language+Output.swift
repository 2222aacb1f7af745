import JobModel
import MediaComposition
import JSON

extension Language {
  /// A file to be written.
  static let output: Schema = Schema(
    "an output",
    keys: [
      .init("file", Values.path.form, "the path to write to"),
      .init("folder", Values.path.form, "the folder to write to, under the input's name"),
      .init("mp3", Values.mp3.form, "MP3 by LAME"),
      .init(
        "id3", Values.id3.form,
        "the tag's version in MP3 and AIFF; else 2.4, where chapters allow it"),
      .init("wav", Values.pcm, "PCM"),
      .init("aiff", Values.pcm, "PCM, big-endian"),
      .init("caf", Values.pcm, "PCM in Apple's Core Audio Format"),
      .init("flac", Values.bitDepth, "FLAC"),
      .init("alac", Values.bitDepth, "Apple Lossless in MP4"),
      .init("aac", Values.bitRate.form, "AAC in MP4"),
      .init("vorbis", Values.vorbis, "Vorbis in Ogg"),
      .init("opus", Values.bitRate.form, "Opus in Ogg"),
      .init("codec", Values.codec.form, "'same': that of the job's only clip"),
      .init("sample_rate", Values.sampleRate.form, "of this output; else as the mix"),
      .init("channels", Values.layout.form, "of this output; else as the mix"),
      .init("metadata", Values.metadata.form, "tags of this output, over the job's"),
      .init("json", Values.sidecar.form, "'sidecar': no sound, but facts of the job as JSON"),
      .init("preset", Values.preset, "a named set of settings; keys beside it win"),
      .init("chapters", Values.chapterPlaces, "in the file, or in files beside it"),
    ],
    rules: [
      .one(
        of: ["file", "folder"], missing: "an output needs a 'file' or a 'folder'",
        help: "add 'file: out/episode.mp3', or 'folder: out' for files with the input's name",
        note: "the file is named here"),
      oneFormat,
      .key(
        "folder", needs: formatKeys + ["preset", "json"], "a 'folder' needs a format",
        help: "add one of " + formatKeys.map { "'\($0)'" }.joined(separator: ", ")),
      .key(
        "json", onlyBeside: ["file", "folder"],
        help: "a sidecar has facts and no sound; 'output' may be a list",
        note: "it is given here"),
    ], conditions: { extensionConditions + layoutConditions + id3Conditions })

  private static let oneFormat = Schema.Rule.atMostOne(
    of: formatKeys, beside: "an output has one format; 'output' may be a list")

  /// An entry of `presets`: settings of an output.
  static let preset: Schema = {
    let keys = output.keys.filter {
      !["file", "folder", "metadata", "json", "preset"].contains($0.name)
    }
    return Schema(
      "a preset", example: "{ mp3: V2, channels: mono }", keys: keys,
      rules: [
        oneFormat,
        .some(
          of: keys.map(\.name), missing: "a preset without keys", help: "write { mp3: V2 }"),
      ])
  }()

  // MARK: What must hold between keys and values

  /// Not every format has an ID3 tag.
  private static let id3Conditions: [JSONValue] = {
    let place: JSONValue = [
      "not": ["anyOf": [["const": "id3"], ["type": "array", "contains": ["const": "id3"]]]]
    ]
    let noTag = isOne(of: Output.Kind.allCases.filter { !$0.capabilities.hasID3 })
    // Of the clip's own format only the decoder knows whether it has the tag.
    let tag: JSONValue = ["if": noTag, "then": Schema.Rule.Kind.none(["id3"])]
    let places: JSONValue = [
      "if": ["anyOf": [noTag, ["required": ["codec"]]]],
      "then": ["properties": ["chapters": place]],
    ]
    return [tag, places]
  }()

  private static let hasFormat = Schema.Rule.Kind.someOf(formatKeys + ["preset", "json"]).tree

  /// Whether an output is of one of `kinds`: a key says so, or nothing but the path says anything.
  private static func isOne(of kinds: [Output.Kind]) -> JSONValue {
    let named = Schema.Rule.Kind.someOf(kinds.map(\.rawValue)).tree
    guard let pattern = Pattern.outputPath(of: kinds) else { return named }
    let path: JSONValue = ["type": "string", "pattern": .text(pattern)]
    let shown: JSONValue = [
      "required": ["file"], "properties": ["file": path], "not": hasFormat,
    ]
    return ["anyOf": [named, shown]]
  }

  /// Not every format has every layout.
  private static let layoutConditions: [JSONValue] = Output.Kind.allCases.compactMap { kind in
    let missing = ChannelLayout.named.filter { kind.capabilities.stored($1) == nil }.map(\.key)
    guard !missing.isEmpty else { return nil }
    return [
      "if": isOne(of: [kind]),
      "then": ["properties": ["channels": ["not": ["enum": .list(JSONForm.layouts(missing))]]]],
    ]
  }

  /// A format goes into files of its own extensions; one that no key names must show in the path.
  private static let extensionConditions: [JSONValue] = {
    func path(_ condition: JSONValue) -> JSONValue { ["properties": ["file": condition]] }
    func matches(_ pattern: String) -> JSONValue {
      path(["anyOf": [["pattern": .text(pattern)], ["pattern": .text(Pattern.template)]]])
    }
    let named: [JSONValue] = Output.Kind.allCases.map { kind in
      [
        "if": ["required": .list([.text(kind.rawValue), "file"])],
        "then": path([
          "not": ["type": "string", "pattern": .text(Pattern.otherOutputPath(than: kind))]
        ]),
      ]
    }
    let unnamed: JSONValue = ["if": hasFormat, "else": matches(Pattern.outputPath)]
    let facts: JSONValue = ["if": ["required": ["json"]], "then": matches(Pattern.jsonPath)]
    return named + [unnamed, facts]
  }()
}
