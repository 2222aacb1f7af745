import Glibc

/// Libraries in C that only tests load, from `Tests/Rigs`.
public enum Rig {
  /// To be preloaded into the command: what goes wrong inside of a process (`mishaps.c`).
  public static let mishaps = built("mishaps", linking: "-ldl")

  /// A library of `Tests/Rigs`, compiled where it was not, or where its source is newer.
  static func built(_ name: String, linking library: String) -> Result<String, ToolFailure> {
    Result { () throws(ToolFailure) in
      let source = Fixture.path("../Tests/Rigs/\(name).c")
      let folder = Fixture.path("../.build/rigs")
      let built = "\(folder)/\(name).so"
      if let before = changed(built), let written = changed(source), before > written {
        return built
      }
      mkdir(Fixture.path("../.build"), 0o777)
      mkdir(folder, 0o777)
      // Under a name of its own, since other processes may be at it, too.
      let new = "\(built).\(getpid())"
      var said = ""
      for compiler in ["clang", "cc"] {
        let arguments = [compiler, "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
        guard let result = try? Tool.run(arguments + [source, "-o", new, library]) else {
          continue
        }
        if result.status == 0, rename(new, built) == 0 { return built }
        said += result.errors
      }
      throw ToolFailure(description: "\(source) cannot be compiled: \(said)")
    }
  }

  /// When a file was changed last, in nanoseconds.
  private static func changed(_ path: String) -> Int? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return facts.st_mtim.tv_sec * 1_000_000_000 + facts.st_mtim.tv_nsec
  }
}
