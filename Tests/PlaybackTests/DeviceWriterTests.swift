import Diagnosis
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct DeviceWriterTests {
  /// A writer on a thread of its own, with an open device.
  private struct RunningWriter {
    let writer: DeviceWriter
    let format: SinkFormat
    let ring: SlotRing
    private let thread: Thread

    init(_ opener: @escaping SinkOpener) throws {
      let writer = try DeviceWriter(opener)
      self.writer = writer
      thread = try Thread.spawn(name: "playback-write") { writer.run() }
      writer.open(SinkRequest(sampleRate: 48_000, channelCount: 2))
      var opened: (SinkFormat, SlotRing)?
      try wait(until: "the device is open") {
        if case .open(let format, let ring) = writer.device { opened = (format, ring) }
        return opened != nil
      }
      (format, ring) = try #require(opened)
    }

    func end() {
      writer.end()
      thread.join()
    }
  }

  @Test("sound reaches the device while another thread holds the writer's lock")
  func lock() throws {
    // It has room at all times.
    let device = MemoryDevice()
    let running = try RunningWriter(device.opener)
    defer { running.end() }
    let (writer, format, ring) = (running.writer, running.format, running.ring)
    var index: Int64 = 0
    let heard = try writer.shared.withLock { _ -> Int64 in
      for round in 0..<100 {
        ring.filled.slots.fill { slot in
          slot.index = index
          slot.frameCount = ring.slotFrames
        }
        index += Int64(ring.slotFrames)
        writer.setLevels(DeviceSampleConverter.Levels(volume: Float(round % 3), pan: 0.5))
        writer.notifyFilled()
        try wait(until: "the writer has taken the slot") { ring.played.slots.first == nil }
      }
      return index
    }
    #expect(heard == 100 * Int64(ring.slotFrames))
    #expect(writer.counts.progress.written == heard)
    #expect(format.channelCount == 2)
  }

  @Test("a device plays what it holds while the next sound is awaited, and then the next sound")
  func playsOut() throws {
    let device = MemoryDevice(holdingAt: 0)
    let running = try RunningWriter(device.opener)
    defer { running.end() }
    let (writer, ring) = (running.writer, running.ring)
    func fill(_ index: Int64) {
      ring.filled.slots.fill { slot in (slot.index, slot.frameCount) = (index, ring.slotFrames) }
      writer.notifyFilled()
    }
    let frames = ring.slotFrames
    fill(0)
    writer.awaitSound(true)
    try wait(until: "the device drains") { device.state.withLock { $0.drains > 0 } }
    fill(Int64(frames))
    writer.awaitSound(false)
    device.goOn()
    try device.waitUntilPlayed(2 * frames)
    #expect(writer.counts.finished.load(ordering: .acquiring) == -1)
    #expect(writer.counts.xruns.load(ordering: .relaxed) == 0)
  }

  /// A sink that always holds 200 ms, and counts how often it is asked for that.
  private final class FullSink: AudioSink {
    let format = SinkFormat(
      sampleRate: 48_000, channelCount: 2, encoding: .float32, periodFrames: 960,
      bufferFrames: 9600)
    private let looks: Counter

    init(_ looks: Counter) { self.looks = looks }

    var delay: Int {
      looks.add(1)
      return 9600
    }

    func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome { .wrote(count) }
    func wait(or descriptor: Int32, milliseconds: Int32) {}
    func drop() {}
    func drain() -> Bool { true }
  }

  @Test("what a device holds is looked at again before it can be over, also if no sound is awaited")
  func looksInTime() throws {
    let looks = Counter()
    let running = try RunningWriter { _ throws(Failure) in FullSink(looks) }
    defer { running.end() }
    let (writer, ring) = (running.writer, running.ring)
    ring.filled.slots.fill { slot in (slot.index, slot.frameCount) = (0, ring.slotFrames) }
    writer.notifyFilled()
    try wait(until: "the writer has taken the slot") { ring.played.slots.first == nil }
    let before = looks.value
    try wait(until: "the writer looks again and again") { looks.value >= before + 3 }
  }

  @Test("a sink that is requested while another one opens is the one that is opened at last")
  func overtaken() throws {
    let attempts = Counter()
    let mayOpen = Counter()
    let writer = try DeviceWriter { request throws(Failure) in
      attempts.add(1)
      try? wait(until: "the device may open") { mayOpen.value > 0 }
      return try MemoryDevice(rate: request.sampleRate, channels: request.channelCount)
        .opener(request)
    }
    let thread = try Thread.spawn(name: "playback-write") { writer.run() }
    defer {
      mayOpen.add(1)
      writer.end()
      thread.join()
    }
    writer.open(SinkRequest(sampleRate: 8000, channelCount: 1))
    try wait(until: "the first one opens") { attempts.value > 0 }
    writer.open(SinkRequest(sampleRate: 44_100, channelCount: 2))
    mayOpen.add(1)
    try wait(until: "the device is open in the second format") {
      if case .open(let format, _) = writer.device { format.sampleRate == 44_100 } else { false }
    }
    #expect(attempts.value == 2)
  }
}
