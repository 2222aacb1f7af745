import ArgumentParser
import Diagnosis
import ExportEngine
import Files
import JSON
import MediaComposition
import Receipts
import Reports
import SystemPackage
import Terminal

/// `avjob verify`
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Prove that files are as receipts, records and manifests say, and write nothing.",
    discussion: """
      Of a folder, all that the receipts, records, lists of digests and BagIt bags in it name is \
      proved, and files that none of them names are listed. A receipt, a record or a list stands for \
      the files that it names, and any other file for itself. A FLAC that none of them has a digest of \
      is decoded, and proved by the MD5 of its sound in its header. docs/fixity.md describes all of it.

      Exit status: 0 all are as they were, 1 a file is not, or cannot be proved, 2 the arguments are \
      wrong.
      """)

  static let documentVersion: Int64 = 1

  @Argument(
    help: .value("paths", "Prove these files, or those in these folders."), completion: .file())
  var paths: [String]

  @Flag(name: .shortAndLong, help: "Print only what is not as it was.")
  var quiet = false

  @Option(help: .value("folder", "Read below this folder only."), completion: .directory)
  var root: String?

  @OptionGroup var output: JSONOption

  func run() throws {
    try RootOptions.enter(root)
    var inventory = FixityInventory()
    var unreached: [Diagnostic] = []
    for path in paths {
      do throws(Errno) {
        try inventory.add(FilePath(path))
      } catch {
        unreached.append(
          Diagnostic(
            Failure(
              .mendInput,
              Confinement.refusal(error.rawValue)?.reason ?? "cannot be read: \(error)",
              path: FilePath(path))))
      }
    }
    inventory.finish()
    var tally = FixityTally(inventory, listsAll: !quiet, keepsResults: output.json)
    if !output.json { StandardStream.output.write(tally.faultLines) }
    // Decoders read no stranger's files in this process.
    let hear: SoundFixity.Hear? = root == nil ? Self.sound(of:) : nil
    inventory.prove(hearing: hear) { result in
      let line = tally.add(result)
      if !output.json, let line { StandardStream.output.write(line) }
    }
    if tally.isEmpty, unreached.isEmpty {
      unreached.append(
        Diagnostic(
          "nothing here has a digest to prove by", at: .unknown,
          help: "'avjob run --checksum' keeps digests in receipts, 'json: sidecar' in records, and "
            + "'bag' in a bag"))
    }
    let isProved = tally.isProved && unreached.isEmpty
    let context = CommandContext()
    if output.json {
      output.print(
        version: Self.documentVersion,
        tally.json(
          exitStatus: isProved ? .success : .jobFailed,
          messages: .messages(unreached, in: context.map)))
    } else if !quiet {
      StandardStream.output.write(tally.summary + "\n")
    }
    context.report(Diagnostics(unreached))
    if !isProved { throw ExitCode.jobFailed }
  }
}

extension Verify {
  /// The sound of a FLAC beside the digest in its header.
  @Sendable private static func sound(of path: FilePath) throws(Failure) -> SoundFixity? {
    try FLACProof.prove(path).map {
      SoundFixity(
        announced: $0.announced, found: $0.found, fault: $0.fault, link: $0.link,
        unprovenLinks: $0.unprovenLinks)
    }
  }
}

/// What came of a verification.
struct FixityTally {
  private let faults: [FixityInventory.Fault]
  private let addressCount: Int
  private let listsAll: Bool
  private let keepsResults: Bool
  private var counts: [FixityResult.State: Int] = [:]
  private var kept: [JSONValue] = []
  private var isWrong: Bool

  /// - Parameters:
  ///   - inventory: What is proved.
  ///   - listsAll: Whether files are listed that are as they were, and those that none names.
  ///   - keepsResults: Whether `json` has the files.
  init(_ inventory: FixityInventory, listsAll: Bool, keepsResults: Bool) {
    (faults, addressCount) = (inventory.faults, inventory.addressCount)
    (self.listsAll, self.keepsResults) = (listsAll, keepsResults)
    isWrong = !inventory.faults.isEmpty
  }

  /// Whether no file has a digest.
  var isEmpty: Bool { counts.keys.allSatisfy { $0 == .unknown } && faults.isEmpty }

  /// Whether all files are proved that had to be, and there is one.
  var isProved: Bool { !isWrong && !isEmpty }

  /// What is wrong with witnesses and bags, a line each.
  var faultLines: String {
    faults.map { Self.line("wrong", $0.path, $0.reason) }.joined()
  }

  /// Counts a file.
  ///
  /// - Returns: Its lines; nil where it is not listed.
  mutating func add(_ result: FixityResult) -> String? {
    counts[result.state, default: 0] += 1
    if result.isFault { isWrong = true }
    guard listsAll || result.isFault else { return nil }
    if keepsResults {
      kept.append(result.json)
      return nil
    }
    return Self.line(result.state.rawValue, result.path, result.reason) + (result.difference ?? "")
  }

  private static func line(_ state: String, _ path: FilePath, _ reason: String?) -> String {
    let text = state.padded(to: 11) + path.string + (reason.map { ": \($0)" } ?? "")
    return text.printable + "\n"
  }

  /// `1003 files: 1000 ok, 2 changed, 1 unknown`
  var summary: String {
    let all = counts.values.reduce(0, +)
    let parts = FixityResult.State.allCases.compactMap { state in
      counts[state].map { "\($0) \(state.rawValue)" }
    }
    var text = all == 1 ? "1 file" : "\(all) files"
    if !parts.isEmpty { text += ": " + parts.joined(separator: ", ") }
    if addressCount > 0 { text += "; sources on servers are not proved: \(addressCount)" }
    return text
  }

  /// The members of the document beside its head.
  func json(exitStatus: ExitCode, messages: JSONValue) -> JSONValue {
    .members([
      "exit_status": .count(exitStatus.rawValue),
      "totals": .object(
        FixityResult.State.allCases.map { JSONValue.Member($0.rawValue, .count(counts[$0] ?? 0)) }),
      "addresses": .count(addressCount),
      "faults": .list(faults.map { .file($0.path, ["message": .text($0.reason)]) }),
      "files": .list(kept),
      "messages": messages,
    ])
  }
}

extension FixityResult {
  /// Both digests, or both sizes, of a file that has changed.
  fileprivate var difference: String? {
    guard state == .changed else { return nil }
    if let sound {
      return "  is   MD5 \(sound.foundText)\n"
        + "  was  MD5 \(sound.announcedText)\n  by   its header (STREAMINFO)\n"
    }
    guard let claim else { return nil }
    let (isNow, was): (String, String)
    if let expected = claim.digestText, let found = digestText, expected != found {
      (isNow, was) = (found, expected)
    } else if let expected = claim.size, let size {
      (isNow, was) = ("\(size) bytes", "\(expected) bytes")
    } else {
      return nil
    }
    return "  is   \(isNow)\n  was  \(was)\n  by   \("\(claim.witness)".printable)\n"
  }

  fileprivate var json: JSONValue {
    .file(
      path,
      [
        "state": .text(state.rawValue),
        "sha256": digest.map { .hexadecimal($0) },
        "expected_sha256": claim?.digest.map { .hexadecimal($0) },
        "sound_md5": sound.map { .hexadecimal($0.found) },
        "expected_sound_md5": sound.map { .hexadecimal($0.announced) },
        "bytes": size.map { .integer($0) },
        "expected_bytes": claim?.size.map { .integer($0) },
        "witness": claim.map { .text($0.witness.string) },
        "message": reason.map { .text($0) },
      ])
  }
}
