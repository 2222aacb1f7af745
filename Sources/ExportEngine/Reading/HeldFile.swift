import Diagnosis
import Files
import LibAV
import MediaComposition
import Synchronization
import SystemPackage

/// A medium's file, open. Readers of the medium share it, so that all of them read one file, whatever
/// is at its path by now. Safe from any thread.
final class HeldFile: ByteSource, Sendable {
  private let location: MediaLocation
  private let identity: FileIdentity
  private let bytes: FileBytes
  private let facts = Mutex<[Int: StreamFacts]>([:])

  /// Opens the file at `path`.
  ///
  /// - Throws: As `SourceFile.requireUnchanged`, also where the file at the path is another one.
  init(_ path: FilePath, _ identity: FileIdentity) throws(Failure) {
    location = .file(path)
    self.identity = identity
    try SourceFile.requireUnchanged(location, identity)
    do throws(Errno) {
      bytes = try FileBytes(path)
    } catch {
      throw Failure.reading(error.rawValue, "cannot be opened", location: .file(path))
        ?? Failure(.mendMachine, "cannot be opened: \(error)", path: path)
    }
    try requireUnchanged()
  }

  /// The facts of a stream: by `find` as long as the file is at its path, then by probing the file
  /// itself.
  ///
  /// - Parameters:
  ///   - index: The stream.
  ///   - find: Finds the facts of the file at the path.
  /// - Returns: The facts, kept from then on.
  /// - Throws: As `find` or probing.
  func facts(
    ofStream index: Int, by find: () throws(Failure) -> StreamFacts
  ) throws(Failure) -> StreamFacts {
    if let known = facts.withLock({ $0[index] }) { return known }
    var found: StreamFacts
    if isAtPath {
      found = try find()
      // It may be of a file that has come to the path meanwhile.
      guard isAtPath else { return try facts(ofStream: index, by: find) }
    } else {
      try requireUnchanged()
      let place = MediaLocation.file(FilePath("/proc/self/fd/\(bytes.descriptor.rawValue)"))
      found = try Prober.probe(place, stream: index).facts
      found.location = location
    }
    facts.withLock { [found] in $0[index] = found }
    return found
  }

  private var isAtPath: Bool {
    do throws(Failure) {
      try SourceFile.requireUnchanged(location, identity)
      return true
    } catch {
      return false
    }
  }

  /// Checks that nobody has written to the file.
  ///
  /// - Throws: `tryAgain`.
  func requireUnchanged() throws(Failure) {
    guard let status = try? FileStatus(of: bytes.descriptor.rawValue),
      FileIdentity(status) == identity
    else {
      throw SourceFile.changedMeanwhile(location)
    }
  }

  func size() throws -> Int64 { try bytes.size() }

  /// Reads, and then checks that the bytes are those that were probed: decoders would take others for
  /// damage, or for sound.
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try self.bytes.read(at: offset, into: bytes)
    try requireUnchanged()
    return count
  }
}

/// The files of an export, which stay open as long as this object lives: they can be read after they
/// were removed, or replaced by others.
package final class HeldMedia: Sendable {
  private let files: [HeldFile]

  fileprivate init(_ files: [HeldFile]) { self.files = files }
}

extension MediaLibrary {
  /// So many files are held at most, for all exports together.
  private static let mostHeld = 256

  /// Holds the files of an export that are what they were when they were probed, as far as there is
  /// room.
  ///
  /// - Complexity: O(segments)
  package func hold(_ export: Export) -> HeldMedia {
    var files: [HeldFile] = []
    var seen: Set<FileIdentity> = []
    for asset in export.composition.assets where seen.insert(asset.identity).inserted {
      guard let file = try? held(asset) else { continue }
      files.append(file)
    }
    return HeldMedia(files)
  }

  /// The open file of an asset; nil for a medium of a server.
  ///
  /// - Throws: As `HeldFile.init`.
  func openFile(of asset: Asset) throws(Failure) -> HeldFile? {
    guard case .file(let path) = asset.location else { return nil }
    if let file = heldFiles.withLock({ $0[asset.identity]?.file }) { return file }
    return try HeldFile(path, asset.identity)
  }

  /// The open file of an asset, for all who open the asset from now on; nil without room.
  private func held(_ asset: Asset) throws(Failure) -> HeldFile? {
    let isFull = heldFiles.withLock { held in
      if held.count >= Self.mostHeld { held = held.filter { $0.value.file != nil } }
      return held.count >= Self.mostHeld
    }
    guard !isFull, let file = try openFile(of: asset) else { return nil }
    heldFiles.withLock { $0[asset.identity] = WeakFile(file) }
    return file
  }

  /// Forgets what is known of files that are not what they were, so that they are probed again.
  ///
  /// - Complexity: O(media), with a `stat` for each
  package func forgetChangedFiles() {
    let known = found.withLock { $0.map { ($0, try? $1.get().found.asset.identity) } }
    for (key, identity) in known where key.location.file != nil {
      // A failure is tried again.
      if let identity, (try? SourceFile.identify(key.location)) == identity { continue }
      let removed = found.withLock { $0.removeValue(forKey: key) }
      guard case .success(.probed(let stream))? = removed,
        case .mpegAudio(let index?, _) = stream.facts.reader
      else { continue }
      framesToKeep.withLock { $0 += index.count }
    }
  }
}

/// A file that lives as long as it is held or read.
struct WeakFile: Sendable {
  weak let file: HeldFile?

  init(_ file: HeldFile) { self.file = file }
}
