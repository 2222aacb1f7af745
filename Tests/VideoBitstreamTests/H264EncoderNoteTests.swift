import Testing

@testable import VideoBitstream

@Suite("x264's message")
struct H264EncoderNoteTests {
  private func message(_ core: String) -> ArraySlice<UInt8> {
    ([6, 5, 60] + Array(repeating: 0xDC, count: 16) + Array("x264 - core \(core) r1 abc".utf8))[...]
  }

  @Test("it is found in any version, and nothing else is taken for it")
  func found() {
    let slice: ArraySlice<UInt8> = [0x65, 1, 2, 3]
    #expect(H264.encoderMessage(in: [slice, message("164")]) == Array(message("164")))
    #expect(H264.encoderMessage(in: [slice, message("old")]) == nil)
    #expect(H264.encoderMessage(in: [[6], [], slice]) == nil)
    #expect(H264.encoderMessage(in: [message("99").prefix(30)]) == nil)
    var other = Array(message("99"))
    other[0] = 0x65
    #expect(H264.encoderMessage(in: [other[...]]) == nil)
  }
}
