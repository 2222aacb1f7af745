import Diagnosis
import FDKAAC
import LibAV
import MediaComposition
import Splicing

/// libfdk-aac with some settings, as a codec of which several encoders make one stream.
///
/// With a variable bit rate its encoders come to make the same packets: of nine starts within a minute
/// of music all did after 3 to 12 packets, and for good. With a bit rate each packet depends on what
/// all before it have left of the reservoir, and half of them differed to the end.
struct FDKCodec: SplicedCodec {
  typealias Stream = FDKStream

  let settings: FDKEncoder.Settings
  let framesPerPacket: Int

  var channelCount: Int { settings.channelCount }

  func open(at frame: Int64) throws(Failure) -> FDKPart {
    do throws(FDKError) {
      return FDKPart(try FDKEncoder(settings), at: frame)
    } catch {
      throw error.failure(settings)
    }
  }

  func agree(_ one: Packet, _ other: Packet) -> Bool {
    one.size == other.size
      && one.withBytes { one in other.withBytes { other in one.elementsEqual(other) } }
  }

  /// Where encoders take over from one another: the sound of a chunk of stereo is 16 MiB.
  var grid: ChunkGrid {
    let (warmUp, agreement) = (48, 16)
    let length = max(warmUp, (1 << 22) / max(2, channelCount) / framesPerPacket)
    return ChunkGrid(
      length: length, warmUp: warmUp, agreement: agreement, shortest: max(warmUp, length / 8))
  }
}

/// One of libfdk-aac's encoders, which makes a part of a stream, or all of it.
final class FDKPart: PartEncoder {
  typealias Sample = Int32

  let encoder: FDKEncoder
  /// Behind the last frame of sound, and behind the last packet.
  private var end: Int64
  private var packetEnd: Int64

  init(_ encoder: FDKEncoder, at frame: Int64) {
    self.encoder = encoder
    end = frame
    packetEnd = frame - Int64(encoder.delay)
  }

  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Int32>>, from start: Int, count: Int,
    into packets: inout [Placed<Packet>]
  ) throws(Failure) {
    end += Int64(count)
    try reporting {
      try encoder.encode(planes, from: start, count: count) { try append($0, to: &packets) }
    }
  }

  func finish(into packets: inout [Placed<Packet>]) throws(Failure) {
    try reporting {
      try encoder.finish { bytes in
        // What follows the sound is of no use.
        guard packetEnd < end else { return }
        try append(bytes, until: end, to: &packets)
      }
    }
    guard packetEnd >= end else {
      throw Failure(.reportBug, "libfdk-aac ended \(end - packetEnd) frames early")
    }
  }

  /// Appends a packet that follows the last one, and lasts until `end` at the longest.
  private func append(
    _ bytes: UnsafeRawBufferPointer, until end: Int64 = .max, to packets: inout [Placed<Packet>]
  ) throws {
    let start = packetEnd
    packetEnd = start + Int64(encoder.frameLength)
    let frames = start..<min(packetEnd, end)
    let packet = try Packet(copying: bytes, timestamp: start)
    packet.retime(to: start, lasting: Int64(frames.count))
    packet.isKey = true
    packets.append(Placed(frames, packet))
  }

  private func reporting(_ body: () throws -> Void) throws(Failure) {
    do {
      try body()
    } catch let error as FDKError {
      throw error.failure(encoder.settings)
    } catch let error as LibAVError {
      throw error.machineFailure
    } catch {
      throw Failure(.reportBug, "libfdk-aac failed: \(error)")
    }
  }
}

/// Packets of libfdk-aac on their way into a file.
struct FDKStream: PacketStream {
  let file: OutputFile
  let muxer: Muxer

  mutating func append(
    _ packets: ArraySlice<Placed<Packet>>, of _: FDKPart, before _: Packet?
  ) throws(Failure) {
    do throws(LibAVError) {
      for placed in packets { try muxer.write(placed.packet) }
    } catch {
      throw error.failure(writing: file.path)
    }
  }
}
