import Synchronization
import SystemPackage

/// The findings of analyses in earlier runs and in this one, as `.avjob/analyses` holds them: the
/// loudness of sounds.
///
/// A finding stands under the digest of all that it depends on: the sound, the identities of its
/// sources, the tools. So no finding in the file is ever wrong; findings that runs do not use any
/// more are dropped in time. Safe from any thread.
package final class AnalysisMemory: Sendable {
  private let store: LineStore
  private let state = Mutex(State())

  private struct State {
    /// The digests that this run asked for, in order.
    var used: [String] = []
    /// What it found by itself.
    var found: [String: [UInt8]] = [:]
    var isSaved = true
  }

  /// The findings in a folder, which are read when the first one is asked for.
  package init(in folder: StateFolder) {
    store = LineStore("analyses", in: folder, version: "avjob analyses 1")
  }

  /// What was found under a digest (64 hexadecimal digits).
  ///
  /// - Complexity: O(size of the file) the first time
  package func find(_ digest: String) -> [UInt8]? {
    let own = state.withLock { state in
      state.used.append(digest)
      return state.found[digest]
    }
    if let own { return own }
    let prefix = Array(digest.utf8) + [0x20]
    guard let key = Self.key(digest), let text = store.find(key), text.starts(with: prefix) else {
      return nil
    }
    return Array(text.dropFirst(prefix.count))
  }

  /// Keeps a finding: JSON, of less than 1 MB and without line feeds.
  package func keep(_ digest: String, _ finding: [UInt8]) {
    state.withLock { state in
      state.found[digest] = finding
      state.isSaved = false
    }
  }

  /// Writes the new findings, together with those of earlier runs. Writes nothing if none is new.
  ///
  /// - Throws: `Errno` where the folder cannot be written.
  /// - Complexity: O(size of the file)
  package func save() throws(Errno) {
    let state = state.withLock { state in
      defer { state.isSaved = true }
      return state
    }
    guard !state.isSaved else { return }
    var texts: [UInt64: [UInt8]] = [:]
    for (digest, finding) in state.found {
      guard let key = Self.key(digest) else { continue }
      texts[key] = Array(digest.utf8) + [0x20] + finding
    }
    try store.save(state.used.compactMap(Self.key)) { key, _ in texts[key] }
    store.release()
  }

  private static func key(_ digest: String) -> UInt64? {
    UInt64(hexadecimal: Array(digest.utf8.prefix(16)))
  }
}
