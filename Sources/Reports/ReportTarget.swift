import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import SystemPackage
import Terminal

/// The file and the format of a report: a value of `--report`.
package enum ReportTarget: Equatable, Sendable {
  case json(FilePath)
  case junit(FilePath)
  case markdown(FilePath)
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
    let path = FilePath(word)
    switch path.extension?.lowercased() {
    case "json": self = .json(path)
    case "xml": self = .junit(path)
    case "md": self = .markdown(path)
    default: return nil
    }
  }

  /// The file that it replaces, which must be none that is read or written otherwise.
  var replacedFile: FilePath? {
    switch self {
    case .json(let path), .junit(let path), .markdown(let path): path
    case .step, .output: nil
    }
  }

  /// Finds out before any work whether the report can be written; leaves nothing behind.
  func requireWritable() throws(Failure) {
    switch self {
    case .json(let path), .junit(let path), .markdown(let path):
      var folders = FolderCache()
      try OutputFile.requireWritable(path, seeing: &folders)
    case .step(let path): Glibc.close(try Self.openForAppending(path))
    case .output: break
    }
  }

  /// Writes the report. A file appears whole or not at all; what is appended is one write.
  func write(_ report: RunReport) throws(Failure) {
    switch self {
    case .json(let path): try Self.replace(path, with: JSONReport.text(report))
    case .junit(let path): try Self.replace(path, with: JUnitReport.text(report))
    case .markdown(let path): try Self.replace(path, with: MarkdownReport.text(report))
    case .step(let path): try Self.append(MarkdownReport.text(report), to: path)
    case .output: StandardStream.output.write(MarkdownReport.text(report))
    }
  }

  private static func replace(_ path: FilePath, with text: String) throws(Failure) {
    let file = try OutputFile.create(at: path)
    try file.put(Array(text.utf8), at: 0)
    try file.flush()
    try file.commit()
  }

  private static func append(_ text: String, to path: FilePath) throws(Failure) {
    let descriptor = try openForAppending(path)
    defer { Glibc.close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw refusal(of: path) }
      rest = rest.dropFirst(count)
    }
  }

  private static func openForAppending(_ path: FilePath) throws(Failure) -> Int32 {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
    let descriptor = path.withPlatformString { open($0, flags, 0o666) }
    guard descriptor >= 0 else { throw refusal(of: path) }
    return descriptor
  }

  private static func refusal(of path: FilePath) -> Failure {
    Failure(
      .mendMachine, "cannot be written: \(String(cString: strerror(errno)))", path: path)
  }
}
