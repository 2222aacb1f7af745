import TestSupport
import Testing

@Suite("Joining is exact")
struct JoiningTests {
  @Test("a thousand clips of a file, joined, are that file, bit for bit")
  func thousandClips() throws {
    let stage = Stage()
    let frameCount = 200_003
    try stage.make(
      "sox -R -r 44100 -n -c 2 -b 16 in.wav synth \(frameCount)s whitenoise vol 0.8")
    var random = Dice(1)
    var cuts: Set<Int> = [0, frameCount]
    while cuts.count < 1001 { cuts.insert(Int.random(in: 1..<frameCount, using: &random)) }
    let edges = cuts.sorted()
    let items = zip(edges, edges.dropFirst()).map {
      "  - { clip: in.wav, from: \($0) samples, to: \($1) samples }"
    }
    let result = try stage.job(
      "concat:\n" + items.joined(separator: "\n") + "\noutput: out.wav\n")
    #expect(result.status == 0 && result.errors == "")
    let (before, after) = (
      try WAVFile(stage.path("in.wav")), try WAVFile(stage.path("out.wav"))
    )
    #expect(after.bitDepth == 16 && after.channelCount == 2 && after.sampleRate == 44_100)
    #expect(after.data == before.data)
  }

  @Test("halves that were encoded apart join to the length of the whole, as WAV and as MP3")
  func halves() throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -map 0:a -map_metadata -1 -c:a pcm_s16le \
        -af atrim=end_sample=446424 whole.wav
      sox whole.wav a.wav trim 0s 223212s
      sox whole.wav b.wav trim 223212s
      lame --quiet -V2 a.wav a.mp3
      lame --quiet -V2 b.wav b.mp3
      avjob concat a.mp3 b.mp3 -o joined.wav
      avjob concat a.mp3 b.mp3 -o joined.mp3
      ffmpeg -v warning -i joined.mp3 ffmpeg.wav
      mpg123 -q -w mpg123.wav joined.mp3
      lame --quiet --decode joined.mp3 lame.wav
      """)
    for name in ["whole", "joined", "ffmpeg", "mpg123", "lame"] {
      #expect(try WAVFile(stage.path("\(name).wav")).frameCount == 446_424, "\(name)")
    }
  }
}
