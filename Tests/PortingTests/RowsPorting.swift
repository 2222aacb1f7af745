import TestSupport
import Testing

/// The table of AVFoundation's names, from which `docs/avfoundation.md` is made.
@Suite struct RowsPorting {
  /// A row of `rows.tsv`.
  private struct Row {
    let name: String
    let swift: String
    let job: String
    let state: String
    let tests: [Substring]
  }

  private static let root = Fixture.path("..")

  private static func text(_ path: String) throws -> String {
    String(decoding: try readFile(root + "/" + path), as: UTF8.self)
  }

  private static func rows() throws -> [Row] {
    try text("Tests/PortingTests/rows.tsv").split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(cells.count == 6, "\(line)")
      return Row(
        name: cells[1], swift: cells[2], job: cells[3], state: cells[4],
        tests: cells[5].split(separator: " "))
    }
  }

  /// The pieces of code in a text. What two or more backticks enclose is a link or a block.
  private static func code(in text: String) -> [String] {
    text.matches(of: /(`+)([^`]+)`+/).filter { $0.1 == "`" }.map { String($0.2) }
  }

  /// What the library declares: each path, with and without its arguments, and the types among them.
  private static func declarations() throws -> (paths: Set<String>, types: Set<String>) {
    var paths: Set<String> = []
    var types: Set<String> = []
    for line in try text("docs/api.txt").split(separator: "\n") {
      guard let colon = line.firstRange(of: ": "), let dot = line.firstIndex(of: ".") else {
        continue
      }
      let declaration = line[colon.upperBound...]
      guard !declaration.hasPrefix("conforms to") else { continue }
      let path = line[line.index(after: dot)..<colon.lowerBound]
      paths.formUnion([String(path), String(path.prefix { $0 != "(" })])
      let isType = declaration.split(separator: " ").contains {
        ["struct", "class", "enum", "protocol", "typealias"].contains($0)
      }
      if isType { types.insert(String(path)) }
    }
    return (paths, types)
  }

  @Test("the page has the rows")
  func page() throws {
    let result = try Tool.run(["/usr/bin/python3", Self.root + "/docs/avfoundation.py", "--check"])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// The tests that there are, as `Suite.function`: what each file of tests declares.
  private static func declaredTests() throws -> Set<String> {
    let lines = try Tool.succeed(
      "grep", "-roE", "--include=*.swift",
      "(struct|extension) [A-Z][A-Za-z]+|func [a-z][A-Za-z0-9]*",
      "Tests", in: root
    ).text.split(separator: "\n")
    var files: [Substring: (suites: [Substring], functions: [Substring])] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), let space = line.lastIndex(of: " ") else {
        continue
      }
      let name = line[line.index(after: space)...]
      if line[colon...].hasPrefix(":func") {
        files[line[..<colon], default: ([], [])].functions.append(name)
      } else {
        files[line[..<colon], default: ([], [])].suites.append(name)
      }
    }
    return files.values.reduce(into: []) { found, file in
      for suite in file.suites where suite.hasSuffix("Tests") || suite.hasSuffix("Porting") {
        for function in file.functions { found.insert("\(suite).\(function)") }
      }
    }
  }

  @Test("what works is proved by a test that is there")
  func tests() throws {
    let declared = try Self.declaredTests()
    #expect(declared.count > 3000)
    for row in try Self.rows() {
      #expect(row.state != "works" || !row.tests.isEmpty, "\(row.name): no test")
      for test in row.tests {
        #expect(declared.contains(String(test)), "\(row.name): there is no test \(test)")
      }
    }
  }

  @Test("the Swift of a row is public")
  func names() throws {
    // Of the standard library, of Foundation and of others' toolkits.
    let others: Set = [
      "Double", "OptionSet", "AsyncSequence", "URLSession", "GtkVideo", "QVideoWidget",
    ]
    let paths = try Self.declarations().paths
    for row in try Self.rows() {
      for code in Self.code(in: row.swift)
      where code.wholeMatch(of: /[A-Z]\w*(\.\w+)*(\((\w+:)*\))?/) != nil {
        #expect(paths.contains(code) || others.contains(code), "\(row.name): '\(code)'")
      }
    }
  }

  @Test("members that the porting articles name are public")
  func articles() throws {
    let (paths, types) = try Self.declarations()
    let found = try Tool.succeed("find", "Sources", "-name", "Porting*.md", in: Self.root).text
    let articles = found.split(separator: "\n")
    #expect(articles.count == 3)
    for article in articles {
      for code in Self.code(in: try Self.text(String(article))) {
        guard
          let match = code.wholeMatch(of: /([A-Z]\w*(?:\.[A-Z]\w*)*)\.[a-z]\w*(?:\((?:\w+:)*\))?/),
          types.contains(String(match.1))
        else { continue }
        #expect(paths.contains(code), "\(article): '\(code)'")
      }
    }
  }

  @Test("the keys of a row are those of the job language")
  func keys() throws {
    let reference = try Self.text("docs/reference.md")
    for row in try Self.rows() {
      for code in Self.code(in: row.job) {
        guard let key = code.firstMatch(of: /^([a-z_0-9]+):/)?.1 else { continue }
        #expect(reference.contains("| `\(key)` |"), "\(row.name): '\(key)'")
      }
    }
  }
}
