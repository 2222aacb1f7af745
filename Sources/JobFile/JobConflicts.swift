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
    var claims = Claims(among: jobs, reading: files, currentDirectory)
    for job in jobs where job.split == nil {
      claims.begin(job)
      for output in job.outputs {
        let written = Claims.Written(
          job: job.name, owner: job.name, path: output.path, origin: output.origin, isPart: false)
        claims.add(written, with: output.chapters)
      }
      claims.add(job.records, of: job.name, in: job)
    }
    return claims.conflicts
  }

  /// The same of jobs and their parts, as `exports` made them.
  ///
  /// - Parameters:
  ///   - jobs: All jobs of a run, and what became of each.
  ///   - files: What is read beside the jobs' media and pictures.
  ///   - currentDirectory: Absolute; relative paths count from it.
  /// - Returns: Errors at the outputs, with notes at what they clash with.
  /// - Complexity: O(number of items of all jobs and outputs of all exports)
  public static func conflicts(
    among jobs: [(job: Job, exports: [Export])], reading files: [FilePath] = [],
    currentDirectory: FilePath
  ) -> [Diagnostic] {
    var claims = Claims(among: jobs.map(\.job), reading: files, currentDirectory)
    for (job, exports) in jobs {
      claims.begin(job)
      for export in exports {
        for output in export.outputs {
          let written = Claims.Written(
            job: job.name, owner: export.name, path: output.path, origin: output.origin,
            isPart: job.split != nil)
          claims.add(written, with: output.chapters)
        }
        claims.add(export.records, of: export.name, in: job)
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

  /// Calls `body` with every medium that the job reads.
  func forEachMedium(_ body: (FilePath, Origin) -> Void) {
    item.forEach { item in
      if case .clip(let reference) = item.content { body(reference.path, reference.origin) }
    }
    for base in [metadataBase] + outputs.map(\.metadataBase) {
      if case .file(let reference)? = base { body(reference.path, reference.origin) }
    }
  }

  /// Calls `body` with every picture that the job reads.
  func forEachPicture(_ body: (FilePath, Origin) -> Void) {
    item.forEach { item in
      for chapter in (item.chapter.map { [$0] } ?? []) + item.chapters {
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
  /// A file to be written.
  struct Written {
    var job: String
    /// The name of the job or of the part.
    var owner: String
    var path: FilePath
    var origin: Origin
    var isPart: Bool
    /// Of a file of chapters.
    var sidecar: ChapterPlaces.Sidecar?
    /// Whether it holds sound, which another job may read.
    var isMedium = true
  }

  private(set) var conflicts: [Diagnostic] = []
  private let currentDirectory: FilePath
  /// The bytes that stand before those of a relative path.
  private let base: [UInt8]
  /// What no job may write: what is read before any of them starts, and pictures.
  private var fixed: [[UInt8]: Origin] = [:]
  private var media: [[UInt8]: Origin] = [:]
  /// Of the job whose outputs are added.
  private var ownMedia: [[UInt8]: Origin] = [:]
  private var written: [[UInt8]: Written] = [:]
  /// Of a hundred thousand jobs that one line sends to one path, two are named.
  private var blamed: Set<Origin> = []

  init(among jobs: [Job], reading files: [FilePath], _ currentDirectory: FilePath) {
    self.currentDirectory = currentDirectory
    let own = Self.bytes(of: currentDirectory)
    base = own == [0x2F] ? own : own + [0x2F]
    for file in files { fixed[key(file)] = .unknown }
    for job in jobs {
      job.forEachPicture { path, origin in
        let path = key(path)
        if fixed[path] == nil { fixed[path] = origin }
      }
      job.forEachMedium { path, origin in
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
      return Self.bytes(of: currentDirectory.pushing(path).lexicallyNormalized())
    }
    return path.isAbsolute ? bytes : base + bytes
  }

  private static func bytes(of path: FilePath) -> [UInt8] {
    path.withPlatformString { name in (0..<path.length).map { UInt8(bitPattern: name[$0]) } }
  }

  /// The outputs that are added next are those of `job`.
  mutating func begin(_ job: Job) {
    ownMedia.removeAll(keepingCapacity: true)
    job.forEachMedium { path, origin in
      let path = key(path)
      if ownMedia[path] == nil { ownMedia[path] = origin }
    }
  }

  /// Files that tell of a job or of a part.
  mutating func add(_ records: [ExportRecord], of owner: String, in job: Job) {
    for record in records {
      add(
        Written(
          job: job.name, owner: owner, path: record.path, origin: record.origin,
          isPart: job.split != nil, isMedium: false))
    }
  }

  /// An output, and the files of chapters beside it.
  mutating func add(_ output: Written, with chapters: ChapterPlaces) {
    add(output)
    for sidecar in chapters.sidecars {
      var file = output
      file.path = output.path.sidecar(sidecar)
      file.sidecar = sidecar
      file.isMedium = false
      add(file)
    }
  }

  private mutating func add(_ output: Written) {
    let path = key(output.path)
    if let source = fixed[path] ?? ownMedia[path] ?? (output.isMedium ? nil : media[path]) {
      conflicts.append(
        Diagnostic(
          "output '\(output.path)' is a source", at: output.origin,
          help: "write to another path: a source is never overwritten",
          notes: source == output.origin || source == .unknown
            ? [] : [.init("it is read here", at: source)]))
    }
    guard let other = written[path] else {
      written[path] = output
      return
    }
    guard blamed.insert(output.origin).inserted else { return }
    conflicts.append(Self.clash(output, with: other))
  }

  private static func clash(_ output: Written, with other: Written) -> Diagnostic {
    guard output.origin == other.origin else {
      return Diagnostic(
        "two outputs at '\(output.path)'", at: output.origin,
        help: output.sidecar.map { "leave '\($0)' out of the 'chapters' of one of them" },
        notes: [.init("the other one is here", at: other.origin)])
    }
    return Diagnostic(
      "\(output.isPart ? "parts" : "jobs") '\(other.owner)' and '\(output.owner)' both write "
        + "'\(output.path)'", at: output.origin,
      help: output.job == other.job
        ? "make the path depend on the part, as with '${part.n:02}'"
        : "make the path depend on the job, as with '${input.stem}' or '${n:02}'")
  }
}
