internal import CALSA

/// The direction of the sound.
package enum PCMDirection: Sendable, Hashable {
  /// To the device.
  case playback
  /// From the device.
  case capture
}

/// How a sample lies in memory: always in the machine's own byte order.
package enum PCMSampleFormat: String, Sendable, Hashable, CaseIterable {
  /// 32-bit float, full scale ±1 (`SND_PCM_FORMAT_FLOAT`).
  case float32 = "float"
  /// 32-bit integer (`SND_PCM_FORMAT_S32`). Hardware of 20 or 24 bits takes them from its top.
  case int32 = "s32"
  /// A 24-bit integer in the low three bytes of four, with its sign in the fourth
  /// (`SND_PCM_FORMAT_S24`).
  case int24 = "s24"
  /// A 24-bit integer in three bytes (`SND_PCM_FORMAT_S24_3LE`, `S24_3BE`).
  case packedInt24 = "s24_3"
  /// A 16-bit integer (`SND_PCM_FORMAT_S16`).
  case int16 = "s16"

  /// Bytes of one sample of one channel: 2, 3 or 4.
  package var byteCount: Int {
    switch self {
    case .float32, .int32, .int24: 4
    case .packedInt24: 3
    case .int16: 2
    }
  }

  var alsa: snd_pcm_format_t {
    switch self {
    case .float32: SND_PCM_FORMAT_FLOAT
    case .int32: SND_PCM_FORMAT_S32
    case .int24: SND_PCM_FORMAT_S24
    case .packedInt24:
      // The one that has no name for the machine's own byte order.
      Int16(1).littleEndian == 1 ? SND_PCM_FORMAT_S24_3LE : SND_PCM_FORMAT_S24_3BE
    case .int16: SND_PCM_FORMAT_S16
    }
  }
}

/// The requested format of a device; `PCMFormat` is the answer.
package struct PCMRequest: Sendable, Hashable {
  /// Frames a second, or the nearest rate of the device.
  package var sampleRate: Int
  /// Channels, or the nearest number of the device.
  package var channelCount: Int
  /// The best first; the device gets the first one that it has.
  package var sampleFormats: [PCMSampleFormat]
  /// The time between two wake-ups of the device.
  package var period: Duration
  /// The length of the buffer: how long the thread may be delayed.
  package var buffer: Duration
  /// The sound in the device at which it starts by itself; nil: one period.
  package var startThreshold: Duration?

  /// A request for the given rate and channels.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames a second, above 0.
  ///   - channelCount: Above 0.
  ///   - sampleFormats: The best first. By default float, which needs no rounding, then
  ///     integers from the widest down.
  ///   - period: 20 ms by default: a start is heard soon, and the thread wakes fifty times a
  ///     second.
  ///   - buffer: 200 ms by default: encoders on all cores delay a thread for tens of
  ///     milliseconds.
  ///   - startThreshold: As the property.
  package init(
    sampleRate: Int, channelCount: Int,
    sampleFormats: [PCMSampleFormat] = [.float32, .int32, .int24, .packedInt24, .int16],
    period: Duration = .milliseconds(20), buffer: Duration = .milliseconds(200),
    startThreshold: Duration? = nil
  ) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.sampleFormats = sampleFormats
    self.period = period
    self.buffer = buffer
    self.startThreshold = startThreshold
  }
}

/// The format of a device as agreed upon: interleaved frames.
package struct PCMFormat: Sendable, Hashable {
  /// The format of a sample.
  package let sampleFormat: PCMSampleFormat
  /// Frames a second.
  package let sampleRate: Int
  /// Channels of a frame.
  package let channelCount: Int
  /// The position of each channel; nil if the device has no channel map. ALSA's usual order is
  /// front, rear, centre, low frequency, side (`speaker-test`'s), which is not FFmpeg's or WAV's.
  package let channelPositions: [PCMChannelPosition]?
  /// Frames between two wake-ups of the thread.
  package let periodFrames: Int
  /// Frames of the buffer.
  package let bufferFrames: Int
  /// Whether alsa-lib may convert samples or channels on the way to the hardware (its `plug`): only
  /// for a device without any requested format.
  package let isConverted: Bool

  /// Bytes of one frame.
  package var bytesPerFrame: Int { sampleFormat.byteCount * channelCount }
}

/// The position of a channel (`enum snd_pcm_chmap_position`), also of values without a name here.
package struct PCMChannelPosition: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// alsa-lib's name: `FL`, `FR`, `FC`, `LFE`, `RL`, `RR`, `SL`, `SR`, `MONO`, `UNKNOWN` …
  package var description: String {
    guard alsa.pcm_chmap_name != nil,
      let name = alsa.pcm_chmap_name(snd_pcm_chmap_position(rawValue))
    else { return "\(rawValue)" }
    return String(cString: name)
  }
}

/// The state of a device (`snd_pcm_state_t`).
package enum PCMState: Sendable, Hashable {
  /// Ready for frames, or for a start.
  case prepared
  /// Playing or recording.
  case running
  /// Playing its last frames.
  case draining
  /// Paused, with its frames.
  case paused
  /// Stopped without sound to play, or without room for recorded sound.
  case xrun
  /// Stopped by the system's sleep.
  case suspended
  /// Disconnected.
  case disconnected
  /// Stopped and not ready (`SND_PCM_STATE_SETUP`), or never set up.
  case stopped
  /// A state that alsa-lib has added since.
  case other(UInt32)

  init(_ state: snd_pcm_state_t) {
    // By number: in unoptimized code, comparing C values looks up their type's metadata, which
    // takes a lock once; and the real-time path reads states.
    switch state.rawValue {
    case SND_PCM_STATE_PREPARED.rawValue: self = .prepared
    case SND_PCM_STATE_RUNNING.rawValue: self = .running
    case SND_PCM_STATE_DRAINING.rawValue: self = .draining
    case SND_PCM_STATE_PAUSED.rawValue: self = .paused
    case SND_PCM_STATE_XRUN.rawValue: self = .xrun
    case SND_PCM_STATE_SUSPENDED.rawValue: self = .suspended
    case SND_PCM_STATE_DISCONNECTED.rawValue: self = .disconnected
    case SND_PCM_STATE_OPEN.rawValue, SND_PCM_STATE_SETUP.rawValue: self = .stopped
    default: self = .other(UInt32(truncatingIfNeeded: state.rawValue))
    }
  }
}
