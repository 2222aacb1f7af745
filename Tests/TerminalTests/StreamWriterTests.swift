import Glibc
import TestSupport
import Testing
import Threads

@testable import Terminal

@Suite struct StreamWriterTests {
  /// Two ends, which are closed with it.
  private final class Line {
    let reader: Int32
    let writer: Int32
    private let folder = TestFolder()

    /// A pipe, or a pair of sockets, which cannot be opened once more.
    init(isPipe: Bool) throws {
      var ends: [Int32] = [-1, -1]
      if isPipe {
        let path = folder.path("pipe")
        mkfifo(path, 0o600)
        // Both ways, which waits for no other end.
        ends = [open(path, O_RDWR | O_CLOEXEC), open(path, O_WRONLY | O_CLOEXEC)]
      } else {
        socketpair(
          AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
      }
      try #require(ends.allSatisfy { $0 >= 0 })
      (reader, writer) = (ends[0], ends[1])
    }

    deinit {
      close(reader)
      close(writer)
    }

    /// What has come, up to so many bytes; nothing where nothing has.
    func read(_ count: Int) -> [UInt8] {
      var polled = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, 0) > 0 else { return [] }
      var block = [UInt8](repeating: 0, count: count)
      let read = Glibc.read(reader, &block, count)
      return Array(block.prefix(max(0, read)))
    }
  }

  @Test(
    "who does not read keeps nobody, and gets all in order as soon as he reads",
    arguments: [true, false])
  func patient(isPipe: Bool) throws {
    let line = try Line(isPipe: isPipe)
    var writer = StreamWriter(line.writer)
    var dice = Dice(3)
    var written = ""
    // More than any pipe or socket holds.
    for number in 0..<6000 {
      let text = "\(number) " + String(repeating: "ä", count: Int(dice.number(0..<60))) + "\n"
      writer.write(text)
      written += text
    }
    var hasRoom = writer.hasRoom()
    #expect(!writer.isIdle && !hasRoom)
    let wanted = Array(written.utf8)
    var found: [UInt8] = []
    while found.count < wanted.count {
      writer.flush()
      let some = line.read(Int(dice.number(1..<20_000)))
      try #require(!some.isEmpty)
      found += some
    }
    // Not the arrays: where they differ, to tell how takes hours.
    let isWhole = found == wanted
    #expect(isWhole)
    hasRoom = writer.hasRoom()
    #expect(writer.isIdle && hasRoom)
  }

  @Test("at the end somebody is waited for who comes back, and nobody for longer than he may take")
  func finishing() throws {
    let line = try Line(isPipe: true)
    var writer = StreamWriter(line.writer)
    let text = String(repeating: "some text\n", count: 20_000)
    writer.write(text)
    writer.finish(by: .now + .milliseconds(20))
    // It was given up.
    #expect(writer.isIdle)
    var count = 0
    while case let some = line.read(4096), !some.isEmpty { count += some.count }
    #expect(count < text.utf8.count)

    writer.write(text)
    #expect(!writer.isIdle)
    let reader = line.reader
    let thread = try startReading(reader, count: text.utf8.count)
    writer.finish(by: .now + .seconds(60))
    #expect(writer.isIdle)
    let isWhole = thread() == Array(text.utf8)
    #expect(isWhole)
  }

  /// Reads on a thread; gives what waits for it.
  private func startReading(_ reader: Int32, count: Int) throws -> () -> [UInt8] {
    let found = Found()
    let thread = try Thread.spawn(name: "reader") {
      var block = [UInt8](repeating: 0, count: 4096)
      while found.bytes.count < count, case let some = read(reader, &block, 4096), some > 0 {
        found.bytes += block[..<some]
      }
    }
    return {
      thread.join()
      return found.bytes
    }
  }

  /// Of one thread, and when that has ended, of another.
  private final class Found: @unchecked Sendable { var bytes: [UInt8] = [] }
}
