import Glibc
import TestSupport
import Threads

@testable import ALSA

/// Devices of one test, in a folder of their own.
struct Card {
  let folder = TestFolder()
  /// Ends waits, where a test waits for it, too.
  let wakeUp: WakeUp
  private let configuration: String

  /// A device `card` of the test's plugin, with what a definition says beside its type and files.
  ///
  /// - Parameters:
  ///   - definition: Such as `speed 50 stall yes`.
  ///   - others: Definitions of more devices, by name.
  /// - Throws: Where the plugin cannot be compiled.
  init(_ definition: String = "", others: [String: String] = [:]) throws {
    let folder = self.folder
    wakeUp = try WakeUp()
    var devices = others.mapValues { $0.replacing("$", with: folder.root) }
    devices["card"] =
      "type avpaced heard \"\(folder.path("heard"))\" log \"\(folder.path("log"))\" "
      + definition.replacing("$", with: folder.root)
    configuration = try SoundCard.configuration(devices, in: folder)
  }

  func open(
    _ name: String = "card", _ direction: PCMDirection = .playback,
    _ request: PCMRequest = PCMRequest(sampleRate: 48000, channelCount: 2)
  ) throws(ALSAError) -> PCMDevice {
    try PCMDevice.open(
      name, direction: direction, request: request, configuration: configuration)
  }

  /// What the device has played, or handed over.
  var heard: [UInt8] { (try? readFile(folder.path("heard"))) ?? [] }

  /// Whether it has played, or handed over, just that. (A failed comparison of arrays would print
  /// them.)
  func hasHeard(_ bytes: [UInt8]) -> Bool { heard == bytes }

  /// The names of what happened to the device.
  var events: [String] { SoundCard.events(folder.path("log")).map(\.name) }
}

/// Bytes of which none is silence, and no two pieces of a test alike.
func sound(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var dice = Dice(seed)
  // A prime number of them, again and again: a build for debugging takes its time over each.
  let some = (0..<997).map { _ in UInt8.random(in: 1...255, using: &dice) }
  var bytes: [UInt8] = []
  while bytes.count < count { bytes += some }
  return Array(bytes.prefix(count))
}

extension PCMDevice {
  /// Writes until everything is over, or something else than room is wanted; the frames that went
  /// over, and what it ended with.
  func writeAll(_ bytes: [UInt8], chunk: Int = 4096) -> (count: Int, end: PCMOutcome) {
    let total = bytes.count / format.bytesPerFrame
    var done = 0
    while done < total {
      let outcome = bytes.withUnsafeBytes { bytes -> PCMOutcome in
        guard let start = bytes.baseAddress else { return .notReady }
        return write(start + done * format.bytesPerFrame, count: min(chunk, total - done))
      }
      switch outcome {
      case .transferred(let count): done += count
      case .notReady:
        // A device that has stopped for another reason says so in the next transfer.
        if wait(upTo: .seconds(30)) == .timedOut { return (done, .notReady) }
      default: return (done, outcome)
      }
    }
    return (done, .transferred(done))
  }

  /// Drains until everything was heard; false where that takes longer than anything here.
  func drainAll() throws(ALSAError) -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !drain() {
      guard ContinuousClock.now < deadline else { return false }
      usleep(500)
    }
    return true
  }

  /// Waits until it does not run any more.
  func waitUntilStopped() throws {
    try TestSupport.wait(until: "the device has stopped") {
      _ = wait(upTo: .seconds(1))
      return state != .running
    }
  }

  /// With how many frames inside it starts by itself; nil where it does not when it is full.
  func startFrames() -> Int? {
    let frame = sound(format.bytesPerFrame)
    return (1...format.bufferFrames).first { _ in
      writeAll(frame).end == .transferred(1) && state == .running
    }
  }

  /// Reads so many frames, or up to what is no sound.
  func readAll(_ total: Int, chunk: Int = 1000) -> (bytes: [UInt8], end: PCMOutcome) {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: chunk * format.bytesPerFrame)
    while bytes.count < total * format.bytesPerFrame {
      let wanted = min(chunk, total - bytes.count / format.bytesPerFrame)
      let outcome = room.withUnsafeMutableBytes { room -> PCMOutcome in
        guard let start = room.baseAddress else { return .notReady }
        return read(into: start, count: wanted)
      }
      switch outcome {
      case .transferred(let count): bytes += room.prefix(count * format.bytesPerFrame)
      case .notReady:
        if wait(upTo: .seconds(30)) == .timedOut { return (bytes, .notReady) }
      default: return (bytes, outcome)
      }
    }
    return (bytes, .transferred(total))
  }
}
