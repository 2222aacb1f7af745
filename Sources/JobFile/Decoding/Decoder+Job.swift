import MediaComposition
import SystemPackage

extension Decoder {
  /// The jobs that `node` stands for: one, or one for each file of its `for_each`.
  func jobs(named name: JobName, _ fields: Fields, _ scope: Scope) -> [Job] {
    let loop = fields["for_each"]
    var scope = scope
    let bindsUnknownNames: Bool = if case .mapping = loop?.value.kind { true } else { false }
    scope.bindsUnknownNames =
      bindsUnknownNames || !fields.refused.isDisjoint(with: ["for_each", "rows"])
    guard loop != nil || fields.refused.contains("for_each") else {
      return job(name.text(in: self, scope), fields, scope).map { [$0] } ?? []
    }
    let inputs = loop.map { self.inputs(of: $0.value, scope) } ?? []
    if inputs.isEmpty {
      // What is wrong with the job itself is told all the same.
      scope.input = .unknown
      _ = job(name.fallback, fields, scope)
      return []
    }
    let names = name.names(for: inputs, in: self, scope)
    var jobs: [Job] = []
    jobs.reserveCapacity(inputs.count)
    for (index, match) in inputs.enumerated() {
      scope.input = InputBinding(
        path: match.path, text: written(match.path), folder: match.folder, number: index + 1,
        count: inputs.count)
      if let job = job(names[index], fields, scope) { jobs.append(job) }
    }
    return jobs
  }

  /// The files of a `for_each`, each once, pattern after pattern.
  private func inputs(of node: YAMLNode, _ scope: Scope) -> [FilePattern.Match] {
    var patterns: [YAMLNode] = []
    switch node.kind {
    case .scalar: patterns = [node]
    case .sequence(let nodes): patterns = nodes
    case .mapping, .missing:
      sink.error(
        "'for_each' over lists of values is not built yet", at: node.origin,
        help: "write the jobs under 'jobs', or give a pattern of files")
    }
    guard !isListOfValues(patterns, scope) else {
      sink.error(
        "'for_each' over a list of values is not built yet", at: node.origin,
        help: "write the jobs under 'jobs', or give patterns of files")
      return []
    }
    var seen: Set<FilePath> = []
    return patterns.flatMap { node -> [FilePattern.Match] in
      guard let text = text(node, scope) else { return [] }
      do throws(QuantityError) {
        try Self.checkPath(text.string)
      } catch {
        sink.error(error.message, at: node.origin, help: error.help)
        return []
      }
      var pattern = text.pattern(0..<text.string.unicodeScalars.count)
      while pattern.hasPrefix("./") { pattern.removeFirst(2) }
      return matches(pattern, at: node.origin).filter { seen.insert($0.path).inserted }
    }
  }

  /// `[en, de]`: words of which none is a file's name or looks like one.
  private func isListOfValues(_ nodes: [YAMLNode], _ scope: Scope) -> Bool {
    nodes.count > 1
      && nodes.allSatisfy { node in
        guard case .scalar(let scalar) = node.kind, scalar.template == nil else { return false }
        let isPlain = !scalar.text.contains { "./*?[{".contains($0) }
        return isPlain && kind(of: path(scalar.text)) == nil
      }
  }

  /// `path` as this job file would write it.
  private func written(_ path: FilePath) -> String {
    var path = path
    if !folder.isEmpty { _ = path.removePrefix(folder) }
    return path.string
  }

  private func job(_ name: String, _ fields: Fields, _ scope: Scope) -> Job? {
    jobNames.insert(name)
    refusePlacement(fields)
    let isSplit = fields["split"] != nil || fields.refused.contains("split")
    let partScope = scope.with(part: isSplit ? .bound : .none)
    let scope = scope.with(part: isSplit ? .elsewhere : .none)
    let split = self.split(fields, scope)
    let item = items(fields, scope, in: .job).first
    let sampleRate = self.sampleRate(fields, scope)
    let channels = mixChannels(fields, scope)
    let tags = fields["metadata"].map { self.metadata($0.value, partScope) }
    let course = self.course(fields, scope)
    guard let output = fields["output"]?.value else {
      if !fields.isIncomplete {
        sink.error(
          "a job needs an 'output'", at: fields.origin, help: "add 'output: NAME.mp3'")
      }
      return nil
    }
    let isShared = !output.dependsOnJob && !scope.hasFolderOutput(output)
    let context = OutputContext(
      scope: partScope, mixRate: sampleRate, mixChannels: channels,
      clip: item.flatMap(\.onlyClip), isNoClip: item.map { $0.onlyClip == nil } ?? false)
    let files =
      isShared ? shared(output) { self.outputs(output, context) } : self.outputs(output, context)
    if isSplit { refuseShared(files) }
    guard let item, !files.outputs.isEmpty, !isSplit || split != nil else { return nil }
    return Job(
      name: name, item: item, split: split, outputs: files.outputs, records: files.records,
      needs: course.needs, retries: course.retries, timeout: course.timeout,
      metadata: tags?.metadata ?? Metadata(), metadataBase: tags?.base,
      sampleRate: sampleRate?.value, channelLayout: channels?.value, origin: fields.origin)
  }

  /// `at` and `crossfade` place an item in a sequence; a job stands in none.
  private func refusePlacement(_ fields: Fields) {
    for key in ["at", "crossfade"] {
      guard let entry = fields[key], key == "at" || fields["concat"] == nil else { continue }
      sink.error(
        "'\(key)' on a job", at: entry.keyOrigin,
        help: "it places an item in a sequence; put the item into 'concat' or 'tracks'")
    }
  }
}

extension Scope {
  /// Whether an output may hold a `folder`, whose files are named after the input.
  fileprivate func hasFolderOutput(_ node: YAMLNode) -> Bool {
    switch node.kind {
    case .mapping(let entries): entries.contains { $0.key == "folder" }
    case .sequence(let nodes): nodes.contains(where: hasFolderOutput)
    case .scalar, .missing: false
    }
  }
}

extension Item {
  /// The file of an item that is one clip.
  fileprivate var onlyClip: FilePath? {
    if case .clip(let reference) = content { reference.path } else { nil }
  }
}

/// What a job is called.
struct JobName {
  /// The key under `jobs`; nil where the file is one job.
  var key: YAMLNode?
  /// The name of a file that is one job.
  var fallback: String

  func text(in decoder: Decoder, _ scope: Scope) -> String {
    key.flatMap { decoder.text($0, scope)?.string } ?? fallback
  }

  /// Unique names for the jobs of a loop: the input's stem; its path below the pattern's fixed part
  /// where stems repeat, with the extension where those repeat too, and else its whole path.
  func names(
    for inputs: [FilePattern.Match], in decoder: Decoder, _ scope: Scope
  ) -> [String] {
    let stems = inputs.map { $0.path.stem ?? "" }
    let paths = inputs.map { $0.folder.appending($0.path.stem ?? "").string }
    let wholes = inputs.map { input in
      input.path.lastComponent.map { input.folder.appending($0).string } ?? ""
    }
    let chosen =
      [stems, paths, wholes].first { Set($0).count == $0.count } ?? inputs.map(\.path.string)
    guard let key else { return chosen }
    return inputs.indices.map { index in
      guard key.dependsOnJob else { return text(in: decoder, scope) + "/" + chosen[index] }
      var scope = scope
      scope.input = InputBinding(
        path: inputs[index].path, text: inputs[index].path.string, folder: inputs[index].folder,
        number: index + 1, count: inputs.count)
      return text(in: decoder, scope)
    }
  }
}
