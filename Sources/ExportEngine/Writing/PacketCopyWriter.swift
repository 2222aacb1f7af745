import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// Writes packets of one source into another file: AAC into M4A, Opus into Ogg.
///
/// The first packet begins before the sound. How much of it is dropped stands in the edit list (ISO
/// 14496-12, 8.6.6) or in Opus' pre-skip (RFC 7845, 4.2); the end in the last packet's duration, or
/// the last granule position.
final class PacketCopyWriter: SoundWriter {
  private let file: OutputFile
  private let muxer: Muxer
  private let packets: SourcePackets
  private let plan: CopyPlan
  private var tally: SoundTally
  private let sampleRate: Int
  private let laterTags: WrittenTags
  /// Raw frames of the source.
  private let frames: Range<Int64>
  /// Packets before the first that is read next.
  private var begun: [SourcePackets.Placed]
  /// Behind the last packet that was written, and how many were.
  private var end: Int64
  private var packetCount = 0
  /// Frames at the beginning that decode otherwise than in the source.
  private let divergence: Int64
  /// Of all packets, in order.
  private var written = Hasher()

  private init(
    _ file: OutputFile, _ muxer: Muxer, _ packets: SourcePackets, _ plan: CopyPlan,
    _ tally: SoundTally, _ recipe: LibAVRecipe, _ frames: Range<Int64>,
    _ begun: [SourcePackets.Placed], divergence: Int64
  ) {
    (self.file, self.muxer, self.packets, self.plan) = (file, muxer, packets, plan)
    (self.tally, self.frames, self.begun) = (tally, frames, begun)
    (sampleRate, laterTags) = (recipe.sampleRate, recipe.laterTags)
    self.divergence = divergence
    end = frames.lowerBound
  }

  static func open(
    _ file: OutputFile, _ recipe: LibAVRecipe, _ plan: CopyPlan, _ packets: SourcePackets,
    tally: SoundTally
  ) throws(Failure) -> PacketCopyWriter {
    guard let part = plan.parts.first, let source = part.source else {
      throw Failure(.reportBug, "has nothing to copy", path: file.path)
    }
    let wanted = source.frame..<source.frame + Int64(part.frames.count)
    let begun = try packets.begin(wanted)
    let divergence = try packets.divergence(in: wanted, feeding: begun)
    let first = packets.raw(wanted.lowerBound)
    let padding = Int(max(0, first - (begun.first?.frames.lowerBound ?? first)))
    do throws(LibAVError) {
      let muxer = try Muxer.open(
        recipe.container, to: file, for: .stream(packets.stream, padding: padding),
        metadata: recipe.metadata, chapters: recipe.chapters, picture: recipe.picture)
      return PacketCopyWriter(
        file, muxer, packets, plan, tally, recipe,
        first..<packets.raw(wanted.upperBound), begun, divergence: divergence)
    } catch {
      throw error.outputFailure(file)
    }
  }

  var firstNeeded: Int64 { .max }

  func skip(_ frameCount: Int64) throws(Failure) {
    tally.skip(frameCount)
    do throws(Failure) { try copy() } catch { throw abandoning(error) }
  }

  func write(_ block: AudioBuffer) throws(Failure) { try skip(Int64(block.frameCount)) }

  func finish() throws(Failure) -> WrittenOutput {
    do throws(Failure) {
      try tally.requireComplete()
      guard end >= frames.upperBound else { throw packets.ending(at: end) }
      do throws(LibAVError) { try muxer.finish() } catch { throw error.outputFailure(file) }
      try file.put(laterTags)
      try file.flush()
      try readBack()
      var written = tally.result(of: file, sampleRate: sampleRate)
      var parts = plan.parts
      parts[0].packetCount = packetCount
      written.copied = parts
      return written
    } catch {
      throw abandoning(error)
    }
  }

  /// Reads what was written, and decodes it: the packets must be those of the source, and none may be
  /// refused by the decoder, as damaged ones are.
  ///
  /// - Throws: `mendInput`, before the file takes its place.
  /// - Complexity: O(frames), a second or two for an hour
  private func readBack() throws(Failure) {
    let found = try CopiedPackets.read(file.currentPath, named: file.path, packets.cancellation)
    guard found.digest == written.finalize(), found.count == packetCount else {
      throw packets.unreadable("reads back as other packets than those of the source")
    }
    guard found.refused == 0, found.frames >= frames.upperBound - frames.lowerBound else {
      let count = found.refused == 1 ? "one packet" : "\(max(found.refused, 1)) packets"
      throw packets.unreadable("has \(count) that no decoder takes, where it would be copied")
    }
  }

  /// Copies the packets of all frames that were counted.
  private func copy() throws(Failure) {
    for placed in begun { try put(placed) }
    begun = []
    let due = min(frames.lowerBound + tally.frameCount, frames.upperBound)
    while end < due, let placed = try packets.next() { try put(placed) }
  }

  private func put(_ placed: SourcePackets.Placed) throws(Failure) {
    let start = placed.frames.lowerBound - frames.lowerBound
    let end = min(placed.frames.upperBound, frames.upperBound) - frames.lowerBound
    placed.packet.retime(to: start, lasting: end - start)
    self.end = placed.frames.upperBound
    packetCount += 1
    placed.packet.hash(into: &written)
    do throws(LibAVError) {
      try muxer.write(placed.packet)
    } catch {
      throw error.outputFailure(file)
    }
  }

  var files: [OutputFile] { [file] }

  var warnings: [Warning] {
    guard divergence > 0 else { return [] }
    let length = Time(frames: divergence, rate: sampleRate).inSeconds
    return [
      Warning(
        "sounds a little different from its source for the first \(length), since decoders of SILK, "
          + "Opus' codec for speech, depend on more sound than the file can hold before a cut; "
          + "write a bit rate, as '32k', to encode it",
        path: file.path)
    ]
  }

  func abandon() { file.discard() }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }
}
