import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import Loudness

/// Where a sound begins and ends.
@Suite("Room tone") struct RoomToneTests {
  private func roomTone(_ decibels: [Double?], floor: Double?) -> RoomTone? {
    var finder = RoomToneFinder()
    for level in decibels { finder.add(power: level.map { LevelText.power($0) } ?? 0) }
    return finder.roomTone(
      noiseFloor: floor, frames: Int64(decibels.count * 480), sampleRate: 48_000)
  }

  private enum LevelText {
    static func power(_ decibels: Double) -> Double {
      // Exact enough for tenths of a decibel.
      var power = 1.0
      for _ in 0..<Int((-decibels * 10).rounded()) { power /= 1.023292992280754 }
      return power
    }
  }

  @Test("steps are sound when they are more than 12 dB above the floor, and above −60 dB")
  func threshold() {
    let quiet = [Double?](repeating: -70, count: 50)
    #expect(roomTone(quiet + [-20] + quiet, floor: -70) == tone(50, 50))
    // −58 is not more than 12 dB above a floor of −70.
    #expect(roomTone([-58] + quiet + [-20, -57.9] + quiet, floor: -70) == tone(51, 50))
    #expect(roomTone([-60] + quiet + [-20], floor: -90) == tone(51, 0))
    #expect(roomTone([-59.9] + quiet + [-20], floor: nil) == tone(0, 0))
    #expect(roomTone([-39, -30, -38], floor: -50) == tone(1, 1))
  }

  private func tone(_ head: Int64, _ tail: Int64) -> RoomTone {
    RoomTone(
      head: Time(value: head, timescale: 100), tail: Time(value: tail, timescale: 100))
  }

  @Test("where nothing is louder than the room, there is no room tone, either")
  func nothing() {
    #expect(roomTone([], floor: nil) == nil)
    #expect(roomTone([nil, nil], floor: nil) == nil)
    #expect(roomTone([-61, -70], floor: -70) == nil)
    #expect(roomTone([-30, -30], floor: -30) == nil)
  }

  @Test("the steps that are kept give what looking at all of them gives")
  func twin() {
    var generator = Dice(4)
    for _ in 0..<200 {
      let levels = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
        Double(Int.random(in: -900...0, using: &generator)) / 10
      }
      let floor = Double(Int.random(in: -100 ... -20, using: &generator))
      let limit = max(-60, floor + 12)
      let loud = levels.indices.filter { levels[$0] > limit + 0.05 }
      let expected = loud.first.flatMap { first in
        loud.last.map { tone(Int64(first), Int64(levels.count - 1 - $0)) }
      }
      #expect(roomTone(levels, floor: floor) == expected, "\(levels) \(floor)")
    }
  }
}
