import Diagnosis
import Files
import JobModel
import MediaComposition
import SystemPackage
import Threads
import YAML

/// A job file, read and checked without opening a medium.
package struct JobFile: Sendable {
  /// A value for a variable, from `--set`.
  package struct Variable: Sendable, Hashable {
    /// As in `${name}`.
    package var name: String
    /// Literal: variables in it are not expanded.
    package var value: String
    /// Where the user writes it.
    package var origin: Origin

    /// A value for `name`.
    package init(_ name: String, _ value: String, origin: Origin = .unknown) {
      self.name = name
      self.value = value
      self.origin = origin
    }
  }

  /// Options of reading besides the file itself.
  package struct Options: Sendable {
    /// They replace `vars` of the same names.
    package var variables: [Variable]
    /// The variables that `${env.NAME}` may read; nil for one that is not set.
    package var environment: [String: String?]
    /// How many jobs a file may make.
    package var jobLimit = JobLoop.countLimit
    /// Bytes of memory that the jobs of a file may take, about, as they are written.
    package var sizeLimit = SegmentBudget.usualLimit
    /// Whether other processes make their files, which takes more.
    package var isSent = false
    /// The day for `${date}`; nil: the clock has none.
    package var today = CalendarDay.today
    /// Whether a file without jobs, for others to include, is allowed.
    package var allowsNoJobs: Bool
    /// Whether a loop over files may find none yet, with a note.
    package var allowsNoFiles = false
    /// Whether unused variables are allowed, since other files may use them.
    package var allowsUnusedVariables: Bool

    /// No variables but the file's own.
    package init(
      variables: [Variable] = [], environment: [String: String?] = [:], allowsNoJobs: Bool = false,
      allowsUnusedVariables: Bool = false
    ) {
      self.variables = variables
      self.environment = environment
      self.allowsNoJobs = allowsNoJobs
      self.allowsUnusedVariables = allowsUnusedVariables
    }
  }

  /// The file's path.
  package let path: FilePath
  /// In the order of writing, those of a `for_each` over files in natural order; with unique names.
  /// None only where `Options.allowsNoJobs`, or where `when` leaves out all of them.
  package let jobs: [Job]
  /// The bag of all their outputs; nil: none is asked for.
  package let bag: JobBag?
  /// Files besides the jobs' media and pictures: the job file itself, included files, lists of
  /// times and tables.
  package let files: [FilePath]
  /// Those of `files` that are transcripts, each once, with a place that names it; in no order.
  package let transcripts: [Located<FilePath>]
  /// Missing pictures and lists of the jobs, once for each place; none unless missing files were
  /// allowed. `diagnostics` reports them.
  package let missingFiles: [MissingFile]
  /// Missing media of the jobs, unless other jobs write them. They are not reported.
  package let missingMedia: [MissingFile]
  /// Warnings and errors, in order of place; without `hasMistakes`, all errors are about
  /// `missingFiles`.
  package let diagnostics: Diagnostics
  /// Whether there are errors besides missing files: nothing may run, and `jobs` may have parts of
  /// refused jobs.
  package let hasMistakes: Bool
  /// Bytes of memory that the jobs take, about, as they are written.
  package let size: Int
  /// Whether `when` left out jobs.
  package let leavesOutJobs: Bool
  /// Whether the jobs depend on the day on which the file was read (`${date}`).
  package let usesToday: Bool
  /// Reports of the options' unused variables, by name; none unless allowed. They are not reported.
  package let unusedVariables: [String: Diagnostic]

  /// Warnings for the user.
  package var warnings: [Diagnostic] { diagnostics.warnings }

  /// Reads the job file at `path`, with every check that needs no medium.
  ///
  /// - Parameters:
  ///   - path: The file, as the user spelled it; see `FileSystem.spelling(of:)`.
  ///   - options: Values for variables.
  ///   - map: Gets the file's text, and the places of all origins in `jobs`.
  ///   - files: The disk. `LocalFileSystem(fetching:)` reads lists of times of servers, too; without
  ///     it they are refused.
  /// - Returns: The jobs, and warnings.
  /// - Throws: All errors, in order of place; of YAML's syntax the first error only.
  /// - Complexity: O(length of the file + number of jobs · size of their differences)
  package static func load(
    _ path: FilePath, options: Options = Options(), into map: SourceMap,
    files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> JobFile {
    let file = try loadAllowingMistakes(path, options: options, into: map, files: files)
    try file.requireNoMistakes(by: map)
    return file
  }

  /// Loads a job file as `load` does, but returns errors beside the jobs, so that errors between
  /// all jobs can be reported as well, and jobs of other files may write missing files.
  ///
  /// - Throws: The errors of a file that cannot be read, or is no YAML.
  package static func loadAllowingMistakes(
    _ path: FilePath, options: Options = Options(), into map: SourceMap,
    files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> JobFile {
    let contents = try contents(of: path, files)
    var sink = DiagnosticSink()
    let folder = files.resolved(path.removingLastComponent())
    let isQuoted = contents.isQuoted(in: folder, named: path.lastComponent)
    let root: YAMLNode
    do throws(Diagnostics) {
      root = try YAMLReader.read(
        contents.bytes, at: path, isQuoted: isQuoted, into: map, sink: &sink)
    } catch {
      throw map.quotable(error).helpingWithBlanks(by: map, isSyntax: true)
    }
    return try jobs(
      in: root, path: path, quotedFolder: folder, bytes: contents.bytes.count, options: options,
      map, sink, files)
  }

  /// Decodes the outermost map, and checks the relations of its jobs. Of the files that it names,
  /// messages quote those below `quotedFolder`.
  static func jobs(
    in root: YAMLNode, path: FilePath, quotedFolder: FilePath, bytes byteCount: Int = 0,
    isOnDisk: Bool = true, options: Options, _ map: SourceMap, _ sink: DiagnosticSink,
    _ files: some FileSystem
  ) throws(Diagnostics) -> JobFile {
    let decoder = Decoder(
      map: map, files: files, folder: path.removingLastComponent(), quotedFolder: quotedFolder,
      sink: sink)
    var reader = FileReader(decoder: decoder, options: options, path: path, bytes: byteCount)
    var jobs = reader.jobs(root)
    // A newer language has unknown words: nothing else can be reported.
    if let newer = reader.newerVersion { throw map.quotable(Diagnostics(newer)) }
    if isOnDisk {
      for index in jobs.indices { jobs[index].folder = decoder.folder }
    }
    let name = path.lastComponent?.string.utf8
    for index in jobs.indices {
      jobs[index].loop = jobs[index].loop.map { name?.fnv1a(continuing: $0) ?? $0 }
    }
    let read =
      (isOnDisk ? [path] : []) + reader.included + decoder.lists.keys.compactMap(\.file)
      + decoder.transcriptOrigins.keys + decoder.tables.keys
    // Of jobs that are not decoded, names are unknown.
    let unmet =
      decoder.isExhausted
      ? []
      : Job.unmetNeeds(
        among: jobs, known: decoder.jobNames, leftOut: decoder.leftOutJobs)
    for problem in unmet {
      decoder.sink.add(problem)
    }
    let hasMistakes = !decoder.sink.diagnostics.errors.allSatisfy(decoder.missing.reports.contains)
    var found = map.quotable(decoder.sink.diagnostics, besides: decoder.missing.reports)
      .sorted(by: map).helpingWithBlanks(by: map)
    let count = decoder.sink.droppedCount
    if count > 0 { found.append(Diagnostic("\(count) more are not shown", at: .unknown)) }
    return JobFile(
      path: path, jobs: jobs, bag: reader.bag, files: read,
      transcripts: decoder.transcriptOrigins.map { Located($0, at: $1) },
      missingFiles: decoder.missing.files,
      missingMedia: decoder.missing.media, diagnostics: found,
      hasMistakes: hasMistakes || count > 0, size: decoder.size,
      leavesOutJobs: decoder.leavesOutJobs, usesToday: decoder.usesToday,
      unusedVariables: reader.unusedVariables)
  }

  /// - Throws: All errors, with those of missing files.
  func requireNoMistakes(by map: SourceMap) throws(Diagnostics) {
    guard hasMistakes || !missingFiles.isEmpty || !missingMedia.isEmpty else { return }
    var found = diagnostics
    found.append(contentsOf: MissingFile.diagnostics(of: missingMedia).all)
    throw found.sorted(by: map)
  }

  /// What is in a job file; `origin` is where another file includes it.
  static func contents(
    of path: FilePath, _ files: any FileSystem, includedAt origin: Origin = .unknown
  ) throws(Diagnostics) -> FileContents {
    func refusal(_ message: String, help: String? = nil) -> Diagnostics {
      Diagnostics("'\(path)' \(message)", at: origin, help: help)
    }
    guard !path.isEmpty else {
      throw Diagnostics(
        "the path of a job file is empty", at: origin,
        help: "name a job file; a variable of the shell may be empty")
    }
    let text: MediaInstead.Text = origin == .unknown ? .jobFile : .included
    func media(_ bytes: [UInt8]?) -> Diagnostic? {
      MediaInstead.diagnostic(insteadOf: text, of: path, bytes, at: origin)
    }
    let contents: FileContents
    do {
      contents = try files.contents(of: path, limit: YAMLReader.sizeLimit)
    } catch let error as FileTooLarge {
      if let diagnostic = media(nil) { throw Diagnostics(diagnostic) }
      throw refusal(
        "has more than \(error.limit >> 20) MiB: that is no \(text.noun)",
        help: "move its jobs into several files, or let 'for_each' or 'rows' make them")
    } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
      guard path != "-" else {
        throw refusal("stands for a pipe, and avjob reads files only", help: "name a job file")
      }
      if let address = address(writtenAs: path) {
        throw Diagnostics(
          "'\(MediaURL.shown(address))' is an address, and job files are read from this machine",
          at: origin, help: "download it; sources of a job may be addresses")
      }
      throw refusal("does not exist", help: absence(of: path, files))
    } catch Errno.isDirectory {
      throw refusal("is a folder", help: "name a job file in it")
    } catch Errno.invalidArgument {
      throw refusal(
        "is no regular file", help: "pipes and devices cannot be read: name a job file")
    } catch {
      let (reason, help) = Self.reason(error)
      throw refusal(reason, help: help)
    }
    if let diagnostic = media(contents.bytes) { throw Diagnostics(diagnostic) }
    return contents
  }

  /// Why a text cannot be read, to stand after its path, and what to do.
  static func reason(_ error: any Error) -> (reason: String, help: String) {
    if error is HiddenFile {
      return (
        "is hidden, and with --root no hidden file is read or written",
        "give the file and its folders names that begin with no dot"
      )
    }
    if let refusal = (error as? Errno).flatMap({ Confinement.refusal($0.rawValue) }) {
      return refusal
    }
    return ("cannot be read: \(error)", "let it be read, or name another file")
  }

  /// The address that was written for an address written as a path: `https://host` for
  /// `https:/host`; nil for other paths.
  private static func address(writtenAs path: FilePath) -> String? {
    let first = path.components.first?.string ?? ""
    guard !path.isAbsolute, ["http:", "https:"].contains(first.lowercased()) else { return nil }
    return first + "//" + path.string.dropFirst(first.count + 1)
  }

  /// A suggestion for a missing job file.
  private static func absence(of path: FilePath, _ files: any FileSystem) -> String {
    let isYAML = isNamed(path)
    let written = FilePath(isYAML ? path.string : path.string + ".yaml")
    if !isYAML, files.kind(of: written) == .file { return "did you mean '\(written)'?" }
    if let entry = files.nearestEntry(to: written) ?? files.nearestEntry(to: path) {
      return path.suggestion(of: entry)
    }
    let folder = path.removingLastComponent()
    guard folder.isEmpty || files.kind(of: folder) == .folder else {
      return "there is no folder '\(folder)' either"
    }
    let command = "avjob init \(shellQuoted(written.string))"
    return (command.containsScalars("'") ? command : "'\(command)'") + " writes one to start from"
  }
}
