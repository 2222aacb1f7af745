import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import Receipts
import RunPlan
import SystemPackage
import Terminal

/// `--prune`: removes what earlier runs made, by their receipts, and no job makes any more.
struct Pruning {
  private let door: Door
  private let orphans: [(ledger: Ledger, files: [Ledger.Orphans])]

  /// Finds what is to be removed when the run is done. Now, since a registry says where paths lead
  /// before the run writes anything.
  init(besides preparation: Preparation, _ door: Door) throws {
    self.door = door
    var registry = preparation.registry
    orphans = try (door.memory?.ledgers ?? []).map { ledger in
      (ledger, try ledger.orphans(besides: { registry.isKnown($0) }))
    }
  }

  /// Refuses to prune where a job file lies beside those that run, since receipts do not say which of
  /// the job files of their folder they are of.
  static func requireAllJobFiles(of loaded: LoadedJobs, _ door: Door) throws {
    var resolver = PathResolver()
    let read = Set(loaded.files.compactMap { resolver.place(of: $0) })
    for folder in Set(loaded.jobs.compactMap(\.folder)).sorted(by: { $0.string < $1.string }) {
      let place = folder.isEmpty ? "." : folder
      let others = ((try? JobFile.paths(in: place)) ?? []).filter { path in
        resolver.place(of: path).map { !read.contains($0) } ?? false
      }
      guard let other = others.first else { continue }
      let rest = others.count > 1 ? " and \(others.count - 1) more job files are" : " is"
      door.report(
        Diagnostics(
          Diagnostic(
            "--prune cannot know what no job makes any more: '\(other.lexicallyNormalized())'\(rest) "
              + "left out", at: .unknown,
            help: "run all job files of the folder: 'avjob run \(place) --prune'")))
      throw Door.Status.wrongJob
    }
  }

  /// Lists and removes the files. Throws where one cannot be removed, after reporting it.
  func run() throws {
    let paths = orphans.flatMap(\.files).flatMap(\.files)
    guard !paths.isEmpty else { return }
    let subject = paths.count == 1 ? "1 file is" : "\(paths.count) files are"
    // Also of a quiet run: it is the only list of them.
    StandardStream.error.write("note: \(subject) removed, which no job makes any more:\n")
    for path in paths { StandardStream.error.write("  \(path)".printable + "\n") }
    let refused = orphans.flatMap { $0.ledger.remove($0.files) }
    guard !refused.isEmpty else { return }
    door.report(
      Diagnostics(
        refused.map { path, error in
          Diagnostic(Failure(.mendMachine, "cannot be removed: \(error)", path: path))
        }))
    throw Door.Status.jobFailed
  }
}
