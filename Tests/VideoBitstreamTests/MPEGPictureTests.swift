import TestSupport
import Testing
import VideoBitstream

@Suite("Pictures of MPEG-1, 2 and 4") struct MPEGPictureTests {
  private let sequence: [UInt8] = [0, 0, 1, 0xB3, 8, 0, 0x60, 0x13]

  /// A picture of MPEG-2: its number in its group, its type, and a slice.
  private func picture(_ type: UInt8) -> [UInt8] { [0, 0, 1, 0, 0x12, type << 3, 0, 0, 1, 1, 9] }

  /// A picture of MPEG-4 of a type.
  private func plane(_ type: UInt8) -> [UInt8] { [0, 0, 1, 0xB6, type << 6 | 5, 7] }

  @Test("a picture's type is found behind what stands before it")
  func types() {
    #expect(MPEGPicture.first(ofMPEG2: sequence + picture(1)) == .reference)
    #expect(MPEGPicture.first(ofMPEG2: picture(2) + picture(3)) == .reference)
    #expect(MPEGPicture.first(ofMPEG2: [0] + picture(3)) == .bidirectional)
    #expect(MPEGPicture.first(ofMPEG2: sequence) == nil)
    #expect(MPEGPicture.first(ofMPEG2: [0, 0, 1, 0, 0x12]) == nil)
    #expect(MPEGPicture.first(ofMPEG2: []) == nil)
  }

  @Test("a packet of MPEG-4 may have several pictures")
  func packed() {
    #expect(MPEGPicture.all(ofMPEG4: plane(0)) == [.reference])
    #expect(MPEGPicture.all(ofMPEG4: [0, 0] + plane(2)) == [.bidirectional])
    #expect(MPEGPicture.all(ofMPEG4: plane(1) + plane(2)) == [.reference, .bidirectional])
    #expect(MPEGPicture.all(ofMPEG4: plane(3)) == [.reference])
    #expect(MPEGPicture.all(ofMPEG4: [0, 0, 1, 0xB6]) == [])
  }

  @Test("the header of MPEG-4 ends before the first group or picture, and has a layer")
  func header() {
    let header: [UInt8] = [0, 0, 1, 0xB0, 1, 0, 0, 1, 0xB5, 9, 0, 0, 1, 0x20, 4, 5, 6]
    #expect(MPEGPicture.header(ofMPEG4: header + plane(0)) == header)
    #expect(MPEGPicture.header(ofMPEG4: header + [0, 0, 1, 0xB3, 1] + plane(0)) == header)
    #expect(MPEGPicture.header(ofMPEG4: plane(0)) == nil)
    #expect(MPEGPicture.header(ofMPEG4: header) == nil)
    #expect(MPEGPicture.header(ofMPEG4: Array(header.prefix(10)) + plane(0)) == nil)
  }

  /// What FFmpeg's encoder and Xvid say of their pictures, without a picture.
  private func header(_ options: String) throws -> [UInt8] {
    let result = try Tool.run([
      "sh", "-c",
      "ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=96x64:r=25 -frames:v 1 \(options) -f m4v -",
    ])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
    return MPEGPicture.header(ofMPEG4: Array(result.output)) ?? []
  }

  @Test("a layer of MPEG-4 says with which tools all of its pictures are coded")
  func layers() throws {
    let numbers = (0..<64).map { "\(8 + $0 / 3)" }.joined(separator: ",")
    for (options, matrices, isPartitioned) in [
      ("-c:v mpeg4", nil, false), ("-c:v mpeg4 -mpeg_quant 1", [0, 0], false),
      ("-c:v mpeg4 -data_partitioning 1", nil, true),
      ("-c:v mpeg4 -flags +qpel+ildct -mpeg_quant 1 -data_partitioning 1", [0, 0], true),
      ("-c:v mpeg4 -mpeg_quant 1 -intra_matrix \(numbers)", [64, 0], false),
      ("-c:v libxvid -gmc 1 -mpeg_quant 1 -flags +qpel", [0, 0], false),
    ] as [(String, [Int]?, Bool)] {
      let header = try header(options)
      let layer = try #require(MPEG4Layer(of: header))
      #expect(layer.width == 96 && layer.height == 64)
      let tools = try #require(layer.tools)
      #expect(tools.matrices?.map(\.count) == matrices, "\(options)")
      #expect(tools.isPartitioned == isPartitioned, "\(options)")
      for count in header.indices { _ = MPEG4Layer(of: Array(header.prefix(count))) }
    }
  }
}
