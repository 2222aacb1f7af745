import ArgumentParser
import Glibc
import JobFile
import MediaComposition
import SystemPackage

/// The options that clip, concat and compress share: where to, and as what.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; its ending says the format.", valueName: "file"))
  var output: String

  @Option(
    help: "MP3 settings: V0 … V9, 'abr 96k', 'cbr 128k', or a preset of LAME's such as standard.")
  var mp3: String?

  @Option(help: ArgumentHelp("Frames a second, such as 44.1kHz.", valueName: "rate"))
  var sampleRate: String?

  @Option(help: "mono, stereo, quad, 5.0, 5.1 or 7.1.")
  var channels: String?

  @Flag(help: "Replace a file that is there already.")
  var force = false

  /// The `output` of the same job file, at `path`.
  func node(at path: ArgumentNode, _ places: ArgumentPlaces) -> ArgumentNode {
    var entries = [(key: "file", value: path)]
    if let mp3 { entries.append(("mp3", places.node(mp3, of: "--mp3"))) }
    if let sampleRate {
      entries.append(("sample_rate", places.node(sampleRate, of: "--sample-rate")))
    }
    if let channels { entries.append(("channels", places.node(channels, of: "--channels"))) }
    return .map(entries, places.command)
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

  /// The `sources` that name the inputs, so that any path is taken literally, and their names.
  func sources(_ paths: [String]) -> (node: ArgumentNode, names: [ArgumentNode]) {
    var entries: [(key: String, value: ArgumentNode)] = []
    var names: [ArgumentNode] = []
    for (index, path) in paths.enumerated() {
      let place = places.node(path)
      guard case .text(_, let origin) = place else { continue }
      entries.append(("input\(index + 1)", .map([("file", place)], origin)))
      names.append(.text("input\(index + 1)", origin))
    }
    return (.map(entries, places.command), names)
  }

  /// Runs the job file's outermost map.
  func run(_ entries: [(key: String, value: ArgumentNode)]) throws {
    let jobs: [Job]
    do throws(Diagnostics) {
      jobs = try JobFile.jobs(
        from: .map(entries, places.command), named: output.output, places: door.map)
    } catch {
      door.report(error)
      throw Door.Status.wrongJob
    }
    if !output.force { try refuseExisting(jobs) }
    let preparation = try door.prepare(LoadedJobs(jobs: jobs))
    try Batch(door: door, teller: RunTeller(door: door))
      .run(preparation.work, refusals: preparation.refusals)
  }

  private func refuseExisting(_ jobs: [Job]) throws {
    var diagnostics = Diagnostics()
    for output in jobs.flatMap(\.outputs) {
      guard output.path.withPlatformString({ Glibc.access($0, F_OK) }) == 0 else { continue }
      diagnostics.append(
        Diagnostic(
          "'\(output.path)' exists already", at: output.origin,
          help: "--force replaces it, once the new file is whole"))
    }
    guard diagnostics.isEmpty else {
      door.report(diagnostics)
      throw Door.Status.wrongJob
    }
  }
}
