import Diagnosis
import MediaComposition

/// Plays pieces of a stream. One thread at a time.
final class PiecedSource: DerivedSound {
  let input: any Sound
  private let pieces: SoundPieces
  private let damage: Damage

  init(_ source: any Sound, _ pieces: SoundPieces, _ damage: Damage) {
    (input, self.pieces, self.damage) = (source, pieces, damage)
    damage.origin = nil
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    var (position, filled) = (frames.lowerBound, 0)
    var index = pieces.index(of: position)
    while position < frames.upperBound, index < pieces.pieces.count {
      let piece = pieces.pieces[index]
      let rest = pieces.ends[index] - position
      let wanted = Int(min(frames.upperBound - position, rest))
      var read = 0
      if let start = piece.start {
        let first = start + piece.count - rest
        read = try input.read(first..<first + Int64(wanted), into: buffer, at: offset + filled)
        if read < wanted, index == pieces.pieces.count - 1 { return filled + read }
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
