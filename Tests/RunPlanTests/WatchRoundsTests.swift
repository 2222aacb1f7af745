import Diagnosis
import Files
import JobFile
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobModel
@testable import RunPlan

/// Which sources are whole, and which jobs a round runs.
@Suite struct WatchRoundsTests {
  private let folder = TestFolder()

  @Test("A file is whole when it is still for some time and has no writer")
  func stillness() throws {
    let path = FilePath(folder.path("a.wav"))
    try writeFile(path.string, [1, 2])
    var writers: Bool? = true
    var stillness = SourceStillness(believingClock: false, hasWriter: { _ in writers })
    let start = ContinuousClock.now
    func isWhole(after milliseconds: Int) -> Bool {
      stillness.wholeFile(at: path, start + .milliseconds(milliseconds), time: .zero) != nil
    }
    #expect(!isWhole(after: 0) && !isWhole(after: 1400) && !isWhole(after: 1600))
    writers = nil
    #expect(isWhole(after: 1600) && isWhole(after: 1700))
    try writeFile(path.string, [1, 2, 3])
    #expect(!isWhole(after: 1800) && !isWhole(after: 3200) && isWhole(after: 3300))
    #expect(stillness.wholeFile(at: "nowhere.wav", start, time: .zero) == nil)
  }

  @Test("A process that has a file open for writing is seen, by a lease")
  func writers() throws {
    let path = FilePath(folder.path("a.wav"))
    try writeFile(path.string, [1])
    FileWriters.begin()
    // Of another user's file, and on some file systems, it cannot be known.
    guard let free = FileWriters.has(path) else { return }
    #expect(!free)
    let file = try FileDescriptor.open(path, .writeOnly)
    #expect(FileWriters.has(path) == true)
    try file.close()
    #expect(FileWriters.has(path) == false)
  }

  /// A round of jobs, of one loop or each written for itself, each of which reads a file of the folder and writes another.
  private func round(
    _ rounds: inout WatchRounds, _ jobs: [(source: String, output: String)],
    isLoop: Bool = true, usesToday: Bool = false, on day: String = "2026-11-29",
    now: ContinuousClock.Instant = .now
  ) -> WatchRounds.Round {
    var loaded = LoadedJobs(
      jobs: jobs.enumerated().map { number, job in
        var made = Job(
          name: job.source, item: .clip(.file(FilePath(folder.path(job.source)))),
          outputs: [Output(path: FilePath(folder.path(job.output)), request: .usual(.wav))])
        if !isLoop { made.origin = Origin(rawValue: UInt32(number + 1)) }
        return made
      })
    loaded.usesToday = usesToday
    return rounds.next(loaded, now: now, time: .seconds(1 << 40), on: CalendarDay(day))
  }

  @Test("An output whose source has gone is no new source")
  func remains() throws {
    for name in ["a.wav", "b.wav", "a-x.wav"] { try writeFile(folder.path(name), [1]) }
    var rounds = WatchRounds(SourceStillness(hasWriter: { _ in false }))
    let pairs = [("a.wav", "a-x.wav"), ("b.wav", "b-x.wav"), ("a-x.wav", "a-x-x.wav")]
    let first = round(&rounds, pairs)
    #expect(first.jobs.jobs.map(\.name) == ["a.wav", "b.wav"] && first.problems.count == 1)
    let later = round(&rounds, Array(pairs.dropFirst()))
    #expect(later.jobs.jobs.isEmpty && later.waitingCount == 0)
    try writeFile(folder.path("b-x.wav"), [1])
    let last = round(&rounds, [("b-x.wav", "b-x-x.wav")])
    #expect(last.jobs.jobs.isEmpty)
    #expect(
      last.problems.map(\.message).allSatisfy { $0.contains("which 'b.wav' made: it is left out") }
        && last.problems.count == 1)
    // Of another loop it is a source.
    try writeFile(folder.path("c.wav"), [1])
    #expect(round(&rounds, [("c.wav", "c-x.wav")]).jobs.jobs.count == 1)
  }

  @Test("What an earlier run of the same loop made is no new source, until this watch has run it")
  func earlier() throws {
    for name in ["a-x.wav", "b.wav"] { try writeFile(folder.path(name), [1]) }
    func job(_ name: String, loop: UInt64?) -> LoadedJobs {
      var job = Job(
        name: name, item: .clip(.file(FilePath(folder.path(name)))),
        outputs: [Output(path: FilePath(folder.path("out-" + name)), request: .usual(.wav))])
      (job.loop, job.folder) = (loop, FilePath(folder.path("jobs")))
      return LoadedJobs(jobs: [job])
    }
    func round(_ name: String, loop: UInt64?, madeBy maker: UInt64?) -> WatchRounds.Round {
      var rounds = WatchRounds(SourceStillness(hasWriter: { _ in false })) { path, place in
        path.lastComponent == "a-x.wav" && place.lastComponent == "jobs" ? maker : nil
      }
      return rounds.next(job(name, loop: loop), time: .seconds(1 << 40), on: nil)
    }
    let left = round("a-x.wav", loop: 7, madeBy: 7)
    #expect(left.jobs.jobs.isEmpty && left.waitingCount == 0)
    #expect(
      left.problems.map(\.message).joined().contains("which an earlier run of this loop made"))
    #expect(round("a-x.wav", loop: 7, madeBy: 8).jobs.jobs.count == 1)
    #expect(round("a-x.wav", loop: nil, madeBy: 7).jobs.jobs.count == 1)
    #expect(round("b.wav", loop: 7, madeBy: 7).jobs.jobs.count == 1)
  }

  @Test("What failed for a reason that may pass is run again after a pause, longer each time")
  func retries() throws {
    for name in ["a.wav", "b.wav"] { try writeFile(folder.path(name), [1]) }
    var rounds = WatchRounds(SourceStillness(hasWriter: { _ in false }))
    let start = ContinuousClock.now
    func next(after seconds: Int, day: String = "2026-11-29") -> LoadedJobs {
      round(
        &rounds, [("a.wav", "a-x.wav"), ("b.wav", "b-x.wav")], usesToday: true, on: day,
        now: start + .seconds(seconds)
      ).jobs
    }
    rounds.retry(next(after: 0), now: start) { _ in true }
    #expect(next(after: 9).jobs.isEmpty)
    let second = next(after: 10, day: "2026-11-30")
    #expect(second.jobs.count == 2)
    rounds.retry(second, now: start + .seconds(10)) { _ in true }
    #expect(next(after: 29).jobs.isEmpty)
    // What has changed does not wait.
    try writeFile(folder.path("a.wav"), [1, 2])
    #expect(next(after: 29).jobs.map(\.name) == ["a.wav"])
    #expect(next(after: 30).jobs.map(\.name) == ["b.wav"])
    #expect(next(after: 1000).jobs.isEmpty)
  }

  @Test("Of a round, what was kept from being done is run again, and what needs it")
  func retriesOfSome() throws {
    for name in ["a.wav", "b.wav"] { try writeFile(folder.path(name), [1]) }
    var rounds = WatchRounds(SourceStillness(hasWriter: { _ in false }))
    let start = ContinuousClock.now
    func next(after seconds: Int) -> LoadedJobs {
      round(
        &rounds, [("a.wav", "a-x.wav"), ("a-x.wav", "c.wav"), ("b.wav", "b-x.wav")],
        isLoop: false, now: start + .seconds(seconds)
      ).jobs
    }
    let first = next(after: 0)
    #expect(first.jobs.count == 3)
    rounds.retry(first, now: start) { first.jobs[$0].name == "a.wav" }
    #expect(next(after: 10).jobs.map(\.name) == ["a.wav", "a-x.wav"])
  }

  @Test("What was made under a day's name is not made anew on the next day, and a new source is")
  func midnight() throws {
    for name in ["a.wav", "b.wav"] { try writeFile(folder.path(name), [1]) }
    var rounds = WatchRounds(SourceStillness(hasWriter: { _ in false }))
    func names(_ day: String, _ sources: [String]) -> [String] {
      let pairs = sources.map { ($0, "\(day)/\($0)") }
      return round(&rounds, pairs, usesToday: true, on: day).jobs.jobs.map(\.name)
    }
    #expect(names("2026-11-29", ["a.wav"]) == ["a.wav"])
    #expect(names("2026-11-29", ["a.wav"]).isEmpty)
    #expect(names("2026-11-30", ["a.wav", "b.wav"]) == ["b.wav"])
    #expect(names("2026-11-30", ["a.wav", "b.wav"]).isEmpty)
    try writeFile(folder.path("a.wav"), [1, 2])
    #expect(names("2026-12-01", ["a.wav", "b.wav"]) == ["a.wav"])
  }
}
