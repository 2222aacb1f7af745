import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Samples of more bits than their format has")
struct ExcessBitsTests {
  @Test(
    "they are seen in the last sample of a plane, and ten bits are none too many",
    arguments: [(0x3FF, false), (0x400, true), (0x8000, true)])
  func excess(sample: UInt16, isExcess: Bool) throws {
    let folder = TestFolder()
    var bytes = [UInt8](repeating: 0, count: 16 * 16 * 3)
    (bytes[16 * 16 * 3 - 2], bytes[16 * 16 * 3 - 1]) = (UInt8(sample & 0xFF), UInt8(sample >> 8))
    try writeFile(folder.path("a.yuv"), bytes)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p10le", "-s", "16x16", "-i",
      folder.path("a.yuv"), "-c", "copy", folder.path("a.nut"))
    let demuxer = try Demuxer.open(FileBytes(FilePath(folder.path("a.nut"))), named: "a.nut")
    let decoder = try Decoder.open(try #require(demuxer.streams.first), removesPadding: true)
    let frame = try Frame()
    try decoder.send(try demuxer.read())
    let isThere = try decoder.receive(into: frame)
    try #require(isThere)
    #expect(frame.hasExcessBits == isExcess)
  }
}
