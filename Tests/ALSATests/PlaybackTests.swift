import Glibc
import TestSupport
import Testing
import Threads

@testable import ALSA

@Suite struct PlaybackTests {
  private static let fast = "speed 50 stall yes "

  @Test("Written sound comes out of the device, bit for bit, in pieces of any size")
  func content() throws {
    for (chunk, format) in [
      (7, "S16_LE"), (480, "S24_3LE"), (4096, "FLOAT_LE"), (100_000, "S32_LE"),
    ] {
      let card = try Card(Self.fast + "formats [ \(format) ]")
      let device = try card.open()
      let bytes = sound(30_001 * device.format.bytesPerFrame)
      #expect(device.writeAll(bytes, chunk: chunk).end == .transferred(30_001))
      #expect(try device.drainAll())
      #expect(card.hasHeard(bytes))
      #expect(card.events == ["open", "transfer", "start", "drained"])
    }
  }

  @Test("alsa-lib's own file plugin gets the written sound")
  func filePlugin() throws {
    let card = try Card(
      others: [
        "sink": "type null",
        "out": "type file slave.pcm sink file \"$/out.raw\" format raw",
      ])
    let bytes: [UInt8]
    do {
      let device = try card.open("out")
      bytes = sound(20_000 * device.format.bytesPerFrame)
      #expect(device.writeAll(bytes).end == .transferred(20_000))
      #expect(try device.drainAll())
      #expect(device.state == .prepared)
    }
    #expect(try readFile(card.folder.path("out.raw")) == bytes)
  }

  @Test("A device starts with the frame that fills its start threshold, and with none before")
  func startThreshold() throws {
    let device = try Card("speed 0.000001").open()
    let bytes = sound(device.format.periodFrames * device.format.bytesPerFrame)
    let most = device.format.periodFrames - 1
    #expect(device.writeAll(Array(bytes.prefix(most * device.format.bytesPerFrame))).count == most)
    #expect(device.state == .prepared)
    #expect(device.delay() == most)
    _ = device.writeAll(sound(device.format.bytesPerFrame))
    #expect(device.state == .running)
  }

  @Test("A full device takes a part, and then nothing")
  func full() throws {
    let device = try Card("speed 0.000001").open()
    let bytes = sound(2 * device.format.bufferFrames * device.format.bytesPerFrame)
    let outcomes = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { start in
        (0..<2).map { _ in device.write(start, count: 2 * device.format.bufferFrames) }
      }
    }
    #expect(outcomes == [.transferred(device.format.bufferFrames), .notReady])
    #expect(device.wait(upTo: .milliseconds(20)) == .timedOut)
  }

  @Test("A wakeUp ends a wait that is under way, and each that comes, until it is cleared")
  func wakeUp() throws {
    let card = try Card("speed 0.000001")
    let device = try card.open()
    _ = device.writeAll(sound(device.format.bufferFrames * device.format.bytesPerFrame))
    let wakeUp = card.wakeUp
    wakeUp.signal()
    for _ in 0..<2 { #expect(device.wait(upTo: .seconds(600), or: wakeUp.descriptor) == .woken) }
    wakeUp.clear()
    #expect(device.wait(upTo: .zero, or: wakeUp.descriptor) == .timedOut)
    let thread = try Thread.spawn(name: "wakeUp") { wakeUp.signal() }
    #expect(device.wait(upTo: .seconds(600), or: wakeUp.descriptor) == .woken)
    thread.join()
  }

  @Test("An order comes before sound: a woken wait reports it, also with room")
  func wokenFirst() throws {
    let card = try Card("speed 50 stall yes")
    let device = try card.open()
    _ = device.writeAll(sound(device.format.periodFrames * device.format.bytesPerFrame))
    #expect(device.wait(upTo: .seconds(600)) == .ready)
    card.wakeUp.signal()
    #expect(device.wait(upTo: .seconds(600), or: card.wakeUp.descriptor) == .woken)
    card.wakeUp.clear()
    #expect(device.wait(upTo: .seconds(600), or: card.wakeUp.descriptor) == .ready)
  }

  @Test("A drop falls silent, gives the number of lost frames, and is ready for others")
  func drop() throws {
    let card = try Card(Self.fast)
    let device = try card.open()
    let bytes = sound(40_000 * device.format.bytesPerFrame)
    let written = device.writeAll(bytes).count
    let dropped = try device.drop()
    #expect(device.state == .prepared)
    #expect(device.delay() == 0)
    let heard = card.heard
    #expect(heard.count / device.format.bytesPerFrame == written - dropped)
    #expect(heard == Array(bytes.prefix(heard.count)))
    let more = sound(5000 * device.format.bytesPerFrame, seed: 2)
    #expect(device.writeAll(more).end == .transferred(5000))
    #expect(try device.drainAll())
    #expect(card.hasHeard(heard + more))
  }

  @Test("A hundred drops at random moments lose just the reported frames, as seeks will")
  func randomDrops() throws {
    let card = try Card(Self.fast + "formats [ S16_LE ]")
    let device = try card.open()
    var dice = Dice(7)
    var expected: [UInt8] = []
    for round in 0..<100 {
      let bytes = sound(Int(dice.number(1..<30_000)) * 4, seed: UInt64(round))
      let (count, end) = device.writeAll(bytes, chunk: Int(dice.number(1..<20_000)))
      #expect(end == .transferred(count))
      if Bool.random(using: &dice) { _ = device.wait(upTo: .microseconds(200)) }
      expected += bytes.prefix((count - (try device.drop())) * 4)
    }
    #expect(card.hasHeard(expected))
  }

  @Test("A drain below the start threshold plays the frames; an empty one is over at once")
  func drainLittle() throws {
    let card = try Card(Self.fast)
    let device = try card.open()
    #expect(try device.drainAll())
    let bytes = sound(5 * device.format.bytesPerFrame)
    #expect(device.writeAll(bytes).count == 5)
    #expect(try device.drainAll())
    #expect(card.hasHeard(bytes))
    #expect(device.state == .prepared)
  }

  @Test("A drain waits for nothing, and can be dropped while it is not over")
  func drainEnds() throws {
    let card = try Card("speed 0.000001")
    let device = try card.open()
    _ = device.writeAll(sound(2000 * device.format.bytesPerFrame))
    for _ in 0..<2 {
      #expect(try !device.drain())
      #expect(device.state == .draining)
    }
    try device.drop()
    #expect(device.state == .prepared)
  }
}
