import Diagnosis
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import JobModel
@testable import TimeLists

/// Lists made to break their reader are refused, at once and in words.
@Suite struct ListHostileTests {
  private let seeds = [
    "0:00 One\n1:00 Two\n2:00..3:00 Three\n", "0.0\t1.5\tone\n\\\t2\t3\n2.25\t2.25\ttwo\n",
    "REM DATE 1999\nTITLE \"x\"\nFILE \"a\" WAVE\nTRACK 01 AUDIO\nINDEX 00 00:00:00\n"
      + "INDEX 01 00:01:74\nTRACK 02 AUDIO\nPERFORMER \"y\"\nINDEX 01 99:59:74\n",
  ]

  @Test("Bytes changed, cut and repeated at random end in a list or in words", arguments: 0..<3)
  func mutations(seed: Int) {
    var random = Dice(1)
    let pieces: [[UInt8]] = [
      Array("99999999999999999999".utf8), Array(":".utf8), Array("\"".utf8), [0], [0xFF],
      Array("\t".utf8), Array("-".utf8), Array("..".utf8), Array("\r".utf8), Array("/0s".utf8),
      Array("INDEX 01 ".utf8), Array("TRACK ".utf8), Array("\u{FEFF}".utf8), Array("${x}".utf8),
    ]
    for _ in 0..<300 {
      var bytes = Array(seeds[seed].utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: at)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + 5))
        case 2 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
        default: bytes += bytes[at...]
        }
      }
      for name in ["a.cue", "a.txt"] {
        let result = TimeList.read(bytes, path: FilePath(name), named: .unknown, in: SourceMap())
        guard result.sink.diagnostics.errors.isEmpty else { continue }
        #expect(!result.list.entries.isEmpty)
        let times = result.list.entries.compactMap { $0.start.value.timeFromStart }
        #expect(times == times.sorted())
        #expect(times.allSatisfy { $0.isNumeric && $0 >= .zero })
      }
    }
  }

  @Test("Noise is no list")
  func noise() {
    var random = Dice(2)
    for _ in 0..<100 {
      let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      for name in ["a.cue", "a.txt"] {
        let result = TimeList.read(bytes, path: FilePath(name), named: .unknown, in: SourceMap())
        #expect(!result.sink.diagnostics.errors.isEmpty && result.list.entries.isEmpty)
      }
    }
  }

  @Test("More than a hundred thousand entries are one mistake")
  func count() {
    let lines = (0...100_000).map { "\($0)s x\n" }.joined()
    expect(
      ListBench.screen(lines),
      """
      list.txt:100001:1: error: more than 100,000 entries
      100001 | 100000s x
             | ^~~~~~~
        help: part the list
      command line:1:8: note: the list is named here
          1 | split: list.txt
            |        ^~~~~~~~
      """)
    #expect(ListBench.entries(String(lines.dropLast(10))).count == 100_000)
  }

  @Test("A list of a hundred thousand mistakes names a few")
  func mistakes() {
    let screen = ListBench.screen((0..<100_000).map { "x\($0)\n" }.joined())
    #expect(screen.utf8.count < 200_000)
  }
}
