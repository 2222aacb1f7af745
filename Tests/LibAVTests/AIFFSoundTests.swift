import Testing

@testable import LibAV

@Suite("Samples of AIFF")
struct AIFFSoundTests {
  @Test(
    "a type without a width has that of the samples, in its own order of bytes",
    arguments: ["sowt", "twos", "NONE"], 1...32)
  func widths(type: String, bits: Int) {
    let sound = AIFFSound(type: type, sampleSize: bits)
    let bytes = [1, 2, 3, 4].first { bits <= 8 * $0 }
    #expect(sound.kind == bytes.map { .signed(bytes: $0, isLittleEndian: type == "sowt") })
    #expect(sound.refusal == nil)
  }

  @Test(
    "a type with a width has that one, whatever the size of samples is",
    arguments: [
      ("in24", 3, false), ("in32", 4, false), ("42ni", 3, true), ("42n1", 3, true),
      ("23ni", 4, true),
    ], [0, 16, 24, 32])
  func fixedWidths(type: (name: String, bytes: Int, isLittle: Bool), bits: Int) {
    let sound = AIFFSound(type: type.name, sampleSize: bits)
    #expect(sound.kind == .signed(bytes: type.bytes, isLittleEndian: type.isLittle))
    #expect(sound.refusal == nil)
  }

  @Test(
    "types whose samples have a size that these cannot have are refused by name",
    arguments: [("raw ", 16), ("sowt", 33), ("twos", 64), ("NONE", 40)])
  func disagreement(type: String, bits: Int) throws {
    let refusal = try #require(AIFFSound(type: type, sampleSize: bits).refusal)
    #expect(refusal.operation.contains("'\(type)'") && refusal.operation.contains("\(bits) bits"))
  }

  @Test("an AIFF with more than 32 bits is refused, and one with a size of 0 left to FFmpeg")
  func plain() {
    let refusal = AIFFSound(type: nil, sampleSize: 33).refusal
    #expect(refusal?.operation.contains("33 bits") == true)
    let open = AIFFSound(type: nil, sampleSize: 0)
    #expect(open.refusal == nil && open.kind == nil)
  }

  @Test("a chunk before COMM, also one of an odd size, does not hide it")
  func place() throws {
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0, 0, 0, UInt8(content.count)] + content
        + [UInt8](repeating: 0, count: content.count % 2)
    }
    let common: [UInt8] =
      [0, 2, 0, 0, 0, 9, 0, 24] + [0x40, 0x0E, 0xBB, 0x80, 0, 0, 0, 0, 0, 0]
      + Array("sowt\0\0".utf8)
    let body = Array("AIFC".utf8) + chunk("NAME", [65, 66, 67]) + chunk("COMM", common)
    let file = Array("FORM".utf8) + [0, 0, 0, UInt8(body.count)] + body
    let sound = try AIFFSound(size: Int64(file.count)) { offset, count in
      Array(file.dropFirst(Int(offset)).prefix(count))
    }
    #expect(sound?.type == "sowt" && sound?.sampleSize == 24)
  }
}
