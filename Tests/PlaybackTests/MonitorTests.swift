import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite("Monitor of a recording") struct MonitorTests {
  private let folder = TestFolder()

  private func noise(_ count: Int) -> [UInt8] {
    var dice = Dice(4)
    return dice.bytes(count)
  }

  private func recorder(
    _ microphone: MemoryMicrophone, _ opener: @escaping SinkOpener
  ) throws -> Recorder {
    try Recorder(
      to: FilePath(folder.path("a.wav")), settings: RecordingSettings(), clock: microphone.clock,
      monitor: try RecordingMonitor(opening: opener), opening: microphone.opener)
  }

  private var recorded: [UInt8] {
    get throws {
      try Tool.succeed("ffmpeg", "-v", "error", "-i", folder.path("a.wav"), "-f", "s16le", "-")
        .output
    }
  }

  @Test("what is recorded is heard, sample by sample, and the delay is told")
  func heard() throws {
    let sound = noise(20_000 * 4)
    let microphone = MemoryMicrophone(sound, mishaps: [(0, .holds), (3000, .holds)])
    // It holds all of it, and starts to play with the first write.
    let device = MemoryDevice(.int16, buffer: 100_000, holdingAt: 0)
    let recorder = try recorder(microphone, device.opener)
    try recorder.record()
    try wait(until: "the monitor's device is open") {
      device.state.withLock { $0.openings } == 1
    }
    try microphone.waitUntilQuiet()
    microphone.release()
    try microphone.waitUntilQuiet()
    try wait(until: "the delay is known") {
      recorder.monitor?.latency == Time(frames: 3000, rate: 48_000)
    }
    device.state.withLock { $0.limit = nil }
    try device.waitUntilPlayed(2400)
    microphone.release()
    try microphone.waitUntilQuiet()
    recorder.stop()
    #expect(try recorder.finished().losses == [])
    #expect(try recorded == sound)
    let count = min(device.bytes.count, 2400 * 4)
    #expect(device.bytes.prefix(count) == sound.prefix(count))
  }

  @Test("a monitor that hangs, or has no device, costs the recording nothing, and is told")
  func hangs() throws {
    let sound = noise(200_000 * 4)
    let refusal = Failure(.mendMachine, "it is not there; connect it")
    for isThere in [true, false] {
      let hanging = HangingOpener(isThere ? nil : refusal)
      let microphone = MemoryMicrophone(sound, mishaps: [(1000, .holds)])
      let recorder = try Recorder(
        to: FilePath(folder.path("\(isThere).wav")), settings: RecordingSettings(),
        clock: microphone.clock, monitor: try RecordingMonitor(opening: hanging.opener),
        opening: microphone.opener)
      try recorder.record()
      try wait(until: "the monitor is opened") { hanging.count.load(ordering: .relaxed) > 0 }
      try microphone.waitUntilQuiet()
      microphone.release()
      try microphone.waitUntilQuiet()
      if !isThere {
        try wait(until: "the reason is told") { recorder.monitor?.failure == refusal }
      }
      #expect(recorder.monitor?.latency == nil)
      recorder.stop()
      let recording = try recorder.finished()
      #expect(recording.frameCount == 200_000)
      #expect(recording.losses == [])
      hanging.release()
    }
  }

  @Test("a device of another rate is refused by name")
  func otherRate() throws {
    let microphone = MemoryMicrophone(noise(4000))
    let recorder = try recorder(microphone, MemoryDevice(rate: 44_100).opener)
    try recorder.record()
    try wait(until: "the reason is told") { recorder.monitor?.failure != nil }
    #expect(
      recorder.monitor?.failure?.message
        == "the monitor's device plays 44100 Hz, and 48000 Hz are recorded; choose another device, "
        + "or record at that rate")
    recorder.stop()
    _ = try recorder.finished()
  }

  // MARK: Clocks

  /// A second of a sine, and the largest step between two samples of it.
  private let step: Float = 2 * .pi * 200 / 48_000

  @Test(
    "where clocks differ, the delay stays within bounds, and nothing clicks",
    arguments: [-0.01, -0.0003, 0, 0.0003, 0.01])
  func drift(difference: Double) {
    var queue = MonitorQueue(channelCount: 1, sampleRate: 48_000)
    var pacer = MonitorPacer(sourcePeriod: 240, sinkPeriod: 240, sampleRate: 48_000)
    let block = AudioBuffer(channelCount: 1, capacity: 240)
    let out = AudioBuffer(channelCount: 1, capacity: 400)
    var (frame, due, heard, corrected) = (0, 0.0, [Float](), 0)
    for number in 0..<12_000 {
      block.frameCount = 240
      for index in 0..<240 {
        block.planes[0][index] = sinf(step * Float((frame + index) % 240_000))
      }
      frame += 240
      #expect(queue.append(block) == 0)
      // The device starts with a full measure.
      guard number > 2 else { continue }
      let correction = pacer.correction(after: 240, held: queue.count)
      if correction < 0 { corrected -= queue.playTwice(-correction) }
      if correction > 0 { corrected += queue.leaveOut(correction) }
      due += 240 * (1 + difference)
      let wanted = Int(due)
      due -= Double(wanted)
      let count = queue.take(wanted, into: out.planes[0], channels: 1, planeCapacity: 400)
      #expect(count == wanted)
      for index in 0..<count { heard.append(out.planes[0][index]) }
      #expect(queue.count < 2 * pacer.target)
    }
    let largest = zip(heard, heard.dropFirst()).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
    // A cross-fade of 96 frames adds at most its share to the step of the sine.
    #expect(largest < step + 2 / 96)
    #expect(difference == 0 ? corrected == 0 : (corrected > 0) == (difference < 0))
  }

  @Test("left-out and repeated frames are counted, and the sound behind them is unchanged")
  func corrections() {
    let block = AudioBuffer(channelCount: 2, capacity: 5000)
    block.frameCount = 5000
    for index in 0..<5000 {
      block.planes[0][index] = Float(index)
      block.planes[1][index] = Float(-index)
    }
    let out = AudioBuffer(channelCount: 1, capacity: 20_000)
    for wanted in [10, 96, 1000, 4990] {
      var queue = MonitorQueue(channelCount: 2, sampleRate: 48_000)
      _ = queue.append(block)
      let left = queue.leaveOut(wanted)
      #expect(left == min(wanted, 4904))
      var count = queue.take(9000, into: out.planes[0], channels: 2, planeCapacity: 10_000)
      #expect(count == 5000 - left)
      for index in 96..<count {
        #expect(out.planes[0][index] == Float(index + left))
        #expect(out.planes[0][10_000 + index] == Float(-index - left))
      }
      queue = MonitorQueue(channelCount: 2, sampleRate: 48_000)
      _ = queue.append(block)
      let more = queue.playTwice(wanted)
      #expect(more == min(wanted, 4904))
      count = queue.take(9999, into: out.planes[0], channels: 2, planeCapacity: 10_000)
      #expect(count == 5000 + more)
      for index in 0..<more { #expect(out.planes[0][index] == Float(index)) }
      for index in (more + 96)..<count { #expect(out.planes[0][index] == Float(index - more)) }
    }
  }
}

/// Opens a sink that waits until it is released, or refuses.
private final class HangingOpener: Sendable {
  let count = Atomic<Int>(0)
  private let isReleased = Atomic<Bool>(false)
  private let refusal: Failure?

  init(_ refusal: Failure?) { self.refusal = refusal }

  var opener: SinkOpener {
    { _ throws(Failure) in
      self.count.wrappingAdd(1, ordering: .relaxed)
      if let refusal = self.refusal { throw refusal }
      while !self.isReleased.load(ordering: .relaxed) { usleep(500) }
      throw Failure(.tryAgain, "it was released")
    }
  }

  func release() { isReleased.store(true, ordering: .relaxed) }
}
