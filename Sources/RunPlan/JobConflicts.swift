import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage

/// What is to be said of outputs that no run could write: two at one place, or one in the place of
/// something that is read; and of outputs whose paths differ by case alone, which are one file on some
/// disks.
struct JobConflicts: Sendable {
  /// In the order in which they were found.
  private(set) var found: [Diagnostic] = []
  private let jobs: [Job]
  private let currentDirectory: FilePath
  /// Of split jobs.
  private var partNames: [Int: [String]] = [:]
  /// By a hash of the path where case does not count.
  private var alike: [Int: PathRegistry.Writer] = [:]
  /// Of a hundred thousand jobs that one line sends to one path, two are named.
  private var blamed: Set<Origin> = []
  /// The same of paths that are apart by case alone: a line that does both is told both.
  private var warned: Set<Origin> = []
  /// A job that is lowered once more says the same once more.
  private var refused: Set<PathRegistry.Writer> = []

  init(among jobs: [Job], _ currentDirectory: FilePath) {
    self.jobs = jobs
    self.currentDirectory = currentDirectory
  }

  /// The outputs that come next are those of these parts.
  mutating func begin(_ parts: [ExportFiles], of job: Int) {
    if jobs[job].split != nil { partNames[job] = parts.map(\.name) }
  }

  /// Takes down why a file may not be written.
  mutating func add(
    _ clash: PathRegistry.Clash, of writer: PathRegistry.Writer, _ content: ExportFiles.Content
  ) {
    guard refused.insert(writer).inserted else { return }
    switch clash {
    case .source(let path, let origin):
      found.append(
        isSame(path, writer.path)
          ? Diagnostic(
            "output '\(writer.path)' is a source", at: writer.origin,
            help: "write to another path: a source is never overwritten",
            notes: origin == writer.origin || origin == .unknown
              ? [] : [.init("it is read here", at: origin)])
          : Diagnostic(clash.failure(of: writer.path, at: writer.origin)))
    case .output(let other):
      guard blamed.insert(writer.origin).inserted else { return }
      found.append(
        isSame(other.path, writer.path)
          ? diagnostic(writer, content, beside: other)
          : Diagnostic(clash.failure(of: writer.path, at: writer.origin)))
    }
  }

  private func diagnostic(
    _ output: PathRegistry.Writer, _ content: ExportFiles.Content, beside other: PathRegistry.Writer
  ) -> Diagnostic {
    guard output.origin == other.origin else {
      var help = "give one of them another name"
      if case .chapters(let sidecar) = content {
        help = "leave '\(sidecar)' out of the 'chapters' of one of them"
      }
      return Diagnostic(
        "two outputs at '\(output.path)'", at: output.origin, help: help,
        notes: [.init("the other one is here", at: other.origin)])
    }
    let names = "'\(name(of: other))' and '\(name(of: output))'"
    guard jobs[output.job].folder != nil else {
      return Diagnostic(
        "\(names) would both become '\(output.path)'", at: output.origin,
        help: "a folder holds one file of a name: use a folder for each")
    }
    let areParts = jobs[output.job].split != nil && jobs[other.job].split != nil
    return Diagnostic(
      "\(areParts ? "parts" : "jobs") \(names) both write '\(output.path)'", at: output.origin,
      help: output.job == other.job
        ? "make the path depend on the part, as with '${part.n:02}'"
        : "make the path depend on the job, as with '${input.stem}' or '${n:02}'")
  }

  private func name(of writer: PathRegistry.Writer) -> String {
    partNames[writer.job]?[writer.part] ?? jobs[writer.job].name
  }

  // MARK: Case

  /// Warns of an output whose path differs from another one's by case alone, once for a line.
  mutating func compareCase(of output: PathRegistry.Writer) {
    let hash = withoutCase(output.path).hashValue
    guard let other = alike.updateValue(output, forKey: hash), !isSame(other.path, output.path),
      !warned.contains(output.origin),
      // Others have only their hash in common.
      withoutCase(output.path) == withoutCase(other.path)
    else { return }
    warned.insert(output.origin)
    found.append(
      Diagnostic(
        .warning,
        "'\(other.path)' and '\(output.path)' are one file on disks where case does not count",
        at: output.origin,
        help: "let them differ in more than case, if they may come to Windows or a Mac",
        notes: other.origin == output.origin
          ? [] : [.init("the other one is here", at: other.origin)]
      ))
  }

  private func withoutCase(_ path: FilePath) -> [UInt8] {
    let bytes = path.normalized(in: currentDirectory).bytes
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      return Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
    }
    return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  private func isSame(_ a: FilePath, _ b: FilePath) -> Bool {
    a == b || a.normalized(in: currentDirectory) == b.normalized(in: currentDirectory)
  }
}
