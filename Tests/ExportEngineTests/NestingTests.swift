import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Many items, and deep ones")
struct NestingTests {
  let stage = Stage()

  @Test("thousands of clips of 1/3 s end at the exact frame, in groups at odd offsets too")
  func drift() throws {
    let count = 44_100
    let ramp = (0..<count).map { Float($0 + 1) / Float(count) }
    let asset = try stage.sound([ramp], rate: 44_100)
    let third = Time(value: 1, timescale: 3)
    var inner = Track()
    for index in 0..<60 {
      inner.segments.append(
        Segment(
          .asset(asset), source: TimeRange(start: .zero, duration: third),
          at: Time(value: Int64(index), timescale: 3)))
    }
    let twenty = Composition(tracks: [inner])
    var outer = Track()
    // Each group begins a seventh of a frame later than the one before ended.
    for index in 0..<50 {
      outer.segments.append(
        group(twenty, at: Time(value: Int64(index) * (20 * 308_700 + 1), timescale: 308_700)))
    }
    let sound = try stage.render(Composition(tracks: [outer]))[0]
    #expect(sound.count == 44_100 * 20 * 50 + 7)
    for index in 0..<3000 {
      // In units of 1/7 of a frame.
      let exact = (index / 60) * (20 * 308_700 + 1) + (index % 60) * 102_900
      let first = (2 * exact + 7) / 14
      #expect(sound[first] == ramp[0])
      #expect(sound[first + 14_699] == ramp[14_699])
    }
  }

  @Test("two hundred compositions within one another are rendered, one more is refused by name")
  func depth() throws {
    let asset = try stage.sound([[0.25, 0.5, 0.75]], rate: 8000)
    let result = Mutex<[String]>([])
    // As the engine runs: on a thread with the stack of one.
    let thread = try Thread.spawn(name: "depth") {
      var nested = composition(clip(asset))
      for _ in 0..<200 { nested = composition(group(nested)) }
      do {
        let sound = try stage.render(nested)
        result.withLock { $0.append("\(sound)") }
        _ = try stage.render(composition(group(nested)))
      } catch {
        result.withLock { $0.append((error as? Failure)?.message ?? "\(error)") }
      }
    }
    thread.join()
    #expect(
      result.withLock { $0 } == [
        "[[0.25, 0.5, 0.75]]",
        "compositions are nested more than 200 deep; put items side by side",
      ])
  }

  @Test(
    "a part of a group of many tracks at once is that slice of the whole, bit for bit",
    arguments: 1...4 as ClosedRange<UInt64>)
  func parts(seed: UInt64) throws {
    var dice = Dice(seed)
    let mixed = Composition(
      tracks: try (0..<5 as Range<UInt64>).map { number in
        let noise = Signal.noise(seed: 10 * seed + number, count: 60_000)
        let asset = try stage.sound([noise], rate: 44_100, name: "\(number).wav")
        let start = Time(frames: dice.number(0..<20_000), rate: 44_100)
        return Track(segments: [clip(asset, at: start)])
      })
    let whole = try stage.render(composition(group(mixed)))[0]
    let start = dice.number(20_000..<50_000)
    let range = TimeRange(
      start: Time(frames: start, rate: 44_100), duration: Time(frames: 9999, rate: 44_100))
    let part = Segment(.composition(mixed), source: range, at: .zero)
    #expect(
      try stage.render(composition(part))[0] == Array(whole[Int(start)..<Int(start) + 9999]))
  }
}
