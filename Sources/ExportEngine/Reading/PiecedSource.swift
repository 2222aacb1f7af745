import Diagnosis
import MediaComposition

/// Plays pieces of a stream. One thread at a time.
final class PiecedSource: FrameSource {
  private let source: any FrameSource
  private let pieces: SoundPieces
  private let damage: Damage
  private(set) var position: Int64 = 0

  init(_ source: any FrameSource, _ pieces: SoundPieces, _ damage: Damage) {
    (self.source, self.pieces, self.damage) = (source, pieces, damage)
  }

  var channelCount: Int { source.channelCount }

  func seek(to frame: Int64) throws(Failure) { position = frame }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    var filled = 0
    var index = pieces.index(of: position)
    while filled < count, index < pieces.pieces.count {
      let piece = pieces.pieces[index]
      let rest = pieces.ends[index] - position
      let wanted = Int(min(Int64(count - filled), rest))
      var read = 0
      if let start = piece.start {
        try source.seek(to: start + piece.count - rest)
        read = try source.read(into: buffer, at: offset + filled, count: wanted)
        if read < wanted, index == pieces.pieces.count - 1 {
          position += Int64(read)
          return filled + read
        }
        // Damage before the last piece: what follows keeps its place.
        if read < wanted { damage.note(.hole(end: pieces.ends[index])) }
      }
      for channel in 0..<channelCount where read < wanted {
        (buffer.planes[channel] + offset + filled + read)
          .update(repeating: 0, count: wanted - read)
      }
      filled += wanted
      position += Int64(wanted)
      if Int64(wanted) == rest { index += 1 }
    }
    return filled
  }
}
