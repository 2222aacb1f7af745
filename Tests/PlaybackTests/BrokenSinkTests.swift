import Diagnosis
import MediaComposition
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import Playback

@Suite struct BrokenSinkTests {
  private static let full = Failure(.mendMachine, "the tape is at its end; put in another")

  /// What events tell of the device and the end.
  private func told(_ events: [PlayerEvent]) -> [String] {
    events.compactMap { event in
      switch event {
      case .deviceFound: "found"
      case .deviceLost(let failure): "lost: \(failure?.message ?? "")"
      case .deviceFailed(let failure): "failed: \(failure.message)"
      case .itemEnded: "ended"
      case .timeControlStatusChanged(.paused, _): "paused"
      default: nil
      }
    }
  }

  @Test("a failed sink stops the player at the last played frame, and the player has the reason")
  func fails() throws {
    let item = try QueuePlayerTests.items()[0]
    let tape = Tape(item.sampleRate, failingAt: 50_000)
    let player = try Player(item, opening: tape.opener)
    let story = ["found", "failed: \(Self.full.message)", "paused"]
    #expect(try told(player.toldUntilPaused()) == story)
    #expect(player.failure == Self.full)
    #expect(player.timeControlStatus == .paused)
    #expect(!player.isAtEnd)
    #expect(player.currentTime == Time(frames: 50_000, rate: item.sampleRate))
    let isHeard = try tape.floats == Array(item.exported().prefix(100_000))
    #expect(isHeard)
    // Nothing was left out, and nothing is heard twice.
    player.seek(to: .zero)
    #expect(try told(player.toldUntilPaused()) == Array(story.dropFirst()))
    #expect(player.failure == Self.full)
    #expect(tape.floats.count == 100_000)
    #expect(tape.openings == 1)
  }

  @Test("a sink that fails with its last frames has failed, though all were written")
  func failsToDrain() throws {
    let item = try QueuePlayerTests.items()[1]
    let tape = Tape(item.sampleRate, failsToDrain: true)
    let player = try Player(item, opening: tape.opener)
    // Of what a sink holds that holds nothing back, the end was heard.
    let events = try told(player.toldUntilPaused()).filter { $0 != "ended" }
    #expect(events == ["found", "failed: \(Self.full.message)", "paused"])
    #expect(player.failure == Self.full)
    #expect(tape.openings == 1)
  }

  @Test("a device that is gone before it has played is reported once, and found when it plays")
  func vain() throws {
    let item = try QueuePlayerTests.items()[1]
    let tape = Tape(item.sampleRate, vainOpenings: 3)
    let player = try Player(item, opening: tape.opener)
    let events = try told(player.toldUntilPaused())
    #expect(
      events == [
        "found",
        "lost: it can be opened, but disconnects before it has played a frame; connect it again, "
          + "or choose another device",
        "found", "ended", "paused",
      ])
    #expect(player.failure == nil)
    #expect(tape.openings == 4)
    let isHeard = try tape.floats == item.exported()
    #expect(isHeard)
  }

  /// Takes all, until something is wrong with it.
  private final class Tape: Sendable {
    struct State {
      var floats: [Float] = []
      var openings = 0
    }

    let rate: Int
    let failingFrame: Int
    let failsToDrain: Bool
    let vainOpenings: Int
    let state = Mutex(State())

    init(
      _ rate: Int, failingAt frame: Int = .max, failsToDrain: Bool = false, vainOpenings: Int = 0
    ) {
      self.rate = rate
      failingFrame = frame
      self.failsToDrain = failsToDrain
      self.vainOpenings = vainOpenings
    }

    var floats: [Float] { state.withLock { $0.floats } }
    var openings: Int { state.withLock { $0.openings } }

    var opener: SinkOpener {
      { _ in
        let number = self.state.withLock { state in
          state.openings += 1
          return state.openings
        }
        return TapeSink(self, isGone: number <= self.vainOpenings)
      }
    }
  }

  private final class TapeSink: AudioSink {
    let format: SinkFormat
    let delay = 0
    private let tape: Tape
    private let isGone: Bool

    init(_ tape: Tape, isGone: Bool) {
      self.tape = tape
      self.isGone = isGone
      format = SinkFormat(
        sampleRate: tape.rate, channelCount: 2, encoding: .float32, periodFrames: 1024,
        bufferFrames: 1024)
    }

    func write(_ frames: UnsafeRawPointer, count: Int) throws(Failure) -> SinkOutcome {
      guard !isGone else { return .gone }
      let room = tape.failingFrame - tape.floats.count / 2
      guard room > 0 else { throw BrokenSinkTests.full }
      let taken = min(room, count)
      let samples = frames.assumingMemoryBound(to: Float.self)
      tape.state.withLock { $0.floats += UnsafeBufferPointer(start: samples, count: taken * 2) }
      return .wrote(taken)
    }

    func wait(or descriptor: Int32, milliseconds: Int32) {}

    func drop() {}

    func drain() throws(Failure) -> Bool {
      guard !tape.failsToDrain else { throw BrokenSinkTests.full }
      return true
    }
  }
}
