internal import CALSA

/// What alsa-lib would say on standard error, kept for the error that follows it.
///
/// The handler is the process's (`snd_lib_error_set_handler`), and is set with the first use; lines
/// are kept for each thread.
//
// `@inline(never)`: an optimized build compiles files apart, and one into which these were inlined would
// have variables of its own.
enum Messages {
  private static let isListening = avjob_alsa_listen() == 0

  /// Forgets what was said on this thread, and sees to it that nothing goes to standard error.
  @inline(never) static func forget() {
    guard isListening else { return }
    avjob_alsa_last_line().pointee = 0
    avjob_alsa_last_code().pointee = 0
  }

  /// The errno that came with that line; 0 where none did. For the real-time path, too, as `forget`.
  static var lastCode: Int32 {
    @inline(never) get { avjob_alsa_last_code().pointee }
  }

  /// The last line that alsa-lib said on this thread since `forget`, cut at 255 bytes.
  static var last: String? {
    @inline(never) get {
      let text = String(cString: avjob_alsa_last_line())
      let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
      return line.isEmpty ? nil : line
    }
  }
}
