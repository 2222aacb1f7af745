import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc
import JobFile
import JobModel
import MediaComposition
import Reports
import RunPlan
import SystemPackage
import Terminal

/// The options that clip, concat and compress share: where to, and as what.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; its ending says the format.", valueName: "file"))
  var output: String

  @Option(
    help: "MP3 settings: V0 … V9, 'abr 96k', 'cbr 128k', or a preset of LAME's such as standard.")
  var mp3: String?

  @Option(
    help: ArgumentHelp(
      "Settings for a purpose, such as podcast or acx-audiobook; options beside it win.",
      valueName: "name"))
  var preset: String?

  @Option(help: ArgumentHelp("Frames a second, such as 44.1kHz.", valueName: "rate"))
  var sampleRate: String?

  @Option(help: "mono, stereo, quad, 5.0, 5.1 or 7.1.")
  var channels: String?

  @Flag(help: "Replace a file that is there already.")
  var force = false

  @Flag(help: "Print the job file that would do the same, and do nothing.")
  var printJob = false

  /// The `output` of the same job file, at `path`.
  func node(at path: ArgumentNode, _ places: ArgumentPlaces) -> ArgumentNode {
    var entries = [(key: "file", value: path)]
    if let preset { entries.append(("preset", places.node(preset, of: "--preset"))) }
    if let mp3 { entries.append(("mp3", places.node(mp3, of: "--mp3"))) }
    if let sampleRate {
      entries.append(("sample_rate", places.node(sampleRate, of: "--sample-rate")))
    }
    if let channels { entries.append(("channels", places.node(channels, of: "--channels"))) }
    return .map(entries, places.command)
  }

  func validate() throws {
    if force, printJob {
      throw ValidationError(
        "--print-job writes no sound, and 'avjob run' replaces what its jobs make anew; leave out "
          + "--force")
    }
  }

  /// The path as it was given.
  func path(_ places: ArgumentPlaces) -> ArgumentNode { places.node(output, of: "-o", "--output") }
}

/// A command that makes one composition without a job file: what a job file of the same words
/// would make, by the same code.
struct OneShot {
  let door = Door()
  let places: ArgumentPlaces
  let output: OutputOptions

  init(_ output: OutputOptions) {
    self.output = output
    places = ArgumentPlaces(in: door.map)
  }

  /// The entry `sources` that names the inputs, so that any path is taken literally, and their
  /// names. In a job file that people read, a path that can only be one stands where it is used.
  func sources(_ paths: [String]) -> (entry: Entries, names: [ArgumentNode]) {
    var entries: Entries = []
    var names: [ArgumentNode] = []
    for (index, path) in paths.enumerated() {
      let place = places.node(path)
      guard case .text(_, let origin) = place else { continue }
      guard !output.printJob || !Self.isUnmistakable(path) else {
        names.append(place)
        continue
      }
      entries.append(("input\(index + 1)", .map([("file", place)], origin)))
      names.append(.text("input\(index + 1)", origin))
    }
    return (entries.isEmpty ? [] : [("sources", .map(entries, places.command))], names)
  }

  /// A map of a job file.
  typealias Entries = [(key: String, value: ArgumentNode)]

  /// Whether a clip's text can be nothing but the path of a file: no range, no pattern, no time, no
  /// name of a source.
  private static func isUnmistakable(_ path: String) -> Bool {
    let isPlain = path.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || "0123456789._-/".unicodeScalars.contains(scalar)
    }
    let suffix = FilePath(path).extension?.unicodeScalars.first
    return isPlain && !path.contains("..") && suffix?.properties.isAlphabetic == true
  }

  /// Runs the job file's outermost map, or prints it.
  func run(_ entries: Entries) throws {
    let jobs: [Job]
    do throws(Diagnostics) {
      jobs = try JobFile.jobs(
        from: .map(entries, places.command), named: output.output, places: door.map)
    } catch {
      door.report(error)
      throw Door.Status.wrongJob
    }
    let loaded = LoadedJobs(jobs: jobs)
    try refuse(JobDependencies(loaded).problems.filter { $0.severity == .error })
    guard !output.printJob else {
      let note = "# Paths count from the folder of this file; 'avjob run FILE' makes it.\n"
      StandardStream.output.write(note + ArgumentNode.map(entries, places.command).yaml)
      return
    }
    if !output.force { try refuseExisting(jobs) }
    let preparation = try door.prepare(loaded)
    try Batch(
      door: door,
      reporter: RunReporter(cores: door.budget.total, diagnostics: door.diagnostics),
      signals: Signals.catchAll(),
      continuation: .inputsLeft
    )
    .run(preparation.work, refusals: preparation.refusals)
  }

  /// Refuses inputs of which each becomes a file of its own, where one is named twice.
  func refuseRepeated(_ inputs: [String]) throws {
    var diagnostics: [Diagnostic] = []
    var resolver = PathResolver()
    var first: [FilePlace: String] = [:]
    var named: Set<String> = []
    for input in inputs {
      guard let place = resolver.place(of: FilePath(input)) else { continue }
      guard let other = first[place] else {
        first[place] = input
        continue
      }
      guard named.insert(input).inserted, case .text(_, let origin) = places.node(input) else {
        continue
      }
      diagnostics.append(
        Diagnostic(
          other == input
            ? "'\(input)' is named twice" : "'\(other)' and '\(input)' are one file",
          at: origin, help: "name it once"))
    }
    try refuse(diagnostics)
  }

  private func refuseExisting(_ jobs: [Job]) throws {
    var diagnostics: [Diagnostic] = []
    for output in jobs.flatMap(\.outputs) {
      guard output.path.withPlatformString({ Glibc.access($0, F_OK) }) == 0 else { continue }
      diagnostics.append(
        Diagnostic(
          "'\(output.path)' exists already", at: output.origin,
          help: "--force replaces it, once the new file is whole"))
    }
    try refuse(diagnostics)
  }

  private func refuse(_ diagnostics: [Diagnostic]) throws {
    guard !diagnostics.isEmpty else { return }
    door.report(Diagnostics(diagnostics))
    throw Door.Status.wrongJob
  }
}
