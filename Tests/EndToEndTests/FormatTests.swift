import TestSupport
import Testing

/// A format that music is encoded in, and what of it comes back.
private struct Format: CustomTestStringConvertible {
  /// What the number of frames is, of what went in.
  enum Length {
    case same
    /// Up to whole blocks: the container has no word on where the sound ends.
    case blocks(of: Int)
  }

  var name: String
  /// ffmpeg's options.
  var options: String
  var length = Length.same
  /// By how many frames the music is late: the delay of the encoder, which the container does not
  /// tell.
  var lag = 0
  var isLossless = false
  var testDescription: String { name }

  static let all = [
    Format(name: "music.wav", options: "-c:a pcm_s16le", isLossless: true),
    Format(name: "music.aiff", options: "-c:a pcm_s16be", isLossless: true),
    Format(name: "music.caf", options: "-c:a alac", isLossless: true),
    Format(name: "music.flac", options: "-c:a flac", isLossless: true),
    Format(name: "alac.m4a", options: "-c:a alac", isLossless: true),
    Format(name: "music.wv", options: "-c:a wavpack", isLossless: true),
    Format(name: "music.tta", options: "-c:a tta", isLossless: true),
    Format(name: "music.mp3", options: "-c:a libmp3lame -q:a 2"),
    Format(name: "aac.m4a", options: "-c:a aac -b:a 160k"),
    Format(name: "music.ogg", options: "-c:a libvorbis -q:a 5"),
    Format(name: "music.opus", options: "-c:a libopus -b:a 128k"),
    Format(name: "ima.wav", options: "-c:a adpcm_ima_wav", length: .blocks(of: 1017)),
    Format(
      name: "aac.mkv", options: "-c:a aac -b:a 160k", length: .blocks(of: 1024), lag: 1024),
    Format(name: "aac.ts", options: "-c:a aac -b:a 160k", length: .blocks(of: 1024), lag: 1024),
    Format(name: "music.mp2", options: "-c:a mp2", length: .blocks(of: 1152), lag: 481),
    Format(name: "music.ac3", options: "-c:a ac3", length: .blocks(of: 1536), lag: 256),
    // ffmpeg's decoder leaves out two blocks, as Microsoft's encoder puts them in front; its own
    // encoder puts none.
    Format(
      name: "music.wma", options: "-c:a wmav2 -b:a 160k", length: .blocks(of: 2048), lag: -2048),
  ]
}

/// Thirty seconds of music at 44.1 kHz, and at 48 kHz.
private let material: Stage = {
  let stage = Stage()
  do {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -map 0:a -map_metadata -1 -c:a pcm_s16le src.wav
      ffmpeg -v error -i src.wav -ar 48000 48.wav
      """)
  } catch {
    Issue.record(error)
  }
  return stage
}()

@Suite("The same thirty seconds of music in every format")
struct FormatTests {
  @Test("come through to the sample, in length and in place", arguments: Format.all)
  fileprivate func comeThrough(_ format: Format) throws {
    let stage = Stage()
    let isOpus = format.name.hasSuffix("opus")
    let source = material.path(isOpus ? "48.wav" : "src.wav")
    try stage.make("ffmpeg -v error -i \(source) \(format.options) \(format.name)")
    let result = try stage.job(
      "clip: \(format.name)\noutput: { file: out.wav, wav: 32 bit float }\n")
    #expect(result.status == 0)
    let music = try WAVFile(source)
    let decoded = try WAVFile(stage.path("out.wav"))
    // FFmpeg's muxer of Matroska names the priming from version 7 on: it is left out then.
    let probe = try stage.run("avjob probe --json \(format.name)").text
    let isNamed = format.name.hasSuffix(".mkv") && number("encoder_delay", in: probe) != nil
    let late = isNamed ? 0 : format.lag
    switch format.length {
    case .same: #expect(decoded.frameCount == music.frameCount)
    case .blocks(let size):
      #expect(decoded.frameCount % size == 0)
      #expect(abs(decoded.frameCount - music.frameCount - late) < 2 * size)
    }
    let original = music.data.withUnsafeBytes { bytes in
      (0..<music.frameCount).map {
        Float(bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int16.self)) / 32_768
      }
    }
    if format.isLossless {
      #expect(decoded.floats(0) == original)
    } else {
      // Around the expected place, where music that repeats itself cannot deceive.
      let shifted = Array(decoded.floats(0).dropFirst(max(0, late)))
      let source = Array(original.dropFirst(max(0, -late)))
      #expect(lag(of: shifted, behind: source) == 0)
    }
  }

  @Test("probe tells codec, delay, padding, and how long the header says that it is")
  func probe() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 t.wav synth 25000s pinknoise vol 0.3
      lame --quiet -b 128 --tt Title t.wav t.mp3
      sox -R -r 8000 -n -c 1 -b 16 v.wav synth 4000s pinknoise vol 0.3
      ffmpeg -v error -i v.wav -c:a gsm v.gsm
      """)
    let result = try stage.run("avjob probe t.mp3 v.gsm")
    #expect(result.status == 0 && result.errors == "")
    #expect(
      result.text == """
        t.mp3
          sound     mp3, 44.1 kHz stereo, 127 kbps
          stream    0 of mp3
          duration  0:00.567 (25000 samples)
          delay     1105 samples before the sound are left out
          padding   391 samples after the sound are left out
          title     Title
        v.gsm
          sound     gsm, 8 kHz mono, 16 bit, 13 kbps
          stream    0 of gsm
          duration  0:00.500 (4000 samples)

        """)
  }

  @Test("the best stream of sound is taken, or the one that is asked for")
  func streams() throws {
    let stage = Stage()
    try stage.make(
      """
      for f in 300 500; do sox -R -r 48000 -n -c 2 -b 16 $f.wav synth 1 sine $f vol 0.5; done
      V='-f lavfi -i testsrc=s=64x48:d=1:r=10'
      ffmpeg -v error $V -i 300.wav -i 500.wav -map 0 -map 1 -map 2 -c:v mpeg4 -c:a pcm_s16le two.mkv
      ffmpeg -v error $V -i 300.wav -map 0 -map 1 -c:v mpeg4 -c:a pcm_s16be -timecode 01:00:00:00 \
        time.mov
      """)
    let result = try stage.job(
      """
      jobs:
        a: { clip: two.mkv, output: a.wav }
        b: { clip: two.mkv, stream: 2, output: b.wav }
        c: { clip: time.mov, output: c.wav }

      """)
    #expect(result.status == 0 && result.errors == "")
    for (name, source) in [("a", "300"), ("b", "500"), ("c", "300")] {
      #expect(
        try WAVFile(stage.path("\(name).wav")).data == WAVFile(stage.path("\(source).wav")).data)
    }
    let refused = try stage.run("avjob probe --stream 0 two.mkv time.mov")
    #expect(
      refused.errors == """
        error: 'two.mkv': has no stream of sound 0; it has 1, 2
        error: 'time.mov': has no stream of sound 0; it has 1

        """)
    // The worst failure decides, wherever it stands.
    try stage.make("seq 1000 | gzip -n | tail -c 1000 > noise")
    for media in ["noise 300.wav", "300.wav noise"] {
      #expect(try stage.run("avjob probe --stream 3 \(media)").status == 2)
    }
  }
}
