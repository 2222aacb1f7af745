import ArgumentParser
import RunExecution

/// What `run` does with what earlier runs have made.
struct ReceiptOptions: ParsableArguments {
  @Flag(help: "Make all outputs, also those that are up to date.")
  var force = false

  @Flag(help: "Print why each job runs.")
  var explain = false

  @Flag(
    help: "Compare files by content, which reads all of them.")
  var checksum = false

  @Flag(
    help: ArgumentHelp(
      "Remove files of earlier runs that no job makes any more.",
      discussion: "Lists them first; leaves those that were changed since."))
  var prune = false

  /// The memory of a run with these options.
  var memory: RunMemory {
    var options = RunMemory.Options()
    (options.isForced, options.explains, options.comparesContents) = (force, explain, checksum)
    return RunMemory(options)
  }
}
