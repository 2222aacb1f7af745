internal import CThreads

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

  /// How a command is called that nobody has to mend.
  package static var programName: String {
    words.first?.split(separator: "/").last.map { String($0) } ?? ""
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
