import TestSupport
import Testing

/// Opus in Ogg whose granule positions begin elsewhere than at 0 (RFC 7845, 4.5).
@Suite("Granule positions of Opus")
struct OpusGranuleTests {
  private let stage = Stage()

  /// Writes a file with the granules of another one changed by a line of Python, on pages of sound.
  private let change = #"""
    change() { /usr/bin/python3 - "$@" <<'END'
    import struct, sys
    source, result, line = sys.argv[1:]
    bytes, out, at, number = open(source, 'rb').read(), b'', 0, 0
    while at < len(bytes):
      count = bytes[at + 26]
      end = at + 27 + count + sum(bytes[at + 27:at + 27 + count])
      granule = struct.unpack_from('<q', bytes, at + 6)[0]
      if number > 1: granule = eval(line)
      page = bytearray(bytes[at:end])
      struct.pack_into('<q', page, 6, granule)
      struct.pack_into('<I', page, 22, 0)
      crc = 0
      for byte in page:
        crc ^= byte << 24
        for _ in range(8): crc = (crc << 1 ^ (0x04c11db7 if crc >> 31 else 0)) & 0xffffffff
      struct.pack_into('<I', page, 22, crc)
      out, at, number = out + page, end, number + 1
    open(result, 'wb').write(out)
    END
    }

    """#

  private func make(_ script: String) throws { try stage.make(change + script) }

  private func decoded(_ name: String) throws -> [Float] {
    try stage.make("ffmpeg -v error -i \(name) -f f32le -").floats
  }

  /// What avjob plays of a file, or of a part of it.
  private func played(_ name: String, _ options: String = "") throws -> [Float] {
    try stage.make("avjob clip -q --force \(name) \(options) -o played.wav --wav '32 bit float'")
    return try decoded("played.wav")
  }

  @Test(
    "a stream that begins at any granule is the one that begins at 0: its sound, its cuts and its copies",
    arguments: ["--bitrate 64", "--bitrate 12 --speech --downmix-mono"],
    ["100", "2400", "48000 * 600", "48000 * 3600 * 24 * 365"])
  func anyStart(_ encoder: String, _ start: String) throws {
    try make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 7 -map_metadata -1 a.wav
      opusenc --quiet \(encoder) a.wav a.opus
      change a.opus b.opus 'granule + \(start)'
      """)
    let probe = try stage.make("avjob probe b.opus")
    #expect(probe.errors == "" && !probe.text.contains("announced"), "\(probe)")
    let lines = probe.text.split(separator: "\n").dropFirst()
    #expect(try lines == stage.make("avjob probe a.opus").text.split(separator: "\n").dropFirst())
    for part in ["", "--from 3.3s --to 5s", "--from 10ms --to 90ms"] {
      #expect(try played("a.opus", part) == played("b.opus", part), "\(part)")
    }
    try stage.make(
      """
      for n in a b; do
        avjob clip -q $n.opus -o $n-all.opus --opus copy
        avjob clip -q $n.opus --from 2s --to 5s -o $n-part.opus --opus copy
      done
      """)
    for name in ["all", "part"] {
      #expect(try decoded("a-\(name).opus") == decoded("b-\(name).opus"), "\(name)")
    }
  }

  @Test("a stream of one page that begins at any granule is played")
  func onePage() throws {
    try make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 0.5 a.wav
      opusenc --quiet a.wav a.opus
      change a.opus b.opus 'granule + 48000 * 600'
      opusdec --quiet --float --rate 48000 b.opus whole.wav
      """)
    let probe = try stage.make("avjob probe b.opus")
    #expect(probe.errors == "", "\(probe.errors)")
    #expect(try played("b.opus").count == decoded("whole.wav").count)
  }

  @Test("a link of a chain may go on counting where the one before ends")
  func chain() throws {
    try make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 3 a.wav
      opusenc --quiet --serial 1 a.wav a.opus
      opusenc --quiet --serial 2 a.wav b.opus
      change b.opus c.opus 'granule + 48000 * 3'
      cat a.opus b.opus > two.opus
      cat a.opus c.opus > on.opus
      """)
    let probe = try stage.make("avjob probe on.opus")
    #expect(probe.errors == "" && probe.text.contains("(288000 samples)"), "\(probe)")
    #expect(try played("on.opus") == played("two.opus"))
  }

  @Test(
    "Opus whose first page counts fewer samples than it holds loses nothing, as in ffmpeg, and has a warning",
    arguments: ["0", "granule - 8", "granule - 960", "granule - 40000"])
  func earlyStart(_ line: String) throws {
    try make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 5 a.wav
      opusenc --quiet --bitrate 64 a.wav a.opus
      change a.opus b.opus '\(line)'
      """)
    let probe = try stage.make("avjob probe b.opus")
    #expect(
      probe.errors.contains("samples fewer than it holds, which Ogg Opus does not allow"),
      "\(probe.errors)")
    let (whole, found) = (try played("a.opus"), try played("b.opus"))
    // Of a last page without a number, FFmpeg takes a packet for the end's padding.
    #expect(try found.count == decoded("b.opus").count)
    #expect(found.count >= whole.count - 2 * 960 && whole.starts(with: found))
  }

  @Test(
    "granule positions that are none, leap or go back cost no sound, and are refused by 'strict'",
    arguments: [
      "-1 if number > 3 else granule", "granule + 48000 * 9 * (number > 3)",
      "granule - 4000 * (number > 3)",
    ])
  func strict(_ line: String) throws {
    try make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 5 a.wav
      opusenc --quiet --bitrate 64 a.wav a.opus
      change a.opus b.opus '\(line)'
      opusdec --quiet --float --rate 48000 b.opus whole.wav
      """)
    let plain = try stage.run("avjob compress -q b.opus -o b.flac")
    #expect(plain.status == 0 && plain.errors.contains("granule position"), "\(plain)")
    let strict = try stage.run("avjob compress -q --strict b.opus -o c.flac")
    #expect(strict.status == 1 && strict.errors.contains("'strict' refuses it"), "\(strict)")
    let found = try played("b.opus")
    #expect(try found.count == decoded("whole.wav").count)
    #expect(try found.starts(with: played("a.opus")))
    try stage.make(
      "for n in a b; do avjob clip -q $n.opus --opus copy -o $n-copy.opus; done")
    let copies = try (decoded("a-copy.opus"), decoded("b-copy.opus"))
    #expect(copies.1.count == found.count && copies.1.starts(with: copies.0))
  }
}
