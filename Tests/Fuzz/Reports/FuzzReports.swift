import FuzzDriver
import JSON

@testable import Reports

/// Any bytes are JSON, a report of a run, and lines of events.
@main
enum FuzzReports {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(file)
  if let value = try? JSONValue(reading: bytes) {
    checkValue(value)
    checkReport(value)
  }
  checkEvents(bytes)
  return 0
}

/// What is read is written so that it is read as the same.
private func checkValue(_ value: JSONValue) {
  let line = value.line
  precondition(!line.utf8.contains { $0 < 0x20 })
  guard let read = try? JSONValue(reading: line.utf8) else { preconditionFailure(line) }
  precondition(read.line == line)
}

/// A report is written as it was read, and in every other format.
private func checkReport(_ value: JSONValue) {
  guard let report = try? RunReport(value) else { return }
  let text = JSONReport.text(report)
  guard let document = try? JSONValue(reading: text.utf8), let again = try? RunReport(document)
  else { preconditionFailure(text) }
  precondition(JSONReport.text(again) == text)
  precondition(JUnitReport.isReport(JUnitReport.text(report)))
  precondition(MarkdownReport.text(report).utf8.count < 1 << 20)
  _ = OutputTable.text(report, columns: 80)
  _ = try? RunReport.merged([("a", report), ("b", again)])
  if let merged = try? RunReport.merged([("a", report)]) { _ = JSONReport.text(merged) }
}

/// Lines of a shard's events say something or nothing.
private func checkEvents(_ bytes: [UInt8]) {
  let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
  guard let first = lines.first, let document = try? JSONValue(reading: first),
    let plan = PlannedRun(json: document)
  else { return }
  var events = ShardEvents(of: plan)
  for line in lines.dropFirst() { _ = events.item(Array(line)) }
}
