import Glibc
import TestSupport
import Testing

@testable import ALSA

@Suite struct InterruptionTests {
  /// Plays everything; recovers as often as needed, and writes again what that dropped.
  private func play(_ bytes: [UInt8], on device: PCMDevice) throws -> [PCMRecovery] {
    var recoveries: [PCMRecovery] = []
    var position = 0
    while true {
      let (count, end) = device.writeAll(
        Array(bytes.dropFirst(position * device.format.bytesPerFrame)))
      position += count
      guard end == .xrun || end == .suspended, recoveries.count < 100 else { break }
      recoveries.append(try device.recover())
      if case .prepared(let dropped)? = recoveries.last { position -= dropped }
    }
    #expect(position * device.format.bytesPerFrame == bytes.count)
    #expect(try device.drainAll())
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

  @Test("A device without sound has an xrun: a wait ends, and the next write reports it")
  func starved() throws {
    let device = try Card("speed 50").open()
    let bytes = sound(device.format.periodFrames * device.format.bytesPerFrame)
    _ = device.writeAll(bytes)
    try device.waitUntilStopped()
    #expect(device.state == .xrun)
    #expect(device.wait(upTo: .seconds(600)) == .ready)
    #expect(device.delay() == nil)
    #expect(device.writeAll(bytes).end == .xrun)
    #expect(try device.recover() == .prepared(droppedFrames: 0))
    #expect(device.writeAll(bytes).end == .transferred(device.format.periodFrames))
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

  @Test("After a suspend, hardware that keeps nothing is empty, and the loss is reported")
  func notResumed() throws {
    let card = try Card("speed 50 stall yes suspend_at 12345")
    let device = try card.open()
    let bytes = sound(60_000 * device.format.bytesPerFrame)
    let recoveries = try play(bytes, on: device)
    #expect(recoveries.count == 1)
    #expect(recoveries.first != .resumed)
    #expect(card.hasHeard(bytes))
    #expect(
      card.events == ["open", "transfer", "start", "suspend", "transfer", "start", "drained"])
  }

  @Test("A suspend in a drain is no end of it", arguments: ["no", "yes"])
  func suspendedDrain(resumes: String) throws {
    let card = try Card("speed 50 stall yes suspend_at 5000 resume \(resumes)")
    let device = try card.open()
    // All of it before the first frame is played.
    let count = device.format.bufferFrames
    let bytes = sound(count * device.format.bytesPerFrame)
    #expect(device.writeAll(bytes, chunk: count).end == .transferred(count))
    do {
      _ = try device.drainAll()
      Issue.record("it slept")
    } catch {
      #expect(error.code == ESTRPIPE)
    }
    if case .prepared(let dropped) = try device.recover() {
      #expect(resumes == "no")
      #expect(dropped == count - 5000)
      let rest = Array(bytes.suffix(dropped * device.format.bytesPerFrame))
      #expect(device.writeAll(rest).end == .transferred(dropped))
    }
    #expect(try device.drainAll())
    #expect(card.hasHeard(bytes))
  }

  @Test("An unplugging in a drain is reported as such")
  func unpluggedDrain() throws {
    let device = try Card("speed 50 stall yes unplug_at 5000").open()
    let count = device.format.bufferFrames
    let bytes = sound(count * device.format.bytesPerFrame)
    #expect(device.writeAll(bytes, chunk: count).end == .transferred(count))
    do {
      _ = try device.drainAll()
      Issue.record("it is not there")
    } catch {
      #expect(error.kind == .absent)
    }
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
      #expect(throws: ALSAError.self) { try device.drain() }
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
    #expect(try device.drainAll())
    #expect(card.hasHeard(bytes))
    #expect(
      card.events == [
        "open", "transfer", "start", "unplug", "close", "open", "transfer", "start", "drained",
      ])
  }

  @Test("A device that is unplugged while it is full ends the wait for it")
  func unpluggedInWait() throws {
    let card = try Card("speed 0.000001 unplugged \"$/unplugged\"")
    let device = try card.open()
    _ = device.writeAll(sound(device.format.bufferFrames * device.format.bytesPerFrame))
    try writeFile(card.folder.path("unplugged"), [])
    #expect(device.wait(upTo: .seconds(600)) == .ready)
    #expect(device.writeAll(sound(device.format.bytesPerFrame)).end == .gone(ENODEV))
  }

  @Test("Kinds of errors follow the reactions to them")
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
