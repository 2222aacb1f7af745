import Diagnosis
import JobModel
import MediaComposition
import SystemPackage

extension Job {
  /// Outputs that no run could write: two at one path, or one at the path of something that the job
  /// itself reads, or that is read before any job starts. An output that is another job's medium is
  /// none: see `JobDependencies`. Those of split jobs are not among them: what they are called is
  /// known with `exports`.
  ///
  /// Paths are compared as text, made absolute and freed of `.` and `..`; that two of them lead to
  /// one file by links is for the engine to find, which has the inodes.
  ///
  /// - Parameters:
  ///   - jobs: All jobs of a run.
  ///   - files: What is read beside the jobs' media and pictures, as the job file itself.
  ///   - currentDirectory: Absolute; relative paths count from it.
  /// - Returns: Errors at the outputs, with notes at what they clash with.
  /// - Complexity: O(number of items and outputs of all jobs)
  public static func conflicts(
    among jobs: [Job], reading files: [FilePath] = [], currentDirectory: FilePath
  ) -> [Diagnostic] {
    conflicts(among: jobs, reading: files, currentDirectory: currentDirectory) { index in
      jobs[index].split == nil ? [ExportFiles(jobs[index])] : []
    }
    .filter { $0.severity == .error }
  }

  /// The same of jobs and their parts, as `exports` made them; and warnings of outputs that are
  /// apart by case alone, which are one file on some disks.
  ///
  /// - Parameters:
  ///   - jobs: All jobs of a run.
  ///   - files: What is read beside the jobs' media and pictures.
  ///   - currentDirectory: Absolute; relative paths count from it.
  ///   - parts: What each export of a job writes; asked with an index into `jobs`, again for what
  ///     clashes.
  /// - Returns: Errors and warnings at the outputs, with notes at what they clash with.
  /// - Complexity: O(number of items of all jobs and outputs of all exports)
  public static func conflicts(
    among jobs: [Job], reading files: [FilePath] = [], currentDirectory: FilePath,
    writing parts: (Int) -> [ExportFiles]
  ) -> [Diagnostic] {
    func written(_ place: Claims.Place) -> Claims.Written {
      let (job, part) = (jobs[Int(place.job)], parts(Int(place.job))[Int(place.part)])
      return Claims.Written(
        job: Int(place.job), owner: part.name, file: part.files[Int(place.file)],
        isPart: job.split != nil, isOfFile: job.folder != nil)
    }
    var claims = Claims(among: jobs, reading: files, currentDirectory)
    for (index, job) in jobs.enumerated() {
      claims.begin(job)
      for (number, part) in parts(index).enumerated() {
        for (offset, file) in part.files.enumerated() {
          let place = Claims.Place(
            job: UInt32(index), part: UInt32(number), file: UInt32(offset))
          switch claims.add(file, of: place) {
          case .same(let other):
            claims.conflicts.append(Claims.clash(written(place), with: written(other)))
          case .alike(let other):
            claims.warn(of: written(place), beside: written(other))
          case nil: break
          }
        }
      }
    }
    return claims.conflicts
  }

  /// Every medium and picture that the job reads, in no order; lists of times were read with its
  /// file. O(items).
  public var readFiles: Set<FilePath> {
    var files: Set<FilePath> = []
    forEachMedium { path, _ in files.insert(path) }
    forEachPicture { path, _ in files.insert(path) }
    return files
  }

  /// Every medium that the job reads, with where it names it: once for each place. O(items).
  public var mediaPlaces: [Located<FilePath>] {
    var places: [Located<FilePath>] = []
    forEachMedium { path, origin in places.append(Located(path, at: origin)) }
    return places
  }

  /// Calls `body` with every medium that the job reads.
  func forEachMedium(_ body: (FilePath, Origin) -> Void) {
    item.forEachClip { body($0.path, $0.origin) }
    for base in [metadataBase] + outputs.map(\.metadataBase) {
      if case .file(let reference)? = base { body(reference.path, reference.origin) }
    }
  }

  /// Calls `body` with every picture that the job reads.
  func forEachPicture(_ body: (FilePath, Origin) -> Void) {
    Item.forEach(of: [item]) { items, index in
      if let image = items[index].chapter?.image {
        body(image, items[index].chapter?.start.origin ?? .unknown)
      }
      for chapter in items[index].chapters {
        if let image = chapter.image { body(image, chapter.start.origin) }
      }
    }
    for tags in [metadata] + outputs.map(\.metadata) {
      if case .file(let cover)? = tags.cover { body(cover, .unknown) }
    }
  }
}

/// Which path is read and which is written, and by whom.
private struct Claims {
  /// Which file of which part of which job: small, since there are a hundred thousand of them.
  struct Place {
    var job: UInt32
    var part: UInt32
    var file: UInt32
  }

  /// A file to be written.
  struct Written {
    var job: Int
    /// The name of the job or of the part.
    var owner: String
    var file: ExportFiles.File
    var isPart: Bool
    /// Whether a job file says it, and not a command line.
    var isOfFile: Bool
  }

  /// Whom a file meets.
  enum Meeting {
    /// What has its path.
    case same(Place)
    /// What perhaps has its path where case does not count.
    case alike(Place)
  }

  var conflicts: [Diagnostic] = []
  private let currentDirectory: FilePath
  /// The bytes that stand before those of a relative path.
  private let base: [UInt8]
  /// What no job may write: what is read before any of them starts, and pictures.
  private var fixed: [[UInt8]: Origin] = [:]
  private var media: [[UInt8]: Origin] = [:]
  /// Of the job whose outputs are added.
  private var ownMedia: [[UInt8]: Origin] = [:]
  private var written: [[UInt8]: Place] = [:]
  /// By a hash of the path where case does not count.
  private var alike: [Int: Place] = [:]
  /// Of a hundred thousand jobs that one line sends to one path, two are named.
  private var blamed: Set<Origin> = []
  /// The same of paths that are apart by case alone: a line that does both is told both.
  private var warned: Set<Origin> = []

  init(among jobs: [Job], reading files: [FilePath], _ currentDirectory: FilePath) {
    self.currentDirectory = currentDirectory
    written.reserveCapacity(jobs.reduce(0) { $0 + $1.outputs.count })
    let own = Self.bytes(of: currentDirectory)
    base = own == [0x2F] ? own : own + [0x2F]
    for file in files { fixed[key(file)] = .unknown }
    for job in jobs {
      job.forEachPicture { path, origin in
        let path = key(path)
        if fixed[path] == nil { fixed[path] = origin }
      }
      var last: FilePath?
      job.forEachMedium { path, origin in
        // Clips of one file mostly follow one another.
        guard path != last else { return }
        last = path
        let path = key(path)
        if media[path] == nil { media[path] = origin }
      }
    }
  }

  /// What two spellings of one path have in common: the bytes of its names.
  private func key(_ path: FilePath) -> [UInt8] {
    let bytes = Self.bytes(of: path)
    // Of a hundred thousand jobs, nearly all need no more than a look at their bytes.
    var last = UInt8(ascii: "/")
    let isPlain = bytes.allSatisfy { byte in
      defer { last = byte }
      return last != UInt8(ascii: "/") || byte != UInt8(ascii: ".")
    }
    guard isPlain else {
      return Self.bytes(of: path.normalized(in: currentDirectory))
    }
    return path.isAbsolute ? bytes : base + bytes
  }

  private static func bytes(of path: FilePath) -> [UInt8] {
    path.withPlatformString { name in (0..<path.length).map { UInt8(bitPattern: name[$0]) } }
  }

  /// The outputs that are added next are those of `job`.
  mutating func begin(_ job: Job) {
    ownMedia.removeAll(keepingCapacity: true)
    var last: FilePath?
    job.forEachMedium { path, origin in
      guard path != last else { return }
      last = path
      let path = key(path)
      if ownMedia[path] == nil { ownMedia[path] = origin }
    }
  }

  /// Adds a file; gives the other one at its path, if that clash is worth telling.
  mutating func add(_ file: ExportFiles.File, of place: Place) -> Meeting? {
    let path = key(file.path)
    let source = fixed[path] ?? ownMedia[path] ?? (file.content == .sound ? nil : media[path])
    if let source {
      conflicts.append(
        Diagnostic(
          "output '\(file.path)' is a source", at: file.origin,
          help: "write to another path: a source is never overwritten",
          notes: source == file.origin || source == .unknown
            ? [] : [.init("it is read here", at: source)]))
    }
    if let other = written[path] {
      return blamed.insert(file.origin).inserted ? .same(other) : nil
    }
    written[path] = place
    let hash = Self.withoutCase(path).hashValue
    guard let other = alike.updateValue(place, forKey: hash) else { return nil }
    return warned.contains(file.origin) ? nil : .alike(other)
  }

  private static func withoutCase(_ path: [UInt8]) -> [UInt8] {
    guard path.allSatisfy({ $0 < 0x80 }) else {
      return Array(String(decoding: path, as: UTF8.self).lowercased().utf8)
    }
    return path.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  static func clash(_ output: Written, with other: Written) -> Diagnostic {
    guard output.file.origin == other.file.origin else {
      var help = "give one of them another name"
      if case .chapters(let sidecar) = output.file.content {
        help = "leave '\(sidecar)' out of the 'chapters' of one of them"
      }
      return Diagnostic(
        "two outputs at '\(output.file.path)'", at: output.file.origin, help: help,
        notes: [.init("the other one is here", at: other.file.origin)])
    }
    guard output.isOfFile else {
      return Diagnostic(
        "'\(other.owner)' and '\(output.owner)' would both become '\(output.file.path)'",
        at: output.file.origin, help: "a folder holds one file of a name: use a folder for each")
    }
    return Diagnostic(
      "\(output.isPart && other.isPart ? "parts" : "jobs") '\(other.owner)' and "
        + "'\(output.owner)' both write '\(output.file.path)'", at: output.file.origin,
      help: output.job == other.job
        ? "make the path depend on the part, as with '${part.n:02}'"
        : "make the path depend on the job, as with '${input.stem}' or '${n:02}'")
  }

  /// Tells of two paths that are apart by case alone, once for a line; others have only their hash
  /// in common.
  mutating func warn(of output: Written, beside other: Written) {
    let (path, twin) = (output.file.path, other.file.path)
    guard Self.withoutCase(key(path)) == Self.withoutCase(key(twin)),
      warned.insert(output.file.origin).inserted
    else { return }
    conflicts.append(
      Diagnostic(
        .warning, "'\(twin)' and '\(path)' are one file on disks where case does not count",
        at: output.file.origin,
        help: "let them differ in more than case, if they may come to Windows or a Mac",
        notes: other.file.origin == output.file.origin
          ? [] : [.init("the other one is here", at: other.file.origin)]))
  }
}

extension ExportFiles {
  /// Those of a job that is not split.
  fileprivate init(_ job: Job) {
    self.init(
      name: job.name, outputs: job.outputs.map { ($0.path, $0.chapters, $0.origin) },
      records: job.records)
  }
}
