import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage

/// Finds outputs that no run could write: two at one place, one below another, or one in the place of
/// something that is read; and outputs whose paths differ by case alone, which are one file on some disks.
struct JobConflicts: Sendable {
  /// In the order in which they were found.
  private(set) var found: [(output: PathRegistry.Writer, diagnostic: Diagnostic)] = []
  private let jobs: [Job]
  private let currentDirectory: FilePath
  /// Of split jobs.
  private var partNames: [Int: [String]] = [:]
  /// By a hash of the path where case does not count.
  private var alike: [Int: PathRegistry.Writer] = [:]
  /// Of a hundred thousand jobs that one line sends to one path, two are named.
  private var blamed: Set<Origin> = []
  /// Lines that were warned of paths that differ by case alone: of a line that also sends jobs to
  /// one path, both are reported.
  private var warned: Set<Origin> = []
  /// Outputs of a job that is lowered once more are not reported once more.
  private var refused: Set<PathRegistry.Writer> = []

  init(among jobs: [Job], _ currentDirectory: FilePath) {
    self.jobs = jobs
    self.currentDirectory = currentDirectory
  }

  /// The outputs that come next are those of these parts.
  mutating func begin(_ parts: [ExportFiles], of job: Int) {
    if jobs[job].split != nil { partNames[job] = parts.map(\.name) }
  }

  /// Forgets an output that is not written after all.
  mutating func remove(_ output: PathRegistry.Writer) {
    refused.remove(output)
    let hash = withoutCase(output.path).hashValue
    if alike[hash] == output { alike[hash] = nil }
    guard found.contains(where: { $0.output == output }) else { return }
    found.removeAll { $0.output == output }
    blamed.remove(output.origin)
    warned.remove(output.origin)
  }

  /// Takes down why a file may not be written.
  mutating func add(
    _ clash: PathRegistry.Clash, of writer: PathRegistry.Writer, _ content: ExportFiles.Content
  ) {
    var diagnostic: Diagnostic?
    switch clash {
    case .source(let path, let origin):
      guard refused.insert(writer).inserted else { return }
      guard isSame(path, writer.path) else { break }
      var help = "write to another path: a source is never overwritten"
      if case .sidecar(let sidecar) = content {
        let (key, word) = sidecar.words
        help = "give the output another name, or leave '\(word)' out of its '\(key)'"
      }
      diagnostic = Diagnostic(
        "output '\(writer.path)' is a source", at: writer.origin, help: help,
        notes: origin == writer.origin || origin == .unknown
          ? [] : [.init("it is read here", at: origin)])
    case .output(let other):
      guard blamed.insert(writer.origin).inserted else { return }
      guard isSame(other.path, writer.path) else { break }
      diagnostic = self.diagnostic(writer, content, beside: other)
    }
    let failure = clash.failure(of: writer.path, at: writer.origin)
    found.append((writer, diagnostic ?? Diagnostic(failure)))
  }

  /// Takes down that two jobs write one list of files in two forms.
  mutating func refuseForm(
    of manifest: DataSetManifest, of job: Int, beside other: DataSetManifest
  ) {
    refuse(
      manifest, of: job, beside: other,
      "'\(manifest.path)' is written as '\(manifest.form.rawValue)', and by another job as "
        + "'\(other.form.rawValue)'",
      help: "give both jobs one 'form', or each a manifest of its own")
  }

  /// Takes down that a job writes a list of files twice.
  mutating func refuseSecond(
    _ manifest: DataSetManifest, of job: Int, beside other: DataSetManifest
  ) {
    refuse(
      manifest, of: job, beside: other, "the manifest '\(manifest.path)' is named twice in one job",
      help: "leave one of them out")
  }

  private mutating func refuse(
    _ manifest: DataSetManifest, of job: Int, beside other: DataSetManifest, _ message: String,
    help: String
  ) {
    // Of a hundred thousand jobs that one line makes, one is named.
    guard blamed.insert(manifest.origin).inserted else { return }
    let file = ExportFiles.File(path: manifest.path, content: .manifest, origin: manifest.origin)
    let writer = PathRegistry.Writer(file, job: job, part: 0, number: .max)
    found.append(
      (
        writer,
        Diagnostic(
          message, at: manifest.origin, help: help,
          notes: manifest.origin == other.origin
            ? [] : [.init("the other one is here", at: other.origin)])
      ))
  }

  /// What is wrong with outputs that lie below others.
  ///
  /// - Complexity: O(files of the registry)
  func obstacles(in registry: PathRegistry) -> [Diagnostic] {
    // Of a hundred thousand that one line makes, one is named.
    var blamed: Set<Origin> = []
    return registry.obstacles.filter { blamed.insert($0.below.origin).inserted }.map { obstacle in
      let (file, below) = (obstacle.file, obstacle.below)
      return Diagnostic(
        "output '\(below.path)' lies below output '\(file.path)', which is no folder",
        at: below.origin, help: "give one of them another path",
        notes: file.origin == below.origin ? [] : [.init("the other one is here", at: file.origin)])
    }
  }

  private func diagnostic(
    _ output: PathRegistry.Writer, _ content: ExportFiles.Content, beside other: PathRegistry.Writer
  ) -> Diagnostic {
    guard output.origin == other.origin else {
      var help = "give one of them another name"
      if case .sidecar(let sidecar) = content {
        let (key, word) = sidecar.words
        help = "leave '\(word)' out of the '\(key)' of one of them"
      }
      return Diagnostic(
        "two outputs at '\(output.path)'", at: output.origin, help: help,
        notes: [.init("the other one is here", at: other.origin)])
    }
    let names = "'\(name(of: other))' and '\(name(of: output))'"
    guard jobs[output.job].folder != nil else {
      return Diagnostic(
        "\(names) would both become '\(output.path)'", at: output.origin,
        help: compressing(other, output))
    }
    let areParts = jobs[output.job].split != nil && jobs[other.job].split != nil
    return Diagnostic(
      "\(areParts ? "parts" : "jobs") \(names) both write '\(output.path)'", at: output.origin,
      help: output.job == other.job
        ? "make the path depend on the part, as with '${part.n:02}'"
        : "make the path depend on the job, as with '${input.stem}' or '${n:02}'")
  }

  /// How two files become two files that would both become one.
  private func compressing(_ outputs: PathRegistry.Writer...) -> String {
    let media = outputs.map { jobs[$0.job].media.first?.location.file }
    let folders = zip(outputs, media).map { output, medium in
      let source = medium?.removingLastComponent().lastComponent
      let target = output.path.removingLastComponent()
      return source.map { $0.kind == .regular ? target.appending($0) : target } ?? target
    }
    if folders[0] != folders[1] {
      return
        "compress each into a folder of its own: '-o \(folders[0])' and '-o \(folders[1])'"
    }
    // The files of a folder are one argument.
    if outputs.contains(where: { jobs[$0.job].loop != nil }) {
      return "--print-job prints the job file: in it, write 'file: …/${input.dir}/${input.name}"
        + ".\(outputs[1].path.extension ?? "mp3")' for 'folder: …'"
    }
    let name = media[1]?.lastComponent?.string ?? ""
    let own = outputs[1].path.removingLastComponent()
      .appending("\(name).\(outputs[1].path.extension ?? "")")
    return "compress one of them alone, as '-o \(own)'"
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
    let diagnostic = Diagnostic(
      .warning,
      "'\(other.path)' and '\(output.path)' are one file on disks where case does not count",
      at: output.origin,
      help: "let them differ in more than case, if they may come to Windows or a Mac",
      notes: other.origin == output.origin ? [] : [.init("the other one is here", at: other.origin)]
    )
    found.append((output, diagnostic))
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

extension Sidecar {
  /// The key of an output in a job file, and the word there that asks for it.
  fileprivate var words: (key: String, word: String) {
    switch self {
    case .chapters(let format): ("chapters", format.rawValue)
    case .transcript(let format): ("transcript", format.rawValue)
    case .silences(let format): ("silences", format.rawValue)
    }
  }
}
