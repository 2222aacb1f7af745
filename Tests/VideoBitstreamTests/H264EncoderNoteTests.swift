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

  @Test("messages of registered users are known in H.264, and by name in HEVC")
  func registered() {
    let captions: [UInt8] = [0xB5, 0, 0x31] + Array("GA94".utf8) + [3, 0x41, 0xFF, 0x80]
    let tones: [UInt8] = [0xB5, 0, 0x3C, 0, 1, 4, 1, 0x80]
    func unit(_ head: [UInt8], _ payload: [UInt8]) -> ArraySlice<UInt8> {
      (head + [4, UInt8(payload.count - 1)] + payload)[...]
    }
    let own = unit([6], captions)
    #expect(H264.registeredMessages(in: [[0x65, 4], own, message("164"), [6]]) == [own])

    let units = [unit([0x4E, 1], captions), [0x28, 1, 4], unit([0x4E, 1], tones), [0x4E, 1]]
    #expect(HEVC.registeredMessages(in: units) == [.dynamicLight, .captions])
    #expect(HEVC.registeredMessages(in: [unit([0x4E, 1], tones).dropLast(4)]) == [])
    #expect(HEVC.registeredMessages(in: [unit([0x50, 1], tones)]) == [])
  }
}
