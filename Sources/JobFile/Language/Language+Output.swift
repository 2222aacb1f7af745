import Diagnosis
import JSON
import JobModel
import MPEGAudio
import MediaComposition

/// An output, while its keys are read.
struct OutputDraft {
  let job: EnclosingJob
  let isInFolder: Bool
  var request: Output.Request?
  var formatKey: String?
  var mp3: MP3Choice?
  var loudness: LoudnessTarget?
  var conform: [ConformRequest]?
  var silences: SilencePlaces?
  var isStrict: Located<Bool>?
  var gainTags: Located<GainTags?>?
  var sampleRate: Located<Int>?
  var channels: Located<ChannelLayout>?
  var tags = JobTags()
  var id3: Located<ID3Version>?
  var copying: Output.Copying?
  var join: Located<Output.Copying.Join>?
  var video: Located<Output.Video>?
  var marks: MarkRequest?

  init(_ job: EnclosingJob, isInFolder: Bool) {
    self.job = job
    self.isInFolder = isInFolder
  }

  /// Whether frames of a codec are copied that have grids.
  var copiesFrames: Bool {
    guard case .copied(let kind) = request else { return false }
    return kind.capabilities.copiedUnit == .frames
  }

  /// What is said of its level.
  var levels: (LoudnessTarget?, [ConformRequest]?, SilencePlaces?) { (loudness, conform, silences) }
  /// The gains in its tags, and where they were written.
  var gains: (GainTags?, Origin) { (gainTags?.value, gainTags?.origin ?? .unknown) }

  /// The first of several formats counts; the others are refused.
  mutating func take(_ request: Output.Request, by key: String) {
    if self.request == nil { (self.request, formatKey) = (request, key) }
  }

  /// Adds to what its file gets of marks.
  mutating func addMarks(_ change: (inout MarkRequest) -> Void) {
    var changed = marks ?? MarkRequest()
    change(&changed)
    marks = changed
  }
}

extension Language {
  /// `file`, `folder`, `chapters` and `transcript` are read after the format, `json` and `preset` before.
  static let outputKeys: Keys<OutputDraft> = Keys([
    Key("file", as: Values.path.form, "the path to write to"),
    Key("folder", as: Values.path.form, "the folder to write to, under the input's name"),
    Key("mp3", Values.mp3, "MP3 by LAME") { output, choice in
      output.mp3 = choice
      output.copying = output.copying ?? choice.copying
      let isCopied = choice.copying != nil
      output.take(isCopied ? .copied(.mp3) : .exactly(.mp3(choice.settings)), by: "mp3")
    },
    Key("join", Values.join, "how copied frames of two sources meet; else 'exact'") {
      $0.join = $1
    },
    Key("id3", Values.id3, "the tag's version in MP3 and AIFF; else 2.4, where chapters allow it") {
      $0.id3 = $1
    },
    Key("wav", Values.wave, "PCM, or G.711 (mu-law, a-law)") { output, choice in
      output.copying = output.copying ?? choice.format.copying
      output.take(choice.format.request, by: "wav")
      guard let container = choice.container else { return }
      output.addMarks { ($0.container, $0.origins[3]) = (container.value, container.origin) }
    },
    format(.aiff, Values.pcm, "PCM, big-endian"),
    format(.caf, Values.cafSamples, "PCM or IMA4 in Apple's Core Audio Format"),
    format(.raw, Values.rawSamples, "samples without a header, as telephone systems have them"),
    format(.flac, Values.bitDepth, "FLAC, also in MKV"),
    format(.alac, Values.bitDepth, "Apple Lossless in MP4 and MOV; in CAF by the name '.caf'"),
    Key(
      "aac", Values.aac,
      "AAC in MP4 and MOV, by FFmpeg's encoder or libfdk-aac; bare by the name '.aac', or in CAF"
    ) { output, choice in
      output.copying = output.copying ?? choice.copying
      output.take(choice.request, by: "aac")
    },
    format(.vorbis, Values.vorbis, "Vorbis in Ogg, MKV and WebM"),
    format(.opus, Values.codedBitRate, "Opus in Ogg, MKV and WebM"),
    format(.amr, Values.amrBitRate, "AMR narrow-band: one channel at 8 kHz, where FFmpeg has it"),
    Key("codec", as: Values.codec.form, "'same': that of the job's sources, at their quality") {
      entry, decoder, scope, output in
      guard Values.codec.read(entry.value, decoder, scope) != nil else { return }
      output.take(.same(as: nil, isInFolder: output.isInFolder), by: "codec")
    },
    Key("video", Values.video, "pictures in MP4, MOV, MKV and WebM: 'copy' unless given") {
      $0.video = $1
    },
    Key("sample_rate", Values.sampleRate, "of this output; else as the mix") { $0.sampleRate = $1 },
    Key("channels", Values.layout, "of this output; else as the mix") { $0.channels = $1 },
    Key("loudness", Values.loudness, "the level of this output; else the job's") {
      $0.loudness = $1.ofOutput
    },
    Key("conform", Values.conform, "what this file is checked by, or 'none'; else as the job") {
      $0.conform = $1
    },
    Key(
      "strict", Values.boolean, "whether damaged and doubtful sources are refused; else as the job"
    ) { $0.isStrict = $1 },
    Key(
      "bwf", Values.broadcast,
      "of WAV: the texts of its 'bext', over those of the source, or 'none'"
    ) { output, broadcast in
      output.addMarks {
        ($0.broadcast, $0.removesBroadcast) = (broadcast.value, broadcast.value == nil)
        $0.origins[0] = broadcast.origin
      }
    },
    Key("cart", as: Values.cart.form, "of WAV: what radio's systems read, over the source's") {
      entry, decoder, scope, output in
      guard let cart = Values.cart.read(entry.value, decoder, scope) else { return }
      output.addMarks { ($0.cart, $0.origins[1]) = (cart, entry.keyOrigin) }
    },
    Key("foreign", Values.foreign, "'keep': a FLAC has all chunks of an untouched WAV or AIFF") {
      output, kept in
      output.addMarks { ($0.keepsForeign, $0.origins[2]) = (kept.value, kept.origin) }
    },
    Key("gain_tags", Values.gainTags, "ReplayGain or R128 of the written file in its tags") {
      $0.gainTags = $1
    },
    Key("metadata", as: Values.metadata.form, "tags of this output, over the job's") {
      entry, decoder, scope, output in output.tags = decoder.metadata(entry.value, scope)
    },
    Key("json", as: Values.sidecar.form, "'sidecar': no sound, but facts of the job as JSON"),
    Key("preset", as: Values.preset, "a named set of settings; keys beside it win"),
    Key("chapters", as: Values.chapterPlaces, "in the file, or in files beside it"),
    Key(
      "transcript", as: Values.transcriptPlaces.form,
      "the words: in files beside it, in the file, or as lyrics; else nowhere"),
    Key("silences", Values.silencePlaces, "its silences: in files beside it") { $0.silences = $1 },
  ])

  /// A key of a format, with its settings as text.
  private static func format(
    _ kind: Output.Kind, _ form: Form, _ help: String
  ) -> Key<OutputDraft> {
    Key(kind.rawValue, as: form, help) { entry, decoder, scope, output in
      let format = decoder.value(entry.value, scope) { text throws(QuantityError) in
        try Quantity.request(kind, text)
      }
      guard let format else { return }
      output.copying = output.copying ?? format.value.copying
      output.take(format.value.request, by: kind.rawValue)
    }
  }

  /// The format keys, of which an output has at most one.
  static let formatKeys = Output.Kind.allCases.map(\.rawValue) + ["codec"]

  /// A file to be written.
  static let output: Schema = Schema(
    "an output", keys: outputKeys.facts,
    rules: [
      .one(
        of: ["file", "folder"], missing: "an output needs a 'file' or a 'folder'",
        help: "add 'file: out/episode.mp3', or 'folder: out' for files with the input's name",
        note: "the file is named here"),
      oneFormat,
      .key(
        "folder", needs: formatKeys + ["preset", "json"], folderNeedsFormat, help: addFormat),
      .key(
        "json", onlyBeside: ["file", "folder"],
        help: "a sidecar has facts and no sound; 'output' may be a list",
        note: "it is given here"),
    ], conditions: { extensionConditions + layoutConditions + id3Conditions + wordConditions })

  static let folderNeedsFormat = "a 'folder' needs a format"
  static let addFormat = "add one of " + formatKeys.quoted

  private static let oneFormat = Schema.Rule.atMostOne(
    of: formatKeys, beside: "an output has one format; 'output' may be a list")

  /// An entry of `presets`: settings of an output.
  static let preset: Schema = {
    let keys = outputKeys.without(["file", "folder", "metadata", "json", "preset"]).facts
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
    let noTag = isOne(of: Output.Kind.allCases.filter { !$0.capabilities.hasID3 })
    // For `codec: same` only the decoder knows the format.
    let tag: JSONValue = ["if": noTag, "then": Schema.Rule.Kind.none(["id3"])]
    let places: JSONValue = [
      "if": ["anyOf": [noTag, ["required": ["codec"]]]],
      "then": ["properties": ["chapters": without("id3")]],
    ]
    return [tag, places]
  }()

  /// Not every format has a place for words.
  private static let wordConditions: [JSONValue] = [
    wordCondition("file", \.holdsCaptions), wordCondition("lyrics", \.holdsLyrics),
  ]

  private static func wordCondition(
    _ word: String, _ isHeld: KeyPath<OutputCapabilities, Bool>
  ) -> JSONValue {
    let others = Output.Kind.allCases.filter { !$0.capabilities[keyPath: isHeld] }
    let refusal = without(word)
    return [
      "if": ["anyOf": [isOne(of: others), ["required": ["codec"]]]],
      "then": [
        "properties": [
          "transcript": ["allOf": [refusal, ["properties": ["as": refusal]]]]
        ]
      ],
    ]
  }

  /// No word, or list, of places with this one.
  private static func without(_ word: String) -> JSONValue {
    let word: JSONValue = ["const": .text(word)]
    return ["not": ["anyOf": [word, ["type": "array", "contains": word]]]]
  }

  private static let hasFormat = Schema.Rule.Kind.someOf(formatKeys + ["preset", "json"]).tree

  /// Whether an output is one of `kinds`, by a key, or without keys by its path.
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

  /// A format's files have its own extensions; without a key, the path must have one.
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
