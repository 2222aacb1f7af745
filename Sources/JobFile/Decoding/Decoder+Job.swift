import JobModel
import MediaComposition
import SystemPackage
import YAML

extension Decoder {
  /// The jobs that `fields` stand for: one, or those of its `for_each` or `rows`.
  func jobs(named name: JobName, _ fields: Fields, _ scope: Scope) -> [Job] {
    let fields = withDefaults(fields)
    let keys = ["for_each", "rows"]
    var scope = scope
    scope.bindsUnknownNames = !fields.refused.isDisjoint(with: keys)
    refuseLonelyGroup(fields)
    begin(nil)
    guard !fields.present(keys).isEmpty || fields.refused.contains("for_each") else {
      return job(name.text(in: self, scope), fields, scope).map { [$0] } ?? []
    }
    guard let loop = loop(fields, scope) else {
      // What is wrong with the job itself is told all the same.
      if fields["rows"] == nil, fields["for_each"].map(bindsFiles) ?? true {
        let names = LoopNames([:], bindsInput: true)
        scope.loop = LoopBinding(names: names, input: .unknown, number: 1, count: 1)
        begin(names)
      } else {
        scope.bindsUnknownNames = true
      }
      _ = job(name.fallback, fields, scope)
      return []
    }
    begin(loop.names)
    loopBound.append(loop.names)
    let names = name.names(for: loop, in: self, scope)
    var jobs: [Job] = []
    jobs.reserveCapacity(loop.count)
    for index in 0..<loop.count {
      scope.loop = loop.binding(index)
      if let job = job(names[index], fields, scope) { jobs.append(job) }
    }
    return jobs
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
    let isShared = !output.depends(on: loopNames) && !scope.hasFolderOutput(output)
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

  /// Unique names for the jobs of a loop, made of what it binds, or by the key where that says
  /// which job it is.
  func names(for loop: JobLoop, in decoder: Decoder, _ scope: Scope) -> [String] {
    guard let key else { return loop.jobNames() }
    guard key.depends(on: loop.names) else {
      let name = text(in: decoder, scope)
      return loop.jobNames().map { name + "/" + $0 }
    }
    var scope = scope
    return (0..<loop.count).map { index in
      scope.loop = loop.binding(index)
      return text(in: decoder, scope)
    }
  }
}
