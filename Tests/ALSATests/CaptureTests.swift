import TestSupport
import Testing

@testable import ALSA

@Suite struct CaptureTests {
  /// A card that records `bytes` of stereo in 16 bits, with what a definition says beside it.
  private func card(recording bytes: [UInt8], _ definition: String) throws -> Card {
    let card = try Card("file \"$/source\" formats [ S16_LE ] rates [ 48000 ] " + definition)
    try writeFile(card.folder.path("source"), bytes)
    return card
  }

  @Test("Recorded sound is read bit for bit, then silence")
  func content() throws {
    let bytes = sound(30_001 * 4)
    let card = try card(recording: bytes, "speed 50 stall yes")
    let device = try card.open("card", .capture)
    #expect(device.format.sampleFormat == .int16)
    try device.start()
    #expect(device.readAll(30_001).bytes == bytes)
    #expect(device.readAll(1000).bytes == [UInt8](repeating: 0, count: 4000))
  }

  @Test("A looped recording begins again; the first read starts the device")
  func loop() throws {
    let bytes = sound(777 * 4)
    let device = try card(recording: bytes, "speed 50 stall yes loop yes").open("card", .capture)
    #expect(device.state == .prepared)
    let read = device.readAll(777 * 3).bytes
    #expect(read == bytes + bytes + bytes)
    #expect(device.state == .running)
  }

  @Test("Sound that is not read is an xrun; after it the device records anew")
  func overrun() throws {
    let bytes = sound(100_000 * 4)
    let device = try card(recording: bytes, "speed 50 stall yes xrun_at 20000")
      .open("card", .capture)
    try device.start()
    let (before, end) = device.readAll(100_000)
    #expect(end == .xrun)
    #expect(before == Array(bytes.prefix(before.count)))
    #expect(try device.recover() == .prepared(droppedFrames: 0))
    try device.start()
    let after = device.readAll(5000).bytes
    #expect(after.count == 5000 * 4)
    // What was in the buffer is lost: it goes on a buffer's length behind what was read.
    let resumes = before.count + device.format.bufferFrames * 4
    #expect(after == Array(bytes[resumes..<(resumes + after.count)]))
  }

  @Test("A device that is not read has an xrun by itself")
  func unread() throws {
    let device = try card(recording: sound(400), "speed 50").open("card", .capture)
    try device.start()
    try device.waitUntilStopped()
    #expect(device.state == .xrun)
    #expect(device.readAll(1).end == .xrun)
  }

  @Test("A wakeUp ends the wait for sound")
  func wakeUp() throws {
    let card = try card(recording: sound(400), "speed 0.000001")
    let device = try card.open("card", .capture)
    try device.start()
    card.wakeUp.signal()
    #expect(device.wait(upTo: .seconds(600), or: card.wakeUp.descriptor) == .woken)
    #expect(device.readAll(0).bytes.isEmpty)
  }
}
