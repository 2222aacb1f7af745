import SystemPackage
import TestSupport
import Testing

@testable import Receipts

@Suite("Paths of a project")
struct StateFolderTests {
  @Test(
    "a file has one name beside its job file, however it was reached",
    arguments: [
      ("jobs", "/p", "jobs/a.wav", "a.wav"),
      ("jobs", "/p", "jobs/../out/a.mp3", "../out/a.mp3"),
      ("", "/p/jobs", "../out/a.mp3", "../out/a.mp3"),
      ("/p/jobs", "/elsewhere", "/p/jobs/../out/a.mp3", "../out/a.mp3"),
      ("/p/jobs", "/p", "out/a.mp3", "../out/a.mp3"),
      ("jobs", "/p", "/p/out/a.mp3", "../out/a.mp3"),
      ("jobs", "/p", "/srv/a.mp3", "../../srv/a.mp3"),
      ("../jobs", "/p/here", "../jobs/./x/../a.mp3", "a.mp3"),
      ("jobs", "/p", "jobs2/a.mp3", "../jobs2/a.mp3"), ("/", "/p", "/a.mp3", "a.mp3"),
      ("jobs", "/p", "jobs/.hidden/a.mp3", ".hidden/a.mp3"), ("", "/p", "./a.mp3", "a.mp3"),
      ("jobs", "/p", "jobs", ""),
    ])
  func relative(folder: String, current: String, path: String, name: String) {
    let state = StateFolder(
      besideJobsIn: FilePath(folder), currentDirectory: FilePath(current))
    #expect(state.relative(FilePath(path)) == FilePath(name))
  }

  @Test("a name leads back to its file")
  func resolved() {
    let state = StateFolder(besideJobsIn: "jobs", currentDirectory: "/p")
    #expect(state.resolve("../out/a.mp3") == "jobs/../out/a.mp3")
    #expect(state.resolve("a.mp3") == "jobs/a.mp3")
  }

  @Test("a file is whole or as it was, and no temporary file stays")
  func atomic() throws {
    let project = Project()
    let state = project.state
    try state.make()
    let target = state.path.appending("probes")
    try state.write(Array("one".utf8), to: target)
    try state.write(Array("two".utf8), to: target)
    #expect(try readFile(target.string) == Array("two".utf8))
    #expect(throws: Errno.self) { try state.write([1], to: state.path.appending("no/such")) }
    #expect(project.names(in: "locks").isEmpty)
  }
}
