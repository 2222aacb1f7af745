import Glibc

internal import CALSA

/// An error of alsa-lib.
package struct ALSAError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An errno, positive; or one of alsa-lib's own numbers (`SND_ERROR_BEGIN` and up).
  package let code: Int32
  /// The call that failed, such as `snd_pcm_open`.
  package let call: String
  /// The name of the device; nil if there is none.
  package let device: String?
  /// The last message of alsa-lib, or of this wrapper.
  package let message: String?

  /// The kind of an error, by the reaction to it.
  package enum Kind: Sendable, Hashable {
    /// alsa-lib is not installed.
    case libraryMissing
    /// There is no such device now: it was unplugged, its name is wrong, or its server has ended.
    /// Opening it later may succeed.
    case absent
    /// Another program uses it.
    case busy
    /// This user may not open it.
    case forbidden
    /// It does not have the requested format.
    case unsupported
    /// The machine has no descriptor or memory left.
    case exhausted
    /// Anything else.
    case other
  }

  static let libraryMissing = ALSAError(
    code: ELIBACC, call: "dlopen", message: "libasound.so.2 cannot be loaded")

  init(code: Int32, call: String, device: String? = nil, message: String? = nil) {
    self.code = code
    self.call = call
    self.device = device
    self.message = message
  }

  /// The kind of the error.
  package var kind: Kind {
    switch code {
    // A server that refuses the connection (ECONNREFUSED) and a transfer that breaks off (EIO) end
    // a device of PulseAudio or PipeWire as unplugging ends a card.
    case ENOENT, ENODEV, ENXIO, ESHUTDOWN, EBADFD, EIO, ECONNREFUSED, EHOSTDOWN: .absent
    case EBUSY, EAGAIN: .busy
    case EACCES, EPERM: .forbidden
    case EINVAL, ENOTSUP, ENOSYS: .unsupported
    case ELIBACC: .libraryMissing
    case EMFILE, ENFILE, ENOMEM, ENOSPC: .exhausted
    default: .other
    }
  }

  /// Whether the code of a transfer means that the device is gone.
  ///
  /// For an unplugged card the kernel returns `ENODEV`, its USB driver `ESHUTDOWN`, `ENXIO`, or the
  /// error of the last message to the device (`EPROTO`, `ETIMEDOUT`); older kernels return
  /// `EBADFD`. `EIO` is an interrupt that does not come any more, and the code of alsa-lib's plugin
  /// for PulseAudio after the server has ended; the sockets of other servers have other codes.
  package static func saysGone(_ code: Int32) -> Bool {
    switch code {
    case ENODEV, ENXIO, ESHUTDOWN, EBADFD, EIO, EPROTO, ETIMEDOUT: true
    case ECONNREFUSED, ECONNRESET, ENOTCONN, EHOSTDOWN: true
    default: false
    }
  }

  /// The errno that alsa-lib has reported in a message during a call, if it is the reason why a
  /// device that is there failed; nil without such a message.
  static func codeOfFailure() -> Int32? {
    let code = Messages.lastCode
    return code != 0 && (code == EIO || !saysGone(code)) ? code : nil
  }

  /// alsa-lib's sentence for the code (`snd_strerror`).
  package var reason: String {
    guard kind != .libraryMissing, let text = alsa.strerror(-code) else {
      return String(cString: strerror(code))
    }
    return String(cString: text)
  }

  /// One line, such as `hw:7: No such device (snd_pcm_open: Unknown PCM hw:7)`.
  package var description: String {
    (device.map { "\($0): " } ?? "") + reason + " (\(call)" + (message.map { ": \($0)" } ?? "")
      + ")"
  }
}

/// Checks every status of alsa-lib, except those of transfers (`PCMOutcome`), and returns it if it
/// is no error.
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

/// Checks the status of a call that makes an object, and returns the object, which the caller must
/// free.
func checkPointer(
  _ call: String, _ device: String? = nil, _ make: (inout OpaquePointer?) -> Int32
) throws(ALSAError) -> OpaquePointer {
  var pointer: OpaquePointer?
  try check(call, device) { make(&pointer) }
  guard let pointer else { throw ALSAError(code: ENOMEM, call: call, device: device) }
  return pointer
}
