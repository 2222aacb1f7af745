import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Channels that a header names") struct StreamChannelTests {
  private let folder = TestFolder()

  @Test(
    "more than any decoder takes count as none", arguments: [(512, 512), (513, 0), (30_000, 0)])
  func most(announced: Int, found: Int) throws {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    // PCM of 16 bits at 48 kHz (`WAVEFORMATEX`).
    let format =
      little(1, 2) + little(announced, 2) + little(48_000, 4) + little(96_000 * announced, 4)
      + little(2 * announced, 2) + little(16, 2)
    let chunks =
      Array("WAVEfmt ".utf8) + little(16, 4) + format + Array("data".utf8) + little(64, 4)
      + [UInt8](repeating: 0, count: 64)
    let path = folder.path("wide.wav")
    try writeFile(path, Array("RIFF".utf8) + little(chunks.count, 4) + chunks)
    let demuxer = try Demuxer.open(FileBytes(FilePath(path)), named: "wide.wav")
    #expect(demuxer.streams.map(\.channelCount) == [found])
  }
}
