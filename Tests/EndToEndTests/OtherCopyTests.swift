import TestSupport
import Testing

/// Formats other than MP3 that are cut without encoding, as ffmpeg and the codecs' own decoders see
/// them.
@Suite("Other formats, copied")
struct OtherCopyTests {
  private let stage = Stage()

  @Test(
    "AAC is cut to the sample, also out of a video",
    arguments: [
      "a.wav -c:a aac -b:a 192k -aac_pns 0 s.m4a", "a.wav -ac 1 -c:a aac -b:a 64k -aac_pns 0 s.m4a",
      "a.wav -ar 22050 -c:a aac -b:a 48k -aac_pns 0 s.m4a",
      "a.wav -f lavfi -i testsrc=s=64x48:d=14:r=10 -c:v mpeg4 -c:a aac -aac_pns 0 s.mp4",
    ])
  func aac(_ encode: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 14 a.wav
      ffmpeg -v error -i \(encode)
      """)
    let name = encode.hasSuffix("mp4") ? "s.mp4" : "s.m4a"
    let channels = encode.contains("-ac 1") ? 1 : 2
    let whole = try decoded(name)
    for range in [0..<100_000, 12_345..<234_567, 99_999..<103_000] {
      try cut(name, range, "cut.m4a", "aac")
      let cut = try decoded("cut.m4a")
      // ffmpeg decodes the last packet whole, whatever its duration says.
      #expect(range.count * channels..<(range.count + 1024) * channels ~= cut.count)
      let isSame =
        cut.prefix(range.count * channels)
        == whole[range.lowerBound * channels..<range.upperBound * channels]
      #expect(isSame, "\(range)")
      let probe = try stage.make("avjob probe cut.m4a").text
      #expect(probe.contains("(\(range.count) samples)"))
    }
  }

  @Test("a video's last packet of AAC is copied, also where the edit list shows more of it")
  func lastPacket() throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:r=25:d=5 -f lavfi -i sine=d=6 -t 5 -c:v mpeg4 \
        -c:a aac -aac_pns 0 s.mp4
      /usr/bin/python3 - <<'END'
      import struct
      # The packet holds 1024 frames, of which its own duration has 340, and the list 781.
      bytes = bytearray(open('s.mp4', 'rb').read())
      struct.pack_into('>I', bytes, bytes.rindex(b'elst') + 12, 5010)
      open('s.mp4', 'wb').write(bytes)
      END
      """)
    let whole = try decoded("s.mp4")
    for start in [0, 44_100, 220_000] {
      try cut("s.mp4", start..<220_941, "cut.m4a", "aac")
      let probe = try stage.make("avjob probe cut.m4a").text
      #expect(probe.contains("(\(220_941 - start) samples)"))
      let cut = try decoded("cut.m4a")
      let count = min(cut.count, whole.count - start)
      #expect(count >= 220_941 - start && cut.prefix(count) == whole[start..<start + count])
    }
  }

  @Test(
    "AAC whose last packet begins behind its edit's end is read and copied to its last sample",
    arguments: [44_042, 45_060, 45_070, 44_100])
  func packetBehindEdit(_ count: Int) throws {
    // FFmpeg's edits count milliseconds.
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=d=3 -af atrim=end_sample=\(count) a.wav
      ffmpeg -v error -i a.wav -c:a aac -aac_pns 0 s.m4a
      avjob clip -q s.m4a -o cut.m4a --aac copy
      for n in s cut; do avjob clip -q $n.m4a -o $n.wav --wav '32 bit float'; done
      """)
    for name in ["s.m4a", "cut.m4a"] {
      let probe = try stage.make("avjob probe \(name)").text
      #expect(probe.contains("(\(count) samples)"), "\(probe)")
    }
    // All packets, decoded by ffmpeg.
    let media = try stage.make(
      "ffmpeg -v error -ignore_editlist 1 -flags2 +skip_manual -i s.m4a -f f32le -"
    ).floats
    for name in ["s.wav", "cut.wav"] {
      let sound = try decoded(name)
      #expect(sound.count == count)
      let apart = zip(sound, media.dropFirst(1024)).map { abs($0 - $1) }.max()
      #expect(apart ?? 1 < 1e-5, "\(name)")
    }
  }

  @Test(
    "Opus is cut to the sample",
    arguments: ["--bitrate 96", "--bitrate 24 --downmix-mono", "--framesize 60", "--framesize 5"])
  func opus(_ options: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 14 a.wav
      opusenc --quiet \(options) a.wav s.opus
      """)
    let channels = options.contains("mono") ? 1 : 2
    let whole = try opusDecoded("s.opus")
    for range in [0..<100_000, 112_345..<534_567, 99_999..<103_000] {
      try cut("s.opus", range, "cut.opus", "opus")
      let cut = try opusDecoded("cut.opus")
      #expect(cut.count == range.count * channels)
      let isSame = cut[...] == whole[range.lowerBound * channels..<range.upperBound * channels]
      #expect(isSame, "\(range)")
      #expect(try decoded("cut.opus").count == range.count * channels)
    }
  }

  @Test("a cut of Opus made for speech is the source's, or a warning says for how long it is not")
  func opusOfSpeech() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/librivox-sonnet.mp3 -ac 1 -ar 48000 a.wav
      opusenc --quiet --speech --bitrate 12 a.wav s.opus
      """)
    let whole = try opusDecoded("s.opus")
    var warned = 0
    for range in [0..<100_000, 40_000..<600_000, 700_001..<1_300_000, 900_000..<1_500_000] {
      let job =
        "clip: s.opus\nfrom: \(range.lowerBound) samples\nto: \(range.upperBound) samples\n"
        + "output: { file: cut.opus, opus: copy }"
      try stage.write("cut.yaml", job)
      let screen = try stage.make("avjob run cut.yaml --force").errors
      let cut = try opusDecoded("cut.opus")
      #expect(cut.count == range.count)
      var same = range.lowerBound
      if let words = screen.firstRange(of: " for the first ") {
        warned += 1
        let seconds = screen[words.upperBound...].prefix { $0 != " " }
        same += Int((Double(seconds) ?? 0) * 48_000) + 48
        #expect(screen.contains("SILK"))
      }
      #expect(range.lowerBound > 48_000 || same == range.lowerBound)
      let isSame = cut[(same - range.lowerBound)...] == whole[same..<range.upperBound]
      #expect(isSame, "\(range), \(screen)")
    }
    #expect(warned > 0)
  }

  @Test(
    "lossless formats are cut and joined to the sample, and only what is changed is dithered",
    arguments: [
      ("wav", "pcm_s16le"), ("wav", "pcm_s24le"), ("aiff", "pcm_s16be"), ("flac", "flac"),
      ("caf", "pcm_s16le"), ("wav", "pcm_f32le"), ("wav", "pcm_u8"), ("wav", "pcm_mulaw"),
    ])
  func lossless(_ format: String, _ codec: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 8 -c:a \(codec) s.\(format)
      """)
    try stage.write(
      "join.yaml",
      """
      concat:
        - { clip: s.\(format), from: 1000 samples, to: 91000 samples }
        - { clip: s.\(format), from: 0 samples, to: 44100 samples, gain: -3 dB }
        - { clip: s.\(format), from: 12345 samples, to: 112345 samples }
      output: { file: join.\(format), \(format): copy }
      """)
    try stage.make("avjob run join.yaml --quiet")
    let (whole, join) = (try integers("s.\(format)"), try integers("join.\(format)"))
    #expect(join.count == 2 * 234_100)
    let isSame = join[..<180_000] == whole[2000..<182_000]
    let isSameAtEnd = join[268_200...] == whole[24_690..<224_690]
    #expect(isSame && isSameAtEnd)
    let plan = try stage.make("avjob plan join.yaml").text
    #expect(plan.contains("0:02.041  copied, samples of s.\(format) from sample 1000\n"))
    #expect(plan.contains("encoded: a gain, a fade or a pan is on the sound\n"))
  }

  @Test("what cannot be copied exactly is refused by name")
  func refusals() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 4 a.wav
      ffmpeg -v error -i a.wav -c:a aac s.m4a
      for e in flv avi; do ffmpeg -v error -i a.wav -c:a aac s.$e; done
      ffmpeg -v error -i a.wav -c:a libopus s.webm
      ffmpeg -v error -i a.wav -c:a pcm_s32le deep.wav
      ffmpeg -v error -i a.wav -c:a aac -profile:a aac_main main.m4a
      """)
    expect(
      "clip: main.m4a\noutput: { file: x.m4a, aac: copy }",
      "'x.m4a': 'aac: copy' finds nothing to copy: its packets cannot be cut exactly, since it is AAC of "
        + "another profile than LC; 'aac: 128k' encodes it")
    expect(
      "clip: deep.wav\noutput: { file: x.wav, wav: copy }",
      "'wav: copy' of 'deep.wav': pcm_s32le is not written to WAV")
    expect(
      "clip: s.m4a\ngain: -3 dB\noutput: { file: x.m4a, aac: copy }",
      "'x.m4a': 'aac: copy' finds nothing to copy: a gain, a fade or a pan is on the sound; "
        + "'aac: 128k' encodes it")
    for name in ["s.flv", "s.avi"] {
      expect(
        "clip: \(name)\noutput: { file: x.m4a, aac: copy }",
        "'x.m4a': 'aac: copy' finds nothing to copy: its container has no exact times of packets; "
          + "'aac: 128k' encodes it")
    }
    expect(
      "clip: s.webm\noutput: { file: x.opus, opus: copy }",
      "'x.opus': 'opus: copy' finds nothing to copy: its container has no exact times of packets; "
        + "'opus: 128k' encodes it")
    expect(
      "clip: a.wav\noutput: { file: x.m4a, aac: copy }",
      "'aac: copy' of sources that are not AAC")
  }

  @Test("packets that no decoder takes are not copied: what is written is read back first")
  func damage() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 4 a.wav
      ffmpeg -v error -i a.wav -c:a aac -aac_pns 0 s.m4a
      """)
    let whole = try readFile(stage.path("s.m4a"))
    var dice = Dice(9)
    var (copied, refused) = (0, 0)
    for round in 0..<24 {
      var bytes = whole
      for _ in 0..<(1 + round % 4) {
        // Of the packets alone: the tables lie behind them.
        let place = 100 + Int(dice.next() % UInt64(whole.count * 3 / 4))
        for offset in 0..<6 { bytes[place + offset] = UInt8(truncatingIfNeeded: dice.next()) }
      }
      try writeFile(stage.path("d.m4a"), bytes)
      try stage.write("job.yaml", "clip: d.m4a\noutput: { file: x.m4a, aac: copy }\n")
      let result = try stage.run("rm -f x.m4a; avjob run -q job.yaml")
      if result.status == 0 {
        copied += 1
        let again = try stage.run("avjob clip -q x.m4a -o y.wav --force")
        #expect(again.status == 0 && again.errors == "", "\(round): \(again.errors)")
      } else {
        refused += 1
        #expect(try stage.run("ls x.m4a").text == "")
      }
    }
    #expect(copied + refused == 24 && refused > 0)
  }

  @Test("'codec: same' copies where it is exact, and encodes the rest")
  func same() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 8 a.wav
      lame --quiet -b 128 a.wav s.mp3
      ffmpeg -v error -i a.wav -ar 22050 -c:a aac lc.m4a
      perl -0pe 's/\\x13\\x90\\x56\\xe5\\x00/\\x2b\\x92\\x08\\x00\\x00/' lc.m4a > he.m4a
      """)
    try stage.write(
      "same.yaml",
      """
      jobs:
        cut: { clip: s.mp3 1s..6s, output: { file: cut.mp3, codec: same } }
        quiet: { clip: s.mp3 1s..6s, gain: -3 dB, output: { file: quiet.mp3, codec: same } }
        he: { clip: he.m4a 1s..6s, output: { file: cut.m4a, codec: same } }
      """)
    let plan = try stage.make("avjob plan same.yaml").text
    #expect(
      plan.contains("      0:00.000 – 0:05.000  copied, 193 packets of s.mp3 from packet 38\n"))
    #expect(plan.contains("    quiet.mp3  MP3 CBR 128 kbps, 44.1 kHz stereo\n"))
    // By its header, HE-AAC (ISO 14496-3, 1.6.5.2).
    #expect(plan.hasSuffix(" kbps, 44.1 kHz stereo\n"))
    let run = try stage.make("avjob run same.yaml").text
    #expect(run.contains("  MP3 CBR 128 kbps, 44.1 kHz stereo, copied\n"), "\(run)")
    #expect(try decoded("cut.m4a").count >= 2 * 220_500)
    let screen = try stage.make("avjob clip s.mp3 --to 3s -o note.mp3").errors
    #expect(
      screen.hasPrefix(
        """
        command line:1:29: note: 'note.mp3' is encoded anew, which costs time and quality
            1 | avjob clip s.mp3 --to 3s -o note.mp3
              |                             ^~~~~~~~
          help: '--mp3 copy' cuts it at the same samples without encoding

        """))
    #expect(try !stage.make("avjob clip s.mp3 --to 3s -o v2.mp3 --mp3 V2").errors.contains("note"))
  }

  // MARK: - Oracles

  private func cut(_ name: String, _ range: Range<Int>, _ output: String, _ key: String) throws {
    try stage.make(
      """
      avjob clip \(name) --from '\(range.lowerBound) samples' --to '\(range.upperBound) samples' \
        -o \(output) --\(key) copy --force --quiet
      """)
  }

  private func expect(
    _ yaml: String, _ message: String, at place: SourceLocation = #_sourceLocation
  ) {
    let screen = (try? stage.job(yaml).errors) ?? ""
    #expect(screen.contains(": error: \(message)\n"), "\(screen)", sourceLocation: place)
  }

  private func decoded(_ name: String) throws -> [Float] {
    try stage.make("ffmpeg -v error -i \(name) -vn -f f32le -").floats
  }

  private func integers(_ name: String) throws -> [Int32] {
    let bytes = try stage.make("ffmpeg -v error -i \(name) -f s32le -").output
    return bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
  }

  /// By libopus' own decoder.
  private func opusDecoded(_ name: String) throws -> [Float] {
    try stage.make("opusdec --quiet --float --rate 48000 \(name) raw.wav")
    let file = try WAVFile(stage.path("raw.wav"))
    return file.data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
      }
    }
  }
}
