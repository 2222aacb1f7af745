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
    guard !word.endsWithScalars("/") else { return nil }
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
    switch self {
    case .junit: .joins
    case .html, .json: [.joins, .levels, .pictures]
    case .markdown, .step, .output: [.joins, .levels]
    }
  }

  /// The file that it replaces, and its format.
  private var file:
    (path: FilePath, isReport: (_ head: String) -> Bool, text: (RunReport) -> String)?
  {
    switch self {
    case .json(let path): (path, JSONReport.isReport, JSONReport.text)
    case .junit(let path): (path, JUnitReport.isReport, JUnitReport.text)
    case .markdown(let path): (path, MarkdownReport.isReport, { MarkdownReport.text($0) })
    case .html(let path): (path, Page.isPage, { HTMLReport.text($0, at: path) })
    case .step, .output: nil
    }
  }

  /// The file that it replaces, which must be none that is read or written otherwise.
  var replacedFile: FilePath? { file?.path }

  /// Whether a report of an earlier run is at its path.
  var holdsReport: Bool {
    guard let file else { return false }
    return file.isReport(String(decoding: PathCalls.beginning(of: file.path), as: UTF8.self))
  }

  /// Finds out before any work whether the report can be written, as report number `number` of a
  /// run; leaves nothing behind.
  ///
  /// - Throws: `mendJob` where `registry` knows its path, as `source` or as another output; the
  ///   system's error.
  func requirePlace(
    _ number: Int = 0, beside registry: inout PathRegistry, sources source: String
  ) throws(Failure) {
    if let path = replacedFile {
      let file = ExportFiles.File(path: path, content: .record)
      let writer = PathRegistry.Writer(file, job: -1, part: 0, number: number)
      do throws(PathRegistry.Clash) {
        try registry.write(writer)
      } catch {
        guard case .source = error else { throw error.failure(of: path, at: .unknown) }
        throw Failure(.mendJob, "is \(source); choose another path", path: path)
      }
      if let obstacle = registry.obstacles.first(where: { [$0.file, $0.below].contains(writer) }) {
        throw obstacle.failure(of: writer)
      }
    }
    try requireWritable()
  }

  private func requireWritable() throws(Failure) {
    if let replacedFile {
      var folders = FolderCache()
      try OutputFile.requireWritable(replacedFile, seeing: &folders)
    } else if case .step(let path) = self {
      try Self.appending(to: path) { _ in }
    }
  }

  /// Writes the report. A file appears whole or not at all; what is appended is one write.
  func write(_ report: RunReport) throws(Failure) {
    if let file {
      try Self.replace(file.path, with: file.text(report))
    } else if case .step(let path) = self {
      let text = MarkdownReport.text(report)
      try Self.appending(to: path) { _ = try $0.writeAll(text.utf8) }
    } else {
      StandardStream.output.write(MarkdownReport.text(report))
    }
  }

  private static func replace(_ path: FilePath, with text: String) throws(Failure) {
    LeftoverCache().removeLeftovers(beside: path)
    let file = try OutputFile.create(at: path)
    try file.put(Array(text.utf8), at: 0)
    try file.flush()
    try file.commit()
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
