import LibAV
import Testing

@testable import ExportEngine

@Suite("Pictures that an encoder was given") struct SentPicturesTests {
  private func packet() throws -> Packet {
    try [1].withUnsafeBytes { try Packet(copying: $0, timestamp: 0) }
  }

  @Test("packets get the times of their pictures, in order")
  func times() throws {
    var sent = SentPictures()
    sent.add(shown: 10, until: 20)
    sent.add(shown: 20, until: 25)
    let pictures = [try sent.picture(of: packet()), try sent.picture(of: packet())]
    #expect(pictures.map(\.shown) == [10, 20] && pictures.map(\.end) == [20, 25])
    try sent.requireEnd()
  }

  @Test("a picture that has not come out at the end, and a packet too many, are refused")
  func miscounted() throws {
    var sent = SentPictures()
    sent.add(shown: 10, until: 20)
    #expect(throws: LibAVError.miscounted) { try sent.requireEnd() }
    _ = try sent.picture(of: packet())
    let surplus = try packet()
    #expect(throws: LibAVError.miscounted) { _ = try sent.picture(of: surplus) }
  }
}
