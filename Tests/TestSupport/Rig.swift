import Glibc

/// Libraries in C, of `Tests/Rigs`.
public enum Rig {
  /// What a process is preloaded with to be told of what its threads call (`watched.c`).
  public static let watched = Result<String, ToolFailure> { () throws(ToolFailure) in
    try library("watched", options: [])
  }

  /// What a process is preloaded with so that things go wrong inside of it (`mishaps.c`).
  public static let mishaps = Result<String, ToolFailure> { () throws(ToolFailure) in
    try library("mishaps", options: ["-ldl"])
  }

  /// What a process is preloaded with so that libavformat crashes, hangs or eats memory on files of
  /// certain names (`decoders.c`).
  public static let decoders = Result<String, ToolFailure> { () throws(ToolFailure) in
    try library("decoders", options: ["-ldl"])
  }

  /// What a process is preloaded with so that some names have odd addresses, or no socket can be
  /// opened (`resolver.c`).
  public static let resolver = Result<String, ToolFailure> { () throws(ToolFailure) in
    try library("resolver", options: ["-ldl"])
  }

  /// Where a library is; compiled where it is not there, or older than its source.
  static func library(_ name: String, options: [String]) throws(ToolFailure) -> String {
    let source = Fixture.path("../Tests/Rigs/\(name).c")
    let folder = Fixture.path("../.build/rigs")
    let library = "\(folder)/\(name).so"
    if let built = changed(library), let written = changed(source), built > written {
      return library
    }
    mkdir(Fixture.path("../.build"), 0o777)
    mkdir(folder, 0o777)
    // Under a name of its own, since other processes may be at it, too.
    let new = "\(library).\(getpid())"
    var said = ""
    for compiler in ["clang", "cc"] {
      let arguments = [compiler, "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
      guard let result = try? Tool.run(arguments + [source, "-o", new] + options) else {
        continue
      }
      if result.status == 0, rename(new, library) == 0 { return library }
      said += result.errors
    }
    throw ToolFailure(description: "\(source) cannot be compiled: \(said)")
  }

  /// When a file was changed last, in nanoseconds.
  private static func changed(_ path: String) -> Int? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return facts.st_mtim.tv_sec * 1_000_000_000 + facts.st_mtim.tv_nsec
  }
}
