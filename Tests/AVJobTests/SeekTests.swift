import ExportEngine
import Glibc
import LiveScreens
import MediaComposition
import MediaTime
import Synchronization
import Terminal
import TestSupport
import Testing

@testable import Playback
@testable import avjob

/// Plays the jobs of the repository as `avjob preview` does, from wherever somebody may go.
@Suite struct SeekTests {
  /// What every file of `Jobs/` has to be heard, as `preview` reads it.
  private func items() throws -> [PlayerItem] {
    let folder = Fixture.path("../Jobs")
    let listing = try Tool.succeed("sh", "-c", "ls \"$0\"/*.yaml", folder).text
    let paths = listing.split(separator: "\n").map(String.init)
    #expect(paths.count >= 6)
    let context = CommandContext()
    return try paths.flatMap { path in
      var queue = PreviewQueue(
        context: context, variables: try VariableOptions.parse([]), paths: [path], names: [],
        output: 0)
      let entries = try queue.entries().compactMap { next in
        if case .entry(let entry) = next { entry } else { nil }
      }
      let items = PreviewItems(entries, library: context.library)
      return try entries.indices.map { try items.make($0).item }
    }
  }

  /// Goes to places of an item, and gives what is heard from each on, as many frames as the device
  /// takes; at its end the item begins anew.
  private func heard(
    _ item: PlayerItem, from frames: [Int64], exactly: Bool
  ) throws -> [ArraySlice<Float>] {
    let device = GatedDevice()
    let player = try Player(item, opening: device.opener)
    player.numberOfLoops = -1
    player.play()
    return try frames.map { frame in
      try device.waitUntilFull()
      let time = Time(frames: frame, rate: item.sampleRate)
      let silences = device.silences
      if exactly {
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
      } else {
        player.seek(to: time)
      }
      try device.waitUntilFull(after: silences)
      return device.heard
    }
  }

  @Test(
    "from each of a hundred places in the jobs of Jobs/, what is heard is the whole's, bit for bit")
  func jobs() throws {
    var dice = Dice(6)
    var count = 0
    for item in try items() {
      let whole = try item.whole()
      let channelCount = item.channelLayout.count
      let frameCount = Int64(whole.count / channelCount)
      let frames = (0..<8).map { _ in dice.number(0..<frameCount) }
      // What remembers without end is what it is from the start on.
      let isUnbounded = item.graph.nodes.contains { $0.memory == .unbounded }
      let pieces = try heard(item, from: frames, exactly: isUnbounded)
      for (frame, piece) in zip(frames, pieces) {
        let start = Int(frame) * channelCount
        let isEqual = piece.indices.allSatisfy { index in
          piece[index] == whole[(start + index - piece.startIndex) % whole.count]
        }
        #expect(isEqual, "\(item.name) from frame \(frame)")
      }
      count += frames.count
    }
    #expect(count >= 100)
  }
}

extension PlayerItem {
  /// What an export as float WAV would hold.
  fileprivate func whole() throws -> [Float] {
    let renderer = try Renderer(graph, library: library)
    let buffer = AudioBuffer(channelCount: channelLayout.count, capacity: Renderer.blockSize)
    var samples: [Float] = []
    repeat {
      let next = renderer.position(of: sink.node)
      try renderer.read(next..<next + Int64(buffer.capacity), of: sink.node, into: buffer)
      for index in 0..<buffer.frameCount {
        for channel in 0..<buffer.channelCount { samples.append(buffer.samples(channel)[index]) }
      }
    } while buffer.frameCount > 0
    return samples
  }
}

/// A device in the format that is asked for, which is full after so many frames until it is silenced.
private final class GatedDevice: Sendable {
  private struct State {
    var samples: [Float] = []
    /// Where the samples begin that were played since the last silence.
    var start = 0
    var silences = 0
  }

  static let frames = 4096
  private let state = Mutex(State())
  private let channels = Atomic<Int>(0)

  var opener: SinkOpener {
    { request in
      self.channels.store(request.channelCount, ordering: .relaxed)
      return GatedSink(self, request)
    }
  }

  /// How often it was silenced.
  var silences: Int { state.withLock { $0.silences } }

  /// What was played since the last silence.
  var heard: ArraySlice<Float> { state.withLock { $0.samples[$0.start...] } }

  /// Until it is, and was silenced more often than `count` times.
  func waitUntilFull(after count: Int = -1) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while silences <= count || room != 0 {
      try #require(ContinuousClock.now < deadline)
      usleep(200)
    }
  }

  /// In samples; nil where it is not open.
  private var room: Int? {
    let size = Self.frames * channels.load(ordering: .relaxed)
    return size == 0 ? nil : state.withLock { size - ($0.samples.count - $0.start) }
  }

  fileprivate func take(_ samples: UnsafeBufferPointer<Float>) -> Int {
    let taken = min(samples.count, room ?? 0)
    state.withLock { $0.samples += samples.prefix(taken) }
    return taken
  }

  fileprivate func silence() {
    state.withLock { state in
      state.start = state.samples.count
      state.silences += 1
    }
  }
}

/// The device, open.
private final class GatedSink: AudioSink {
  let format: SinkFormat
  let delay = 0
  private let device: GatedDevice

  init(_ device: GatedDevice, _ request: SinkRequest) {
    self.device = device
    format = SinkFormat(
      sampleRate: request.sampleRate, channelCount: request.channelCount, encoding: .float32,
      periodFrames: 512, bufferFrames: 1024)
  }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    let samples = UnsafeBufferPointer(
      start: frames.assumingMemoryBound(to: Float.self), count: count * format.channelCount)
    let taken = device.take(samples)
    return taken == 0 ? .full : .wrote(taken / format.channelCount)
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, milliseconds)
  }

  func drop() { device.silence() }

  func drain() -> Bool { true }
}
