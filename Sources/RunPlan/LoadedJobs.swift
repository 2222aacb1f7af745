import Diagnosis
import JobFile
import JobModel
import SystemPackage

/// Jobs as their files say them, before any medium was opened.
package struct LoadedJobs {
  /// In the order of writing.
  package private(set) var jobs: [Job]
  /// Which file each job is of, by number: `needs` names jobs of its own file.
  package private(set) var fileNumbers: [Int]
  /// What was read to know them.
  package private(set) var files: [FilePath] = []
  /// Those of `files` that are transcripts, each with a place that names it.
  package private(set) var transcripts: [Located<FilePath>] = []
  /// The job files by number; none of jobs that come from no file.
  package private(set) var jobFiles: [Int: FilePath] = [:]
  /// The bags of all outputs of a file, by the numbers of its jobs, from 1, in the order of files.
  package private(set) var bags: [(bag: JobBag, jobs: ClosedRange<Int>)] = []
  /// Pictures and lists that they name and that are not there. Not reported yet.
  package private(set) var missingFiles: [MissingFile] = []
  /// Media that are not there, unless jobs of this run write them. Not reported yet.
  package private(set) var missingMedia: [MissingFile] = []
  /// What is reported of variables that were given and that a file does not use, by file.
  package private(set) var unusedVariables: [[String: Diagnostic]] = []
  /// Bytes of memory that they take, about, as they are written (`SegmentBudget`).
  package private(set) var size = 0
  /// Whether `when` left out others.
  package private(set) var leavesOutJobs = false
  /// Whether they depend on the day on which their files were read (`${date}`).
  package var usesToday = false
  /// How many jobs there may be, each part of a split one counted; nil: any number.
  package var limit: Int?

  /// Jobs of one file, or of none.
  package init(jobs: [Job] = []) {
    self.jobs = jobs
    fileNumbers = Array(repeating: 0, count: jobs.count)
  }

  /// What is reported of variables that no file uses.
  package func unused(of variables: [JobFile.Variable]) -> Diagnostics {
    var found = Diagnostics()
    for variable in variables {
      let unused = unusedVariables.compactMap { $0[variable.name] }
      guard var diagnostic = unused.first, unused.count == unusedVariables.count else { continue }
      if unused.count > 1 {
        diagnostic.message = "none of the \(unused.count) files has a variable '\(variable.name)'"
        diagnostic.help = unused.lazy.compactMap(\.help).first
      }
      found.append(diagnostic)
    }
    return found
  }

  /// Lets each job refuse sources that are damaged or doubtful.
  package mutating func makeStrict() {
    for index in jobs.indices {
      for output in jobs[index].outputs.indices { jobs[index].outputs[output].isStrict = true }
    }
  }

  /// Leaves out the jobs of the other indices, and what is reported of their files.
  package mutating func keep(_ isKept: (Int) -> Bool) {
    let kept = jobs.indices.filter(isKept)
    guard kept.count < jobs.count else { return }
    jobs = kept.map { jobs[$0] }
    // A bag of some of its jobs would be another one.
    bags = bags.compactMap { bag, numbers in
      let own = kept.indices.filter { numbers.contains(kept[$0] + 1) }
      guard own.count == numbers.count, let first = own.first else { return nil }
      return (bag, first + 1...first + own.count)
    }
    fileNumbers = kept.map { fileNumbers[$0] }
    let media = Set(jobs.lazy.flatMap(\.media).compactMap(\.location.file))
    missingMedia.removeAll { !media.contains($0.path) }
  }

  /// Adds those of other files.
  package mutating func append(_ other: LoadedJobs) {
    let number = (fileNumbers.last ?? -1) + 1
    bags += other.bags.map { bag, numbers in
      (bag: bag, jobs: (numbers.lowerBound + jobs.count)...(numbers.upperBound + jobs.count))
    }
    jobs += other.jobs
    fileNumbers += other.fileNumbers.map { $0 + number }
    size += other.size
    files += other.files
    transcripts += other.transcripts
    for (own, path) in other.jobFiles { jobFiles[own + number] = path }
    missingFiles += other.missingFiles
    missingMedia += other.missingMedia
    leavesOutJobs = leavesOutJobs || other.leavesOutJobs
    usesToday = usesToday || other.usesToday
    unusedVariables += other.unusedVariables
  }

  /// Adds those of one more file.
  package mutating func append(_ file: JobFile) {
    let number = (fileNumbers.last ?? -1) + 1
    if let bag = file.bag, !file.jobs.isEmpty {
      bags.append((bag, (jobs.count + 1)...(jobs.count + file.jobs.count)))
    }
    // Of a single file, its own: a copy would be twice as much at once.
    if jobs.isEmpty { jobs = file.jobs } else { jobs += file.jobs }
    fileNumbers += Array(repeating: number, count: file.jobs.count)
    size += file.size
    files += file.files
    transcripts += file.transcripts
    jobFiles[number] = file.path
    missingFiles += file.missingFiles
    missingMedia += file.missingMedia
    leavesOutJobs = leavesOutJobs || file.leavesOutJobs
    usesToday = usesToday || file.usesToday
    unusedVariables.append(file.unusedVariables)
  }
}
