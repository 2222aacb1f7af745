import Diagnosis
import Files
import Glibc
import LibAV
import MediaComposition
import SystemPackage
import Threads

/// Makes a bag of files (RFC 8493). It appears whole: it is made in a folder of another name, flushed
/// to the disk, and renamed.
package struct BagWriter {
  /// A file that is copied into the bag.
  package struct File: Sendable {
    /// Where it is.
    package var source: FilePath
    /// Its path in the bag.
    package var name: FilePath
    /// Its SHA-256, if that is known of the file with this identity.
    package var known: (identity: FileIdentity, digest: [UInt8])?

    /// The file at `source` under a path in the bag.
    package init(
      _ source: FilePath, named name: FilePath,
      known: (identity: FileIdentity, digest: [UInt8])? = nil
    ) {
      (self.source, self.name, self.known) = (source, name, known)
    }
  }

  /// What came of it.
  package enum Outcome: Sendable, Hashable {
    /// It was made.
    case made(files: Int, bytes: Int64)
    /// It was there, with these files.
    case upToDate
  }

  private let payload: [File]
  private let tags: [File]
  private let fields: [Bag.Field]

  /// - Parameters:
  ///   - payload: The content; its paths in the bag count from `data/`.
  ///   - tags: Files about the content; their paths count from the bag.
  ///   - fields: Of `bag-info.txt`, before those that follow from the content.
  package init(payload: [File], tags: [File], fields: [Bag.Field]) {
    self.payload = payload.map { file in
      var file = file
      file.name = FilePath(root: nil, [Bag.payload]).pushing(file.name)
      return file
    }
    (self.tags, self.fields) = (tags, fields)
  }

  /// Makes the bag, or leaves one with the same files as it is.
  ///
  /// - Parameters:
  ///   - target: The bag's folder; missing folders above it are made.
  ///   - agent: What makes it, with its version.
  ///   - date: The day, as `2026-11-29`.
  ///   - comparesContents: Whether all files of a bag that is there are read, and not only those whose size
  ///     or time is another.
  ///   - budget: Its idle cores copy and compute digests, too.
  ///   - cancellation: Polled for each block.
  /// - Returns: What came of it.
  /// - Throws: `mendJob` where something else is at the target, and the system's errors. Nothing is
  ///   left then.
  package func write(
    to target: FilePath, agent: String, date: String, comparingContents comparesContents: Bool,
    budget: CPUBudget?, unless cancellation: CancellationFlag
  ) throws -> Outcome {
    TemporaryFolder.removeLeftovers(beside: target)
    for file in payload + tags where String(validating: file.name) == nil {
      throw Failure(
        .mendJob, "has a name that is not UTF-8, which a bag's manifest cannot hold",
        path: file.source)
    }
    if let presence = Bag.presence(at: target, with: fields) {
      if case .other(let reason) = presence { throw Self.refusal(reason, target) }
      try requireSame(target, comparesContents, budget, cancellation)
      return .upToDate
    }
    let folder = try Self.writing(target) { () throws(Errno) in
      try Self.makeFolders(target.removingLastComponent())
      return try TemporaryFolder.create(for: target)
    }
    do {
      let bytes = try fill(folder.path, agent: agent, date: date, budget, cancellation)
      try Self.writing(target) { () throws(Errno) in
        try Self.rename(folder.path, to: target)
        try Self.flush(target.removingLastComponent())
      }
      return .made(files: payload.count, bytes: bytes)
    } catch {
      folder.remove()
      throw error
    }
  }

  // MARK: Its content

  /// Fills the folder, and flushes all of it.
  ///
  /// - Returns: The bytes of the content.
  private func fill(
    _ folder: FilePath, agent: String, date: String, _ budget: CPUBudget?,
    _ cancellation: CancellationFlag
  ) throws -> Int64 {
    var folders: Set<FilePath> = [folder, folder.appending(Bag.payload)]
    for file in payload + tags {
      var place = folder.pushing(file.name).removingLastComponent()
      while folders.insert(place).inserted { place = place.removingLastComponent() }
    }
    let sorted = folders.sorted { $0.components.count < $1.components.count }
    for place in sorted.dropFirst() {
      try Self.writing(place) { () throws(Errno) in
        guard PathCalls.mkdir(place, 0o777) == 0 else { throw Errno(rawValue: errno) }
      }
    }
    let copied = try digests(of: payload + tags, into: folder, budget, cancellation)
    let bytes = copied.prefix(payload.count).reduce(0) { $0 + $1.size }
    let lines = zip(payload + tags, copied).map { (name: $0.name, digest: $1.digest) }
    let oxum = Bag.oxum(bytes: bytes, files: payload.count)
    let own = [
      Bag.Field(BagLabels.date, date), Bag.Field(BagLabels.agent, agent),
      Bag.Field(BagLabels.oxum, oxum),
    ]
    let texts: [(name: FilePath.Component, bytes: [UInt8])] = [
      (Bag.declaration, Array("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".utf8)),
      (Bag.info, (fields + own).flatMap { "\($0.label): \($0.value)\n".utf8 }),
      (Bag.manifest, DigestList.bagBytes(of: Array(lines.prefix(payload.count)))),
    ]
    var tagLines = Array(lines.dropFirst(payload.count))
    for text in texts {
      try Self.put(text.bytes, at: folder.appending(text.name))
      let digest = try text.bytes.withUnsafeBytes { bytes throws(LibAVError) in
        try SHA256.digest(bytes)
      }
      tagLines.append((FilePath(root: nil, [text.name]), digest))
    }
    try Self.put(DigestList.bagBytes(of: tagLines), at: folder.appending(Bag.tagManifest))
    for place in sorted.reversed() {
      try Self.writing(place) { () throws(Errno) in try Self.flush(place) }
    }
    return bytes
  }

  /// Sizes and digests of files, which are copied into a folder, if there is one.
  private func digests(
    of files: [File], into folder: FilePath?, _ budget: CPUBudget?,
    _ cancellation: CancellationFlag
  ) throws -> [(size: Int64, digest: [UInt8])] {
    var done: [(size: Int64, digest: [UInt8])] = []
    done.reserveCapacity(files.count)
    try Crew.gather(from: budget, unless: cancellation) { crew in
      try crew.inOrder(files.count, keeping: 0) {
        64 + 16 * $0
      } make: {
        BagCopy(of: files[$0], to: folder?.pushing(files[$0].name), cancellation)
      } collect: { copy in
        done.append(try copy.result())
      }
    }
    return done
  }

  // MARK: A bag that is there

  private static func refusal(_ reason: String, _ target: FilePath) -> Failure {
    Failure(.mendJob, "\(reason); \(Bag.remedy)", path: target)
  }

  /// Requires that the bag at the target has these files, and no others.
  private func requireSame(
    _ target: FilePath, _ comparesContents: Bool, _ budget: CPUBudget?,
    _ cancellation: CancellationFlag
  ) throws {
    func refusal(_ reason: String) -> Failure {
      Self.refusal("\(reason): \(Bag.neverReplaced)", target)
    }
    let named = try lines(of: Bag.manifest, in: target)
      .merging(try lines(of: Bag.tagManifest, in: target)) { first, _ in first }
    let content = payload + tags
    let own = Set(content.map(\.name))
    if let gone = named.keys.filter({ isContent($0) && !own.contains($0) }).min(by: \.string) {
      throw refusal("exists, and has '\(gone)', which is no output of this run")
    }
    if let new = content.first(where: { named[$0.name] == nil }) {
      throw refusal("exists, and does not have '\(new.name)'")
    }
    // Copies keep the times of their files: without `comparesContents` only others are read.
    let doubtful = content.filter { file in
      let (here, there) = (
        FileIdentity(ofFileAt: file.source), FileIdentity(ofFileAt: target.pushing(file.name))
      )
      return comparesContents || here == nil || here?.size != there?.size
        || here?.modificationTime != there?.modificationTime
        || file.known.map { $0.digest != named[file.name] } ?? false
    }
    let found = try digests(of: doubtful, into: nil, budget, cancellation)
    for (file, facts) in zip(doubtful, found) where named[file.name] != facts.digest {
      throw refusal("exists, and has another '\(file.name)'")
    }
    for file in content
    where FileIdentity(ofFileAt: target.pushing(file.name))?.size
      != FileIdentity(ofFileAt: file.source)?.size
    {
      throw refusal("exists, and its '\(file.name)' is missing or has another size")
    }
    let copies = doubtful.map { File(target.pushing($0.name), named: $0.name) }
    let held = try digests(of: copies, into: nil, budget, cancellation)
    for (copy, facts) in zip(copies, held) where named[copy.name] != facts.digest {
      throw refusal("exists, and its '\(copy.name)' has other bytes than its manifest says")
    }
  }

  /// Whether a name of a bag's lists is one that the outputs of a run give.
  private func isContent(_ name: FilePath) -> Bool { name.components.count > 1 }

  private func lines(
    of list: FilePath.Component, in bag: FilePath
  ) throws -> [FilePath: [UInt8]] {
    let path = bag.appending(list)
    let bytes = try Self.writing(path) { () throws(Errno) in
      try PathCalls.contents(of: path, limit: DigestList.largestSize)
    }
    return Dictionary(
      DigestList(bytes, form: .bag).lines.map { ($0.name, $0.digest) },
      uniquingKeysWith: { first, _ in first })
  }

  // MARK: System calls

  /// Does what may fail with the system's error, and gives that the path it is about.
  static func writing<Result>(
    _ path: FilePath, _ body: () throws(Errno) -> Result
  ) throws(Failure) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      let refusal = Confinement.refusal(error.rawValue, writing: true)
      throw Failure(
        refusal == nil ? .mendMachine : .mendJob,
        refusal.map { "\($0.reason); \($0.help)" } ?? "cannot be put into a bag: \(error)",
        path: path)
    }
  }

  private static func makeFolders(_ folder: FilePath) throws(Errno) {
    guard !folder.isEmpty, folder.isMissing else { return }
    try makeFolders(folder.removingLastComponent())
    guard PathCalls.mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
    throw Errno(rawValue: errno)
  }

  private static func put(_ bytes: [UInt8], at path: FilePath) throws(Failure) {
    try writing(path) { () throws(Errno) in
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let file = try PathCalls.openFile(path, flags)
      defer { try? file.close() }
      var writer = PieceWriter(file.rawValue)
      try writer.append(bytes)
      try writer.flush()
      guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }
  }

  /// Renames a folder to a name that nothing has.
  private static func rename(_ folder: FilePath, to target: FilePath) throws(Errno) {
    if PathCalls.renameNew(folder, to: target) == 0 { return }
    // The file system has no such rename: a folder that is not empty is not replaced by any other.
    guard errno == EINVAL || errno == ENOSYS, PathCalls.rename(folder, to: target) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  private static func flush(_ folder: FilePath) throws(Errno) {
    let descriptor = PathCalls.open(
      folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    // EINVAL: the file system has no such flush (fsync(2)).
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
  }
}

extension Sequence {
  /// The element whose text is the first one.
  fileprivate func min(by text: (Element) -> String) -> Element? {
    self.min { text($0) < text($1) }
  }
}
