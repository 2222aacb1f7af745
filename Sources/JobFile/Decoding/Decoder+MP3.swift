import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition
import YAML

/// MP3 settings as an output says them.
struct MP3Choice: Hashable {
  var settings: MP3Settings
  /// The name of LAME's that they were written as. Under some names it also mixes down to one channel
  /// and resamples, where nothing else is said.
  var preset: MP3Preset?
  /// Where one channel is asked for.
  var mono: Origin?
  /// Where the settings are written that have a place of their own.
  var places: [MP3Settings.Problem.Setting: Origin] = [:]

  /// Whether an output has one channel that does not say how many.
  var isMono: Bool { mono != nil || preset?.isMono == true }
}

extension Decoder {
  /// `V2`, `abr 96k`, one of LAME's names, or a map.
  func mp3(_ node: YAMLNode, _ scope: Scope) -> MP3Choice? {
    guard case .mapping = node.kind else {
      return value(node, scope) { text throws(QuantityError) in
        guard text != "copy", text != "copy strict" else {
          throw QuantityError(
            "'\(text)' is not built yet", help: "encode with 'V0', which loses least")
        }
        return MP3Choice(
          settings: try Self.mp3(text), preset: MP3Preset(rawValue: text.lowercased()))
      }?.value
    }
    guard let fields = fields(of: node, as: Language.mp3) else { return nil }
    let rates = fields.present("vbr", "abr", "cbr", "preset")
    if let first = rates.first, let second = rates.dropFirst().first {
      sink.error(
        "'\(second.key)' beside '\(first.key)'", at: second.keyOrigin, help: "keep one of them",
        notes: [.init("the other one is here", at: first.keyOrigin)])
    }
    let rate = rates.first.flatMap { rateControl($0, scope) }
    guard !rates.isEmpty || fields.isIncomplete else {
      sink.error(
        "one of 'vbr', 'abr', 'cbr', 'preset' is missing", at: node.origin,
        help: "add one, as 'vbr: 2' or 'cbr: 128k'")
      return nil
    }
    var found = MP3Fields(self, fields, scope)
    guard found.isComplete, let rate else { return nil }
    found.choice.settings.rateControl = rate.value.settings.rateControl
    found.choice.preset = rate.value.preset
    found.choice.places[.rateControl] = rate.origin
    return found.choice
  }

  /// The one of the four keys that says how bits are spent.
  private func rateControl(_ entry: YAMLEntry, _ scope: Scope) -> Located<MP3Choice>? {
    value(entry.value, scope) { text throws(QuantityError) in
      let preset = MP3Preset(rawValue: text.lowercased())
      switch entry.key {
      case "preset":
        guard let preset else { throw Self.noPreset(text) }
        return MP3Choice(settings: preset.settings, preset: preset)
      case "vbr":
        let digits = text.lowercased().hasPrefix("v") ? text.dropFirst() : text[...]
        guard let first = digits.utf8.first, (0x30...0x39).contains(first) else {
          throw QuantityError(
            "'\(text)' is no VBR quality",
            help: preset == nil ? "write 0 (best) to 9.999" : "write 'preset: \(text)'")
        }
        return MP3Choice(settings: try Self.mp3("V" + digits))
      default:
        return MP3Choice(settings: try Self.mp3(entry.key + " " + text))
      }
    }
  }

  private static func noPreset(_ text: String) -> QuantityError {
    let names = MP3Preset.allCases.map(\.rawValue)
    let nearest = Spelling.nearest(to: text, among: names)
    return QuantityError(
      "'\(text)' is no preset of LAME's",
      help: nearest.map { "did you mean '\($0)'?" }
        ?? "write one of " + names.joined(separator: ", "))
  }

  private static func mp3(_ text: String) throws(QuantityError) -> MP3Settings {
    do throws(MP3SettingsError) {
      return try MP3Settings(parsing: text)
    } catch {
      throw QuantityError(error.message)
    }
  }
}

/// The settings of a map beside the one that says how bits are spent.
private struct MP3Fields {
  var choice = MP3Choice(settings: .standard)
  /// Whether none was refused.
  var isComplete = true

  init(_ decoder: Decoder, _ fields: Fields, _ scope: Scope) {
    func read<Value: Sendable & Hashable>(
      _ key: String, _ setting: MP3Settings.Problem.Setting,
      _ parse: (String) throws(QuantityError) -> Value
    ) -> Located<Value>? {
      guard let entry = fields[key] else { return nil }
      let found = decoder.value(entry.value, scope, parse)
      if found == nil { isComplete = false }
      choice.places[setting] = found?.origin
      return found
    }
    choice.settings.quality = read("quality", .quality, Quantity.mp3Quality)?.value
    if let mode = read("mode", .stereoMode, Quantity.mp3Mode) {
      if let stereo = mode.value {
        choice.settings.stereoMode = stereo
      } else {
        choice.mono = mode.origin
      }
    }
    choice.settings.lowpass = read("lowpass", .lowpass, Quantity.mp3Lowpass)?.value ?? .automatic
    choice.settings.highpass = read("highpass", .highpass, Quantity.hertz)?.value
    choice.settings.minimumBitRate = read("min", .minimumBitRate, Quantity.bitRate)?.value
    choice.settings.maximumBitRate = read("max", .maximumBitRate, Quantity.bitRate)?.value
  }
}

extension Quantity {
  /// LAME's `-q`.
  fileprivate static func mp3Quality(_ text: String) throws(QuantityError) -> Int {
    guard let quality = count(text), (0...9).contains(quality) else {
      throw QuantityError("'\(text)' is no quality of LAME's", help: "write 0 (slowest) to 9")
    }
    return quality
  }

  /// LAME's `-m`, by its words, its letters, or lame.h's; nil is mono.
  fileprivate static func mp3Mode(
    _ text: String
  ) throws(QuantityError) -> MP3Settings.StereoMode? {
    let word = text.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 }
    switch String(word) {
    case "joint", "joint stereo", "j": return .joint
    case "forced", "force", "forced joint", "forced joint stereo", "f": return .forced
    case "simple", "simple stereo", "stereo", "s": return .simple
    case "mono", "m": return nil
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

  fileprivate static func mp3Lowpass(
    _ text: String
  ) throws(QuantityError) -> MP3Settings.Lowpass {
    text == "off" ? .off : .hertz(try hertz(text))
  }

  /// A frequency in whole hertz. Small numbers are what `lame` is told, in kHz.
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
