/// How a run ended.
package struct RunOutcome {
  /// As a shell sees it.
  package private(set) var status: Int32 = 0
  /// The closing message; nil where all is well.
  package private(set) var text: String?

  /// - Parameters:
  ///   - tally: Of a run that is over.
  ///   - signalStatus: The status by the signal that stopped the run; nil: none did.
  ///   - command: The command that resumes it.
  init(_ tally: RunTally, signalStatus: Int32? = nil, command: String = "") {
    self.init(
      total: tally.total, passingFailures: tally.passingFailures, signalStatus: signalStatus,
      command: command, count: tally.count)
  }

  /// The outcome of a run that was reported; its status is the report's.
  init(_ report: RunReport) {
    self.init(
      total: report.jobs.count, passingFailures: 0, signalStatus: nil, command: "",
      count: report.count)
    status = report.exitStatus
  }

  private init(
    total: Int, passingFailures: Int, signalStatus: Int32?, command: String,
    count: (RunReport.Status) -> Int
  ) {
    let failed = count(.failed)
    if let signalStatus {
      let done = count(.done) + count(.upToDate)
      status = signalStatus
      text = "stopped: \(done) of \(total) \(total == 1 ? "job is" : "jobs are") done, and kept"
      if done < total { text? += "; to resume: " + command }
      return
    }
    status = ExitStatus.failed(failed, mayPass: passingFailures == failed)
    guard failed > 0, total > 1 else { return }
    var parts = ["\(failed) of \(total) jobs failed"]
    let notStarted = count(.cancelled) + count(.notStarted)
    if count(.blocked) > 0 { parts.append("\(count(.blocked)) blocked by them") }
    if notStarted > 0 { parts.append("\(notStarted) not started") }
    text = parts.joined(separator: ", ")
  }
}
