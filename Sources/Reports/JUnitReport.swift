import Diagnosis
import ExportEngine
import MediaComposition
import Terminal

/// The report as CI systems read it: JUnit XML, with what Jenkins' `junit-10.xsd` allows, which all
/// of them know. A suite for each job file, a case for each job.
enum JUnitReport {
  private static let start = "<testsuites name=\"avjob\""

  /// Whether a text that starts like this is a report.
  static func isReport(_ head: String) -> Bool { head.contains(start) }

  /// The whole document. O(length).
  static func text(_ report: RunReport) -> String {
    let suites = suites(report)
    let cases = suites.flatMap(\.cases)
    let attributes = counts(of: cases, isSuite: false) + [("time", decimal(report.elapsed))]
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      \(start)\(written(attributes))>
      \(suites.map { text($0, report) }.joined())</testsuites>

      """
  }

  private struct Suite {
    var name: String
    var cases: [Case]
  }

  private struct Case {
    enum Result { case passed, failed, broken, skipped }
    var name: String
    var suite: String
    var result: Result
    var time: Duration
    /// `failure`, `error` or `skipped` with its text.
    var element: String = ""
    /// The other messages.
    var output: String = ""
  }

  /// In the order of their first job; what belongs to no job is a case that has the file's name.
  private static func suites(_ report: RunReport) -> [Suite] {
    var suites: [Suite] = []
    var indices: [String: Int] = [:]
    func add(_ made: Case) {
      if let index = indices[made.suite] {
        suites[index].cases.append(made)
      } else {
        indices[made.suite] = suites.count
        suites.append(Suite(name: made.suite, cases: [made]))
      }
    }
    let firstFile = report.files.first ?? "avjob"
    for error in report.messages where error.severity == .error {
      let file = error.place?.file ?? firstFile
      add(
        Case(
          name: file, suite: file, result: .broken, time: .zero,
          element: element("error", error)))
    }
    for job in report.jobs { add(testCase(job, suite: job.place?.file ?? firstFile)) }
    return suites
  }

  private static func testCase(_ job: RunReport.Job, suite: String) -> Case {
    var result = Case(name: job.name, suite: suite, result: .passed, time: job.elapsed)
    let errors = job.messages.filter { $0.severity == .error }
    var rest = job.messages.filter { $0.severity != .error }.map(\.screen)
    switch job.status {
    case .done: break
    // It is there, and it is right: that is what a test asks.
    case .upToDate: rest.insert("up to date", at: 0)
    case .failed:
      result.result = .failed
      result.element = element("failure", errors.first)
      rest = errors.dropFirst().map(\.screen) + rest
    case .blocked:
      result.result = .skipped
      let cause = job.blockedBy.map { "blocked, since '\($0)' is not done" } ?? "blocked"
      result.element = "      <skipped message=\"\(XMLText.escaped(cause.withoutMarks))\"/>\n"
    case .cancelled, .notStarted:
      result.result = .skipped
      result.element = "      <skipped message=\"\(job.status.words)\"/>\n"
    }
    result.output = rest.joined(separator: "\n")
    return result
  }

  private static func element(_ name: String, _ message: RunReport.Message?) -> String {
    guard let message else { return "      <\(name)/>\n" }
    let attributes = [
      ("message", message.diagnostic.message),
      ("type", message.diagnostic.remedy.className),
    ]
    return "      <\(name)\(written(attributes))>\(content(message.screen))</\(name)>\n"
  }

  private static func text(_ suite: Suite, _ report: RunReport) -> String {
    let time = suite.cases.reduce(Duration.zero) { $0 + $1.time }
    let attributes =
      [("name", suite.name)] + counts(of: suite.cases, isSuite: true)
      + [("time", decimal(time)), ("timestamp", report.started.secondsText)]
    let cases = suite.cases.map { text($0) }.joined()
    return "  <testsuite\(written(attributes))>\n\(cases)  </testsuite>\n"
  }

  private static func text(_ made: Case) -> String {
    let attributes = [
      ("name", made.name), ("classname", made.suite), ("time", decimal(made.time)),
    ]
    let output =
      made.output.isEmpty ? "" : "      <system-out>\(content(made.output))</system-out>\n"
    let inner = made.element + output
    guard !inner.isEmpty else { return "    <testcase\(written(attributes))/>\n" }
    return "    <testcase\(written(attributes))>\n\(inner)    </testcase>\n"
  }

  private static func counts(of cases: [Case], isSuite: Bool) -> [(String, String)] {
    func count(_ result: Case.Result) -> String { "\(cases.count { $0.result == result })" }
    let counts = [
      ("tests", "\(cases.count)"), ("failures", count(.failed)), ("errors", count(.broken)),
    ]
    return isSuite ? counts + [("skipped", count(.skipped))] : counts
  }

  private static func written(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0)=\"\(XMLText.escaped($1.withoutMarks))\"" }.joined()
  }

  /// Between tags line feeds stay what they are.
  private static func content(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { XMLText.escaped(String($0).withoutMarks) }.joined(separator: "\n")
  }

  /// Seconds, with three decimals.
  private static func decimal(_ duration: Duration) -> String {
    let milliseconds = Int64(max(0, duration.seconds) * 1000 + 0.5)
    return "\(milliseconds / 1000)." + (milliseconds % 1000).digits(3)
  }
}

extension String {
  /// This text for a program that shows it to people: marks of direction and what else XML could hold
  /// and nobody should see are escaped, as on a terminal. Line feeds and controls are XML's.
  var withoutMarks: String {
    guard unicodeScalars.contains(where: \.isMark) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isMark {
        text += Diagnosis.printable(String(scalar))
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isMark: Bool { value >= 0x7F && isUnprintable }
}
