import Diagnosis
import JobFile
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobModel
@testable import RunPlan

/// Which jobs a run leaves out, since their files are outputs of their own loop.
@Suite struct LoopOutputsTests {
  /// A job of one loop that reads a file which the loop's pattern found, or which the loop names.
  private func job(_ source: String, _ output: String, isFound: Bool = true) -> Job {
    var job = Job(
      name: source, item: .clip(.file(FilePath(source))),
      outputs: [Output(path: FilePath(output), request: .usual(.wav))])
    (job.loop, job.folder) = (7, "jobs")
    if isFound { job.found = FilePath(source) }
    return job
  }

  private func leaveOut(
    _ jobs: [Job], madeBefore: [String: UInt64] = [:]
  ) -> (names: [String], messages: [String]) {
    var loaded = LoadedJobs(jobs: jobs)
    let warnings = loaded.leaveOutOutputsOfLoops { path, folder in
      #expect(folder == "jobs")
      return madeBefore[path.string]
    }
    #expect(warnings.allSatisfy { $0.severity == .warning && $0.help != nil })
    return (loaded.jobs.map(\.name), warnings.map(\.message))
  }

  @Test("What another job of the loop makes is no file of it, however often the loop was run")
  func made() {
    let found = leaveOut([
      job("a.wav", "o/a.wav"), job("o/a.wav", "o/o/a.wav"), job("o/o/a.wav", "o/o/o/a.wav"),
    ])
    #expect(found.names == ["a.wav"])
    #expect(
      found.messages == [
        "'o/a.wav' would read 'o/a.wav', which 'a.wav' makes: it is left out",
        "'o/o/a.wav' would read 'o/o/a.wav', which 'o/a.wav' makes: it is left out",
      ])
  }

  @Test("What an earlier run of the loop made is no file of it, where its source has gone")
  func madeBefore() {
    let jobs = [job("o/a.wav", "o/o/a.wav")]
    let found = leaveOut(jobs, madeBefore: ["o/a.wav": 7])
    #expect(found.names == [])
    #expect(
      found.messages == [
        "'o/a.wav' would read 'o/a.wav', which an earlier run of this loop made: it is left out"
      ])
    #expect(leaveOut(jobs, madeBefore: ["o/a.wav": 8]).names == ["o/a.wav"])
    #expect(leaveOut(jobs).messages == [])
  }

  @Test("A file that the loop names is read, and waits for the job that makes it")
  func named() {
    let jobs = [job("a.wav", "o/a.wav"), job("o/a.wav", "p/a.wav", isFound: false)]
    let found = leaveOut(jobs, madeBefore: ["o/a.wav": 7])
    #expect(found.names == ["a.wav", "o/a.wav"] && found.messages == [])
  }

  @Test("Another loop reads it, and two jobs that write one file are both kept, to be refused")
  func others() {
    var other = job("o/a.wav", "p/a.wav")
    (other.loop, other.origin) = (8, Origin(rawValue: 9))
    #expect(leaveOut([job("a.wav", "o/a.wav"), other]).messages == [])
    let clash = [job("a.wav", "o/a.wav"), job("o/a.wav", "p/a.wav"), job("b.wav", "p/a.wav")]
    #expect(leaveOut(clash).names.count == 3)
  }
}
