import Diagnosis
import JSON
import JobModel
import MediaComposition
import MediaTime
import YAML

/// Effects, and their settings by the tables of `EffectSettings`.
extension Values {
  // MARK: Settings

  /// A number of a setting. Settings of one unit share a form: bounds are the reader's.
  static func number<Settings>(
    _ parameter: EffectParameter<Settings>
  ) -> TextNotation<Double> {
    let (name, example, pattern, other): (String, String, String, JSONValue?) =
      switch parameter.unit {
      case .decibels:
        (
          "decibels", "decibels, as '12 dB'", Pattern.signed + " *" + Pattern.decibels, nil
        )
      case .truePeak: ("true_peak", "a level, as '-1 dBTP'", Pattern.level(in: .dbtp), nil)
      case .loudness: ("loudness", "a level, as '-23 LUFS'", Pattern.level(in: .lufs), nil)
      case .hertz: ("frequency", "a frequency, as '80 Hz'", Pattern.hertz, nil)
      case .percent:
        ("percentage", "a percentage, as '25 %'", #"\+?"# + Pattern.number + " *%", nil)
      case .milliseconds: (settingTime, "a time, as '10ms'", settingTimePattern, nil)
      case .number: ("number", "a number, as '3'", Pattern.signed, ["type": "number"])
      case .count: ("count", "a whole number, as '10'", "[0-9]+", ["type": "integer"])
      }
    return TextNotation(name, example, Pattern.whole(pattern), or: other) {
      text throws(QuantityError) in try Quantity.setting(text, of: parameter)
    }
  }

  private static let settingTime = "setting_time"
  private static let settingTimePattern = "(?!.*sample)" + Pattern.timeBody

  /// A time of a setting.
  static func time<Settings>(
    _ parameter: EffectParameter<Settings>
  ) -> TextNotation<Time> {
    TextNotation(settingTime, "a time, as '10ms'", Pattern.whole(settingTimePattern)) {
      text throws(QuantityError) in
      _ = try Quantity.setting(text, of: parameter)
      return try Quantity.settingTime(text)
    }
  }

  private static let delay: MapNotation<Effect.Delay> = needing(
    "time", "a delay", example: "{ time: 350ms, feedback: 30 %, mix: 25 % }")

  /// A reverberation, while its map is read.
  private struct ReverbDraft: Sendable {
    var impulse: MediaReference?
    var settings = Effect.Reverb.Settings()
  }

  private static let reverb: MapNotation<ReverbDraft> = {
    let example = "{ impulse: hall.wav, mix: 25 %, tail: 2s }"
    return MapNotation(
      "a reverb", ReverbDraft(), example: example,
      rules: [
        .some(of: ["impulse"], missing: "a reverb needs an 'impulse'", help: "write \(example)")
      ],
      [
        Key("impulse", impulse, "a recording of a room's answer to a click, at most 60 s") {
          $0.impulse = $1
        }
      ] + Effect.Reverb.Settings.parameters.map { Key($0, of: \.settings) })
  }()

  private static let impulse: NodeNotation<MediaReference> = NodeNotation(
    Form("impulse", [.text], "a path, an address or the name of a source, as 'hall.wav'") {
      JSONForm.location
    }
  ) { node, decoder, scope in
    decoder.medium(node, scope, whole: "an impulse response is the sound of a whole file")
  }

  /// A map of all settings; those that are left out have their usual values.
  private static func settings<Settings: EffectSettings>(
    _ subject: String, example: String, rules: [Schema.Rule] = []
  ) -> MapNotation<Settings> {
    MapNotation(
      subject, Settings(), example: example, rules: rules,
      Settings.parameters.map { Key($0, of: \.self) })
  }

  // MARK: Effects with settings

  private static let band: MapNotation<Effect.Band> = {
    let example = "{ frequency: 3 kHz, gain: 4 dB, q: 1.4 }"
    func shape(_ shape: Effect.Band.Shape, _ help: String) -> Key<Effect.Band> {
      Key(shape.rawValue, frequency, help) { ($0.shape, $0.frequency) = (shape, $1.value) }
    }
    return MapNotation(
      "a band", Effect.Band(), example: example,
      rules: [
        .one(
          of: Effect.Band.Shape.allCases.map(\.rawValue),
          missing: "a band needs a 'frequency', a 'low_shelf' or a 'high_shelf'",
          help: "write \(example)", beside: "write two bands"),
        .some(of: ["gain"], missing: "a band needs a 'gain'", help: "write \(example)"),
      ],
      [
        shape(.peak, "the centre of a peak"),
        shape(.lowShelf, "or the middle of a slope: the gain is that of lower frequencies"),
        shape(.highShelf, "or the middle of a slope: the gain is that of higher frequencies"),
      ] + Effect.Band.parameters.dropFirst().map { Key($0, of: \.self) })
  }()

  private static let bands: NodeNotation<[Effect.Band]> = NodeNotation(
    Form(
      "bands", [.list], "bands, as [{ frequency: 3 kHz, gain: 4 dB, q: 1.4 }]",
      maps: { [band.schema] }
    ) {
      JSONForm.list(of: band.schema.reference, isEmptyFine: true)
        .with(["maxItems": .count(Effect.bandLimit)])
    }
  ) { node, decoder, scope in
    guard case .sequence(let nodes) = node.kind else { return nil }
    guard nodes.count <= Effect.bandLimit else {
      decoder.sink.error(
        "\(nodes.count) bands; \(Effect.bandLimit) are the most", at: node.origin,
        help: "write a second 'eq'")
      return nil
    }
    return nodes.compactMap { band.read($0, decoder, scope) }
  }

  private static let compressor: MapNotation<Effect.Compressor> = needing(
    "threshold", "a compressor", example: "{ threshold: -20 dB, ratio: 3 }")
  private static let gate: MapNotation<Effect.Gate> = needing(
    "threshold", "a gate", example: "{ threshold: -50 dB, range: 24 dB }")

  private static func needing<Settings: EffectSettings>(
    _ key: String, _ subject: String, example: String
  ) -> MapNotation<Settings> {
    settings(
      subject, example: example,
      rules: [.some(of: [key], missing: "\(subject) needs a '\(key)'", help: "write \(example)")])
  }

  private static let deesser: MapNotation<Effect.Deesser> = settings(
    "a deesser", example: "{ intensity: 50 %, reduction: 12 dB }")

  private static let dehum: NodeNotation<Effect.Dehum> = NodeNotation(
    "dehum", "a frequency, as '50 Hz', or { frequency: 50 Hz, harmonics: 10, width: 2 Hz }",
    text: number(Effect.Dehum.parameters[0]), convert: { Effect.Dehum(frequency: $0.value) },
    map: needing(
      "frequency", "a dehum", example: "{ frequency: 50 Hz, harmonics: 10, width: 2 Hz }"),
    finish: { settings, _, _ in settings })

  private static let denoise: NodeNotation<Effect.Denoise> = NodeNotation(
    "denoise", "decibels, as '12 dB', or { reduction: 12 dB, floor: -50 dB }",
    text: number(Effect.Denoise.parameters[0]), convert: { Effect.Denoise(reduction: $0.value) },
    map: settings("a denoise", example: "{ reduction: 12 dB, floor: -50 dB }"),
    finish: { settings, _, _ in settings })

  private static let declick: MapNotation<Effect.Declick> = settings(
    "a declick", example: "{ threshold: 3 }")

  private static let filter = TextNotation(
    "filter", "filters, as 'treble=g=2,bass=g=-1'", JSONForm.anyText
  ) { text throws(QuantityError) in
    do throws(FilterRefusal) {
      return try FilterDescription(parsing: text)
    } catch {
      throw QuantityError(error.message, help: error.help)
    }
  }

  private static let limiter: NodeNotation<Effect.Limiter> = NodeNotation(
    "limiter", "a ceiling, as '-1 dBTP', or { ceiling: -1 dBTP, release: 100ms }",
    text: number(Effect.Limiter.parameters[0]), convert: { Effect.Limiter(ceiling: $0.value) },
    map: settings("a limiter", example: "{ ceiling: -1 dBTP, release: 100ms }"),
    finish: { settings, _, _ in settings })

  private static let leveler: NodeNotation<Effect.Leveler> = NodeNotation(
    "leveler", "a loudness, as '-23 LUFS', or { target: -23 LUFS, range: 12 dB }",
    text: number(Effect.Leveler.parameters[0]), convert: { Effect.Leveler(target: $0.value) },
    map: settings("a leveler", example: "{ target: -23 LUFS, range: 12 dB }"),
    finish: { settings, _, _ in settings })

  // MARK: Lists of effects

  /// An effect in a list: its name, and its settings.
  static let effect: MapNotation<[ItemEffect]> = MapNotation(
    "an effect", [ItemEffect](),
    [
      Key("highpass", frequency, "attenuates lower frequencies") {
        $0.append(.highpass(frequency: $1.value))
      },
      Key("lowpass", frequency, "attenuates higher frequencies") {
        $0.append(.lowpass(frequency: $1.value))
      },
      Key("eq", bands, "raises and lowers bands of frequencies") { $0.append(.equalizer($1)) },
      Key("compressor", compressor, "lowers what is loud") { $0.append(.compressor($1)) },
      Key("gate", gate, "lowers what is quiet") { $0.append(.gate($1)) },
      Key("deesser", deesser, "lowers hissing sounds of speech") { $0.append(.deesser($1)) },
      Key("dehum", dehum, "removes a hum and its harmonics") { $0.append(.dehum($1)) },
      Key("denoise", denoise, "reduces steady noise") { $0.append(.denoise($1)) },
      Key("declick", declick, "removes clicks") { $0.append(.declick($1)) },
      Key("delay", delay, "echoes") { $0.append(.delay($1)) },
      Key("reverb", reverb, "the sound in a room") { effects, draft in
        if let impulse = draft.impulse { effects.append(.reverb(impulse, draft.settings)) }
      },
      Key("leveler", leveler, "brings voices to one loudness") { $0.append(.leveler($1)) },
      Key("limiter", limiter, "keeps peaks under a ceiling") { $0.append(.limiter($1)) },
      Key("filter", filter, "filters of FFmpeg's, in its own words") {
        $0.append(.filter($1.value))
      },
    ])

  /// Effects whose usual settings fit most sounds.
  private static let plainEffects: [String: Effect] = [
    "declick": .declick(Effect.Declick()), "deesser": .deesser(Effect.Deesser()),
    "denoise": .denoise(Effect.Denoise()), "leveler": .leveler(Effect.Leveler()),
    "limiter": .limiter(Effect.Limiter()),
  ]

  static let effects: NodeNotation<[ItemEffect]> = NodeNotation(
    Form(
      "effects", [.list], "a list, as [denoise, highpass: 80 Hz]", maps: { [effect.schema] }
    ) {
      let one = JSONForm.shapes(
        text: JSONForm.words(plainEffects.keys.sorted().map { .text($0) }),
        map: JSONForm.all(effect.schema.reference, ["minProperties": 1]))
      return JSONForm.list(of: one, isEmptyFine: true)
    }
  ) { node, decoder, scope in
    guard case .sequence(let nodes) = node.kind else { return nil }
    return nodes.flatMap { node -> [ItemEffect] in
      if case .mapping = node.kind { return effect.read(node, decoder, scope) ?? [] }
      guard let name = decoder.text(node, scope)?.string else { return [] }
      if let plain = plainEffects[name] { return [.effect(plain)] }
      refuseEffect(name, at: node.origin, decoder)
      return []
    }
  }

  private static func refuseEffect(_ name: String, at origin: Origin, _ decoder: Decoder) {
    let schema = effect.schema
    guard let key = schema[name] else {
      decoder.sink.error(
        "unknown effect '\(name)'", at: origin,
        help: Spelling.help(for: name, among: schema.names)
          ?? Spelling.help(forPart: name, among: schema.names)
          ?? "the effects are \(schema.names.quoted)")
      return
    }
    let sample = key.form.sample
    decoder.sink.error(
      sample.isEmpty ? "'\(name)' needs its settings" : "'\(name)' needs a \(key.form.name)",
      at: origin, help: "write '\(name): \(sample.isEmpty ? key.form.example[...] : sample)'")
  }
}

extension Key {
  /// The key of a setting, which the owner has at `settings`.
  fileprivate init<Settings>(
    _ parameter: EffectParameter<Settings>, of settings: WritableKeyPath<Owner, Settings> & Sendable
  ) {
    switch parameter.place {
    case .number(let path):
      self.init(parameter.name, Values.number(parameter), parameter.help) {
        $0[keyPath: settings][keyPath: path] = $1.value
      }
    case .time(let path):
      self.init(parameter.name, Values.time(parameter), parameter.help) {
        $0[keyPath: settings][keyPath: path] = $1.value
      }
    }
  }
}

extension Form {
  /// The first quotation in the example.
  fileprivate var sample: Substring {
    let parts = example.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[1] : ""
  }
}
