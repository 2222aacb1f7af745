import ArgumentParser
import Diagnosis
import JobFile
import JobModel
import LiveScreens
import MediaComposition
import RunPlan
import SystemPackage

/// Reads what a preview is to play.
struct PreviewQueue: Sendable {
  private(set) var context: CommandContext
  let variables: VariableOptions
  /// Job files, folders of them, media files, and folders of these.
  let paths: [String]
  /// Names of the jobs that are wanted; none: all.
  let names: [String]
  /// From 0; nil: not given.
  let output: Int?
  /// What was read.
  private(set) var read = ReadFiles()
  /// Jobs that cannot be heard; the reason of each was reported.
  private(set) var failures = PreviewFailures()

  /// Reads nothing yet.
  init(
    context: CommandContext, variables: VariableOptions, paths: [String], names: [String],
    output: Int?
  ) {
    (self.variables, self.paths, self.names, self.output) = (variables, paths, names, output)
    self.context = context.noting(read)
  }

  /// The first entry that can be played.
  struct Opened: Sendable {
    /// With what it has read, and what was wrong with the entries before.
    let queue: PreviewQueue
    let items: PreviewItems
    let made: MadeItem
  }

  /// Reads the job files, and opens the first entry that can be played; what is wrong with those
  /// before it is reported.
  ///
  /// - Parameters:
  ///   - start: Where the first entry begins; nil: nothing is cut off.
  ///   - end: Where the last one ends; nil: nothing is cut off.
  ///   - line: Shows what is read and opened.
  /// - Returns: The entry, and all that were read.
  /// - Throws: An `ExitCode` where job files or arguments are wrong, or no entry can be played;
  ///   `ValidationError` as `entries()`.
  func opened(
    from start: PreviewTime?, to end: PreviewTime?, showing line: OpeningLine
  ) throws -> Opened {
    // Before any file is opened.
    try variables.confinement.enter()
    line.read(paths.filter { !Self.isMedia($0) }.joined(separator: ", "))
    var queue = self
    let read = try queue.entries().compactMap { next -> PreviewEntry? in
      if case .entry(let entry) = next { entry } else { nil }
    }
    let items = PreviewItems(read, library: context.library)
    var mendsJob = false
    for (index, entry) in read.enumerated() {
      line.open(entry)
      do throws(Failure) {
        let isLast = index == read.count - 1
        let made = try items.make(index, from: start, to: isLast ? end : nil, line.measuring)
        context.report(Diagnostics(items.warnings(of: entry).map { Diagnostic($0) }))
        return Opened(queue: queue, items: items, made: made)
      } catch {
        context.report(Diagnostics(Diagnostic(error, at: entry.origin)))
        // No medium is wrong, but a place outside of the entry, or the job.
        guard error.remedy != .mendJob || error.location != nil else { throw ExitCode.wrongJob }
        mendsJob = mendsJob || error.remedy == .mendJob
        queue.failures.add(error)
      }
    }
    if mendsJob { throw ExitCode.wrongJob }
    throw queue.failures.count > 0 ? ExitCode(queue.failures.status) : ExitCode.jobFailed
  }

  /// Reads everything once more; messages are kept.
  func readAgain() -> PreviewReading {
    var next = PreviewQueue(
      context: context.renewed(), variables: variables, paths: paths, names: names, output: output)
    var entries: [NextEntry]?
    do {
      entries = try next.entries()
    } catch is ExitCode {
      // The reason was reported.
    } catch {
      next.context.report(Diagnostics(Diagnostic("\(error)", at: .unknown)))
    }
    return next.reading(entries)
  }

  /// What was read here.
  func reading(_ entries: [NextEntry]?) -> PreviewReading {
    PreviewReading(entries, from: read, reporting: context.diagnostics)
  }

  /// A job file, a folder of them, or media.
  private enum Word {
    case jobs(String)
    case media([MediaLocation])
  }

  /// The entries, in order.
  ///
  /// - Throws: An `ExitCode` where nothing may be played; the reason was reported. `ValidationError`
  ///   where an option is about job files, and there is none.
  mutating func entries() throws -> [NextEntry] {
    try variables.confinement.enter()
    try refuseMissing(paths.filter(Self.isMedia))
    // Job files that are named one after the other are read together: their jobs may need each other.
    var groups: [(media: [MediaLocation], jobs: [String])] = []
    for word in try paths.map(word) {
      switch word {
      case .media(let media): groups.append((media, []))
      case .jobs(let path):
        if groups.last?.jobs.isEmpty == false {
          groups[groups.count - 1].jobs.append(path)
        } else {
          groups.append(([], [path]))
        }
      }
    }
    let isPart = groups.count { !$0.jobs.isEmpty } > 1
    let loaded = try groups.map { group in
      group.jobs.isEmpty
        ? nil : try context.load(group.jobs, options: variables, isPart: isPart)
    }
    try refuseOptions(beside: loaded.compactMap { $0 })
    var entries: [NextEntry] = []
    for (group, loaded) in zip(groups, loaded) {
      for medium in group.media {
        if let path = medium.file { read.note(path) }
        entries.append(.entry(PreviewEntry(.media(medium), reporting: reporting)))
      }
      if let loaded { entries += try self.entries(of: loaded) }
    }
    return entries
  }

  private func word(_ path: String) throws -> Word {
    guard MediaURL.scheme(of: path) == nil else {
      return .media([try MediaLocation(parsing: path)])
    }
    let files = NotingFileSystem(base: .networked, read: read)
    let spelled = files.spelling(of: FilePath(path)) ?? FilePath(path)
    guard files.kind(of: spelled) == .folder else {
      return Self.isMedia(path) ? .media([try MediaLocation(parsing: path)]) : .jobs(path)
    }
    // A folder of job files has their media, too.
    guard let media = JobFile.media(in: spelled, files: files) else { return .jobs(path) }
    guard !media.isEmpty else {
      try context.refuse([
        Diagnostic(
          "there is neither a job file nor a medium in the folder '\(path)'", at: .unknown,
          help: "job files end in '.yaml' or '.yml', media in '.wav', '.mp3', '.flac' and others")
      ])
      return .media([])
    }
    return .media(media.map { .file($0) })
  }

  private mutating func entries(of loaded: LoadedJobs) throws -> [NextEntry] {
    let only = names.isEmpty ? nil : names.map { Located($0) }
    for file in loaded.missingFiles + loaded.missingMedia { read.note(file.path) }
    for medium in loaded.jobs.lazy.flatMap(\.media) {
      if let path = medium.location.file { read.note(path) }
    }
    let preparation = try context.prepare(loaded, .init(.preview, only: only))
    failures.add(preparation.refusedJobs, mayPass: preparation.mayPass)
    var entries: [NextEntry] = []
    var work = preparation.work[...]
    for (index, job) in loaded.jobs.enumerated() {
      let before = entries.count
      while let next = work.first, next.order.job == index + 1 {
        work.removeFirst()
        entries.append(
          .entry(
            PreviewEntry(
              .job(next.session), output: output ?? 0, job: next.job, part: next.order.part,
              reporting: reporting, placing: placing)))
      }
      let isWanted = names.isEmpty || names.contains(where: job.isCalled)
      if isWanted, entries.count == before { entries.append(.refused(job: job.name)) }
    }
    return entries
  }

  /// Places in the texts that were read here.
  private var placing: @Sendable (Origin) -> String? {
    { [map = context.map] origin in
      map.place(of: origin).map { "\($0.file):\($0.line)" }
    }
  }

  /// Prints messages with the texts that were read here.
  private var reporting: @Sendable (Diagnostic) -> Void {
    { [context] in context.report(Diagnostics($0)) }
  }

  /// Refuses names of jobs, and variables, that no file has, since each group may have its own; and
  /// options of job files where there is none.
  private func refuseOptions(beside groups: [LoadedJobs]) throws {
    guard var all = groups.first else { return try refuseOptionsOfJobs() }
    for group in groups.dropFirst() { all.append(group) }
    var unknown = Diagnostics()
    if groups.count > 1 {
      unknown.append(contentsOf: all.unused(of: variables.read(into: context.map).variables).all)
    }
    for name in names where !all.jobs.contains(where: { $0.isCalled(name) }) {
      let help = JobNames(all.jobs, of: all.fileNumbers).help(for: name)
      let origin = context.map.add(arguments: ["--job", name]).last ?? .unknown
      unknown.append(Diagnostic("there is no job '\(name)'", at: origin, help: help))
    }
    try context.refuse(unknown.all)
  }

  private func refuseOptionsOfJobs() throws {
    let given = [
      ("--job", !names.isEmpty), ("--output", output != nil),
      ("--set", !variables.assignments.isEmpty), ("--env", !variables.environment.isEmpty),
    ].filter(\.1)
    guard let option = given.first?.0 else { return }
    throw ValidationError(
      "\(option) is for job files, and only media files are named; leave it out, or name a job file"
    )
  }

  static func isMedia(_ word: String) -> Bool {
    MediaURL.scheme(of: word) != nil || JobFile.isMedia(FilePath(word))
  }

  private func refuseMissing(_ media: [String]) throws {
    let files = LocalFileSystem()
    let places = ArgumentPlaces(in: context.map)
    var missing = Diagnostics()
    for path in media
    where MediaURL.scheme(of: path) == nil && files.kind(of: FilePath(path)) == nil {
      guard case .text(_, let origin) = places.node(path) else { continue }
      missing.append(Diagnostic("'\(path)' does not exist", at: origin))
    }
    try context.refuse(missing.all)
  }
}
