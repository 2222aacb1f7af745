import Diagnosis
import ExportEngine
import Files
import MediaComposition
import SystemPackage
import Terminal

/// The file and the format of a report: a value of `--report`.
package enum ReportTarget: Equatable, Sendable {
  case json(FilePath)
  case junit(FilePath)
  case markdown(FilePath)
  case html(FilePath)
  /// Markdown, appended to the file that `$GITHUB_STEP_SUMMARY` names.
  case step(FilePath)
  /// Markdown on standard output, in place of the table.
  case output

  /// The target of a path, by its ending, or of the word `github`; nil for anything else.
  ///
  /// - Parameters:
  ///   - word: The value.
  ///   - stepSummary: What `$GITHUB_STEP_SUMMARY` holds; empty where it is not set.
  package init?(_ word: String, stepSummary: String) {
    if word == "github" {
      self = stepSummary.isEmpty ? .output : .step(FilePath(stepSummary))
      return
    }
    guard !word.hasSuffix("/") else { return nil }
    let path = FilePath(word)
    switch path.extension?.lowercased() {
    case "json": self = .json(path)
    case "xml": self = .junit(path)
    case "md": self = .markdown(path)
    case "html", "htm": self = .html(path)
    default: return nil
    }
  }

  /// What a run is to find out for it.
  package var examination: ExportSession.Examination {
    if case .junit = self { .joins } else { [.joins, .levels] }
  }

  /// The file that it replaces, which must be none that is read or written otherwise.
  var replacedFile: FilePath? {
    switch self {
    case .json(let path), .junit(let path), .markdown(let path), .html(let path): path
    case .step, .output: nil
    }
  }

  /// Whether a report of an earlier run is at its path.
  var holdsReport: Bool {
    guard let replacedFile, let file = try? PathCalls.openToRead(replacedFile) else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try? file.closeAfter {
      try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
    }
    let head = String(decoding: bytes.prefix(count ?? 0), as: UTF8.self)
    return switch self {
    case .json: JSONReport.isReport(head)
    case .junit: JUnitReport.isReport(head)
    case .markdown: MarkdownReport.isReport(head)
    case .html: Page.isPage(head)
    case .step, .output: false
    }
  }

  /// Finds out before any work whether the report can be written; leaves nothing behind.
  func requireWritable() throws(Failure) {
    switch self {
    case .json(let path), .junit(let path), .markdown(let path), .html(let path):
      var folders = FolderCache()
      try OutputFile.requireWritable(path, seeing: &folders)
    case .step(let path): try Self.appending(to: path) { _ in }
    case .output: break
    }
  }

  /// Writes the report. A file appears whole or not at all; what is appended is one write.
  func write(_ report: RunReport) throws(Failure) {
    switch self {
    case .json(let path): try Self.replace(path, with: JSONReport.text(report))
    case .junit(let path): try Self.replace(path, with: JUnitReport.text(report))
    case .markdown(let path): try Self.replace(path, with: MarkdownReport.text(report))
    case .html(let path): try Self.replace(path, with: HTMLReport.text(report, at: path))
    case .step(let path): try Self.append(MarkdownReport.text(report), to: path)
    case .output: StandardStream.output.write(MarkdownReport.text(report))
    }
  }

  private static func replace(_ path: FilePath, with text: String) throws(Failure) {
    LeftoverCache().removeLeftovers(beside: path)
    let file = try OutputFile.create(at: path)
    try file.put(Array(text.utf8), at: 0)
    try file.flush()
    try file.commit()
  }

  private static func append(_ text: String, to path: FilePath) throws(Failure) {
    try appending(to: path) { _ = try $0.writeAll(text.utf8) }
  }

  private static func appending(
    to path: FilePath, _ body: (FileDescriptor) throws -> Void
  ) throws(Failure) {
    do {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.append, .create, .closeOnExec, .nonBlocking],
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
      try file.closeAfter { try body(file) }
    } catch {
      throw Failure(.mendMachine, "cannot be written: \(error)", path: path)
    }
  }
}

extension [ReportTarget] {
  /// What a run is to find out for all of them.
  package var examination: ExportSession.Examination {
    reduce(into: []) { $0.formUnion($1.examination) }
  }
}
