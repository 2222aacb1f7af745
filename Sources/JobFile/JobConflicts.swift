import MediaComposition
import SystemPackage

extension Job {
  /// Outputs that no run could write: two at one path, or one at the path of something that is
  /// read. Those of split jobs are not among them: what they are called is known with `exports`.
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
      for output in job.outputs {
        let written = Claims.Written(
          job: job.name, owner: job.name, path: output.path, origin: output.origin, isPart: false)
        claims.add(written, with: output.chapters)
      }
      for record in job.records {
        claims.add(
          Claims.Written(
            job: job.name, owner: job.name, path: record.path, origin: record.origin, isPart: false)
        )
      }
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
      for export in exports {
        for output in export.outputs {
          let written = Claims.Written(
            job: job.name, owner: export.name, path: output.path, origin: output.origin,
            isPart: job.split != nil)
          claims.add(written, with: output.chapters)
        }
        for record in export.records {
          claims.add(
            Claims.Written(
              job: job.name, owner: export.name, path: record.path, origin: record.origin,
              isPart: job.split != nil))
        }
      }
    }
    return claims.conflicts
  }

  /// Calls `body` with every file that the job reads.
  fileprivate func forEachInput(_ body: (FilePath, Origin) -> Void) {
    item.forEach { item in
      if case .clip(let reference) = item.content { body(reference.path, reference.origin) }
      for chapter in (item.chapter.map { [$0] } ?? []) + item.chapters {
        if let image = chapter.image { body(image, chapter.start.origin) }
      }
    }
    for base in [metadataBase] + outputs.map(\.metadataBase) {
      if case .file(let reference)? = base { body(reference.path, reference.origin) }
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
  }

  private(set) var conflicts: [Diagnostic] = []
  private let currentDirectory: FilePath
  /// The bytes that stand before those of a relative path.
  private let base: [UInt8]
  private var sources: [[UInt8]: Origin] = [:]
  private var written: [[UInt8]: Written] = [:]
  /// Of a hundred thousand jobs that one line sends to one path, two are named.
  private var blamed: Set<Origin> = []

  init(among jobs: [Job], reading files: [FilePath], _ currentDirectory: FilePath) {
    self.currentDirectory = currentDirectory
    let own = Self.bytes(of: currentDirectory)
    base = own == [0x2F] ? own : own + [0x2F]
    for file in files { sources[key(file)] = .unknown }
    for job in jobs {
      job.forEachInput { path, origin in
        let path = key(path)
        if sources[path] == nil { sources[path] = origin }
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

  /// An output, and the files of chapters beside it.
  mutating func add(_ output: Written, with chapters: ChapterPlaces) {
    add(output)
    for sidecar in chapters.sidecars {
      var file = output
      file.path = output.path.sidecar(sidecar)
      file.sidecar = sidecar
      add(file)
    }
  }

  mutating func add(_ output: Written) {
    let path = key(output.path)
    if let source = sources[path] {
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
