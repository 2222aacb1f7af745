import TestSupport
import Testing

/// MP3 that is cut and joined without encoding, as ffmpeg, mpg123 and mp3val see it.
@Suite("MP3, copied")
struct MP3CopyTests {
  private let stage = Stage()

  /// Own encodes and those of other encoders: rates, modes and tags of all kinds.
  static let encodes = [
    "lame --quiet -V0 a.wav s.mp3", "lame --quiet -V4 a.wav s.mp3",
    "lame --quiet --abr 160 a.wav s.mp3", "lame --quiet -b 128 a.wav s.mp3",
    "lame --quiet -b 320 a.wav s.mp3", "lame --quiet -V3 -t a.wav s.mp3",
    "lame --quiet -b 96 -m s a.wav s.mp3", "lame --quiet -b 192 -m d a.wav s.mp3",
    "lame --quiet -b 64 -m m a.wav s.mp3", "lame --quiet -p -b 128 a.wav s.mp3",
    "lame --quiet -V2 --nores a.wav s.mp3", "lame --quiet --resample 48 -V2 a.wav s.mp3",
    "lame --quiet --resample 32 -b 112 a.wav s.mp3",
    "lame --quiet --resample 22.05 -V5 a.wav s.mp3",
    "lame --quiet --resample 16 -m m -b 32 a.wav s.mp3",
    "lame --quiet --resample 8 -m m -b 16 a.wav s.mp3",
    "ffmpeg -v error -i a.wav -c:a libmp3lame -q:a 5 -metadata title=T s.mp3",
    "ffmpeg -v error -i a.wav -c:a libshine -b:a 128k s.mp3",
    "lame --quiet -b 128 a.wav t.mp3; tail -c +50012 t.mp3 > s.mp3",
  ]

  @Test("a cut is the slice of the whole, to the sample and to the bit", arguments: encodes)
  func cuts(_ encode: String) throws {
    try stage.make("ffmpeg -v error -i $FIXTURES/feelings.ogg -t 14 a.wav\n" + encode)
    let (rate, channels) = try facts("s.mp3")
    let whole = try decoded("s.mp3")
    let length = whole.count / channels
    var dice = Dice(UInt64(encode.utf8.count))
    let ranges =
      [0..<length, 0..<length / 3, length - length / 4..<length]
      + (0..<3).map { _ in
        let first = Int.random(in: 0..<length - 9000, using: &dice)
        return first..<Int.random(in: first + 6000...length, using: &dice)
      }
    for range in ranges {
      try stage.make(
        """
        avjob clip s.mp3 --from '\(range.lowerBound) samples' --to '\(range.upperBound) samples' \
          -o cut.mp3 --mp3 copy --force --quiet
        """)
      let cut = try decoded("cut.mp3")
      #expect(cut.count == range.count * channels, "\(range)")
      // A file that begins in a reservoir has frames that decoders make up, each in its own way.
      let start = encode.contains("tail") ? max(range.lowerBound, 4 * 1152) : range.lowerBound
      let slice = whole[start * channels..<range.upperBound * channels]
      let isSame = cut[((start - range.lowerBound) * channels)...] == slice
      #expect(isSame, "\(range)")
      try expectSound("cut.mp3", range.count * channels)
      // mpg123's own rounding: of mono and of low rates to one step.
      let (mine, theirs) = (try heard("cut.mp3"), try heard("s.mp3"))
      guard theirs.count == whole.count, !encode.contains("tail") else { continue }
      let heard = theirs[range.lowerBound * channels..<range.upperBound * channels]
      let tolerance = channels == 1 || rate < 32_000 ? 1 : 0
      #expect(mine.largestDifference(from: heard) <= tolerance, "\(range)")
    }
  }

  @Test("a constant bit rate stays one, and a tag says so")
  func constant() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 10 a.wav
      lame --quiet -b 128 a.wav s.mp3
      avjob clip s.mp3 --from 2s --to 8s -o cut.mp3 --mp3 copy --quiet
      avjob clip s.mp3 --to 8s -o start.mp3 --mp3 copy --quiet
      """)
    let facts = try stage.make("mediainfo --Output='Audio;%BitRate_Mode% %BitRate%' start.mp3").text
    #expect(facts.hasPrefix("CBR 128000"))
    try stage.write("same.yaml", "{ clip: cut.mp3, output: { folder: x, codec: same } }")
    #expect(try stage.make("avjob plan same.yaml").text.contains("cut.mp3  MP3 CBR 128 kbps"))
  }

  @Test(
    "a join is exact beside its seam, and true in it",
    arguments: ["-V0", "-b 192", "--abr 128", "-m m -b 80", "--resample 48 -V3"])
  func joins(_ options: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 24 a.wav
      lame --quiet \(options) a.wav s.mp3
      """)
    let (_, channels) = try facts("s.mp3")
    let whole = try decoded("s.mp3")
    for distance in [20, 37, 101, 165] {
      let second = 200_000 + distance * 1152
      try stage.write(
        "join.yaml",
        """
        concat:
          - { clip: s.mp3, to: 200000 samples }
          - { clip: s.mp3, from: \(second) samples, to: \(second + 60_000) samples }
        output: { file: join.mp3, mp3: copy }
        """)
      try stage.make("avjob run join.yaml --force --quiet")
      let join = try decoded("join.mp3")
      let expected =
        whole[..<(200_000 * channels)] + whole[second * channels..<(second + 60_000) * channels]
      #expect(join.count == expected.count)
      let (start, end) = (197_696 * channels, 202_304 * channels)
      let isSame = join[..<start] == expected[..<start] && join[end...] == expected.dropFirst(end)
      #expect(isSame, "\(distance)")
      let error = Signal.energy(of: join[start..<end], without: expected[start..<end])
      let power = Signal.energy(of: expected[start..<end])
      // −35 dB.
      #expect(error < power * 3.2e-4, "\(distance): \(error / power)")
      try expectSound("join.mp3", expected.count)
    }
  }

  @Test("around what is changed, the fewest frames are encoded; the rest is the source's")
  func composition() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 14 -ar 44100 a.wav
      ffmpeg -v error -i $FIXTURES/voice-8k.wav -t 2 v.wav
      lame --quiet -b 160 a.wav s.mp3
      """)
    try stage.write(
      "show.yaml",
      """
      tracks:
        intro: { clip: v.wav, to: 1s, gain: -6 dB }
        show: { clip: s.mp3, from: 2s, to: 12s, fade_out: 1s }
      output:
        - { file: show.mp3, mp3: copy }
      """)
    try stage.make("avjob run show.yaml --force --quiet --report report.json")
    let plan = try stage.make("avjob plan show.yaml").text
    #expect(
      plan.hasSuffix(
        """
          outputs
            show.mp3  MP3 CBR 160 kbps, 44.1 kHz stereo
              0:00.000 – 0:01.005  encoded, 40 packets: several sounds are heard at once
              0:01.005 – 0:08.972  copied, 305 packets of s.mp3 from packet 116
              0:08.972 – 0:10.000  encoded, 40 packets: a gain, a fade or a pan is on the sound

        """), "\(plan)")
    let (whole, show) = (try decoded("s.mp3"), try decoded("show.mp3"))
    #expect(show.count == 2 * 441_000)
    let copied = 2 * 60_000..<2 * 380_000
    let isSame = show[copied] == whole[copied.lowerBound + 176_400..<copied.upperBound + 176_400]
    #expect(isSame)
    try expectSound("show.mp3", show.count)
    let report = try stage.make("python3 -c \"$TELL\"", environment: ["TELL": Self.tell]).text
    #expect(report == "mixed, s.mp3, level\n")
  }

  @Test("a join of many files has few of them open")
  func many() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 2 a.wav
      lame --quiet -b 128 a.wav s.mp3
      for number in $(seq 100 220); do cp s.mp3 $number.mp3; done
      """)
    try stage.write(
      "join.yaml",
      """
      concat: [\((100...220).map { "\($0).mp3" }.joined(separator: ", "))]
      output: { file: all.mp3, mp3: copy, join: nudge }
      """)
    try stage.make("ulimit -n 80; avjob run join.yaml --quiet")
    #expect(try decoded("all.mp3").count == 121 * 2 * 88_200)
  }

  @Test("tags, a cover's job and chapters travel with a copy, moved to its own time")
  func chapters() throws {
    try stage.make("ffmpeg -v error -i $FIXTURES/feelings.ogg -t 12 a.wav")
    try stage.write(
      "make.yaml",
      """
      clip: a.wav
      chapters: { 0s: One, 5s: Two }
      metadata: { title: Feelings, artist: Somebody }
      output: { file: s.mp3, mp3: V2 }
      """)
    try stage.make(
      """
      avjob run make.yaml --quiet
      avjob clip s.mp3 --from 3s --to 11s -o cut.mp3 --mp3 copy --quiet
      """)
    let probe = try stage.make("ffprobe -v error -show_chapters -show_format cut.mp3").text
    #expect(probe.contains("TAG:title=Feelings") && probe.contains("TAG:artist=Somebody"))
    #expect(probe.contains("start_time=2.000000\n") && probe.contains("TAG:title=Two"))
  }

  private static let tell = """
    import json
    parts = json.load(open('report.json'))['jobs'][0]['outputs'][0]['copied']
    print(', '.join(p.get('path') or p['reasons'][0] for p in parts))
    """

  // MARK: - Oracles

  private func facts(_ name: String) throws -> (rate: Int, channels: Int) {
    let text = try stage.make(
      "ffprobe -v error -show_entries stream=sample_rate,channels -of csv=p=0 \(name)"
    ).text
    let numbers = text.split(whereSeparator: { ",\n".contains($0) }).compactMap { Int($0) }
    return (try #require(numbers.first), try #require(numbers.last))
  }

  private func decoded(_ name: String) throws -> [Float] {
    try stage.make("ffmpeg -v error -i \(name) -f f32le -").floats
  }

  /// mpg123's samples, of 16 bits.
  private func heard(_ name: String) throws -> [Int16] {
    try stage.make("mpg123 -q -e s16 -s \(name)").steps
  }

  /// No decoder has a complaint, and all have one length.
  private func expectSound(
    _ name: String, _ sampleCount: Int, at place: SourceLocation = #_sourceLocation
  ) throws {
    let errors = try stage.make("ffmpeg -v warning -i \(name) -f null -").errors
    #expect(errors == "", sourceLocation: place)
    let other = try stage.make("mpg123 -q -e s16 -s \(name)")
    #expect(other.errors == "" && other.output.count == 2 * sampleCount, sourceLocation: place)
    let report = try stage.make("mp3val \(name)").text
    #expect(
      !report.contains("WARNING") && !report.contains("ERROR"), "\(report)", sourceLocation: place)
  }
}
