import Diagnosis
import LibAV
import Splicing
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Packets that are read or changed on their way into a file")
struct PacketTests {
  /// The packets of two channels of noise that comes and goes.
  private func packets(
    _ codec: LibAV.Encoder.Codec, seconds: Int, channels: Int = 2
  ) throws -> [Packet] {
    let encoder = try LibAV.Encoder.open(
      codec, sampleRate: 44_100, channelMask: channels == 2 ? 3 : 4)
    let noise = Signal.noise(seed: 7, count: 44_100 * seconds, amplitude: 0.5)
    let bursts = noise.enumerated().map { $1 * ($0 / 7001 % 3 == 0 ? 1 : 0.01) }
    let part = LibAVPart<Float>(encoder, at: 0, isFLAC: false)
    let block = AudioBuffer(channelCount: channels, capacity: bursts.count)
    block.fill([bursts, bursts.map { -$0 }].suffix(channels), from: 0, count: bursts.count)
    var packets: [Placed<Packet>] = []
    try part.encode(block.planes, from: 0, count: bursts.count, into: &packets)
    try part.finish(into: &packets)
    return packets.map(\.packet)
  }

  @Test(
    "a frame of FLAC gets any number, and the checksums that go with it",
    arguments: [
      0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x1_0000, 0x1F_FFFF, 0x20_0000, 0x3FF_FFFF,
      0x400_0000, 0x7FFF_FFFF, 0x8000_0000, 0xF_FFFF_FFFF,
    ] as [UInt64])
  func numbers(number: UInt64) throws {
    for packet in try packets(.flac(bitDepth: 16), seconds: 1) where packet.size > 0 {
      let frame = try FLACFrame.numbered(packet, number)
      let bytes = frame.withBytes { Array($0) }
      let head = try #require(FLACFrameHead(bytes[...], blockSize: 4608))
      #expect(head.sample == Int64(number) * 4608)
      // Over a frame with its own checksum, the sum is zero.
      #expect(bytes.withUnsafeBytes { Checksum.crc16($0) } == 0)
      let back = try FLACFrame.numbered(frame, head.sample == 0 ? 0 : 3)
      let again = try FLACFrame.numbered(back, number)
      #expect(again.withBytes { Array($0) } == bytes)
    }
  }

  @Test("the windows of AAC follow one another as the standard lets them", arguments: [1, 2])
  func windows(channels: Int) throws {
    let packets = try packets(.aac(bitRate: 64_000 * channels), seconds: 5, channels: channels)
    let windows = packets.compactMap { packet in packet.withBytes { AACWindows($0) } }
    try #require(windows.count * 10 > packets.count * 9)
    // Long or stop; then long or start. Start or short; then short or stop.
    for (one, next) in zip(windows, windows.dropFirst()) {
      #expect([0, 3].contains(one.sequence) == [0, 1].contains(next.sequence))
    }
    #expect(Set(windows.map(\.sequence)) == [0, 1, 2, 3])
    #expect([UInt8]().withUnsafeBytes { AACWindows($0) } == nil)
  }
}
