import ArgumentParser
import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import Reports
import RunPlan
import SystemPackage
import Terminal
import Threads

/// A command that makes one composition without a job file: what a job file of the same words
/// would make, by the same code.
struct OneShot {
  /// A map of a job file.
  typealias Entries = [(key: String, value: ArgumentNode)]

  let context: CommandContext
  let places: ArgumentPlaces
  let output: OutputOptions
  let reporting: ReportingOptions

  /// The work of a command with these options.
  init(_ output: OutputOptions, _ reporting: ReportingOptions) {
    self.output = output
    self.reporting = reporting
    let remedies = CommandRemedies()
    context = CommandContext(
      isQuiet: reporting.quiet, rephrasing: { remedies.rephrased($0) })
    places = ArgumentPlaces(in: context.map)
  }

  // MARK: Nodes

  /// The output, where `key` is `file` or `folder`.
  func outputNode(_ key: String = "file", adding more: Entries = []) -> ArgumentNode {
    let path = (key, places.node(output.output, of: "-o", "--output"))
    return .map([path] + more + places.entries(output.settings), places.command)
  }

  /// The entry `metadata`, over tags that the job has otherwise; none where there is nothing to say.
  func metadata(_ base: Entries = []) -> Entries {
    let tags = output.tags.map { tag in
      (tag.name, places.node(tag.value, in: "--tag", "\(tag.name)=\(tag.value)"))
    }
    let entries =
      base + places.entries([("title", output.title), ("artist", output.artist)]) + tags
    return entries.isEmpty ? [] : [("metadata", .map(entries, places.command))]
  }

  /// The entry `sources` that names the inputs, so that any path is taken literally, and their
  /// names. In a job file that people read, a path that can only be one stands where it is used.
  func sources(_ paths: [String]) throws -> (entry: Entries, names: [ArgumentNode]) {
    try refuseStreams(paths)
    var entries: Entries = []
    var names: [ArgumentNode] = []
    for (index, path) in paths.enumerated() {
      let place = places.node(path)
      let origin = places.place(of: path)
      guard !output.printJob || !Self.isUnmistakable(path) else {
        names.append(place)
        continue
      }
      entries.append(("input\(index + 1)", .map([("file", place)], origin)))
      names.append(.text("input\(index + 1)", origin))
    }
    return (entries.isEmpty ? [] : [("sources", .map(entries, places.command))], names)
  }

  /// Whether a clip's text can be nothing but the path of a file: no range, no pattern, no time, no
  /// name of a source.
  private static func isUnmistakable(_ path: String) -> Bool {
    let isPlain = path.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || "0123456789._-/".unicodeScalars.contains(scalar)
    }
    let suffix = FilePath(path).extension?.unicodeScalars.first
    return isPlain && !path.contains("..") && suffix?.properties.isAlphabetic == true
  }

  // MARK: Running

  /// Runs the job file's outermost map, or prints it.
  ///
  /// - Parameters:
  ///   - entries: The map's.
  ///   - suggestsCopying: Whether a note says that an output could be copied.
  /// - Throws: An `ExitCode`.
  func run(_ entries: Entries, suggestingCopy suggestsCopying: Bool = false) throws {
    let file = ArgumentNode.map(entries, places.command)
    guard !output.printJob else {
      _ = try jobs(of: file)
      let note = "# Paths count from the folder of this file; 'avjob run FILE' makes it.\n"
      StandardStream.output.write(note + file.yaml, verbatim: true)
      return
    }
    let reporter = RunReporter(
      reporting.options, cores: context.budget.total,
      resumedBy: Continuation.skippingExisting.text(of: ProcessArguments.words),
      diagnostics: context.diagnostics)
    var batch = Batch(
      context: context, reporter: reporter, replaced: output.force ? .all : .none)
    batch.suggestsCopying = suggestsCopying
    try batch.run {
      let loaded = try jobs(of: file)
      guard !output.skipExisting, !output.force else { return loaded }
      try context.refuse(
        loaded.jobs.lazy.flatMap(\.outputs).filter(\.path.exists).map { output in
          Diagnostic(
            "'\(output.path)' exists already", at: output.origin,
            help: "--force replaces it, once the new file is whole; --skip-existing leaves it out")
        })
      return loaded
    }
  }

  /// The jobs of a job file, without those of which an output exists where these are skipped.
  private func jobs(of file: ArgumentNode) throws -> LoadedJobs {
    var jobs: [Job]
    do throws(Diagnostics) {
      let file = try JobFile.load(
        from: file, named: output.output, places: context.map, files: LocalFileSystem.networked)
      context.report(Diagnostics(file.warnings))
      jobs = file.jobs
    } catch {
      context.report(error)
      throw ExitCode.wrongJob
    }
    let count = jobs.count
    if output.skipExisting { jobs.removeAll { $0.outputs.contains(where: \.path.exists) } }
    if jobs.count < count {
      context.note("\(count - jobs.count) of \(count) outputs exist and are left out")
    }
    let loaded = LoadedJobs(jobs: jobs)
    let problems = JobDependencies(loaded).problems
    guard output.printJob else {
      try context.refuse(problems.filter { $0.severity == .error })
      return loaded
    }
    // The file is printed to be changed.
    context.report(
      Diagnostics(
        problems.map { problem in
          var warning = problem
          warning.severity = .warning
          return warning
        }))
    return loaded
  }

  // MARK: Refusals

  /// An input that is one of the command line's words.
  func refusal(_ message: String, of word: String, help: String) -> Diagnostic {
    Diagnostic(message, at: places.place(of: word), help: help)
  }

  /// `-`
  private func refuseStreams(_ inputs: [String]) throws {
    var found: [Diagnostic] = []
    if inputs.contains("-") {
      found.append(
        refusal(
          "standard input cannot be a source: parts of a source are read more than once", of: "-",
          help: "write the sound to a file first"))
    }
    if output.output == "-" {
      found.append(
        refusal(
          "standard output cannot be an output: the start of a file is written last", of: "-",
          help: "write to a file, and print that"))
    }
    try context.refuse(found)
  }

  /// Refuses inputs of which each becomes a file of its own, where one is named twice.
  func refuseRepeated(_ inputs: [String]) throws {
    var found: [Diagnostic] = []
    var resolver = PathResolver()
    var first: [FilePlace: String] = [:]
    var named: Set<String> = []
    for input in inputs {
      guard let place = resolver.place(of: FilePath(input)) else { continue }
      guard let other = first[place] else {
        first[place] = input
        continue
      }
      guard named.insert(input).inserted else { continue }
      found.append(
        refusal(
          other == input
            ? "'\(input)' is named twice" : "'\(other)' and '\(input)' are one file",
          of: input, help: "name it once"))
    }
    try context.refuse(found)
  }
}
