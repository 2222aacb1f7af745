import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// What stands at a path.
enum PathUse {
  /// A file that is read.
  case input
  /// A file that is written.
  case output
  /// A folder, whose path may end in `/`.
  case folder
}

/// Where media and other files are.
///
/// One rule for every path: empty names and `.` count for nothing, so `.//a`, `./a` and `a` are one
/// path, as `~//a` and `~/a` are. A path is absolute only if it begins with `/` as it is written, or
/// with a variable whose text does: an empty variable before a `/` is an empty name. `..` is left to
/// the kernel, since a link may be before it. A path of a file does not end in `/`.
extension Decoder {
  /// `text` as a path below `folder`; a template where `isTemplate`.
  func path(_ text: String, in folder: FilePath, isTemplate: Bool = false) -> FilePath {
    func literal(_ path: FilePath) -> FilePath { isTemplate ? PartTemplate.escaped(path) : path }
    if text == "~" || text.startsWithScalars("~/"), let home = files.homeDirectory {
      let rest = text.unicodeScalars.dropFirst(2).drop { $0 == "/" }
      return literal(home).pushing(FilePath(String(rest)))
    }
    let path = FilePath(String(Self.withoutDots(text[...])))
    return path.isAbsolute ? path : literal(folder).pushing(path)
  }

  /// A relative path without the `./` and `.//` in front.
  private static func withoutDots(_ text: Substring) -> Substring {
    var rest = text
    while rest.startsWithScalars("./") {
      rest = Substring(rest.unicodeScalars.dropFirst(2).drop { $0 == "/" })
      if rest.isEmpty { return "." }
    }
    return rest
  }

  /// `text` as a path below its own folder.
  func path(_ text: Text) -> FilePath { path(text.path, in: text.folder) }

  /// A path as a value: not empty, not `-`, without characters that no file name has.
  func path(_ node: YAMLNode, _ scope: Scope, as use: PathUse = .input) -> Located<FilePath>? {
    text(node, scope).flatMap { text in
      checked(at: text.origin) { () throws(QuantityError) in
        Located(try path(text, of: node, scope, as: use), at: text.origin)
      }
    }
  }

  /// A path as a value, or an address.
  func location(_ node: YAMLNode, _ scope: Scope) -> Located<MediaLocation>? {
    text(node, scope, as: .medium).flatMap { text in
      checked(at: text.origin) { () throws(QuantityError) -> Located<MediaLocation> in
        let isAddress = MediaURL.scheme(of: text.string) != nil
        return Located(
          isAddress
            ? .remote(try Self.address(text.string))
            : .file(try path(text, of: node, scope, as: .input)), at: text.origin)
      }
    }
  }

  private func path(
    _ text: Text, of node: YAMLNode, _ scope: Scope, as use: PathUse
  ) throws(QuantityError) -> FilePath {
    let written = text.path
    try Self.checkPath(written)
    if use != .input { try checkWriting(of: node) }
    let path = path(written, in: node.folder ?? folder, isTemplate: scope.part == .bound)
    try checkEnd(of: written, path, use)
    return path
  }

  /// Refuses what would be written under a name that was not meant. Only of the characters that a job
  /// file has there: names of sources may have any, and those of a command line are literal.
  private func checkWriting(of node: YAMLNode) throws(QuantityError) {
    guard case .scalar(let scalar) = node.kind, scalar.contentOffset != nil else { return }
    let text = scalar.text
    if text.hasPrefix("-") {
      throw QuantityError(
        "'\(text)' begins with '-', as an item of a list",
        help: "a space stands after the '-' of a list; a file of that name is './\(text)'")
    }
    let isPlainly = ["./", "../", "/", "~"].contains(where: text.startsWithScalars)
    if text.containsScalars("\\"), !isPlainly {
      throw QuantityError(
        "'\(text)' has a '\\', which separates no folders here",
        help:
          "write '\(text.replacingScalars("\\", with: "/"))'; a file of that name is './\(text)'")
    }
  }

  /// Refuses the path of a file that ends in `/`, which names a folder.
  func checkEnd(of text: String, _ path: FilePath, _ use: PathUse) throws(QuantityError) {
    guard text.endsWithScalars("/"), use == .output || use == .input && kind(of: path) != .folder
    else {
      return
    }
    var file = text
    while file.endsWithScalars("/") { file.unicodeScalars.removeLast() }
    let folder = "{ folder: \(file), mp3: V2 }"
    let written =
      FilePath(file).extension == nil ? "write \(folder)" : "write '\(file)', or \(folder)"
    throw QuantityError(
      "'\(text)' ends in '/', as the path of a folder",
      help: use == .input ? "write '\(file)' for a file" : written)
  }

  /// The address that `text` is.
  static func address(_ text: String) throws(QuantityError) -> MediaURL {
    do throws(MediaURLError) {
      return try MediaURL(text)
    } catch {
      throw QuantityError("'\(MediaURL.shown(text))': \(error.fault)", help: error.remedy)
    }
  }

  static func checkPath(_ text: String) throws(QuantityError) {
    guard !text.isEmpty else { throw QuantityError("a path is missing", help: "name a file") }
    guard text != "-" else {
      throw QuantityError(
        "'-' stands for a pipe, and avjob reads and writes files only",
        help: "name a file: an MP3 written to a pipe loses its tag")
    }
    // PATH_MAX of Linux (limits.h), with its NUL.
    guard text.utf8.count < 4096 else {
      throw QuantityError("a path has less than 4096 bytes", help: "shorten it")
    }
    guard !text.utf8.contains(0) else {
      throw QuantityError("a path cannot hold U+0000", help: "leave it out")
    }
    if text.first == "$", text.dropFirst().first?.isASCIILetter == true {
      let name = text.dropFirst().prefix { $0.isASCIILetter || $0.isNumber || $0 == "_" }
      let rest = text.dropFirst(name.count + 1)
      throw QuantityError(
        "'$\(name)' is no variable here",
        help: (name == "HOME" ? "write '~\(rest)', or " : "write ")
          + "'${env.\(name)}\(rest)' and allow it with --env \(name); "
          + "a file of that name is './\(text)'")
    }
    try checkForeignPath(text)
    guard !isAddress(text) else {
      throw QuantityError(
        "'\(MediaURL.shown(text))' is an address, and a file of this machine belongs here",
        help: "media, covers, images and lists of times may be addresses; name a file")
    }
  }

  /// Refuses paths of Windows, and homes of other users, which would be names of files here.
  private static func checkForeignPath(_ text: String) throws(QuantityError) {
    let start = Array(text.utf8.prefix(3))
    let backslash = UInt8(ascii: "\\")
    if text.hasPrefix("\\\\")
      || start.count > 2 && Character(UnicodeScalar(start[0])).isASCIILetter
        && start[1] == UInt8(ascii: ":")
        && (start[2] == backslash || start[2] == UInt8(ascii: "/") || start[2] < 0x20)
    {
      let isWhole = text.unicodeScalars.allSatisfy { $0.value >= 0x20 }
      throw QuantityError(
        "'\(text)' is a path of Windows, and avjob runs on Linux",
        help: isWhole
          ? "write '\(linuxPath(text))', or where the file is on this machine; a file of that name is "
            + "'./\(text)'"
          : "folders are separated by '/'; in double quotes '\\' begins an escape, as of a tab")
    }
    let bytes = text.utf8
    if bytes.first == UInt8(ascii: "~"), let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
      bytes.index(after: bytes.startIndex) < slash
    {
      throw QuantityError(
        "'\(text[..<slash])' is not expanded: only '~/' is, your own home folder",
        help: "write the path out, as '/home/\(text.dropFirst())'; a folder of that name is "
          + "'./\(text)'")
    }
  }

  /// `C:\a\b` as WSL mounts it, and `\\server\share` as most people mount it.
  private static func linuxPath(_ text: String) -> String {
    let path = text.replacingScalars("\\", with: "/")
    guard !path.hasPrefix("/") else { return "/mnt/" + path.drop { $0 == "/" } }
    return "/mnt/\(path.prefix(1).lowercased())/" + path.dropFirst(2).drop { $0 == "/" }
  }

  /// Whether a text has `://` in it. By its bytes: the library's search is slower than all other
  /// work on a path.
  private static func isAddress(_ text: String) -> Bool {
    var rest = text.utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      rest = rest[colon...]
      if rest.starts(with: "://".utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

extension Character {
  fileprivate var isASCIILetter: Bool { isASCII && isLetter }
}
