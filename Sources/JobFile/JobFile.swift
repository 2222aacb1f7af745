import MediaComposition
import SystemPackage

/// A job file, read and checked as far as that goes without opening a medium.
public struct JobFile: Sendable {
  /// A value for a variable, as `--set` gives it.
  public struct Variable: Sendable, Hashable {
    /// As in `${name}`.
    public var name: String
    /// Taken as it is: variables in it are not expanded.
    public var value: String
    /// Where the user wrote it.
    public var origin: Origin

    /// A value for `name`.
    public init(_ name: String, _ value: String, origin: Origin = .unknown) {
      self.name = name
      self.value = value
      self.origin = origin
    }
  }

  /// What reading depends on beside the file itself.
  public struct Options: Sendable {
    /// They replace `vars` of the same names.
    public var variables: [Variable]
    /// The variables of the environment that `${env.NAME}` may read; nil for one that is not set.
    public var environment: [String: String?]

    /// No variables but the file's own.
    public init(variables: [Variable] = [], environment: [String: String?] = [:]) {
      self.variables = variables
      self.environment = environment
    }
  }

  /// The path that was read.
  public let path: FilePath
  /// In the order of writing, those of a `for_each` in natural order; their names are unique.
  public let jobs: [Job]
  /// What is read beside the jobs' media and pictures: the job file itself, and lists of times.
  public let files: [FilePath]
  /// Files that the jobs name and that are not there; none unless they were allowed to be missing.
  public let missingFiles: Set<FilePath>
  /// What the user should know, and errors about `missingFiles`.
  public let diagnostics: Diagnostics

  /// What the user should know.
  public var warnings: [Diagnostic] { diagnostics.warnings }

  /// Reads the job file at `path`, with every check that needs no probed medium.
  ///
  /// - Parameters:
  ///   - path: The file, as the user spelled it; see `FileSystem.spelling(of:)`.
  ///   - options: Values for variables.
  ///   - map: Gets the file's text, and the places of all origins in `jobs`.
  ///   - files: The disk.
  /// - Returns: The jobs, and what does not stop them.
  /// - Throws: everything that is wrong, in order of place; of YAML's syntax the first error only.
  /// - Complexity: O(length of the file + number of jobs · size of what differs between them)
  public static func load(
    _ path: FilePath, options: Options = Options(), into map: SourceMap,
    files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> JobFile {
    let file = try loadAllowingMissingFiles(path, options: options, into: map, files: files)
    guard file.missingFiles.isEmpty else { throw file.diagnostics }
    return file
  }

  /// The same, but where nothing else is wrong than that files are not there, the jobs are
  /// returned, so that what is wrong with the ranges of those that are there can be told as well.
  /// `diagnostics` then has errors, and nothing may be run.
  public static func loadAllowingMissingFiles(
    _ path: FilePath, options: Options = Options(), into map: SourceMap,
    files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> JobFile {
    let bytes = try contents(of: path, files)
    if let diagnostic = MediaInstead.diagnostic(of: path, bytes) { throw Diagnostics(diagnostic) }
    var sink = DiagnosticSink()
    let root = try YAMLReader.read(bytes, named: path.string, into: map, sink: &sink)
    return try jobs(in: root, path: path, options: options, map, sink, files)
  }

  /// Decodes the outermost map, and checks what the jobs in it have to do with one another.
  static func jobs(
    in root: YAMLNode, path: FilePath, isOnDisk: Bool = true, options: Options, _ map: SourceMap,
    _ sink: DiagnosticSink, _ files: some FileSystem
  ) throws(Diagnostics) -> JobFile {
    let decoder = Decoder(
      map: map, files: files, folder: path.removingLastComponent(), sink: sink)
    var reader = FileReader(decoder: decoder, options: options, path: path)
    var jobs = reader.jobs(root)
    if isOnDisk {
      for index in jobs.indices { jobs[index].folder = decoder.folder }
    }
    let read = (isOnDisk ? [path] : []) + decoder.lists.keys
    let conflicts = Job.conflicts(
      among: jobs, reading: read, currentDirectory: files.currentDirectory)
    for conflict in conflicts { decoder.sink.add(conflict) }
    for problem in Job.unmetNeeds(among: jobs, known: decoder.jobNames) {
      decoder.sink.add(problem)
    }
    var found = decoder.sink.diagnostics.sorted(by: map)
    let count = decoder.sink.droppedCount
    let isOnlyMissing = found.errors.allSatisfy { decoder.missing.origins.contains($0.origin) }
    guard count == 0, isOnlyMissing else {
      if count > 0 { found.append(Diagnostic("\(count) more are not shown", at: .unknown)) }
      throw found
    }
    return JobFile(
      path: path, jobs: jobs, files: read,
      missingFiles: found.errors.isEmpty ? [] : decoder.missing.files, diagnostics: found)
  }

  private static func contents(
    of path: FilePath, _ files: some FileSystem
  ) throws(Diagnostics) -> [UInt8] {
    func refusal(_ message: String, help: String? = nil) -> Diagnostics {
      Diagnostics(Diagnostic("'\(path)' \(message)", at: .unknown, help: help))
    }
    do {
      return try files.contents(of: path, limit: YAMLReader.sizeLimit)
    } catch let error as FileTooLarge {
      if let diagnostic = MediaInstead.diagnostic(of: path, nil) { throw Diagnostics(diagnostic) }
      throw refusal("has more than \(error.limit >> 20) MiB: that is no job file")
    } catch Errno.noSuchFileOrDirectory {
      throw refusal("does not exist")
    } catch Errno.isDirectory {
      throw refusal("is a folder", help: "name a job file in it")
    } catch Errno.invalidArgument {
      throw refusal("is no regular file")
    } catch {
      throw refusal("cannot be read: \(error)")
    }
  }
}

/// Reads the outermost map of a job file.
private struct FileReader {
  let decoder: Decoder
  let options: JobFile.Options
  let path: FilePath

  /// A file is one job or a map of them: its schema is both.
  static let schema = Schema(subject: "a job file", keys: Schema.file.keys + Schema.job.keys)

  mutating func jobs(_ root: YAMLNode) -> [Job] {
    guard case .mapping(let entries) = root.kind else {
      if !root.isMissing {
        decoder.sink.error(
          "a job file is a map, not \(root.description)", at: root.origin, help: smallestFile)
      }
      return []
    }
    guard let fields = decoder.fields(of: root, as: Self.schema) else { return [] }
    let scope = Scope(globals: globals(fields, root), environment: options.environment)
    checkVersion(fields, scope)
    // Before anything is shared between jobs: a preset may be another one in each.
    decoder.readPresets(fields, scope)
    readSources(fields, scope)
    guard let jobs = fields["jobs"] else {
      let name = JobName(key: nil, fallback: path.stem ?? "job")
      return decoder.jobs(named: name, fields, scope)
    }
    for entry in entries where Schema.job[entry.key] != nil && fields[entry.key] != nil {
      decoder.sink.error(
        "'\(entry.key)' beside 'jobs'", at: entry.keyOrigin, help: "move it into one of the jobs",
        notes: [.init("the jobs are here", at: jobs.keyOrigin)])
    }
    return self.jobs(in: jobs.value, scope)
  }

  private func jobs(in node: YAMLNode, _ scope: Scope) -> [Job] {
    guard case .mapping(let entries) = node.kind else { return [] }
    if entries.isEmpty { decoder.sink.error("no jobs", at: node.origin) }
    var jobs: [Job] = []
    var names: [String: Origin] = [:]
    for entry in entries {
      guard let fields = decoder.fields(of: entry.value, as: .job) else {
        decoder.jobNames.insert(entry.key)
        continue
      }
      let name = JobName(key: keyNode(entry), fallback: entry.key)
      let group = name.group(in: decoder, scope)
      decoder.jobNames.insert(group)
      for var job in decoder.jobs(named: name, fields, scope) {
        job.group = group
        if let other = names.updateValue(entry.keyOrigin, forKey: job.name) {
          decoder.sink.error(
            "two jobs are called '\(job.name)'", at: entry.keyOrigin,
            notes: other == entry.keyOrigin ? [] : [.init("the other one is here", at: other)])
        }
        jobs.append(job)
      }
    }
    return jobs
  }

  /// A job's name may hold variables.
  private func keyNode(_ entry: YAMLEntry) -> YAMLNode {
    var scalar = YAMLScalar(text: entry.key, contentOffset: 0)
    do throws(Template.Malformed) {
      scalar.template = try Template.parse(entry.key)
    } catch {
      decoder.sink.error(error.message, at: entry.keyOrigin, help: error.help)
    }
    return YAMLNode(.scalar(scalar), origin: entry.keyOrigin)
  }

  private func checkVersion(_ fields: Fields, _ scope: Scope) {
    guard let entry = fields["version"], let text = decoder.text(entry.value, scope),
      text.string != "1"
    else { return }
    decoder.sink.error(
      "version '\(text.string)' is unknown", at: entry.value.origin,
      help: "this avjob reads version 1")
  }

  private func readSources(_ fields: Fields, _ scope: Scope) {
    guard case .mapping(let entries)? = fields["sources"]?.value.kind else { return }
    for entry in entries where !entry.value.isMissing { decoder.sources[entry.key] = entry }
    // Also those that no clip names, unless only a job can tell what they are.
    for entry in entries where !entry.value.isMissing && !entry.value.dependsOnJob {
      _ = decoder.source(entry, scope)
    }
  }

  // MARK: Variables

  /// `vars` from top to bottom, each of which may use those above it, and `--set` over them.
  private func globals(_ fields: Fields, _ root: YAMLNode) -> [String: String] {
    let given = Dictionary(
      options.variables.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    var globals = given
    var declared: Set<String> = []
    if case .mapping(let entries)? = fields["vars"]?.value.kind {
      for entry in entries {
        declared.insert(entry.key)
        guard checkName(entry), given[entry.key] == nil else { continue }
        let scope = Scope(globals: globals, environment: options.environment)
        globals[entry.key] = decoder.text(entry.value, scope)?.string ?? ""
      }
    }
    refuseUnused(declared: declared, root)
    return globals
  }

  private func checkName(_ entry: YAMLEntry) -> Bool {
    let root = entry.key.prefix { $0 != "." }
    let bound: Set<Substring> = ["input", "n", "count", "env", "part", "row"]
    if bound.contains(root) {
      decoder.sink.error(
        "'\(entry.key)' is a name of the language's own", at: entry.keyOrigin,
        help: "choose another name")
      return false
    }
    guard let template = try? Template.parse("${\(entry.key)}"),
      template.references.first?.name == entry.key
    else {
      decoder.sink.error(
        "'\(entry.key)' cannot be a variable's name", at: entry.keyOrigin,
        help: "a name is made of letters, digits, '_', '-' and '.'")
      return false
    }
    return true
  }

  /// `--set epsiode=43`
  private func refuseUnused(declared: Set<String>, _ root: YAMLNode) {
    guard !options.variables.isEmpty else { return }
    var used = declared
    root.collectVariables(into: &used)
    for variable in options.variables where !used.contains(variable.name) {
      let nearest = Spelling.nearest(to: variable.name, among: used.sorted())
      decoder.sink.error(
        "'\(path)' has no variable '\(variable.name)'", at: variable.origin,
        help: nearest.map { "did you mean '\($0)'?" })
    }
  }
}

extension YAMLNode {
  fileprivate func collectVariables(into names: inout Set<String>) {
    switch kind {
    case .scalar(let scalar):
      for reference in scalar.template?.references ?? [] { names.insert(reference.name) }
    case .sequence(let nodes): for node in nodes { node.collectVariables(into: &names) }
    case .mapping(let entries):
      for entry in entries {
        let template = try? Template.parse(entry.key)
        for reference in template?.references ?? [] { names.insert(reference.name) }
        entry.value.collectVariables(into: &names)
      }
    case .missing: break
    }
  }
}
