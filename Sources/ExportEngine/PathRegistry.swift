import Diagnosis
import Files
import MediaComposition
import SystemPackage

/// Files that are read and files that are written, by where their paths lead on the disk: links are
/// followed, and two spellings of one path are one file. It decides whether a file may be written,
/// and finds the jobs that read or write it: of all jobs in planning, and of one export when its
/// files take their places.
///
/// The disk is examined when a path is added, each folder once; nothing is opened. Later changes on
/// the disk are not seen.
package struct PathRegistry: Sendable {
  /// A job that reads a file.
  package struct Reader: Sendable, Hashable {
    /// The caller's number of the job.
    package var job: Int
    /// The path, as the job writes it.
    package var path: FilePath
    /// Where the job names it.
    package var origin: Origin

    /// Job number `job`, which names the file `path` at `origin`.
    package init(job: Int, path: FilePath, origin: Origin = .unknown) {
      (self.job, self.path, self.origin) = (job, path, origin)
    }
  }

  /// A job that writes a file.
  package struct Writer: Sendable, Hashable {
    /// The caller's number of the job.
    package var job: Int
    /// Which of the job's exports writes it.
    package var part: Int
    /// Which of that export's files it is.
    package var number: Int
    /// The path, as the job writes it.
    package var path: FilePath
    /// Where the job names it.
    package var origin: Origin
    /// Whether it is sound, which other jobs may read once it is written.
    package var isSound: Bool

    /// Part number `part` of job number `job`, whose file number `number` is `file`.
    package init(_ file: ExportFiles.File, job: Int, part: Int, number: Int) {
      (self.job, self.part, self.number) = (job, part, number)
      (path, origin, isSound) = (file.path, file.origin, file.content == .sound)
    }
  }

  /// Why a file may not be written.
  package enum Clash: Error, Hashable {
    /// It is a source: its path, and where the job names it.
    case source(FilePath, Origin)
    case output(Writer)
  }

  /// A file that is written where another one that is written needs a folder.
  package struct Obstacle: Hashable {
    /// The file in the folder's place.
    package let file: Writer
    /// The first file below that.
    package let below: Writer
  }

  fileprivate struct Entry {
    /// Files that are read before any job starts, or outside jobs.
    var fixed: (path: FilePath, origin: Origin)?
    /// In the order of jobs, at most one for each.
    var readers: [Reader] = []
    var writer: Writer?
  }

  private var resolver = PathResolver()
  private var numbers: [FilePlace: Int] = [:]
  private var entries: [Entry] = []
  /// Numbers of sources: thousands of jobs may read one file.
  private var sources: [FilePath: Int] = [:]

  /// An empty registry.
  package init() {}

  private mutating func number(of path: FilePath) -> Int? {
    resolver.place(of: path).map { number(at: $0) }
  }

  private mutating func number(at place: FilePlace) -> Int {
    if let known = numbers[place] { return known }
    entries.append(Entry())
    numbers[place] = entries.count - 1
    return entries.count - 1
  }

  /// Adds a file that no job may write, such as a job file or a picture.
  package mutating func protect(_ path: FilePath, at origin: Origin = .unknown) {
    guard let number = number(of: path), entries[number].fixed == nil else { return }
    entries[number].fixed = (path, origin)
  }

  /// Adds a source of a job, by the inode that was probed, or else the present one. Jobs must be
  /// added in order.
  package mutating func read(_ reader: Reader, inode: FileIdentity.Inode? = nil) {
    let known = sources[reader.path]
    guard let number = known ?? inode.map({ number(at: .file($0)) }) ?? number(of: reader.path)
    else { return }
    if known == nil { sources[reader.path] = number }
    guard entries[number].readers.last?.job != reader.job else { return }
    entries[number].readers.append(reader)
  }

  /// Adds a file that a job writes. The same writer may be added again.
  ///
  /// A sound file may replace the source of other jobs: these read the new file.
  ///
  /// - Returns: The other jobs that read it; none where the writer was known.
  /// - Throws: The clash, where the file may not be written.
  @discardableResult
  package mutating func write(_ writer: Writer) throws(Clash) -> [Reader] {
    guard let number = number(of: writer.path), entries[number].writer != writer else { return [] }
    if let clash = clash(of: writer, at: number) { throw clash }
    entries[number].writer = writer
    return entries[number].readers
  }

  /// Forgets that a job writes a file.
  ///
  /// - Returns: The other jobs that read it; none where the writer was not known.
  package mutating func remove(_ writer: Writer) -> [Reader] {
    guard let number = number(of: writer.path), entries[number].writer == writer else { return [] }
    entries[number].writer = nil
    return entries[number].readers
  }

  private func clash(of writer: Writer, at number: Int) -> Clash? {
    let entry = entries[number]
    if let fixed = entry.fixed { return .source(fixed.path, fixed.origin) }
    let reader = writer.isSound ? entry.reader(of: writer.job) : entry.readers.first
    if let reader { return .source(reader.path, reader.origin) }
    return entry.writer.map { .output($0) }
  }

  /// The files that are written where others need folders that are not there yet, in the order in which
  /// the first files below them were added. (A file that is there already is no folder whatever the
  /// jobs write: see `OutputFile.requireWritable`.)
  ///
  /// - Complexity: O(files)
  package var obstacles: [Obstacle] {
    var places = [FilePlace?](repeating: nil, count: entries.count)
    for (place, number) in numbers { places[number] = place }
    var found: [Obstacle] = []
    var seen: Set<FilePlace> = []
    for (number, place) in places.enumerated() {
      guard let below = entries[number].writer else { continue }
      var folder = place?.newFolder
      // What is above a folder that was seen was seen, too.
      while let current = folder, seen.insert(current).inserted {
        if let file = numbers[current].flatMap({ entries[$0].writer }) {
          found.append(Obstacle(file: file, below: below))
        }
        folder = current.newFolder
      }
    }
    return found
  }

  /// The job that writes this source. Only paths that were added as read are known.
  package func writer(ofSource path: FilePath) -> Writer? {
    guard let number = sources[path], let writer = entries[number].writer, writer.isSound else {
      return nil
    }
    return writer
  }

  /// Whether a known file has this path.
  package mutating func isKnown(_ path: FilePath) -> Bool {
    entry(of: path).map { $0.isRead || $0.writer != nil } ?? false
  }

  /// Whether a file that is read has this path.
  package mutating func isRead(_ path: FilePath) -> Bool { entry(of: path)?.isRead ?? false }

  private mutating func entry(of path: FilePath) -> Entry? {
    resolver.place(of: path).flatMap { numbers[$0] }.map { entries[$0] }
  }
}

extension PathRegistry.Entry {
  fileprivate var isRead: Bool { fixed != nil || !readers.isEmpty }

  fileprivate func reader(of job: Int) -> PathRegistry.Reader? {
    let index = readers.partitioningIndex { $0.job >= job }
    return index < readers.count && readers[index].job == job ? readers[index] : nil
  }
}

extension PathRegistry.Clash {
  /// The refusal of the file at `path`, in words that hold whatever the paths are.
  package func failure(of path: FilePath, at origin: Origin) -> Failure {
    let message =
      switch self {
      case .source(let source, _):
        "is the source \(source.string): a source is never written to; choose another path"
      case .output(let other):
        "is the same file as \(other.path.string), another output; choose another path"
      }
    return Failure(.mendJob, message, path: path, origin: origin, code: .outputConflict)
  }
}

extension PathRegistry.Obstacle {
  /// The refusal of `writer`, one of both, in words that hold whatever the paths are.
  package func failure(of writer: PathRegistry.Writer) -> Failure {
    let message =
      writer == file
      ? "would have to be a folder: \(below.path.string), another output, lies below it"
      : "lies below \(file.path.string), another output, which is no folder"
    return Failure(
      .mendJob, "\(message); choose another path", path: writer.path, origin: writer.origin,
      code: .outputConflict)
  }
}

/// Where a path leads, by whatever links.
package enum FilePlace: Hashable, Sendable {
  case file(FileIdentity.Inode)
  /// A file that does not exist: the bytes of names below a folder that does.
  case entry([UInt8], in: FileIdentity.Inode)

  /// The folder of a file, where neither exists.
  fileprivate var newFolder: FilePlace? {
    guard case .entry(let names, let root) = self, let slash = names.lastIndex(of: 0x2F) else {
      return nil
    }
    return .entry(Array(names[..<slash]), in: root)
  }
}

/// Finds the places of paths; examines each folder once.
package struct PathResolver: Sendable {
  /// A folder that exists, and the names below it that do not yet.
  private struct Site {
    var root: FileIdentity.Inode
    var names = FilePath()

    mutating func enter(_ name: FilePath.Component) {
      // Above a folder that does not exist yet, only names count.
      if name.kind == .parentDirectory, !names.isEmpty {
        names.removeLastComponent()
      } else if name.kind != .currentDirectory {
        names.append(name)
      }
    }
  }

  /// The folder of the last path: paths of one folder mostly follow one another.
  private struct LastFolder {
    /// The path's bytes, with the last slash.
    var bytes: ArraySlice<UInt8>
    var isMissing: Bool
    var site: Site?
    /// The bytes of the site's names, with a slash after them.
    var names: [UInt8]
  }

  private var folders = FolderCache()
  private var sites: [FilePath: Site?] = [:]
  private var last: LastFolder?

  package init() {}

  /// The place of a path; nil where no file can be, as after a link to itself.
  package mutating func place(of path: FilePath) -> FilePlace? {
    let bytes = path.bytes
    let start = bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0
    let (name, folder) = (bytes[start...], lastFolder(bytes[..<start], of: path))
    // One system call is enough for a file that is no link, and for one that does not exist.
    guard !name.isEmpty, name.first != 0x2E || name.count > 2 else { return followed(path) }
    if !folder.isMissing {
      do throws(Errno) {
        let status = try FileStatus(at: path, followingLinks: false)
        return status.kind == .link ? followed(path) : .file(FileIdentity(status).file)
      } catch {
        guard error == .noSuchFileOrDirectory else { return followed(path) }
      }
    }
    return folder.site.map { .entry(folder.names + name, in: $0.root) }
  }

  private mutating func lastFolder(_ bytes: ArraySlice<UInt8>, of path: FilePath) -> LastFolder {
    if let last, last.bytes == bytes { return last }
    let site = site(of: path.folder)
    let names = site?.names.bytes ?? []
    let folder = LastFolder(
      bytes: bytes, isMissing: folders.isMissing(path.folder), site: site,
      names: names.isEmpty ? [] : names + [0x2F])
    last = folder
    return folder
  }

  /// The place of a path that is a link, or ends in `.` or `..`.
  private mutating func followed(_ path: FilePath) -> FilePlace? {
    var target = path
    if !folders.isMissing(path.folder) {
      if let file = SourceFile.inode(of: path) { return .file(file) }
      guard let followed = try? OutputFile.followLinks(path) else { return nil }
      target = followed
    }
    guard let name = target.lastComponent, var site = site(of: target.folder) else { return nil }
    site.enter(name)
    return .entry(site.names.bytes, in: site.root)
  }

  private mutating func site(of folder: FilePath) -> Site? {
    if let known = sites[folder] { return known }
    var site: Site?
    if let inode = folders.inode(of: folder) {
      site = Site(root: inode)
    } else if let name = folder.lastComponent, folder != folder.folder {
      site = self.site(of: folder.folder)
      site?.enter(name)
    }
    sites[folder] = .some(site)
    return site
  }
}
