import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("A file that may still change unseen")
struct SourceFileTests {
  private func identity(_ time: Int64) -> FileIdentity {
    FileIdentity(device: 1, inode: 1, size: 1, modificationTime: time)
  }

  @Test("a file is let rest until no later change can bear its time")
  func rest() {
    let now = FileTime(nanoseconds: 1_700_000_000_123_456_789)
    func rest(_ age: Int64) -> Duration { identity(now.nanoseconds - age).timeToRest(at: now) }
    #expect(rest(0) == .milliseconds(20))
    #expect(rest(15_000_000) == .milliseconds(5))
    #expect(rest(20_000_000) == .zero)
    #expect(rest(1_000_000_000_000) == .zero)
    // A clock that is ahead is not waited for.
    #expect(rest(-1_000_000) == .milliseconds(20))
    #expect(rest(-60_000_000_000) == .zero)
    #expect(identity(.min).timeToRest(at: now) == .zero)
    // Whole seconds are what a file system without fractions has.
    let coarse = identity(1_700_000_000_000_000_000).timeToRest(at: now)
    #expect(coarse == .nanoseconds(2_000_000_000 - 123_456_789))
    #expect(identity(1_699_999_998_000_000_000).timeToRest(at: now) == .zero)
  }

  @Test(
    "a file of any time has an identity",
    arguments: [
      ("2400-01-01", Int64.max), ("1969-12-31 23:59:59", -1_000_000_000),
      ("1905-01-01", -2_051_222_400_000_000_000),
    ])
  func anyTime(date: String, expected: Int64) throws {
    let folder = TestFolder()
    let path = FilePath(folder.path("a"))
    try writeFile(path.string, [1])
    try Tool.succeed("touch", "-d", date + " UTC", path.string)
    #expect(try SourceFile.identify(.file(path)).modificationTime == expected)
  }

  @Test("a change after a rest always shows")
  func shows() throws {
    let folder = TestFolder()
    let path = FilePath(folder.path("a"))
    for number in 0..<20 {
      try writeFile(path.string, [UInt8(number)])
      let rested = try SourceFile.settle(.file(path))
      try writeFile(path.string, [UInt8(number + 1)])
      #expect(try SourceFile.identify(.file(path)) != rested)
    }
  }
}
