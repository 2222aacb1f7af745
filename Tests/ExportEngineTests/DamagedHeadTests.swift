import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Heads of files that say what cannot be, and what is read of them.
@Suite("Reading files with odd heads")
struct DamagedHeadTests {
  private let folder = TestFolder()

  @Test("a list too short for its kind is named", arguments: 0..<4)
  func shortList(size: Int) throws {
    try Tool.succeed(
      "sox", "-R", "-n", "-r", "8000", "-c", "1", "-b", "16", folder.path("a.aiff"), "synth", "0.1",
      "sine", "300")
    let list = Array("LIST".utf8) + [0, 0, 0, UInt8(size)] + Array("adtl".utf8)
    try writeFile(folder.path("b.aiff"), try readFile(folder.path("a.aiff")) + list)
    let probed = try Prober.probe(.file(FilePath(folder.path("b.aiff"))), stream: nil)
    #expect(probed.asset.unread.contains("LIST"), "\(probed.asset.unread)")
  }
}
