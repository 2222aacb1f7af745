import Diagnosis
import ExportGraph
import LibAV
import MediaComposition

/// Writes packets of one source into another file: AAC into M4A, Vorbis and Opus into Ogg.
///
/// The first packet begins before the sound. How much of it is dropped stands in the edit list (ISO
/// 14496-12, 8.6.6), in Opus' pre-skip (RFC 7845, 4.2), or in the granule position of the first page
/// (Vorbis I, A.2); the end in the last packet's duration, or the last granule position.
final class PacketCopyWriter: SoundWriter {
  private let file: OutputFile
  private let muxer: Muxer
  private let packets: SourcePackets
  private let plan: CopyPlan
  private var tally: SoundTally
  private let sampleRate: Int
  /// Raw frames of the source.
  private let frames: Range<Int64>
  private var begun: [SourcePackets.Placed]

  private init(
    _ file: OutputFile, _ muxer: Muxer, _ packets: SourcePackets, _ plan: CopyPlan,
    _ tally: SoundTally, sampleRate: Int, _ frames: Range<Int64>, _ begun: [SourcePackets.Placed]
  ) {
    (self.file, self.muxer, self.packets, self.plan) = (file, muxer, packets, plan)
    (self.tally, self.sampleRate, self.frames, self.begun) = (tally, sampleRate, frames, begun)
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
    let first = packets.raw(wanted.lowerBound)
    let padding = Int(max(0, first - (begun.first?.frames.lowerBound ?? first)))
    do throws(LibAVError) {
      let muxer = try Muxer.open(
        recipe.container, to: file, for: .stream(packets.stream, padding: padding),
        metadata: recipe.metadata, chapters: recipe.chapters, picture: recipe.picture)
      return PacketCopyWriter(
        file, muxer, packets, plan, tally, sampleRate: recipe.sampleRate,
        first..<packets.raw(wanted.upperBound), begun)
    } catch {
      throw error.outputFailure(file)
    }
  }

  /// It needs no sound.
  var firstNeeded: Int64 { .max }

  func skip(_ frameCount: Int64) { tally.skip(frameCount) }

  func write(_ block: AudioBuffer) throws(Failure) { tally.skip(Int64(block.frameCount)) }

  func finish() throws(Failure) -> WrittenOutput {
    do throws(Failure) {
      try tally.requireComplete()
      let count = try copy()
      do throws(LibAVError) { try muxer.finish() } catch { throw error.outputFailure(file) }
      try file.flush()
      var written = tally.result(of: file, sampleRate: sampleRate)
      var parts = plan.parts
      parts[0].packetCount = count
      written.copied = parts
      return written
    } catch {
      throw abandoning(error)
    }
  }

  /// Copies all packets; gives how many.
  private func copy() throws(Failure) -> Int {
    var count = 0
    for placed in begun {
      try put(placed)
      count += 1
    }
    guard var end = begun.last?.frames.upperBound else {
      throw Failure(.reportBug, "has no packets to copy", path: file.path)
    }
    begun = []
    while end < frames.upperBound, let placed = try packets.next() {
      try put(placed)
      count += 1
      end = placed.frames.upperBound
    }
    return count
  }

  private func put(_ placed: SourcePackets.Placed) throws(Failure) {
    let start = placed.frames.lowerBound - frames.lowerBound
    let end = min(placed.frames.upperBound, frames.upperBound) - frames.lowerBound
    placed.packet.retime(to: start, lasting: end - start)
    do throws(LibAVError) {
      try muxer.write(placed.packet)
    } catch {
      throw error.outputFailure(file)
    }
  }

  var files: [OutputFile] { [file] }

  func abandon() { file.discard() }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }
}
