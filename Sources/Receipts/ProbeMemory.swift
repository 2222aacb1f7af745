import Diagnosis
import FoundationEssentials
import MediaComposition
import SystemPackage

/// The results of probing in earlier runs, as `.avjob/probes` holds them, for any number of sources.
///
/// Each line has the digest of a path and a stream as its key, and the facts as JSON, which are
/// decoded when they are needed. A line about a file that has changed is ignored. Paths are relative
/// to the job files' folder. Safe from any thread.
package final class ProbeMemory: Sendable {
  private let folder: StateFolder
  private let store: LineStore

  /// One line's JSON.
  private struct Entry: Codable {
    /// The requested stream; nil: the best.
    var stream: Int?
    var probed: ProbedAsset
  }

  /// A medium, and which of its streams; nil: the best.
  package struct Key: Sendable, Hashable {
    /// Where the medium is.
    package var location: MediaLocation
    /// The stream, as the job names it; nil: the best.
    package var stream: Int?

    /// A stream of a medium.
    package init(_ location: MediaLocation, stream: Int? = nil) {
      self.location = location
      self.stream = stream
    }
  }

  /// Reads what there is when it is asked for; nothing where the folder is not there or was written
  /// by others than `tools`, which may find other facts.
  package init(in folder: StateFolder, tools: [String: String]) {
    self.folder = folder
    let told = tools.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let digest = LineStore.number(of: told.joined(separator: "\n").utf8).hexadecimal
    store = LineStore("probes", in: folder, version: "avjob probes 10 " + digest)
  }

  /// Frees the memory of the lines that were read. They are read again when one is asked for.
  package func release() { store.release() }

  /// What an earlier run found, where the file is still the one that it looked at.
  ///
  /// - Complexity: O(size of the file) the first time, and after `release`: some 600 bytes a source
  package func find(_ key: Key, _ identity: FileIdentity) -> ProbedAsset? {
    guard let json = store.find(number(of: key)),
      let entry = try? JSONDecoder().decode(Entry.self, from: Data(json)),
      entry.stream == key.stream, entry.probed.asset.location == folder.relative(key.location),
      entry.probed.asset.identity.isSameContent(as: identity), entry.probed.isPlausible
    else { return nil }
    return entry.probed.moved(to: key.location, identity)
  }

  /// Writes this run's results, together with those that it did not use; nothing where none is new.
  /// A length that is only announced is asked for again.
  ///
  /// - Parameters:
  ///   - media: What this run used.
  ///   - find: Gives the facts of a medium, and whether they come from this file; nil where there
  ///     are none.
  /// - Throws: `Errno` where the folder cannot be written.
  /// - Complexity: O(size of the file), of which it holds some lines
  package func save(
    _ media: [Key], found find: (Key) -> (found: ProbedAsset, isRecalled: Bool)?
  ) throws(Errno) {
    guard media.contains(where: { find($0)?.isRecalled == false }) else { return }
    let numbers = media.map(number)
    let keys = Dictionary(zip(numbers, media)) { first, _ in first }
    try store.save(numbers) { number, isThere in
      guard let key = keys[number], let (probed, isRecalled) = find(key),
        !(isRecalled && isThere), !probed.isLengthAnnounced
      else { return nil }
      let relative = folder.relative(key.location)
      let entry = Entry(
        stream: key.stream, probed: probed.moved(to: relative, probed.asset.identity))
      return (try? JSONEncoder().encode(entry)).map { Array($0) }
    }
  }

  private func number(of key: Key) -> UInt64 {
    let stream = key.stream.map { "\($0)" } ?? "-"
    return LineStore.number(
      of: Array("\(stream) ".utf8)
        + (key.location.file.map { folder.relative($0).bytes } ?? key.location.bytes))
  }
}

extension FileIdentity {
  /// Whether a file is the one that it was, wherever it is mounted now.
  fileprivate func isSameContent(as other: FileIdentity) -> Bool {
    size == other.size && inode == other.inode && modificationTime == other.modificationTime
  }
}
