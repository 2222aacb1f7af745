internal import CThreads
import Glibc

/// The words of this process's command line.
///
/// Swift's own `CommandLine` finds them by `/proc/self/maps`, and has none, without an error, where
/// that cannot be read: in a container without `/proc`, or below a library that redirects paths.
package enum ProcessArguments {
  /// All of them, the program's name first, by their bytes; none where the system does not say.
  package static let bytes: [[UInt8]] = read()

  /// All of them, the program's name first; none where the system does not say. What is no UTF-8 has
  /// U+FFFD.
  package static let words: [String] = bytes.map { String(decoding: $0, as: UTF8.self) }

  /// The last name of the program's path, as it was called: what other programs, such as a sound
  /// server, show of this one.
  package static var programName: String {
    words.first?.split(separator: "/").last.map { String($0) } ?? ""
  }

  /// The path of the program that this process runs, for another process of it. Without /proc it is
  /// the one that it was started by (getauxval(3), `AT_EXECFN`): it may have been replaced since.
  static var program: String {
    let own = "/proc/self/exe"
    let started = 31 as UInt
    guard access(own, X_OK) != 0,
      let path = UnsafePointer<CChar>(bitPattern: avjob_getauxval(started))
    else { return own }
    return String(cString: path)
  }

  private static func read() -> [[UInt8]] {
    var count: Int32 = 0
    if let words = avjob_arguments(&count) {
      return (0..<Int(count)).map { bytes(of: words[$0]) }
    }
    return (0..<Int(CommandLine.argc)).map { bytes(of: CommandLine.unsafeArgv[$0]) }
  }

  private static func bytes(of word: UnsafeMutablePointer<CChar>?) -> [UInt8] {
    guard let word else { return [] }
    var bytes: [UInt8] = []
    var next = word
    while next.pointee != 0 {
      bytes.append(UInt8(bitPattern: next.pointee))
      next += 1
    }
    return bytes
  }
}
