import TestSupport
import Testing

/// A medium with a mark that says where its sound starts and ends, made from `src.wav` (44.1 kHz) or
/// `48.wav`, of 25,000 frames both.
private struct Marked: CustomTestStringConvertible {
  var name: String
  var delay: Int?
  var padding: Int?
  var frames = 25_000
  var make: String
  var testDescription: String { name }

  /// LAME's delay without the decoder's 529, and its padding up to whole frames, in the order in which
  /// iTunes notes them.
  private static let comment = """
    /usr/bin/python3 - <<'END'
    from mutagen.id3 import ID3, COMM
    tag = ID3()
    tag.add(COMM(encoding=0, lang='eng', desc='iTunSMPB',
      text=' 00000000 00000240 00000398 00000000000061A8 00000000 00000000'))
    tag.save('NAME')
    END

    """

  static let all = [
    Marked(name: "lame.mp3", delay: 1105, padding: 391, make: "lame --quiet -V2 src.wav lame.mp3"),
    Marked(
      name: "lavc.mp3", delay: 1105, padding: 391,
      make: "ffmpeg -v error -i src.wav -c:a libmp3lame lavc.mp3"),
    Marked(
      name: "itunes.mp3", delay: 1105, padding: 391,
      make: "lame --quiet -t -V2 src.wav itunes.mp3\n"
        + comment.replacing("NAME", with: "itunes.mp3")),
    Marked(
      name: "both.mp3", delay: 1105, padding: 391,
      make: "lame --quiet -V2 src.wav both.mp3\n"
        + comment.replacing("NAME", with: "both.mp3").replacing("240", with: "111")),
    Marked(
      name: "list.m4a", delay: 1024, padding: 600,
      make: "ffmpeg -v error -i src.wav -c:a aac list.m4a"),
    Marked(
      name: "itunes.m4a", delay: 1024, padding: 600,
      make: """
        ffmpeg -v error -i src.wav -c:a aac -use_editlist 0 itunes.m4a
        /usr/bin/python3 - <<'END'
        from mutagen.mp4 import MP4
        file = MP4('itunes.m4a')
        file['----:com.apple.iTunes:iTunNORM'] = b' 0000'
        file['----:com.apple.iTunes:iTunSMPB'] = (
          b' 00000000 00000400 00000258 00000000000061A8 00000000 00000000')
        file.save()
        END
        """),
    Marked(
      name: "mp3.mov", delay: 1105, padding: 391,
      make: "ffmpeg -v error -i src.wav -c:a libmp3lame mp3.mov"),
    Marked(
      name: "late.mov", delay: 1024, padding: 600,
      make: """
        ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1:r=10 -itsoffset 0.3 -i src.wav \
          -map 0 -map 1 -c:v mpeg4 -c:a aac plain.mov
        /usr/bin/python3 - <<'END'
        import struct
        # ffmpeg lists an empty edit and then all of the sound, its delay too: from 1024 on.
        bytes = bytearray(open('plain.mov', 'rb').read())
        at = bytes.rindex(b'elst')
        count, _, empty, _, length, start, _ = struct.unpack_from('>7i', bytes, at + 8)
        assert (count, empty, start) == (2, -1, 0)
        struct.pack_into('>2i', bytes, at + 24, 567, 1024)
        open('late.mov', 'wb').write(bytes)
        END
        """),
    Marked(
      name: "ffmpeg.opus", delay: 312, padding: 608,
      make: "ffmpeg -v error -i 48.wav -c:a libopus ffmpeg.opus"),
    Marked(name: "opusenc.opus", delay: 312, make: "opusenc --quiet 48.wav opusenc.opus"),
    Marked(name: "opus.webm", delay: 312, make: "ffmpeg -v error -i 48.wav -c:a libopus opus.webm"),
    Marked(name: "opus.mkv", delay: 312, make: "ffmpeg -v error -i 48.wav -c:a libopus opus.mkv"),
    Marked(name: "oggenc.ogg", make: "oggenc -Q -q 6 -o oggenc.ogg src.wav"),
    Marked(
      name: "cut.ogg", delay: 500, frames: 24_500,
      make: "oggenc -Q -q 6 -o whole.ogg src.wav\n" + granules(minus: 500, to: "cut.ogg")),
    // No tool here writes it for AAC: in the place of seven bytes that name the language.
    Marked(
      name: "codecdelay.mkv", delay: 1024, frames: 25_600,
      make: """
        ffmpeg -v error -i src.wav -c:a aac plain.mkv
        /usr/bin/python3 - <<'END'
        bytes = open('plain.mkv', 'rb').read()
        language = bytes.fromhex('22B59C83') + b'und'
        assert bytes.count(language) == 1
        nanoseconds = (1024 * 10**9 // 44100 + 1).to_bytes(4, 'big')
        open('codecdelay.mkv', 'wb').write(
          bytes.replace(language, bytes.fromhex('56AA84') + nanoseconds))
        END
        """),
  ]

  /// Sound that was cut out of a longer one: its granules begin above 0, which cuts nothing.
  static let late = [128, 384, 5000, 9000].map { count in
    Marked(
      name: "late\(count).ogg",
      make: "oggenc -Q -q 6 -o whole.ogg src.wav\n"
        + granules(minus: -count, to: "late\(count).ogg"))
  }

  /// Lowers the granule of every page, so that the first cuts the start, and mends the checksums
  /// (RFC 3533, 6).
  private static func granules(minus count: Int, to name: String) -> String {
    """
    /usr/bin/python3 - <<'END'
    import struct
    bytes = bytearray(open('whole.ogg', 'rb').read())
    at = 0
    while at < len(bytes):
      count = bytes[at + 26]
      end = at + 27 + count + sum(bytes[at + 27:at + 27 + count])
      granule = struct.unpack_from('<q', bytes, at + 6)[0]
      if granule > 0:
        struct.pack_into('<q', bytes, at + 6, granule - (\(count)))
      struct.pack_into('<I', bytes, at + 22, 0)
      crc = 0
      for byte in bytes[at:end]:
        crc ^= byte << 24
        for _ in range(8):
          crc = (crc << 1 ^ 0x04C11DB7) & 0xFFFFFFFF if crc >> 31 else crc << 1
      struct.pack_into('<I', bytes, at + 22, crc)
      at = end
    open('\(name)', 'wb').write(bytes)
    END
    """
  }
}

/// 25,000 frames of music, with its loud places.
private let material: Stage = {
  let stage = Stage()
  do {
    try stage.make(
      """
      for rate in 44100 48000; do
        ffmpeg -v error -i $FIXTURES/feelings.ogg -map 0:a -map_metadata -1 \
          -af aresample=$rate,atrim=start=10,asetpts=PTS-STARTPTS,atrim=end_sample=25000 \
          -c:a pcm_s16le $rate.wav
      done
      mv 44100.wav src.wav && mv 48000.wav 48.wav
      """)
  } catch {
    Issue.record(error)
  }
  return stage
}()

@Suite("Every mark of where the sound starts and ends is honoured")
struct GaplessTests {
  @Test("25,000 frames come back as many, in their places", arguments: Marked.all + Marked.late)
  fileprivate func marks(_ marked: Marked) throws {
    let stage = Stage()
    try stage.make("ln -s \(material.path("src.wav")) \(material.path("48.wav")) .\n\(marked.make)")
    let result = try stage.job(
      "clip: \(marked.name)\noutput: { file: out.wav, wav: 32 bit float }\n")
    #expect(result.status == 0 && result.errors == "")
    let decoded = try WAVFile(stage.path("out.wav"))
    #expect(decoded.frameCount == marked.frames)

    let isOpus = marked.name.contains("opus")
    let source = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.path(isOpus ? "48.wav" : "src.wav"), "-af",
      "pan=mono|c0=c0", "-f", "f32le", "-"
    ).floats
    // What a first granule cuts is missing from the front.
    let cut = marked.name == "cut.ogg" ? 500 : 0
    #expect(lag(of: decoded.floats(0), behind: Array(source[cut...])) == 0)

    let probe = try stage.run("avjob probe --json \(marked.name)").text
    #expect(number("encoder_delay", in: probe) == marked.delay)
    if let padding = marked.padding { #expect(number("encoder_padding", in: probe) == padding) }
  }

  @Test("what oggdec and opusdec cut, is cut", arguments: ["cut.ogg", "opusenc.opus"])
  func oracles(name: String) throws {
    let stage = Stage()
    let marked = try #require(Marked.all.first { $0.name == name })
    try stage.make("ln -s \(material.path("src.wav")) \(material.path("48.wav")) .\n\(marked.make)")
    try stage.make(
      name == "cut.ogg"
        ? "oggdec -Q -o oracle.wav cut.ogg" : "opusdec --quiet opusenc.opus oracle.wav")
    #expect(try WAVFile(stage.path("oracle.wav")).frameCount == marked.frames)
  }

}

/// The first number of a key in a JSON document.
func number(_ key: String, in json: String) -> Int? {
  guard let range = json.firstRange(of: "\"\(key)\": ") else { return nil }
  return Int(json[range.upperBound...].prefix { $0.isNumber })
}

/// By how many frames `sound` is late, of -1200 ... 1200: where the two are most alike.
func lag(of sound: [Float], behind source: [Float]) -> Int {
  let start = min(sound.count, source.count) / 2
  let length = 1000
  var best = (likeness: -Float.infinity, lag: 0)
  source.withUnsafeBufferPointer { source in
    sound.withUnsafeBufferPointer { sound in
      for lag in -1200...1200 where start + lag >= 0 && start + lag + length <= sound.count {
        var product: Float = 0
        var power: Float = 1e-9
        for index in 0..<length {
          let sample = sound[start + lag + index]
          product += source[start + index] * sample
          power += sample * sample
        }
        let likeness = product / power.squareRoot()
        if likeness > best.likeness { best = (likeness, lag) }
      }
    }
  }
  return best.lag
}
