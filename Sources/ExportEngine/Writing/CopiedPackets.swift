import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// The packets of a finished file.
struct CopiedPackets {
  private(set) var count = 0
  /// Those that the decoder refuses.
  private(set) var refused = Refused()
  /// Frames that it makes of the others.
  private(set) var frames: Int64 = 0

  /// Counts packets, of which a decoder makes so many frames.
  mutating func add(_ packetCount: Int, frames: Int64) {
    count += packetCount
    self.frames += frames
  }

  /// Notes a packet that the decoder refuses, and where it begins, in frames from the file's first one on.
  mutating func refuse(at start: Int64) { refused.add(start) }

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
  /// - Returns: What is in it, and a digest of all packets, in order.
  /// - Throws: `mendMachine` where it cannot be read, `tryAgain` once cancelled.
  static func read(
    _ path: FilePath, named name: FilePath, atRate rate: Int, _ cancellation: CancellationFlag
  ) throws(Failure) -> (packets: CopiedPackets, digest: Int) {
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
      var (hasher, found) = (Hasher(), CopiedPackets())
      var ticks: Int64 = 0
      while !cancellation.isCancelled, let packet = try demuxer.read() {
        guard packet.streamIndex == index else { continue }
        // Of a bare stream the demuxer gives packets with their heads.
        let head = isBare ? packet.withBytes { ADTSHead($0) } : nil
        let data = try head?.data(of: packet) ?? packet
        data.hash(into: &hasher)
        found.count += 1
        do throws(LibAVError) {
          try decoder.send(packet)
          while try decoder.receive(into: frame) { found.frames += Int64(frame.sampleCount) }
        } catch {
          guard error.isDamage else { throw error }
          found.refuse(at: base.frames(inTicks: ticks, atRate: rate))
        }
        ticks += max(0, packet.duration)
      }
      if !cancellation.isCancelled { return (found, hasher.finalize()) }
    } catch {
      throw Failure(.mendMachine, "cannot be read back: \(error.message)", path: name)
    }
    throw Failure.cancelled(at: .file(name))
  }
}

extension CopiedPackets.Refused {
  /// Names the sources of packets that no decoder takes, and when each first one is heard there.
  ///
  /// - Parameters:
  ///   - parts: Of the file.
  ///   - firstFrame: Where its first packet begins, in frames of its sound.
  ///   - rate: Frames a second.
  ///   - path: The file.
  /// - Returns: The failure of the first source.
  func failure(
    of parts: [CopiedPart], from firstFrame: Int64, atRate rate: Int, writing path: FilePath
  ) -> Failure {
    var places: [(source: MediaLocation, times: [String])] = []
    for start in starts {
      // The file begins before its sound.
      let frame = start + firstFrame
      guard
        let part = parts.last(where: { $0.frames.lowerBound <= max(0, frame) }) ?? parts.first,
        let source = part.source
      else { continue }
      let time = Time(
        frames: max(0, source.frame + frame - part.frames.lowerBound), rate: rate
      ).clockText(decimals: 3)
      if let known = places.firstIndex(where: { $0.source == source.location }) {
        places[known].times.append(time)
      } else {
        places.append((source.location, [time]))
      }
    }
    let packets = count == 1 ? "one packet" : "\(count) packets"
    guard let first = places.first else {
      return Failure(
        .reportBug, "has \(packets) that no decoder takes, and that are no copies", path: path)
    }
    let others = places.dropFirst().map { "'\($0.source)' at \(Self.listed($0.times))" }
    return Failure(
      .mendInput,
      "has \(count == 1 ? "a packet" : "packets") that no decoder takes, at "
        + Self.listed(first.times)
        + (others.isEmpty ? "" : ", and so have " + Self.listed(others))
        + "; '\(path)' with copies of them is not written: copy or download what is damaged again, or "
        + "write a bit rate, as '128k', to encode what can be decoded",
      location: first.source)
  }

  /// The first ones, and how many more there are.
  private static func listed(_ texts: [String]) -> String {
    let most = 3
    return texts.prefix(most).joined(separator: ", ")
      + (texts.count > most ? " and \(texts.count - most) more" : "")
  }
}
