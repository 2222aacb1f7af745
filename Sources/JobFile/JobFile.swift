import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

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
    /// Whether a file without jobs, which others include, is no mistake.
    public var allowsNoJobs: Bool
    /// Whether a file that does not use one of the variables is no mistake, since others may.
    public var allowsUnusedVariables: Bool

    /// No variables but the file's own.
    public init(
      variables: [Variable] = [], environment: [String: String?] = [:], allowsNoJobs: Bool = false,
      allowsUnusedVariables: Bool = false
    ) {
      self.variables = variables
      self.environment = environment
      self.allowsNoJobs = allowsNoJobs
      self.allowsUnusedVariables = allowsUnusedVariables
    }
  }

  /// The path that was read.
  public let path: FilePath
  /// In the order of writing, those of a `for_each` over files in natural order; their names are
  /// unique. None where `Options.allowsNoJobs` let that be.
  public let jobs: [Job]
  /// What is read beside the jobs' media and pictures: the job file itself, what it includes, lists
  /// of times and tables.
  public let files: [FilePath]
  /// Pictures and lists that the jobs name and that are not there, once for each place; none unless
  /// they were allowed to be missing. `diagnostics` reports them.
  public let missingFiles: [MissingFile]
  /// Media that the jobs name and that are not there, unless other jobs write them. They have not been
  /// reported.
  public let missingMedia: [MissingFile]
  /// What the user should know, in order of place; errors among it are about `missingFiles`, unless
  /// `hasMistakes`.
  public let diagnostics: Diagnostics
  /// Whether something else is wrong than that files are missing: nothing may be run, and of a job that
  /// is wrong, `jobs` may have a part.
  public let hasMistakes: Bool
  /// What to report of the variables of the options that the file does not use, by their names;
  /// none unless that was allowed. They have not been reported.
  public let unusedVariables: [String: Diagnostic]

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
    let file = try loadAllowingMistakes(path, options: options, into: map, files: files)
    try file.requireNoMistakes(by: map)
    return file
  }

  /// The same, but what is wrong is returned beside the jobs, so that what follows from all of them can
  /// be reported as well, and so that jobs of other files may write files that are not there.
  ///
  /// - Throws: What is wrong with a file that cannot be read, or is no YAML.
  public static func loadAllowingMistakes(
    _ path: FilePath, options: Options = Options(), into map: SourceMap,
    files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> JobFile {
    let bytes = try contents(of: path, files)
    var sink = DiagnosticSink()
    let root = try YAMLReader.read(bytes, at: path, into: map, sink: &sink)
    return try jobs(
      in: root, path: path, bytes: bytes.count, options: options, map, sink, files)
  }

  /// Decodes the outermost map, and checks what the jobs in it have to do with one another.
  static func jobs(
    in root: YAMLNode, path: FilePath, bytes byteCount: Int = 0, isOnDisk: Bool = true,
    options: Options, _ map: SourceMap, _ sink: DiagnosticSink, _ files: some FileSystem
  ) throws(Diagnostics) -> JobFile {
    let decoder = Decoder(
      map: map, files: files, folder: path.removingLastComponent(), sink: sink)
    var reader = FileReader(decoder: decoder, options: options, path: path, bytes: byteCount)
    var jobs = reader.jobs(root)
    // A newer language has words that nobody here knows: nothing else can be said of the file.
    if let newer = reader.newerVersion { throw Diagnostics(newer) }
    if isOnDisk {
      for index in jobs.indices { jobs[index].folder = decoder.folder }
    }
    let read =
      (isOnDisk ? [path] : []) + reader.included + decoder.lists.keys + decoder.tables.keys
    for problem in Job.unmetNeeds(among: jobs, known: decoder.jobNames) {
      decoder.sink.add(problem)
    }
    var found = decoder.sink.diagnostics.sorted(by: map)
    let count = decoder.sink.droppedCount
    if count > 0 { found.append(Diagnostic("\(count) more are not shown", at: .unknown)) }
    return JobFile(
      path: path, jobs: jobs, files: read, missingFiles: decoder.missing.files,
      missingMedia: decoder.missing.media, diagnostics: found,
      hasMistakes: !found.errors.allSatisfy { decoder.missing.origins.contains($0.origin) },
      unusedVariables: reader.unusedVariables)
  }

  /// - Throws: what to report, where anything is wrong or a file is missing.
  func requireNoMistakes(by map: SourceMap) throws(Diagnostics) {
    guard hasMistakes || !missingFiles.isEmpty || !missingMedia.isEmpty else { return }
    var found = diagnostics
    found.append(contentsOf: MissingFile.diagnostics(of: missingMedia).all)
    throw found.sorted(by: map)
  }

  /// The bytes of a job file; `origin` is where another one includes it.
  static func contents(
    of path: FilePath, _ files: any FileSystem, includedAt origin: Origin = .unknown
  ) throws(Diagnostics) -> [UInt8] {
    func refusal(_ message: String, help: String? = nil) -> Diagnostics {
      Diagnostics(Diagnostic("'\(path)' \(message)", at: origin, help: help))
    }
    guard !path.isEmpty else {
      throw Diagnostics(
        Diagnostic(
          "the path of a job file is empty", at: origin,
          help: "name a job file; a variable of the shell may be empty"))
    }
    let text: MediaInstead.Text = origin == .unknown ? .jobFile : .included
    func media(_ bytes: [UInt8]?) -> Diagnostic? {
      MediaInstead.diagnostic(insteadOf: text, of: path, bytes, at: origin)
    }
    let bytes: [UInt8]
    do {
      bytes = try files.contents(of: path, limit: YAMLReader.sizeLimit)
    } catch let error as FileTooLarge {
      if let diagnostic = media(nil) { throw Diagnostics(diagnostic) }
      throw refusal(
        "has more than \(error.limit >> 20) MiB: that is no \(text.noun)",
        help: "move its jobs into several files, or let 'for_each' or 'rows' make them")
    } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
      guard path != "-" else {
        throw refusal("stands for a pipe, and avjob reads files only", help: "name a job file")
      }
      throw refusal("does not exist", help: absence(of: path, files))
    } catch Errno.isDirectory {
      throw refusal("is a folder", help: "name a job file in it")
    } catch Errno.invalidArgument {
      throw refusal(
        "is no regular file", help: "pipes and devices cannot be read: name a job file")
    } catch {
      throw refusal("cannot be read: \(error)", help: "let it be read, or name another file")
    }
    if let diagnostic = media(bytes) { throw Diagnostics(diagnostic) }
    return bytes
  }

  /// What a job file that is not there was perhaps meant to be.
  private static func absence(of path: FilePath, _ files: any FileSystem) -> String {
    let isYAML = ["yaml", "yml"].contains(path.extension?.lowercased() ?? "")
    let written = FilePath(isYAML ? path.string : path.string + ".yaml")
    if !isYAML, files.kind(of: written) == .file { return "did you mean '\(written)'?" }
    if let entry = files.nearestEntry(to: written) ?? files.nearestEntry(to: path) {
      return "did you mean '\(path.removingLastComponent().appending(entry))'?"
    }
    let folder = path.removingLastComponent()
    guard folder.isEmpty || files.kind(of: folder) == .folder else {
      return "there is no folder '\(folder)' either"
    }
    let command = "avjob init \(shellQuoted(written.string))"
    return (command.contains("'") ? command : "'\(command)'") + " writes one to start from"
  }
}
