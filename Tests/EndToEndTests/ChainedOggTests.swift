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
}
