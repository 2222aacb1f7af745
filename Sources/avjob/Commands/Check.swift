import ArgumentParser
import JSON
import RunPlan
import Terminal

/// `avjob check`
struct Check: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Find mistakes before work starts, and write nothing.",
    discussion: """
      Reads the job files, opens every medium that they name, and compiles every job. Exit \
      status: 0 no mistakes, 1 a medium cannot be used, 2 a job file is wrong, 75 a server \
      cannot be asked now.
      """)

  @OptionGroup var options: JobFileOptions

  var network: NetworkOptions { options.variables.network }
  var isConfined: Bool { options.variables.confinement.root != nil }

  func run() throws {
    let context = options.context
    var (jobs, parts, refused, status) = (0, 0, 0, ExitCode.success)
    do {
      func count(_ preparation: Preparation) {
        (jobs, parts) = (preparation.readyJobs, preparation.readyParts)
        refused = preparation.refusedJobs
      }
      let preparation = try options.prepare(for: .check, context, refused: count)
      count(preparation)
      status = preparation.status
    } catch let code as ExitCode { status = code }
    if options.output.json {
      options.output.print(
        version: Self.documentVersion,
        Self.members(
          files: options.files, jobs: jobs, parts: parts, refused: refused, status: status,
          messages: .messages(context.diagnostics.all, in: context.map)))
    } else if status == .success {
      let subject = jobs == 1 ? "1 job" : "\(jobs) jobs"
      let detail = parts == 0 ? "" : parts == 1 ? " with 1 part" : " with \(parts) parts"
      StandardStream.output.write("\(subject)\(detail) \(jobs == 1 ? "is" : "are") fine\n")
    }
    if status != .success { throw status }
  }

  static let documentVersion: Int64 = 1

  /// The members of the document beside its head.
  static func members(
    files: [String], jobs: Int = 0, parts: Int = 0, refused: Int = 0, status: ExitCode,
    messages: JSONValue
  ) -> JSONValue {
    [
      "files": .list(files.map { .text($0) }), "jobs": .count(jobs), "parts": .count(parts),
      "refused": .count(refused), "exit_status": .count(status.rawValue), "messages": messages,
    ]
  }
}
