import Diagnosis
import LibAV
import MediaComposition
import SystemPackage
import Threads

/// Reads back an M4A by its tables: libavformat's index of it would be as large as the one that
/// `PackedMovie` has spared.
struct PackedReading {
  private let path: FilePath
  /// The file's name in messages.
  private let name: FilePath
  /// Of the stream as the file describes it.
  private let decoder: Decoder
  private let frame: Frame
  private let packetLength: Int64

  /// Opens a decoder for the sound of a file whose index is libavformat's own, and whose packets have so
  /// many frames each.
  ///
  /// - Throws: `mendMachine` where it cannot be read.
  init(_ path: FilePath, named name: FilePath, packetLength: Int64) throws(Failure) {
    (self.path, self.name, self.packetLength) = (path, name, packetLength)
    do throws(LibAVError) {
      let streams = try MediaLocation.file(path).demuxer().streams
      guard let stream = streams.first(where: \.isAudio) else { throw LibAVError.streamMissing }
      decoder = try Decoder.open(stream, removesPadding: false)
      frame = try Frame()
    } catch {
      throw Self.failure(error, name)
    }
  }

  private static func failure(_ error: LibAVError, _ name: FilePath) -> Failure {
    Failure(.mendMachine, "cannot be read back: \(error.message)", path: name)
  }

  /// Reads and decodes all packets, by the tables of the file's own index.
  ///
  /// Packets that were decoded without a fault are not decoded again where a later batch has the same:
  /// of one part that is repeated, the first one is.
  ///
  /// - Parameters:
  ///   - batches: What was written.
  ///   - cancellation: Once set, reading throws.
  /// - Returns: What is in the file; nil where that are other packets, or at other places.
  /// - Throws: `mendMachine` where it cannot be read, `tryAgain` once cancelled.
  /// - Complexity: O(bytes), and what decoding takes
  func packets(
    _ batches: [PackedMovie.Batch], unless cancellation: CancellationFlag
  ) throws(Failure) -> CopiedPackets? {
    let medium: MediumBytes
    do throws(Failure) { medium = try MediumBytes(.file(path)) } catch { throw error.about(name) }
    guard var tables = try SampleTableReader(medium) else { return nil }
    var found = CopiedPackets()
    var known: [PacketDigest: Int64] = [:]
    for batch in batches {
      if cancellation.isCancelled { throw Failure.cancelled(at: .file(name)) }
      guard let chunk = try tables.next(), chunk.place == batch.place,
        chunk.sizes.count == batch.packetCount
      else { return nil }
      let bytes = try medium.bytes(
        at: chunk.place, count: Int(chunk.sizes.reduce(0) { $0 + UInt64($1) }))
      do throws(LibAVError) {
        let digest = try bytes.withUnsafeBytes { bytes in
          Result { () throws(LibAVError) in try PacketDigest(bytes, chunk.sizes) }
        }.get()
        guard digest == batch.content else { return nil }
        if let frames = known[digest] {
          found.add(batch.packetCount, frames: frames)
          continue
        }
        let first = batch.start - (batches.first?.start ?? 0)
        let frames = try decode(bytes, chunk.sizes, from: first, into: &found)
        if let frames { known[digest] = frames }
      } catch {
        throw Self.failure(error, name)
      }
    }
    return try tables.next() == nil && tables.packetCount == found.count ? found : nil
  }

  /// Decodes packets of a batch.
  ///
  /// - Returns: How many frames they give; nil where one is refused.
  private func decode(
    _ bytes: [UInt8], _ sizes: [UInt32], from first: Int64, into found: inout CopiedPackets
  ) throws(LibAVError) -> Int64? {
    var (place, frames, refused) = (0, Int64(0), 0)
    for (number, size) in sizes.enumerated() {
      let end = place + Int(size)
      let packet = try bytes.withUnsafeBytes { bytes in
        Result { () throws(LibAVError) in
          try Packet(copying: UnsafeRawBufferPointer(rebasing: bytes[place..<end]), timestamp: 0)
        }
      }.get()
      place = end
      do throws(LibAVError) {
        try decoder.send(packet)
        while try decoder.receive(into: frame) { frames += Int64(frame.sampleCount) }
      } catch {
        guard error.isDamage else { throw error }
        found.refuse(at: first + Int64(number) * packetLength)
        refused += 1
      }
    }
    found.add(sizes.count, frames: frames)
    return refused == 0 ? frames : nil
  }
}
