import Testing

@testable import Threads

@Suite struct MonitorTests {
  @Test("A wait looks again when its time has come, and nobody has changed anything")
  func alarm() {
    let monitor = Monitor(0)
    // Counted from the first look, however late that is.
    var alarm: ContinuousClock.Instant?
    let looks = monitor.wait { looks -> Monitor<Int>.Answer<Int> in
      looks += 1
      let time = alarm ?? ContinuousClock.now.advanced(by: .milliseconds(30))
      defer { alarm = time }
      return alarm == nil || ContinuousClock.now < time ? .later(by: time) : .now(looks)
    }
    #expect(alarm.map { ContinuousClock.now >= $0 } == true)
    // The first look, the one at the alarm, and few more: no busy waiting.
    #expect(looks >= 2 && looks < 10)
  }

  @Test("A change of the state is seen before the time has come, or without one")
  func change() throws {
    let monitor = Monitor(0)
    let changer = try Thread.spawn(name: "changer") { monitor.withLock { $0 = 7 } }
    for instant in [ContinuousClock.now.advanced(by: .seconds(100 * 366 * 86_400)), nil] {
      let seen = monitor.wait { state -> Monitor<Int>.Answer<Int> in
        state == 0 ? .later(by: instant) : .now(state)
      }
      #expect(seen == 7)
    }
    changer.join()
  }

  @Test("A time that has passed is no wait")
  func past() {
    let monitor = Monitor(0)
    let past = ContinuousClock.now.advanced(by: .seconds(-5))
    let looks = monitor.wait { looks -> Monitor<Int>.Answer<Int> in
      looks += 1
      return looks < 3 ? .later(by: past) : .now(looks)
    }
    #expect(looks == 3)
  }
}
