import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition
import SystemPackage
import YAML

/// What an output's `folder` needs to know of its job.
struct OutputContext {
  var scope: Scope
  /// The job's own sample rate.
  var mixRate: Located<Int>?
  /// The job's own layout.
  var mixChannels: Located<ChannelLayout>?
  /// The only clip of the job, if it is one.
  var clip: FilePath?
  /// Whether the job is known to be something else than one clip.
  var isNoClip = false
}

/// What `output` asks for.
struct WrittenFiles {
  /// Files of sound.
  var outputs: [JobOutput] = []
  /// Files of facts.
  var records: [ExportRecord] = []
}

extension Decoder {
  /// The outputs behind `output`: a path, a map, or a list of them.
  func outputs(_ node: YAMLNode, _ context: OutputContext) -> WrittenFiles {
    var nodes = [node]
    if case .sequence(let list) = node.kind { nodes = list }
    if nodes.isEmpty { refuseEmpty(node, Values.outputs) }
    var files = WrittenFiles()
    for node in nodes {
      if node.isRecord {
        if let record = record(node, context) { files.records.append(record) }
      } else if let output = output(node, context) {
        files.outputs.append(output)
      }
    }
    refuseLonelyRecords(nodes)
    return files
  }

  private func output(_ node: YAMLNode, _ context: OutputContext) -> JobOutput? {
    guard case .mapping = node.kind else {
      guard let path = path(node, context.scope), let format = format(of: path) else { return nil }
      let output = JobOutput(path: path.value, format: format, origin: path.origin)
      checkSound(of: output, rate: nil, channels: nil, mix: context)
      return output
    }
    guard let own = fields(of: node, as: Language.output) else { return nil }
    let fields = withPreset(own, context.scope)
    let sampleRate = self.sampleRate(fields, context.scope)
    var channels = self.channels(fields, context.scope)
    let tags = fields["metadata"].map { self.metadata($0.value, context.scope) }
    let named = format(fields, context)
    guard let path = path(fields, context, naming: { fileExtension(of: named, fields, $0) })
    else { return nil }
    if case .refused = named { return nil }
    guard let format = named?.format ?? format(of: path) else { return nil }
    if let mp3 = named?.mp3, mp3.isMono {
      if let mono = mp3.mono, let channels, channels.value != .mono {
        sink.error(
          "'mode: mono' of an output that is not", at: mono, help: "keep one of them",
          notes: [.init("its channels are given here", at: channels.origin)])
      }
      channels = channels ?? Located(.mono)
    }
    if let key = named?.key {
      checkExtension(of: path, format, key, isPreset: own[key] == nil)
    }
    var output = JobOutput(
      path: path.value, format: format, sampleRate: sampleRate?.value,
      channelLayout: channels?.value,
      metadata: tags?.metadata ?? Metadata(), metadataBase: tags?.base,
      chapters: chapterPlaces(fields["chapters"], of: format, context.scope), origin: path.origin)
    output.id3 = id3(fields["id3"], of: format, context.scope)
    output.mp3Preset = named?.mp3?.preset
    var places = named?.mp3?.places ?? [:]
    places[.rateControl] = places[.rateControl] ?? named?.key.flatMap { fields[$0]?.value.origin }
    output.settingPlaces = places
    checkSound(of: output, rate: sampleRate, channels: channels, mix: context)
    return output
  }

  func sampleRate(_ fields: Fields, _ scope: Scope) -> Located<Int>? {
    value(fields["sample_rate"]?.value, scope) { text throws(QuantityError) in
      try Quantity.sampleRate(text)
    }
  }

  func channels(_ fields: Fields, _ scope: Scope) -> Located<ChannelLayout>? {
    value(fields["channels"]?.value, scope) { text throws(QuantityError) in
      try Quantity.channels(text)
    }
  }
}

// MARK: - Paths

/// What the files of a folder end in.
enum FileExtension {
  case usual(String)
  /// As the clip that they are named after, until its format is known.
  case clips
}

extension Decoder {
  /// The path that 'file' or 'folder' says.
  ///
  /// - Parameters:
  ///   - fields: An output's.
  ///   - context: What it stands in.
  ///   - naming: Says for the entry of a folder what the files in it end in; nil where that cannot be
  ///     said, which has been told.
  /// - Returns: The path, a template in a split job; nil where there is none, which has been told.
  func path(
    _ fields: Fields, _ context: OutputContext, naming: (YAMLEntry) -> FileExtension?
  ) -> Located<FilePath>? {
    if let file = fields["file"], let folder = fields["folder"] {
      sink.error(
        "'folder' beside 'file'", at: folder.keyOrigin, help: "keep one of them",
        notes: [.init("the file is named here", at: file.keyOrigin)])
    }
    if let file = fields["file"] { return path(file.value, context.scope) }
    guard let entry = fields["folder"] else {
      if !fields.isIncomplete {
        sink.error(
          "an output needs a 'file' or a 'folder'", at: fields.origin,
          help: "add 'file: out/episode.mp3', or 'folder: out' for files with the input's name")
      }
      return nil
    }
    guard let folder = path(entry.value, context.scope) else { return nil }
    guard let fileExtension = naming(entry) else { return nil }
    let isTemplate = context.scope.part == .bound
    func literal(_ path: FilePath) -> FilePath { isTemplate ? PartTemplate.escaped(path) : path }
    var path = folder.value
    let input = context.scope.input?.file
    if let input {
      path = path.pushing(literal(input.folder))
    } else if context.clip == nil {
      sink.error(
        "'folder' has no input to take a name from", at: entry.keyOrigin,
        help: "name the file: 'file'")
      return nil
    }
    guard let name = (input?.path ?? context.clip)?.lastComponent else { return nil }
    path = path.pushing(literal(FilePath(root: nil, [name])))
    // Not by way of a text: the name may be other bytes than UTF-8.
    if case .usual(let usual) = fileExtension { path.extension = usual }
    if isTemplate { path = PartTemplate.numbered(path) }
    return Located(path, at: folder.origin)
  }

  /// What the files of an output in a folder end in.
  private func fileExtension(
    of format: NamedFormat?, _ fields: Fields, _ folder: YAMLEntry
  ) -> FileExtension? {
    guard let known = format?.format else {
      if format == nil, !fields.isIncomplete {
        sink.error(
          "a 'folder' needs a format", at: folder.keyOrigin,
          help: "add one of " + formatKeys.map { "'\($0)'" }.joined(separator: ", "))
      }
      return nil
    }
    return known.extensions.first.map(FileExtension.usual) ?? .clips
  }

  /// The format that the extension of `path` asks for.
  private func format(of path: Located<FilePath>) -> JobOutput.Format? {
    do throws(QuantityError) {
      return try JobOutput.Format(extensionOf: path.value)
    } catch {
      sink.error(error.message, at: path.origin, help: error.help)
      return nil
    }
  }

  private func checkExtension(
    of path: Located<FilePath>, _ format: JobOutput.Format, _ key: String, isPreset: Bool
  ) {
    guard let own = path.value.extension?.lowercased(), let usual = format.extensions.first,
      !format.extensions.contains(own), JobOutput.Format.mediaExtensions.contains(own)
    else { return }
    sink.error(
      (isPreset ? "the preset is '\(key)', which" : "'\(key)'") + " does not go into '.\(own)'",
      at: path.origin,
      help: "write '\(path.value.stem ?? "").\(usual)'")
  }
}

// MARK: - Formats

/// A format that a key named, or a key whose value was refused.
private enum NamedFormat {
  case named(JobOutput.Format, key: String, mp3: MP3Choice? = nil)
  case refused

  var format: JobOutput.Format? { if case .named(let format, _, _) = self { format } else { nil } }
  var key: String? { if case .named(_, let key, _) = self { key } else { nil } }
  var mp3: MP3Choice? { if case .named(_, _, let choice) = self { choice } else { nil } }
}

/// The keys that name a format, of which an output has one.
let formatKeys = Output.Kind.allCases.map(\.rawValue) + ["codec"]

extension Decoder {
  /// Tells what is wrong with the settings of a preset, whatever output may use it.
  func checkPreset(_ fields: Fields, _ scope: Scope) {
    let context = OutputContext(scope: scope)
    _ = format(fields, context)
    _ = sampleRate(fields, scope)
    _ = channels(fields, scope)
  }

  private func format(_ fields: Fields, _ context: OutputContext) -> NamedFormat? {
    let entries = fields.present(formatKeys)
    guard let entry = entries.first else { return nil }
    if let second = entries.dropFirst().first {
      sink.error(
        "'\(second.key)' beside '\(entry.key)'", at: second.keyOrigin,
        help: "an output has one format; 'output' may be a list",
        notes: [.init("the other one is here", at: entry.keyOrigin)])
    }
    guard let kind = Output.Kind(rawValue: entry.key) else {
      return sameAsClip(entry, fields, context)
    }
    if kind == .mp3 {
      return mp3(entry.value, context.scope).map {
        .named(.exactly(.mp3($0.settings)), key: entry.key, mp3: $0)
      } ?? .refused
    }
    let format = value(entry.value, context.scope) { text throws(QuantityError) in
      try Quantity.format(kind, text)
    }
    return format.map { .named(.exactly($0.value), key: entry.key) } ?? .refused
  }

  /// `codec: same`.
  private func sameAsClip(
    _ entry: YAMLEntry, _ fields: Fields, _ context: OutputContext
  ) -> NamedFormat {
    let word = value(entry.value, context.scope) { text throws(QuantityError) in
      guard text == "same" else {
        throw QuantityError(
          "'\(text)' is no codec that is meant here",
          help: "write 'same' for the clip's own, or a format's key, as 'mp3: V2'")
      }
      return text
    }
    guard word != nil else { return .refused }
    guard !context.isNoClip else {
      sink.error(
        "'codec: same' on a job that is not one clip", at: entry.keyOrigin,
        help: "name the format, as 'mp3: V2'")
      return .refused
    }
    return .named(.sameAsClip(isInFolder: fields["folder"] != nil), key: entry.key)
  }
}

extension JobOutput.Format {
  /// Extensions of media files, of which each says what is inside.
  static let mediaExtensions: Set<String> = Set(
    Output.Kind.allCases.flatMap(\.capabilities.extensions)
  ).union([
    "aac", "mka", "mkv", "webm", "wma", "mp2", "ac3", "amr", "alac", "w64", "rf64", "au", "json",
  ])

  /// The format that a path's extension asks for, with its usual settings.
  ///
  /// - Throws: a `QuantityError` where there is no extension, or none that is built.
  public init(extensionOf path: FilePath) throws(QuantityError) {
    guard let own = path.extension?.lowercased() else {
      throw QuantityError(
        "'\(path)' says no format",
        help: "add one, as '.mp3'; a folder is { folder: \(path), mp3: V2 }")
    }
    if let kind = Output.Kind(extension: own) {
      self = .usual(kind)
      return
    }
    let stem = path.stem ?? ""
    switch own {
    case "aac":
      throw QuantityError("'.aac' is not built yet", help: "write '\(stem).m4a': AAC in MP4")
    case "alac":
      throw QuantityError(
        "'.alac' is not built yet", help: "write '\(stem).m4a', with 'alac: 16 bit'")
    case _ where own.hasSuffix("}") && PartTemplate.isTemplate(path):
      throw QuantityError("'\(path)' says no format", help: Self.choices)
    case "json":
      throw QuantityError(
        "'.json' holds no sound", help: "for facts of the job, write { file: ..., json: sidecar }")
    case _ where Self.mediaExtensions.contains(own):
      throw QuantityError("'.\(own)' is not built yet", help: Self.choices)
    default:
      throw QuantityError("'.\(own)' is no format that is known", help: Self.choices)
    }
  }

  private static let choices =
    "outputs end in .mp3, .wav, .aiff, .caf, .flac, .m4a, .ogg or .opus"

  /// The extensions of files in this format; the first is the usual one. None where only the clip
  /// says them.
  var extensions: [String] { kind?.capabilities.extensions ?? [] }
}

extension Quantity {
  /// The settings of a format that has a single one.
  static func format(_ kind: Output.Kind, _ text: String) throws(QuantityError) -> Output.Format {
    switch kind {
    case .mp3: .mp3(.standard)
    case .wav: .wav(try sampleFormat(text, of: kind))
    case .aiff: .aiff(try sampleFormat(text, of: kind))
    case .caf: .caf(try sampleFormat(text, of: kind))
    case .flac: .flac(bitDepth: try bitDepth(text, of: kind))
    case .alac: .alac(bitDepth: try bitDepth(text, of: kind))
    case .aac: .m4a(bitRate: try bitRate(text, of: kind, among: 8_000...4_608_000))
    case .vorbis: .vorbis(try vorbis(text))
    case .opus: .opus(bitRate: try bitRate(text, of: kind, among: 6_000...2_048_000))
    }
  }

  /// `16 bit`, `24 bit`
  private static func bitDepth(
    _ text: String, of kind: Output.Kind
  ) throws(QuantityError) -> Int {
    switch text.lowercased().filter({ $0 != " " && $0 != "-" }) {
    case "16bit": return 16
    case "24bit": return 24
    default:
      throw QuantityError(
        "'\(text)' is no depth of \(kind.capabilities.codecName)",
        help: "write '16 bit' or '24 bit'")
    }
  }

  /// A bit rate that the codec has at some rate, with some number of channels.
  private static func bitRate(
    _ text: String, of kind: Output.Kind, among range: ClosedRange<Int>
  ) throws(QuantityError) -> Int {
    let rate = try bitRate(text)
    guard range.contains(rate) else {
      let stereo = kind.bitRates(sampleRate: 48_000, channelCount: 2) ?? range
      throw QuantityError(
        "'\(text)' is out of range",
        help: "\(kind.capabilities.codecName) takes \(stereo.lowerBound / 1000)k to "
          + "\(stereo.upperBound / 1000)k in stereo")
    }
    return rate
  }

  /// `q5`, `q-1`, `q4.5`; `160k`
  private static func vorbis(_ text: String) throws(QuantityError) -> VorbisSettings {
    guard text.first == "q" || text.first == "Q" else {
      if let number = Quantity(text).double, -1...10 ~= number, Quantity(text).unit.isEmpty {
        throw QuantityError("'\(text)' has no unit", help: "write 'q\(text)'")
      }
      return .bitRate(try bitRate(text, of: .vorbis, among: 6_000...1_920_000))
    }
    let number = Quantity(String(text.dropFirst()))
    guard number.unit.isEmpty, let quality = number.double, -1...10 ~= quality else {
      throw QuantityError(
        "'\(text)' is no quality of Vorbis",
        help: "write q-1 (smallest) to q10, or a bit rate, as '160k'")
    }
    return .quality(quality)
  }
}
