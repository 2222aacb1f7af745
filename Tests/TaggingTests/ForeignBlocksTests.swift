import TestSupport
import Testing

@testable import Tagging

/// What a FLAC keeps of other files, and its own cue sheet.
@Suite("Foreign blocks and cue sheets of FLAC") struct ForeignBlocksTests {
  private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + Field.little(UInt64(content.count)) + content
      + Field.zeros(content.count % 2)
  }

  private func wave(_ chunks: [[UInt8]], _ name: String = "RIFF") -> [UInt8] {
    let body = chunks.flatMap(\.self)
    return Field.all(
      Field.name(name), Field.little(UInt64(body.count + 4)), Field.name("WAVE"), body)
  }

  private func read(_ file: [UInt8]) -> (ForeignBlocks?, [ChunkDefect.Problem]) {
    var defects: [ChunkDefect] = []
    let value = ForeignBlocks(file: Int64(file.count), defects: &defects) {
      Array(file.dropFirst(Int($0)).prefix($1))
    }
    return (value, defects.map(\.problem))
  }

  @Test("a WAV's blocks are its head, its chunks with their padding, and the sound's head alone")
  func riff() throws {
    let format = chunk("fmt ", Field.zeros(16))
    let odd = chunk("LIST", Field.name("INFOabc"))
    let sound = chunk("data", [1, 2, 3])
    let cue = chunk("cue ", Field.zeros(4))
    let file = wave([format, odd, sound, cue])
    let blocks = try #require(read(file).0)
    #expect(blocks.blocks == [Array(file.prefix(12)), format, odd, Array(sound.prefix(8)), cue])
    #expect(blocks.sound == 3 && blocks.chunks.map(\.name) == ["fmt ", "LIST", "data", "cue "])
    #expect(blocks.chunks[1].content.elementsEqual("INFOabc".utf8))
    #expect(blocks.chunks.map(\.isSound) == [false, false, true, false])
    let padding = Field.zeros(Int(blocks.container.layout.padding(behind: 3)))
    #expect(Field.all(blocks.front, [1, 2, 3], padding, blocks.back) == file)
    #expect(blocks.applications.allSatisfy { $0.starts(with: "riff".utf8) })
    var defects: [ChunkDefect] = []
    #expect(ForeignBlocks(applications: blocks.applications, defects: &defects) == blocks)
    #expect(defects.isEmpty)
  }

  @Test("of an RF64 the sound's size is that of ds64")
  func rf64() throws {
    let sizes = chunk(
      "ds64",
      Field.all(Field.little(90, 8), Field.little(5, 8), Field.little(1, 8), Field.little(0)))
    let format = chunk("fmt ", Field.zeros(16))
    let data = Field.all(Field.name("data"), Field.little(0xFFFF_FFFF), [1, 2, 3, 4, 5, 0])
    let file = wave([sizes, format, data, chunk("id3 ", [9, 9])], "RF64")
    let blocks = try #require(read(file).0)
    #expect(blocks.chunks.map(\.name) == ["ds64", "fmt ", "data", "id3 "])
    #expect(blocks.front + [1, 2, 3, 4, 5, 0] + blocks.back == file)
    var defects: [ChunkDefect] = []
    #expect(ForeignBlocks(applications: blocks.applications, defects: &defects) == blocks)
  }

  @Test("of an AIFF the sound's block has its offset, and of a Wave64 its GUID")
  func others() throws {
    func big(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + Field.big(UInt64(content.count)) + content
    }
    let common = big("COMM", Field.zeros(18))
    let sound = big("SSND", Field.all(Field.big(2), Field.big(0), [7, 7], [1, 2, 3, 4]))
    let aiff = Field.all(
      Field.name("FORM"), Field.big(4 + 26 + 22), Field.name("AIFF"), common, sound)
    let blocks = try #require(read(aiff).0)
    #expect(blocks.container == .aiff && blocks.blocks[2].count == 8 + 8 + 2)
    #expect(blocks.front + [1, 2, 3, 4] == aiff && blocks.back.isEmpty)
    let layout = ChunkWalk.Layout.wave64
    let head = Field.all(
      Field.name("riff"), Field.zeros(12), Field.little(0, 8), Field.name("wave"), Field.zeros(12))
    let format = try #require(layout.chunk("fmt ", Field.zeros(16)))
    let data = try #require(layout.chunk("data", [1, 2, 3]))
    let wave64 = try #require(read(head + format + data).0)
    #expect(wave64.container == .wave64)
    #expect(wave64.blocks == [head, format, Array(data.prefix(24))])
    var defects: [ChunkDefect] = []
    #expect(ForeignBlocks(applications: wave64.applications, defects: &defects) == wave64)
    #expect(ForeignBlocks(applications: blocks.applications, defects: &defects) == blocks)
  }

  @Test("a file of sounds without samples is read once")
  func manySounds() {
    let file = wave(Array(repeating: chunk("data", []), count: 2000))
    var (count, defects) = (0, [] as [ChunkDefect])
    let blocks = ForeignBlocks(file: Int64(file.count), defects: &defects) {
      count += 1
      return Array(file.dropFirst(Int($0)).prefix($1))
    }
    #expect(
      blocks == nil && defects.map(\.problem) == [.inconsistent("the sound is there 2000 times")])
    #expect(count < 10_000)
  }

  @Test("what cannot be put together again is refused with the reason")
  func refused() {
    let format = chunk("fmt ", Field.zeros(16))
    let sound = chunk("data", [1, 2])
    #expect(read(Field.name("OggS")).0 == nil && read(Field.name("OggS")).1.isEmpty)
    #expect(read(wave([format])).1 == [.inconsistent("the sound is there 0 times")])
    #expect(read(wave([format, sound, sound])).1 == [.inconsistent("the sound is there 2 times")])
    #expect(
      read(wave([format, sound, [1, 2, 3]])).1 == [.inconsistent("not all of it is chunks")])
    let lying = wave([format, Field.name("cue ") + Field.little(0xFFFF_FFFF)])
    #expect(read(lying).1 == [.short(has: 0, needs: 0xFFFF_FFFF)])
    // Samples behind a sound whose size was left open.
    let open = ChunkDefect.Problem.inconsistent("it counts no sample, and samples follow")
    let samples = [[1, 2, 3, 4, 0, 0, 0, 0, 9], Field.zeros(16), Field.zeros(3)]
    for samples in samples {
      #expect(read(wave([format, chunk("data", []), samples])).1 == [open])
    }
    #expect(read(wave([format, chunk("data", []), chunk("cue ", [])])).0?.blocks.count == 4)
    #expect(read(wave([format, chunk("data", [])])).0 != nil)
    let unpadded = Field.name("LIST") + Field.little(3) + [1, 2, 3]
    #expect(read(wave([format, chunk("data", []), unpadded, chunk("cue ", [])])).0 != nil)
    let rubbish = wave([format, sound, [0, 1, 2, 3, 0xFF, 0xFF, 0, 0]])
    #expect(read(rubbish).1 == [.inconsistent("not all of it is chunks")])
    var defects: [ChunkDefect] = []
    func blocks(_ contents: [[UInt8]]) -> ForeignBlocks? {
      ForeignBlocks(applications: contents.map { Field.name("riff") + $0 }, defects: &defects)
    }
    let head = Array(wave([]).prefix(12))
    #expect(blocks([]) == nil && defects.isEmpty)
    #expect(blocks([head, format, sound]) == nil)
    #expect(blocks([head, format + format, Array(sound.prefix(8))]) == nil)
    #expect(blocks([format]) == nil && blocks([[]]) == nil)
    #expect(blocks([head, format, Array(sound.prefix(8))]) != nil)
  }

  @Test("chunks of any sizes go from a file to blocks and back")
  func roundTrips() throws {
    var dice = Dice(8000)
    for _ in 0..<300 {
      var chunks = (0..<Int(dice.number(0..<8))).map { index in
        chunk("ch0\(index)", dice.bytes(Int(dice.number(0..<40))))
      }
      let sound = chunk("data", dice.bytes(Int(dice.number(0..<50))))
      chunks.insert(sound, at: Int(dice.number(0..<Int64(chunks.count + 1))))
      let file = wave(chunks)
      let blocks = try #require(read(file).0)
      #expect(blocks.front + sound.dropFirst(8) + blocks.back == file)
    }
  }

  @Test("a cue sheet is written as RFC 9639 has it")
  func cueSheet() throws {
    let bytes = Field.all(
      Field.text("1234567890123", 128), Field.big(88_200, 8), [0x80], Field.zeros(258), [3],
      Field.big(0, 8), [1], Field.text("ABCDE1234567", 12), [0x40], Field.zeros(13), [2],
      Field.big(0, 8), [0], Field.zeros(3), Field.big(588, 8), [1], Field.zeros(3),
      Field.big(5880, 8), [2], Field.zeros(12), [0x80], Field.zeros(13), [1],
      Field.big(0, 8), [1], Field.zeros(3),
      Field.big(58_800, 8), [170], Field.zeros(12), [0], Field.zeros(13), [0])
    var defects: [ChunkDefect] = []
    let sheet = try #require(CueSheetBlock(bytes, defects: &defects))
    #expect(defects.isEmpty && sheet.isCD && sheet.catalog == "1234567890123")
    #expect(sheet.leadIn == 88_200 && sheet.leadOut == 58_800)
    #expect(
      sheet.tracks == [
        .init(
          offset: 0, number: 1, isrc: "ABCDE1234567", hasPreEmphasis: true,
          indices: [.init(offset: 0, number: 0), .init(offset: 588, number: 1)]),
        .init(offset: 5880, number: 2, isAudio: false),
      ])
    #expect(sheet.bytes == bytes && sheet.losses.isEmpty)
    let short = CueSheetBlock(Array(bytes.dropLast(40)), defects: &defects)
    #expect(short?.tracks.count == 1)
    #expect(defects.map(\.problem) == [.overstated(announced: 3, found: 1)])
    #expect(CueSheetBlock(Array(bytes.prefix(395)), defects: &defects) == nil)
  }

  @Test("a cue sheet of no CD ends with the track 255, and has no more tracks than its count")
  func longCueSheet() {
    var sheet = CueSheetBlock()
    sheet.tracks = (0..<300).map { .init(offset: $0, number: UInt8($0 % 254 + 1)) }
    sheet.leadOut = 1000
    #expect(sheet.losses.map(\.problem) == [.tooMany(limit: 254)])
    var defects: [ChunkDefect] = []
    let again = CueSheetBlock(sheet.bytes, defects: &defects)
    #expect(again?.tracks == Array(sheet.tracks.prefix(254)) && again?.leadOut == 1000)
    #expect(defects.isEmpty)
  }
}

extension ForeignBlocks {
  /// The file up to its first sample.
  var front: [UInt8] { Array(blocks[...sound].joined()) }

  /// The file behind its last sample and that one's padding.
  var back: [UInt8] { Array(blocks[(sound + 1)...].joined()) }
}
