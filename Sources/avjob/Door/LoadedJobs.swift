import JobFile
import SystemPackage

/// Jobs as their files say them, before any medium was opened.
struct LoadedJobs {
  /// In the order of writing.
  private(set) var jobs: [Job]
  /// Which file each job is of, by number: `needs` names jobs of its own file.
  private(set) var fileNumbers: [Int]
  /// What was read to know them.
  private(set) var files: [FilePath] = []
  /// Pictures and lists that they name and that are not there.
  private(set) var missingFiles: Set<FilePath> = []
  /// What there is to be said of these.
  private(set) var errors: [Diagnostic] = []
  /// Media that are not there, unless jobs of this run write them. Nothing has been said yet.
  private(set) var missingMedia: [MissingFile] = []

  /// Jobs of one file, or of none.
  init(jobs: [Job] = []) {
    self.jobs = jobs
    fileNumbers = Array(repeating: 0, count: jobs.count)
  }

  /// Adds those of one more file.
  mutating func append(_ file: JobFile) {
    let number = (fileNumbers.last ?? -1) + 1
    // Of a single file, its own: a copy would be twice as much at once.
    if jobs.isEmpty { jobs = file.jobs } else { jobs += file.jobs }
    fileNumbers += Array(repeating: number, count: file.jobs.count)
    files += file.files
    missingFiles.formUnion(file.missingFiles)
    errors += file.diagnostics.errors
    missingMedia += file.missingMedia
  }
}
