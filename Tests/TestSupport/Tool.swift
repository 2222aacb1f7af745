import Foundation

/// What a program gave back.
public struct ToolResult: Sendable {
  /// The exit status, or the signal that ended it.
  public var status: Int32
  /// Standard output.
  public var output: [UInt8]
  /// Standard error.
  public var errors: String

  /// Standard output as text.
  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs the programs that tests ask for a second opinion.
public enum Tool {
  /// Runs a program found on `PATH` to its end, with nothing on its standard input.
  public static func run(_ arguments: [String]) throws -> ToolResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    // A file takes any amount without a second reader.
    let log = FileManager.default.temporaryDirectory
      .appendingPathComponent("avjob-tool-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: log) }
    let errors = try FileHandle(forWritingTo: log)
    process.standardError = errors
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try errors.close()
    return ToolResult(
      status: process.terminationStatus, output: [UInt8](bytes),
      errors: String(decoding: try Data(contentsOf: log), as: UTF8.self))
  }
}
