import Glibc

internal import CALSA

/// What alsa-lib answered when it could not do something.
package struct ALSAError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An errno, positive; or one of alsa-lib's own numbers (`SND_ERROR_BEGIN` and up).
  package let code: Int32
  /// The call that failed, such as `snd_pcm_open`.
  package let call: String
  /// The name of the device that it was about; nil where it was about none.
  package let device: String?
  /// The last line that alsa-lib, or this wrapper, said of it.
  package let message: String?

  /// What the user, or whoever waits for the device, can do.
  package enum Kind: Sendable, Hashable {
    /// There is no such device, now: it was unplugged, or its name is wrong, or its server is gone.
    /// Opening it later may succeed.
    case absent
    /// Another program holds it.
    case busy
    /// This user may not open it.
    case forbidden
    /// It has nothing of what was asked for.
    case unsupported
    /// The machine has no room for it: descriptors, memory.
    case exhausted
    /// Anything else.
    case other
  }

  init(code: Int32, call: String, device: String? = nil, message: String? = nil) {
    self.code = code
    self.call = call
    self.device = device
    self.message = message
  }

  /// By which reaction to sort it.
  package var kind: Kind {
    switch code {
    // A server that does not answer (ECONNREFUSED) and a transfer that broke off (EIO) end a device
    // of PulseAudio or PipeWire as unplugging ends a card.
    case ENOENT, ENODEV, ENXIO, ESHUTDOWN, EBADFD, EIO, ECONNREFUSED, EHOSTDOWN: .absent
    case EBUSY, EAGAIN: .busy
    case EACCES, EPERM: .forbidden
    case EINVAL, ENOTSUP, ENOSYS: .unsupported
    case EMFILE, ENFILE, ENOMEM, ENOSPC: .exhausted
    default: .other
    }
  }

  /// Whether the code of a transfer says that the device is not there any more.
  ///
  /// Of a card that is unplugged the kernel says `ENODEV`, its USB driver `ESHUTDOWN`, `ENXIO`, or
  /// what the last message to the device came to (`EPROTO`, `ETIMEDOUT`); older ones `EBADFD`.
  /// `EIO` is an interrupt that does not come any more, and what alsa-lib's plugin for PulseAudio
  /// says when the server has ended; other servers' sockets have ends of their own.
  package static func saysGone(_ code: Int32) -> Bool {
    switch code {
    case ENODEV, ENXIO, ESHUTDOWN, EBADFD, EIO, EPROTO, ETIMEDOUT: true
    case ECONNREFUSED, ECONNRESET, ENOTCONN, EHOSTDOWN: true
    default: false
    }
  }

  /// The errno that alsa-lib has told of while it did something, where that is why the device, which
  /// is there, could not do it; nil: it told of none.
  static func codeOfFailure() -> Int32? {
    let code = Messages.lastCode
    return code != 0 && (code == EIO || !saysGone(code)) ? code : nil
  }

  /// alsa-lib's sentence for the code (`snd_strerror`).
  package var reason: String { String(cString: snd_strerror(-code)) }

  /// One line, such as `hw:7: No such device (snd_pcm_open: Unknown PCM hw:7)`.
  package var description: String {
    (device.map { "\($0): " } ?? "") + reason + " (\(call)" + (message.map { ": \($0)" } ?? "")
      + ")"
  }
}

/// The gate that every status of alsa-lib passes, except those of transfers, which are
/// `PCMOutcome`: gives it back where it is no error.
@discardableResult
func check(
  _ call: String, _ device: String?, _ status: () -> Int32
) throws(ALSAError) -> Int32 {
  Messages.forget()
  let status = status()
  guard status >= 0 else {
    throw ALSAError(code: -status, call: call, device: device, message: Messages.last)
  }
  return status
}

/// The same for calls that make something: an owner must free it.
func checkPointer(
  _ call: String, _ device: String? = nil, _ make: (inout OpaquePointer?) -> Int32
) throws(ALSAError) -> OpaquePointer {
  var pointer: OpaquePointer?
  try check(call, device) { make(&pointer) }
  guard let pointer else { throw ALSAError(code: ENOMEM, call: call, device: device) }
  return pointer
}
