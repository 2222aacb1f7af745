import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Mu-law")
struct MuLawTests {
  @Test("each byte is decoded and encoded as itself, and both zeros keep their signs")
  func bytes() throws {
    let folder = TestFolder()
    var dice = Dice(5)
    let bytes: [UInt8] = (0..<20_000).map { _ in
      dice.number(0..<4) == 0 ? 0x7F : UInt8(dice.number(0..<256))
    }
    try writeFile(folder.path("a.raw"), bytes)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "mulaw", "-ar", "8000", "-ac", "2", "-i",
      folder.path("a.raw"), "-c", "copy", folder.path("a.wav"))
    let demuxer = try Demuxer.open(FileBytes(FilePath(folder.path("a.wav"))), named: "a.wav")
    let decoder = try Decoder.open(try #require(demuxer.streams.first), removesPadding: false)
    let encoder = try Encoder.open(.muLaw, sampleRate: 8000, channelMask: 3)
    let (frame, converter) = (try Frame(), FrameConverter())
    let planes = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    for channel in 0..<2 { planes[channel] = .allocate(capacity: bytes.count) }
    defer {
      for channel in 0..<2 { planes[channel].deallocate() }
      planes.deallocate()
    }
    var count = 0
    while let packet = try demuxer.read() {
      try decoder.send(packet)
      while try decoder.receive(into: frame) {
        // In two parts, of which the second begins within the frame.
        let half = frame.sampleCount / 2
        try converter.convert(frame, from: 0, count: half, into: planes, at: count)
        try converter.convert(
          frame, from: half, count: frame.sampleCount - half, into: planes, at: count + half)
        count += frame.sampleCount
      }
    }
    #expect(count == bytes.count / 2)
    for index in bytes.indices where planes[index % 2][index / 2] == 0 {
      let isNegative = planes[index % 2][index / 2].sign == .minus
      #expect(isNegative == (bytes[index] == 0x7F))
    }
    #expect(try encoded(planes, count, by: encoder) == bytes)
  }

  private func encoded(
    _ planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ count: Int, by encoder: Encoder
  ) throws -> [UInt8] {
    var (found, done) = ([UInt8](), 0)
    func take() throws {
      while let packet = try encoder.next() { packet.withBytes { found += $0 } }
    }
    while done < count {
      // Several parts go into one frame.
      let length = min(encoder.room, count - done, 700)
      try encoder.fill(length) { _, destination in
        let samples = destination.bindMemory(to: Int16.self, capacity: 2 * length)
        for index in 0..<2 * length {
          samples[index] = Int16(planes[index % 2][done + index / 2] * 0x8000)
        }
      }
      encoder.keepNegativeZeros(length, of: planes, from: done)
      done += length
      guard encoder.room == 0 else { continue }
      try encoder.submit()
      try take()
    }
    try encoder.finish()
    try take()
    return found
  }
}
