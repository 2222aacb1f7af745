import TestSupport
import Testing

@Suite("The package's products")
struct ProductTests {
  @Test("A program that imports MediaTime alone links the C library's and Swift's libraries only")
  func mediaTimeAlone() throws {
    let folder = TestFolder()
    let program = """
      import MediaTime

      @main enum Program {
        static func main() { print(Time(value: 1, timescale: 3) + Time(value: 1, timescale: 6)) }
      }
      """
    try writeFile(folder.path("Program.swift"), program.utf8)
    let objects = try Tool.succeed(
      "find", ClientProgram.products + "MediaTime.build", "-name", "*.o")
    let built = try Tool.run(
      [
        "swiftc", "-parse-as-library", "-o", folder.path("program"), folder.path("Program.swift"),
        "-I", ClientProgram.products + "Modules",
      ] + objects.text.split(separator: "\n").map(String.init))
    #expect(built.errors == "")
    #expect(try Tool.succeed(folder.path("program")).text == "0.5s\n")
    let linked = try Tool.succeed("ldd", folder.path("program")).text.split(separator: "\n")
      .compactMap { $0.drop { $0 == "\t" }.split(separator: " ").first }
      .map { $0.drop { $0 == "/" } }
    let allowed = [
      "linux-vdso", "lib64/ld-linux", "lib/ld-linux", "libswift", "libc.", "libm.", "libstdc++",
      "libgcc_s", "libpthread", "libdl", "librt", "libdispatch", "libBlocksRuntime",
    ]
    #expect(linked.count > 3)
    for library in linked {
      #expect(allowed.contains { library.hasPrefix($0) }, "\(library)")
    }
  }

  @Test("AVJob and MediaTime are products, and MediaTime's target depends on nothing")
  func manifest() throws {
    let manifest = String(
      decoding: try readFile(ClientProgram.root + "/Package.swift"), as: UTF8.self)
    #expect(manifest.contains(".library(name: \"AVJob\", targets: [\"AVJob\"])"))
    #expect(manifest.contains(".library(name: \"MediaTime\", targets: [\"MediaTime\"])"))
    #expect(manifest.contains("    .target(name: \"MediaTime\"),\n"))
  }
}
