import Diagnosis
import Glibc
import LibAV
import Splicing

/// Finds the packet of a copy before which encoded ones may end, by what a decoder makes of both.
///
/// CELT predicts each band's level from the packet before, by half of it. Where the levels of an
/// encoder's last packet are far from those that the copy's encoder had, the first packets of the copy
/// are too loud or too soft. One thread at a time.
struct CopyMeeting {
  /// The source's stream.
  let stream: LibAV.Stream
  let channelCount: Int
  /// A factor for the sound: decoders apply the gain of an Opus header.
  let gain: Float
  /// Frames of the first sound behind a meeting that are looked at.
  private static let length: Int64 = 960
  /// An error below which a meeting is good, relative to the sound: the codec's own at low bit rates.
  private static let good = -25.0
  /// Packets before a meeting that are decoded: after them, a decoder's state is the encoder's.
  static let warmUp = 8

  /// Chooses among the copy's packets the first that is met well; where none is, the one that is met best.
  ///
  /// - Parameters:
  ///   - encoded: Packets of one encoder, some of them before the run.
  ///   - packets: The first ones of the copy.
  ///   - sound: The output's.
  /// - Returns: Its index.
  /// - Throws: The decoder's error.
  /// - Complexity: O(n²) in the copy's packets
  func choose(
    behind encoded: [Placed<Packet>], among packets: [Placed<Packet>], _ sound: RunSound
  ) throws -> Int {
    var best = (index: 0, error: Double.infinity)
    for (index, packet) in packets.enumerated() {
      let place = packet.frames.lowerBound
      let before = encoded.filter { $0.frames.lowerBound < place }.suffix(Self.warmUp)
      guard before.last?.frames.upperBound == place, packet.frames.count >= Self.length else {
        continue
      }
      let error = try error(of: packet, behind: before.map(\.packet), sound)
      if error < Self.good { return index }
      if error < best.error { best = (index, error) }
    }
    return best.index
  }

  /// The error of what a decoder makes of a packet's beginning, in dB of the sound; of silence, of
  /// −60 dBFS.
  private func error(
    of packet: Placed<Packet>, behind before: [Packet], _ sound: RunSound
  ) throws -> Double {
    let decoder = try Decoder.open(stream, removesPadding: false)
    let (frame, converter) = (try Frame(), FrameConverter())
    for packet in before { _ = try decoder.decode(packet, into: frame) }
    let count = Int(Self.length)
    guard try decoder.decode(packet.packet, into: frame), frame.sampleCount >= count,
      frame.channelCount == channelCount
    else { return .infinity }
    let (made, wanted) = (
      AudioBuffer(channelCount: channelCount, capacity: count),
      AudioBuffer(channelCount: channelCount, capacity: count)
    )
    made.frameCount = count
    try converter.convert(frame, from: 0, count: count, into: made.planes, at: 0)
    sound.copy(from: packet.frames.lowerBound, count: count, into: wanted)
    var (error, power) = (0.0, Double(count * channelCount) * 1e-6)
    for channel in 0..<channelCount {
      for (sample, other) in zip(made.samples(channel), wanted.samples(channel)) {
        error += pow(Double(sample * gain - other), 2)
        power += Double(other) * Double(other)
      }
    }
    return 10 * log10(max(error, 1e-20) / power)
  }
}
