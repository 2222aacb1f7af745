import JSON
import JobModel
import MPEGAudio
import MediaComposition

/// The kinds of values of an output's keys.
extension Values {
  private static func form(_ name: String, _ example: String, _ pattern: String) -> Form {
    Form(name, [.text], example) { JSONForm.text(Pattern.whole(pattern)) }
  }

  static let pcmBody = Pattern.one(
    of: "(16|24)" + Pattern.bits, "32" + Pattern.bits + "[ -]*" + Pattern.anyCase("float"),
    Pattern.copying)
  static let pcmText = Pattern.whole(pcmBody)
  static let pcm: Form = Form("pcm", [.text], "'16 bit', '24 bit', '32 bit float' or 'copy'") {
    JSONForm.text(pcmText)
  }
  /// Those of `pcm`, and IMA4.
  static let cafSamples = form(
    "caf_samples", "'16 bit', '24 bit', '32 bit float', 'ima4' or 'copy'",
    Pattern.one(of: pcmBody, Pattern.anyCase("ima") + "-?4"))

  static let lawBody = "([mM][uU]|[uUaA]|µ)[ -]*" + Pattern.anyCase("law")

  /// Those of `wav`, and G.722.
  static let rawSamples = form(
    "raw_samples",
    "'16 bit', '24 bit', '32 bit float', '8 bit', 'mu-law', 'a-law', 'g722', 'gsm' or 'copy'",
    Pattern.one(
      of: pcmBody, "8" + Pattern.bits, lawBody, Pattern.anyCase("g722"), Pattern.anyCase("gsm")))

  static let bitDepth = form(
    "bit_depth", "'16 bit', '24 bit' or 'copy'",
    Pattern.one(of: "(16|24)" + Pattern.bits, Pattern.copying))

  static let vorbis = form(
    "vorbis", "a quality, 'q-1' to 'q10', a bit rate, as '160k', or 'copy'",
    Pattern.one(
      of: #"[qQ](-0*1(\.0+)?|-0+(\.[0-9]+)?|\+?0*[0-9](\.[0-9]+)?|\+?0*10(\.0+)?)"#,
      Pattern.bitRateBody, Pattern.copying))

  static let codedBitRate = form(
    "coded_bit_rate", "a bit rate, as '128k', or 'copy'",
    Pattern.one(of: Pattern.bitRateBody, Pattern.copying))

  /// The modes of AMR, in thousands with as many decimals as they are given.
  static let amrBitRate: Form = {
    let modes = (Output.Kind.amr.bitRateModes ?? []).map { mode in
      var text = "\(mode / 1000)"
      let rest = String("\(mode % 1000 + 1000)".dropFirst())
      let decimals = String(rest.reversed().drop { $0 == "0" }.reversed())
      if !decimals.isEmpty { text += #"\."# + decimals }
      return text + (decimals.isEmpty ? #"(\.0*)?"# : "0*")
    }
    return form(
      "amr_bit_rate", "a bit rate of AMR, from '4.75k' to '12.2k'",
      "0*" + Pattern.one(of: modes) + " *" + Pattern.kilobits)
  }()

  static let id3 = TextNotation(
    "id3", ID3Version.allCases.map { ("\($0)", $0) },
    refusal: "is no version of ID3 that is written", help: "write '2.4', or '2.3' for old players")

  static let join = TextNotation(
    "join", Output.Copying.Join.allCases.map { ($0.rawValue, $0) },
    refusal: "is no way to join copied frames",
    help: "write 'exact' (some are encoded), 'nudge' (moved by half a frame at most) or 'strict'")

  static let gainTags = TextNotation<GainTags?>(
    "gain_tags", GainTags.allCases.map { ($0.rawValue, $0) } + [("none", nil)],
    refusal: "is no choice of gains in tags",
    help: "write 'track' (of the file), 'album' (also of all files of its album) or 'none'")

  static let codec = TextNotation(
    "codec", [("same", true)], refusal: "is no codec that is meant here",
    help: "write 'same' for that of the sources, or a format's key, as 'mp3: V2'")

  static let sidecar = TextNotation(
    "sidecar", [("sidecar", true)], refusal: "is no file of facts")

  /// The built-in presets, and names of the file's own, which no schema can list.
  static let preset: Form = Form("preset", [.text], "a preset's name, as 'podcast'") {
    let known: [JSONValue] = OutputPreset.all.map { preset in
      ["const": .text(preset.name), "description": .text(preset.summary)]
    }
    let own = JSONForm.someText.with(["description": "a name from 'presets'"])
    return ["anyOf": .list(known + [own])]
  }

  static let chapterPlaceNames = ["file", "id3"] + ChapterPlaces.Sidecar.allCases.map(\.rawValue)

  static let chapterPlaces: Form = Form(
    "chapter_places", [.text, .list], "places, as [file, podlove, labels], or [] for none"
  ) {
    JSONForm.oneOrMore(JSONForm.words(chapterPlaceNames.map { .text($0) }), onceEach: true)
  }

  /// A file by its extension, a map, or a list of both with a sound file.
  static let outputs: Form = Form(
    "outputs", [.text, .list, .map], "a path, as 'out/episode.mp3', a map or a list of them",
    maps: { [Language.output, manifest.schema] }
  ) {
    let isManifest: JSONValue = ["required": ["manifest"]]
    // What is no sound.
    let isFacts: JSONValue = ["anyOf": [["required": ["json"]], isManifest]]
    let map: JSONValue = [
      "if": isManifest, "then": manifest.schema.reference, "else": Language.output.reference,
    ]
    let one = JSONForm.shapes(text: JSONForm.text(Pattern.outputPath), map: map)
    return JSONForm.shapes(
      text: one,
      list: JSONForm.list(of: one).with(["contains": ["not": isFacts.with(["type": "object"])]]),
      map: JSONForm.all(map, ["not": isFacts]))
  }

  static let presets: Form = Form(
    "presets", [.map], "names and settings, as { small: { mp3: abr 48k, channels: mono } }",
    maps: { [Language.preset] }
  ) {
    JSONForm.map(of: Language.preset.reference).with([
      "propertyNames": ["not": ["enum": .list(OutputPreset.all.map { .text($0.name) })]]
    ])
  }
}
