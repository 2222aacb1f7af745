import Diagnosis
import LibAV
import MediaComposition
import SystemPackage
import Threads

/// The packets of a finished file.
struct CopiedPackets {
  /// Of all of them, in order.
  let digest: Int
  let count: Int
  /// Those that the decoder refuses.
  let refused: Refused
  /// Frames that it makes of the others.
  let frames: Int64

  /// Packets that a decoder does not take.
  struct Refused {
    /// How many they are.
    var count = 0
    /// Where the first ones begin, in frames from the file's first packet on.
    var starts: [Int64] = []

    /// Larger numbers tell nothing more.
    private static let most = 100

    fileprivate mutating func add(_ start: Int64) {
      count += 1
      if starts.count < Self.most { starts.append(start) }
    }
  }

  /// Reads and decodes the first sound of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: Its name in messages.
  ///   - rate: In which places of refused packets are counted.
  ///   - cancellation: Once set, reading throws.
  /// - Returns: What is in it.
  /// - Throws: `mendMachine` where it cannot be read, `tryAgain` once cancelled.
  static func read(
    _ path: FilePath, named name: FilePath, atRate rate: Int, _ cancellation: CancellationFlag
  ) throws(Failure) -> CopiedPackets {
    do throws(LibAVError) {
      let demuxer = try MediaLocation.file(path).demuxer()
      guard let index = demuxer.streams.first(where: \.isAudio)?.index else {
        throw LibAVError.streamMissing
      }
      demuxer.select(stream: index)
      let decoder = try Decoder.open(demuxer.streams[index], removesPadding: false)
      let frame = try Frame()
      let isBare = demuxer.formatName == "aac"
      let base = demuxer.streams[index].timeBase
      var (hasher, count, refused, frames) = (Hasher(), 0, Refused(), Int64(0))
      var ticks: Int64 = 0
      while !cancellation.isCancelled, let packet = try demuxer.read() {
        guard packet.streamIndex == index else { continue }
        // Of a bare stream the demuxer gives packets with their heads.
        let head = isBare ? packet.withBytes { ADTSHead($0) } : nil
        let data = try head?.data(of: packet) ?? packet
        data.hash(into: &hasher)
        count += 1
        do throws(LibAVError) {
          try decoder.send(packet)
          while try decoder.receive(into: frame) { frames += Int64(frame.sampleCount) }
        } catch {
          guard error.isDamage else { throw error }
          refused.add(base.frames(inTicks: ticks, atRate: rate))
        }
        ticks += max(0, packet.duration)
      }
      if !cancellation.isCancelled {
        return CopiedPackets(
          digest: hasher.finalize(), count: count, refused: refused, frames: frames)
      }
    } catch {
      throw Failure(.mendMachine, "cannot be read back: \(error.message)", path: name)
    }
    throw Failure.cancelled(at: .file(name))
  }
}
