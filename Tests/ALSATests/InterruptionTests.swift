import Glibc
import TestSupport
import Testing

@testable import ALSA

@Suite struct InterruptionTests {
  /// Plays everything, and recovers as often as needed; the recoveries.
  private func play(_ bytes: [UInt8], on device: PCMDevice) throws -> [PCMRecovery] {
    var recoveries: [PCMRecovery] = []
    var rest = bytes
    while true {
      let (count, end) = device.writeAll(rest)
      rest.removeFirst(count * device.format.bytesPerFrame)
      guard end == .xrun || end == .suspended, recoveries.count < 100 else { break }
      recoveries.append(try device.recover())
    }
    #expect(rest.isEmpty)
    #expect(try device.drain(upTo: .seconds(60)) == .drained)
    return recoveries
  }

  @Test("After an xrun the device takes sound again, and nothing that was written is lost")
  func xrun() throws {
    let card = try Card("speed 50 stall yes xrun_at 12345")
    let device = try card.open()
    let bytes = sound(60_000 * device.format.bytesPerFrame)
    #expect(try play(bytes, on: device) == [.prepared(droppedFrames: 0)])
    #expect(card.hasHeard(bytes))
    #expect(
      card.events == ["open", "transfer", "start", "xrun", "transfer", "start", "drained"])
  }

  @Test("A device that nobody feeds has an xrun: a wait ends, and the next write says so")
  func starved() throws {
    let device = try Card("speed 50").open()
    let bytes = sound(device.format.startFrames * device.format.bytesPerFrame)
    _ = device.writeAll(bytes)
    while device.state == .running { _ = device.wait(upTo: .seconds(60)) }
    #expect(device.state == .xrun)
    #expect(device.wait(upTo: .seconds(600)) == .ready)
    #expect(device.delay() == nil)
    #expect(device.available() == nil)
    #expect(device.writeAll(bytes).end == .xrun)
    #expect(try device.recover() == .prepared(droppedFrames: 0))
    #expect(device.writeAll(bytes).end == .transferred(device.format.startFrames))
  }

  @Test("After a suspend, hardware that keeps its frames goes on with them")
  func resumed() throws {
    let card = try Card("speed 50 stall yes suspend_at 12345 resume yes")
    let device = try card.open()
    let bytes = sound(60_000 * device.format.bytesPerFrame)
    #expect(try play(bytes, on: device) == [.resumed])
    #expect(card.hasHeard(bytes))
    #expect(
      card.events == ["open", "transfer", "start", "suspend", "resume", "drained"])
  }

  @Test("After a suspend, hardware that keeps nothing is prepared again, as after an xrun")
  func notResumed() throws {
    let card = try Card("speed 50 stall yes suspend_at 12345")
    let device = try card.open()
    let bytes = sound(60_000 * device.format.bytesPerFrame)
    let recoveries = try play(bytes, on: device)
    #expect(recoveries.count == 1)
    #expect(recoveries.first != .resumed)
    // Up to the suspend, and again from the first frame that was written after it.
    let (heard, frame) = (card.heard, device.format.bytesPerFrame)
    #expect(heard.prefix(12345 * frame) == bytes.prefix(12345 * frame))
    #expect(heard.dropFirst(12345 * frame) == bytes.suffix(heard.count - 12345 * frame))
    #expect(heard.count < bytes.count)
  }

  @Test("An unplugged device is gone until it is there again, and then goes on at its position")
  func unplugged() throws {
    let card = try Card("speed 50 stall yes unplug_at 12345 unplugged \"$/unplugged\"")
    let frame = 8
    let bytes = sound(60_000 * frame)
    do {
      let device = try card.open()
      #expect(device.writeAll(bytes).end == .gone(ENODEV))
      #expect(device.state == .disconnected)
      #expect(device.wait(upTo: .seconds(600)) == .ready)
      #expect(device.delay() == nil)
      #expect(throws: ALSAError.self) { try device.drop() }
      #expect(throws: ALSAError.self) { try device.recover() }
      #expect(throws: ALSAError.self) { try device.drain(upTo: .seconds(60)) }
    }
    do {
      _ = try card.open()
      Issue.record("it is not there")
    } catch {
      #expect(error.kind == .absent)
      #expect(error.description == "card: No such device (snd_pcm_open_lconf)")
    }
    remove(card.folder.path("unplugged"))
    let device = try card.open()
    #expect(device.writeAll(Array(bytes.dropFirst(12345 * frame))).count == 60_000 - 12345)
    #expect(try device.drain(upTo: .seconds(60)) == .drained)
    #expect(card.hasHeard(bytes))
    #expect(
      card.events == [
        "open", "transfer", "start", "unplug", "close", "open", "transfer", "start", "drained",
      ])
  }

  @Test("A device that is unplugged while it is full ends the wait for it")
  func unpluggedInWait() throws {
    let card = try Card("speed 0.001 unplugged \"$/unplugged\"")
    let device = try card.open()
    _ = device.writeAll(sound(device.format.bufferFrames * device.format.bytesPerFrame))
    try writeFile(card.folder.path("unplugged"), [])
    #expect(device.wait(upTo: .seconds(600)) == .ready)
    #expect(device.writeAll(sound(device.format.bytesPerFrame)).end == .gone(ENODEV))
  }

  @Test("Kinds of errors are by what can be done")
  func kinds() {
    func kind(_ code: Int32) -> ALSAError.Kind { ALSAError(code: code, call: "f").kind }
    #expect(kind(ENODEV) == .absent)
    #expect(kind(EIO) == .absent)
    #expect(kind(EBUSY) == .busy)
    #expect(kind(EACCES) == .forbidden)
    #expect(kind(EINVAL) == .unsupported)
    #expect(kind(EMFILE) == .exhausted)
    #expect(kind(EPIPE) == .other)
    #expect(ALSAError(code: EBUSY, call: "f").description == "Device or resource busy (f)")
  }
}
