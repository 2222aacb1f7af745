import Diagnosis
import JSON
import JobModel
import MediaComposition
import MediaTime
import YAML

/// The kinds of values of modifiers that are more than one text.
extension Values {
  // MARK: Level

  private struct FadeFields: Sendable {
    var duration: Located<TimeText>?
    var curve: VolumeCurve?
    var cutsPicture = false
  }

  private static let fadedPicture = TextNotation(
    "faded_picture", [("fade", false), ("cut", true)],
    refusal: "is nothing that a picture does in a fade")

  /// A fade or a cross-fade.
  static let fade: NodeNotation<Located<Fade>> = NodeNotation(
    "fade", "a time, as '2s', or { duration: 2s, curve: equal_power }",
    text: time, convert: { Located(Fade($0.value), at: $0.origin) },
    map: MapNotation(
      "a fade", FadeFields(),
      rules: [
        .some(
          of: ["duration"], missing: "a fade needs a 'duration'", help: "write { duration: 2s }")
      ],
      [
        Key("duration", time, "how long it takes") { $0.duration = $1 },
        Key("curve", curve, "the path of the volume") { $0.curve = $1.value },
        Key(
          "picture", fadedPicture,
          "a picture fades, too; with 'cut' it does not, and is cut in the middle of a cross-fade"
        ) { $0.cutsPicture = $1.value },
      ]),
    finish: { fields, _, _ in
      fields.duration.map {
        let fade = Fade($0.value, curve: fields.curve, cutsPicture: fields.cutsPicture)
        return Located(fade, at: $0.origin)
      }
    })

  struct Volume: Sendable {
    var points: [ItemPoint<Gain>] = []
    var curve = VolumeCurve.linear
    var clock: Clock?
  }

  private static let volumePoints = points(
    "volume_points", "points, as { 0s: 0 dB, 30s: -6 dB }", of: gain)

  private static let longVolume: MapNotation<Volume> = MapNotation(
    "a volume", Volume(),
    rules: [
      .some(
        of: ["points"], missing: "a volume needs 'points'",
        help: "write { points: { 0s: 0 dB, 30s: -6 dB }, curve: exponential }")
    ],
    [
      Key("points", volumePoints, "times and gains") { $0.points = $1 },
      Key("curve", curve, "the path from one point to the next") { $0.curve = $1.value },
      Key("clock", clock, "'source' for times of the file") { $0.clock = $1.value },
    ])

  /// Points, or `{ points: …, curve: … }`.
  static let volume: NodeNotation<Volume> = NodeNotation(
    Form(
      "volume", [.map],
      "points, as { 0s: 0 dB, 30s: -6 dB }; one level for all of it is a 'gain'",
      maps: { [longVolume.schema] }
    ) {
      JSONForm.map(longVolume.schema, or: volumePoints.form.tree()).with(["type": "object"])
    }
  ) { node, decoder, scope in
    node.hasKey(of: longVolume.schema)
      ? longVolume.read(node, decoder, scope)
      : volumePoints.read(node, decoder, scope).map { Volume(points: $0) }
  }

  private static let panPoints = points(
    "pan_points", "points, as { 0s: -100 %, 4s: 100 % }", of: place)

  /// Points, and what their times count in.
  struct ClockedPoints<Point: Sendable>: Sendable {
    var points: [Point] = []
    var clock: Clock?
  }

  private static let longPan: MapNotation<ClockedPoints<ItemPoint<Pan>>> = MapNotation(
    "a pan", ClockedPoints(),
    rules: [
      .some(
        of: ["points"], missing: "a pan needs 'points'",
        help: "write { points: { 0s: -100 %, 4s: 100 % }, clock: source }")
    ],
    [
      Key("points", panPoints, "times and places") { $0.points = $1 },
      Key("clock", clock, "'source' for times of the file") { $0.clock = $1.value },
    ])

  /// One position, points, or `{ points: …, clock: … }`.
  static let pan: NodeNotation<ClockedPoints<ItemPoint<Pan>>> = NodeNotation(
    Form(
      "pan", [.text, .map],
      "a place, as '-20 %' or 'left', or points, as { 0s: -100 %, 4s: 100 % }",
      maps: { [longPan.schema] }
    ) {
      JSONForm.shapes(
        text: place.form.tree(), map: JSONForm.map(longPan.schema, or: panPoints.form.tree()))
    }
  ) { node, decoder, scope in
    guard case .mapping = node.kind else {
      return place.read(node, decoder, scope).map {
        ClockedPoints(points: [ItemPoint(Located(.start, at: $0.origin), $0.value)])
      }
    }
    return node.hasKey(of: longPan.schema)
      ? longPan.read(node, decoder, scope)
      : panPoints.read(node, decoder, scope).map { ClockedPoints(points: $0) }
  }

  /// Values at times.
  private static func points<Content>(
    _ name: String, _ example: String, of value: TextNotation<Content>
  ) -> NodeNotation<[ItemPoint<Content>]> {
    NodeNotation(Form(name, [.map], example) { JSONForm.points(value.form.tree()) }) {
      node, decoder, scope in
      guard case .mapping(let entries) = node.kind else { return nil }
      return entries.compactMap { entry in
        let value = value.read(entry.value, decoder, scope)
        guard let moment = decoder.keyMoment(entry), let value else { return nil }
        return ItemPoint(moment, value.value)
      }
    }
  }

  // MARK: Speed

  private struct SpeedFields: Sendable {
    var rate: Located<Speed>?
    var isPitchKept: Located<Bool>?
    var algorithm: Located<TimePitchAlgorithm>?
  }

  /// A factor, or a map with the treatment of the pitch.
  static let speed: NodeNotation<Located<Speed>> = NodeNotation(
    "speed", "a factor, as '1.05', or { rate: 1.05, pitch: follow }",
    text: factor, convert: { $0 },
    map: MapNotation(
      "a speed", SpeedFields(),
      rules: [
        .some(of: ["rate"], missing: "a speed needs a 'rate'", help: "write { rate: 1.05 }")
      ],
      [
        Key("rate", factor, "the factor: '1.05', '105 %' or '4/3'") { $0.rate = $1 },
        Key("pitch", pitch, "'keep', or 'follow' as on a tape") { $0.isPitchKept = $1 },
        Key("algorithm", algorithm, "how the sound is stretched") { $0.algorithm = $1 },
      ]),
    finish: { fields, _, decoder in
      if let kept = fields.isPitchKept, let algorithm = fields.algorithm,
        kept.value == (algorithm.value == .varispeed)
      {
        decoder.sink.error(
          kept.value
            ? "'varispeed' does not keep the pitch"
            : "'\(algorithm.value.rawValue)' keeps the pitch",
          at: algorithm.origin,
          help: kept.value ? "write 'spectral' or 'time_domain'" : "write 'varispeed'",
          notes: [.init("the pitch is given here", at: kept.origin)])
      }
      var speed = fields.rate
      let usual: TimePitchAlgorithm = fields.isPitchKept?.value == false ? .varispeed : .spectral
      speed?.value.algorithm = fields.algorithm?.value ?? usual
      return speed
    })
}

extension YAMLNode {
  /// Whether it is a map with one of the keys of `schema`.
  func hasKey(of schema: Schema) -> Bool { hasKey { schema[$0] != nil } }

  /// Whether it is a map with a key for which `isMeant`.
  func hasKey(_ isMeant: (String) -> Bool) -> Bool { entries.contains { isMeant($0.key) } }
}
