import SystemPackage
import TestSupport
import Testing

@testable import Receipts

@Suite("Lists of digests")
struct DigestListTests {
  private let digest = String(repeating: "ab", count: 32)
  private var bytes: [UInt8] { Array(repeating: 0xAB, count: 32) }

  private func names(_ text: String, _ form: DigestList.Form) -> [FilePath] {
    DigestList(Array(text.utf8), form: form).lines.map(\.name)
  }

  @Test("sha256sum's lines are read, in text and binary form, with --tag and with escapes")
  func sums() {
    #expect(names("\(digest)  a b\n\(digest.uppercased()) *c\r\n\n", .sums) == ["a b", "c"])
    #expect(names("SHA256 (a (1)) = \(digest)\n", .sums) == ["a (1)"])
    #expect(names("\\\(digest)  two\\nlines\\\\x\n", .sums) == ["two\nlines\\x"])
    #expect(names("\(digest)  100%25\n", .sums) == ["100%25"], "only bags encode")
  }

  @Test("remarks are left out, and a bag's lines may end in carriage returns alone")
  func remarks() {
    #expect(names("# of today\n\(digest)  a\n#\n\(digest)  b\n", .sums) == ["a", "b"])
    #expect(names("#\r\(digest)  data/a\r\(digest)  data/b\r", .bag) == ["data/a", "data/b"])
    #expect(names("\(digest)  a\rb\n", .sums) == ["a\rb"], "a name of sha256sum may have one")
  }

  @Test("a bag's lines are read and written, with three characters encoded")
  func bags() {
    let lines = DigestList(Array("\(digest)\t data/100%25%0d%0A%20\n".utf8), form: .bag).lines
    #expect(lines.map(\.name) == ["data/100%\r\n%20"])
    #expect(lines.first?.literal == "data/100%25%0d%0A%20")
    let files: [(name: FilePath, digest: [UInt8])] = [
      ("data/ü%\r\n", bytes), ("data/a b", bytes),
    ]
    let text = "\(digest)  data/a b\n\(digest)  data/ü%25%0D%0A\n"
    let written = DigestList.bagBytes(of: files)
    #expect(String(decoding: written, as: UTF8.self) == text)
    #expect(
      Set(DigestList(written, form: .bag).lines.map(\.name)) == ["data/ü%\r\n", "data/a b"])
  }

  @Test(
    "other lines are faults, by their numbers",
    arguments: ["x", "abcd  a", "gg", "  ", "SHA256 (a) = 12"])
  func faults(_ line: String) {
    let list = DigestList(Array("\(digest)  a\n\(line)\n\(digest)\n".utf8), form: .sums)
    #expect(list.lines.count == 1 && list.faults == [2, 3])
    #expect(!DigestList.isBegun(by: Array(line.utf8)))
  }
}
