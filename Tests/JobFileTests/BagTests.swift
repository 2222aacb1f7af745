import Diagnosis
import JobModel
import TestSupport
import Testing

@testable import JobFile

/// `bag` of a job file.
@Suite struct BagTests {
  @Test("A bag is a folder, or a map with fields for its bag-info.txt")
  func forms() throws {
    let short = try Bench().load("bag: bags/x/\nclip: a.wav\noutput: x.flac\n")
    #expect(short.bag?.path == "bags/x" && short.bag?.fields == [])
    let long = try Bench().load(
      """
      vars: { shelf: "007" }
      bag:
        folder: "bags/${shelf}"
        info: { Source-Organization: Archive  X, External-Identifier: ["${shelf}", b] }
      jobs: { a: { clip: a.wav, output: x.flac } }
      """)
    #expect(long.bag?.path == "bags/007")
    #expect(
      long.bag?.fields == [
        .init("Source-Organization", "Archive X"), .init("External-Identifier", "007"),
        .init("External-Identifier", "b"),
      ])
    #expect(try Bench().load("clip: a.wav\noutput: x.flac\n").bag == nil)
  }

  @Test(
    "What a bag cannot be is refused by name",
    arguments: [
      ("{ info: { A: b } }", "a bag needs a 'folder'"),
      ("{ folder: x, info: { payload-oxum: 1.1 } }", "follows from the content"),
      ("{ folder: x, info: { 'A:b': c } }", "is no label of a bag"),
      ("{ folder: x, name: y }", "unknown key 'name'"), ("[a, b]", "a folder"),
    ])
  func refusals(_ value: String, _ message: String) throws {
    let text = Bench().screen("bag: \(value)\nclip: a.wav\noutput: x.flac\n")
    #expect(text.contains(message), "\(text)")
  }
}
