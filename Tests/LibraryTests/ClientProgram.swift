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

  /// Type-checks files, which may need a folder with further modules; what the compiler says is empty
  /// if they are right.
  static func check(_ files: [String], modules: String? = nil) throws -> ToolResult {
    try Tool.run(
      ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-suppress-warnings"]
        + (modules.map { ["-I", $0] } ?? []) + (try search()) + files)
  }

  /// The options by which modules are found, as SwiftPM passes them to a package that depends on
  /// this one.
  static func search() throws -> [String] {
    let system = products + "../../checkouts/swift-system/Sources/CSystem/include/module.modulemap"
    let maps = try Tool.succeed(
      "find", root + "/Sources", products, "-maxdepth", "2", "-name", "module.modulemap"
    ).text.split(separator: "\n").map(String.init)
    return ["-I", products + "Modules", "-I", "/usr/include/lame"]
      + (maps + [system]).flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
  }
}
