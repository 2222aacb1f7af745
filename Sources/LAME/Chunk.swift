/// A part of the stream that is encoded by itself, with the sound that it needs.
//
// `@unchecked Sendable`: it goes from its owner to the thread that claims it, to others if that puts
// it back half done, and to its owner again by way of a `ChunkQueue`, whose lock orders these;
// between them one thread has it.
final class Chunk: @unchecked Sendable {
  /// Its first MP3 frame in the stream, where it takes over from the chunk before it.
  let firstFrame: Int
  /// The MP3 frame that its sound starts with: a warm-up earlier.
  let soundStart: Int
  /// Nil once no encoder needs it any more.
  var sound: ChunkSound?
  /// Whether nothing follows.
  var isLast = false
  /// What encodes it; nil before, and where the lane of the chunk before it continues through it.
  private(set) var lane: Lane?

  init(firstFrame: Int, soundStart: Int, sound: ChunkSound) {
    self.firstFrame = firstFrame
    self.soundStart = soundStart
    self.sound = sound
  }

  /// MP3 frames that are fed between two checks of whether to stop.
  private static let pace = 16

  /// Encodes on for some milliseconds; gives whether that was the end.
  func advance(_ setup: EncoderSetup) throws(LAMEError) -> Bool {
    guard let lane else {
      lane = Lane(try setup.open(), firstFrame: soundStart)
      return false
    }
    return try !lane.advance(in: self, by: Self.pace)
  }
}
