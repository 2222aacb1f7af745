import Testing

@testable import Playback

@Suite struct DeviceLivenessTests {
  @Test("a device is dead that takes nothing for two seconds, and five before it plays")
  func stalls() {
    for (isStarting, patience) in [(false, Int64(2_000_000_000)), (true, 5_000_000_000)] {
      var liveness = DeviceLiveness()
      let dead = [10, 9 + patience, 10 + patience].map { time in
        liveness.noteStall(at: time, isStarting: isStarting)
      }
      #expect(dead == [false, false, true])
      liveness.noteTransfer()
      let isDead = liveness.noteStall(at: 11 + patience, isStarting: isStarting)
      #expect(!isDead)
    }
  }
}
