import Glibc
import Threads

extension Thread {
  /// Lets other threads run for so long.
  static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
