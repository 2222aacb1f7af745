import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// How the exports of a group share the measuring of its sounds.
@Suite("Measuring a group's sounds")
struct LoudnessGroupMeasuringTests {
  private let stage = Stage()

  /// Counts what is measured, and remembers it as a run does.
  private final class Memory: Sendable {
    let findings = Mutex<[String: [UInt8]]>([:])
    let passes = Atomic<Int>(0)

    var library: MediaLibrary {
      MediaLibrary(
        recalling: nil, probing: nil, verifiesAssets: false,
        remembering: RememberedAnalyses { digest in
          self.findings.withLock { $0[digest] }
        } keep: { digest, finding in
          self.passes.add(1, ordering: .relaxed)
          self.findings.withLock { $0[digest] = finding }
        })
    }
  }

  /// Exports of one sound each, all of one group.
  private func sessions(_ count: Int, _ library: MediaLibrary) throws -> [ExportSession] {
    try (0..<count).map { number in
      let noise = Signal.noise(seed: UInt64(number), count: 8000 * (number + 1))
      let asset = try stage.sound([noise], rate: 8000, name: "\(number).wav")
      var output = Output(path: FilePath("\(number).wav"), format: .wav(.float32))
      output.loudness = LoudnessTarget(.integrated(-20), group: "season")
      return ExportSession(
        Export(name: "\(number)", composition: composition(clip(asset)), outputs: [output]),
        library: library)
    }
  }

  /// What each of some threads gets, which come to the group at once.
  private func measure(
    _ group: LoudnessGroup, _ library: MediaLibrary, cancelled: [Bool]
  ) throws -> [LoudnessMeasurement?] {
    let results = Mutex<[Int: LoudnessMeasurement?]>([:])
    let threads = try cancelled.enumerated().map { number, isCancelled in
      try Thread.spawn(name: "group-\(number)") {
        let cancellation = CancellationFlag()
        if isCancelled { cancellation.cancel() }
        let normalizer = Normalizer(
          analyst: SoundAnalyst(library: library, budget: nil, cancellation: cancellation))
        let found = try? group.measurement(by: normalizer, dualMono: false) { _ in }
        results.withLock { $0[number] = found }
      }
    }
    for thread in threads { thread.join() }
    return results.withLock { results in cancelled.indices.map { results[$0] ?? nil } }
  }

  @Test("each sound is measured once, by whichever export comes to it, and all get one figure")
  func shared() throws {
    let memory = Memory()
    let library = memory.library
    let sessions = try sessions(9, library)
    let found = try measure(
      LoudnessGroup("season", of: sessions), library, cancelled: [false, false, false, false])
    #expect(memory.passes.load(ordering: .relaxed) == 9)
    let alone = try measure(
      LoudnessGroup("season", of: sessions), Memory().library, cancelled: [false])
    #expect(found == Array(repeating: alone[0], count: 4))
    #expect(alone[0] != nil)
  }

  @Test("sounds of an export that is cancelled are measured by the others")
  func cancelled() throws {
    let memory = Memory()
    let library = memory.library
    let group = LoudnessGroup("season", of: try sessions(5, library))
    let found = try measure(group, library, cancelled: [true, false, true, false])
    #expect(found[0] == nil && found[2] == nil)
    #expect(found[1] != nil && found[1] == found[3])
    #expect(memory.passes.load(ordering: .relaxed) == 5)
    #expect(group.known == found[1])
  }

  @Test("what another process has measured is not measured again")
  func known() throws {
    let memory = Memory()
    let library = memory.library
    let sessions = try sessions(3, library)
    let first = LoudnessGroup("season", of: sessions)
    #expect(first.known == nil)
    let found = try measure(first, library, cancelled: [false])
    let other = Memory()
    let second = LoudnessGroup("season", of: sessions)
    second.known = found[0]
    #expect(try measure(second, other.library, cancelled: [false]) == found)
    #expect(other.passes.load(ordering: .relaxed) == 0)
  }
}
