import Glibc
import LibAV
import Splicing
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Packets that are encoded beside copied ones")
struct PacketRunTests {
  private let folder = TestFolder()
  /// Mono, in whole frames: tones that stay, without the pulses of harmonics.
  private let sound: [Float] = {
    let tones = [441, 1310, 2777].map {
      Signal.sine(frequency: $0, sampleRate: 44_100, count: 60 * 1024, amplitude: 0.2)
    }
    return tones[0].indices.map { index in tones.reduce(0) { $0 + $1[index] } }
  }()

  private enum Shape { case own, other, mislabelled }

  @Test("AAC whose windows are of another shape decodes to the same sound, by ffmpeg")
  func shapes() throws {
    let (own, other) = (try error(.own), try error(.other))
    #expect(own < -20 && other < own + 3, "\(own) dB, \(other) dB")
    // Without the change of the sound, aliases stay.
    #expect(try error(.mislabelled) > own + 10)
  }

  /// The error of a stream whose packets come from an encoder each, relative to the sound.
  private func error(_ shape: Shape) throws -> Double {
    let recipe = LibAVRecipe(
      wrapping: .muxer(.m4a), codec: .aac(bitRate: 128_000, substitutesNoise: false),
      sampleRate: 44_100,
      channelMask: 4, isDithered: false, firstFrame: 0, metadata: [], chapters: [])
    var run = RunSound(0..<Int64(sound.count), channelCount: 1, gain: 1)
    let block = AudioBuffer(channelCount: 1, capacity: sound.count)
    block.fill([sound], from: 0, count: sound.count)
    run.add(block.planes, 0..<Int64(sound.count))
    var stream: [UInt8] = []
    for number in 14..<48 as Range<Int64> {
      let place = number * 1024
      let changes = [
        RunLane.Change(start: place, shape: 0, isFirstHalf: true),
        RunLane.Change(start: place + 1024, shape: 0, isFirstHalf: false),
      ]
      let lane = try RunLane(
        recipe, at: place - 11 * 1024, continuing: true, shape == .other ? changes : [],
        AACWindowShapes())
      try lane.encode(to: place + 6 * 1024, from: &run)
      let taken = lane.take(place..<place + 1024).first
      var packet = try #require(taken).packet
      let sequence = AACWindows(packet)?.sequence
      try #require(sequence == 0)
      if shape != .own { packet = try AACWindows.packet(packet, withShape: 0) }
      let size = packet.size + 7
      stream += [
        0xFF, 0xF1, 0x50, UInt8(0x40 | size >> 11), UInt8(size >> 3 & 0xFF),
        UInt8(size << 5 & 0xE0 | 0x1F), 0xFC,
      ]
      stream += packet.withBytes { Array($0) }
    }
    let path = folder.path("\(shape).aac")
    try writeFile(path, stream)
    let decoded = try Tool.succeed("ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-").floats
    var (error, power) = (0.0, 0.0)
    for index in 2048..<30 * 1024 {
      let wanted = Double(sound[14 * 1024 + index])
      error += pow(Double(decoded[index]) - wanted, 2)
      power += wanted * wanted
    }
    return 10 * log10(error / power)
  }
}
