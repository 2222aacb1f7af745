import Diagnosis
import Files
import FoundationEssentials
import MediaComposition
import SystemPackage

/// How an output came to be, as `.avjob/receipts/` holds it: docs/receipts.md says what each key
/// means. Paths are relative to the folder of the job files.
struct Receipt: Codable, Sendable, Hashable {
  /// A medium or a file, as it was when the receipt was written.
  struct File: Codable, Sendable, Hashable {
    /// An address, of a source alone, stands without its secrets.
    var path: MediaLocation
    /// Bytes.
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
    var inode: UInt64
    /// SHA-256 of its content in hexadecimal digits; nil where it was not computed.
    var sha256: String?
  }

  /// Of the format; a receipt of any other is none.
  var version = Self.currentVersion
  /// avjob, the libraries and the processor.
  var madeWith: [String: String]
  /// SHA-256 of the job's meaning, by aspect.
  var job: [String: String]
  /// What was read, in the order of its first use.
  var sources: [File]
  /// Lists, transcripts and tables that the job was read from, with their digests; nil: none, or digests
  /// were not computed, or an earlier avjob wrote this.
  var texts: [File]?
  /// The output, then what was written beside it.
  var files: [File]
  /// The number of the loop whose job made it (`Ledger.loop(of:)`), in hexadecimal digits; nil without one.
  var loop: String?

  /// All that was read.
  var inputs: [File] { sources + (texts ?? []) }

  /// The number of a loop as a receipt has it.
  static func loop(_ number: UInt64?) -> String? { number.map { String($0, radix: 16) } }

  static let currentVersion = 1
  /// Bytes, at some 250 for a source: a job of a hundred thousand sources has its receipt. A larger one
  /// is not written, and not read.
  static let largestSize = 32_000_000

  /// Reads a receipt; nil where there is none that can be understood.
  static func read(_ path: FilePath) -> Receipt? {
    guard let bytes = try? PathCalls.contents(of: path, limit: largestSize),
      let receipt = try? JSONDecoder().decode(Receipt.self, from: Data(bytes)),
      receipt.version == currentVersion
    else { return nil }
    return receipt
  }

  /// As a file has it.
  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [0x0A]
  }
}

extension Receipt.File {
  /// In what a file is another one than it was; nothing where it is the same.
  ///
  /// With a digest, which `digest` gives where contents are to be compared, the content alone
  /// counts, and without one size, time of modification and inode, which `touch` and copying change
  /// as well.
  func differences(
    from identity: FileIdentity, digest: () throws -> String?
  ) rethrows -> [String] {
    guard identity.size == size else { return ["size"] }
    if let now = try digest() {
      guard let sha256 else { return ["no checksum in its receipt"] }
      return now == sha256 ? [] : ["content"]
    }
    return (identity.modificationTime == modified ? [] : ["time"])
      + (identity.inode == inode ? [] : ["inode"])
  }
}
