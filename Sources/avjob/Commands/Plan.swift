import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JSON
import JobModel
import MediaComposition
import Reports
import RunPlan
import Terminal

/// `avjob plan`
struct Plan: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Print the timeline, conversions and outputs of jobs.",
    discussion: """
      Opens the media, and writes nothing. With --shards, prints the jobs and the work of each \
      shard of 'avjob run --shard', by the estimates that deal them out.
      """)

  @OptionGroup var options: JobFileOptions

  @OptionGroup var machines: MachineOptions

  /// How a plan is printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, html, mermaid, dot
  }

  @Option(
    help: .value("format", "Print the plan in a format."))
  var format: Format?

  private var isJSON: Bool { options.output.json || format == .json }

  var network: NetworkOptions { options.variables.network }
  var isConfined: Bool { options.variables.confinement.root != nil }

  func validate() throws {
    guard machines.cores == nil || machines.shards != nil else {
      throw ValidationError("--cores is for --shards; leave it out")
    }
    if let format, format != .json, options.output.json {
      throw ValidationError("--json and --format \(format.rawValue) exclude each other")
    }
    if let format, [.html, .mermaid, .dot].contains(format), machines.shards != nil {
      throw ValidationError("--shards prints a table; leave out --format \(format.rawValue)")
    }
  }

  func run() throws {
    let context = options.context
    let status: ExitCode
    do {
      status = try printPlan(context)
    } catch let refusal as ExitCode where isJSON {
      printDocument([], status: refusal, context)
      throw refusal
    }
    if status != .success { throw status }
  }

  /// Prints the plan of all jobs that can run, and returns the command's status. Throws before anything
  /// is printed as JSON.
  private func printPlan(_ context: CommandContext) throws -> ExitCode {
    let preparation = try options.prepare(for: .run, context, shards: machines.shards)
    let table = machines.shards.map {
      ShardTable(
        preparation.work, among: $0, cores: machines.cores ?? context.budget.total)
    }
    if let table, !isJSON {
      StandardStream.output.write(table.text)
      return preparation.status
    }
    return try print(preparation, table, context)
  }

  static let documentVersion: Int64 = 2

  /// The members of the document beside its head.
  static func members(
    shards: JSONValue? = nil, jobs: [JSONValue], manifests: [JSONValue] = [], status: ExitCode,
    messages: JSONValue
  ) -> JSONValue {
    .members([
      "shards": shards, "jobs": .list(jobs),
      "manifests": manifests.isEmpty ? nil : .list(manifests),
      "exit_status": .count(status.rawValue), "messages": messages,
    ])
  }

  private func printDocument(
    _ jobs: [JSONValue], shards: JSONValue? = nil, manifests: [JSONValue] = [], status: ExitCode,
    _ context: CommandContext
  ) {
    options.output.print(
      version: Self.documentVersion,
      Self.members(
        shards: shards, jobs: jobs, manifests: manifests, status: status,
        messages: .messages(context.diagnostics.all, in: context.map)))
  }

  /// Prints what is ready; gives the command's status, to which pictures count that a run would refuse.
  private func print(
    _ preparation: Preparation, _ table: ShardTable?, _ context: CommandContext
  ) throws -> ExitCode {
    var jobs: [JSONValue] = []
    var diagrams: [String] = []
    var refused: [Failure.Remedy] = []
    for (index, work) in preparation.work.enumerated() {
      let (session, export) = (work.session, work.export)
      var graph = try graph(of: session, context)
      // What strangers' jobs read is opened in processes of their own alone.
      if format?.diagram == nil, !isConfined, index < Self.mostSurveyed {
        refused += Self.survey(&graph, context)
      }
      // Wishes that are not met were reported in preparing.
      context.report(
        Diagnostics(
          session.losses.map(Diagnostic.init) + session.leftOutNotes + work.remarks))
      let (name, duration, records) = (export.name, export.duration, export.records)
      let fetches = try ExportSession.fetches(for: graph)
      if let language = format?.diagram {
        diagrams.append(graph.diagram(in: language, name: name, prefix: "j\(index + 1)"))
        continue
      }
      if isJSON || format == .html {
        let plan = graph.planJSON(name: name, duration: duration, records: records) {
          export.heardParts
        }
        let shard = table.map { _ in JSONValue.count(work.shard) }
        jobs.append(
          plan.with(.members(["fetches": .list(fetches.map(Self.json)), "shard": shard])))
        continue
      }
      StandardStream.output.write(
        graph.planText(name: name, duration: duration, records: records) + Self.text(fetches))
    }
    var status = preparation.status
    if status == .success, let refusal = ExitCode(worstOf: refused) { status = refusal }
    switch format ?? (isJSON ? .json : .text) {
    case .text:
      for planned in preparation.manifests { StandardStream.output.write(Self.text(planned)) }
    case .json:
      printDocument(
        jobs, shards: table?.json, manifests: preparation.manifests.map(Self.json),
        status: status, context)
    case .html:
      let summary = jobs.count == 1 ? "1 job" : "\(jobs.count) jobs"
      let data: JSONValue = ["kind": "plan", "plan": ["jobs": .list(jobs)]]
      StandardStream.output.write(
        Page(title: "Plan: \(summary)", summary: summary, data: data.line).text)
    case .mermaid, .dot:
      if let language = format?.diagram {
        StandardStream.output.write(Graph.diagram(of: diagrams, in: language))
      }
    }
    return status
  }

  /// Adds to a graph what is copied and what is encoded of pictures; reports why they cannot be, and gives
  /// what to do about that.
  private static func survey(_ graph: inout Graph, _ context: CommandContext) -> [Failure.Remedy] {
    var refused: [Failure.Remedy] = []
    graph = context.library.surveyed(graph) { failure, output in
      context.report(Diagnostics(Diagnostic(failure, at: output.origin)))
      refused.append(failure.remedy)
    }
    return refused
  }

  /// Jobs whose pictures are looked at: each opens its sources once more.
  private static let mostSurveyed = 256

  private static func text(_ planned: PlannedManifest) -> String {
    let (manifest, count) = (planned.manifest, planned.entries.count)
    let files = count == 1 ? "1 file" : "\(count) files"
    return "manifest \(manifest.path) (\(manifest.form.rawValue)): \(files)".printable + "\n"
  }

  private static func json(_ planned: PlannedManifest) -> JSONValue {
    .file(
      planned.manifest.path,
      [
        "form": .text(planned.manifest.form.rawValue), "files": .count(planned.entries.count),
      ])
  }

  private static func json(_ fetch: MediaFetch) -> JSONValue {
    .medium(
      fetch.location, ["bytes": .integer(fetch.byteCount), "size": .integer(fetch.size)])
  }

  /// The part of the plan that says what comes over the network, and what is in the cache; empty where
  /// nothing is a server's.
  private static func text(_ fetches: [MediaFetch]) -> String {
    func list(_ heading: String, _ fetches: [MediaFetch]) -> [String] {
      guard !fetches.isEmpty else { return [] }
      return ["  " + heading]
        + fetches.map { fetch in
          let size = Figures.size(bytes: fetch.size)
          let part =
            fetch.byteCount == 0 ? size : "about \(Figures.size(bytes: fetch.byteCount)) of \(size)"
          return "    \(fetch.location)  \(part)"
        }
    }
    let lines =
      list("to be fetched", fetches.filter { $0.byteCount > 0 })
      + list("in the cache", fetches.filter { $0.byteCount == 0 })
    return lines.map { $0 + "\n" }.joined()
  }

  private func graph(of session: ExportSession, _ context: CommandContext) throws -> Graph {
    do throws(Failure) {
      return try session.graph()
    } catch {
      context.report(Diagnostics(Diagnostic(error, at: session.export.origin)))
      throw ExitCode.wrongJob
    }
  }
}

extension Plan.Format {
  /// Of the formats that are diagrams.
  fileprivate var diagram: Graph.DiagramLanguage? {
    switch self {
    case .mermaid: .mermaid
    case .dot: .dot
    case .text, .json, .html: nil
    }
  }
}
