import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition

/// A bare MPEG audio file, with seeks by our own index of its frames: libavformat's seek is an
/// estimate.
final class MPEGStream: Sound {
  let channelCount: Int

  /// PCM frames of sound.
  var frameCount: Int64 { index.validFrameCount }

  private let location: MediaLocation
  private let frames: MPEGFrames
  private let decoder: Decoder
  private let cursor: FrameCursor

  /// The next frame to decode, and the first whose samples count.
  private var next = 0
  private var firstWanted = 0

  private init(
    _ location: MediaLocation, _ frames: MPEGFrames, _ damage: Damage
  ) throws(LibAVError) {
    self.location = location
    self.frames = frames
    channelCount = frames.index.channelCount
    decoder = try Decoder.openMP3()
    cursor = try FrameCursor(
      location, sampleRate: frames.index.sampleRate, channelCount: channelCount, damage)
  }

  /// Where its frames lie.
  var index: FrameIndex { frames.index }

  /// Opens a file by its index, or scans it again without one, with iTunes' note.
  static func open(
    _ facts: StreamFacts, _ known: FrameIndex?, _ note: ITunesGapless?, _ damage: Damage
  ) throws(Failure) -> MPEGStream {
    let frames = try MPEGFrames.open(facts, known, note)
    return try reading(facts.location) { () throws(LibAVError) in
      try MPEGStream(facts.location, frames, damage)
    }
  }

  private func seek(to target: Int64) throws(Failure) {
    let position = cursor.position
    guard target != position else { return }
    let frame = index.frame(containing: target)
    try frames.find(frame)
    // Ahead by less than the warm-up of a jump: decode on.
    if target < position || frame - next > index.preRoll(ofFrame: frame) {
      decoder.flush()
      firstWanted = frame
      next = frame - index.preRoll(ofFrame: frame)
      cursor.clear()
    }
    cursor.position = target
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    try seek(to: frames.lowerBound)
    let count = Int(min(frames.upperBound, index.validFrameCount) - cursor.position)
    let filled = try cursor.read(into: buffer, at: offset, count: count) { () throws(Failure) in
      try advance()
    }
    // Frames at the end that do not decode are silent: the index has counted them.
    return filled
      + cursor.silence(
        in: buffer, at: offset + filled, upTo: index.validFrameCount, count: count - filled)
  }

  /// Decodes one frame; false after the last.
  private func advance() throws(Failure) -> Bool {
    guard next < index.count else { return false }
    let current = next
    next += 1
    let packet = try frames.packet(current)
    try reading(location) { () throws(LibAVError) in
      do throws(LibAVError) {
        try decoder.send(packet)
        guard try decoder.receive(into: cursor.frame) else { return }
      } catch {
        // Its frames stay silent, and count as a hole.
        guard error.isDamage else { throw error }
        return
      }
      let first = index.firstSample(ofFrame: current)
      try cursor.requireFormat(at: first)
      if current >= firstWanted { cursor.place(at: first) }
    }
    return true
  }
}
