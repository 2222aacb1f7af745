internal import MPEGAudio

/// A part of the stream that is encoded by itself, with the sound that it needs.
//
// `@unchecked Sendable`: it goes from its owner to whoever claims it and back by way of a
// `ChunkQueue`, whose lock orders these; between them one thread has it.
final class Chunk: @unchecked Sendable {
  /// Its first MP3 frame in the stream, where it takes over from the chunk before it.
  let firstFrame: Int
  /// MP3 frames of sound before that.
  let warmUp: Int
  /// Nil once no encoder needs it any more.
  var sound: ChunkSound?
  /// Whether nothing follows.
  var isLast = false
  /// What encodes it; nil before, and where the chunk before it is to go on through this one.
  private(set) var lane: Lane?
  /// PCM frames that the lane was fed.
  private var position = 0

  init(firstFrame: Int, warmUp: Int, sound: ChunkSound) {
    self.firstFrame = firstFrame
    self.warmUp = warmUp
    self.sound = sound
  }

  /// MP3 frames that are fed between two looks at whether to go on.
  private static let pace = 32

  /// Encodes on for some ten milliseconds; gives whether that was the end.
  func advance(_ setup: EncoderSetup) throws(LAMEError) -> Bool {
    guard let sound else { return true }
    let lane: Lane
    if let own = self.lane {
      lane = own
    } else {
      lane = Lane(try setup.open(), firstFrame: firstFrame - warmUp)
      self.lane = lane
    }
    let end = min(sound.count, position + Self.pace * setup.samplesPerFrame)
    try lane.feed(sound, position..<end)
    position = end
    guard position == sound.count else { return false }
    if isLast { try lane.flush() }
    return true
  }
}
