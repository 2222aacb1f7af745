import ExportEngine
import Files
import Glibc
import JSON
import SystemPackage
import Terminal

/// What this build of avjob is made of: `avjob --version --json` and `avjob --licenses`.
enum BuildFacts {
  /// A library that a bundle has beside the command.
  struct Part {
    /// The package of Debian that it is taken from.
    var name: String
    /// The package of Debian with its sources, and their version.
    var source, version: String
  }

  /// What prints instead of a command where these words are all of the command line; nil for others.
  static func printer(for words: [String]) -> (() -> Void)? {
    switch words {
    case ["--version", "--json"], ["--json", "--version"]: printVersions
    case ["--licenses"]: printLicenses
    default: nil
    }
  }

  /// The folder with the documents of a bundle or an installation, which lies beside the command's.
  private static let documents: FilePath? = {
    guard let program = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(program) }
    return FilePath(String(cString: program)).removingLastComponent().removingLastComponent()
      .appending("share/doc/avjob")
  }()

  /// The parts that a bundle has brought with it; none where the system's libraries are used.
  private static var parts: [Part] {
    guard let documents,
      let bytes = try? PathCalls.contents(of: documents.appending("parts.tsv"), limit: 1 << 20)
    else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap {
      let fields = $0.split(separator: "\t").map(String.init)
      return fields.count == 3 ? Part(name: fields[0], source: fields[2], version: fields[1]) : nil
    }
  }

  private static func printVersions() {
    let tools = Engine.tools.sorted { $0.key < $1.key }
    let parts = parts.map { part -> JSONValue in
      ["name": .text(part.name), "version": .text(part.version), "source": .text(part.source)]
    }
    let versions = tools.map { JSONValue.Member($0.key, .text($0.value)) }
    JSONOption().print(version: 1, ["tools": .object(versions), "parts": .list(parts)])
  }

  private static func printLicenses() {
    var text = ""
    for part in Engine.parts { text += "\(part.name) \(part.version): \(part.license)\n" }
    // These are linked statically, as packaging/copyright says.
    text += """
      Swift's runtime and libraries, swift-system, swift-argument-parser:
        Apache License 2.0 with Runtime Library Exception

      Where FFmpeg is under the GPL, a copy of avjob that is linked with it is under
      the GPL, version 3 or later.

      """
    if let documents, !parts.isEmpty {
      text += "\nThis bundle has these parts of Debian, whose licences are in\n"
      text += "\(documents.appending("licences")):\n\n"
      for part in parts { text += "\(part.name) \(part.version) (\(part.source))\n" }
      text += """

        In parentheses is the package with the sources: 'apt-get source
        PACKAGE=VERSION' fetches them, and https://snapshot.debian.org keeps every
        version.

        """
    }
    StandardStream.output.write(text)
  }
}
