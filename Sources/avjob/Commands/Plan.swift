import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JSON
import JobModel
import RunPlan
import Terminal

/// `avjob plan`
struct Plan: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the timeline, conversions and outputs of jobs.",
    discussion: "Opens the media, and writes nothing.")

  @OptionGroup var options: JobFileOptions

  func run() throws {
    let context = options.context
    let preparation = try options.prepare(for: .run, context)
    var jobs: [JSONValue] = []
    for work in preparation.work {
      let (session, export) = (work.session, work.export)
      let graph = try graph(of: session, context)
      // Wishes that are not met were reported in preparing.
      context.report(Diagnostics(session.losses.map(Diagnostic.init) + work.remarks))
      let (name, duration, records) = (export.name, export.duration, export.records)
      if options.output.json {
        jobs.append(graph.planJSON(name: name, duration: duration, records: records))
        continue
      }
      StandardStream.output.write(
        graph.planText(name: name, duration: duration, records: records))
    }
    if options.output.json { options.output.print(version: 2, ["jobs": .list(jobs)]) }
    if preparation.refusedJobs > 0 { throw ExitCode.jobFailed }
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
