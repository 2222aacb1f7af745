import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// What is removed of pauses.
@Suite("Pauses")
struct PauseTests {
  private let stage = Stage()

  private func time(_ hundredths: Int64) -> Time { Time(value: hundredths, timescale: 100) }

  /// Mean squares of steps at a level in decibels; `nil` sounds.
  private func steps(_ runs: [(level: Double?, count: Int)]) -> [Float] {
    runs.flatMap { run in
      let level = run.level.map { Float(Gain(decibels: $0).factor * Gain(decibels: $0).factor) }
      return [Float](repeating: level ?? .infinity, count: run.count)
    }
  }

  private func pauses(
    _ steps: [Float], least: Int64 = 100, to length: Int64 = 40, words: [TimeRange] = []
  ) -> [Pause] {
    var finder = PauseFinder(PauseShortening(to: time(length), keeping: words), least: least)
    var rest = steps[...]
    // In blocks that cross the borders of silences.
    while !rest.isEmpty {
      finder.add(Array(rest.prefix(77)))
      rest = rest.dropFirst(77)
    }
    return finder.pauses
  }

  @Test("A pause of the least length or more becomes exactly as long as asked, in its middle")
  func lengths() {
    let sound = steps([
      (nil, 5), (-60, 100), (nil, 1), (-60, 99), (nil, 30), (-60, 431), (nil, 3),
    ])
    let found = pauses(sound)
    #expect(
      found == [
        Pause(5..<105, removing: 25..<85), Pause(235..<666, removing: 255..<646),
      ])
    #expect(found.allSatisfy { $0.steps.count - ($0.removedSteps?.count ?? 0) == 40 })
    // Nothing is left of each, or an odd number of steps.
    #expect(pauses(sound, to: 0).first?.removedSteps == 5..<105)
    #expect(pauses(sound, to: 7).first?.removedSteps == 8..<101)
  }

  @Test("Silence at both ends is no pause, and a pause of the length that is asked for stays")
  func ends() {
    #expect(pauses(steps([(-60, 200), (nil, 5), (-60, 200)])) == [])
    #expect(pauses(steps([(nil, 5), (-60, 40), (nil, 5)]), least: 40) == [])
    #expect(pauses(steps([(-60, 500)])) == [])
  }

  @Test("Both sides of a pause are joined where their levels are nearest")
  func nearest() {
    // The level falls at first; at its end it is that of step 30.
    var sound = steps([(nil, 10), (-60, 300), (nil, 10)])
    func level(_ decibels: Double) -> Float {
      Float(Gain(decibels: decibels).factor * Gain(decibels: decibels).factor)
    }
    for step in 10..<35 { sound[step] = level(-54) }
    for step in 35..<50 { sound[step] = level(-58) }
    // -58 dB from the 25th step of the silence on, -60 dB at its end: no place is level, and the nearest
    // is as late as may be.
    #expect(pauses(sound).first?.removedSteps == 40..<300)
    for step in 270..<310 { sound[step] = level(-54) }
    #expect(pauses(sound).first?.removedSteps == 30..<290)
  }

  @Test("A pause whose level moves by more than 9 dB is kept, also down to nothing")
  func uneven() {
    let quiet = steps([(nil, 10), (-60, 60), (-52, 60), (nil, 10)])
    #expect(pauses(quiet).first?.removedSteps != nil)
    let whisper = steps([(nil, 10), (-60, 60), (-50, 60), (nil, 10)])
    #expect(pauses(whisper) == [Pause(10..<130, keptAs: .uneven)])
    let fade = steps([(nil, 10)] + (0..<120).map { (-50 - Double($0) / 2, 1) } + [(nil, 10)])
    #expect(pauses(fade) == [Pause(10..<130, keptAs: .uneven)])
    // Nobody hears the difference between these.
    let gate = steps([(nil, 10), (-75, 60), (-200, 60), (nil, 10)])
    #expect(pauses(gate).first?.removedSteps != nil)
    // The echo of the last sound lies in what stays.
    let echo = steps([(nil, 10), (-46, 10), (-60, 120), (-46, 10), (nil, 10)])
    #expect(pauses(echo).first?.removedSteps != nil)
  }

  @Test("Nothing nearer than 50 ms to a word is removed, and a word divides a pause")
  func words() {
    let sound = steps([(nil, 10), (-60, 400), (nil, 10)])
    func word(_ start: Int64, _ end: Int64) -> TimeRange {
      TimeRange(start: time(start), end: time(end))
    }
    let words = [word(0, 10), word(150, 160), word(410, 420)]
    let found = pauses(sound, to: 4, words: words)
    #expect(
      found == [
        Pause(10..<150, removing: 15..<145), Pause(160..<410, removing: 165..<405),
      ])
    #expect(pauses(sound, words: [word(60, 350)]) == [Pause(10..<410, keptAs: .spoken)])
    // A word of no length.
    #expect(pauses(sound, words: [word(210, 210)]).map(\.steps) == [10..<210, 211..<410])
  }

  // MARK: Sounds

  /// Noise at random levels, of which those below -45 dB are silent.
  private func speech(rate: Int, count: Int) -> [Float] {
    var dice = Dice(11)
    var samples = Signal.noise(seed: 11, count: count, amplitude: 1)
    var index = 0
    while index < count {
      let length = Int(dice.next() % UInt64(2 * rate)) + 1
      let level = [0.0005, 0.001, 0.3, 0.4][Int(dice.next() % 4)] as Float
      for place in index..<min(count, index + length) { samples[place] *= level }
      index += length
    }
    return samples
  }

  @Test("Pauses of a sound are the same on any number of cores, and nothing loud is removed")
  func cores() throws {
    let rate = 8000
    let samples = speech(rate: rate, count: rate * 120)
    let asset = try stage.sound([samples], rate: rate)
    func find(cores: Int) throws -> SilenceFindings {
      try SoundAnalyst(library: stage.library, budget: CPUBudget(total: cores)).silences(
        SilenceSearch(
          in: composition(clip(asset)), below: Gain(decibels: -45), lasting: time(100),
          shortening: PauseShortening(to: time(40))))
    }
    let found = try find(cores: 1)
    #expect(try find(cores: 2) == found && find(cores: 7) == found)
    #expect(found.pauses.count > 5)
    #expect(found.silences.allSatisfy { $0.start == .zero || $0.end == asset.duration })
    for pause in found.pauses {
      guard let removed = pause.removedSteps else { continue }
      #expect(pause.steps.count - removed.count == 40 && pause.steps.count >= 100)
      for step in removed {
        let frames = samples[Int(step) * rate / 100..<(Int(step) + 1) * rate / 100]
        let level = frames.reduce(0) { $0 + Double($1) * Double($1) } / Double(frames.count)
        #expect(level < 0.000_031_7)
      }
    }
  }

  @Test("Findings are kept for the next run, and other lengths and words are other findings")
  func remembered() throws {
    let rate = 8000
    let asset = try stage.sound([speech(rate: rate, count: rate * 30)], rate: rate)
    let search = SilenceSearch(
      in: composition(clip(asset)), below: Gain(decibels: -45), lasting: time(100),
      shortening: PauseShortening(to: time(40)))
    var other = search
    other.shortening?.length = time(80)
    var spoken = search
    spoken.shortening?.words = [TimeRange(start: .zero, duration: time(3000))]
    let memory = Memory()
    for search in [search, other, spoken] {
      let first = try memory.library().silences(search)
      #expect(try memory.library().silences(search) == first)
    }
    let (kept, recalled) = memory.state.withLock { ($0.findings.count, $0.recalled) }
    #expect(kept == 3 && recalled == 3)
  }

  @Test("A level inside is measured once, for searches and for the export")
  func levels() throws {
    let rate = 8000
    let asset = try stage.sound([speech(rate: rate, count: rate * 20)], rate: rate)
    var item = clip(asset)
    item.loudness = LoudnessTarget(.integrated(-30))
    let levelled = composition(item)
    let memory = Memory()
    func search(below decibels: Double) throws -> SilenceFindings {
      try memory.library().silences(
        SilenceSearch(in: levelled, below: Gain(decibels: decibels), lasting: time(100)))
    }
    _ = try search(below: -45)
    // The level, and the silences.
    #expect(memory.state.withLock { $0.findings.count } == 2)
    _ = try search(below: -50)
    #expect(memory.state.withLock { [$0.findings.count, $0.recalled] } == [3, 1])
    let graph = try Graph(
      compiling: Export(
        name: "export", composition: levelled,
        outputs: [Output(path: "x.wav", format: .wav(.float32))]))
    var result = Normalizer.Result(graph: graph)
    try Normalizer(analyst: SoundAnalyst(library: memory.library(), budget: nil)).solve(&result)
    #expect(memory.state.withLock { [$0.findings.count, $0.recalled] } == [3, 2])
    #expect(result.graph.normalizations.allSatisfy { $0.normalization.solution != nil })
  }

  /// Findings by their digests, as a run keeps them.
  private final class Memory: Sendable {
    let state = Mutex<(findings: [String: [UInt8]], recalled: Int)>(([:], 0))

    /// A library as of another run.
    func library() -> MediaLibrary {
      let remembered = RememberedAnalyses { digest in
        self.state.withLock { state in
          let known = state.findings[digest]
          if known != nil { state.recalled += 1 }
          return known
        }
      } keep: { digest, finding in
        self.state.withLock { $0.findings[digest] = finding }
      }
      return MediaLibrary(
        recalling: nil, probing: nil, verifiesAssets: false, remembering: remembered)
    }
  }
}
