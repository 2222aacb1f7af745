import Diagnosis
import ExportEngine
import Files
import JobModel
import MediaComposition
import Receipts
import RunPlan
import SystemPackage
import Threads

/// A bag that a run makes when all of its jobs are done.
package struct PlannedBag: Sendable {
  /// Where it will be, and what is said of it.
  package let bag: JobBag
  /// The numbers of the jobs whose outputs it holds, from 1; nil: all.
  private let jobs: ClosedRange<Int>?

  /// The bags of job files, and one of the whole run at `path`.
  package static func all(_ loaded: LoadedJobs, of path: FilePath?) -> [PlannedBag] {
    loaded.bags.map { PlannedBag(bag: $0.bag, jobs: $0.jobs) }
      + (path.map { [PlannedBag(bag: JobBag(path: $0), jobs: nil)] } ?? [])
  }

  /// What is said of it in its `bag-info.txt`.
  var fields: [Bag.Field] { bag.fields.map { Bag.Field($0.label, $0.value) } }

  /// Whether it holds the outputs of a job.
  func holds(_ order: WorkOrder) -> Bool { jobs?.contains(order.job) ?? true }

  /// Why bags cannot be made, as far as that is known before work starts.
  package static func refusals(of bags: [PlannedBag], among work: [Work]) -> [Diagnostic] {
    let current = FilePath.current
    var known: [FilePath: Origin] = [:]
    return bags.flatMap { planned -> [Diagnostic] in
      let (path, origin) = (planned.bag.path, planned.bag.origin)
      let place = path.normalized(in: current)
      if let other = known.updateValue(origin, forKey: place) {
        return [
          Diagnostic(
            "two bags are '\(path)'", at: origin, help: "give each a folder of its own",
            notes: [.init("the other one is here", at: other)])
        ]
      }
      if Confinement.hidesName(of: path) {
        return [
          Diagnostic(
            "'\(path)' is hidden, and with --root no hidden file is written", at: origin,
            help: "give the bag a name that begins with no dot")
        ]
      }
      if case .other(let reason)? = Bag.presence(at: path, with: planned.fields) {
        return [Diagnostic("'\(path)' \(reason)", at: origin, help: Bag.remedy)]
      }
      let within = work.lazy.flatMap { ExportFiles($0.export).files }.first { file in
        file.path.normalized(in: current).starts(with: place)
      }
      return within.map { file in
        [
          Diagnostic(
            "'\(file.path)' would be written into the bag '\(path)', which holds copies",
            at: file.origin, help: "choose another folder for the bag or the output")
        ]
      } ?? []
    }
  }
}

/// Makes bags of what a run has made or found up to date.
package struct BagMaker {
  private let memory: RunMemory?
  private let budget: CPUBudget
  private let cancellation: CancellationFlag
  private let currentDirectory = FilePath.current

  /// - Parameters:
  ///   - memory: Has the digests that receipts have; nil: all are computed.
  ///   - budget: Its idle cores copy and compute digests, too.
  ///   - cancellation: Ends the making.
  package init(memory: RunMemory?, budget: CPUBudget, cancellation: CancellationFlag) {
    (self.memory, self.budget, self.cancellation) = (memory, budget, cancellation)
  }

  /// Makes a bag of outputs that are there.
  ///
  /// - Parameters:
  ///   - planned: The bag.
  ///   - work: What the run had to do, all of which is done.
  ///   - manifests: The run's lists of files, all of which are there.
  ///   - date: The day, as `2026-11-29`.
  /// - Returns: What came of it.
  /// - Throws: A `Failure` with the place of the bag, or `CancellationError`; no bag is then left.
  /// - Complexity: O(bytes of the outputs)
  package func make(
    _ planned: PlannedBag, of work: [Work], _ manifests: [PlannedManifest], date: String
  ) throws -> BagWriter.Outcome {
    let own = work.filter { planned.holds($0.order) }
    do {
      var (payload, tags): ([BagWriter.File], [BagWriter.File]) = ([], [])
      for work in own {
        let files = try files(of: work)
        payload += files.payload
        tags += files.records
      }
      payload += manifests.filter { $0.entries.contains { planned.holds($0.order) } }
        .map { BagWriter.File($0.manifest.path, named: "") }
      let root = commonFolder(of: payload + tags)
      let writer = BagWriter(
        payload: payload.map { named($0, below: root) },
        tags: tags.map { file in
          var file = named(file, below: root)
          file.name = FilePath("records").pushing(file.name)
          return file
        },
        fields: planned.fields)
      return try writer.write(
        to: planned.bag.path, agent: "avjob \(Engine.version)", date: date,
        comparingContents: memory?.options.comparesContents ?? false, budget: budget,
        unless: cancellation)
    } catch let failure as Failure {
      throw failure.placed(at: planned.bag.origin)
    }
  }

  /// The files of an export that are there, with the digests that its receipts have; names follow.
  private func files(
    of work: Work
  ) throws -> (payload: [BagWriter.File], records: [BagWriter.File]) {
    let session = try work.settled()
    let export = session.export
    let hasSidecars = export.outputs.contains { !$0.sidecars.isEmpty }
    let sidecars =
      hasSidecars
      ? Set(try session.graph().sinks.flatMap { $0.sidecars.map($0.output.path.sidecar) }) : []
    let files = ExportFiles(export).files.filter { file in
      if case .sidecar = file.content { sidecars.contains(file.path) } else { true }
    }
    var known: [FilePath: (identity: FileIdentity, digest: [UInt8])] = [:]
    if let ledger = memory?.ledger(for: work.folder), let first = export.outputs.first {
      let paths = files.map(\.path)
      for output in [first] + export.outputs.dropFirst() {
        known.merge(ledger.knownDigests(of: paths, writtenWith: output.path)) { one, _ in one }
      }
    }
    func copies(_ isRecord: Bool) -> [BagWriter.File] {
      files.filter { ($0.content == .record) == isRecord }
        .map { BagWriter.File($0.path, named: "", known: known[$0.path]) }
    }
    return (copies(false), copies(true))
  }

  /// The deepest folder in which all files lie.
  private func commonFolder(of files: [BagWriter.File]) -> [FilePath.Component] {
    let folders = files.lazy.map { file in
      Array(file.source.normalized(in: currentDirectory).removingLastComponent().components)
    }
    guard var common = folders.first else { return [] }
    for folder in folders {
      let shared = zip(common, folder).prefix { $0 == $1 }.count
      common.removeSubrange(shared...)
    }
    return common
  }

  private func named(
    _ file: BagWriter.File, below root: [FilePath.Component]
  ) -> BagWriter.File {
    var file = file
    let components = file.source.normalized(in: currentDirectory).components
    file.name = FilePath(root: nil, components.dropFirst(root.count))
    return file
  }
}
