import TestSupport
import Testing

/// MP3 that is damaged or lies, and is copied: avjob's own decode of the source says what must be
/// heard, and ffmpeg how long it is.
@Suite("Hostile MP3, copied") struct HostileCopyTests {
  private let stage = Stage()

  /// Three seconds of music, or what an encoder makes of them.
  private func encode(_ command: String) throws -> MP3Bytes {
    try stage.make(
      "ffmpeg -v error -i $FIXTURES/feelings.ogg -ss 3 -t 3 -ar 44100 a.wav\n\(command)")
    return MP3Bytes(try readFile(stage.path("s.mp3")))
  }

  static let encodes = [
    "lame --quiet -V2 a.wav s.mp3", "lame --quiet -p -b 112 a.wav s.mp3",
    "lame --quiet --resample 22.05 -V6 -t a.wav s.mp3",
  ]

  @Test("damage is copied as it is, and nothing else changes", arguments: encodes)
  func damage(_ encode: String) throws {
    let whole = try self.encode(encode)
    for (name, damage) in MP3Bytes.damages {
      var (dice, mp3) = (Dice(UInt64(encode.utf8.count)), whole)
      damage(&mp3, &dice)
      try writeFile(stage.path("h.mp3"), mp3.bytes)
      // Decoders go on from damage as they can: cuts lie beside it.
      for range in ["", "--from 2s"] {
        try expectCopy(range, lacking: mp3.lacksMainData ? 20_000 : 0, "\(name), \(range)")
      }
    }
  }

  @Test("whatever a tag says, a copy is as long as the sound that is decoded")
  func lies() throws {
    let whole = try encode("lame --quiet -b 128 a.wav s.mp3")
    let tag = try #require(whole.bytes.firstRange(of: Array("Info".utf8))?.lowerBound)
    let counts: [[UInt8]] = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 9, 9], [255, 255, 255, 255]]
    let gaps: [[UInt8]] = [
      [0, 0, 0], [255, 255, 255], [255, 240, 0], [0, 15, 255], [36, 1, 0],
    ]
    var lies = counts.flatMap { count in [8, 12].map { (tag + $0, count) } }
    lies += gaps.map { (tag + 141, $0) }
    for (position, lie) in lies {
      var mp3 = whole
      mp3.bytes.replaceSubrange(position..<position + lie.count, with: lie)
      try writeFile(stage.path("h.mp3"), mp3.bytes)
      for range in ["", "--from 40000 samples"] {
        try expectCopy(range, "\(position - tag), \(lie), \(range)")
      }
    }
    // Fraunhofer's tag is there for its numbers alone.
    var fraunhofer = whole
    let first = whole.frames[0]
    for index in first.dropFirst(4) { fraunhofer.bytes[index] = 0 }
    let vbri = Array("VBRI".utf8) + [0, 1, 0, 0, 0, 75, 0, 0, 9, 9, 255, 255, 255, 255]
    fraunhofer.bytes.replaceSubrange(first.lowerBound + 36..<first.lowerBound + 54, with: vbri)
    try writeFile(stage.path("h.mp3"), fraunhofer.bytes)
    try expectCopy("", "VBRI")
    try expectCopy("--from 1s --to 2s", "VBRI")
  }

  @Test("tags of any size before and behind the frames are no part of a copy")
  func tags() throws {
    let mp3 = try encode("lame --quiet -V4 a.wav s.mp3").bytes
    let size = 3_000_000
    let picture = (0..<size).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
    let id3: [UInt8] =
      Array("ID3".utf8) + [4, 0, 0] + [21, 14, 7, 0].map { UInt8(size >> $0 & 127) }
    let ape: [UInt8] =
      Array("APETAGEX".utf8) + [208, 7, 0, 0, 32, 0, 0, 0] + [UInt8](repeating: 0, count: 16)
    let old = Array("TAG".utf8) + [UInt8](repeating: 120, count: 125)
    try writeFile(stage.path("h.mp3"), id3 + picture + mp3 + ape + old)
    for range in ["", "--from 1s --to 2s", "--from 2s"] { try expectCopy(range, "\(range)") }
    #expect(try readFile(stage.path("o.mp3")).count < 100_000)
  }

  @Test("free format, and a number of channels that changes, are refused by name")
  func refusals() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 3 -ar 44100 a.wav
      lame --quiet --freeformat -b 400 a.wav free.mp3
      lame --quiet -t a.wav s.mp3; lame --quiet -t -m m a.wav m.mp3
      cat s.mp3 m.mp3 > two.mp3
      """)
    let free = try stage.run("avjob clip free.mp3 -o o.mp3 --mp3 copy --quiet")
    #expect(free.status == 1)
    #expect(free.errors.contains("error: 'free.mp3': is a free-format MP3, which is not supported"))
    let two = try stage.run("avjob clip two.mp3 -o o.mp3 --mp3 copy --quiet")
    #expect(two.status == 1)
    #expect(
      two.errors.contains(
        "error: 'two.mp3': changes to 44100 Hz and 1 channel at 3.030 s; a file has one rate and "
          + "number of channels: encode it again"), "\(two.errors)")
    #expect(try stage.run("ls *.mp3").text == "free.mp3\nm.mp3\ns.mp3\ntwo.mp3\n")
  }

  @Test("files of one, two and three frames are copied or encoded, to the sample")
  func short() throws {
    let whole = try encode("lame --quiet --nores -b 128 -t a.wav s.mp3")
    for count in [1, 2, 3, 5] {
      for first in [0, 30] {
        let frames = whole.frames[first..<first + count]
        try writeFile(stage.path("h.mp3"), frames.flatMap { whole.bytes[$0] })
        let probe = try stage.run("avjob probe --json h.mp3")
        // One frame of a file that has no other is no evidence of an MP3.
        guard probe.text.contains("\"frames\": \(count * 1152)") else {
          #expect(count == 1 && probe.status == 1)
          continue
        }
        for range in ["", "--from 100 samples", "--to 577 samples"] {
          let place = Comment("\(count) from \(first), \(range)")
          try expectCopy(range, place)
        }
      }
    }
  }

  // MARK: - Joins

  @Test("sounds of different channel modes are joined without a frame that players pass over")
  func labels() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 6 -ar 44100 a.wav
      lame --quiet -b 128 a.wav joint.mp3; lame --quiet -m d -b 160 a.wav dual.mp3
      lame --quiet -m s -V2 a.wav stereo.mp3
      """)
    for (first, second) in [("joint", "dual"), ("dual", "joint"), ("stereo", "joint")] {
      try join(first, 20_000..<60_000, second, 5856..<200_000)
      let heard = try stage.make("ffmpeg -v error -i o.mp3 -f f32le -").floats
      #expect(heard.count == 2 * (40_000 + 194_144), "\(first), \(second)")
      try join(first, 200..<60_008, second, 200..<9000)
      let short = try stage.make("ffmpeg -v error -i o.mp3 -f f32le -").floats
      #expect(short.count == 2 * (59_808 + 8800), "\(first), \(second)")
    }
  }

  @Test("a sound that begins in a reservoir, or with damage alone, can follow another")
  func openings() throws {
    try stage.make("lame --quiet --resample 8 -m m -b 8 $FIXTURES/librivox-sonnet.mp3 s.mp3")
    let whole = MP3Bytes(try readFile(stage.path("s.mp3")))
    // From the first frame on that reaches far back.
    let first = try #require(whole.frames.indices.dropFirst(40).first { whole.begin($0) > 120 })
    try writeFile(
      stage.path("reservoir.mp3"), Array(whole.bytes[whole.frames[first].lowerBound...]))
    var broken = whole
    for frame in 1..<40 {
      // The granule's main data end behind its slot.
      let side = whole.frames[frame].lowerBound + 4
      broken.bytes[side + 1] |= 0x7F
      broken.bytes[side + 2] |= 0xF8
    }
    try writeFile(stage.path("broken.mp3"), broken.bytes)
    for second in ["reservoir", "broken"] {
      // Their frames have no room for a tag, so their grids agree.
      let start = 40_000 % 576
      try join("s", 0..<40_000, second, start..<60_000)
      let plan = try stage.make("avjob plan join.yaml").text
      #expect(plan.contains("of \(second).mp3 from"), "\(plan)")
      try stage.make("avjob clip o.mp3 -o o.wav --wav '32 bit float' --quiet --force")
      let (length, count) = (40_000 + 60_000 - start, try WAVFile(stage.path("o.wav")).frameCount)
      #expect(count == length)
      let (heard, expected) = try (floats("o.wav"), floats("r.wav"))
      let isSame =
        heard[60_000...] == expected[60_000...] && heard[..<38_000] == expected[..<38_000]
      #expect(isSame, "\(second)")
    }
  }

  // MARK: - Changes meanwhile

  @Test(
    "a source that changes while it is copied gives no output", .enabled(if: canTrace),
    arguments: [
      "truncate -s 400000 s.mp3", "rm s.mp3", "cp s.mp3 t.mp3; mv t.mp3 s.mp3",
      "dd if=/dev/zero of=s.mp3 bs=1000 seek=500 count=100 conv=notrunc status=none",
    ])
  func changes(_ change: String) throws {
    try stage.make(
      "ffmpeg -v error -i $FIXTURES/feelings.ogg -t 20 -c:a libmp3lame -b:a 320k s.mp3")
    try stage.write("job.yaml", "clip: s.mp3\noutput: { file: o.mp3, mp3: copy }\n")
    // The fourth of its writes is held up.
    let result = try stage.run(
      """
      strace -f -o trace -e trace=pwrite64 -e inject=pwrite64:delay_enter=1000000:when=4 \
        "$AVJOB" run job.yaml --quiet --retry 0 2>errors & job=$!
      until [ "$(grep -sc pwrite64 trace)" -ge 3 ] || ! kill -0 $job; do sleep 0.02; done
      \(change)
      wait $job; echo $?; grep error: errors; ls o.mp3
      """)
    #expect(
      result.text == """
        75
        job.yaml:1:7: error: 's.mp3': was changed, moved or removed while avjob was working; \
        run the job again once it stays as it is

        """)
  }

  // MARK: - What is expected

  /// A copy of a range of `h.mp3` has what avjob decodes there, and no more faults.
  ///
  /// - Parameters:
  ///   - range: Options of `avjob clip`.
  ///   - lacking: Samples at the file's start whose main data it may lack.
  ///   - place: What is told where it is otherwise.
  ///   - location: Where it is expected.
  /// - Throws: Where a program fails.
  private func expectCopy(
    _ range: String, lacking: Int = 0, _ place: Comment,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let quoted = range.replacing(" samples", with: "\\ samples")
    try stage.make(
      """
      avjob clip h.mp3 \(quoted) -o r.wav --wav '32 bit float' --quiet --force
      avjob clip h.mp3 \(quoted) -o o.mp3 --mp3 copy --quiet --force
      avjob clip o.mp3 -o o.wav --wav '32 bit float' --quiet --force
      """)
    let (heard, expected) = try (floats("o.wav"), floats("r.wav"))
    #expect(heard.count == expected.count, place, sourceLocation: location)
    if expected.count > 2 * 1152 {
      let start = range.contains("from") ? 0 : min(lacking, expected.count)
      let isSame = heard.dropFirst(start) == expected.dropFirst(start)
      #expect(isSame, place, sourceLocation: location)
    }
    let other = try stage.run("ffmpeg -v error -i o.mp3 -f f32le -")
    // FFmpeg leaves out what it cannot decode.
    let isWhole = other.floats.count == expected.count || other.errors.contains("Error while")
    #expect(isWhole, place, sourceLocation: location)
    let (before, after) = try (faults("h.mp3"), faults("o.mp3"))
    #expect(after.isSubset(of: before), place, sourceLocation: location)
  }

  private func join(
    _ first: String, _ start: Range<Int>, _ second: String, _ end: Range<Int>
  ) throws {
    func clip(_ name: String, _ range: Range<Int>) -> String {
      "{ clip: \(name).mp3, from: \(range.lowerBound) samples, to: \(range.upperBound) samples }"
    }
    let clips = "concat: [ \(clip(first, start)), \(clip(second, end)) ]\n"
    try stage.write("join.yaml", clips + "output: { file: o.mp3, mp3: copy }\n")
    try stage.write("r.yaml", clips + "output: { file: r.wav, wav: 32 bit float }\n")
    try stage.make("avjob run --quiet --force join.yaml; avjob run --quiet --force r.yaml")
  }

  /// Interleaved.
  private func floats(_ name: String) throws -> [Float] {
    try WAVFile(stage.path(name)).floats
  }

  /// Kinds of mp3val's complaints.
  private func faults(_ name: String) throws -> Set<Substring> {
    let kinds = [
      "CRC error", "Wrong", "Garbage", "It seems that file is truncated", "Non-layer-III",
      "MPEG stream error", "Unsupported", "main_data_begin", "No supported tags", "VBR detected",
    ]
    let lines = try stage.run("mp3val \(name)").text.split(separator: "\n")
    let complaints = lines.filter { $0.contains("WARNING") || $0.contains("ERROR") }
    return Set(
      complaints.filter { !$0.contains("Too few MPEG frames") }
        .map { line in kinds.first { line.contains($0) }.map { $0[...] } ?? line.suffix(30) })
  }
}

/// An MP3's bytes, and where its frames lie.
struct MP3Bytes {
  var bytes: [UInt8]
  /// Before it is damaged.
  private(set) var frames: [Range<Int>] = []
  /// Whether it was cut out of a stream.
  private(set) var lacksMainData = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var position = 0
    if bytes.starts(with: Array("ID3".utf8)) {
      position = 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
    }
    while position + 4 <= bytes.count, bytes[position] == 0xFF {
      let length = Self.length(bytes[position..<position + 4].map(Int.init))
      frames.append(position..<position + length)
      position += length
    }
  }

  /// Of a frame of Layer III, by its header (ISO 11172-3 §2.4.2.3).
  private static func length(_ header: [Int]) -> Int {
    let version = header[1] >> 3 & 3
    let rates = [[11025, 12000, 8000], [], [22050, 24000, 16000], [44100, 48000, 32000]]
    let high = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    let low = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let bitRate = (version == 3 ? high : low)[header[2] >> 4] * 1000
    return (version == 3 ? 144 : 72) * bitRate / rates[version][header[2] >> 2 & 3]
      + (header[2] >> 1 & 1)
  }

  /// How far back a frame of MPEG-2 or 2.5 reaches.
  func begin(_ frame: Int) -> Int { Int(bytes[frames[frame].lowerBound + 4]) }

  typealias Damage = @Sendable (inout MP3Bytes, inout Dice) -> Void

  static let damages: KeyValuePairs<String, Damage> = [
    "header": { $0.flip(0..<3, &$1) },
    "side information": { mp3, dice in for _ in 0..<8 { mp3.flip(6..<23, &dice) } },
    "main data begin": { mp3, dice in for _ in 0..<4 { mp3.flip(4..<5, &dice) } },
    "main data": { mp3, dice in for _ in 0..<30 { mp3.flip(24..<90, &dice) } },
    "missing frames": { mp3, dice in
      let first = mp3.middle(&dice)
      mp3.bytes.removeSubrange(mp3.frames[first].lowerBound..<mp3.frames[first + 3].lowerBound)
    },
    "missing bytes": { mp3, dice in
      let start = mp3.frames[mp3.middle(&dice)].lowerBound + 10
      mp3.bytes.removeSubrange(start..<start + 300)
    },
    "junk": { mp3, dice in
      let junk = dice.bytes(777)
      mp3.insert(junk, &dice)
    },
    "a tag in the middle": { mp3, dice in
      let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 2, 0] + [UInt8](repeating: 65, count: 256)
      mp3.insert(tag, &dice)
    },
    "truncation": { mp3, dice in
      let last = mp3.frames[mp3.frames.count - 4]
      mp3.bytes.removeSubrange((last.lowerBound + Int.random(in: 1..<20, using: &dice))...)
    },
    "no start": { mp3, dice in
      let first = mp3.frames[Int.random(in: 3..<9, using: &dice)].lowerBound
      mp3.bytes.removeSubrange(..<(first + Int.random(in: 0..<20, using: &dice)))
      mp3.lacksMainData = true
    },
  ]

  /// A frame in the middle third.
  private func middle(_ dice: inout Dice) -> Int {
    Int.random(in: frames.count / 2 - 6..<frames.count / 2 + 6, using: &dice)
  }

  private mutating func flip(_ place: Range<Int>, _ dice: inout Dice) {
    let byte = frames[middle(&dice)].lowerBound + Int.random(in: place, using: &dice)
    if byte < bytes.count { bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
  }

  private mutating func insert(_ other: [UInt8], _ dice: inout Dice) {
    bytes.insert(contentsOf: other, at: frames[middle(&dice)].lowerBound)
  }
}
