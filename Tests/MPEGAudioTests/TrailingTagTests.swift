import Testing

@testable import MPEGAudio

@Suite("Tags behind the frames of an MP3")
struct TrailingTagTests {
  private let sound = [UInt8](repeating: 0x55, count: 6000)

  private func id3v1(_ title: String) -> [UInt8] {
    let text = Array("TAG".utf8) + Array(title.utf8)
    return text + [UInt8](repeating: 0, count: 127 - text.count) + [0xFF]
  }

  private var ape: [UInt8] {
    let item: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0] + Array("Title\0A".utf8)
    func block(_ flags: UInt8) -> [UInt8] {
      Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, UInt8(item.count + 32), 0, 0, 0, 1, 0, 0, 0]
        + [0, 0, 0, flags] + [UInt8](repeating: 0, count: 8)
    }
    return block(0xA0) + item + block(0x80)
  }

  private var enhanced: [UInt8] {
    Array("TAG+".utf8) + [UInt8](repeating: 0, count: 223)
  }

  private func lyrics3(_ text: String) -> [UInt8] {
    let body = "LYRICSBEGIN" + text
    let size = "\(1_000_000 + body.utf8.count)".dropFirst()
    return Array((body + size + "LYRICS200").utf8)
  }

  private func read(_ file: [UInt8]) -> (sound: Range<Int>, tags: MPEGTags) {
    func bytes(_ offset: Int, _ target: UnsafeMutableRawBufferPointer) -> Int {
      target.copyBytes(from: file[offset..<offset + target.count])
      return target.count
    }
    return (
      MPEGTags.between(from: 0, byteCount: file.count, reading: bytes),
      MPEGTags.read(byteCount: file.count, reading: bytes)
    )
  }

  @Test("are no sound, in whatever order they stand, and those that are not read are named")
  func order() {
    let first = Array("LYRICSBEGINla laLYRICSEND".utf8)
    let cases: [(tags: [UInt8], unread: [String])] = [
      (id3v1("v1") + ape, []), (ape + id3v1("v1"), []),
      (lyrics3("LYR00005Hello") + id3v1("v1"), ["Lyrics3"]),
      (first + id3v1("v1"), ["Lyrics3"]), (enhanced + id3v1("v1"), ["TAG+"]),
      (lyrics3("") + enhanced + id3v1("v1") + ape, ["TAG+", "Lyrics3"]),
    ]
    for (tags, unread) in cases {
      let found = read(sound + tags)
      #expect(found.sound == 0..<sound.count)
      #expect(found.tags.unread == unread)
      #expect(found.tags.id3v1?.items.first?.value == "v1")
    }
  }

  @Test("that stand twice are those of the file's end")
  func twice() {
    let found = read(sound + id3v1("old") + id3v1("new"))
    #expect(found.sound == 0..<sound.count)
    #expect(found.tags.id3v1?.items.first?.value == "new")
  }

  @Test("of a size that cannot be true are sound")
  func hostile() {
    for tail in [
      "LYRICSBEGINx999999LYRICS200", "LYRICSBEGINx00001xLYRICS200", "LYRICS200", "LYRICSEND",
    ] {
      #expect(read(sound + Array(tail.utf8)).sound == 0..<sound.count + tail.utf8.count, "\(tail)")
    }
    #expect(read(Array("LYRICSEND".utf8)).sound == 0..<9)
  }
}
