import TestSupport
import Testing

/// Vorbis that is cut without encoding, as libvorbis' tools and ffmpeg see it.
@Suite("Vorbis, copied")
struct VorbisCopyTests {
  private let stage = Stage()

  @Test(
    "Vorbis is cut to the sample in oggdec, with the source's packets",
    arguments: [
      "oggenc -Q -q 5 a.wav -o s.ogg", "oggenc -Q -q 0 --downmix a.wav -o s.ogg",
      "oggenc -Q -q 3 --resample 11025 a.wav -o s.ogg",
      "ffmpeg -v error -i a.wav -c:a libvorbis -q:a 2 s.ogg",
      "ffmpeg -v error -i a.wav -c:a vorbis -strict -2 -b:a 128k s.ogg",
    ])
  func cuts(_ encode: String) throws {
    try prepare(encode)
    let channels = encode.contains("downmix") ? 1 : 2
    let (whole, heard) = (try decoded("s.ogg"), try integers("s.ogg"))
    let length = whole.count / channels
    #expect(heard.count == whole.count)
    var dice = Dice(5)
    var ranges = [0..<length, 0..<40_000, length - 9001..<length]
    for _ in 0..<6 {
      let start = Int(dice.next() % UInt64(length - 10_000))
      ranges.append(start..<start + 4097 + Int(dice.next() % UInt64(length - start - 4097)))
    }
    for range in ranges {
      let screen = try cut("s.ogg", range)
      let samples = range.lowerBound * channels..<range.upperBound * channels
      let isSame = try integers("cut.ogg")[...] == heard[samples]
      #expect(isSame, "\(range)")
      // FFmpeg plays the first block whole; what follows is the same.
      let cut = try decoded("cut.ogg")
      let early = cut.count - samples.count
      #expect(0..<4096 * channels ~= early && cut[early...] == whole[samples], "\(range): \(early)")
      #expect(screen.contains("begins 0.") == (early > 0), "\(screen)")
      let info = try stage.make("ogginfo cut.ogg 2>&1").text
      #expect(!info.lowercased().contains("warning"), "\(info)")
    }
  }

  @Test("a cut is read as it was made, and cut again")
  func again() throws {
    try prepare("oggenc -Q -q 4 a.wav -o s.ogg")
    let whole = try rendered("s.ogg")
    try cut("s.ogg", 30_007..<200_001)
    try stage.make("mv cut.ogg s2.ogg")
    let probe = try stage.make("avjob probe s2.ogg").text
    #expect(probe.contains("(169994 samples)"), "\(probe)")
    let once = try rendered("s2.ogg")
    #expect(once[...] == whole[2 * 30_007..<2 * 200_001])
    try cut("s2.ogg", 555..<100_000)
    let twice = try rendered("cut.ogg")
    #expect(twice[...] == whole[2 * 30_562..<2 * 130_007])
  }

  @Test("plan and record have the copy; chapters, tags and a cover go along")
  func facts() throws {
    try prepare("oggenc -Q -q 4 -t Theme a.wav -o s.ogg")
    try stage.make("ffmpeg -v error -f lavfi -i color=red:s=32x32 -frames:v 1 cover.png")
    try stage.write(
      "cut.yaml",
      """
      clip: s.ogg 1s..4s
      metadata: { cover: cover.png }
      chapters: { 0s: One, 1.5s: Two }
      output: { file: cut.ogg, codec: same }
      """)
    let plan = try stage.make("avjob plan cut.yaml").text
    #expect(plan.contains("0:03.000  copied, packets of s.ogg from sample 44100\n"), "\(plan)")
    let run = try stage.make("avjob run cut.yaml").text
    #expect(run.contains(", copied\n"), "\(run)")
    let probe = try stage.make("avjob probe cut.ogg").text
    for words in ["Theme", "One", "Two", "(132300 samples)", "cover"] {
      #expect(probe.contains(words), "\(probe)")
    }
  }

  @Test("what is no single clip of Vorbis is refused or encoded, with the reason")
  func refusals() throws {
    try prepare("oggenc -Q -q 4 a.wav -o s.ogg")
    try stage.make("cat s.ogg s.ogg > chain.ogg; ffmpeg -v error -i s.ogg -c copy s.mkv")
    func expect(_ yaml: String, _ message: String) throws {
      let screen = try stage.job(yaml).errors
      #expect(screen.contains(message), "\(screen)")
    }
    let nothing = "'x.ogg': 'vorbis: copy' finds nothing to copy: "
    let output = "output: { file: x.ogg, vorbis: copy }"
    try expect(
      "concat: [s.ogg 0s..2s, s.ogg 3s..5s]\n\(output)",
      nothing + "its packets can be those of one clip alone, as those of Vorbis")
    try expect("clip: s.ogg\ngain: -3 dB\n\(output)", nothing + "a gain, a fade or a pan")
    try expect("clip: s.mkv\n\(output)", nothing + "its container has no exact times of packets")
    let inexact = "its packets cannot be cut exactly, since "
    try expect(
      "clip: chain.ogg\n\(output)", nothing + inexact + "its file is a chain of Ogg files;")
    try stage.make(
      "ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=5 -i a.wav -c:v libtheora -c:a libvorbis -shortest "
        + "v.ogv")
    try expect(
      "clip: v.ogv\noutput: { file: x.mkv, vorbis: copy }",
      "'x.mkv': 'vorbis: copy' finds nothing to copy: \(inexact)players of Matroska leave out nothing of "
        + "Vorbis;")
    try expect("clip: a.wav\n\(output)", "'vorbis: copy' of sources that are not Vorbis")
    try expect(
      "clip: s.ogg\noutput: { file: x.ogg, vorbis: copy, join: nudge }",
      "'join' is for frames of MP3, AAC or Opus that are copied")
    // A decoder cannot leave out both ends of one block.
    try stage.write("short.yaml", "clip: s.ogg 1s..1.05s\n\(output)\n")
    let plan = try stage.make("avjob plan short.yaml").text
    #expect(plan.contains("encoded: it is shorter than a frame\n"), "\(plan)")
    try stage.make("avjob run -q short.yaml")
    #expect(try integers("x.ogg").count == 2 * 2205)
  }

  @Test("packets that no decoder takes are not copied")
  func damage() throws {
    try prepare("oggenc -Q -q 4 a.wav -o s.ogg")
    // A packet that says to be a header, in a page whose checksum is right.
    try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import struct
      table = []
      for value in range(256):
        value <<= 24
        for _ in range(8): value = (value << 1 ^ (0x04c11db7 if value >> 31 else 0)) & 0xffffffff
        table.append(value)
      data = bytearray(open('s.ogg', 'rb').read())
      place = 0
      for number in range(12):
        size = 27 + data[place + 26] + sum(data[place + 27:place + 27 + data[place + 26]])
        if number == 11:
          first = place + 27 + data[place + 26]
          if data[place + 5] & 1: first += next(
            sum(data[place + 27:place + 28 + n]) for n in range(255) if data[place + 27 + n] < 255)
          data[first] |= 1
          data[place + 22:place + 26] = bytes(4)
          crc = 0
          for byte in data[place:place + size]:
            crc = (crc << 8 & 0xffffffff) ^ table[crc >> 24 ^ byte]
          data[place + 22:place + 26] = struct.pack('<I', crc)
        place += size
      open('s.ogg', 'wb').write(data)
      END
      """)
    let result = try stage.job("clip: s.ogg\noutput: { file: x.ogg, vorbis: copy }")
    #expect(result.status != 0)
    #expect(result.errors.contains("s.ogg"), "\(result.errors)")
    #expect(try stage.run("ls x.ogg").status != 0)
  }

  // MARK: - Oracles

  private func prepare(_ encode: String) throws {
    try stage.make("ffmpeg -v error -i $FIXTURES/feelings.ogg -t 7 a.wav 2>&1; \(encode)")
  }

  @discardableResult
  private func cut(_ name: String, _ range: Range<Int>) throws -> String {
    try stage.make(
      """
      avjob clip \(name) --from '\(range.lowerBound) samples' --to '\(range.upperBound) samples' \
        -o cut.ogg --vorbis copy --force
      """
    ).errors
  }

  /// By libvorbis.
  private func integers(_ name: String) throws -> [Int16] {
    try stage.make("oggdec -Q -R -o raw.pcm \(name)")
    return try readFile(stage.path("raw.pcm")).withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self))
    }
  }

  private func decoded(_ name: String) throws -> [Float] {
    try stage.make("ffmpeg -v error -i \(name) -f f32le -").floats
  }

  /// By avjob.
  private func rendered(_ name: String) throws -> [Float] {
    try stage.make("avjob clip -q --force \(name) -o r.wav --wav '32 bit float'")
    return try decoded("r.wav")
  }
}
