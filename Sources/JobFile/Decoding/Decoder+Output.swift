import Diagnosis
import ExportGraph
import JobModel
import MPEGAudio
import MediaComposition
import SystemPackage
import YAML

/// The facts of a job that its outputs' `folder` needs.
struct EnclosingJob {
  var scope: Scope
  var mixRate: Located<Int>?
  var mixChannels: Located<ChannelLayout>?
  /// The level of outputs without their own.
  var loudness: LoudnessTarget?
  /// Whether outputs without an answer of their own are strict.
  var isStrict = false
  /// The only clip of the job, if it is one.
  var clip: MediaLocation?
  /// Whether the job is known to be more than one clip.
  var isNoClip = false
}

struct WrittenFiles {
  var outputs: [Output] = []
  /// The bases of tags, by the index of the output.
  var bases: [Int: MetadataBase] = [:]
  /// How their tags are read from names, by the same.
  var namings: [Int: NameTemplate] = [:]
  var records: [ExportRecord] = []
  var manifests: [JobManifest] = []
}

extension Decoder {
  /// The outputs behind `output`: a path, a map, or a list of them.
  func outputs(_ node: YAMLNode, _ context: EnclosingJob) -> WrittenFiles {
    let nodes = node.elements
    if nodes.isEmpty { refuseEmpty(node, Values.outputs) }
    var files = WrittenFiles()
    for node in nodes {
      if node.isRecord {
        if let record = record(node, context) { files.records.append(record) }
      } else if node.isManifest {
        // Without any before it, it is refused below.
        let output = max(0, files.outputs.count - 1)
        let manifest = manifest(node, ofOutput: output, context)
        if let manifest { files.manifests.append(manifest) }
      } else if let (output, tags) = output(node, context) {
        files.bases[files.outputs.count] = tags.base
        files.namings[files.outputs.count] = tags.naming
        files.outputs.append(output)
      }
    }
    refuseLonelyRecords(nodes)
    refuseLonelyManifests(nodes)
    return files
  }

  private func output(
    _ node: YAMLNode, _ context: EnclosingJob
  ) -> (output: Output, tags: JobTags)? {
    guard case .mapping = node.kind else {
      guard let path = path(node, context.scope, as: .output), let request = request(of: path)
      else {
        return nil
      }
      var output = Output(path: path.value, request: request, origin: path.origin)
      output.isStrict = context.isStrict
      check(output, context)
      return (output, JobTags())
    }
    guard let own = fields(of: node, as: Language.output) else { return nil }
    let fields = withPreset(own, context.scope)
    var draft = OutputDraft(context, isInFolder: fields["folder"] != nil)
    Language.outputKeys.read(fields, self, context.scope, into: &draft)
    let path = path(fields, context) { fileExtension(of: draft, fields, $0) }
    let isNamed = !fields.present(Language.formatKeys).isEmpty
    guard let path, let request = isNamed ? draft.request : request(of: path) else { return nil }
    if let mono = draft.mp3?.mono {
      if let channels = draft.channels, channels.value != .mono {
        sink.error(
          "'mode: mono' of an output that is not", at: mono, help: "keep one of them",
          notes: [.init("its channels are given here", at: channels.origin)])
      }
      draft.channels = draft.channels ?? Located(.mono)
    }
    if let key = draft.formatKey {
      checkExtension(of: path, request, key, isPreset: own[key] == nil)
    }
    var output = Output(
      path: path.value, request: request, sampleRate: draft.sampleRate?.value,
      channelLayout: draft.channels?.value, metadata: draft.tags.metadata, origin: path.origin)
    output.chapters = chapterPlaces(fields["chapters"], of: output.kind, context.scope)
    output.transcript = transcriptPlaces(fields["transcript"], of: output, context.scope)
    (output.id3, output.mp3Preset) = (draft.id3?.value, draft.mp3?.preset)
    (output.loudness, output.conform, output.silences) = draft.levels
    output.isStrict = draft.isStrict?.value ?? context.isStrict
    if own["loudness"] == nil, let preset = fields["preset"] {
      noteLoudness(of: preset, draft.loudness, insteadOf: context.loudness)
    }
    (output.copying, output.video, output.marks) = (copying(draft), draft.video?.value, draft.marks)
    if let video = draft.video, video.value != Output.Video.none, output.movie == nil {
      sink.error(
        "'video' of an output that holds no picture", at: video.origin,
        help: "end its name in \(MovieContainer.listed("or"))")
    }
    output.origins = draft.mp3?.origins ?? Output.Origins()
    if output.origins.format == .unknown, let key = draft.formatKey {
      output.origins.format = fields[key]?.value.origin ?? .unknown
    }
    output.origins.sampleRate = draft.sampleRate?.origin ?? .unknown
    output.origins.channelLayout = draft.channels?.origin ?? .unknown
    output.origins.id3 = fields["id3"]?.keyOrigin ?? .unknown
    output.origins.cover = draft.tags.coverOrigin
    (output.gainTags, output.origins.gainTags) = draft.gains
    check(output, context)
    return (output, draft.tags)
  }

  /// How frames are copied, by two keys.
  private func copying(_ draft: OutputDraft) -> Output.Copying? {
    if let join = draft.join, !draft.copiesFrames {
      sink.error(
        "'join' is for frames of MP3, AAC or Opus that are copied", at: join.origin,
        help: "write 'mp3: copy', 'aac: copy' or 'opus: copy'")
    }
    var copying = draft.copying
    copying?.join = draft.join?.value ?? .exact
    return copying
  }

  /// Reports settings of an output that are impossible whatever its sources are.
  private func check(_ output: Output, _ context: EnclosingJob) {
    let problems = output.problems(mixRate: context.mixRate, mixLayout: context.mixChannels)
    for problem in problems { sink.add(problem) }
  }
}

// MARK: - Paths

/// The extension of files in a folder.
enum FileExtension {
  case usual(String)
  /// That of the clip, until its format is known.
  case clips
}

extension Decoder {
  /// The path of 'file' or 'folder'.
  ///
  /// - Parameters:
  ///   - fields: An output's.
  ///   - context: The job around it.
  ///   - naming: Gives the extension of files in a folder; nil, after a report, if there is none.
  /// - Returns: The path, a template in a split job; nil, after a report, if there is none.
  func path(
    _ fields: Fields, _ context: EnclosingJob, naming: (YAMLEntry) -> FileExtension?
  ) -> Located<FilePath>? {
    if let file = fields["file"] { return path(file.value, context.scope, as: .output) }
    guard let entry = fields["folder"],
      let folder = path(entry.value, context.scope, as: .folder),
      let fileExtension = naming(entry)
    else { return nil }
    let isTemplate = context.scope.part == .bound
    func literal(_ path: FilePath) -> FilePath { isTemplate ? PartTemplate.escaped(path) : path }
    var path = folder.value
    let input = context.scope.input?.kind.medium
    if let input {
      path = path.pushing(literal(input.folder))
    } else if context.clip == nil {
      sink.error(
        "'folder' has no input to take a name from", at: entry.keyOrigin,
        help: "name the file: 'file'")
      return nil
    }
    guard let location = input?.location ?? context.clip, let name = location.fileName else {
      sink.error(
        "'folder' takes its file's name from an address that has none", at: entry.keyOrigin,
        help: "name the file: 'file'")
      return nil
    }
    path = path.pushing(literal(FilePath(root: nil, [name])))
    // Not as a text: the name may have other bytes than UTF-8.
    if case .usual(let usual) = fileExtension { path.extension = usual }
    if isTemplate { path = PartTemplate.numbered(path) }
    return Located(path, at: folder.origin)
  }

  /// The extension of an output's files in a folder.
  private func fileExtension(
    of output: OutputDraft, _ fields: Fields, _ folder: YAMLEntry
  ) -> FileExtension? {
    if let video = output.video?.value, video != Output.Video.none {
      return .usual(output.movieExtension)
    }
    if let request = output.request {
      return request.extensions.first.map(FileExtension.usual) ?? .clips
    }
    // A preset may have no format.
    if fields["preset"] != nil, fields.present(Language.formatKeys).isEmpty, !fields.isIncomplete {
      sink.error(Language.folderNeedsFormat, at: folder.keyOrigin, help: Language.addFormat)
    }
    return nil
  }

  /// The format of the extension of `path`.
  private func request(of path: Located<FilePath>) -> Output.Request? {
    checked(at: path.origin) { () throws(QuantityError) in
      try Output.Request(extensionOf: path.value)
    }
  }

  private func checkExtension(
    of path: Located<FilePath>, _ request: Output.Request, _ key: String, isPreset: Bool
  ) {
    guard let own = path.value.extension?.lowercased(), let usual = request.extensions.first else {
      return
    }
    if OutputCapabilities.videoExtensions.contains(own) {
      return sink.error(
        Output.pictureRefusal(of: own), at: path.origin,
        help: Output.pictureHelp(path.value.stem, usual))
    }
    guard !request.extensions.contains(own), Output.Request.mediaExtensions.contains(own)
    else { return }
    let movie = MovieContainer(extension: own)
    let isLate = key == "aac" && movie?.isMatroska == true
    let reason = isLate ? ": FFmpeg does not mark the 21 ms before its sound, which are heard" : ""
    sink.error(
      (isPreset ? "the preset is '\(key)', which" : "'\(key)'")
        + " does not go into '.\(own)'\(reason)",
      at: path.origin,
      help: (movie.map { "write '\($0.usualSound)', or " } ?? "write ")
        + "'\(path.value.stem ?? "").\(isLate ? "mp4" : usual)'")
  }
}

// MARK: - Formats

extension Decoder {
  /// Reports the errors in a preset's settings that any output would have.
  func checkPreset(_ fields: Fields, _ scope: Scope) {
    var draft = OutputDraft(EnclosingJob(scope: scope), isInFolder: false)
    Language.outputKeys.read(fields, self, scope, into: &draft)
  }
}

extension Output.Request {
  /// Extensions of media files that stand for a format.
  static let mediaExtensions: Set<String> = Set(
    Output.Kind.allCases.flatMap(\.capabilities.extensions)
  ).union([
    "mka", "wma", "mp2", "ac3", "lbc", "alac", "w64", "rf64", "bw64", "au", "json",
  ]).union(OutputCapabilities.videoExtensions)

  /// The format of a path's extension, with its usual settings.
  ///
  /// - Throws: A `QuantityError` for no extension, or one of no output format.
  init(extensionOf path: FilePath) throws(QuantityError) {
    guard let own = path.extension?.lowercased() else {
      throw QuantityError(
        "'\(path)' has no extension",
        help: "add one, as '.mp3'; for a folder write { folder: \(path), mp3: V2 }")
    }
    if let kind = Output.Kind(extension: own) {
      self = .usual(kind)
      return
    }
    let stem = path.stem ?? ""
    switch own {
    case "json":
      throw QuantityError(
        "'.json' holds no sound", help: "for facts of the job, write { file: ..., json: sidecar }")
    case _ where OutputCapabilities.videoExtensions.contains(own):
      throw QuantityError(Output.pictureRefusal(of: own), help: Output.pictureHelp(stem, "m4a"))
    case _ where own.hasSuffix("}") && PartTemplate.isTemplate(path):
      throw QuantityError("'\(path)' has no fixed extension", help: Self.choices)
    case _ where WaveContainer(rawValue: own) != nil:
      throw QuantityError(
        "'.\(own)' is not an output format",
        help: "write '\(stem).wav', with 'wav: { container: \(own) }'")
    default:
      throw QuantityError(
        "'.\(own)' is not an output format",
        help: own == "lbc"
          ? "iLBC is read alone; for telephony write '\(stem).amr' or '\(stem).gsm'"
          : own == "alac" ? "write '\(stem).m4a', with 'alac: 16 bit'" : Self.choices)
    }
  }

  private static let choices = {
    // Few write sound without a header.
    let names = Output.Kind.allCases.filter { $0 != .raw }.flatMap { kind in
      // What follows a kind's first name are spellings, but for the name of audiobooks.
      kind.capabilities.extensions.prefix(kind == .aac ? 2 : 1)
        .filter { Output.Kind(extension: $0) == kind }
    }
    let movies = MovieContainer.allCases.map { $0.extensions[0] }
    return "outputs end in " + (names + movies).map { ".\($0)" }.listed("or")
  }()

  /// The extensions of this format, the usual one first. None where only the clip decides.
  var extensions: [String] {
    switch self {
    case .exactly(let format): format.kind.capabilities.extensions
    case .usual(let kind), .copied(let kind): kind.capabilities.extensions
    case .same: []
    }
  }
}
