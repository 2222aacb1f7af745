import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Reading the header of Musepack 8")
struct MusepackHeaderTests {
  private let folder = TestFolder()

  private func read(_ bytes: [UInt8]) throws -> MusepackHeader? {
    let path = folder.path("\(bytes.hashValue).mpc")
    try writeFile(path, bytes)
    return try MusepackHeader.read(in: try MediumBytes(.file(FilePath(path))))
  }

  /// A packet's name, and its size with these three bytes.
  private func packet(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + [UInt8(body.count + 3)] + body
  }

  @Test("its frames and its silence are read, behind other packets, too")
  func numbers() throws {
    let sign = Array("MPCK".utf8)
    // 132,300 is 8, 9 and 76 in digits of seven bits.
    let right = packet("SH", [7, 0x30, 0xBC, 8, 8, 0x88, 0x89, 0x4C, 0, 0x1B, 0x1B])
    #expect(try read(sign + right)?.frameCount == 132_300)
    #expect(try read(sign + right)?.silence == 0)
    let silent = packet("SH", [1, 2, 3, 4, 8, 0x88, 0x89, 0x4C, 0x81, 0x00, 0x1B, 0x1B])
    #expect(try read(sign + packet("RG", [1, 2]) + silent)?.silence == 128)
  }

  @Test("what is no header gives none")
  func hostile() throws {
    let sign = Array("MPCK".utf8)
    let full = [UInt8](repeating: 0xFF, count: 40)
    #expect(try read(sign) == nil)
    #expect(try read(sign + Array("SH".utf8) + full) == nil)
    #expect(try read(sign + packet("SH", [1, 2, 3, 4, 8] + full)) == nil)
    #expect(try read(sign + packet("RG", []) + [0x53, 0x48, 0]) == nil)
    #expect(try read(Array("MP+".utf8) + full) == nil)
  }
}
