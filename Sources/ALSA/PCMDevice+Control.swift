import Glibc

internal import CALSA

/// How a device came back.
package enum PCMRecovery: Sendable, Hashable {
  /// It goes on where it was, with what it had inside.
  case resumed
  /// It is empty and waits for sound. What it had inside was played (an xrun of playback) or lost (a
  /// suspend; `droppedFrames` of them at most, 0 where the device could not tell).
  case prepared(droppedFrames: Int)
}

/// What a suspended device said to being asked to go on.
package enum PCMResume: Sendable, Hashable {
  /// It goes on where it was.
  case resumed
  /// It is not awake yet: ask again, some 50 ms later.
  case notYet
  /// It cannot: `prepare()`.
  case refused
}

/// Not for the real-time path: these may allocate, when they fail.
extension PCMDevice {
  /// Begins at once, whatever is inside (`snd_pcm_start`): for capture, before the first wait. Does
  /// nothing where it runs.
  ///
  /// - Throws: What alsa-lib says; playback with nothing inside is an xrun (`EPIPE`).
  package func start() throws(ALSAError) {
    guard state != .running else { return }
    try check("snd_pcm_start", name) { snd_pcm_start(pcm) }
  }

  /// Stops at once and throws away what was not heard, or not read (`snd_pcm_drop`); ready for sound
  /// after it.
  ///
  /// - Returns: How many frames that was, as far as the device can tell: from there the next sound
  ///   would have come.
  /// - Throws: What alsa-lib says, of kind `.absent` where the device is gone.
  @discardableResult
  package func drop() throws(ALSAError) -> Int {
    let dropped = delay() ?? 0
    try check("snd_pcm_drop", name) { snd_pcm_drop(pcm) }
    try prepare()
    return dropped
  }

  /// Makes a stopped device ready, empty (`snd_pcm_prepare`). The other calls here do it themselves.
  ///
  /// - Throws: What alsa-lib says.
  package func prepare() throws(ALSAError) {
    try check("snd_pcm_prepare", name) { snd_pcm_prepare(pcm) }
  }

  /// Plays what is inside to its end (`snd_pcm_drain`), and waits for nothing.
  ///
  /// A draining device has room, and may say so without end: do not wait for its descriptors.
  ///
  /// - Returns: Whether everything was heard, and it is ready for sound: at once where nothing is inside.
  ///   If not, ask again, or drop.
  /// - Throws: What alsa-lib says; `ESTRPIPE` where the machine slept meanwhile: `recover()`, and
  ///   drain again.
  package func drain() throws(ALSAError) -> Bool {
    guard try isDrained() else { return false }
    try prepare()
    return true
  }

  /// Drives a drain, and tells whether it is over.
  ///
  /// Nonblocking, the kernel says EAGAIN in any case, and the state tells. Of alsa-lib's plugins,
  /// `dmix` mixes more with each call, `rate` comes to its hardware only after some, and `dshare`
  /// plays on and never drains: it has an xrun in the end (alsa-lib 1.2.8).
  private func isDrained() throws(ALSAError) -> Bool {
    Messages.forget()
    let status = snd_pcm_drain(pcm)
    guard status != 0 else {
      // alsa-lib's `file` writes what it held back, and says only in words that it could not.
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
  /// A suspended device is asked to go on, for a second at most while the hardware wakes up, and
  /// prepared where it cannot.
  ///
  /// - Returns: How it came back.
  /// - Throws: What alsa-lib says, of kind `.absent` where the device is gone.
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

  /// Asks a suspended device to go on, once, and waits for nothing (`snd_pcm_resume`).
  package func tryResume() -> PCMResume {
    switch snd_pcm_resume(pcm) {
    // Of a plugin that cannot, alsa-lib says 0 as well.
    case 0: state == .suspended ? .refused : .resumed
    case -EAGAIN: .notYet
    default: .refused
    }
  }

  private static var resumeAttempts: Int { 20 }
}
