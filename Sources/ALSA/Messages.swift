internal import CALSA

/// The messages that alsa-lib would print on standard error, kept for the error that follows.
///
/// The handler is global (`snd_lib_error_set_handler`) and set at the first use; each thread has
/// its own line.
//
// `@inline(never)`: inlined into another file, these would have variables of their own there.
enum Messages {
  private static let isListening = withUnsafePointer(to: alsa) { avjob_alsa_listen($0) } == 0

  /// Clears this thread's message, and sets the handler.
  @inline(never) static func forget() {
    guard isListening else { return }
    avjob_alsa_last_line().pointee = 0
    avjob_alsa_last_code().pointee = 0
  }

  /// The errno of that message; 0 without one. For the real-time path, too, as `forget`.
  static var lastCode: Int32 {
    @inline(never) get { avjob_alsa_last_code().pointee }
  }

  /// The last message of alsa-lib on this thread since `forget`, cut at 255 bytes.
  static var last: String? {
    @inline(never) get {
      let text = String(cString: avjob_alsa_last_line())
      let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
      return line.isEmpty ? nil : line
    }
  }
}
