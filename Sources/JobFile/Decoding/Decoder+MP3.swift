import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition
import YAML

struct MP3Choice: Hashable {
  var settings: MP3Settings
  /// The preset of LAME's, if written so. Some presets also mix down to one channel and resample,
  /// unless the job sets these.
  var preset: MP3Preset?
  /// Where mono is requested.
  var mono: Origin?
  /// Whether frames are copied from sources, and nothing else is said of them.
  var copying: Output.Copying?
  /// Where settings with a place of their own are written.
  var origins = Output.Origins()
}

extension Located<MP3Choice> {
  fileprivate var placed: MP3Choice {
    var choice = value
    choice.origins.format = origin
    return choice
  }
}

/// An MP3 setting, while the keys of its long form are read.
private struct MP3Draft {
  var choice = MP3Choice(settings: .standard)
  /// The rate control.
  var rate: Located<MP3Choice>?

  mutating func set(
    _ setting: MP3Settings.Problem.Setting, at origin: Origin,
    _ change: (inout MP3Settings) -> Void
  ) {
    choice.origins[setting] = origin
    change(&choice.settings)
  }
}

extension Values {
  static let mp3: NodeNotation<MP3Choice> = NodeNotation(
    "mp3", "'V2', 'abr 96k', 'cbr 128k' or 'copy'", text: mp3Text, convert: { $0.placed },
    map: MapNotation(
      "an MP3 setting", MP3Draft(),
      rules: [
        .one(
          of: ["vbr", "abr", "cbr", "preset"],
          missing: "one of 'vbr', 'abr', 'cbr', 'preset' is missing",
          help: "add one, as 'vbr: 2' or 'cbr: 128k'")
      ],
      [
        Key("vbr", vbr, "LAME's -V, 0 (best) to 9.999") { $0.rate = $1 },
        Key("abr", wholeBitRate("abr"), "a mean bit rate") { $0.rate = $1 },
        Key("cbr", wholeBitRate("cbr"), "a constant bit rate") { $0.rate = $1 },
        Key("preset", lamePreset, "a name of LAME's, as 'voice'") { $0.rate = $1 },
        Key("quality", quality, "LAME's -q, 0 (slowest) to 9") { draft, quality in
          draft.set(.quality, at: quality.origin) { $0.quality = quality.value }
        },
        Key("mode", stereoMode, "how channels are coded; else joint stereo") { draft, mode in
          if mode.value == nil { draft.choice.mono = mode.origin }
          draft.set(.stereoMode, at: mode.origin) { $0.stereoMode = mode.value ?? $0.stereoMode }
        },
        Key("lowpass", lowpass, "the highest frequency; else LAME chooses") { draft, lowpass in
          draft.set(.lowpass, at: lowpass.origin) { $0.lowpass = lowpass.value }
        },
        Key("highpass", wholeHertz, "the lowest frequency; else all") { draft, highpass in
          draft.set(.highpass, at: highpass.origin) { $0.highpass = highpass.value }
        },
        Key("min", bitRate, "the least bit rate of a frame, also in silence") { draft, rate in
          draft.set(.minimumBitRate, at: rate.origin) { $0.minimumBitRate = rate.value }
        },
        Key("max", bitRate, "the highest bit rate of a frame") { draft, rate in
          draft.set(.maximumBitRate, at: rate.origin) { $0.maximumBitRate = rate.value }
        },
      ]),
    finish: { draft, _, _ in
      guard let rate = draft.rate else { return nil }
      var choice = draft.choice
      choice.settings.rateControl = rate.value.settings.rateControl
      choice.preset = rate.value.preset
      choice.origins.format = rate.origin
      return choice
    })

  /// `V2`, `abr 96k`, LAME's names.
  static let mp3Text = TextNotation(
    "mp3_text", "'V2', 'abr 96k', 'cbr 128k' or 'copy'",
    Pattern.whole(
      Pattern.one(
        of: [
          "[vV]" + Pattern.quality,
          Pattern.one(of: Pattern.anyCase("abr"), Pattern.anyCase("cbr"))
            + " +0*[1-9][0-9]* *" + Pattern.kilobits,
          Pattern.copying,
        ] + MP3Preset.allCases.map { Pattern.anyCase($0.rawValue) }))
  ) { text throws(QuantityError) in
    if let copying = Quantity.copying(text) {
      return MP3Choice(settings: .standard, copying: copying)
    }
    return MP3Choice(
      settings: try Quantity.mp3(text), preset: MP3Preset(rawValue: text.lowercased()))
  }

  static let vbr = TextNotation(
    "vbr", "'0' (best) to '9.999'", Pattern.whole("[vV]?" + Pattern.quality),
    or: ["type": "number", "minimum": 0, "maximum": .number(9.999, decimals: 3)]
  ) { text throws(QuantityError) in
    let digits = text.lowercased().hasPrefix("v") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (0x30...0x39).contains(first) else {
      let isPreset = MP3Preset(rawValue: text.lowercased()) != nil
      throw QuantityError(
        "'\(text)' is no VBR quality",
        help: isPreset ? "write 'preset: \(text)'" : "write 0 (best) to 9.999")
    }
    return MP3Choice(settings: try Quantity.mp3("V" + digits))
  }

  /// The bit rate of `abr` or `cbr`.
  static func wholeBitRate(_ control: String) -> TextNotation<MP3Choice> {
    TextNotation(
      "whole_bit_rate", "a bit rate, as '128k'",
      Pattern.whole(" *0*[1-9][0-9]* *" + Pattern.kilobits)
    ) { text throws(QuantityError) in
      MP3Choice(settings: try Quantity.mp3(control + " " + text))
    }
  }

  static let lamePreset = TextNotation(
    "lame_preset", "a name of LAME's, as 'voice'",
    Pattern.whole(Pattern.one(of: MP3Preset.allCases.map { Pattern.anyCase($0.rawValue) }))
  ) { text throws(QuantityError) in
    guard let preset = MP3Preset(rawValue: text.lowercased()) else {
      let names = MP3Preset.allCases.map(\.rawValue)
      throw QuantityError(
        "'\(text)' is no preset of LAME's",
        help: Spelling.help(for: text, among: names)
          ?? "write one of " + names.joined(separator: ", "))
    }
    return MP3Choice(settings: preset.settings, preset: preset)
  }

  static let quality = TextNotation(
    "quality", "'0' (slowest) to '9'", Pattern.whole("0*[0-9]"),
    or: ["type": "integer", "minimum": 0, "maximum": 9]
  ) { text throws(QuantityError) in
    guard let quality = Quantity.count(text), (0...9).contains(quality) else {
      throw QuantityError("'\(text)' is no quality of LAME's", help: "write 0 (slowest) to 9")
    }
    return quality
  }

  /// nil is mono.
  static let stereoMode = TextNotation(
    "stereo_mode", "'joint', 'forced', 'simple' or 'mono'",
    Pattern.whole(
      Pattern.one(
        of: Quantity.mp3Modes.flatMap(\.words).map {
          Pattern.anyCase($0).replacing(" ", with: "[ _-]")
        })),
    parse: Quantity.mp3Mode)

  static let lowpass = TextNotation(
    "lowpass", "a frequency, as '16 kHz', or 'off'",
    Pattern.whole(Pattern.one(of: "off", Pattern.hertz))
  ) { text throws(QuantityError) in
    text == "off" ? MP3Settings.Lowpass.off : .hertz(try Quantity.hertz(text))
  }

  static let wholeHertz = TextNotation(
    "whole_hertz", "a frequency, as '80 Hz'", Pattern.whole(Pattern.hertz), parse: Quantity.hertz)
}

extension Quantity {
  fileprivate static func mp3(_ text: String) throws(QuantityError) -> MP3Settings {
    do throws(MP3SettingsError) {
      return try MP3Settings(parsing: text)
    } catch {
      throw QuantityError(error.message)
    }
  }

  /// The words of each mode; nil is mono.
  fileprivate static let mp3Modes: [(mode: MP3Settings.StereoMode?, words: [String])] = [
    (.joint, ["joint", "joint stereo", "j"]),
    (.forced, ["forced", "force", "forced joint", "forced joint stereo", "f"]),
    (.simple, ["simple", "simple stereo", "stereo", "s"]), (nil, ["mono", "m"]),
  ]

  /// LAME's `-m`, by its words, its letters, or lame.h's; nil is mono.
  fileprivate static func mp3Mode(
    _ text: String
  ) throws(QuantityError) -> MP3Settings.StereoMode? {
    let word = String(text.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
    if let known = mp3Modes.first(where: { $0.words.contains(word) }) { return known.mode }
    switch word {
    case "dual", "dual mono", "dual channel", "d":
      throw QuantityError(
        "'\(text)' is not written: two sounds in one file",
        help: "write two outputs, or 'simple' for stereo that is not joint")
    case "left", "l", "right", "r":
      throw QuantityError(
        "'\(text)' is no mode",
        help: "give the clip 'channels: \(text.lowercased().hasPrefix("l") ? "left" : "right")'")
    default:
      throw QuantityError(
        "'\(text)' is no mode of LAME's", help: "write 'joint', 'forced', 'simple' or 'mono'")
    }
  }

  /// A frequency in whole hertz. Small numbers are in kHz, as in `lame`.
  fileprivate static func hertz(_ text: String) throws(QuantityError) -> Int {
    if let number = Quantity(text).double, Quantity(text).unit.isEmpty, number < 50 {
      throw QuantityError("'\(text)' has no unit", help: "write '\(text) kHz'")
    }
    guard let frequency = Int(exactly: try frequency(text)) else {
      throw QuantityError("'\(text)' is not in whole hertz", help: "write '16 kHz' or '500 Hz'")
    }
    return frequency
  }
}
