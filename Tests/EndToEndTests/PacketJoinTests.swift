import Glibc
import TestSupport
import Testing

/// AAC and Opus joined by their packets, as ffmpeg and the codecs' own decoders hear them.
@Suite("Packets of several clips, copied")
struct PacketJoinTests {
  private let stage = Stage()

  @Test(
    "AAC is joined by its packets: only around the joins is it encoded, with little error",
    arguments: ["-b:a 128k", "-ac 1 -b:a 64k", "-ar 22050 -b:a 48k"])
  func aac(_ options: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a aac \(options) -aac_pns 0 a.m4a
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      ffmpeg -v error -i b.wav -c:a aac \(options) -aac_pns 0 b.m4a
      """)
    // Whole frames, so that all lie on one grid.
    let clips = [("a", 0..<60), ("b", 20..<100), ("a", 90..<130)]
    try stage.write("join.yaml", job(clips, step: 1024, "aac", "m4a"))
    try stage.make("avjob run -q join.yaml")
    let channels = options.contains("-ac 1") ? 1 : 2
    let (join, whole) = (try decoded("join.m4a"), try decoded("join.wav"))
    #expect(whole.count == 180 * 1024 * channels && join.count >= whole.count)
    try expect(join, like: whole, joins: [60, 140].map { $0 * 1024 }, reach: 9 * 1024, channels)
    let probe = try stage.make("avjob probe join.m4a").text
    #expect(probe.contains("(\(180 * 1024) samples)"))
    let plan = try stage.make("avjob plan join.yaml").text
    #expect(plan.contains("packets of a.m4a from packet "), "\(plan)")
    #expect(plan.contains("encoded, 1 packet: frames reach over a join\n"), "\(plan)")
  }

  @Test("AAC whose channels have windows of their own is encoded up to a copy, and loses nothing")
  func ownWindows() throws {
    try stage.make(
      #"""
      expression='0.8*lt(mod(t\,0.0231)\,0.0005)*(2*random(0)-1)|0.4*sin(2*PI*440*t)'
      ffmpeg -v error -f lavfi -i "aevalsrc=$expression:s=44100:d=12" -c:a aac -b:a 128k -aac_pns 0 c.m4a
      """#)
    let result = try stage.job(
      """
      clip: c.m4a
      volume: { 0s: 0 dB, 3s: 0 dB, 3.5s: -3 dB, 8s: -3 dB, 8.5s: 0 dB }
      output: { file: out.m4a, aac: copy }
      """)
    #expect(result.status == 0, "\(result.errors)")
    let probe = try stage.make("avjob probe out.m4a").text
    #expect(probe.contains("(529200 samples)"), "\(probe)")
  }

  @Test("AAC whose packets describe their channels is not copied, which MP4's header could not say")
  func described() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 2 -aac_pce 1 -c:a aac -f adts pce.aac
      """)
    let result = try stage.run("avjob clip pce.aac -o pce.m4a --aac copy")
    #expect(result.status == 2 || result.status == 1)
    #expect(!result.errors.contains("cannot be read back"), "\(result.errors)")
  }

  @Test("a second decoder hears a join of AAC as ffmpeg does")
  func faad() throws {
    guard try stage.run("command -v faad").status == 0 else { return }
    try stage.make(
      "ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a aac -b:a 128k -aac_pns 0 a.m4a")
    try stage.write("join.yaml", job([("a", 0..<60), ("a", 90..<150)], step: 1024, "aac", "m4a"))
    try stage.make("avjob run -q join.yaml && faad -q -b 4 -o faad.wav join.m4a")
    let (one, other) = (try decoded("join.wav"), try decoded("faad.wav"))
    // It counts from the first packet, or from the sound, by its version.
    let lead = (0...4).first { lead in
      let start = lead * 1024 * 2
      return other.count >= start + 20_000
        && error(of: other[start..<start + 20_000], one[..<20_000]) < -60
    }
    let start = try #require(lead) * 1024 * 2
    let count = min(one.count, other.count - start)
    #expect(count > 100 * 2048)
    #expect(error(of: other[start..<start + count], one[..<count]) < -25)
  }

  @Test(
    "Opus is joined by its packets, also where their lengths differ",
    arguments: ["--bitrate 96", "--framesize 60", "--framesize 40", "--bitrate 64 --downmix-mono"])
  func opus(_ options: String) throws {
    let mono = options.contains("mono") ? "--downmix-mono" : ""
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      opusenc --quiet --bitrate 96 \(mono) a.wav a.opus
      opusenc --quiet \(options) b.wav b.opus
      """)
    // Of 20 ms.
    let clips = [("a", 0..<100), ("b", 13..<163), ("a", 212..<362)]
    try stage.write("join.yaml", job(clips, step: 960, "opus", "opus"))
    try stage.make("avjob run -q join.yaml")
    let channels = mono.isEmpty ? 2 : 1
    let whole = try decoded("join.wav")
    #expect(whole.count == 400 * 960 * channels)
    try stage.make("opusdec --quiet --float --rate 48000 join.opus raw.wav")
    for join in [try decoded("join.opus"), try decoded("raw.wav")] {
      #expect(join.count == whole.count)
      try expect(
        join, like: whole, joins: [100 * 960, 250 * 960], reach: 60_000, channels, within: 1e-7)
    }
    let info = try stage.make("opusinfo join.opus 2>&1").text
    #expect(!info.lowercased().contains("warning"), "\(info)")
  }

  @Test(
    "a packet around a join has the bits of the copy beside it, not of the sound that is heard longest",
    arguments: [("aac", "m4a", 1024), ("opus", "opus", 960)])
  func seamBitRate(_ codec: String, _ name: String, _ step: Int) throws {
    let encode =
      codec == "aac"
      ? "ffmpeg -v error -i $n.wav -c:a aac -aac_pns 0 -b:a ${r}k $n.m4a"
      : "opusenc --quiet --bitrate $r $n.wav $n.opus"
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      n=a r=64; \(encode)
      n=b r=256; \(encode)
      """)
    // Most is heard of the one at 64 kbps.
    let clips = [("a", 0..<200), ("b", 20..<120), ("a", 200..<380)]
    try stage.write("join.yaml", job(clips, step: step, codec, name))
    try stage.make("avjob run -q join.yaml")
    let sizes = try stage.make(
      "ffprobe -v error -show_entries packet=size -of csv=p=0 join.\(name)"
    ).text.split(separator: "\n").compactMap { Int($0.filter(\.isNumber)) }
    func mean(_ range: Range<Int>) -> Int { sizes[range].reduce(0, +) / range.count }
    // A copy begins with a packet or some before the sound.
    let seam = sizes[199..<206].max() ?? 0
    #expect(seam >= mean(220..<290), "\(seam), \(mean(220..<290)), \(mean(0..<190))")
  }

  @Test("a run of Opus goes on until a decoder makes the copy behind it well")
  func meeting() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      opusenc --quiet --bitrate 96 a.wav a.opus
      opusenc --quiet --bitrate 96 --framesize 40 b.wav b.opus
      """)
    try stage.write(
      "join.yaml", job([("a", 3..<198), ("b", 32..<182)], step: 960, "opus", "opus"))
    try stage.make("avjob run -q join.yaml")
    let (join, whole) = (try decoded("join.opus"), try decoded("join.wav"))
    // The first packet behind a fixed place was too loud by half.
    let loss = worst(join, whole, in: 2 * 195 * 960..<2 * 215 * 960)
    #expect(loss < -20, "\(loss) dB")
  }

  @Test("sound between copies is encoded, however long it is")
  func longRun() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 26 a.wav
      ffmpeg -v error -i a.wav -c:a aac -b:a 128k -aac_pns 0 a.m4a
      ffmpeg -v error -i a.wav -ar 48000 -c:a libopus -b:a 96k a.opus
      """)
    for (codec, name) in [("aac", "m4a"), ("opus", "opus")] {
      try stage.write(
        "\(codec).yaml",
        """
        clip: a.\(name)
        from: 0s
        to: 24s
        volume: { 0s: 0 dB, 6s: 0 dB, 7s: -3 dB, 17s: -3 dB, 18s: 0 dB }
        output:
          - { file: join.\(name), \(codec): copy }
          - { file: join.wav, wav: 32 bit float }
        """)
      let run = try stage.run("avjob run -q --force \(codec).yaml")
      #expect(run.status == 0, "\(run.errors)")
      let (join, whole) = (try decoded("join.\(name)"), try decoded("join.wav"))
      let rate = codec == "aac" ? 44_100 : 48_000
      #expect(join.count >= whole.count)
      let head = 2 * (6 * rate - 9 * 1024)
      let tail = 2 * 19 * rate + 2 * 48_000..<whole.count
      for range in [0..<head, tail] {
        #expect(range.allSatisfy { abs(join[$0] - whole[$0]) <= (codec == "aac" ? 0 : 1e-7) })
      }
      let middle = 2 * 5 * rate..<2 * 20 * rate
      // An encoder's own worst 20 ms.
      #expect(worst(join, whole, in: middle) < -12)
    }
  }

  @Test("clips that are off the grid are encoded, moved or refused")
  func grids() throws {
    try stage.make(
      "ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a aac -b:a 128k -aac_pns 0 a.m4a")
    let clips =
      "concat:\n  - { clip: a.m4a, from: 0 samples, to: 204800 samples }\n"
      + "  - { clip: a.m4a, from: 100100 samples, to: 200100 samples }\n"
    for (join, message) in [("exact", "its frames begin 252 samples too late"), ("nudge", "")] {
      try stage.write(
        "join.yaml", clips + "output: { file: \(join).m4a, aac: copy, join: \(join) }\n")
      try stage.make("avjob run -q join.yaml")
      let probe = try stage.make("avjob probe \(join).m4a").text
      #expect(probe.contains("(304800 samples)"), "\(probe)")
      let plan = try stage.make("avjob plan join.yaml").text
      #expect(plan.contains(message), "\(plan)")
      #expect(plan.contains("252 samples earlier") == (join == "nudge"), "\(plan)")
    }
    let refused = try stage.job(clips + "output: { file: x.m4a, aac: copy, join: strict }\n")
    #expect(refused.errors.contains("'join: strict' does not encode what cannot be copied"))
  }

  @Test("packets of ADTS are counted, and joined with those of MP4")
  func bare() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a aac -b:a 128k -aac_pns 0 a.m4a
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 -c:a aac -b:a 128k -aac_pns 0 b.aac
      cp b.aac c.aac && printf 'not a frame of any kind: %0400d' 1 >> c.aac
      """)
    for order in [["a.m4a", "b.aac"], ["b.aac", "a.m4a"]] {
      let clips = order.map { "  - { clip: \($0), from: 20480 samples, to: 122880 samples }\n" }
      try stage.write(
        "join.yaml",
        "concat:\n" + clips.joined() + "output:\n  - { file: join.m4a, aac: copy }\n"
          + "  - { file: join.wav, wav: 32 bit float }\n")
      try stage.make("avjob run -q --force join.yaml")
      let (join, whole) = (try decoded("join.m4a"), try decoded("join.wav"))
      try expect(join, like: whole, joins: [102_400], reach: 9 * 1024, 2)
      let parts = try stage.make("avjob plan join.yaml").text
      #expect(parts.contains("packets of b.aac from packet "), "\(parts)")
    }
    // Bytes behind the last packet are none of it.
    for name in ["b", "c"] {
      try stage.make("avjob clip -q \(name).aac -o \(name).m4a --aac copy")
    }
    #expect(try decoded("b.m4a") == (try decoded("c.m4a")))
  }

  @Test("packets of CAF are counted, and are those of the MP4 that they came from")
  func coreAudio() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a aac -b:a 128k -aac_pns 0 a.m4a
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      ffmpeg -v error -i b.wav -c:a aac -b:a 128k -aac_pns 0 b.m4a
      for n in a b; do avjob clip -q $n.m4a -o $n.caf --aac copy; done
      avjob clip -q a.caf -o back.m4a --aac copy
      avjob clip -q a.caf --from 2.345s --to 7s -o cut.m4a --aac copy
      avjob clip -q a.m4a --from 2.345s --to 7s -o twin.m4a --aac copy
      """)
    #expect(try decoded("back.m4a") == decoded("a.m4a"))
    #expect(try decoded("cut.m4a") == decoded("twin.m4a"))
    let clips = ["a.caf", "b.m4a", "b.caf"].map {
      "  - { clip: \($0), from: 20480 samples, to: 122880 samples }\n"
    }
    try stage.write(
      "join.yaml",
      "concat:\n" + clips.joined() + "output:\n  - { file: join.m4a, aac: copy }\n"
        + "  - { file: join.wav, wav: 32 bit float }\n")
    try stage.make("avjob run -q join.yaml")
    let (join, whole) = (try decoded("join.m4a"), try decoded("join.wav"))
    try expect(join, like: whole, joins: [102_400, 204_800], reach: 9 * 1024, 2)
    let parts = try stage.make("avjob plan join.yaml").text
    #expect(parts.contains("packets of a.caf from packet "), "\(parts)")
  }

  @Test("sources with other headers are encoded, with the reason")
  func headers() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 6 a.wav
      opusenc --quiet --bitrate 96 a.wav a.opus
      cp a.opus b.opus
      /usr/bin/python3 - <<'END'
      import struct
      # 3 dB of gain in the header (RFC 7845, 5.1), and the page's checksum anew.
      bytes = bytearray(open('b.opus', 'rb').read())
      head = bytes.index(b'OpusHead')
      struct.pack_into('<h', bytes, head + 16, 768)
      size = head + 19
      struct.pack_into('<I', bytes, 22, 0)
      crc = 0
      for byte in bytes[:size]:
        crc ^= byte << 24
        for _ in range(8): crc = (crc << 1 ^ (0x04c11db7 if crc >> 31 else 0)) & 0xffffffff
      struct.pack_into('<I', bytes, 22, crc)
      open('b.opus', 'wb').write(bytes)
      END
      """)
    try stage.write(
      "join.yaml", job([("a", 0..<150), ("b", 10..<110)], step: 960, "opus", "opus"))
    let plan = try stage.make("avjob plan join.yaml").text
    #expect(
      plan.contains("its packets have another header than those of the other sounds"), "\(plan)")
    try stage.write(
      "join.yaml", job([("b", 0..<150), ("b", 180..<280)], step: 960, "opus", "opus"))
    try stage.make("avjob run -q --force join.yaml")
    let (join, whole) = (try decoded("join.opus"), try decoded("join.wav"))
    try expect(join, like: whole, joins: [150 * 960], reach: 60_000, 2, within: 1e-7)
  }

  // MARK: - Oracles

  private func job(
    _ clips: [(String, Range<Int>)], step: Int, _ codec: String, _ name: String
  ) -> String {
    let lines = clips.map { clip, range in
      "  - { clip: \(clip).\(name), from: \(range.lowerBound * step) samples, "
        + "to: \(range.upperBound * step) samples }\n"
    }
    return "concat:\n" + lines.joined()
      + "output:\n  - { file: join.\(name), \(codec): copy }\n"
      + "  - { file: join.wav, wav: 32 bit float }\n"
  }

  /// Of a joined file, all is the rendered sound bit for bit but what is near a join; that is near it.
  /// Decoders of Opus may round single samples otherwise for long.
  private func expect(
    _ join: [Float], like whole: [Float], joins: [Int], reach: Int, _ channels: Int,
    within tolerance: Float = 0, at place: SourceLocation = #_sourceLocation
  ) throws {
    func isSame(_ range: Range<Int>) -> Bool {
      range.allSatisfy { abs(join[$0] - whole[$0]) <= tolerance }
    }
    var next = 0
    for frame in joins {
      let near = max(0, frame - 9 * 1024) * channels..<(frame + reach) * channels
      #expect(isSame(next..<near.lowerBound), sourceLocation: place)
      let loss = worst(join, whole, in: near)
      #expect(loss < -15, "\(loss) dB", sourceLocation: place)
      next = near.upperBound
    }
    #expect(isSame(next..<whole.count), sourceLocation: place)
  }

  /// The largest error of some 20 ms of those samples, in dB relative to the loudest of the sound there
  /// and beside: what lies beside a loud sound is masked, and silence has no error relative to itself.
  private func worst(_ join: [Float], _ whole: [Float], in range: Range<Int>) -> Double {
    let size = 1920
    func power(_ block: Range<Int>, _ value: (Int) -> Float) -> Double {
      block.clamped(to: whole.indices).reduce(1e-20) { $0 + Double(value($1)) * Double(value($1)) }
    }
    return stride(from: range.lowerBound, to: range.upperBound, by: size).map { start in
      let block = start..<min(start + size, range.upperBound)
      let sound = [-size, 0, size].map { step in
        power(start + step..<start + step + size) { whole[$0] }
      }
      let error = power(block) { join[$0] - whole[$0] }
      return 10 * log10(error / max(sound.max() ?? 0, Double(size) * 1e-6))
    }.max() ?? -.infinity
  }

  /// The error of some samples, in dB relative to the sound.
  private func error(of samples: ArraySlice<Float>, _ sound: ArraySlice<Float>) -> Double {
    var (error, power) = (0.0, 1e-20)
    for (sample, wanted) in zip(samples, sound) {
      error += Double(sample - wanted) * Double(sample - wanted)
      power += Double(wanted) * Double(wanted)
    }
    return 10 * log10(error / power)
  }

  private func decoded(_ name: String) throws -> [Float] {
    let decoder = name.hasSuffix(".opus") ? "-c:a libopus -request_sample_fmt flt" : ""
    return try stage.make("ffmpeg -v error \(decoder) -i \(name) -vn -f f32le -").floats
  }
}
