internal import Threads

/// A part of the stream that is encoded by itself, with the sound that it needs.
//
// `@unchecked Sendable`: a chunk goes from its owner to the threads that advance it, one at a time, and
// back to the owner, by way of a `Crew`, whose lock orders all of these threads. Meanwhile the owner
// only reads `sound`'s place, which nobody changes then.
final class Chunk<Codec: SplicedCodec>: CrewTask, @unchecked Sendable {
  typealias Problem = Codec.Encoder.Problem

  private let codec: Codec
  private let cancellation: CancellationFlag
  /// Its first PCM frame in the stream, from which on it takes over from the chunk before it.
  let start: Int64
  /// The PCM frame that its sound starts with: a warm-up earlier.
  let soundStart: Int64
  /// Nil once no encoder needs it any more.
  var sound: ChunkSound<Codec.Encoder.Sample>?
  /// Whether nothing precedes.
  var isFirst: Bool { start == 0 }
  /// Whether nothing follows.
  var isLast = false
  /// What encodes it; nil before, and where the lane of the chunk before it continues through it.
  private(set) var lane: Lane<Codec>?
  /// What ended its encoding early.
  private(set) var problem: Problem?

  init(
    _ codec: Codec, start: Int64, soundStart: Int64, sound: ChunkSound<Codec.Encoder.Sample>,
    cancellation: CancellationFlag
  ) {
    (self.codec, self.cancellation) = (codec, cancellation)
    (self.start, self.soundStart, self.sound) = (start, soundStart, sound)
  }

  /// Packets that are fed between two checks of whether to stop.
  private static var pace: Int { 16 }

  func advance() -> Bool {
    do throws(Problem) {
      if cancellation.isCancelled { throw .cancelled }
      guard let lane else {
        lane = try Lane(codec, at: soundStart)
        return false
      }
      return try !lane.advance(in: self, by: Self.pace)
    } catch {
      problem = error
      return true
    }
  }
}
