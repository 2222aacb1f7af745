import MediaComposition
import SystemPackage

/// What receipts of outputs that are up to date may have otherwise: which loop made them, and texts that
/// were edited and say the same.
extension Ledger {
  /// The number of the loop whose job made a file that is as it was written; nil where no loop did, or that
  /// is not known.
  ///
  /// - Complexity: O(size of a receipt)
  package func loop(of output: FilePath) -> UInt64? {
    guard let receipt = receipt(ofOutput: output), let file = receipt.files.first,
      let identity = FileIdentity(ofFileAt: output),
      file.differences(from: identity, digest: { nil }).isEmpty
    else { return nil }
    return receipt.loop.flatMap { UInt64($0, radix: 16) }
  }

  /// Says why an export of a loop's job has to be made.
  ///
  /// - Parameters:
  ///   - inputs: The export.
  ///   - loop: The number of the job's loop; nil: it is of none.
  ///   - isCancelled: As of `reason(for:unless:)`.
  /// - Returns: The reason, as `reason(for:unless:)` has it, and whether the receipts of outputs that are up
  ///   to date are to be renewed. They name another loop or none: the loop was written anew, or the receipts
  ///   are older than it. Or, with contents, they have other texts: these were edited, or the receipts are
  ///   of an avjob that did not keep them.
  /// - Throws: As `reason(for:unless:)`.
  /// - Complexity: As of `reason(for:unless:)`.
  package func reason(
    for inputs: ExportInputs, by loop: UInt64?, unless isCancelled: IsCancelled = { false }
  ) throws -> (reason: Reason?, isOutdated: Bool) {
    let (reason, receipts) = try examine(inputs, isCancelled)
    guard reason == nil else { return (reason, false) }
    return (nil, receipts.contains { $0.loop != Receipt.loop(loop) || hasOtherTexts($0, inputs) })
  }

  /// Whether a receipt has other texts than an export, by their sizes and times: by their contents, if these
  /// are the same, they were compared before.
  private func hasOtherTexts(_ receipt: Receipt, _ inputs: ExportInputs) -> Bool {
    guard comparesContents else { return false }
    let recorded = receipt.texts ?? []
    guard recorded.count == inputs.texts.count else { return true }
    return !zip(recorded, inputs.texts).allSatisfy { recorded, text in
      recorded.path == folder.relative(text.location) && recorded.size == text.identity.size
        && recorded.modified == text.identity.modificationTime
    }
  }

  /// Notes in the receipts of outputs that are up to date which loop's job they are of, and which texts it
  /// was read from. Where receipts cannot be written, or another process works on the export, a later run
  /// notes it. For a caller that does not hold the export's lock.
  ///
  /// - Parameters:
  ///   - inputs: The export.
  ///   - loop: The number of the job's loop; nil: it is of none.
  /// - Complexity: O(sizes of the receipts), and of the texts
  package func renew(_ inputs: ExportInputs, by loop: UInt64?) {
    guard case .granted(let lock) = begin(inputs) else { return giveUpWait(inputs) }
    defer { lock.end() }
    renew(inputs, by: loop, holding: lock)
  }

  /// The same as `renew(_:by:)`, for a caller that holds the export's lock. Receipts of another job, which
  /// another process may have written since the outputs were found up to date, are left as they are.
  ///
  /// - Parameters:
  ///   - inputs: The export.
  ///   - loop: The number of the job's loop; nil: it is of none.
  ///   - lock: Of the export; the caller ends it later.
  /// - Complexity: O(sizes of the receipts), and of the texts
  package func renew(_ inputs: ExportInputs, by loop: UInt64?, holding lock: ExportLock) {
    // Nothing cancels it: texts have a few megabytes at most.
    let texts = try? texts(of: inputs) { false }
    for output in inputs.outputs {
      guard var receipt = receipt(ofOutput: output.path), receipt.job == inputs.byAspect else {
        continue
      }
      receipt.loop = Receipt.loop(loop)
      if comparesContents { receipt.texts = texts }
      try? write(receipt, ofOutput: output.path)
    }
  }

  /// The texts of an export as a receipt has them: with contents, those that are as they were when the job
  /// was read; nil: none.
  func texts(
    of inputs: ExportInputs, _ isCancelled: IsCancelled
  ) throws -> [Receipt.File]? {
    guard comparesContents else { return nil }
    let texts = try inputs.texts.compactMap { text -> Receipt.File? in
      guard let path = text.location.file, FileIdentity(ofFileAt: path) == text.identity else {
        return nil
      }
      return try file(text.location, text.identity, isCancelled)
    }
    return texts.isEmpty ? nil : texts
  }
}
