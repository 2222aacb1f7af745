import Diagnosis
import Glibc
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

  @Test("a packet of AAC gets another shape of its window, and nothing else changes")
  func shape() throws {
    for packet in try packets(.aac(bitRate: 128_000), seconds: 2) {
      guard let windows = AACWindows(packet) else { continue }
      let other = try AACWindows.packet(packet, withShape: 1 - windows.shape)
      #expect(AACWindows(other)?.shape == 1 - windows.shape)
      #expect(AACWindows(other)?.sequence == windows.sequence)
      let (one, two) = (packet.withBytes { Array($0) }, other.withBytes { Array($0) })
      #expect(one.count == two.count && zip(one, two).count { $0 != $1 } == 1)
    }
  }

  @Test("adapted sound folds under one window as it did under the other", arguments: [true, false])
  func adapted(isFirstHalf: Bool) {
    let sine = (0..<1024).map { sin(.pi / 4096 * Double(2 * $0 + 1)) }
    // Kaiser-Bessel derived, by the sums of a series that is written out.
    let kernel = (0...1024).map { place -> Double in
      let x = .pi * 2 * (1 - pow(Double(place) / 512 - 1, 2)).squareRoot()
      return (1..<40).reduce(1) { sum, term in
        sum + pow((1...term).reduce(1.0) { $0 * x / Double($1) }, 2)
      }
    }
    let total = kernel.reduce(0, +)
    let derived = (0..<1024).map { (kernel[...$0].reduce(0, +) / total).squareRoot() }
    let sound = Signal.noise(seed: 3, count: 1024, amplitude: 0.5)
    for (own, wanted) in [(0, 1), (1, 0), (1, 1)] as [(UInt32, UInt32)] {
      var adapted = sound
      adapted.withUnsafeMutableBufferPointer {
        AACWindowShapes().adapt($0, from: own, to: wanted, isFirstHalf: isFirstHalf)
      }
      func folded(_ sound: [Float], _ shape: UInt32) -> [Double] {
        let rising = shape == 0 ? sine : derived
        let window = isFirstHalf ? rising : rising.reversed()
        return (0..<512).map { place in
          let (one, other) = (place, 1023 - place)
          let sign = isFirstHalf ? -1.0 : 1.0
          return window[one] * Double(sound[one]) + sign * window[other] * Double(sound[other])
        }
      }
      let pairs = zip(folded(adapted, own), folded(sound, wanted))
      #expect(pairs.allSatisfy { abs($0 - $1) < 1e-5 })
      #expect((adapted == sound) == (own == wanted))
    }
  }
}
