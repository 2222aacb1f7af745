import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct PlayerStartTests {
  /// Turns a clock until something holds.
  private func turn(
    _ devices: [ClockedDevice], until what: String, _ holds: () -> Bool
  ) throws {
    try wait(until: what) {
      for device in devices { device.turn() }
      return holds()
    }
  }

  /// When the first frame of an item was heard, which a device has played whole, and nothing else but
  /// silence before it.
  private func start(of item: PlayerItem, on device: ClockedDevice) throws -> Int64 {
    let (whole, heard) = (try item.exported(), device.floats)
    #expect(heard.suffix(whole.count) == whole[...])
    let silence = heard.count - whole.count
    #expect(heard.prefix(max(0, silence)).allSatisfy { $0 == 0 })
    let first = try #require(device.state.withLock { $0.firstHeard })
    return first + Int64(silence / 2) * 1_000_000_000 / Int64(device.format.sampleRate)
  }

  @Test("the first frame is heard at the time of the device's clock, to the frame")
  func startsOnTime() throws {
    let item = try QueuePlayerTests.items()[1]
    var dice = Dice(40)
    for _ in 0..<4 {
      let device = ClockedDevice(rate: item.sampleRate)
      let player = try Player([item], opening: device.opener, clock: device.clock)
      let ahead = dice.number(Int64(500)..<1500)
      let wanted = player.deviceCurrentTime + Time(value: ahead, timescale: 1000)
      #expect(player.play(atTime: wanted))
      #expect(player.isPlaying && !player.play(atTime: wanted))
      try turn([device], until: "the item was heard") { !player.isPlaying }
      let error = try start(of: item, on: device) - wanted.frames(atRate: 1_000_000_000)
      // A frame lasts 22.7 µs, and the device's clock turns by a millisecond.
      #expect(abs(error) <= 1_000_000_000 / Int64(item.sampleRate), "\(error) ns of \(ahead) ms")
      #expect(player.device.xruns == 0)
    }
  }

  @Test("until then the player waits for the time, and stands at its place")
  func waits() throws {
    let item = try QueuePlayerTests.items()[1]
    let device = ClockedDevice(rate: item.sampleRate)
    let player = try Player([item], opening: device.opener, clock: device.clock)
    let wanted = player.deviceCurrentTime + Time(value: 1, timescale: 1)
    player.play(atTime: wanted)
    try turn([device], until: "the device is open") { player.device.format != nil }
    while player.deviceCurrentTime < wanted - Time(value: 10, timescale: 1000) {
      if player.device.format != nil, player.reasonForWaitingToPlay != .openingDevice {
        #expect(player.reasonForWaitingToPlay == .startTime)
      }
      #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
      #expect(player.currentTime == .zero)
      device.turn()
    }
    try turn([device], until: "it plays") {
      player.timeControlStatus == .playing && player.currentTime > .zero
    }
  }

  @Test("players that are given one time are heard together")
  func startsTogether() throws {
    let items = try QueuePlayerTests.items()
    let devices = items.map { ClockedDevice(rate: $0.sampleRate) }
    let players = try zip(items, devices).map { item, device in
      try Player([item], opening: device.opener, clock: device.clock)
    }
    let wanted = players[0].deviceCurrentTime + Time(value: 700, timescale: 1000)
    for player in players { player.play(atTime: wanted) }
    try turn(devices, until: "both were heard") { players.allSatisfy { !$0.isPlaying } }
    let starts = try zip(items, devices).map { try start(of: $0, on: $1) }
    #expect(abs(starts[0] - starts[1]) <= 2 * 1_000_000_000 / Int64(items[0].sampleRate))
  }

  @Test("a time that is over is now, and after a pause the item begins by itself")
  func startsLate() throws {
    let item = try QueuePlayerTests.items()[1]
    let device = ClockedDevice(rate: item.sampleRate)
    let player = try Player([item], opening: device.opener, clock: device.clock)
    #expect(!player.play(atTime: .invalid))
    player.play(atTime: player.deviceCurrentTime + Time(value: 3600, timescale: 1))
    try turn([device], until: "the device is open") { player.device.format != nil }
    player.pause()
    #expect(player.timeControlStatus == .paused)
    player.play(atTime: player.deviceCurrentTime - Time(value: 1, timescale: 1))
    try turn([device], until: "the item was heard") { !player.isPlaying }
    #expect(device.floats == (try item.exported()))
    player.play(atTime: player.deviceCurrentTime + Time(value: 3600, timescale: 1))
    player.pause()
    player.play()
    try turn([device], until: "it was heard again") { !player.isPlaying }
    #expect(device.floats == (try item.exported() + item.exported()))
  }

  @Test("so much silence leads in that a device of any delay is on time")
  func leadsIn() {
    var dice = Dice(7)
    for _ in 0..<200 {
      let rate = [8000, 44_100, 48_000, 192_000][Int(dice.number(0..<4))]
      let now = dice.number(Int64(0)..<1_000_000_000_000)
      let left = dice.number(Int64(1)..<400_000_000)
      var lead = LeadIn(to: now + left)
      let frames = Int((Double(left) * Double(rate) / 1e9).rounded())
      let delay = Int(dice.number(0..<Int64(rate / 5)))
      var silence = 0
      while case .silence(let count) = lead.step(
        at: now, delay: delay + silence, sampleRate: rate, takesAll: false)
      {
        silence += count
      }
      #expect(silence == max(0, frames - delay))
    }
    var file = LeadIn(to: 2_000_000_000)
    #expect(
      file.step(at: 1_000_000_000, delay: 0, sampleRate: 8000, takesAll: true)
        == .hold(milliseconds: 1001))
    #expect(file.step(at: 2_000_000_000, delay: 0, sampleRate: 8000, takesAll: true) == .begin)
  }

  // MARK: Preparing

  @Test("a prepared player has opened its item and its device, and plays nothing")
  func prepares() async throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    try await player.prepareToPlay()
    #expect(player.device.format == device.format && device.playedFrames == 0)
    #expect(player.timeControlStatus == .paused && device.state.withLock { $0.openings } == 1)
    try await player.prepareToPlay()
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == (try item.exported()))
    #expect(device.state.withLock { $0.openings } == 1)
  }

  @Test("what cannot be prepared says why")
  func failsToPrepare() async throws {
    let nothing = try Player(opening: MemoryDevice().opener)
    await #expect(throws: Failure.self) { try await nothing.prepareToPlay() }
    let item = try QueuePlayerTests.items()[1]
    let player = try Player(item) { _ throws(Failure) in
      throw Failure(.mendMachine, "the device is not there; plug it in")
    }
    let failure = await #expect(throws: Failure.self) { try await player.prepareToPlay() }
    #expect(failure?.message == "the device is not there; plug it in")
    let folder = TestFolder()
    try writeFile(folder.path("gone.ogg"), readFile(Fixture.path("feelings.ogg")))
    let gone = try await PlayerItem(contentsOf: FilePath(folder.path("gone.ogg")))
    unlink(folder.path("gone.ogg"))
    let other = try Player(gone, opening: MemoryDevice().opener)
    let absence = await #expect(throws: Failure.self) { try await other.prepareToPlay() }
    #expect(absence?.path?.lastComponent == "gone.ogg")
    #expect(gone.status == .failed && gone.failure == absence)
  }

  @Test("until its device is open a player waits for it, and does not say that it plays")
  func opens() throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: 10_000)
    let isOpen = Mutex(false)
    let player = try Player(item) { request throws(Failure) in
      while !isOpen.withLock({ $0 }) { usleep(1000) }
      return try device.opener(request)
    }
    let reader = SequenceReader(player.events)
    player.play()
    try wait(until: "it is reported") { !reader.elements.isEmpty }
    #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    #expect(player.reasonForWaitingToPlay == .openingDevice && player.isPlaying)
    isOpen.withLock { $0 = true }
    _ = try reader.elements(until: "it plays") { element in
      if case .timeControlStatusChanged(.playing, nil) = element { true } else { false }
    }
    let statuses = reader.elements.compactMap { element -> Player.TimeControlStatus? in
      if case .timeControlStatusChanged(let status, _) = element { status } else { nil }
    }
    #expect(statuses == [.waitingToPlayAtSpecifiedRate, .playing])
  }

  @Test("a cancelled task does not wait for a device that hangs")
  func cancelsPreparation() async throws {
    let item = try QueuePlayerTests.items()[1]
    let isOver = Mutex(false)
    let player = try Player(item) { _ throws(Failure) in
      while !isOver.withLock({ $0 }) { usleep(1000) }
      throw Failure(.tryAgain, "the device is in use; end the program that has it")
    }
    let task = Task { try await player.prepareToPlay() }
    task.cancel()
    let taskFailure = await #expect(throws: Failure.self) { try await task.value }
    #expect(taskFailure?.code == .cancelled)
    isOver.withLock { $0 = true }
  }

  @Test("a player without an opener belongs to the session of the process")
  func opensTheUsual() throws {
    let player = try Player()
    #expect(AudioSession.sharedInstance().core.players.contains { $0 === player })
    let other = try QueuePlayer(items: [], opening: MemoryDevice().opener)
    #expect(!AudioSession.sharedInstance().core.players.contains { $0 === other })
  }
}
