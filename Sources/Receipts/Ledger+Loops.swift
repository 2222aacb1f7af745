import MediaComposition
import SystemPackage

/// Which loop made an output.
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
  ///   to date name another loop or none: the loop was written anew, or the receipts are older than it.
  /// - Throws: As `reason(for:unless:)`.
  /// - Complexity: As of `reason(for:unless:)`.
  package func reason(
    for inputs: ExportInputs, by loop: UInt64?, unless isCancelled: IsCancelled = { false }
  ) throws -> (reason: Reason?, isOfAnotherLoop: Bool) {
    let (reason, receipts) = try examine(inputs, isCancelled)
    guard reason == nil else { return (reason, false) }
    return (nil, receipts.contains { $0.loop != Receipt.loop(loop) })
  }

  /// Notes in the receipts of outputs that are up to date that they are those of a loop's job. Where
  /// receipts cannot be written, or another process works on the export, a later run notes it. For a caller
  /// that does not hold the export's lock.
  ///
  /// - Parameters:
  ///   - loop: The number of the job's loop; nil: it is of none.
  ///   - inputs: The export.
  /// - Complexity: O(sizes of the receipts)
  package func note(_ loop: UInt64?, thatMakes inputs: ExportInputs) {
    guard case .granted(let lock) = begin(inputs) else { return giveUpWait(inputs) }
    defer { lock.end() }
    writeLoop(loop, of: inputs, holding: lock)
  }

  /// The same as `note(_:thatMakes:)`, for a caller that holds the export's lock. Receipts of another job,
  /// which another process may have written since the outputs were found up to date, are left as they are.
  ///
  /// - Parameters:
  ///   - loop: The number of the job's loop; nil: it is of none.
  ///   - inputs: The export.
  ///   - lock: Of the export; the caller ends it later.
  /// - Complexity: O(sizes of the receipts)
  package func writeLoop(_ loop: UInt64?, of inputs: ExportInputs, holding lock: ExportLock) {
    for output in inputs.outputs {
      guard var receipt = receipt(ofOutput: output.path), receipt.job == inputs.byAspect else {
        continue
      }
      receipt.loop = Receipt.loop(loop)
      try? write(receipt, ofOutput: output.path)
    }
  }
}
