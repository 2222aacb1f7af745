import TestSupport

/// Compiles programs as those of the library's users are: against its built modules, in a package of
/// their own, so that what has `package` access is not there.
enum ClientProgram {
  /// The repository.
  static let root =
    "/" + #filePath.split(separator: "/").prefix { $0 != "Tests" }.joined(separator: "/")

  /// Where SwiftPM has put the modules of this build: beside the running tests.
  static var products: String {
    let program = CommandLine.arguments.first ?? ""
    return String(program.prefix(program.count - program.reversed().prefix { $0 != "/" }.count))
  }

  /// Type-checks files, with further options of the compiler; what it says is empty if they are right.
  static func check(_ files: [String], _ options: [String] = []) throws -> ToolResult {
    try Tool.run(
      ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-suppress-warnings"]
        + options + (try search()) + files)
  }

  /// The options by which modules are found, as SwiftPM passes them to a package that depends on
  /// this one.
  static func search() throws -> [String] {
    let own = try Tool.succeed(
      "find", root + "/Sources", products, "-maxdepth", "2", "-name", "module.modulemap")
    let system = try Tool.succeed(
      "find", products + "../../checkouts", "-path", "*/CSystem/include/module.modulemap")
    return ["-I", products + "Modules", "-I", "/usr/include/lame"]
      + (own.text + system.text).split(separator: "\n")
      .flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
  }
}
