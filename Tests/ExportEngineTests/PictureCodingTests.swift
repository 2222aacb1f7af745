import Testing

@testable import ExportEngine

@Suite("How pictures are coded") struct PictureCodingTests {
  /// What FFmpeg's encoder says of pictures of 64x48 with matrices of quantization; 0x90 disables the
  /// estimation of complexity, and 0x80 does not.
  private func header(_ complexity: UInt8) -> [UInt8] {
    [
      0, 0, 1, 0xB0, 1, 0, 0, 1, 0xB5, 0x89, 0x13, 0, 0, 1, 0, 0, 0, 1, 0x20, 0, 0xC4, 0x8D, 0x88,
      0, 0xCD, 2, 4, 6, 0x14, complexity, 0, 0,
    ]
  }

  @Test("pictures of MPEG-4 that say how complex they are are not encoded")
  func complexity() {
    let known = PictureCoding.other(codec: "mpeg4", header: header(0x90))
    #expect(known.tools == .matrices && !known.hasUnknownTools)
    #expect(PictureCoding.other(codec: "mpeg4", header: header(0x80)).hasUnknownTools)
    #expect(!PictureCoding.other(codec: "mpeg4", header: []).hasUnknownTools)
  }
}
