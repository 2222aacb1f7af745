/// How far a stream was heard, from the server's last report.
package struct PulseTiming: Sendable, Hashable {
  /// Frames that were written, and had not gone to the device at the time of the report; frames that
  /// were written since are added.
  package var queuedFrames: Int
  /// Frames that the device held then.
  package var deviceFrames: Int
  /// Nanoseconds since the report.
  package var age: Int64

  package init(queuedFrames: Int, deviceFrames: Int, age: Int64) {
    (self.queuedFrames, self.deviceFrames, self.age) = (queuedFrames, deviceFrames, age)
  }

  /// The report of a server, whose numbers may be any.
  ///
  /// - Parameters:
  ///   - writeIndex: Bytes that were written.
  ///   - readIndex: Bytes of them that have gone to the device.
  ///   - frameSize: Bytes of a frame, 1 or more.
  ///   - sinkMicroseconds: What the device held; a minute at most.
  ///   - sampleRate: Frames a second.
  ///   - age: Nanoseconds since the report.
  package init(
    writeIndex: Int64, readIndex: Int64, frameSize: Int, sinkMicroseconds: UInt64, sampleRate: Int,
    age: Int64
  ) {
    // It leaves room for sums.
    let most = Int64.max / 4
    let queued = (writeIndex &- readIndex) / Int64(frameSize)
    self.init(
      queuedFrames: Int(max(-most, min(most, queued))),
      deviceFrames: Int(Self.latency(sinkMicroseconds)) * sampleRate / 1_000_000, age: age)
  }

  /// A latency in microseconds, a minute at most.
  package static func latency(_ microseconds: UInt64) -> UInt64 { min(microseconds, 60_000_000) }

  /// The longest time for which a report is good: libpulse has one made every 1.5 s
  /// (`PA_STREAM_AUTO_TIMING_UPDATE`), later only if the server hangs.
  private static let longestAge: Int64 = 3_000_000_000

  /// Frames that are still to be heard, if the device plays.
  ///
  /// - Parameters:
  ///   - written: Frames that were written since the stream was silent: an upper limit.
  ///   - sampleRate: Frames a second.
  /// - Returns: The number of frames, 0 to `written`.
  package func delay(of written: Int, sampleRate: Int) -> Int {
    let passed = max(0, min(age, Self.longestAge)) * Int64(sampleRate) / 1_000_000_000
    return max(0, min(written, queuedFrames + deviceFrames - Int(passed)))
  }
}
