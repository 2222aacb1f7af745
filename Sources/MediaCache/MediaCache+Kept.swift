import Diagnosis
import LibAV
import SystemPackage

extension MediaCache {
  /// What the cache has of an address, according to the records of the first 4 Mi blocks in its
  /// entry's map, without blocks that have to be read to be trusted. No server is asked, and
  /// nothing is opened for longer than the call.
  ///
  /// - Returns: The size of the medium, and the ranges of its bytes, in order; nil: there is none.
  /// - Complexity: O(n log n) in the blocks
  package func kept(of url: MediaURL) -> (size: Int64, ranges: [Range<Int64>])? {
    guard let cache = try? existingFolder(), let key = try? EntryFolder.key(of: url),
      let folder = try? cache.entry(key, create: false), let use = try? folder.use()
    else { return nil }
    defer { try? use.close() }
    guard let facts = try? folder.facts(),
      let files = try? EntryFiles(of: facts, in: folder, boot: options.boot),
      let found = try? files.present(in: EntryFiles.blocksReadAtOnce)
    else { return nil }
    return (facts.size, found.ranges.map(files.bytes))
  }
}
