import Glibc
import Playback

/// A device that takes sound and never plays it: an item is heard until a test goes on, however long
/// that takes.
final class StillSink: AudioSink {
  let format: SinkFormat
  private(set) var delay = 0

  static func opener() -> SinkOpener {
    { request in
      StillSink(
        SinkFormat(
          sampleRate: request.sampleRate, channelCount: request.channelCount, encoding: .float32,
          periodFrames: request.sampleRate / 50, bufferFrames: request.sampleRate / 5))
    }
  }

  init(_ format: SinkFormat) { self.format = format }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    let taken = min(count, format.bufferFrames - delay)
    delay += taken
    return taken > 0 ? .wrote(taken) : .full
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, milliseconds)
  }

  func drop() { delay = 0 }

  func drain() -> Bool { delay == 0 }
}
