import ArgumentParser

/// What `run` does with what earlier runs have made.
struct ReceiptOptions: ParsableArguments {
  @Flag(help: "Make everything anew, also what is up to date.")
  var force = false

  @Flag(help: "Say of each job why it ran.")
  var explain = false

  @Flag(
    help: ArgumentHelp(
      "Compare files by their content, not by size, time and inode.",
      discussion: "It takes reading all of them, and receipts that were written with it."))
  var checksum = false

  @Flag(
    help: ArgumentHelp(
      "At the end, remove files that earlier runs made and no job makes any more.",
      discussion: "They are listed first; one that was changed since it was made is left."))
  var prune = false
}
