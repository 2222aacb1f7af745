import TestSupport
import Testing

/// The job files of the repository, from which newcomers learn the language: they do what their
/// comments say.
@Suite("The files of Jobs/")
struct JobsTests {
  /// A copy of the repository's `Jobs/` and `Fixtures/`, in which the commands run.
  let copy = TestFolder()

  static let files = [
    "Jobs/clip.yaml", "Jobs/concat.yaml", "Jobs/design.yaml", "Jobs/podcast.yaml",
    "Jobs/split.yaml", "Jobs/transcode.yaml",
  ]

  init() throws {
    let fixtures = Fixture.path("")
    try Tool.succeed("cp", "-r", fixtures, copy.path("Fixtures"))
    try Tool.succeed("mkdir", copy.path("Jobs"))
    try Tool.succeed(
      "sh", "-c", "cp \"$0\"/*.yaml \"$0\"/*.txt \"$1\"", fixtures + "../Jobs", copy.path("Jobs"))
  }

  /// Runs a job file that must succeed without a warning.
  private func run(_ file: String) throws {
    let result = try Command.avjob("run", "--quiet", file, in: copy.root)
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  /// What ffprobe says of an output, one line a section.
  private func probe(_ file: String) throws -> String {
    try Tool.succeed(
      "ffprobe", "-v", "error", "-select_streams", "a", "-of", "compact", "-show_entries",
      "stream=codec_name,sample_rate,channels:format_tags:chapter=start_time:chapter_tags=title",
      file, in: copy.path("Jobs/out")
    ).text
  }

  /// The samples of an output, or of a fixture, as ffmpeg decodes them; channels interleaved.
  private func decode(_ file: String) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", file, "-f", "f32le", "-", in: copy.path("Jobs/out")
    ).floats
  }

  /// How many samples a channel of an MP3 has by mpg123's reckoning.
  private func mpg123Count(_ file: String) throws -> Int {
    let decoded = copy.path("decoded.wav")
    try Tool.succeed("mpg123", "-q", "-w", decoded, file, in: copy.path("Jobs/out"))
    let count = try Tool.succeed("soxi", "-s", decoded).text
    return Int(count.filter(\.isNumber)) ?? 0
  }

  /// How many samples a channel of an M4A has by its edit list.
  private func editListCount(_ file: String) throws -> String {
    try Tool.succeed(
      "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "stream=duration_ts",
      "-of", "csv=p=0", file, in: copy.path("Jobs/out")
    ).text
  }
}

// MARK: - Running

extension JobsTests {
  @Test("podcast.yaml makes an MP3 and an M4A of 49.8 s with tags and five chapters")
  func podcast() throws {
    try run("Jobs/podcast.yaml")
    let chapters = """
      chapter|start_time=0.000000|tag:title=Opening
      chapter|start_time=5.500000|tag:title=Four lines
      chapter|start_time=20.900000|tag:title=Somebody calls
      chapter|start_time=28.500000|tag:title=Two lines more
      chapter|start_time=36.800000|tag:title=Credits

      """
    let title = "tag:title=Sonnets 1: From fairest creatures"
    let comment =
      "tag:comment=Music: Carlos Viola Iborra. Announcement: Allison Smith, CC BY-SA 3.0."
    #expect(
      try probe("sonnets-01.mp3")
        == "stream|codec_name=mp3|sample_rate=44100|channels=2\n" + chapters
        + "format|tag:encoder=avjob|\(title)|tag:artist=A reader of LibriVox|tag:album=Sonnets"
        + "|tag:track=1|tag:genre=Podcast|\(comment)\n")
    #expect(
      try probe("sonnets-01.m4a")
        == "stream|codec_name=aac|sample_rate=44100|channels=2\n" + chapters
        + "format|tag:major_brand=M4A |tag:minor_version=512|tag:compatible_brands=M4A isomiso2"
        + "|\(title)|tag:artist=A reader of LibriVox|tag:album=Sonnets|\(comment)"
        + "|tag:genre=Podcast|tag:track=1\n")

    let count = 498 * 4410
    #expect(try decode("sonnets-01.mp3").count == 2 * count)
    #expect(try mpg123Count("sonnets-01.mp3") == count)
    #expect(try editListCount("sonnets-01.m4a") == "\(count)\n")
    let report = try Tool.succeed("mp3val", copy.path("Jobs/out/sonnets-01.mp3")).text
    #expect(!report.contains("WARNING") && !report.contains("ERROR"))
  }

  @Test("podcast.yaml has one loudness, its voices one of theirs, and the music lies far below")
  func podcastLevels() throws {
    try run("Jobs/podcast.yaml")
    /// Of a range of the MP3.
    func loudness(from start: String, for duration: String) throws -> Double {
      let report = try Tool.succeed(
        "ffmpeg", "-hide_banner", "-nostats", "-ss", start, "-t", duration, "-i", "sonnets-01.mp3",
        "-af", "ebur128=framelog=verbose", "-f", "null", "-", in: copy.path("Jobs/out")
      ).errors
      let words = report.split(whereSeparator: \.isWhitespace)
      let label = try #require(words.lastIndex(of: "I:"))
      return try #require(Double(words[label + 1]))
    }
    let theme = try loudness(from: "0", for: "4.5")
    let reader = try loudness(from: "6", for: "14.3")
    let caller = try loudness(from: "20.9", for: "7.2")
    #expect(abs(reader - caller) < 0.5)
    #expect(abs(theme - reader + 1) < 1)
    for name in ["sonnets-01.mp3", "sonnets-01.m4a"] {
      let whole = try Tool.ebur128(copy.path("Jobs/out/\(name)"))
      #expect(abs(whole.integrated + 16) <= 0.15 && whole.truePeak <= -1, "\(name)")
    }
    // The reader pauses from 5.45 s to 5.88 s of the recording: there, only the music is left.
    let pause = try decode("sonnets-01.mp3")[(2 * 107 * 4410)..<(2 * 110 * 4410)]
    let power = pause.reduce(0) { $0 + $1 * $1 } / Float(pause.count)
    #expect(power > 0.000_03 && power < 0.001, "between -45 dB and -30 dB")
  }

  @Test("clip.yaml cuts four ranges, exact to the sample")
  func clip() throws {
    try run("Jobs/clip.yaml")
    #expect(try decode("second-quatrain.mp3").count == 2 * 1596 * 441)
    #expect(try mpg123Count("second-quatrain.mp3") == 1596 * 441)
    #expect(
      try probe("ringtone.m4a") == """
        stream|codec_name=aac|sample_rate=44100|channels=1
        format|tag:major_brand=M4A |tag:minor_version=512|tag:compatible_brands=M4A isomiso2\
        |tag:title=Feelings (excerpt)|tag:artist=Carlos Viola Iborra

        """)
    #expect(try editListCount("ringtone.m4a") == "\(8 * 44_100)\n")

    try Tool.succeed("flac", "--silent", "--test", copy.path("Jobs/out/last-lines.flac"))
    let lines = try decode("last-lines.flac")
    let recording = try decode("../../Fixtures/librivox-sonnet.mp3").suffix(2 * 92 * 4410)
    #expect(lines.count == recording.count)
    // Between the fades it is the recording, but for the steps of 16 bits and their dither.
    let middle = 2 * 44_100..<2 * 8 * 44_100
    let difference = zip(lines[middle], recording.dropFirst(middle.lowerBound))
      .map { abs($0 - $1) }.max()
    #expect(try #require(difference) <= 2 / 32_768)

    let samples = try readFile(copy.path("Jobs/out/ten-thousand-samples.wav"))
    let whole = try readFile(copy.path("Fixtures/lame-testcase.wav"))
    #expect(samples.suffix(4 * 10_000) == whole[(44 + 4 * 2500)..<(44 + 4 * 12_500)])
    #expect(try decode("ten-thousand-samples.wav").count == 2 * 10_000)
  }

  @Test("concat.yaml joins MP3, silence, the sound of a video, WAV and a list, sample to sample")
  func concat() throws {
    try run("Jobs/concat.yaml")
    #expect(
      try probe("concat.mp3") == """
        stream|codec_name=mp3|sample_rate=48000|channels=2
        format|tag:encoder=avjob|tag:title=One after the other

        """)
    // Exact in a 1/147th of a sample: the lengths of the sources at their own rates, and the times
    // of the file.
    let voice = 238_447 * 160
    let camera = 395_328 * 147
    let music = 1_323_840 * 160
    let times = (750 + 12_200 - 300 + 6000 - 22_000 - 1000) * 48 * 147
    let count = (voice + camera + music + times + 73) / 147
    #expect(try decode("concat.mp3").count == 2 * count)
    #expect(try mpg123Count("concat.mp3") == count)
  }

  @Test("design.yaml lasts to the end of its voices, and its swell goes from left to right")
  func design() throws {
    try run("Jobs/design.yaml")
    let sound = try decode("design.flac")
    #expect(sound.count == 2 * 12_950 * 441 / 10)
    // Between the voices, from 10.2 s to 10.45 s, the bed is alone: 2.2 s into its third round.
    let music = try decode("../../Fixtures/feelings.ogg")
    let bed = 2 * (1021 * 441)..<2 * (1044 * 441)
    let source = music[(2 * (1521 * 441))...]
    let difference = zip(sound[bed], source).map { abs($0 - $1 * 0.354_813_4) }.max()
    #expect(try #require(difference) < 0x1p-22)

    /// The power of the left and of the right over tenths of a second.
    func power(_ tenths: Range<Int>) -> (left: Float, right: Float) {
      let range = sound[(2 * 4410 * tenths.lowerBound)..<(2 * 4410 * tenths.upperBound)]
      let squares = range.map { $0 * $0 }
      func sum(_ channel: Int) -> Float {
        stride(from: channel, to: squares.count, by: 2).reduce(0) { $0 + squares[$1] }
      }
      return (sum(0), sum(1))
    }
    // The swell ends on the right, louder than all before it, and the second voice is there, too.
    let (start, end, second) = (power(2..<5), power(42..<45), power(110..<115))
    #expect(end.right > 2 * end.left && end.right > 2 * start.right)
    #expect(second.right > 2 * second.left)
  }

  @Test("split.yaml makes four FLACs that are, joined, one of the whole, with tags of their own")
  func split() throws {
    try run("Jobs/split.yaml")
    let titles = ["First quatrain", "Second quatrain", "Third quatrain", "Couplet"]
    var joined: [Float] = []
    for (index, title) in titles.enumerated() {
      let file = "sonnet/0\(index + 1) \(title).flac"
      joined += try decode(file)
      #expect(
        try probe(file) == """
          stream|codec_name=flac|sample_rate=44100|channels=2
          format|tag:TITLE=\(title)|tag:track=\(index + 1)/4

          """)
    }
    let whole = copy.path("Jobs/out/whole.flac")
    let result = try Command.avjob(
      "compress", "Fixtures/librivox-sonnet.mp3", "-o", whole, in: copy.root)
    #expect(result.status == 0)
    #expect(joined == (try decode("whole.flac")))
  }

  @Test("transcode.yaml makes a mono MP3 of each file, of its length and with its tags")
  func transcode() throws {
    try run("Jobs/transcode.yaml")
    let listing = try Tool.succeed("ls", "-A", copy.path("Jobs/out/transcoded")).text
    #expect(listing == "blank_video.mp3\ncamera.mp3\nfeelings.mp3\nvoice-8k.mp3\nvoice-vbr.mp3\n")
    let sources = [
      ("blank_video", count: 43_008, rate: 44_100, tags: ""),
      ("camera", 395_328, 48_000, ""),
      (
        "feelings", 1_323_840, 44_100,
        "|tag:title=Feelings (excerpt)|tag:artist=Carlos Viola Iborra"
      ),
      ("voice-8k", 242_214, 8000, ""),
      (
        "voice-vbr", 238_447, 44_100,
        "|tag:comment=Debian, the universal operating  system|tag:date=2020|tag:artist=Eriberto Mota"
      ),
    ]
    for (name, count, rate, tags) in sources {
      let file = "transcoded/\(name).mp3"
      #expect(try decode(file).count == count)
      #expect(try mpg123Count(file) == count)
      let stream = "stream|codec_name=mp3|sample_rate=\(rate)|channels=1"
      #expect(try probe(file) == "\(stream)\nformat|tag:encoder=avjob\(tags)\n")
    }
  }
}

// MARK: - Screens

extension JobsTests {
  @Test("Every file of Jobs/ is tried here, and check finds nothing wrong")
  func check() throws {
    let listing = try Tool.succeed("sh", "-c", "ls Jobs/*.yaml", in: copy.root).text
    #expect(listing.split(separator: "\n").map(String.init) == Self.files)
    let result = try Command.avjob(
      "check", "Jobs/clip.yaml", "Jobs/concat.yaml", "Jobs/design.yaml", "Jobs/podcast.yaml",
      "Jobs/split.yaml", "Jobs/transcode.yaml", in: copy.root)
    #expect(result.status == 0)
    #expect(result.text == "13 jobs with 4 parts are fine\n")
    #expect(result.remarksBesidesPictures == [])
    #expect(try Tool.succeed("ls", "-A", copy.path("Jobs")).text.contains("out") == false)
  }

  @Test("A path whose letters have another case is taken, with a note")
  func spelling() throws {
    let result = try Command.avjob("check", "jobs/podcast.yaml", in: copy.root)
    #expect(result.status == 0)
    #expect(result.text == "1 job is fine\n")
    #expect(result.errors == "note: 'jobs/podcast.yaml' is read as 'Jobs/podcast.yaml'\n")
  }

  @Test("--set changes a variable, and what is made of it")
  func variable() throws {
    let result = try Command.avjob(
      "plan", "--set", "number=2", "Jobs/podcast.yaml", in: copy.root)
    #expect(
      result.text.contains("    Jobs/out/sonnets-02.mp3  MP3 V2, 44.1 kHz stereo, to −16.0 LUFS, "))
  }

  @Test("plan prints what each file would make", arguments: zip(files, plans))
  func plan(file: String, plan: String) throws {
    let result = try Command.avjob("plan", file, in: copy.root)
    #expect(result.status == 0)
    #expect(result.text == plan)
    #expect(result.remarksBesidesPictures == [])
  }
}
