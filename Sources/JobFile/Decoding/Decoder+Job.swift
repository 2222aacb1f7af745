import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import Threads
import YAML

/// When a job runs: after which others, how often, and how long.
struct RunPolicy {
  /// Checked once all jobs are known.
  var needs: [Located<String>] = []
  var retries: Int?
  var timeout: Located<Time>?
}

/// A job, while its keys are read.
struct JobDraft {
  var split: Split?
  var tags: JobTags?
  var automation: Automation?
  var loudness: LoudnessTarget?
  var conform: [ConformRequest]?
  var isStrict = false
  var sampleRate: Located<Int>?
  /// The layout of the mix, or the channel of the only clip.
  var channels: Located<ItemChannels>?
  var policy = RunPolicy()
  /// The scope with variables of a part.
  fileprivate let partScope: Scope

  fileprivate init(_ partScope: Scope) { self.partScope = partScope }

  /// The layout of the mix: mono for one channel.
  var mixChannels: Located<ChannelLayout>? {
    channels.map { channels in
      switch channels.value {
      case .layout(let layout): Located(layout, at: channels.origin)
      case .position, .number: Located(.mono, at: channels.origin)
      }
    }
  }
}

extension Language {
  /// The keys of a job beside those of its item. `output`, `for_each`, `rows` and `group_by` are
  /// read last.
  static let jobKeys: Keys<JobDraft> = Keys([
    Key("output", as: Values.outputs, "the file or files to write"),
    Key("for_each", as: Values.loop, "one job for each file or value; binds 'input', 'n', 'count'"),
    Key(
      "rows", as: Values.table,
      "one job for each row of a table; binds its columns, 'n' and 'count'"),
    Key("group_by", as: Values.column, "one job for all 'rows' that agree in this column"),
    Key(
      "metadata", as: Values.metadata.form, "tags of the outputs, over those of a job's only clip"
    ) {
      entry, decoder, _, job in
      job.tags = decoder.metadata(entry.value, job.partScope)
    },
    Key("automation", Values.automation, "tags for radio: cues, and where the next file begins") {
      $0.automation = $1
    },
    Key("sample_rate", Values.sampleRate, "of the mix; else the highest among the sources") {
      $0.sampleRate = $1
    },
    Key(
      "channels", Values.mixChannels, "of the mix, also 'quad' to '7.1'; else that of the sources"
    ) {
      $0.channels = $1
    },
    Key("loudness", Values.loudness, "the level that its outputs are brought to, last of all") {
      $0.loudness = $1.ofOutput
    },
    Key(
      "conform", Values.conform,
      "delivery specifications that each finished file is checked by; else the job fails"
    ) {
      $0.conform = $1
    },
    Key("strict", Values.boolean, "whether damaged and doubtful sources are refused, not warned of")
    {
      $0.isStrict = $1.value
    },
    Key("needs", Values.names, "jobs of this file that must be done before this one") {
      $0.policy.needs = $1
    },
    Key("retries", Values.retries, "how often a temporary failure is tried again") {
      $0.policy.retries = $1.value
    },
    Key(
      "when", as: Values.text.form,
      "whether the job is run: an empty text, 'false', 'no' or '0' leaves it out"),
    Key("timeout", Values.timeout, "how long an attempt may take") { $0.policy.timeout = $1 },
    Key(
      "split", as: Values.split, "where parts begin; one set of outputs a part, and binds 'part'"
    ) { entry, decoder, scope, job in job.split = decoder.split(entry.value, scope) },
  ])

  /// A job: an item with outputs. Its rules are enforced after `defaults` and included files are
  /// merged.
  static let job: Schema = Schema(
    "a job", example: "{ clip: interview.wav, output: teaser.mp3 }",
    keys: jobKeys.facts + contents.facts + jobModifiers.facts)

  /// The rules of every job.
  static let jobRules: [Schema.Rule] =
    itemRules + [
      wordlessSilence,
      .atMostOne(of: contentNames, beside: oneContentHelp),
      .atMostOne(of: ["for_each", "rows"], beside: "a job is repeated for one of them"),
      .atMostOne(of: ["automation", "split"], beside: "cues are those of a whole file"),
      .never("at", "'at' on a job", help: placementHelp),
    ]

  /// The rules of a job after all merges.
  static let wholeJobRules: [Schema.Rule] = [
    .some(of: ["output"], missing: "a job needs an 'output'", help: "add 'output: NAME.mp3'"),
    .some(
      of: contentNames + ["for_each"], missing: "nothing sounds here",
      help: contentHelp),
    .key(
      "stream", needs: ["clip", "for_each"], "'stream' belongs to a clip",
      help: "write it beside the 'clip'"),
    .key(
      "snap", needs: ["clip", "for_each"], "'snap' belongs to a clip",
      help: "write it beside the 'clip'"),
    .key("crossfade", needs: ["concat"], "'crossfade' on a job", help: placementHelp),
    .key(
      "group_by", needs: ["rows"], "'group_by' without 'rows'",
      help: "name the table whose rows it groups: 'rows: words.csv'"),
  ]

  private static let placementHelp =
    "it places an item in a sequence; put the item into 'concat' or 'tracks'"
}

extension Decoder {
  /// The jobs of `fields`: one, or those of its `for_each` or `rows`.
  func jobs(named name: JobName, _ fields: Fields, _ scope: Scope) -> [Job] {
    guard !isExhausted else { return [] }
    let fields = withDefaults(fields)
    enforce(Language.jobRules + Language.wholeJobRules, on: fields)
    let keys = ["for_each", "rows"]
    var scope = scope
    if !fields.refused.isDisjoint(with: keys) { scope.bindsUnknownNames = true }
    begin(nil)
    texts = []
    guard !fields.present(keys).isEmpty || fields.refused.contains("for_each") else {
      let name = name.text(in: self, scope)
      if isLeftOut(fields, scope) {
        noteLeftOut([name], of: 1, fields)
        return []
      }
      guard let job = job(name, fields, scope) else { return [] }
      return takes(job, at: fields.origin, "'\(job.name)'") ? [job] : []
    }
    guard let loop = loop(fields, scope) else {
      // Errors of the job itself are reported all the same.
      if fields["rows"] == nil, fields["for_each"].map(bindsFiles) ?? true {
        let names = LoopNames([:], bindsInput: true)
        scope.loop = LoopBinding(names: names, input: .unknown, number: 1, count: 1)
        begin(names)
      }
      if fields["rows"] != nil || fields["for_each"].map({ isMap($0.value) }) ?? false {
        scope.bindsUnknownNames = true
      }
      _ = job(name.fallback, fields, scope)
      return []
    }
    begin(loop.names)
    loopBound.append(loop.names)
    let origin = (fields["for_each"] ?? fields["rows"])?.keyOrigin ?? fields.origin
    guard hasRoom(for: loop.count, of: fields, at: origin) else { return [] }
    let names = name.names(for: loop, in: self, scope)
    let loopTexts = texts
    let loopNumber = (fields["for_each"] ?? fields["rows"])?.value.number
    var jobs: [Job] = []
    var leftOut: [String] = []
    jobs.reserveCapacity(loop.count)
    for index in 0..<loop.count {
      scope.loop = loop.binding(index)
      texts = loopTexts
      guard !isExhausted else { break }
      guard !isLeftOut(fields, scope) else {
        leftOut.append(names[index])
        continue
      }
      guard var job = job(names[index], fields, scope) else { continue }
      job.loop = loopNumber
      if let file = scope.input?.kind.medium?.location.file, foundFiles.contains(file) {
        job.found = file
      }
      guard takes(job, at: origin, "the \(grouped(loop.count)) jobs of this loop") else { break }
      jobs.append(job)
    }
    noteLeftOut(leftOut, of: loop.count, fields)
    return jobs
  }

  /// Notes which jobs of one place are left out.
  private func noteLeftOut(_ names: [String], of count: Int, _ fields: Fields) {
    guard let entry = fields["when"], let first = names.first else { return }
    for name in names { leftOutJobs[name] = entry.value.origin }
    let shown = names.prefix(5).quoted + (names.count > 5 ? " …" : "")
    sink.add(
      Diagnostic(
        .note,
        count == 1
          ? "'\(first)' is left out" : "\(names.count) of \(count) jobs are left out: \(shown)",
        at: entry.value.origin))
  }

  private func job(_ name: String, _ fields: Fields, _ scope: Scope) -> Job? {
    jobNames.insert(name)
    unfinishedSize = 0
    let isSplit = fields["split"] != nil || fields.refused.contains("split")
    let partScope = scope.with(part: isSplit ? .bound : .none)
    let scope = scope.with(part: isSplit ? .elsewhere : .none)
    var draft = JobDraft(partScope)
    Language.jobKeys.read(fields, self, scope, into: &draft)
    var item = items(fields, scope, in: .job).first
    pick(draft.channels, of: &item, fields, scope)
    guard let output = fields["output"]?.value else { return nil }
    let isShared = !output.depends(on: loopNames) && !scope.hasFolderOutput(output)
    let context = EnclosingJob(
      scope: partScope, mixRate: draft.sampleRate, mixChannels: draft.mixChannels,
      loudness: draft.loudness, isStrict: draft.isStrict, clip: item.flatMap(\.onlyClip),
      isNoClip: item.map { $0.onlyClip == nil } ?? false)
    let files =
      isShared
      ? shared(output, in: scope) { self.outputs(output, context) } : self.outputs(output, context)
    if isSplit { refuseShared(files) }
    guard let item, !files.outputs.isEmpty, !isSplit || draft.split != nil else { return nil }
    var job = Job(
      name: name, item: item, split: draft.split, outputs: files.outputs, records: files.records,
      needs: draft.policy.needs, retries: draft.policy.retries, timeout: draft.policy.timeout,
      metadata: draft.tags?.metadata ?? Metadata(), metadataBase: draft.tags?.base,
      sampleRate: draft.sampleRate?.value, channelLayout: draft.mixChannels?.value,
      origin: fields.origin)
    if !files.bases.isEmpty { job.outputBases = files.bases }
    if !files.manifests.isEmpty { job.manifests = files.manifests }
    if refusedTranscript {
      for index in job.outputs.indices { job.outputs[index].transcript = .none }
    }
    if !leftOutItems.isEmpty { job.leftOut = leftOutItems }
    let read = texts.compactMap { path in textIdentities[path].map { ReadText(path, $0) } }
    if !read.isEmpty { job.texts = read.sorted { $0.path.string < $1.path.string } }
    (job.loudness, job.automation) = (draft.loudness, draft.automation)
    if let gain = fields["gain"] { noteGain(at: gain.keyOrigin, of: job) }
    if let conform = draft.conform {
      for index in job.outputs.indices where job.outputs[index].conform == nil {
        job.outputs[index].conform = conform
      }
    }
    if let naming = draft.tags?.naming { complete(&job.metadata, by: naming, context) }
    for (index, naming) in files.namings {
      complete(&job.outputs[index].metadata, by: naming, context)
    }
    if let tags = draft.tags, tags.coverOrigin != .unknown {
      for index in job.outputs.indices where job.outputs[index].origins.cover == .unknown {
        job.outputs[index].origins.cover = tags.coverOrigin
      }
    }
    job.origins = Export.Origins(
      sampleRate: draft.sampleRate?.origin ?? .unknown,
      channelLayout: draft.mixChannels?.origin ?? .unknown)
    return job
  }

  /// Notes that a job's gain changes nothing if all of its outputs are brought to levels of their
  /// own. In a group the gain makes the job's sound louder or softer than the other sounds.
  ///
  /// Jobs that share the gain share the note, whatever their levels are.
  private func noteGain(at origin: Origin, of job: Job) {
    let targets = job.outputs.compactMap { $0.loudness ?? job.loudness }
    guard let target = targets.first, targets.count == job.outputs.count,
      targets.allSatisfy({ $0.group == nil }), notedGains.insert(origin).inserted
    else { return }
    sink.add(
      Diagnostic(
        .note, "'gain' changes nothing: the outputs are brought to \(target.level) after it",
        at: origin, help: "leave it out, or write another 'loudness'",
        notes: [.init("the level is written here", at: target.origin)]))
  }

  /// Selects one channel of a job's only clip; a layout is the mix's, and not the item's.
  private func pick(
    _ channels: Located<ItemChannels>?, of item: inout Item?, _ fields: Fields, _ scope: Scope
  ) {
    guard let channels, channels.value.isPick, let content = item?.content else { return }
    guard case .clip = content else {
      let word = fields["channels"].flatMap { text($0.value, scope)?.string } ?? "channels"
      return sink.error(
        "'\(word)' is a channel of a file, and this job is more than one clip",
        at: channels.origin, help: "give the clips 'channels', and the job 'mono' or 'stereo'")
    }
    item?.channels = channels
  }
}

extension Scope {
  /// Whether an output may have a `folder`, whose files are named after the input.
  fileprivate func hasFolderOutput(_ node: YAMLNode) -> Bool {
    switch node.kind {
    case .mapping: node.hasKey { $0 == "folder" }
    case .sequence(let nodes): nodes.contains(where: hasFolderOutput)
    case .scalar, .missing: false
    }
  }
}

extension Item {
  fileprivate var onlyClip: MediaLocation? {
    if case .clip(let reference) = content { reference.location } else { nil }
  }
}

struct JobName {
  /// The key under `jobs`; nil where the file is one job.
  var key: YAMLNode?
  /// The name of a file that is one job.
  var fallback: String

  func text(in decoder: Decoder, _ scope: Scope) -> String {
    key.flatMap { decoder.jobName($0, scope) } ?? MediaURL.named(fallback)
  }

  /// The common name of all jobs of a loop: the key, with the file's variables filled in, or as
  /// written where each job fills it in.
  func group(in decoder: Decoder, _ scope: Scope) -> String {
    let isBound = key?.variables.contains {
      scope.globals[$0] == nil && !$0.hasPrefix("env.")
    }
    return isBound == true ? MediaURL.named(fallback) : text(in: decoder, scope)
  }

  /// Unique names for the jobs of a loop, from its values, or from the key if that distinguishes
  /// them.
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

extension YAMLNode {
  /// A number of its words; other words have another one. O(size)
  fileprivate var number: UInt64 {
    var number = [UInt8]().fnv1a()
    mix(into: &number)
    return number
  }

  private func mix(into number: inout UInt64) {
    func add(_ text: String) { number = (text.utf8 + [0]).fnv1a(continuing: number) }
    switch kind {
    case .scalar(let scalar): add(scalar.text)
    case .sequence(let nodes): for node in nodes { node.mix(into: &number) }
    case .mapping(let entries):
      for entry in entries {
        add(entry.key)
        entry.value.mix(into: &number)
      }
    case .missing: add("")
    }
  }
}
