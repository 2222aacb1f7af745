import MPEGAudio
import MediaComposition
import SystemPackage

/// What an output's `folder` needs to know of its job.
struct OutputContext {
  var scope: Scope
  /// The job's own sample rate.
  var mixRate: Located<Int>?
  /// The job's own layout.
  var mixChannels: ChannelLayout?
  /// The only clip of the job, if it is one.
  var clip: FilePath?
}

extension Decoder {
  /// The outputs behind `output`: a path, a map, or a list of them.
  func outputs(_ node: YAMLNode, _ context: OutputContext) -> [JobOutput] {
    guard case .sequence(let nodes) = node.kind else {
      return output(node, context).map { [$0] } ?? []
    }
    if nodes.isEmpty { sink.error("no outputs", at: node.origin) }
    return nodes.compactMap { output($0, context) }
  }

  private func output(_ node: YAMLNode, _ context: OutputContext) -> JobOutput? {
    guard case .mapping = node.kind else {
      guard let path = path(node, context.scope), let format = format(of: path) else { return nil }
      let output = JobOutput(path: path.value, format: format, origin: path.origin)
      checkRate(
        of: output, nil, mixRate: context.mixRate, channels: context.mixChannels, settings: nil)
      return output
    }
    guard let fields = fields(of: node, as: .output) else { return nil }
    let sampleRate = self.sampleRate(fields, context.scope)
    var channels = self.channels(fields, context.scope)
    let metadata = fields["metadata"].map { self.metadata($0.value, context.scope) }
    let named = format(fields, context.scope)
    guard let path = path(fields, context, format: named) else { return nil }
    if case .refused = named { return nil }
    guard let format = named?.format ?? format(of: path) else { return nil }
    if case .named(_, key: _, isMono: true) = named { channels = channels ?? Located(.mono) }
    if let key = named?.key { checkExtension(of: path, format, key) }
    let output = JobOutput(
      path: path.value, format: format, sampleRate: sampleRate?.value,
      channelLayout: channels?.value,
      metadata: metadata ?? Metadata(), origin: path.origin)
    checkRate(
      of: output, sampleRate, mixRate: context.mixRate,
      channels: channels?.value ?? context.mixChannels, settings: fields["mp3"]?.value.origin)
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

  func metadata(_ node: YAMLNode, _ scope: Scope) -> Metadata {
    shared(node) {
      var metadata = Metadata()
      for entry in fields(of: node, as: .metadata)?.entries ?? [] {
        if entry.key == "cover" {
          let cover = picture(
            entry.value, scope.with(part: scope.part == .none ? .none : .elsewhere))
          metadata.cover = cover?.value
        } else if let text = text(entry.value, scope) {
          metadata[entry.key] = text.string
        }
      }
      return metadata
    }
  }
}

// MARK: - Paths

extension Decoder {
  private func path(
    _ fields: Fields, _ context: OutputContext, format: NamedFormat?
  ) -> Located<FilePath>? {
    if let file = fields["file"], let folder = fields["folder"] {
      sink.error(
        "'folder' beside 'file'", at: folder.keyOrigin, help: "keep one of them",
        notes: [.init("the file is named here", at: file.keyOrigin)])
    }
    if let file = fields["file"] { return path(file.value, context.scope) }
    guard let entry = fields["folder"] else {
      if !fields.isIncomplete {
        sink.error("an output needs a 'file' or a 'folder'", at: fields.origin)
      }
      return nil
    }
    guard let folder = path(entry.value, context.scope) else { return nil }
    guard let format = format?.format else {
      if format == nil, !fields.isIncomplete {
        sink.error(
          "a 'folder' needs a format", at: entry.keyOrigin,
          help: "add one of 'mp3', 'wav', 'flac', 'aac'")
      }
      return nil
    }
    let isTemplate = context.scope.part == .bound
    func literal(_ path: FilePath) -> FilePath { isTemplate ? PartTemplate.escaped(path) : path }
    var path = folder.value
    if let input = context.scope.input {
      path = path.pushing(literal(input.folder))
    } else if context.clip == nil {
      sink.error(
        "'folder' has no input to take a name from", at: entry.keyOrigin,
        help: "name the file: 'file'")
      return nil
    }
    guard let name = (context.scope.input?.path ?? context.clip)?.lastComponent else { return nil }
    path = path.pushing(literal(FilePath(root: nil, [name])))
    // Not by way of a text: the name may be other bytes than UTF-8.
    path.extension = format.fileExtension
    if isTemplate { path = PartTemplate.numbered(path) }
    return Located(path, at: folder.origin)
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

  private func checkExtension(of path: Located<FilePath>, _ format: JobOutput.Format, _ key: String)
  {
    guard let own = path.value.extension?.lowercased(), !format.extensions.contains(own),
      JobOutput.Format.mediaExtensions.contains(own)
    else { return }
    sink.error(
      "'\(key)' does not go into '.\(own)'", at: path.origin,
      help: "write '\(path.value.stem ?? "").\(format.fileExtension)'")
  }
}

// MARK: - Formats

/// A format that a key named, or a key whose value was refused.
private enum NamedFormat {
  case named(JobOutput.Format, key: String, isMono: Bool)
  case refused

  var format: JobOutput.Format? { if case .named(let format, _, _) = self { format } else { nil } }
  var key: String? { if case .named(_, let key, _) = self { key } else { nil } }
}

extension Decoder {
  private func format(_ fields: Fields, _ scope: Scope) -> NamedFormat? {
    let entries = fields.present("mp3", "wav", "flac", "aac")
    guard let entry = entries.first else { return nil }
    if let second = entries.dropFirst().first {
      sink.error(
        "'\(second.key)' beside '\(entry.key)'", at: second.keyOrigin,
        help: "an output has one format; 'output' may be a list",
        notes: [.init("the other one is here", at: entry.keyOrigin)])
    }
    let format: JobOutput.Format?
    switch entry.key {
    case "mp3":
      return mp3(entry.value, scope).map {
        .named(.mp3($0.settings), key: entry.key, isMono: $0.isMono)
      } ?? .refused
    case "wav":
      format =
        value(entry.value, scope) { text throws(QuantityError) in
          .wav(try Quantity.sampleFormat(text))
        }?.value
    case "flac":
      format =
        value(entry.value, scope) { text throws(QuantityError) in
          .flac(bitDepth: try Quantity.bitDepth(text))
        }?.value
    default:
      format =
        value(entry.value, scope) { text throws(QuantityError) in
          .m4a(bitRate: try Quantity.aacBitRate(text))
        }?.value
    }
    return format.map { .named($0, key: entry.key, isMono: false) } ?? .refused
  }
}

extension JobOutput.Format {
  /// Extensions of media files, of which each says what is inside.
  static let mediaExtensions: Set<String> = [
    "mp3", "wav", "wave", "flac", "m4a", "m4b", "mp4", "aac", "ogg", "oga", "opus", "aif", "aiff",
    "caf", "mka", "mkv", "webm", "wma", "mp2", "ac3", "amr", "alac", "w64", "rf64", "au", "json",
  ]

  /// The format that a path's extension asks for, with its default settings.
  ///
  /// - Throws: a `QuantityError` where there is no extension, or none that is built.
  public init(extensionOf path: FilePath) throws(QuantityError) {
    switch path.extension?.lowercased() {
    case "mp3": self = .mp3(.standard)
    case "wav", "wave": self = .wav(nil)
    case "flac": self = .flac(bitDepth: nil)
    case "m4a", "m4b", "mp4": self = .m4a(bitRate: nil)
    case "aac":
      throw QuantityError(
        "'.aac' is not built yet", help: "write '\(path.stem ?? "").m4a': AAC in MP4")
    case let own? where own.hasSuffix("}") && PartTemplate.isTemplate(path):
      throw QuantityError("'\(path)' says no format", help: Self.choices)
    case let own? where Self.mediaExtensions.contains(own):
      throw QuantityError("'.\(own)' is not built yet", help: Self.choices)
    case let own?:
      throw QuantityError("'.\(own)' is no format that is known", help: Self.choices)
    case nil:
      throw QuantityError("'\(path)' says no format", help: Self.choices)
    }
  }

  private static let choices = "outputs end in .mp3, .wav, .flac or .m4a"

  /// The extensions of files in this format; the first is the usual one.
  var extensions: [String] {
    switch self {
    case .mp3: ["mp3"]
    case .wav: ["wav", "wave"]
    case .flac: ["flac"]
    case .m4a: ["m4a", "m4b", "mp4"]
    }
  }

  /// The usual one.
  var fileExtension: String { extensions[0] }
}

extension Quantity {
  /// `16 bit`, `24 bit`
  static func bitDepth(_ text: String) throws(QuantityError) -> Int {
    switch text.lowercased().filter({ $0 != " " && $0 != "-" }) {
    case "16bit": return 16
    case "24bit": return 24
    default:
      throw QuantityError("'\(text)' is no depth of FLAC", help: "write '16 bit' or '24 bit'")
    }
  }

  /// Of AAC-LC: at least 8, at most 576 kbit/s for two channels (ISO 14496-3: 6144 bits a channel
  /// and frame of 1024 at 48 kHz).
  static func aacBitRate(_ text: String) throws(QuantityError) -> Int {
    let rate = try bitRate(text)
    guard (8_000...576_000).contains(rate) else {
      throw QuantityError("'\(text)' is out of range", help: "AAC takes 8k to 576k")
    }
    return rate
  }
}
