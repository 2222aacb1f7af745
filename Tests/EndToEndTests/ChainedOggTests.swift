import TestSupport
import Testing

/// Ogg files that were put behind one another: each begins with a delay of its own.
@Suite("Chained Ogg")
struct ChainedOggTests {
  private let stage = Stage()

  private func sounds() throws {
    try stage.make(
      """
      sox -R -r 48000 -n -c 2 -b 16 a.wav synth 4 pinknoise vol 0.3
      sox $FIXTURES/feelings.ogg -r 48000 -c 2 -b 16 b.wav trim 3 2.5
      sox a.wav -c 1 m.wav trim 0 1
      """)
  }

  @Test(
    "each link is its own file: its delay is left out, and its length is kept",
    arguments: [
      "opusenc --quiet --bitrate 96", "opusenc --quiet --bitrate 24 --framesize 60",
      "oggenc -Q -q 4 -o", "flac -s --ogg -o", "ffmpeg -v error -y -i",
    ])
  func links(_ encoder: String) throws {
    try sounds()
    let encode =
      encoder.hasPrefix("opusenc")
      ? "\(encoder) $1.wav $1.ogg"
      : encoder.hasPrefix("ffmpeg")
        ? "\(encoder) $1.wav -c:a libopus -f ogg $1.ogg" : "\(encoder) $1.ogg $1.wav"
    try stage.make(
      """
      encode() { \(encode); }
      encode a; encode b
      cat a.ogg b.ogg a.ogg > c.ogg
      cat a.ogg a.ogg > twice.ogg
      for f in a b c twice; do avjob clip -q $f.ogg -o $f-out.wav --wav '32 bit float'; done
      """)
    let (a, b) = try (WAVFile(stage.path("a-out.wav")), WAVFile(stage.path("b-out.wav")))
    #expect(a.frameCount == 192_000 && b.frameCount == 120_000)
    let chained = try WAVFile(stage.path("c-out.wav"))
    #expect(chained.frameCount == 504_000)
    let isSame = Array(chained.data) == Array(a.data) + Array(b.data) + Array(a.data)
    #expect(isSame)
    let isTwice =
      try Array(WAVFile(stage.path("twice-out.wav")).data) == Array(a.data) + Array(a.data)
    #expect(isTwice)
    let probe = try stage.run("avjob probe c.ogg twice.ogg")
    #expect(probe.errors == "" || encoder.hasPrefix("ffmpeg"), "\(probe.errors)")
    // A range over two joins is the slice of the whole.
    try stage.make(
      "avjob clip -q c.ogg --from '191000 samples' --to '313000 samples' -o r.wav --wav '32 bit float'"
    )
    let isSlice =
      try WAVFile(stage.path("r.wav")).data == Array(chained.data)[191_000 * 8..<313_000 * 8]
    #expect(isSlice)
  }

  @Test(
    "the links of a server's file are all read, also where they have one serial number",
    arguments: [
      "opusenc --quiet --serial 5 --bitrate 256 $1.wav $1.ogg", "oggenc -Q -s 5 -q 9 $1.wav",
    ])
  func remote(encode: String) throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      sox -R -r 48000 -n -c 2 -b 16 a.wav synth 12 pinknoise vol 0.3
      sox -R -r 48000 -n -c 2 -b 16 b.wav synth 15 whitenoise vol 0.2
      encode() { \(encode); }
      encode a; encode b
      cat a.ogg b.ogg > c.ogg
      cat a.ogg a.ogg > twice.ogg
      """)
    for (name, duration) in [
      ("a", "0:12.000 (576000 samples)"), ("c", "0:27.000 (1296000 samples)"),
      ("twice", "0:24.000 (1152000 samples)"),
    ] {
      let url = stage.url("plain", "\(name).ogg")
      let probe = try stage.run("avjob probe --allow-host $host '\(url)'")
      #expect(probe.text.contains("duration  \(duration)\n"), "\(name): \(probe)")
    }
  }

  @Test("a link with other channels, another rate or another codec is refused at its own time")
  func change() throws {
    try sounds()
    try stage.make(
      """
      for f in a m; do opusenc --quiet $f.wav $f.opus; oggenc -Q -o $f.ogg $f.wav; done
      sox a.wav -r 44100 r.wav && oggenc -Q -o r.ogg r.wav
      cat a.opus m.opus > channels.opus
      cat a.ogg r.ogg > rate.ogg
      cat a.ogg m.opus > codec.ogg
      """)
    for (name, words) in [
      ("channels.opus", "changes to 48000 Hz and 1 channel at 4.000 s"),
      ("rate.ogg", "changes to 44100 Hz and 2 channels at 4.000 s"),
      ("codec.ogg", "changes to opus at 4.000 s"),
    ] {
      let result = try stage.run("avjob clip -q \(name) --to 1s -o x.wav")
      #expect(result.status == 1 && result.errors.contains(words), "\(name): \(result.errors)")
    }
  }

  @Test("of tags that differ by link the first link's count, but for its levels, with a warning")
  func tags() throws {
    try sounds()
    try stage.make(
      """
      opusenc --quiet --title One --comment R128_TRACK_GAIN=-1792 a.wav one.opus
      opusenc --quiet --title Two b.wav two.opus
      opusenc --quiet --title One a.wav bare.opus
      oggenc -Q -t One -o one.ogg a.wav && oggenc -Q -t Two -o two.ogg b.wav
      cat one.opus two.opus > opus.opus; cat one.ogg two.ogg > vorbis.ogg
      cat one.opus bare.opus > level.opus; cat one.opus one.opus > same.opus
      printf 'clip: same.opus\\noutput: { file: x.opus, opus: copy }\\n' > copy.yaml
      """)
    let text = "is chained of several Ogg files with tags of their own: those of the first are read"
    let opus = try stage.run("avjob probe opus.opus")
    let without = ", without R128_TRACK_GAIN, which is not true of the whole"
    #expect(opus.errors.contains(text + without), "\(opus.errors)")
    #expect(opus.text.contains("One") && !opus.text.contains("-1792"), "\(opus.text)")
    let vorbis = try stage.run("avjob probe vorbis.ogg")
    #expect(vorbis.errors.contains(text) && !vorbis.errors.contains("without"), "\(vorbis.errors)")
    let level = try stage.run("avjob probe level.opus")
    #expect(level.errors.contains("R128_TRACK_GAIN"), "\(level.errors)")
    #expect(!level.text.contains("-1792"), "\(level.text)")
    let same = try stage.run("avjob probe same.opus")
    #expect(same.errors == "" && same.text.contains("-1792"), "\(same.errors)\(same.text)")
    let copy = try stage.run("avjob run copy.yaml")
    #expect(copy.status != 0)
    #expect(copy.errors.contains("its file is a chain of Ogg files"), "\(copy.errors)")
  }

  @Test("a link that was cut short is named with its own length, and the next one stays a link")
  func cut() throws {
    try sounds()
    try stage.make(
      """
      for f in a b; do opusenc --quiet $f.wav $f.opus; done
      for f in a b; do head -c -3000 $f.opus > $f-cut.opus; done
      cat a.opus b-cut.opus > last.opus; cat a-cut.opus b.opus > first.opus
      """)
    let last = try stage.run("avjob probe last.opus")
    #expect(last.errors.contains("link 2 of its chain was cut short"), "\(last.errors)")
    #expect(last.errors.contains("s of it can be decoded"), "\(last.errors)")
    let first = try stage.run("avjob probe first.opus")
    #expect(first.errors.contains("link 1 of its chain was cut short"), "\(first.errors)")
    // The delay of the second link is left out, though a page of the first reaches into it.
    try stage.make(
      """
      avjob clip -q first.opus -o first.wav; avjob clip -q a-cut.opus -o a-cut.wav
      """)
    let frames = try WAVFile(stage.path("a-cut.wav")).frameCount
    #expect(try WAVFile(stage.path("first.wav")).frameCount == frames + 120_000)
  }

  @Test("links before others whose last page is lost are named, and what is there of them is read")
  func lostEnd() throws {
    try sounds()
    try stage.write(
      "lose.py",
      """
      data = open("a.opus", "rb").read()
      open("lost.opus", "wb").write(data[:data.rindex(b"OggS")])
      """)
    try stage.make(
      """
      for f in a b; do opusenc --quiet $f.wav $f.opus; done
      python3 lose.py
      cat lost.opus b.opus > one.opus; cat b.opus lost.opus lost.opus b.opus > two.opus
      avjob clip -q one.opus -o one.wav; avjob clip -q lost.opus -o lost.wav
      """)
    let reason =
      "cut short, or the stream changed there while it was recorded; what is there is read"
    let frames = try WAVFile(stage.path("lost.wav")).frameCount
    #expect(try WAVFile(stage.path("one.wav")).frameCount == frames + 120_000)
    let one = try stage.run("avjob probe one.opus")
    #expect(one.errors.contains("link 1 of its chain ends at 3."), "\(one.errors)")
    #expect(one.errors.contains(" s without a last page: it was \(reason)"), "\(one.errors)")
    let two = try stage.run("avjob probe two.opus")
    #expect(
      two.errors.contains(
        "2 links of its chain end without a last page, the first, link 2, at "), "\(two.errors)")
    #expect(two.errors.contains(": they were \(reason)"), "\(two.errors)")
    let strict = try stage.run("avjob clip -q --strict one.opus -o x.wav")
    #expect(
      strict.status == 1 && strict.errors.contains("'strict' refuses it"), "\(strict.errors)")
  }
}
