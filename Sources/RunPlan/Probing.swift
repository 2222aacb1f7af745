import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import Synchronization
import Threads

extension MediaLibrary {
  /// The facts of a medium, as `asset(at:streamIndex:raw:)` gives them.
  func asset(of reference: MediaReference) throws(Failure) -> Asset {
    try asset(at: reference.location, streamIndex: reference.stream, raw: reference.raw)
  }

  /// Those that are known, as `probedAsset(at:streamIndex:raw:)` gives them.
  func probedAsset(of reference: MediaReference) -> (found: ProbedAsset, isRecalled: Bool)? {
    probedAsset(at: reference.location, streamIndex: reference.stream, raw: reference.raw)
  }

  /// Oddities of a medium that can be read all the same.
  func warnings(for reference: MediaReference) -> [Warning] {
    warnings(for: reference.location, streamIndex: reference.stream, raw: reference.raw)
  }

  /// Probes media on as many threads as the budget has cores, and compares checksums: what is asked
  /// about them then is known.
  ///
  /// - Parameters:
  ///   - references: Each once.
  ///   - budget: Whose cores are used.
  /// - Returns: Why some cannot be read, or are not what the job file says.
  func probe(_ references: [MediaReference], _ budget: CPUBudget) -> [MediaReference: Failure] {
    let failures = Mutex<[MediaReference: Failure]>([:])
    each(of: references, on: budget.total, name: "probe") { reference in
      // A medium that was another one midway, or broke off for good, may be opened anew.
      for _ in 0..<2 {
        do throws(Failure) {
          let asset = try self.asset(of: reference)
          try self.require(reference.sha256, of: asset)
          failures.withLock { $0[reference] = nil }
          return
        } catch {
          failures.withLock { $0[reference] = error }
          guard error.remedy == .tryAgain else { return }
        }
      }
    }
    return failures.withLock { $0 }
  }

  /// Holds an asset to the checksum that the job file gives for it, if it gives one.
  ///
  /// - Throws: `mendInput` where its bytes are others, and as `digest`.
  func require(_ sha256: Located<String>?, of asset: Asset) throws(Failure) {
    guard let sha256 else { return }
    let found = try digest(of: asset)
    guard found != sha256.value else { return }
    throw Failure(
      .mendInput,
      "its SHA-256 is \(found), and the job file says \(sha256.value); get the right file, or "
        + "correct 'sha256'", location: asset.location, origin: sha256.origin)
  }

  /// Finds silences in the same way; of few sounds, each on several cores.
  func listen(to searches: [SilenceSearch], _ budget: CPUBudget) {
    each(of: searches, on: budget.total, name: "listen") {
      let core = budget.tryLease()
      defer { core?.release() }
      _ = try? self.silences($0, budget: budget)
    }
  }

  /// Finds key pictures in the same way, those of a file together.
  func findKeyPictures(_ searches: [KeyPictureSearch], _ budget: CPUBudget) {
    let files = Dictionary(grouping: searches, by: \.asset)
    each(of: Array(files.keys), on: budget.total, name: "pictures") { asset in
      _ = try? self.findKeyPictures(of: asset, near: files[asset, default: []].map(\.time))
    }
  }
}

/// Calls `body` with each of `values`, on this thread and helpers, `count` in all at most.
private func each<Value: Sendable>(
  of values: [Value], on count: Int, name: String, _ body: @escaping @Sendable (Value) -> Void
) {
  let queue = Channel<Value>(capacity: max(1, values.count))
  for value in values { _ = queue.send(value) }
  queue.close()
  let work: @Sendable () -> Void = {
    while let value = queue.receive() { body(value) }
  }
  let helpers = (1..<max(1, min(count, values.count))).compactMap { _ in
    try? Thread.spawn(name: name, work)
  }
  work()
  for helper in helpers { helper.join() }
}
