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
    abstract: "Print the timeline, conversions and outputs of jobs.",
    discussion: """
      Opens the media, and writes nothing. With --shards, prints the jobs and the work of each \
      shard of 'avjob run --shard', by the estimates that deal them out.
      """)

  @OptionGroup var options: JobFileOptions

  @OptionGroup var machines: MachineOptions

  var network: NetworkOptions { options.variables.network }
  var isConfined: Bool { options.variables.confinement.root != nil }

  func validate() throws {
    guard machines.cores == nil || machines.shards != nil else {
      throw ValidationError("--cores is for --shards; leave it out")
    }
  }

  func run() throws {
    let context = options.context
    let preparation = try options.prepare(for: .run, context, shards: machines.shards)
    let table = machines.shards.map {
      ShardTable(
        preparation.work, among: $0, cores: machines.cores ?? context.budget.total)
    }
    if let table, !options.output.json {
      StandardStream.output.write(table.text)
    } else {
      try print(preparation, table, context)
    }
    if preparation.status != .success { throw preparation.status }
  }

  private func print(
    _ preparation: Preparation, _ table: ShardTable?, _ context: CommandContext
  ) throws {
    var jobs: [JSONValue] = []
    for work in preparation.work {
      let (session, export) = (work.session, work.export)
      let graph = try graph(of: session, context)
      // Wishes that are not met were reported in preparing.
      context.report(Diagnostics(session.losses.map(Diagnostic.init) + work.remarks))
      let (name, duration, records) = (export.name, export.duration, export.records)
      let fetches = try ExportSession.fetches(for: graph)
      if options.output.json {
        let plan = graph.planJSON(name: name, duration: duration, records: records)
        let shard = table.map { _ in JSONValue.count(work.shard) }
        jobs.append(
          plan.with(.members(["fetches": .list(fetches.map(Self.json)), "shard": shard])))
        continue
      }
      StandardStream.output.write(
        graph.planText(name: name, duration: duration, records: records) + Self.text(fetches))
    }
    if options.output.json {
      options.output.print(version: 2, .members(["shards": table?.json, "jobs": .list(jobs)]))
    }
  }

  private static func json(_ fetch: MediaFetch) -> JSONValue {
    .medium(
      fetch.location, ["bytes": .integer(fetch.byteCount), "size": .integer(fetch.size)])
  }

  /// The part of the plan that says what comes over the network; empty where nothing does.
  private static func text(_ fetches: [MediaFetch]) -> String {
    guard !fetches.isEmpty else { return "" }
    let lines = fetches.map { fetch in
      let size = Figures.size(bytes: fetch.size)
      let part =
        fetch.byteCount == 0
        ? "0 bytes of \(size) (cached)"
        : "about \(Figures.size(bytes: fetch.byteCount)) of \(size)"
      return "    \(fetch.location)  \(part)"
    }
    return (["  to be fetched"] + lines).map { $0 + "\n" }.joined()
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
