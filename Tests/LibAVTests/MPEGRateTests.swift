import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Rates of MPEG audio")
struct MPEGRateTests {
  @Test("each frame of a stream whose rate changes has its own rate", arguments: [48_000, 32_000])
  func change(rate: Int) throws {
    let folder = TestFolder()
    for (name, rate) in [("a", rate), ("b", 44_100)] {
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1:sample_rate=\(rate)", "-c:a",
        "mp2", folder.path(name + ".mp2"))
    }
    try Tool.succeed(
      "bash", "-c", "cat \"$0\"/a.mp2 \"$0\"/b.mp2 >\"$0\"/c.mp2", folder.root)
    let demuxer = try Demuxer.open(FileBytes(FilePath(folder.path("c.mp2"))), named: "c.mp2")
    try demuxer.completeParameters()
    let decoder = try Decoder.open(try #require(demuxer.streams.first), removesPadding: false)
    let frame = try Frame()
    var rates: [Int] = []
    while let packet = try demuxer.read() {
      try decoder.send(packet)
      while try decoder.receive(into: frame) { rates.append(frame.sampleRate) }
    }
    let changes = zip(rates, rates.dropFirst()).filter { $0 != $1 }
    #expect(rates.first == rate && rates.last == 44_100 && changes.count == 1)
    #expect(rates.firstIndex(of: 44_100).map { abs($0 - rate / 1152) <= 2 } == true)
  }
}
