import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// Reads the outermost map of a job file.
struct FileReader {
  let decoder: Decoder
  let options: JobFile.Options
  let path: FilePath
  /// The bytes of this file and its included files together.
  var bytes: Int
  var included: [FilePath] = []
  /// Whether a file that is included could not be read.
  var lacksInclude = false
  /// The only report, for a file in a newer language.
  private(set) var newerVersion: Diagnostic?
  /// Reports of variables that are set and not used, if other files may use them.
  private(set) var unusedVariables: [String: Diagnostic] = [:]
  /// The bag of all outputs, if the file asks for one.
  private(set) var bag: JobBag?

  mutating func jobs(_ root: YAMLNode) -> [Job] {
    guard case .mapping(let entries) = root.kind else {
      if !root.isMissing {
        decoder.sink.error(
          "a job file is a map, not \(root.description)", at: root.origin,
          help: root.hasTightColon
            ? "a space stands behind each ':', as in 'clip: interview.wav'" : smallestFile)
      }
      return []
    }
    guard checkVersion(root), var fields = decoder.fields(of: root, as: Language.file) else {
      return []
    }
    var roots = [root]
    include(into: &fields, &roots)
    decoder.jobLimit = options.jobLimit
    decoder.today = options.today
    decoder.allowsNoFiles = options.allowsNoFiles
    var scope = Scope(globals: globals(fields, roots), environment: options.environment)
    scope.bindsUnknownNames = lacksInclude
    (decoder.sizeLimit, decoder.isSent) = (options.sizeLimit, options.isSent)
    // Before jobs share anything: a preset may differ in each.
    decoder.readPresets(fields)
    readSources(fields)
    decoder.defaults = fields["defaults"].flatMap {
      decoder.fields(of: $0.value, as: Language.defaults)
    }
    let jobs = jobs(entries, fields, scope)
    decoder.begin(nil)
    bag = fields["bag"].flatMap { Values.bag.read($0.value, decoder, scope) }
    decoder.checkPresets(scope)
    checkSources(fields, scope)
    refuseBound(fields)
    return jobs
  }

  /// The jobs of the outermost map and of included files.
  private func jobs(_ entries: [YAMLEntry], _ fields: Fields, _ scope: Scope) -> [Job] {
    let own = entries.filter { Language.job[$0.key] != nil && fields[$0.key] != nil }
    guard let jobs = fields["jobs"] else {
      let isLibrary = own.isEmpty && !fields.refused.contains { Language.job[$0] != nil }
      if isLibrary, options.allowsNoJobs { return [] }
      let name = JobName(key: nil, fallback: path.stem ?? "job")
      return decoder.jobs(named: name, fields, scope)
    }
    for entry in own {
      decoder.sink.error(
        "'\(entry.key)' beside 'jobs'", at: entry.keyOrigin, help: "move it into one of the jobs",
        notes: [.init("the jobs are here", at: jobs.keyOrigin)])
    }
    return self.jobs(in: jobs.value, scope)
  }

  private func jobs(in node: YAMLNode, _ scope: Scope) -> [Job] {
    guard case .mapping(let entries) = node.kind else { return [] }
    if entries.isEmpty { decoder.refuseEmpty(node, Values.jobs) }
    var jobs: [Job] = []
    var names: [String: Origin] = [:]
    for entry in entries {
      guard let fields = decoder.fields(of: entry.value, as: Language.job) else {
        decoder.jobNames.insert(entry.key)
        continue
      }
      let name = JobName(key: keyNode(entry), fallback: entry.key)
      let group = name.group(in: decoder, scope)
      decoder.jobNames.insert(group)
      for var job in decoder.jobs(named: name, fields, scope) {
        job.group = group
        if let other = names.updateValue(entry.keyOrigin, forKey: job.name) {
          let help =
            job.name.contains("?…")
            ? "names have no queries of addresses: give one of them another name"
            : "give one of them another name"
          decoder.sink.error(
            "two jobs are called '\(job.name)'", at: entry.keyOrigin,
            help: other == entry.keyOrigin
              ? "put the number into the name, as with '${n}'" : help,
            notes: other == entry.keyOrigin ? [] : [.init("the other one is here", at: other)])
        }
        jobs.append(job)
      }
    }
    return jobs
  }

  /// A job's name may have variables.
  private func keyNode(_ entry: YAMLEntry) -> YAMLNode {
    var scalar = YAMLScalar(text: entry.key, contentOffset: 0)
    do throws(Template.Malformed) {
      scalar.template = try Template.parse(entry.key)
    } catch {
      decoder.sink.error(error.message, at: entry.keyOrigin, help: error.help)
    }
    return YAMLNode(.scalar(scalar), origin: entry.keyOrigin)
  }

  /// Whether the file that begins with `root` is in this version of the language; the rest of a
  /// newer file is not read.
  mutating func checkVersion(_ root: YAMLNode) -> Bool {
    guard case .mapping(let entries) = root.kind,
      let node = entries.first(where: { $0.key == "version" })?.value,
      case .scalar(let scalar) = node.kind, scalar.text != "1"
    else { return true }
    let parts = scalar.text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let isNewer = [1].lexicographicallyPrecedes(parts.map { $0 ?? 0 }) && !parts.contains(nil)
    guard isNewer, parts.dropFirst().contains(where: { $0 != 0 }) || parts.first != 1 else {
      decoder.sink.error(
        "version '\(scalar.text)' is unknown", at: node.origin,
        help: "this avjob reads version 1")
      return true
    }
    newerVersion =
      newerVersion
      ?? Diagnostic(
        "this file is in version \(scalar.text) of the job language", at: node.origin,
        help: "this avjob reads version 1: take a newer avjob, or write the file for version 1")
    return false
  }

  private func readSources(_ fields: Fields) {
    guard case .mapping(let entries)? = fields["sources"]?.value.kind else { return }
    for entry in entries where !entry.value.isMissing { decoder.sources[entry.key] = entry }
  }

  /// Checks sources, even unused ones, unless only a job can give their values.
  private func checkSources(_ fields: Fields, _ scope: Scope) {
    guard case .mapping(let entries)? = fields["sources"]?.value.kind else { return }
    for entry in entries where !entry.value.isMissing {
      let isBound = decoder.loopBound.contains { entry.value.depends(on: $0) }
      if !isBound { _ = decoder.source(entry, scope) }
      decoder.unfinishedSize = 0
    }
  }

  // MARK: Variables

  /// `vars` from top to bottom, each of which may use those above it, then `--set`.
  private mutating func globals(_ fields: Fields, _ roots: [YAMLNode]) -> [String: String] {
    let given = Dictionary(
      options.variables.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    // Changed in place: each of a hundred thousand variables would else copy all.
    var scope = Scope(globals: given, environment: options.environment)
    scope.bindsUnknownNames = lacksInclude
    var declared: Set<String> = []
    decoder.strayNames = Set(given.keys)
      .subtracting((fields["vars"]?.value.entries ?? []).map(\.key))
      .subtracting(namesUsed(in: roots))
    for variable in options.variables { decoder.globalPlaces[variable.name] = variable.origin }
    if case .mapping(let entries)? = fields["vars"]?.value.kind {
      for entry in entries {
        declared.insert(entry.key)
        guard decoder.checkName(entry), given[entry.key] == nil else { continue }
        decoder.globalPlaces[entry.key] = entry.keyOrigin
        let text = decoder.text(entry.value, scope)
        scope.globals[entry.key] = text?.string ?? ""
        if text?.isAfterEmpty(0) == true { decoder.startingEmpty.insert(entry.key) }
        decoder.noteForeign(entry.key, [entry.value])
      }
    }
    refuseUnused(declared: declared, roots, scope)
    return scope.globals
  }

  /// `--set epsiode=43`
  private mutating func refuseUnused(
    declared: Set<String>, _ roots: [YAMLNode], _ scope: Scope
  ) {
    guard !options.variables.isEmpty else { return }
    let used = declared.union(namesUsed(in: roots))
    let shown = declared.filter { !decoder.isForeign($0, scope) }
      .union(namesUsed(in: roots.filter { decoder.map.showsWords(at: $0.origin) }))
    for variable in options.variables where !used.contains(variable.name) {
      refuse(
        variable,
        Diagnostic(
          "'\(path)' has no variable '\(variable.name)'", at: variable.origin,
          help: Spelling.help(for: variable.name, among: shown.sorted())))
    }
  }

  /// The variables that files read.
  private func namesUsed(in roots: [YAMLNode]) -> Set<String> {
    guard !options.variables.isEmpty else { return [] }
    return roots.reduce(into: []) { used, root in
      used.formUnion(root.variables)
      root.collectKeyVariables(into: &used)
    }
  }

  private mutating func refuse(_ variable: JobFile.Variable, _ diagnostic: Diagnostic) {
    guard options.allowsUnusedVariables else { return decoder.sink.add(diagnostic) }
    unusedVariables[variable.name] = diagnostic
  }

  /// `--set at1=1:30`, where a column of a table has that name.
  private mutating func refuseBound(_ fields: Fields) {
    let declared = Set((fields["vars"]?.value.entries ?? []).map(\.key))
    for variable in options.variables where !declared.contains(variable.name) {
      guard decoder.loopBound.contains(where: { $0.binds(variable.name) }) else { continue }
      refuse(
        variable,
        Diagnostic(
          "'\(variable.name)' is bound by a loop of '\(path)'", at: variable.origin,
          help: "its values stand in the file"))
    }
  }
}

extension YAMLNode {
  /// Whether it is a text like `clip:a.wav`, where a map was meant.
  fileprivate var hasTightColon: Bool {
    guard case .scalar(let scalar) = kind, let colon = scalar.text.firstIndex(of: ":") else {
      return false
    }
    let key = String(scalar.text[..<colon])
    return Language.file[key] != nil
  }

  /// Adds the variables in the names of jobs.
  fileprivate func collectKeyVariables(into names: inout Set<String>) {
    switch kind {
    case .scalar, .missing: break
    case .sequence(let nodes): for node in nodes { node.collectKeyVariables(into: &names) }
    case .mapping(let entries):
      for entry in entries {
        let template = try? Template.parse(entry.key)
        for reference in template?.references ?? [] { names.insert(reference.name) }
        entry.value.collectKeyVariables(into: &names)
      }
    }
  }
}
