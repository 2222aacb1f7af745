import Files
import JobFile
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import RunPlan

/// Which sources are whole, and which jobs a round runs.
@Suite struct WatchRoundsTests {
  private let folder = TestFolder()

  @Test("A file is whole when it is still for some time and has no writer")
  func stillness() throws {
    let path = FilePath(folder.path("a.wav"))
    try writeFile(path.string, [1, 2])
    var writers: Bool? = true
    var stillness = SourceStillness(believingClock: false, hasWriter: { _ in writers })
    let start = ContinuousClock.now
    func isWhole(after milliseconds: Int) -> Bool {
      stillness.wholeFile(at: path, start + .milliseconds(milliseconds), time: .zero) != nil
    }
    #expect(!isWhole(after: 0) && !isWhole(after: 1400) && !isWhole(after: 1600))
    writers = nil
    #expect(isWhole(after: 1600) && isWhole(after: 1700))
    try writeFile(path.string, [1, 2, 3])
    #expect(!isWhole(after: 1800) && !isWhole(after: 3200) && isWhole(after: 3300))
    #expect(stillness.wholeFile(at: "nowhere.wav", start, time: .zero) == nil)
  }

  @Test("A process that has a file open for writing is seen, by a lease")
  func writers() throws {
    let path = FilePath(folder.path("a.wav"))
    try writeFile(path.string, [1])
    FileWriters.begin()
    // Of another user's file, and on some file systems, it cannot be known.
    guard let free = FileWriters.has(path) else { return }
    #expect(!free)
    let file = try FileDescriptor.open(path, .writeOnly)
    #expect(FileWriters.has(path) == true)
    try file.close()
    #expect(FileWriters.has(path) == false)
  }
}
