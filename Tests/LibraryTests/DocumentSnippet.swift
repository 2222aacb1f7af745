import TestSupport

/// A fenced block of Swift on a page of the documentation.
struct DocumentSnippet: Sendable {
  /// The page's path in the repository.
  let page: String
  /// The first line of the code, counted from one.
  let line: Int
  /// The code, without the indentation of the fence.
  let lines: [String]

  /// Whether it is a part of a manifest, `Package.swift`.
  var isManifest: Bool {
    ["dependencies:", ".product("].contains { lines.first?.hasPrefix($0) == true }
  }

  /// The modules that it imports.
  var imports: [String] {
    lines.filter { $0.hasPrefix("import ") }.map { String($0.dropFirst("import ".count)) }
  }

  /// The code without its imports, each as an empty line: errors then name lines of the page.
  var statements: [String] { lines.map { $0.hasPrefix("import ") ? "" : $0 } }
}

extension DocumentSnippet {
  /// The snippets of a page, in order.
  ///
  /// Code in a tab "AVFoundation" is Apple's, and is left out.
  static func all(on page: String, root: String) throws -> [DocumentSnippet] {
    let text = String(decoding: try readFile(root + "/" + page), as: UTF8.self)
    var found: [DocumentSnippet] = []
    var open: (fence: Substring, indent: Int, line: Int, lines: [String])?
    var isApples = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let bare = line.drop { $0 == " " }
      if let block = open {
        guard bare == block.fence else {
          open?.lines.append(String(line.dropFirst(block.indent)))
          continue
        }
        open = nil
        guard !isApples, block.line > 0 else { continue }
        found.append(DocumentSnippet(page: page, line: block.line, lines: block.lines))
      } else if bare.hasPrefix("```") {
        let isSwift = bare.drop { $0 == "`" }.split(separator: " ").first == "swift"
        open = (
          bare.prefix { $0 == "`" }, line.count - bare.count, isSwift ? index + 2 : 0, []
        )
      } else if bare.hasPrefix("@Tab(") {
        isApples = bare.hasPrefix("@Tab(\"AVFoundation\")")
      } else if bare == "}" {
        isApples = false
      }
    }
    return found
  }
}
