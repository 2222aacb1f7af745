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
final class PacketCopyEncoding: SoundEncoding {
  private let file: OutputFile
  private let muxer: Muxer
  private let packets: SourcePackets
  private var parts: [CopiedPart]
  private var recipe: LibAVRecipe
  /// Raw frames of the source.
  private let frames: Range<Int64>
  /// Frames of sound that were passed.
  private var frameCount: Int64 = 0
  /// Packets before the first that is read next.
  private var begun: [SourcePackets.Placed]
  /// Behind the last packet that was written, and how many were.
  private var end: Int64
  private var packetCount = 0
  /// Frames at the beginning that decode otherwise than in the source.
  private let divergence: Int64
  /// Of all packets, in order.
  private var written = Hasher()
  private let sounds: OtherSounds?

  init(
    _ file: OutputFile, _ recipe: LibAVRecipe, _ plan: CopyPlan, _ packets: SourcePackets,
    beside streams: OpenedCompanions? = nil
  ) throws {
    guard let part = plan.parts.first, let source = part.source else {
      throw Failure(.reportBug, "has nothing to copy")
    }
    let wanted = source.frame..<source.frame + Int64(part.frames.count)
    begun = try packets.begin(wanted)
    divergence = try packets.divergence(in: wanted, feeding: begun)
    frames = packets.raw(wanted.lowerBound)..<packets.raw(wanted.upperBound)
    end = frames.lowerBound
    let padding = Int(max(0, end - (begun.first?.frames.lowerBound ?? end)))
    (self.file, self.recipe, parts, self.packets) = (file, recipe, plan.parts, packets)
    muxer = try self.recipe.openMuxer(
      of: file, for: .stream(packets.stream, padding: padding), beside: streams?.streams)
    sounds = streams?.sounds
  }

  var firstNeeded: Int64 { .max }

  func encode(_ block: AudioBuffer) throws { try skip(Int64(block.frameCount)) }

  /// Copies the packets of all frames that were passed.
  func skip(_ count: Int64) throws {
    frameCount += count
    for placed in begun { try put(placed) }
    begun = []
    let due = min(frames.lowerBound + frameCount, frames.upperBound)
    while end < due, let placed = try packets.next() { try put(placed) }
  }

  private func put(_ placed: SourcePackets.Placed) throws(LibAVError) {
    let start = placed.frames.lowerBound - frames.lowerBound
    let end = min(placed.frames.upperBound, frames.upperBound) - frames.lowerBound
    placed.packet.retime(to: start, lasting: end - start)
    // Where the others have the end of a last packet, Matroska counts what is not heard of it.
    if placed.frames.upperBound > frames.upperBound, recipe.container?.isMatroska == true {
      try placed.packet.discard(end: placed.frames.upperBound - frames.upperBound)
    }
    self.end = placed.frames.upperBound
    packetCount += 1
    placed.packet.hash(into: &written)
    try muxer.write(placed.packet)
  }

  func finish() throws -> [CopiedPart]? {
    guard end >= frames.upperBound else { throw packets.ending(at: end) }
    try muxer.finish()
    try recipe.complete(file, unless: packets.cancellation)
    try readBack()
    parts[0].packetCount = packetCount
    return parts
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

  var warnings: [Warning] {
    let besides = sounds?.warnings ?? []
    guard divergence > 0 else { return besides }
    let length = Time(frames: divergence, rate: recipe.sampleRate).inSeconds
    return besides + [
      Warning(
        "sounds a little different from its source for the first \(length), since decoders of SILK, "
          + "Opus' codec for speech, depend on more sound than the file can hold before a cut; "
          + "write a bit rate, as '32k', to encode it",
        path: file.path)
    ]
  }
}
