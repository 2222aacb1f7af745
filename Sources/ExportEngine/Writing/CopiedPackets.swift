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
  /// How many the decoder refuses.
  let refused: Int
  /// Frames that it makes of the others.
  let frames: Int64

  /// Reads and decodes the first sound of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: Its name in messages.
  ///   - cancellation: Once set, reading throws.
  /// - Returns: What is in it.
  /// - Throws: `mendMachine` where it cannot be read, `tryAgain` once cancelled.
  static func read(
    _ path: FilePath, named name: FilePath, _ cancellation: CancellationFlag
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
      var (hasher, count, refused, frames) = (Hasher(), 0, 0, Int64(0))
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
          refused += 1
        }
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
