import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import RunPlan

@Suite("Groups of one gain, among the jobs of a run")
struct LoudnessGroupsTests {
  private let folder = TestFolder()

  /// The sessions of jobs, each of which has a sound in each of its groups.
  private func sessions(_ groups: [[String]]) throws -> [ExportSession] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine", "-t", "0.1", folder.path("a.wav"))
    var yaml = "jobs:\n"
    for (number, groups) in groups.enumerated() {
      let levels = [""] + groups.map { ", loudness: { rms: -20 dB, group: \($0) }" }
      let items = levels.map { "{ clip: a.wav\($0) }" }.joined(separator: ", ")
      yaml += "  j\(number): { concat: [\(items)], output: \(number).wav }\n"
    }
    try writeFile(folder.path("job.yaml"), yaml.utf8)
    var loaded = LoadedJobs()
    loaded.append(try JobFile.load(FilePath(folder.path("job.yaml")), into: SourceMap()))
    let library = MediaLibrary(recalling: nil, probing: nil, verifiesAssets: false)
    let prepared = Preparation(
      loaded, library: library, budget: CPUBudget(total: 2), room: { _ in nil })
    #expect(prepared.diagnostics.errors.isEmpty)
    return prepared.work.map(\.session)
  }

  @Test("An export gets the groups of its own sounds, and no others of the run")
  func sharing() throws {
    let groups = [["g"], ["h"], [], ["g", "h"], ["i"]]
    let sessions = try sessions(groups)
    #expect(sessions.map { $0.groups.keys.sorted() } == groups)
    #expect(sessions[0].groups["g"] === sessions[3].groups["g"])
    #expect(sessions[0].groups["g"]?.exports.count == 2)
    #expect(sessions[4].groups["i"]?.exports.count == 1)
  }

  @Test("A job's estimate has those of the other jobs of each of its groups, however it is settled")
  func estimates() throws {
    let kinds = (0..<8).map { bits in
      ["a", "b", "c"].enumerated().filter { bits >> $0.0 & 1 == 1 }.map(\.1)
    }
    let sessions = try sessions(kinds)
    var dice = Dice(16)
    for _ in 0..<100 {
      var groups = LoudnessGroups()
      var settled: [Int: [String]] = [:]
      for _ in 0..<Int(dice.next() % 40) {
        let (index, kind) = (Int(dice.next() % 10), Int(dice.next() % 9))
        groups.set(kind < 8 ? sessions[kind] : nil, of: index)
        settled[index] = kind < 8 ? kinds[kind] : []
      }
      let estimate = { (index: Int) in Duration.seconds(1 << index) }
      // Every pair of jobs, and every group.
      var expected: [Int: Duration] = [:]
      for (index, names) in settled where !names.isEmpty {
        var sum = estimate(index)
        for name in names {
          for (other, others) in settled where other != index && others.contains(name) {
            sum += estimate(other)
          }
        }
        expected[index] = sum
      }
      #expect(groups.sums(estimate) == expected)
      #expect(Set(groups.made().keys) == Set(settled.values.joined()))
    }
  }
}
