import Testing

@testable import LibAV

@Suite("Blocks of Vorbis")
struct VorbisBlocksTests {
  @Test("headers that are none are invalid data, and no lack of memory")
  func headers() throws {
    let identification = [1] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 23)
    for setup: [UInt8] in [[], [5] + Array("vorbis".utf8)] {
      let error = try #require(
        #expect(throws: LibAVError.self) {
          try VorbisBlocks(identification: identification, setup: setup)
        })
      #expect(error.isInvalidData && error.isDamage)
    }
  }
}
