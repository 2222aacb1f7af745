import TestSupport
import Testing

@Suite("The documents' Swift")
struct SnippetTests {
  /// What a snippet may use without saying where it comes from, as its page's text does.
  private static let names = """
    input: FilePath, output: FilePath, inputs: [FilePath],
    path: FilePath, url: MediaURL, archive: Archive, slider: Slider,
    library: MediaLibrary, export: Export, player: Player, item: PlayerItem, recorder: Recorder,
    voice: Player, backing: Player, items: [PlayerItem], bonus: PlayerItem, other: PlayerItem,
    recording: Asset, music: Asset, slides: Asset,
    talk: TimeRange, cough: TimeRange, jingle: TimeRange, outro: TimeRange, range: TimeRange,
    start: Time, frame: Time, chapterEnd: Time, target: Time
    """
  /// The same, where a snippet changes it.
  private static let variables = "var composition = Composition()"
  /// What the reader's own program has, by the names that the pages call it.
  private static let declarations = """
    struct Archive: Sendable {
      let size: Int
      func read(_ offset: Int64, _ count: Int) -> [UInt8] { [] }
    }
    final class Loader: AssetResourceLoaderDelegate {
      init(_ archive: Archive) {}
      func resourceLoader(
        _ resourceLoader: AssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
      ) -> Bool { false }
    }
    @MainActor final class Slider { var value: Float = 0 }
    func show(_ ranges: [TimeRange]) {}
    func hideSpinner() {}
    """

  private func snippets() throws -> [DocumentSnippet] {
    let pages = try Tool.succeed(
      "find", "README.md", "docs", "Sources", "-name", "*.md", in: ClientProgram.root)
    return try pages.text.split(separator: "\n").sorted().flatMap {
      try DocumentSnippet.all(on: String($0), root: ClientProgram.root)
    }
  }

  @Test("compiles in a program that imports AVJob alone")
  func compiles() throws {
    let found = try snippets().filter { !$0.isManifest }
    #expect(found.count >= 16)
    var source = ["import AVJob", "", Self.declarations, ""]
    for (number, snippet) in found.enumerated() {
      #expect(
        Set(snippet.imports).isSubset(of: ["AVJob"]), "\(snippet.page):\(snippet.line): imports")
      source.append("func snippet\(number)(\(Self.names)) async throws {")
      source += [Self.variables, "do {"]
      source.append("#sourceLocation(file: \"\(snippet.page)\", line: \(snippet.line))")
      source += snippet.statements + ["#sourceLocation()", "}", "}", ""]
    }
    let folder = TestFolder()
    try writeFile(folder.path("Snippets.swift"), source.joined(separator: "\n").utf8)
    // Beside Foundation, whose names must not be ours, too.
    let beside = """
      import AVJob
      import Foundation

      func beside(_ thread: Thread, _ process: Process, _ progress: Progress) -> [Any] {
        thread.start()
        return [thread.name ?? "", process.processIdentifier, progress.fractionCompleted]
      }
      """
    try writeFile(folder.path("Beside.swift"), beside.utf8)
    let result = try ClientProgram.check([
      folder.path("Snippets.swift"), folder.path("Beside.swift"),
    ])
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test("of manifests compiles, too")
  func manifests() throws {
    let found = try snippets().filter(\.isManifest)
    #expect(found.count >= 2)
    var source = ["import PackageDescription"]
    for (number, snippet) in found.enumerated() {
      let isProduct = snippet.lines.first?.hasPrefix(".product(") == true
      let type = isProduct ? "[Target.Dependency]" : "Package"
      source.append("#sourceLocation(file: \"\(snippet.page)\", line: \(snippet.line - 1))")
      source.append(
        "func part\(number)() -> \(type) { " + (isProduct ? "[" : "Package(name: \"episode\","))
      source += snippet.lines + [isProduct ? "] }" : ") }", "#sourceLocation()"]
    }
    let folder = TestFolder()
    try writeFile(folder.path("Package.swift"), source.joined(separator: "\n").utf8)
    // The toolchain keeps the manifests' module beside its own.
    let toolchain = try Tool.succeed("swiftc", "-print-target-info").text
    let resources = try #require(
      toolchain.firstMatch(of: /"runtimeResourcePath": "([^"]+)"/)?.1)
    let result = try ClientProgram.check(
      [folder.path("Package.swift")],
      ["-I", resources + "/pm/ManifestAPI", "-package-description-version", "6.2.0"])
    #expect(result.errors == "")
    #expect(result.status == 0)
  }
}
