import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import JobFile
@testable import JobModel
@testable import RunPlan

@Suite("What jobs need of each other")
struct DependencyTests {
  private func job(
    _ name: String, group: String? = nil, reads: [String] = ["a.wav"], writes: String,
    needs: [String] = []
  ) -> Job {
    Job(
      name: name, group: group,
      item: Item(.concat(ItemSequence(reads.map { Item.clip(.file(FilePath($0))) }))),
      outputs: [Output(path: FilePath(writes), request: .usual(.wav))],
      needs: needs.map { Located($0) })
  }

  private func order(_ jobs: [Job], files: [Int]? = nil) -> (order: [String], circles: [String]) {
    let dependencies = JobDependencies(
      among: jobs, of: files ?? jobs.map { _ in 0 }, currentDirectory: .current)
    let (order, circles) = dependencies.order()
    return (order.map { jobs[$0].name }, circles.map(\.message))
  }

  @Test("A job waits for each part that it reads")
  func parts() {
    let reader = job("reader", reads: ["1.wav", "2.wav", "2.wav"], writes: "x.wav")
    var split = job("split", writes: "${part.n}.wav")
    split.split = Split(.every(Located(.time(Time(value: 1, timescale: 1)))))
    var dependencies = JobDependencies(
      among: [reader, split], of: [0, 0], currentDirectory: .current)
    let parts = ["1.wav", "2.wav"].map {
      ExportFiles(name: $0, outputs: [(FilePath($0), [], .unknown)], records: [])
    }
    #expect(dependencies.add(parts, of: 1) == [0])
    #expect(dependencies.edges[0].map(\.reason) == [.reads("1.wav"), .reads("2.wav")])
  }

  @Test("Of a job that is settled twice, the parts of the first time are forgotten")
  func settledTwice() {
    let reader = job("reader", reads: ["1.wav", "2.wav"], writes: "3.wav")
    var split = job("split", writes: "${part.n}.wav")
    split.split = Split(.every(Located(.time(Time(value: 1, timescale: 1)))))
    var dependencies = JobDependencies(
      among: [reader, split], of: [0, 0], currentDirectory: .current)
    let parts = (1...3).map {
      ExportFiles(
        name: "\($0)", outputs: [(FilePath("\($0).wav"), [], .unknown)], records: [])
    }
    #expect(dependencies.add(parts, of: 1) == [0])
    #expect(
      dependencies.problems.map(\.message) == ["'reader' and '3' would both become '3.wav'"])
    #expect(dependencies.add(parts, of: 1) == [])
    #expect(dependencies.problems.count == 1)
    #expect(dependencies.add([parts[1]], of: 1) == [0])
    #expect(dependencies.edges[0].map(\.reason) == [.reads("2.wav")])
    #expect(dependencies.problems.isEmpty && !dependencies.isWritten("1.wav"))
  }

  @Test("Of a job that is settled twice, a part below another output is forgotten")
  func settledBelow() {
    var split = job("split", writes: "${part.n}.wav")
    split.split = Split(.every(Located(.time(Time(value: 1, timescale: 1)))))
    var dependencies = JobDependencies(
      among: [job("a", writes: "gone/1.wav"), split], of: [0, 0], currentDirectory: .current)
    func parts(_ paths: String...) -> [ExportFiles] {
      paths.map { ExportFiles(name: $0, outputs: [(FilePath($0), [], .unknown)], records: []) }
    }
    dependencies.add(parts("gone/1.wav/1.wav", "gone/2.wav"), of: 1)
    #expect(
      dependencies.problems.map(\.message) == [
        "output 'gone/1.wav/1.wav' lies below output 'gone/1.wav', which is no folder"
      ])
    dependencies.add(parts("gone/3.wav", "gone/2.wav"), of: 1)
    #expect(dependencies.problems.isEmpty)
    dependencies.add(parts("gone"), of: 1)
    #expect(
      dependencies.problems.map(\.message) == [
        "output 'gone/1.wav' lies below output 'gone', which is no folder"
      ])
  }

  @Test("Of many outputs of one line that lie below others one is named")
  func manyBelow() {
    let jobs = (0..<5000).flatMap {
      [job("\($0)", writes: "gone/\($0).wav"), job("b\($0)", writes: "gone/\($0).wav/b.wav")]
    }
    let found = JobDependencies(
      among: jobs, of: jobs.map { _ in 0 }, currentDirectory: .current
    ).problems
    #expect(
      found.map(\.message) == [
        "output 'gone/0.wav/b.wav' lies below output 'gone/0.wav', which is no folder"
      ])
  }

  @Test("Jobs without needs keep their order, and others come right before who needs them")
  func stable() {
    let jobs = [
      job("a", writes: "1.wav"), job("b", reads: ["x/../4.wav"], writes: "2.wav"),
      job("c", writes: "3.wav"), job("d", writes: FilePath.current.appending("4.wav").string),
      job("e", writes: "5.wav", needs: ["c"]),
    ]
    #expect(order(jobs) == (["a", "d", "b", "c", "e"], []))
  }

  @Test("'needs' means names and groups of the same file")
  func names() {
    let jobs = [
      job("last", writes: "1.wav", needs: ["loop"]),
      job("loop/x", group: "loop", writes: "2.wav"),
      job("loop/y", group: "loop", writes: "3.wav"),
      job("loop", writes: "4.wav"),
    ]
    #expect(order(jobs, files: [0, 0, 0, 1]).order == ["loop/x", "loop/y", "last", "loop"])
  }

  @Test("Circles of names, of files and of both are told, and of one job, too")
  func circles() {
    #expect(
      order([
        job("a", writes: "1.wav", needs: ["b"]), job("b", reads: ["1.wav"], writes: "2.wav"),
      ]).circles == ["no job can be the first: 'a' needs 'b', which needs 'a'"])
    #expect(
      order([job("a", writes: "1.wav", needs: ["a"])]).circles
        == ["no job can be the first: 'a' needs 'a'"])
    let ring = (0..<1000).map { number in
      job("\(number)", reads: ["\((number + 1) % 1000).wav"], writes: "\(number).wav")
    }
    #expect(
      order(ring).circles
        == [
          "no job can be the first: '0' needs '1'"
            + (2...8).map { ", which needs '\($0)'" }.joined()
            + ", which needs … (992 more), which needs '0'"
        ])
  }

  @Test("Of a circle of very many jobs the first are named, and the others counted")
  func longCircle() throws {
    let jobs = (0..<20_000).map {
      job("j\($0)", writes: "\($0).wav", needs: ["j\(($0 + 1) % 20_000)"])
    }
    let dependencies = JobDependencies(
      among: jobs, of: jobs.map { _ in 0 }, currentDirectory: .current)
    let circle = try #require(dependencies.order().circles.first)
    #expect(
      circle.message == "no job can be the first: 'j0' needs 'j1', which needs 'j2', which needs "
        + "'j3', which needs 'j4', which needs 'j5', which needs 'j6', which needs 'j7', which "
        + "needs 'j8', which needs … (19992 more), which needs 'j0'")
    #expect(circle.notes.count == 9)
    #expect(circle.notes.first?.message == "'j1' needs 'j2' here")
    #expect(circle.notes.last?.message == "and so on, by way of 19991 more jobs")
  }

  @Test("Beside a circle, other mistakes are reported, too")
  func circleAndConflict() {
    let jobs = [
      job("a", writes: "1.wav", needs: ["b"]), job("b", writes: "2.wav", needs: ["a"]),
      job("c", writes: "3.wav"), job("d", writes: "3.wav"),
    ]
    let found = Preparation(
      LoadedJobs(jobs: jobs), library: MediaLibrary(), budget: CPUBudget(total: 1)
    ).diagnostics.all.map(\.message)
    #expect(
      found.suffix(2) == [
        "no job can be the first: 'a' needs 'b', which needs 'a'",
        "'c' and 'd' would both become '3.wav'",
      ])
  }

  @Test("Needs of a million edges are allowed, and more are refused with what does the same")
  func tooManyNeeds() {
    let group = (0..<1000).map { job("all/\($0)", group: "all", writes: "\($0).wav") }
    for (count, messages) in [
      (1000, []), (1001, ["by 'needs', jobs wait more than 1000000 times for another one"]),
    ] {
      let jobs = group + (0..<count).map { job("\($0)", writes: "x\($0).wav", needs: ["all"]) }
      let found = JobDependencies(
        among: jobs, of: jobs.map { _ in 0 }, currentDirectory: .current
      ).problems
      #expect(found.map(\.message) == messages)
      #expect(
        found.allSatisfy {
          $0.help == "let one job need 'all', and the others that job; or name fewer"
        })
    }
  }

  @Test("In random runs each job comes after all that it needs")
  func random() {
    var dice = Dice(5)
    for _ in 0..<100 {
      let count = Int(dice.number(1..<40))
      let ranks = (0..<count).shuffled(using: &dice)
      let jobs = (0..<count).map { index in
        let lower = (0..<count).filter { ranks[$0] < ranks[index] }
        let needed = lower.filter { _ in dice.number(0..<6) == 0 }
        return job(
          "\(index)", reads: needed.filter { $0 % 2 == 0 }.map { "\($0).wav" },
          writes: "\(index).wav", needs: needed.filter { $0 % 2 == 1 }.map(String.init))
      }
      let (order, circles) = order(jobs)
      #expect(circles.isEmpty && order.count == count && Set(order).count == count)
      let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
      for job in jobs {
        for need in job.needs { #expect(places[need.value] ?? .max < places[job.name] ?? .min) }
        for path in job.readFiles {
          #expect(places[path.stem ?? ""] ?? .max < places[job.name] ?? .min)
        }
      }
    }
  }

  @Test("A chain of thousands of jobs is put in order")
  func longChain() {
    let count = 4000
    let jobs = (0..<count).map { job("\($0)", reads: ["\($0 + 1).wav"], writes: "\($0).wav") }
    #expect(order(jobs).order.first == "\(count - 1)")
  }

  @Test(
    "A name, a group and a pattern call a job",
    arguments: [
      ("loop/ch1", true), ("loop", true), ("loop/*", true), ("*", true), ("l*1", true),
      ("*ch*", true), ("*ch2*", false), ("loop/ch", false), ("h1", false), ("*h1", true),
      ("l*o*o*", true), ("l*o*o*o*", false), ("loop/ch1*1", false),
    ])
  func calling(text: String, isCalled: Bool) {
    #expect(job("loop/ch1", group: "loop", writes: "x.wav").isCalled(text) == isCalled)
  }

  @Test("An output of another job is no conflict, but a picture, a list and a job file are")
  func conflicts() {
    var pictured = job("b", writes: "2.wav")
    pictured.metadata.cover = .picture(.file("3.jpg"))
    let jobs = [job("a", reads: ["2.wav"], writes: "1.wav"), pictured, job("c", writes: "3.jpg")]
    let found = JobDependencies(
      among: jobs, of: jobs.map { _ in 0 }, reading: ["1.wav"], currentDirectory: "/x"
    ).problems
    #expect(
      found.map(\.message) == ["output '1.wav' is a source", "output '3.jpg' is a source"])
  }
}
