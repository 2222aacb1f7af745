import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import Playback

@Suite struct SeekTests {
  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  @Test("a seek is over when the player is there, also in a pause")
  func finishes() async throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    #expect(await player.seek(to: seconds(2)))
    #expect(player.currentTime == seconds(2) && player.engine.state.withLock { $0.jump == nil })
    #expect(await player.seek(to: seconds(1), toleranceBefore: .zero, toleranceAfter: .zero))
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == Array(try item.exported()[88_200...]))
  }

  @Test("a seek that goes nowhere is not finished")
  func goesNowhere() async throws {
    let items = try QueuePlayerTests.items()
    let player = try Player(items[0], opening: MemoryDevice().opener)
    #expect(await !player.seek(to: .invalid))
    player.removeAllItems()
    #expect(await !player.seek(to: seconds(1)))
  }

  private final class Answers: Sendable {
    let list = Mutex<[String]>([])

    func note(_ name: String) -> @Sendable (Bool) -> Void {
      { isFinished in self.list.withLock { $0.append("\(name) \(isFinished)") } }
    }
  }

  @Test("another seek, a removed item and the end of the player end a seek that is on its way")
  func isGivenUp() throws {
    let answers = Answers()
    do {
      let item = try QueuePlayerTests.items()[0]
      let player = try Player(item, opening: MemoryDevice().opener)
      // Nothing is rendered while the state is locked: the seek is still on its way.
      player.engine.update { state in
        state.jump = PlayerState.Jump(item: item, time: .zero)
        state.waiters.seek = answers.note("overtaken")
        state.jump = PlayerState.Jump(item: item, time: seconds(1))
        state.waiters.seek = answers.note("removed")
        state.go(to: nil)
      }
      try wait(until: "both are answered") { answers.list.withLock { $0.count } == 2 }
      player.engine.state.withLock { $0.waiters.seek = answers.note("released") }
    }
    #expect(
      answers.list.withLock { $0 } == ["overtaken false", "removed false", "released false"])
  }

  @Test("a seek goes on in an item that takes the place of another")
  func isResolved() throws {
    let (answers, items) = (Answers(), try QueuePlayerTests.items())
    let player = try Player(items[1], opening: MemoryDevice().opener)
    player.engine.update { state in
      state.jump = PlayerState.Jump(item: items[1], time: .zero)
      state.waiters.seek = answers.note("replaced")
      state.replace(items[1], with: items[0], offset: seconds(1), heard: 0)
    }
    try wait(until: "it is answered") { answers.list.withLock { !$0.isEmpty } }
    #expect(answers.list.withLock { $0 } == ["replaced true"])
    #expect(player.currentItem === items[0] && player.currentTime == seconds(1))
  }

  @Test("a cancelled task goes on at once, and what comes later is dropped")
  func isCancelled() async throws {
    let delivery = Delivery<Int>()
    let task = Task { try await delivery.value() }
    task.cancel()
    let taskFailure = await #expect(throws: Failure.self) { try await task.value }
    #expect(taskFailure?.code == .cancelled)
    delivery.deliver(.success(1))
    let other = Delivery<Int>()
    other.deliver(.success(2))
    other.deliver(.success(3))
    #expect(try await other.value() == 2)
  }

  @Test("boundaries are reported once each, in order, whatever pauses there are")
  func crossesOnce() throws {
    let item = try QueuePlayerTests.items()[0]
    let step = Time(value: 1, timescale: 50)
    let bounds = (0...150).map { Time(value: $0, timescale: 50) }
    let device = MemoryDevice(rate: item.sampleRate, pace: 300_000, holdingAt: 0)
    let player = try Player(item, opening: device.opener)
    let crossed = Mutex<[Time]>([])
    let periods = Mutex(0)
    let observations = [
      player.addBoundaryTimeObserver(forTimes: bounds.reversed() + bounds) { time in
        crossed.withLock { $0.append(time) }
      },
      // No multiple but zero: jumps alone.
      player.addPeriodicTimeObserver(forInterval: Time(value: 3600, timescale: 1)) { _ in
        periods.withLock { $0 += 1 }
      },
    ]
    var dice = Dice(17)
    var frame = 0
    for pause in 0..<12 {
      frame += Int(dice.number(1..<9000))
      // Also just at a boundary.
      if pause.isMultiple(of: 3) { frame = (frame / 882 + 1) * 882 }
      device.goOn(to: frame)
      player.play()
      try device.waitUntilPlayed(frame)
      player.pause()
      try device.waitUntilDropped(after: pause)
    }
    device.goOn()
    _ = try player.toldUntilPaused()
    #expect(device.floats == (try item.exported()))
    #expect(item.duration == step * 150)
    #expect(crossed.withLock { $0 } == bounds)
    #expect(periods.withLock { $0 } == 1)
    _ = observations
  }

  @Test("what is heard again after a jump back is crossed again, and a jump is reported once")
  func crossesAgain() throws {
    let item = try QueuePlayerTests.items()[0]
    let bounds = [Time(value: 1, timescale: 10), seconds(1), seconds(2)]
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: 66_150)
    let player = try Player(item, opening: device.opener)
    let crossed = Mutex<[Time]>([])
    let jumps = Mutex<[Time]>([])
    let observations = [
      player.addBoundaryTimeObserver(forTimes: bounds) { time in
        crossed.withLock { $0.append(time) }
      },
      player.addPeriodicTimeObserver(forInterval: Time(value: 3600, timescale: 1)) { time in
        jumps.withLock { $0.append(time) }
      },
    ]
    player.play()
    try device.waitUntilPlayed(66_150)
    player.pause()
    try device.waitUntilDropped()
    // To a boundary itself, in a pause.
    player.seek(to: seconds(1))
    try wait(until: "the jump is reported") { jumps.withLock { $0.count } == 2 }
    device.goOn()
    _ = try player.toldUntilPaused()
    #expect(crossed.withLock { $0 } == [bounds[0], seconds(1), seconds(1), seconds(2)])
    // The first report is of the start, or of what was played when a busy machine came to it.
    #expect(jumps.withLock { $0.count } == 2 && jumps.withLock { $0.last } == seconds(1))
    _ = observations
  }
}
