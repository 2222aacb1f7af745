import Diagnosis
import Files
import LibAV
import MediaComposition
import Synchronization
import SystemPackage

/// The receipts of the job files in one folder, and the locks of running exports.
///
/// Safe from any thread. Other processes may have a ledger of the same folder.
package final class Ledger: Sendable {
  /// Where receipts are.
  package let folder: StateFolder
  let comparesContents: Bool
  let locks: LockBook
  private let waits = Mutex(LockWaits())
  /// Digests of files, so that a source of a thousand jobs is read once.
  private let digests = Mutex<[FilePath: (FileIdentity, String)]>([:])
  private let hasRecorded = Mutex(false)
  /// Whether the folder was made in this run.
  private let isMade = Mutex(false)

  /// A ledger whose receipts are not read yet. If it `comparesContents`, files are read and
  /// compared by their content, and not by size, time and inode.
  package init(in folder: StateFolder, comparesContents: Bool = false) {
    self.folder = folder
    self.comparesContents = comparesContents
    locks = LockBook(in: folder)
  }

  /// Whether comparing the contents of files is to stop.
  package typealias IsCancelled = () -> Bool

  // MARK: Comparing

  /// Why an export has to be made, or nil where its outputs are up to date. Changes nothing.
  ///
  /// - Throws: `CancellationError` where contents are compared and `isCancelled`.
  /// - Complexity: O(sources and outputs), a `stat` each; with contents their size
  package func reason(
    for inputs: ExportInputs, unless isCancelled: IsCancelled = { false }
  ) throws -> Reason? {
    try examine(inputs, isCancelled).reason
  }

  /// The same, with the receipts that were found.
  func examine(
    _ inputs: ExportInputs, _ isCancelled: IsCancelled
  ) throws -> (reason: Reason?, receipts: [Receipt]) {
    let receipts = inputs.outputs.map { receipt(ofOutput: $0.path) }
    let found = receipts.compactMap(\.self)
    return (try reason(for: inputs, by: receipts, found, isCancelled), found)
  }

  private func reason(
    for inputs: ExportInputs, by receipts: [Receipt?], _ found: [Receipt],
    _ isCancelled: IsCancelled
  ) throws -> Reason? {
    // First: whatever else has changed, nothing is made of a source that has decayed.
    if let reason = try decayReason(found, inputs, isCancelled) { return reason }
    for (receipt, output) in zip(receipts, inputs.outputs) where receipt == nil {
      return .noReceipt(output.path)
    }
    for receipt in found {
      if let reason = reason(receipt, inputs) { return reason }
      if let reason = try sourceReason(receipt, inputs, isCancelled) { return reason }
    }
    for (receipt, output) in zip(found, inputs.outputs) {
      if let reason = try outputReason(receipt, output, isCancelled) { return reason }
    }
    return nil
  }

  /// The receipt of an output; nil where there is none that can be understood.
  func receipt(ofOutput output: FilePath) -> Receipt? {
    let relative = folder.relative(output)
    guard let receipt = Receipt.read(path(ofReceipt: relative)),
      receipt.files.first?.path == .file(relative)
    else { return nil }
    return receipt
  }

  /// A source or a text whose bytes differ from those that a receipt has, while its size and its time of
  /// modification do not. Whoever edits a file changes its time; a disk that decays does not.
  private func decayReason(
    _ receipts: [Receipt], _ inputs: ExportInputs, _ isCancelled: IsCancelled
  ) throws -> Reason? {
    guard comparesContents, !receipts.isEmpty else { return nil }
    let known = Dictionary(grouping: receipts.flatMap(\.inputs), by: \.path)
    for source in inputs.sources + inputs.texts {
      let identity = source.identity
      let recorded = known[folder.relative(source.location)]?.first {
        $0.size == identity.size && $0.modified == identity.modificationTime
      }
      guard let was = recorded?.sha256,
        let now = try digest(of: source.location, identity, isCancelled), now != was,
        now.utf8.count == 2 * SHA256.byteCount
      else { continue }
      return .sourceDecayed(source.location, was: was, now: now)
    }
    return nil
  }

  private func reason(_ receipt: Receipt, _ inputs: ExportInputs) -> Reason? {
    for name in Set(receipt.madeWith.keys).union(inputs.tools.keys).sorted() {
      let (from, to) = (receipt.madeWith[name] ?? "unknown", inputs.tools[name] ?? "unknown")
      if from != to { return .toolChanged(name, from: from, to: to) }
    }
    return nil
  }

  private func sourceReason(
    _ receipt: Receipt, _ inputs: ExportInputs, _ isCancelled: IsCancelled
  ) throws -> Reason? {
    // Whatever a source is called: the same content in the same place makes the same output.
    var changed: [(source: ExportInputs.Source, recorded: Receipt.File, differences: [String])] = []
    for (source, recorded) in zip(inputs.sources, receipt.sources) {
      let differences = try recorded.differences(from: source.identity) {
        try digest(of: source.location, source.identity, isCancelled)
      }
      if !differences.isEmpty { changed.append((source, recorded, differences)) }
    }
    if let same = changed.first(where: { folder.relative($0.source.location) == $0.recorded.path })
    {
      // Both numbers of a server's medium stand for its query and what the server says of it.
      let isRemote = same.source.location.url != nil && same.differences != ["size"]
      return .sourceChanged(
        same.source.location,
        isRemote
          ? ["another query, ETag or Last-Modified, or neither of the two"] : same.differences)
    }
    // A job that lost a source differs in more than that.
    let aspects = inputs.digests.filter { receipt.job[$0.aspect] != $0.digest }.map(\.aspect)
    if !aspects.isEmpty || receipt.job.count != inputs.byAspect.count {
      return .jobChanged(aspects)
    }
    return changed.isEmpty && inputs.sources.count == receipt.sources.count ? nil : .otherSources
  }

  private func outputReason(
    _ receipt: Receipt, _ output: ExportInputs.Output, _ isCancelled: IsCancelled
  ) throws -> Reason? {
    guard receipt.files.map(\.path) == output.files.map({ .file(folder.relative($0)) }) else {
      return .jobChanged([])
    }
    for (path, recorded) in zip(output.files, receipt.files) {
      guard let identity = FileIdentity(ofFileAt: path) else { return .missing(path) }
      let differences = try recorded.differences(from: identity) {
        try digest(of: .file(path), identity, isCancelled)
      }
      if !differences.isEmpty { return .outputChanged(path, differences) }
    }
    return nil
  }

  /// The digest of a file that is still `identity` when it has been read; nil where contents are
  /// not compared, and for an address: its identity is what the server says of its content.
  func digest(
    of location: MediaLocation, _ identity: FileIdentity, _ isCancelled: IsCancelled
  ) throws -> String? {
    guard comparesContents, case .file(let path) = location else { return nil }
    if let known = digests.withLock({ $0[path] }), known.0 == identity { return known.1 }
    guard let digest = try? SHA256.digest(of: FileBytes(path), unless: isCancelled) else {
      if isCancelled() { throw CancellationError() }
      return "unreadable"
    }
    let text = digest.hexadecimal
    guard FileIdentity(ofFileAt: path) == identity else { return "changing" }
    digests.withLock { $0[path] = (identity, text) }
    return text
  }

  /// Whether a receipt of these outputs names the file at `path`. Whether the file is still as the
  /// receipt says is not checked.
  package func knows(_ path: FilePath, besideOutputs outputs: [FilePath]) -> Bool {
    if outputs.contains(path) {
      return self.path(ofReceipt: folder.relative(path)).exists
    }
    return outputs.contains { output in
      let receipt = Receipt.read(self.path(ofReceipt: folder.relative(output)))
      return receipt?.files.contains { $0.path == .file(folder.relative(path)) } ?? false
    }
  }

  /// The digests of an output and of files beside it by its receipt, of those that are as they were
  /// written: size, time and inode. None without `--checksum`.
  package func knownDigests(
    of files: [FilePath], writtenWith output: FilePath
  ) -> [FilePath: (identity: FileIdentity, digest: [UInt8])] {
    guard let receipt = receipt(ofOutput: output) else { return [:] }
    var found: [FilePath: (identity: FileIdentity, digest: [UInt8])] = [:]
    for path in files {
      guard let file = receipt.files.first(where: { $0.path == .file(folder.relative(path)) }),
        let digest = file.sha256.flatMap({ [UInt8](hexadecimal: $0) }),
        let identity = FileIdentity(ofFileAt: path),
        file.differences(from: identity, digest: { nil }).isEmpty
      else { continue }
      found[path] = (identity, digest)
    }
    return found
  }

  /// The files that a receipt of `output` names as its sources; none without a receipt.
  package func sourceFiles(ofReceipt output: FilePath) -> [FilePath] {
    let receipt = Receipt.read(path(ofReceipt: folder.relative(output)))
    return receipt?.sources.compactMap { $0.path.file.map(folder.resolve) } ?? []
  }

  // MARK: Locks

  /// The result of a request to work on an export.
  package enum Permission: Sendable {
    /// No other process works on it until `ExportLock.end()`.
    case granted(ExportLock)
    /// Another process has one of its outputs. The caller decides how long to wait.
    case busy(LockWait)
    /// There can be no locks and no receipts here: the system's reason.
    case unavailable(Errno)
  }

  /// The right to make an export's outputs.
  package struct ExportLock: Sendable {
    fileprivate let lock: LockBook.Lock

    /// Lets other processes work on the export. To be called once.
    package func end() { lock.release() }
  }

  /// Requests the right to make an export's outputs, among the processes that share the folder;
  /// `now` is the time by which waits are measured.
  package func begin(_ inputs: ExportInputs, at now: ContinuousClock.Instant = .now) -> Permission {
    let key = Self.key(of: inputs)
    do throws(Errno) {
      try make()
      switch try locks.take(inputs.outputs.map { name(ofReceipt: folder.relative($0.path)) }) {
      case .held(let lock):
        waits.withLock { $0.end(key) }
        return .granted(ExportLock(lock: lock))
      case .busy(let holder):
        return .busy(waits.withLock { $0.note(holder, at: key, now: now) })
      }
    } catch {
      return .unavailable(error)
    }
  }

  /// Ends a wait that the caller gives up, so that the time of a later wait for the same export
  /// counts from its own start. Does nothing if the caller does not wait.
  package func giveUpWait(_ inputs: ExportInputs) {
    waits.withLock { $0.end(Self.key(of: inputs)) }
  }

  /// What the waits for an export are found by.
  private static func key(of inputs: ExportInputs) -> FilePath { inputs.outputs.first?.path ?? "" }

  private func make() throws(Errno) {
    guard !isMade.withLock({ $0 }) else { return }
    try folder.make()
    isMade.withLock { $0 = true }
  }

  // MARK: Recording

  /// Writes the receipts of an export whose outputs have just been put in their places.
  ///
  /// - Parameters:
  ///   - inputs: What was made, and of what.
  ///   - written: What each of its files was when it took its place: another process may put
  ///     another one there later.
  ///   - loop: The number of the loop that its job is of; nil: of none.
  ///   - isCancelled: Polled while contents are read.
  /// - Returns: Whether they were written. They are not where a source has changed since the inputs
  ///   were looked at, or an output since it was written: what it was made from is not known then.
  /// - Throws: `Errno` where the folder cannot be written, `CancellationError`; what is written is
  ///   whole.
  /// - Complexity: O(sources and outputs); with contents their size
  package func record(
    _ inputs: ExportInputs, written: [FilePath: FileIdentity], by loop: UInt64? = nil,
    unless isCancelled: IsCancelled
  ) throws -> Bool {
    try make()
    var sources: [Receipt.File] = []
    for source in inputs.sources {
      if case .file(let path) = source.location {
        guard FileIdentity(ofFileAt: path) == source.identity else { return false }
      }
      sources.append(try file(source.location, source.identity, isCancelled))
    }
    let texts = try texts(of: inputs, isCancelled)
    for output in inputs.outputs {
      var files: [Receipt.File] = []
      for path in output.files {
        guard let identity = written[path] else { return false }
        files.append(try file(.file(path), identity, isCancelled))
        guard FileIdentity(ofFileAt: path) == identity else { return false }
      }
      let receipt = Receipt(
        madeWith: inputs.tools, job: inputs.byAspect, sources: sources, texts: texts, files: files,
        loop: Receipt.loop(loop))
      try write(receipt, ofOutput: output.path)
    }
    hasRecorded.withLock { $0 = true }
    return true
  }

  func write(_ receipt: Receipt, ofOutput output: FilePath) throws {
    let bytes = try receipt.encoded()
    // One that is too large would never be read.
    guard bytes.count <= Receipt.largestSize else { throw Errno.fileTooLarge }
    try folder.write(bytes, to: path(ofReceipt: folder.relative(output)))
  }

  func file(
    _ location: MediaLocation, _ identity: FileIdentity, _ isCancelled: IsCancelled
  ) throws -> Receipt.File {
    Receipt.File(
      path: folder.relative(location), size: identity.size, modified: identity.modificationTime,
      inode: identity.inode, sha256: try digest(of: location, identity, isCancelled))
  }

  // MARK: Tidying

  /// Removes what processes that died left in the folder. To be called when a run begins.
  package func sweep() { locks.sweep() }

  /// Removes receipts of outputs that are not there any more, of a hundred at most that this run had
  /// nothing to do with: others next time. To be called when a run ends; does nothing where it has
  /// recorded nothing. Those of more than 64 kB, some hundred sources, are left, so that a tidying
  /// reads little whatever lies there.
  ///
  /// - Parameter outputs: What the run's jobs make.
  /// - Complexity: O(receipts) names, and 100 files
  package func tidy(besides outputs: some Sequence<FilePath>) {
    guard hasRecorded.withLock({ $0 }) else { return }
    let own = Set(outputs.map { name(ofReceipt: folder.relative($0)) + ".json" })
    let others = StateFolder.names(in: folder.receipts).filter {
      !own.contains($0.string) && Self.isName(ofReceipt: $0)
    }
    for name in others.shuffled().prefix(100) {
      let path = folder.receipts.appending(name)
      guard let size = FileIdentity(ofFileAt: path)?.size, size <= Self.largestTidied else {
        continue
      }
      if let output = Receipt.read(path)?.files.first?.path.file,
        FileIdentity(ofFileAt: folder.resolve(output)) != nil
      {
        continue
      }
      PathCalls.unlink(path)
    }
  }

  /// Bytes of a receipt that is read only to see whether it may go.
  private static let largestTidied = 64_000

  // MARK: Names

  func path(ofReceipt output: FilePath) -> FilePath {
    folder.receipts.appending(name(ofReceipt: output) + ".json")
  }

  /// Whether a file may be a receipt: `episode.mp3-0123456789abcdef.json`. Nothing else is removed.
  static func isName(ofReceipt name: FilePath.Component) -> Bool {
    name.extension == "json" && LockBook.isLabel(name.stem)
  }

  /// The name of an output's receipt, for people, made unique: `episode.mp3-0123456789abcdef`.
  func name(ofReceipt output: FilePath) -> String {
    let bytes = output.bytes
    let start = bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0
    let name = bytes[start...].prefix(60).map { (byte: UInt8) -> UInt8 in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: return byte
      default: return 0x5F
      }
    }
    return String(decoding: name, as: UTF8.self) + "-" + LineStore.number(of: bytes).hexadecimal
  }
}

extension FileIdentity {
  /// `stat` of a regular file; nil where there is none.
  init?(ofFileAt path: FilePath) {
    guard let status = try? FileStatus(at: path), status.kind == .file else { return nil }
    self.init(status)
  }
}
