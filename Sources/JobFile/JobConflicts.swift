import MediaComposition
import SystemPackage

extension Job {
  /// Outputs that no run could write: two at one path, or one at the path of something that is
  /// read.
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
    func key(_ path: FilePath) -> FilePath {
      currentDirectory.pushing(path).lexicallyNormalized()
    }
    var sources: [FilePath: Origin] = [:]
    for file in files { sources[key(file)] = .unknown }
    for job in jobs {
      job.forEachInput { path, origin in
        let path = key(path)
        if sources[path] == nil { sources[path] = origin }
      }
    }
    var written: [FilePath: (job: String, output: JobOutput)] = [:]
    var conflicts: [Diagnostic] = []
    // Of a hundred thousand jobs that one line sends to one path, two are named.
    var blamed: Set<Origin> = []
    for job in jobs {
      for output in job.outputs {
        let path = key(output.path)
        if let source = sources[path] {
          conflicts.append(
            Diagnostic(
              "output '\(output.path)' is a source", at: output.origin,
              help: "write to another path: a source is never overwritten",
              notes: source == output.origin || source == .unknown
                ? [] : [.init("it is read here", at: source)]))
        }
        if let other = written[path] {
          guard blamed.insert(output.origin).inserted else { continue }
          conflicts.append(clash(output, of: job.name, with: other.output, of: other.job))
        } else {
          written[path] = (job.name, output)
        }
      }
    }
    return conflicts
  }

  /// Calls `body` with every file that the job reads.
  private func forEachInput(_ body: (FilePath, Origin) -> Void) {
    item.forEach { item in
      if case .clip(let reference) = item.content { body(reference.path, reference.origin) }
      for chapter in (item.chapter.map { [$0] } ?? []) + item.chapters {
        if let image = chapter.image { body(image, chapter.start.origin) }
      }
    }
    for tags in [metadata] + outputs.map(\.metadata) {
      if let cover = tags.cover { body(cover, .unknown) }
    }
  }

  private static func clash(
    _ output: JobOutput, of name: String, with other: JobOutput, of otherName: String
  ) -> Diagnostic {
    guard output.origin == other.origin else {
      return Diagnostic(
        "two outputs at '\(output.path)'", at: output.origin,
        notes: [.init("the other one is here", at: other.origin)])
    }
    return Diagnostic(
      "jobs '\(otherName)' and '\(name)' both write '\(output.path)'", at: output.origin,
      help: "make the path depend on the job, as with '${input.stem}' or '${n:02}'")
  }
}
