import MediaComposition
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Receipts

@Suite("Receipts")
struct LedgerTests {
  private let project = Project()

  init() throws {
    try project.write("a.wav", "sound")
    try project.write("b.wav", "other")
    try project.write("out.mp3", "result")
    for name in ["a.wav", "b.wav", "out.mp3"] { touch(project.path(name), at: 1_000_000) }
  }

  private func ledger(contents: Bool = false) -> Ledger {
    Ledger(in: project.state, comparesContents: contents)
  }

  private func reason(_ claim: ExportInputs? = nil, contents: Bool = false) throws -> String? {
    try ledger(contents: contents).reason(for: claim ?? project.claim())
      .map { "\($0)".replacing(project.folder.root + "/", with: "") }
  }

  @Test("what was recorded is up to date until something of it is another")
  func upToDate() throws {
    #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
    #expect(try ledger().record(project.claim()))
    #expect(try reason() == nil)
  }

  @Test("each reason is told by name")
  func reasons() throws {
    #expect(try ledger().record(project.claim()))
    #expect(try reason(project.claim(timeline: "9")) == "the job has changed (timeline)")
    #expect(try reason(project.claim(avjob: "1.1")) == "avjob is 1.1, and was 1.0")
    #expect(
      try reason(project.claim(sources: ["b.wav"])) == "the job reads other files than before")
    #expect(
      try reason(project.claim(sources: ["a.wav", "b.wav"]))
        == "the job reads other files than before")

    touch(project.path("a.wav"), at: 1_000_001)
    #expect(try reason() == "the source 'a.wav' has changed (time)")
    try project.write("a.wav", "longer sound")
    #expect(try reason() == "the source 'a.wav' has changed (size)")
    try project.write("a.wav", "sound")
    touch(project.path("a.wav"), at: 1_000_000)
    #expect(try reason() == nil)

    try Tool.succeed("cp", "-p", project.path("a.wav").string, project.path("c.wav").string)
    try Tool.succeed("mv", project.path("c.wav").string, project.path("a.wav").string)
    #expect(try reason() == "the source 'a.wav' has changed (inode)")
    #expect(try ledger().record(project.claim()))

    try project.write("out.mp3", "resulT")
    #expect(try reason() == "'out.mp3' is not as it was written (time)")
    try Tool.succeed("rm", project.path("out.mp3").string)
    #expect(try reason() == "'out.mp3' is not there")
  }

  @Test("a source under another name is the same source")
  func renamed() throws {
    #expect(try ledger().record(project.claim()))
    try Tool.succeed("mv", project.path("a.wav").string, project.path("c.wav").string)
    #expect(try reason(project.claim(sources: ["c.wav"])) == nil)
  }

  @Test("contents count where they are asked for: a touched file is the same, an edited one is not")
  func contents() throws {
    #expect(try ledger(contents: true).record(project.claim()))
    touch(project.path("a.wav"), at: 2_000_000)
    touch(project.path("out.mp3"), at: 2_000_000)
    #expect(try reason(contents: true) == nil)
    #expect(try reason() == "the source 'a.wav' has changed (time)")

    try project.write("a.wav", "souNd")
    touch(project.path("a.wav"), at: 2_000_000)
    #expect(try reason(contents: true) == "the source 'a.wav' has changed (content)")
    try project.write("a.wav", "sound")
    try project.write("out.mp3", "resulT")
    #expect(try reason(contents: true) == "'out.mp3' is not as it was written (content)")
  }

  @Test(
    "a source with other bytes at the same size and time has decayed, whatever else has changed")
  func decay() throws {
    #expect(try ledger(contents: true).record(project.claim()))
    try project.write("a.wav", "souNd")
    touch(project.path("a.wav"), at: 1_000_000)
    let sums = try Tool.succeed("sha256sum", project.path("a.wav").string).text.prefix(64)
    try project.write("b.wav", "sound")
    let before = try Tool.succeed("sha256sum", project.path("b.wav").string).text.prefix(64)
    let decayed =
      "the source 'a.wav' has SHA-256 \(sums), and had \(before) at the same size and time"
    #expect(try reason(contents: true) == decayed)
    #expect(try reason(project.claim(avjob: "1.1"), contents: true) == decayed)
    #expect(try reason(project.claim(timeline: "9"), contents: true) == decayed)
    try Tool.succeed("rm", project.path("out.mp3").string)
    #expect(try reason(contents: true) == decayed)
    #expect(try reason() == "'out.mp3' is not there")
    touch(project.path("a.wav"), at: 1_000_001)
    #expect(try reason(contents: true) == "the source 'a.wav' has changed (content)")
  }

  @Test("a receipt without checksums does not fit where contents are asked for")
  func withoutChecksums() throws {
    #expect(try ledger().record(project.claim()))
    #expect(
      try reason(contents: true)
        == "the source 'a.wav' has changed (no checksum in its receipt)")
  }

  @Test("without contents, an edit that keeps size and time is not seen")
  func restoredTime() throws {
    #expect(try ledger().record(project.claim()))
    try project.write("a.wav", "souNd")
    touch(project.path("a.wav"), at: 1_000_000)
    #expect(try reason() == nil)
  }

  @Test("all outputs of an export fit, or none")
  func together() throws {
    try project.write("out.wav", "result")
    let both = project.claim(["out.mp3", "out.wav"])
    #expect(try ledger().record(project.claim()))
    #expect(try reason(both) == "'out.wav' has no receipt of an earlier run")
    #expect(try ledger().record(both))
    #expect(try reason(both) == nil)
    try Tool.succeed("rm", project.path("out.wav").string)
    #expect(try reason(both) == "'out.wav' is not there")
  }

  @Test("what appears with an output must be there as well")
  func companions() throws {
    try project.write("out.psc", "chapters")
    var claim = project.claim()
    claim.outputs[0].companions = [project.path("out.psc")]
    #expect(try ledger().record(claim))
    #expect(try reason(claim) == nil)
    #expect(try reason() == "the job has changed")
    try Tool.succeed("rm", project.path("out.psc").string)
    #expect(try reason(claim) == "'out.psc' is not there")
  }

  @Test("nothing is recorded of an output that is another one than was written")
  func replaced() throws {
    let written = Project.written(project.claim())
    try project.write("out.mp3", "somebody else's")
    #expect(try !ledger().record(project.claim(), written: written) { false })
    #expect(try !ledger().record(project.claim(), written: [:]) { false })
    #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
  }

  @Test("nothing is removed that is no receipt by its name")
  func othersFiles() throws {
    #expect(try ledger().record(project.claim()))
    for name in ["thesis.odt", "a.json", "a-0123.json"] {
      try project.write(".avjob/receipts/\(name)", "x")
    }
    let ledger = ledger()
    #expect(try ledger.record(project.claim()))
    ledger.tidy(besides: [])
    #expect(project.names(in: "receipts").count == 4)
  }

  @Test("nothing is recorded of a source that has changed meanwhile")
  func changing() throws {
    let claim = project.claim()
    touch(project.path("a.wav"), at: 3_000_000)
    #expect(try !ledger().record(claim))
    #expect(try reason(claim) == "'out.mp3' has no receipt of an earlier run")
  }

  @Test("a project that is moved as a whole keeps its receipts")
  func moved() throws {
    #expect(try ledger().record(project.claim()))
    let other = TestFolder()
    try Tool.succeed("mv", project.folder.root, other.path("here"))
    defer { _ = try? Tool.succeed("mv", other.path("here"), project.folder.root) }
    let state = StateFolder(
      besideJobsIn: FilePath(other.path("here")), currentDirectory: "/")
    var claim = project.claim(sources: [])
    let source = FilePath(other.path("here/a.wav"))
    claim.outputs = [ExportInputs.Output(FilePath(other.path("here/out.mp3")))]
    claim.sources = [
      ExportInputs.Source(.file(source), try #require(FileIdentity(ofFileAt: source)))
    ]
    #expect(try Ledger(in: state).reason(for: claim) == nil)
  }

  @Test("a receipt reads as it is documented")
  func literal() throws {
    touch(project.path("out.mp3"), at: 7)
    #expect(try ledger(contents: true).record(project.claim()))
    let name = try #require(project.names(in: "receipts").first)
    #expect(name == "out.mp3-0ed75d34341c79a8.json")
    let bytes = try readFile(project.state.receipts.appending(name).string)
    let inodes = ["a.wav", "out.mp3"].map { FileIdentity(ofFileAt: project.path($0))?.inode ?? 0 }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {
          "files" : [
            {
              "inode" : \(inodes[1]),
              "modified" : 7000000000,
              "path" : "out.mp3",
              "sha256" : "f6a214f7a5fcda0c2cee9660b7fc29f5649e3c68aad48e20e950137c98913a68",
              "size" : 6
            }
          ],
          "job" : {
            "settings" : "2",
            "timeline" : "1"
          },
          "madeWith" : {
            "avjob" : "1.0"
          },
          "sources" : [
            {
              "inode" : \(inodes[0]),
              "modified" : 1000000000000000,
              "path" : "a.wav",
              "sha256" : "dd29442deca69f52c50006b831cb216edf78a7da33748f0a80ff19f2ebe57ecd",
              "size" : 5
            }
          ],
          "version" : 1
        }

        """)
  }

  @Test(
    "what is no receipt is none, whatever it holds",
    arguments: [
      "", "{", "[]", "null", #"{"version":2}"#, #"{"version":1}"#, "\u{0}\u{1}",
      #"{"files":[],"job":{},"madeWith":{},"sources":[],"version":1}"#,
      String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
    ])
  func hostile(text: String) throws {
    #expect(try ledger().record(project.claim()))
    let name = try #require(project.names(in: "receipts").first)
    let path = project.state.receipts.appending(name)
    try writeFile(path.string, Array(text.utf8))
    #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
  }

  @Test("a file of any size in a receipt's place is none, and is not read")
  func tooLarge() throws {
    #expect(try ledger().record(project.claim()))
    let name = try #require(project.names(in: "receipts").first)
    let path = project.state.receipts.appending(name)
    // Still a receipt for who would read it: spaces mean nothing.
    try Tool.succeed("sh", "-c", "head -c 32000000 /dev/zero | tr '\\0' ' ' >> '\(path)'")
    #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
    try Tool.succeed("truncate", "-s", "100G", path.string)
    #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
  }

  @Test("a tidying reads small files only")
  func tidyingLarge() throws {
    try Tool.succeed("cp", project.path("out.mp3").string, project.path("other.mp3").string)
    #expect(try ledger().record(project.claim(["other.mp3"])))
    let large = try #require(project.names(in: "receipts").first)
    let path = project.state.receipts.appending(large)
    try Tool.succeed("sh", "-c", "head -c 64000 /dev/zero | tr '\\0' ' ' >> '\(path)'")
    try Tool.succeed("rm", project.path("other.mp3").string)
    let book = ledger()
    #expect(try book.record(project.claim()))
    book.tidy(besides: [project.path("out.mp3")])
    #expect(project.names(in: "receipts").contains(large))
    try Tool.succeed("truncate", "-s", "1000", path.string)
    book.tidy(besides: [project.path("out.mp3")])
    #expect(!project.names(in: "receipts").contains(large))
  }

  @Test("a wait for another process is measured by who waits")
  func waiting() throws {
    let (one, other) = (ledger(), ledger())
    let start = ContinuousClock.now
    guard case .granted(let work) = one.begin(project.claim()),
      case .busy(let first) = other.begin(project.claim(), at: start),
      case .busy(let later) = other.begin(project.claim(), at: start.advanced(by: .seconds(7)))
    else {
      Issue.record("no lock")
      return
    }
    #expect(!first.isReportDue && later.isReportDue)
    #expect(first.holder.process == ProcessIdentity.current.process)
    #expect(later.waited == .seconds(7))
    // The next attempt has all of its time.
    other.giveUpWait(project.claim())
    guard case .busy(let anew) = other.begin(project.claim(), at: start.advanced(by: .seconds(9)))
    else {
      Issue.record("no lock")
      return
    }
    #expect(anew.waited == .zero)
    work.end()
    guard case .granted(let work) = other.begin(project.claim()) else {
      Issue.record("no lock")
      return
    }
    work.end()
  }

  @Test("a receipt with any byte changed is none, or tells a reason, or says what it said")
  func flippedBytes() throws {
    #expect(try ledger().record(project.claim()))
    let name = try #require(project.names(in: "receipts").first)
    let path = project.state.receipts.appending(name)
    let bytes = try readFile(path.string)
    var dice = Dice(1)
    for _ in 0..<300 {
      var damaged = bytes
      damaged[Int(dice.number(0..<Int64(bytes.count)))] = UInt8(dice.number(0..<256))
      try writeFile(path.string, damaged)
      _ = try reason()
      try writeFile(path.string, bytes.prefix(Int(dice.number(0..<Int64(bytes.count - 1)))))
      #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
    }
  }

  @Test("a pipe in place of a receipt is none")
  func pipe() throws {
    #expect(try ledger().record(project.claim()))
    let name = try #require(project.names(in: "receipts").first)
    let path = project.state.receipts.appending(name).string
    try Tool.succeed("rm", path)
    try Tool.succeed("mkfifo", path)
    #expect(try reason() == "'out.mp3' has no receipt of an earlier run")
  }

  @Test("the folder keeps itself out of repositories")
  func ignored() throws {
    #expect(try ledger().record(project.claim()))
    #expect(try readFile(project.state.path.string + "/.gitignore") == Array("*\n".utf8))
    #expect(project.names(in: "locks").isEmpty)
  }

  @Test("receipts of outputs that are gone go, those of others stay")
  func pruning() throws {
    try project.write("old.mp3", "x")
    try project.write("gone.mp3", "x")
    for name in ["out.mp3", "old.mp3", "gone.mp3"] {
      #expect(try ledger().record(project.claim([name])))
    }
    try Tool.succeed("rm", project.path("gone.mp3").string)
    let ledger = ledger()
    #expect(try ledger.record(project.claim()))
    try Tool.succeed("rm", project.path("out.mp3").string)
    ledger.tidy(besides: [project.path("out.mp3")])
    let left = project.names(in: "receipts").map { $0.prefix { $0 != "-" } }
    #expect(left == ["old.mp3", "out.mp3"])
  }
}
