import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite("Punch-in") struct PunchInTests {
  private let folder = TestFolder()

  @Test("a take of a loop from output to input lies where it is heard, within a millisecond")
  func loopback() throws {
    // Noise, so that every place of it is like no other.
    var dice = Dice(8)
    let samples = (0..<96_000).map { _ in Int16.random(in: .min ... .max, using: &dice) }
    let sound = samples.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    try writeFile(folder.path("mix.raw"), sound)
    try Tool.succeed(
      "sox", "-t", "raw", "-r", "48000", "-e", "signed", "-b", "16", "-c", "1",
      folder.path("mix.raw"), folder.path("mix.wav"))
    let item = try PlayerItem(contentsOf: FilePath(folder.path("mix.wav")), library: .init())
    let loop = Loop()
    var settings = RecordingSettings()
    settings.preRoll = RecordingSettings.punchInPreRoll
    settings.duration = Time(frames: 24_000, rate: 48_000)
    settings.sampleFormat = .int16
    let recorder = try Recorder(
      to: FilePath(folder.path("take.wav")), settings: settings, opening: loop.source)
    try recorder.prepareToRecord()
    let player = try Player(item, opening: loop.sink)
    let start = Time(frames: 12_345, rate: 48_000)
    player.seek(to: start)
    player.play()
    let time = Time(frames: 54_321, rate: 48_000)
    let punch = PunchIn(of: recorder, to: player, at: time)
    try wait(until: "it records") { try punch.update() == .recording }
    let recording = try recorder.finished()
    #expect(recording.frameCount == 24_000)
    let bytes = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path("take.wav"), "-f", "s16le", "-"
    ).output
    let take = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    // A stretch from the middle of the take, found again in the mix.
    let stretch = Array(take[5000..<5200])
    let place = (0..<(samples.count - 200)).first { index in
      samples[index] == stretch[0] && samples[index..<(index + 200)].elementsEqual(stretch)
    }
    let found = try #require(place)
    #expect(abs(found - (54_321 + 5000)) <= 48, "\(found - 59_321) frames off")
  }

  @Test("an origin is the median of its looks; single late ones change nothing, a jump does")
  func origins() {
    var origin = ClockOrigin()
    for index in 0..<4 { origin.note(1000 + Int64(index)) }
    #expect(origin.median == nil)
    origin.note(1004)
    #expect(origin.median == 1002)
    for late in [500_000_000, 1002, -70_000_000, 1002] as [Int64] { origin.note(late) }
    #expect(origin.median == 1002)
    for index in 0..<5 { origin.note(30_000_000 + Int64(index)) }
    #expect(origin.median == 30_000_002)
  }
}

/// A sound card whose output leads to its input, at the pace of the system's clock.
private final class Loop: Sendable {
  struct State {
    /// What was written, and when its first frame is heard; 0 before that.
    var written: [Int16] = []
    var start: Int64 = 0
  }

  let state = Mutex(State())

  var sink: SinkOpener { { _ in LoopSink(self) } }
  var source: SourceOpener { { _ in LoopSource(self) } }

  /// The frame of a clock that began at `start`.
  static func frames(since start: Int64) -> Int {
    Int((bootNanoseconds() - start) * 48 / 1_000_000)
  }

  /// What is heard at a time.
  func sample(at nanoseconds: Int64) -> Int16 {
    state.withLock { state in
      guard state.start > 0, nanoseconds >= state.start else { return 0 }
      let index = Int((nanoseconds - state.start) * 48 / 1_000_000)
      return state.written.indices.contains(index) ? state.written[index] : 0
    }
  }
}

private final class LoopSink: AudioSink {
  let format = SinkFormat(
    sampleRate: 48_000, channelCount: 1, encoding: .int16, periodFrames: 480, bufferFrames: 9600)
  private let loop: Loop

  init(_ loop: Loop) { self.loop = loop }

  var delay: Int {
    loop.state.withLock { state in
      let heard = state.start == 0 ? 0 : Loop.frames(since: state.start)
      return max(0, state.written.count - heard)
    }
  }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    let room = format.bufferFrames - delay
    guard room > 0 else { return .full }
    return loop.state.withLock { state in
      if state.start > 0 {
        // Silence where it has run dry, so that frames keep their times.
        let late = Loop.frames(since: state.start) - state.written.count
        if late > 0 { state.written += Array(repeating: 0, count: late) }
      }
      let taken = min(room, count)
      state.written += UnsafeBufferPointer(
        start: frames.assumingMemoryBound(to: Int16.self), count: taken)
      if state.start == 0 { state.start = bootNanoseconds() }
      return .wrote(taken)
    }
  }

  func wait(or descriptor: Int32, milliseconds: Int32) { usleep(2000) }
  func drop() {}
  func drain() -> Bool { delay == 0 }
}

private final class LoopSource: AudioSource {
  let format = SourceFormat(
    sampleRate: 48_000, channelCount: 1, encoding: .int16, periodFrames: 480,
    bufferFrames: 48_000)
  private let loop: Loop
  private let start = bootNanoseconds()
  private var read = 0

  init(_ loop: Loop) { self.loop = loop }

  var delay: Int { max(0, Loop.frames(since: start) - read) }

  func read(into frames: UnsafeMutableRawPointer, count: Int) -> SourceOutcome {
    let taken = min(count, delay)
    guard taken > 0 else { return .empty }
    let samples = frames.assumingMemoryBound(to: Int16.self)
    for index in 0..<taken {
      samples[index] = loop.sample(at: start + Int64(read + index) * 1_000_000 / 48)
    }
    read += taken
    return .read(taken)
  }

  func wait(milliseconds: Int32) { usleep(5000) }
}
