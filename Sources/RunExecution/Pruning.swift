import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import Receipts
import RunPlan
import SystemPackage

/// `--prune`: removes files that earlier runs made, by their receipts, and no job makes any more.
package struct Pruning {
  private let orphans: [(ledger: Ledger, folders: WrittenFolders, files: [Ledger.Orphans])]
  /// Files that receipts name, and that stay.
  package let warnings: [Diagnostic]

  /// Finds the files before the run writes anything: from then on paths may lead elsewhere.
  ///
  /// - Parameters:
  ///   - registry: Knows every file that a job reads or writes.
  ///   - memory: Has the receipts.
  ///   - work: All that the jobs make.
  /// - Throws: Nothing while no file is compared by its content.
  package init(
    besides registry: PathRegistry, of memory: RunMemory, making work: [Work]
  ) throws {
    var registry = registry
    let outputs = Dictionary(grouping: work, by: \.folder).mapValues { work in
      work.flatMap { $0.export.outputs.map(\.path) }
    }
    var warnings: [Diagnostic] = []
    orphans = try memory.ledgers.map { ledger in
      let folder = ledger.folder.jobFolder
      let folders = WrittenFolders(ofJobsIn: folder, outputs: outputs[folder] ?? [])
      let found = try ledger.orphans(besides: { registry.isKnown($0) }, in: folders)
      warnings += found.spared.map { Diagnostic(sparing: $0, by: ledger.folder.path) }
      return (ledger, folders, found.removable)
    }
    self.warnings = warnings
  }

  /// The files that `run` removes.
  package var paths: [FilePath] { orphans.flatMap(\.files).flatMap(\.files) }

  /// Removes the files.
  ///
  /// - Returns: The failures, one for each file that the system does not remove.
  package func run() -> [Failure] {
    orphans.flatMap { $0.ledger.remove($0.files, in: $0.folders) }.map { path, error in
      Failure(.mendMachine, "cannot be removed: \(error)", path: path)
    }
  }

  /// Why a run of these job files cannot prune: another one lies in their folder, and receipts do not
  /// say which of the job files of their folder they are of; or what they made on other days is not
  /// known. None where it can.
  package static func refusals(of loaded: LoadedJobs) -> [Diagnostic] {
    guard !loaded.usesToday else {
      return [
        Diagnostic(
          "--prune and '${date}' exclude each other: what a job made on another day would be removed",
          at: .unknown, help: "leave --prune out, or write the day into 'vars'")
      ]
    }
    var resolver = PathResolver()
    let read = Set(loaded.files.compactMap { resolver.place(of: $0) })
    let folders = Set(loaded.jobs.compactMap(\.folder)).sorted { $0.string < $1.string }
    return folders.compactMap { folder in
      let place = folder.isEmpty ? "." : folder
      let others = ((try? JobFile.paths(in: place)) ?? []).filter { path in
        resolver.place(of: path).map { !read.contains($0) } ?? false
      }
      guard let other = others.first else { return nil }
      let rest = others.count > 1 ? " and \(others.count - 1) more are" : " is"
      return Diagnostic(
        "--prune needs all job files of a folder: '\(other.lexicallyNormalized())'\(rest) left out",
        at: .unknown, help: "run the folder: 'avjob run \(place) --prune'")
    }
  }
}

extension Diagnostic {
  /// Says that a file stays which a receipt in `folder` names.
  fileprivate init(sparing file: Ledger.Spared, by folder: FilePath) {
    let reason =
      switch file.reason {
      case .elsewhere: "no job of this folder writes there"
      case .otherFile: "it has the content that avjob wrote, but is another file"
      case .otherKind: "only sound, and what stands beside it, is removed"
      }
    self.init(
      .warning,
      "'\(file.path)' is not removed, though a receipt in '\(folder)' names it: \(reason)",
      at: .unknown,
      help: "if it is no longer needed, remove it yourself; if you do not know the receipt, delete "
        + "'\(folder)'")
  }
}
