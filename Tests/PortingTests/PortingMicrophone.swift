import Diagnosis
import Glibc
import Playback
import Synchronization

/// A microphone that hears a tone for a minute, as fast as it is read.
final class PortingMicrophone: AudioSource {
  let format: SourceFormat
  private var left: Int
  private let disconnects: Bool
  private var phase: Float = 0

  static let opener: SourceOpener = { wanted throws(Failure) in
    PortingMicrophone(wanted, 60 * wanted.sampleRate)
  }

  /// Opens one that disconnects after so many frames, the first time.
  static func disconnecting(after frames: Int) -> SourceOpener {
    let openings = Atomic<Int>(0)
    return { wanted throws(Failure) in
      let isFirst = openings.wrappingAdd(1, ordering: .relaxed).oldValue == 0
      return PortingMicrophone(
        wanted, isFirst ? frames : 60 * wanted.sampleRate, disconnects: isFirst)
    }
  }

  private init(_ wanted: SourceRequest, _ frames: Int, disconnects: Bool = false) {
    format = SourceFormat(
      sampleRate: wanted.sampleRate, channelCount: wanted.channelCount, encoding: .float32,
      periodFrames: 960, bufferFrames: 24_000)
    (left, self.disconnects) = (frames, disconnects)
  }

  var delay: Int { 0 }

  func read(into frames: UnsafeMutableRawPointer, count: Int) -> SourceOutcome {
    let count = min(count, left, 960)
    guard count > 0 else { return disconnects ? .gone : .empty }
    left -= count
    let channels = format.channelCount
    let samples = frames.bindMemory(to: Float.self, capacity: count * channels)
    for frame in 0..<count {
      phase = (phase + 0.02).truncatingRemainder(dividingBy: 1)
      for channel in 0..<channels { samples[frame * channels + channel] = abs(phase - 0.5) - 0.25 }
    }
    return .read(count)
  }

  func wait(milliseconds: Int32) { usleep(1000) }
}
