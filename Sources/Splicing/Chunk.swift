/// A part of the stream that is encoded by itself, with the sound that it needs.
//
// `@unchecked Sendable`: it goes from its owner to the thread that claims it, to others if that puts
// it back half done, and to its owner again by way of a `ChunkQueue`, whose lock orders these;
// between them one thread has it.
final class Chunk<Codec: SplicedCodec>: @unchecked Sendable {
  /// Its place in the stream, from 0.
  let number: Int
  /// Its first PCM frame in the stream, from which on it takes over from the chunk before it.
  let start: Int64
  /// The PCM frame that its sound starts with: a warm-up earlier.
  let soundStart: Int64
  /// Nil once no encoder needs it any more.
  var sound: ChunkSound?
  /// Whether nothing follows.
  var isLast = false
  /// What encodes it; nil before, and where the lane of the chunk before it continues through it.
  private(set) var lane: Lane<Codec>?

  init(_ number: Int, start: Int64, soundStart: Int64, sound: ChunkSound) {
    (self.number, self.start, self.soundStart) = (number, start, soundStart)
    self.sound = sound
  }

  /// Packets that are fed between two checks of whether to stop.
  private static var pace: Int { 16 }

  /// Encodes on for some milliseconds; gives whether that was the end.
  func advance(_ codec: Codec) throws(Codec.Encoder.Problem) -> Bool {
    guard let lane else {
      lane = try Lane(codec, at: soundStart)
      return false
    }
    return try !lane.advance(in: self, by: Self.pace)
  }
}
