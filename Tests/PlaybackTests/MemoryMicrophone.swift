import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import TestSupport
import Threads

@testable import Playback

/// A microphone of the tests: gives what it is told, as fast as it is read, and what a script names
/// happens to it. Its clock is that of its sound.
///
/// A recorder holds six seconds, so that a test whose sound is shorter loses nothing by chance.
final class MemoryMicrophone: Sendable {
  /// What may happen, when so many frames were given.
  enum Mishap: Sendable, Hashable {
    /// So many frames are lost.
    case overruns(Int)
    case isInterrupted(Int)
    case isUnplugged(Int)
    /// It is unplugged until `plugIn` is called.
    case isTakenAway
    /// Nothing comes until `release` is called.
    case holds
  }

  struct State {
    /// Frames of the sound that were given or lost.
    var position = 0
    var mishaps: [(frame: Int, what: Mishap)]
    var openings = 0
    var isHolding = false
    var isAway = false
    /// How often it was asked for more, with nothing to give.
    var emptyReads = 0
  }

  let format: SourceFormat
  let sound: [UInt8]
  let state: Mutex<State>

  init(
    _ sound: [UInt8], rate: Int = 48_000, channels: Int = 2, _ encoding: SampleEncoding = .int16,
    mishaps: [(frame: Int, what: Mishap)] = []
  ) {
    format = SourceFormat(
      sampleRate: rate, channelCount: channels, encoding: encoding, periodFrames: 960,
      bufferFrames: 24_000)
    self.sound = sound
    state = Mutex(State(mishaps: mishaps))
  }

  /// For recorders.
  var opener: SourceOpener {
    { _ throws(Failure) in
      let isAway = self.state.withLock { state in
        state.openings += 1
        return state.isAway
      }
      if isAway { throw Self.busy }
      return MemorySource(self)
    }
  }

  /// What is said of it while it is away.
  static let busy = Failure(.tryAgain, "it is in use; end the program that has it")

  /// Time goes by, in frames, and the sound of it is lost.
  func pass(_ frames: Int) { state.withLock { $0.position += frames } }

  /// Ends being away.
  func plugIn() {
    state.withLock { state in
      state.isAway = false
      state.emptyReads = 0
    }
  }

  /// Nanoseconds of its sound, as a recorder's clock.
  var clock: @Sendable () -> Int64 {
    {
      let frames = self.state.withLock { $0.position }
      // Not 0, which stands for no time.
      return 1_000_000_000 + Int64(frames) * 1_000_000_000 / Int64(self.format.sampleRate)
    }
  }

  /// Whether all was given, and taken, or it holds.
  var isQuiet: Bool { state.withLock { $0.emptyReads >= 3 } }

  /// Waits until it is.
  func waitUntilQuiet() throws {
    try wait(until: "all of the microphone's sound was taken") { isQuiet }
  }

  /// Goes on after a hold.
  func release() {
    state.withLock { state in
      state.isHolding = false
      state.emptyReads = 0
    }
  }
}

/// The microphone, open; of the reader's thread.
private final class MemorySource: AudioSource {
  let format: SourceFormat
  private let microphone: MemoryMicrophone
  private var isGone = false

  init(_ microphone: MemoryMicrophone) {
    self.microphone = microphone
    format = microphone.format
  }

  var delay: Int { 0 }

  func read(into frames: UnsafeMutableRawPointer, count: Int) -> SourceOutcome {
    if isGone { return .gone }
    return microphone.state.withLock { state in
      guard !state.isHolding else {
        state.emptyReads += 1
        return .empty
      }
      if let first = state.mishaps.first, first.frame <= state.position {
        state.mishaps.removeFirst()
        switch first.what {
        case .overruns(let lost):
          state.position += lost
          return .overran
        case .isInterrupted(let lost):
          state.position += lost
          return .interrupted
        case .isUnplugged(let lost):
          state.position += lost
          isGone = true
          return .gone
        case .isTakenAway:
          state.isAway = true
          isGone = true
          return .gone
        case .holds:
          state.isHolding = true
          return .empty
        }
      }
      let total = microphone.sound.count / format.frameSize
      let end = min(total, state.mishaps.first?.frame ?? total)
      let taken = min(count, 960, end - state.position)
      guard taken > 0 else {
        state.emptyReads += 1
        return .empty
      }
      let start = state.position * format.frameSize
      UnsafeMutableRawBufferPointer(start: frames, count: taken * format.frameSize)
        .copyBytes(from: microphone.sound[start..<(start + taken * format.frameSize)])
      state.position += taken
      return .read(taken)
    }
  }

  func wait(milliseconds: Int32) { usleep(500) }
}
