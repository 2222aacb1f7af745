import Glibc

internal import CALSA

/// The result of a recovery.
package enum PCMRecovery: Sendable, Hashable {
  /// The device continues with its frames.
  case resumed
  /// The device is empty and ready. Its frames were played (an xrun of playback) or lost (a
  /// suspend; `droppedFrames` at most, 0 if the device does not report it).
  case prepared(droppedFrames: Int)
}

/// The result of trying to resume a suspended device.
package enum PCMResume: Sendable, Hashable {
  /// The device continues.
  case resumed
  /// The device is not awake yet: try again, some 50 ms later.
  case notYet
  /// The device cannot resume: call `prepare()`.
  case refused
}

/// Not for the real-time path: failures may allocate.
extension PCMDevice {
  /// Starts at once, with any number of frames (`snd_pcm_start`): for capture, before the first
  /// wait. Does nothing if the device runs.
  ///
  /// - Throws: alsa-lib's error; an empty playback device has an xrun (`EPIPE`).
  package func start() throws(ALSAError) {
    guard state != .running else { return }
    try check("snd_pcm_start", name) { alsa.pcm_start(pcm) }
  }

  /// Stops at once and discards frames that were not heard, or not read (`snd_pcm_drop`). The
  /// device is ready for sound then.
  ///
  /// - Returns: The number of discarded frames, as far as the device reports it.
  /// - Throws: alsa-lib's error, of kind `.absent` if the device is gone.
  @discardableResult
  package func drop() throws(ALSAError) -> Int {
    let dropped = delay() ?? 0
    try check("snd_pcm_drop", name) { alsa.pcm_drop(pcm) }
    try prepare()
    return dropped
  }

  /// Makes a stopped device ready, empty (`snd_pcm_prepare`). The other calls here do it
  /// themselves.
  ///
  /// - Throws: alsa-lib's error.
  package func prepare() throws(ALSAError) {
    try check("snd_pcm_prepare", name) { alsa.pcm_prepare(pcm) }
  }

  /// Plays all frames to the end (`snd_pcm_drain`), without waiting.
  ///
  /// A draining device has room, and its descriptors may be ready all the time: do not wait for
  /// them.
  ///
  /// - Returns: Whether everything was heard, and the device is ready for sound; true at once for
  ///   an empty device. If not, call again, or drop.
  /// - Throws: alsa-lib's error; `ESTRPIPE` if the machine slept meanwhile: `recover()`, and
  ///   drain again.
  package func drain() throws(ALSAError) -> Bool {
    guard try isDrained() else { return false }
    try prepare()
    return true
  }

  /// Continues a drain, and returns whether it is over.
  ///
  /// In nonblocking mode the kernel returns EAGAIN in any case, and the state decides. Of
  /// alsa-lib's plugins, `dmix` mixes more with each call, `rate` reaches its hardware only after
  /// some calls, and `dshare` plays on until an xrun (alsa-lib 1.2.8).
  private func isDrained() throws(ALSAError) -> Bool {
    Messages.forget()
    let status = alsa.pcm_drain(pcm)
    guard status != 0 else {
      // alsa-lib's `file` writes buffered frames here, and reports a failure only in a message.
      guard let code = ALSAError.codeOfFailure() else { return true }
      throw ALSAError(code: code, call: "snd_pcm_drain", device: name, message: Messages.last)
    }
    let interruption: Int32? =
      switch state {
      case .suspended: ESTRPIPE
      case .disconnected: ENODEV
      default: status == -EAGAIN || status == -EINTR ? nil : -status
      }
    if let interruption {
      throw ALSAError(
        code: interruption, call: "snd_pcm_drain", device: name, message: Messages.last)
    }
    switch state {
    case .stopped, .xrun: return true
    case .prepared:
      if delay() == 0 { return true }
      try start()
      return false
    default: return false
    }
  }

  /// Makes the device ready after `.xrun` or `.suspended`.
  ///
  /// Resumes a suspended device, for a second at most while the hardware wakes up, or prepares it.
  ///
  /// - Returns: The result.
  /// - Throws: alsa-lib's error, of kind `.absent` if the device is gone.
  package func recover() throws(ALSAError) -> PCMRecovery {
    var dropped = 0
    if state == .suspended {
      dropped = delay() ?? 0
      for _ in 0..<Self.resumeAttempts {
        let answer = tryResume()
        if answer == .resumed { return .resumed }
        guard answer == .notYet else { break }
        usleep(50_000)
      }
    }
    try prepare()
    return .prepared(droppedFrames: dropped)
  }

  /// Tries to resume a suspended device, once, without waiting (`snd_pcm_resume`).
  package func tryResume() -> PCMResume {
    switch alsa.pcm_resume(pcm) {
    // alsa-lib returns 0 also for a plugin that cannot.
    case 0: state == .suspended ? .refused : .resumed
    case -EAGAIN: .notYet
    default: .refused
    }
  }

  private static var resumeAttempts: Int { 20 }
}
