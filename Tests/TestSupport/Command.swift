import Glibc

/// The command under test.
public enum Command {
  /// The path of `avjob`: `AVJOB_BINARY` where that is set, else what was built beside the tests.
  public static let path: String = {
    if let path = getenv("AVJOB_BINARY") { return String(cString: path) }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink("/proc/self/exe", &buffer, Int(PATH_MAX)) > 0 else { return "avjob" }
    let bundle = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return "/" + bundle.split(separator: "/").dropLast().joined(separator: "/") + "/avjob"
  }()

  /// Runs the command to its end, in `folder` if one is given.
  ///
  /// - Throws: `ToolFailure` where it cannot be started; its own status is in the result.
  public static func avjob(
    _ arguments: String..., environment: [String: String] = [:], in folder: String? = nil
  ) throws -> ToolResult {
    try Tool.run([path] + arguments, environment: environment, in: folder)
  }
}
