import Diagnosis
import LibAV
import MediaComposition
import Threads

/// Writes all packets of one source as they are: of G.722 and GSM, which have no place at which another sound
/// could follow, since each packet is decoded by what came before.
final class WholeCopyEncoding: SoundEncoding {
  private let file: OutputFile
  private var recipe: LibAVRecipe
  private let asset: Asset
  private let parts: [CopiedPart]
  private let blocks: Blocks
  private let library: MediaLibrary
  private let cancellation: CancellationFlag

  /// How a codec stores its sound.
  struct Blocks {
    /// Of a block.
    var bytes: Int
    var frames: Int64

    /// Those of a codec; nil where it has no blocks that are copied so.
    init?(_ codec: Encoder.Codec) {
      switch codec {
      case .g722: (bytes, frames) = (1, 2)
      case .gsm(inWAV: true): (bytes, frames) = (65, 320)
      case .gsm(inWAV: false): (bytes, frames) = (33, 160)
      case .pcm, .muLaw, .aLaw, .ima4, .amr, .flac, .alac, .aac, .vorbis, .opus: return nil
      }
    }
  }

  /// Copies `asset`, of which `parts` are.
  init(
    _ file: OutputFile, _ recipe: LibAVRecipe, _ asset: Asset, _ parts: [CopiedPart],
    _ library: MediaLibrary, unless cancellation: CancellationFlag
  ) throws(Failure) {
    guard let blocks = Blocks(recipe.codec) else {
      throw Failure(.reportBug, "copies no packets of its codec", path: file.path)
    }
    (self.file, self.recipe, self.asset, self.parts) = (file, recipe, asset, parts)
    (self.blocks, self.library, self.cancellation) = (blocks, library, cancellation)
  }

  var firstNeeded: Int64 { .max }

  func skip(_: Int64) throws {}

  func encode(_: AudioBuffer) throws {
    preconditionFailure("a copy of a whole file needs no sound")
  }

  func finish() throws -> [CopiedPart]? {
    let count = (asset.frameCount + blocks.frames - 1) / blocks.frames
    var rest = count * Int64(blocks.bytes)
    var frame: Int64 = 0
    var writer: (any PacketWriter)?
    try library.readPackets(of: asset, unless: cancellation) { stream in
      switch recipe.wrapping {
      case .chunks(let layout): writer = try ChunkFileWriter(file, layout)
      case .muxer: writer = try recipe.openMuxer(of: file, for: .stream(stream, padding: 0))
      }
    } _: { packet in
      // Behind the last whole block lie parts of one, or the byte that makes a chunk even.
      if Int64(packet.size) > rest { packet.shrink(to: Int(rest)) }
      rest -= Int64(packet.size)
      let length = Int64(packet.size) * blocks.frames / Int64(blocks.bytes)
      packet.retime(to: frame, lasting: length)
      frame += length
      try writer?.write(packet)
      return rest > 0
    }
    guard rest == 0 else {
      throw Failure(
        .mendInput, "has fewer packets than when it was probed; run the job again",
        location: asset.location, code: .mediaChanged)
    }
    try writer?.finish()
    try recipe.complete(file, unless: cancellation)
    return parts
  }
}
