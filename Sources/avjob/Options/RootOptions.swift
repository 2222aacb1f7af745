import ArgumentParser
import Files
import JobModel
import MediaTime
import RunPlan
import SystemPackage

/// `--root` and `--max-jobs`, for job files of strangers: every command that reads job files has
/// them.
struct RootOptions: ParsableArguments {
  @Option(
    help: .value("folder", "Read and write below this folder only; for job files of strangers."),
    completion: .directory)
  var root: String?

  @Option(help: .value("number", "Refuse more jobs than this; with --root, 1000."))
  var maxJobs: Int?

  func validate() throws {
    if let maxJobs, maxJobs < 1 { throw ValidationError("--max-jobs must be 1 or more") }
  }

  /// How many jobs there may be; nil: any number.
  var jobLimit: Int? { maxJobs ?? (root == nil ? nil : 1000) }

  /// Confines this process, before it opens any file.
  func enter() throws { try Self.enter(root) }

  /// Confines this process to a folder, before it opens any file; nil: to none.
  static func enter(_ root: String?) throws {
    guard let root, Confinement.root == nil else { return }
    do throws(Errno) {
      try Confinement.enter(FilePath(root))
    } catch {
      guard error == .noFunction || error == .notPermitted else {
        throw ValidationError("--root \(root): \(error); name a folder")
      }
      throw ValidationError(
        "--root needs openat2(2), which this kernel or sandbox does not have: \(error); use "
          + "Linux 5.6 or later, or a container that allows the call")
    }
    guard Confinement.knowsPlaces else {
      throw ValidationError(
        "--root needs /proc, which is not mounted here: mount it, as by 'mount -t proc proc /proc'")
    }
  }
}

/// What the jobs of a run may take of the machine.
struct BoundOptions: ParsableArguments {
  @Option(
    help: .value("time", "Stop a job after this time, whatever its 'timeout'; with --root, 1h."),
    transform: { try Bound.read("--max-time", $0, Bound.time) })
  var maxTime: Duration?

  @Option(
    help: .value("size", "Bound each job's memory; with --root, 2 GB. Implies --isolate."),
    transform: { try Bound.read("--max-memory", $0, Bound.size) })
  var maxMemory: Int?

  @Option(
    help: .value(
      "size", "Bound what is written, all files together; with --root, 10 GB. Implies --isolate."),
    transform: { try Bound.read("--max-output", $0, Bound.size) })
  var maxOutput: Int?

  @Flag(help: "With --root: use the receipts below it.")
  var trustReceipts = false
}

/// Values of the options.
enum Bound {
  fileprivate static func read<Value>(
    _ option: String, _ text: String, _ read: (String) throws -> Value?
  ) throws -> Value {
    do {
      if let value = try read(text) { return value }
    } catch let error as TimeTextError {
      throw ValidationError("\(option): \(error.message)")
    }
    throw noSize(text, of: option)
  }

  private static func noSize(_ text: String, of name: String) -> ValidationError {
    ValidationError("\(name): '\(text)' is no size; write '500 MB' or '2 GB'")
  }

  fileprivate static func time(_ text: String) throws -> Duration? {
    let time = try Time(parsing: text)
    guard time > .zero else { throw ValidationError("--max-time: write '30m' or '1h'") }
    return .nanoseconds(time.frames(atRate: 1_000_000_000))
  }

  /// The bytes that an option, or a variable of the environment, sets.
  ///
  /// - Throws: `ValidationError` for what is no size.
  static func bytes(_ text: String, of name: String) throws -> Int64 {
    guard let size = size(text) else { throw noSize(text, of: name) }
    return Int64(size)
  }

  /// `500 MB`, `2GB`, `1 GiB`: bytes.
  static func size(_ text: String) -> Int? {
    let quantity = Quantity(text)
    let factors = [
      "": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
      "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]
    guard let factor = factors[quantity.unit.lowercased()],
      let bytes = quantity.whole(times: factor),
      bytes > 0
    else { return nil }
    return bytes
  }
}
