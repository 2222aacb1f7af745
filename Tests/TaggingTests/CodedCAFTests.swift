import TestSupport
import Testing

@testable import Tagging

@Suite("CAF of coded sound") struct CodedCAFTests {
  /// The contents of a file's chunks before its sound, by their names.
  private func chunks(_ head: [UInt8]) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    var walk = ChunkWalk(in: 8..<Int64(head.count - 16), .caf)
    while let chunk = walk.next({ Array(head[Int($0)...].prefix($1)) }) {
      let range = Int(chunk.content.lowerBound)..<Int(chunk.content.upperBound)
      found[EightBitText.windows1252(chunk.name)] = Array(head[range])
    }
    return found
  }

  @Test("the head describes packets as the specification has them")
  func head() {
    let file = CodedCAF(.ima4, sampleRate: 44_100, channelCount: 2, channelMask: 3)
    let head = file.head(tags: [("title", "Dünen"), ("artist", "Ann")])
    #expect(head.starts(with: Array("caff".utf8) + [0, 1, 0, 0]))
    #expect(
      head.suffix(16).elementsEqual(
        Array("data".utf8) + [UInt8](repeating: 255, count: 8) + [0, 0, 0, 0]))
    let found = chunks(head)
    #expect(found.keys.sorted() == ["chan", "desc", "info"])
    #expect(
      found["desc"]
        == [0x40, 0xE5, 0x88, 0x80, 0, 0, 0, 0] + Array("ima4".utf8)
        + [0, 0, 0, 0, 0, 0, 0, 68, 0, 0, 0, 64, 0, 0, 0, 2, 0, 0, 0, 0])
    #expect(found["chan"] == [0, 101, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(found["info"] == [0, 0, 0, 2] + Array("title\0Dünen\0artist\0Ann\0".utf8))
  }

  @Test(
    "channels in the order of AAC and Apple Lossless are named by Core Audio's tag for it",
    arguments: [
      (0x4, 100, 1), (0x3, 101, 2), (0x7, 114, 3), (0x107, 116, 4), (0x37, 120, 5), (0x3F, 124, 6),
    ])
  func layouts(_ mask: UInt64, _ tag: UInt8, _ count: UInt8) {
    for codec in [
      CodedCAF.Codec.aac(configuration: [0x12, 0x10], bitRate: 0),
      .alac(configuration: [UInt8](0..<24), bitDepth: 16),
    ] {
      let file = CodedCAF(
        codec, sampleRate: 48_000, channelCount: Int(count), channelMask: mask)
      let layout = chunks(file.head(tags: []))["chan"]
      #expect(layout == [0, tag, 0, count, 0, 0, 0, 0, 0, 0, 0, 0])
    }
  }

  @Test("channels in another order are named by a bitmap, and a cookie is that of its codec")
  func cookies() {
    let cookie = [UInt8](0..<24)
    let lossless = CodedCAF(
      .alac(configuration: cookie, bitDepth: 24), sampleRate: 48_000, channelCount: 6,
      channelMask: 0x60F)
    let found = chunks(lossless.head(tags: []))
    #expect(found["kuki"] == cookie && found["info"] == nil)
    #expect(found["chan"] == [0, 1, 0, 0, 0, 0, 6, 0x0F, 0, 0, 0, 0])
    #expect(found["desc"]?[8..<16].elementsEqual(Array("alac".utf8) + [0, 0, 0, 3]) == true)
    let lossy = CodedCAF(
      .aac(configuration: [0x12, 0x10], bitRate: 128_000), sampleRate: 44_100, channelCount: 2,
      channelMask: 3)
    #expect(
      chunks(lossy.head(tags: []))["kuki"]
        == ElementaryStream.descriptor(configuration: [0x12, 0x10], bitRate: 128_000))
  }

  @Test("what is before, in and behind the sound of a table is all that its packets hold")
  func table() {
    var dice = Dice(46)
    for _ in 0..<200 {
      var file = CodedCAF(
        .aac(configuration: [], bitRate: 0), sampleRate: 44_100, channelCount: 1, channelMask: 4)
      let (count, delay) = (Int(dice.number(1..<300)), dice.number(0..<2500))
      let lost = min(dice.number(0..<1024), Int64(count) * 1024 - delay - 1)
      guard lost >= 0 else { continue }
      var sizes: [Int] = []
      for packet in 0..<Int64(count) {
        sizes.append(Int(dice.number(1..<40_000)))
        let start = packet * 1024 - delay
        file.add(
          byteCount: sizes[Int(packet)],
          start..<start + 1024 - (packet == Int64(count) - 1 ? lost : 0))
      }
      let table = file.packetTable
      func number(_ range: Range<Int>) -> Int64 { Int64(AtomHead.number(table[range])) }
      #expect(table.starts(with: Array("pakt".utf8)) && number(4..<12) == Int64(table.count - 12))
      #expect(number(12..<20) == Int64(count))
      let (valid, priming, remainder) = (number(20..<28), number(28..<32), number(32..<36))
      #expect(priming == delay && remainder == lost)
      #expect(valid + priming + remainder == Int64(count) * 1024)
      var (read, size) = ([Int](), 0)
      for byte in table[36...] {
        size = size << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 { (read, size) = (read + [size], 0) }
      }
      #expect(read == sizes)
      #expect(AtomHead.number(file.sizeField) == UInt64(sizes.reduce(4, +)))
    }
  }

  @Test("the table of packets of one size lists none, and has the sound's length")
  func equalPackets() {
    var file = CodedCAF(.ima4, sampleRate: 8000, channelCount: 1, channelMask: 4)
    for start in stride(from: Int64(0), to: 160, by: 64) {
      file.add(byteCount: 34, start..<min(160, start + 64))
    }
    #expect(
      file.packetTable
        == Array("pakt".utf8) + [0, 0, 0, 0, 0, 0, 0, 24] + [UInt8](repeating: 0, count: 15) + [160]
        + [0, 0, 0, 0, 0, 0, 0, 32])
  }
}
