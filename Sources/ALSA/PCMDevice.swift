import Glibc

internal import CALSA

/// The result of a transfer. Each case needs another reaction.
package enum PCMOutcome: Sendable, Hashable {
  /// This many frames, at least one, were transferred; maybe fewer than requested.
  case transferred(Int)
  /// No frame now: no room, or no sound. Wait.
  case notReady
  /// The device ran out of sound, or of room for it (`EPIPE`), and stopped: `recover()`.
  case xrun
  /// The machine slept (`ESTRPIPE`): `recover()`.
  case suspended
  /// The device is gone, by this errno (`ENODEV`, `EIO` …): close it, and open a device later. Only
  /// an earlier `delay()` has the number of frames that it held.
  case gone(Int32)
  /// The device is there and fails, by this errno: `ENOSPC`, `ENOENT` … of a plugin that writes a
  /// file. Opening it again does not help.
  case failed(Int32)
}

/// The result of a wait.
package enum PCMWait: Sendable, Hashable {
  /// There is at least a period of room, or of sound; or the next transfer has another result.
  case ready
  /// The caller's descriptor was readable, also before the wait.
  case woken
  /// The time is over.
  case timedOut
}

/// A sound device, open (`snd_pcm_t`), in nonblocking mode, for interleaved frames.
///
/// It belongs to one thread at a time, and closes on release. Opened, dropped, drained or
/// recovered, it is ready for sound; playback begins by itself at `PCMRequest.startThreshold`,
/// capture with `start()` or the first read.
///
/// `write`, `read`, `wait`, `delay` and `state` are for the real-time path: they do not allocate,
/// lock or log. (alsa-lib has a lock around plugins, which no other thread takes.) The others may
/// allocate, and throw. If the server of a plugin hangs, `drop`, `drain`, `prepare` and the release
/// may block for ever.
package final class PCMDevice {
  /// The name that was opened: `default`, `hw:1,0` …
  package let name: String
  /// The direction of the sound.
  package let direction: PCMDirection
  /// The format that was agreed upon.
  package let format: PCMFormat

  let pcm: OpaquePointer
  /// The device's descriptors, and a caller's after them.
  private let descriptors: UnsafeMutablePointer<pollfd>

  /// alsa-lib's own waits refuse more (`snd_pcm_wait_nocheck`).
  private static let mostDescriptors = 16

  /// Opens a device, and agrees with it on a format.
  ///
  /// alsa-lib is not allowed to convert at first: avjob resamples, dithers and matrices itself, so
  /// that the sound is the export's. `default` and `plughw:0`, which have alsa-lib's `plug` before
  /// the hardware, therefore offer the hardware's own formats. Only if none of them is requested (8
  /// bits, µ-law) may `plug` convert samples and channels; it never converts rates
  /// (`snd_pcm_hw_params_set_rate_resample`). A sound server offers any rate and resamples itself,
  /// which cannot be switched off.
  ///
  /// - Parameters:
  ///   - name: A device of `PCMDevices.list`, or any other name of alsa-lib.
  ///   - direction: The direction of the sound.
  ///   - request: The requested format.
  ///   - configuration: A file of alsa-lib's configuration in place of the system's; nil: the
  ///     system's, or that of `ALSA_CONFIG_PATH`.
  /// - Returns: The device, ready. It starts with the first sound, or with `start()`.
  /// - Throws: alsa-lib's error if there is no such device, if another program uses it, or if it
  ///   has no such format.
  package static func open(
    _ name: String, direction: PCMDirection, request: PCMRequest, configuration: String? = nil
  ) throws(ALSAError) -> PCMDevice {
    try loadALSA()
    do throws(ALSAError) {
      return try PCMDevice(
        name, direction, request, configuration: configuration, mayConvert: false)
    } catch  where error.kind == .unsupported {
      return try PCMDevice(
        name, direction, request, configuration: configuration, mayConvert: true)
    }
  }

  private init(
    _ name: String, _ direction: PCMDirection, _ request: PCMRequest, configuration: String?,
    mayConvert: Bool
  ) throws(ALSAError) {
    let pcm = try openPCM(
      name, direction, configuration: configuration,
      mode: SND_PCM_NONBLOCK | (mayConvert ? 0 : SND_PCM_NO_AUTO_FORMAT | SND_PCM_NO_AUTO_CHANNELS))
    do throws(ALSAError) {
      // Plugins get the mode only by this call: alsa-lib 1.2.8, pcm_ioplug.c.
      try check("snd_pcm_nonblock", name) { alsa.pcm_nonblock(pcm, 1) }
      let negotiation = PCMNegotiation(pcm: pcm, name: name, direction: direction)
      format = try negotiation.agree(on: request, isConverted: mayConvert)
      let count = alsa.pcm_poll_descriptors_count(pcm)
      guard 1...Self.mostDescriptors ~= Int(count) else {
        throw ALSAError(
          code: ENOTSUP, call: "snd_pcm_poll_descriptors_count", device: name,
          message: "it has \(count) descriptors to poll")
      }
    } catch {
      _ = alsa.pcm_close(pcm)
      throw error
    }
    self.pcm = pcm
    self.name = name
    self.direction = direction
    descriptors = .allocate(capacity: Self.mostDescriptors + 1)
    descriptors.initialize(repeating: pollfd(), count: Self.mostDescriptors + 1)
  }

  deinit {
    _ = alsa.pcm_close(pcm)
    descriptors.deallocate()
  }

  // MARK: The real-time path

  /// Writes frames, as many as there is room for (`snd_pcm_writei`).
  ///
  /// - Parameters:
  ///   - frames: `count` × `format.bytesPerFrame` bytes.
  ///   - count: At least 1.
  /// - Returns: The result.
  package func write(_ frames: UnsafeRawPointer, count: Int) -> PCMOutcome {
    Messages.forget()
    return outcome(of: alsa.pcm_writei(pcm, frames, snd_pcm_uframes_t(max(0, count))))
  }

  /// Reads recorded frames, as many as there are (`snd_pcm_readi`).
  ///
  /// - Parameters:
  ///   - frames: Room for `count` × `format.bytesPerFrame` bytes.
  ///   - count: At least 1.
  /// - Returns: The number of frames, or why there are none.
  package func read(into frames: UnsafeMutableRawPointer, count: Int) -> PCMOutcome {
    Messages.forget()
    return outcome(of: alsa.pcm_readi(pcm, frames, snd_pcm_uframes_t(max(0, count))))
  }

  /// Waits for a period of room or of sound, for a caller's descriptor, or for the time.
  ///
  /// A device that does not run may never be ready: write sound, or start it, before.
  ///
  /// - Parameters:
  ///   - limit: Not above an hour; more is cut.
  ///   - descriptor: A descriptor that ends the wait while it is readable, such as that of a
  ///     `WakeUp`; it is not read. −1: none.
  /// - Returns: The first result; `.woken` before others: an order comes before sound.
  package func wait(upTo limit: Duration, or descriptor: Int32 = -1) -> PCMWait {
    let end = ContinuousClock.now + limit
    while true {
      // Read each time: a plugin may change them. snd_pcm_wait uses poll(2), too.
      let count = alsa.pcm_poll_descriptors(pcm, descriptors, UInt32(Self.mostDescriptors))
      guard count > 0 else { return .ready }
      let callersEntry = descriptors + Int(count)
      callersEntry.pointee = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = milliseconds(until: end)
      let found = poll(descriptors, nfds_t(count) + 1, rest)
      if found > 0 {
        if callersEntry.pointee.revents != 0 { return .woken }
        var events: UInt16 = 0
        let status = alsa.pcm_poll_descriptors_revents(pcm, descriptors, UInt32(count), &events)
        let wanted = POLLIN | POLLOUT | POLLERR | POLLHUP | POLLNVAL
        if status < 0 || Int32(events) & wanted != 0 { return .ready }
      }
      if rest == 0 { return .timedOut }
    }
  }

  /// Frames between the next one that is written and the ear (`snd_pcm_delay`), or between the
  /// microphone and the next one that is read; nil while the device does not report it: after an
  /// xrun, or when it is gone.
  package func delay() -> Int? {
    var frames: snd_pcm_sframes_t = 0
    // Plugins return a number in any state. The state is read last, since the call for the delay
    // may find an xrun.
    guard alsa.pcm_delay(pcm, &frames) >= 0, isCounting else { return nil }
    return max(0, frames)
  }

  /// Frames in the buffer of a playing device, as of the last call of `delay`
  /// (`snd_pcm_avail_update`); nil while the device does not report it.
  package var bufferedFrames: Int? {
    let room = alsa.pcm_avail_update(pcm)
    return room < 0 ? nil : max(0, format.bufferFrames - room)
  }

  private var isCounting: Bool {
    switch state {
    case .prepared, .running, .draining, .paused, .suspended: true
    default: false
    }
  }

  /// The error for a transfer's errno, with alsa-lib's message; not for the real-time path.
  package func error(_ code: Int32, of call: String) -> ALSAError {
    ALSAError(code: code, call: call, device: name, message: Messages.last)
  }

  /// Whether it is alsa-lib's `file` (`SND_PCM_TYPE_FILE`), which writes the frames to a file, or
  /// reads them from one, beside or instead of a device.
  package var isFile: Bool { alsa.pcm_type(pcm).rawValue == SND_PCM_TYPE_FILE.rawValue }

  /// The state of the device (`snd_pcm_state`).
  package var state: PCMState { PCMState(alsa.pcm_state(pcm)) }

  /// Sorts the status of a transfer.
  private func outcome(of count: Int) -> PCMOutcome {
    if count > 0 { return .transferred(count) }
    let code = Int32(truncatingIfNeeded: -count)
    switch code {
    // Zero: a full device that does not run yet.
    case 0, EAGAIN, EINTR: return .notReady
    case EPIPE: return .xrun
    case ESTRPIPE: return .suspended
    // A state without sound; older kernels return it for an unplugged device, too.
    case EBADFD:
      switch state {
      case .xrun, .stopped: return .xrun
      case .suspended: return .suspended
      case .draining: return .notReady
      default: return .gone(code)
      }
    case EIO:
      // alsa-lib's `file` returns it for any failure of its file, with the reason in a message.
      guard let code = ALSAError.codeOfFailure() else { return .gone(code) }
      return .failed(code)
    default:
      return ALSAError.saysGone(code) || state == .disconnected ? .gone(code) : .failed(code)
    }
  }
}

/// Whole milliseconds for poll(2), rounded up so that no wait ends before its time.
private func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
  let rest = min(max(.zero, ContinuousClock.now.duration(to: end)), .seconds(3600)).components
  let fraction = (rest.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  return Int32(truncatingIfNeeded: rest.seconds * 1000 + fraction)
}

/// Opens a PCM by the system's configuration, or by a file.
private func openPCM(
  _ name: String, _ direction: PCMDirection, configuration: String?, mode: Int32
) throws(ALSAError) -> OpaquePointer {
  let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
  guard let configuration else {
    return try checkPointer("snd_pcm_open", name) { alsa.pcm_open(&$0, name, stream, mode) }
  }
  let tree = try checkPointer("snd_config_top") { alsa.config_top(&$0) }
  // An open device has copied what it needs.
  defer { _ = alsa.config_delete(tree) }
  let input = try checkPointer("snd_input_stdio_open", configuration) {
    alsa.input_stdio_open(&$0, configuration, "r")
  }
  defer { _ = alsa.input_close(input) }
  try check("snd_config_load", configuration) { alsa.config_load(tree, input) }
  return try checkPointer("snd_pcm_open_lconf", name) {
    alsa.pcm_open_lconf(&$0, name, stream, mode, tree)
  }
}
