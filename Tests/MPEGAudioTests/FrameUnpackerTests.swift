import MPEGAudio
import TestSupport
import Testing

@Suite("FrameUnpacker")
struct FrameUnpackerTests {
  @Test("a stream that goes wrong says where, however it is cut", arguments: [1, 3, 100, 1 << 20])
  func place(pieceLength: Int) throws {
    let bytes = try readFile(Fixture.path("lame-testcase.mp3"))
    let index = try MP3Files.index(of: bytes)
    let start = index.byteRange(ofFrame: 0).lowerBound
    let end = index.byteRange(ofFrame: 4).upperBound
    let stream = bytes[start..<end] + Array("no frame".utf8)
    var unpacker = FrameUnpacker()
    var frames: [UnpackedFrame] = []
    let problem = #expect(throws: FrameUnpacker.Problem.self) {
      for piece in stride(from: 0, to: stream.count, by: pieceLength) {
        try Array(stream.dropFirst(piece).prefix(pieceLength)).withUnsafeBufferPointer {
          try unpacker.unpack($0, into: &frames)
        }
      }
    }
    #expect(problem == .noHeader(offset: end - start) && frames.count == 5)
  }
}
