import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// Where media and other files are.
extension Decoder {
  /// `text` as a path below `folder`; a template where `isTemplate`.
  func path(_ text: String, in folder: FilePath, isTemplate: Bool = false) -> FilePath {
    func literal(_ path: FilePath) -> FilePath { isTemplate ? PartTemplate.escaped(path) : path }
    var text = text[...]
    if text == "~" || text.hasPrefix("~/"), let home = files.homeDirectory {
      return literal(home).pushing(FilePath(String(text.dropFirst(2))))
    }
    while text.hasPrefix("./"), text.count > 2 { text = text.dropFirst(2) }
    let path = FilePath(String(text))
    return path.isAbsolute ? path : literal(folder).pushing(path)
  }

  /// A path as a value: not empty, not `-`, without characters that no file name has.
  func path(_ node: YAMLNode, _ scope: Scope) -> Located<FilePath>? {
    value(node, scope) { text throws(QuantityError) in
      try Self.checkPath(text)
      return path(text, in: node.folder ?? folder, isTemplate: scope.part == .bound)
    }
  }

  /// A path as a value, or an address.
  func location(_ node: YAMLNode, _ scope: Scope) -> Located<MediaLocation>? {
    value(node, scope, as: .medium) { text throws(QuantityError) in
      if MediaURL.scheme(of: text) != nil { return .remote(try Self.address(text)) }
      try Self.checkPath(text)
      return .file(path(text, in: node.folder ?? folder, isTemplate: scope.part == .bound))
    }
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
    guard !isAddress(text) else {
      throw QuantityError(
        "'\(MediaURL.shown(text))' is an address, and a file of this machine belongs here",
        help: "media, covers, images and lists of times may be addresses; name a file")
    }
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
