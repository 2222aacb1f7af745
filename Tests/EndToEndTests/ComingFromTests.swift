import TestSupport
import Testing

/// The pages for users of other tools: their job files run as written, and give what the pages say.
@Suite("Coming from other tools") struct ComingFromTests {
  private let stage = Stage()

  /// Follows a page whose five pairs are sections with a number.
  private func follow(_ name: String, media: String) throws {
    try stage.share(media)
    let page = try GuidePage(name)
    #expect(page.steps.filter { $0.command.hasPrefix("avjob run ") }.count >= 4, "\(name)")
    let text = String(decoding: try readFile(Fixture.path("../docs/" + name)), as: UTF8.self)
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("## ") }.count == 6, "\(name)")
    try page.follow(on: stage)
  }

  /// A figure of `sox`, such as `RMS lev dB`, of a file or, by an effect, of a part of it.
  private func figure(_ name: String, _ file: String, _ effect: String = "") throws -> Double {
    let text = try stage.make("sox '\(file)' -n \(effect) stats 2>&1").text
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) }, "\(text)")
    let word = try #require(line.dropFirst(name.count).split(separator: " ").first)
    return try #require(Double(word))
  }

  private func level(_ file: String, _ effect: String = "") throws -> Double {
    try figure("RMS lev dB", file, effect)
  }

  /// Samples of a sound, as `sox` counts those of a WAV or FLAC, and mpg123 those of an MP3.
  private func samples(_ file: String) throws -> Int? {
    let sound = file.hasSuffix(".mp3") ? "decoded.wav" : file
    if sound != file { try stage.make("mpg123 -q -w decoded.wav '\(file)'") }
    return Int(try stage.make("soxi -s '\(sound)'").text.dropLast())
  }

  /// What ffprobe prints for some entries, its lines in order.
  private func probe(_ entries: String, _ file: String) throws -> [Substring] {
    try stage.make("ffprobe -v error -show_entries \(entries) -of csv=p=0 '\(file)'").text
      .split(separator: "\n")
  }

  private static let chapters = "chapter=start_time:chapter_tags=title"

  @Test(
    "pydub: a cut with fades, a join, a mix, a folder and parts have the page's lengths and levels")
  func pydub() throws {
    try follow(
      "from-pydub.md",
      media: """
        mkdir recordings
        ffmpeg -v error -i "$FIXTURES/librivox-sonnet.mp3" -t 40 interview.wav
        ffmpeg -v error -i "$FIXTURES/feelings.ogg" -map 0:a -t 6 intro.wav
        ffmpeg -v error -i "$FIXTURES/feelings.ogg" -map 0:a -ss 6 -t 5 outro.wav
        ffmpeg -v error -i "$FIXTURES/feelings.ogg" -map 0:a -ss 12 -t 7 music.wav
        sox -R -n -r 48000 -c 2 -b 16 recordings/a.wav synth 3 sine 400 gain -12
        sox -R -n -r 44100 -c 1 -b 16 recordings/b.wav synth 2 sine 500 gain -20
        sox -R -n -r 44100 -c 1 -b 16 tone.wav synth 2 sine 500 gain -6
        sox -R -n -r 44100 -c 1 -b 16 pause.wav trim 0 1.5
        sox tone.wav pause.wav tone.wav pause.wav tone.wav lecture.wav
        """)
    #expect(try samples("teaser.mp3") == 683_550)
    #expect(
      try probe("stream=bit_rate:format_tags=artist,title", "teaser.mp3")
        == ["192000", "Deep Fields,Teaser"])
    // The fade is over after 250 ms.
    #expect(try level("decoded.wav", "trim 0 0.05") < level("interview.wav", "trim 5 0.05") - 10)
    #expect(
      try abs(level("decoded.wav", "trim 2 5") - level("interview.wav", "trim 7 5")) < 0.1)
    // 6 s less the cross-fade, and 40 s: then 750 ms of nothing but dither.
    #expect(try samples("show.flac") == 2_216_025)
    #expect(try figure("Pk lev dB", "show.flac", "trim 44.51 0.73") < -80)
    // What is left of the mix without the voice is the music.
    try stage.make("sox -m -v 1 mix.wav -v -1 interview.wav rest.wav")
    #expect(try level("rest.wav", "trim 0 1.9") < -80)
    for time in [2, 9, 16] {
      #expect(
        try abs(level("rest.wav", "trim \(time) 7") - level("music.wav") + 18) < 0.05, "\(time)")
    }
    for (name, frames) in [("a", 48_000), ("b", 32_000)] {
      #expect(try probe("stream=sample_rate,channels", "small/\(name).wav") == ["16000,1"])
      #expect(try samples("small/\(name).wav") == frames)
      #expect(try abs(figure("Pk lev dB", "small/\(name).wav") + 1) < 0.02)
    }
    let parts = try ["01", "02", "03"].map { try samples("parts/\($0).wav") }
    #expect(parts == [121_275, 154_350, 121_275])
    let trimmed = try ["01", "02", "03"].map { try samples("trimmed/\($0).wav") }
    #expect(trimmed == [92_610, 97_020, 92_610])
  }

  @Test("ffmpeg-normalize: each level is reached, and an album keeps its differences")
  func normalize() throws {
    try follow(
      "from-ffmpeg-normalize.md",
      media: """
        mkdir raw album
        voice=$FIXTURES/librivox-sonnet.mp3
        music=$FIXTURES/feelings.ogg
        ffmpeg -v error -i "$voice" -t 20 episode.wav
        ffmpeg -v error -i "$voice" -ss 20 -t 12 -af volume=-8dB raw/one.wav
        ffmpeg -v error -i "$FIXTURES/voice-8k.wav" -ar 48000 -t 12 raw/two.wav
        ffmpeg -v error -i "$music" -map 0:a -map_metadata -1 -t 8 -af volume=-6dB album/1.flac
        ffmpeg -v error -i "$music" -map 0:a -map_metadata -1 -ss 10 -t 8 -af volume=-12dB album/2.flac
        """)
    #expect(try probe("stream=sample_rate", "episode.mp3") == ["44100"])
    for (file, loudness, ceiling) in [
      ("episode.mp3", -16.0, -1.0), ("normalized/one.flac", -23, -2),
      ("normalized/two.flac", -23, -2),
    ] {
      let found = try Tool.ebur128(stage.path(file))
      #expect(abs(found.integrated - loudness) <= 0.15, "\(file)")
      #expect(found.truePeak <= ceiling + 0.05, "\(file)")
    }
    let before = try ["1", "2"].map { try level("album/\($0).flac") }
    let after = try ["1", "2"].map { try level("same-gain/\($0).flac") }
    for (level, expected) in zip(before + after, [-41.9, -33.0, -26.4, -17.5]) {
      #expect(abs(level - expected) < 0.1, "\(before) \(after)")
    }
    #expect(abs((after[0] - before[0]) - (after[1] - before[1])) < 0.05)
    #expect(try abs(figure("Pk lev dB", "loud.wav") + 1) < 0.02)
  }

  @Test("m4b-tool: books have their chapters, tags and covers, and parts their lengths")
  func books() throws {
    try follow(
      "from-m4b-tool.md",
      media: """
        mkdir -p book 'input/A. Reader/The Sea' 'input/B. Voice/The Wind'
        for n in 1 2 3; do
          ffmpeg -v error -i "$FIXTURES/librivox-sonnet.mp3" -map 0:a -map_metadata -1 \\
            -ss $((n * 8)) -t $((n + 3)) -b:a 64k -metadata title="Chapter $n" \\
            -metadata artist='A. Reader' -metadata track=$n book/$n.mp3
        done
        cp book/[12].mp3 'input/A. Reader/The Sea'
        cp book/3.mp3 'input/B. Voice/The Wind'
        ffmpeg -v error -f lavfi -i color=red:s=64x64 -frames:v 1 book/cover.jpg
        printf '%s\\n' '00:00:00.000 Intro' '00:00:04.000 This is' '00:00:09.500 The end' \\
          > book/chapters.txt
        printf '%s\\n' author,title 'A. Reader,The Sea' 'B. Voice,The Wind' > books.csv
        ffmpeg -v error -i "$FIXTURES/feelings.ogg" -map 0:a -map_metadata -1 -t 20 my-album.flac
        printf '%s\\n' 'PERFORMER "The Band"' 'TITLE "Live"' 'FILE "my-album.flac" WAVE' \\
          'TRACK 01 AUDIO' 'TITLE "One"' 'INDEX 01 00:00:00' \\
          'TRACK 02 AUDIO' 'TITLE "Two"' 'INDEX 01 00:12:00' > my-album.cue
        """)
    #expect(
      try probe(Self.chapters, "book.m4b") == ["0.000000,1", "4.000000,2", "9.000000,3"])
    #expect(
      try probe("format_tags=title,artist,genre,track", "book.m4b")
        == ["The Sea,A. Reader,Audiobook"])
    #expect(try probe("stream=codec_name", "book.m4b").contains("mjpeg"))
    #expect(
      try probe(Self.chapters, "fixed.m4b")
        == ["0.000000,Intro", "4.000000,This is", "9.500000,The end"])
    #expect(try probe("format=duration", "fixed.m4b") == ["15.000000"])
    for (number, seconds) in [(1, 4), (2, 5), (3, 6)] {
      let file = "split/00\(number)-\(number).mp3"
      #expect(try samples(file) == seconds * 22_050)
      #expect(try probe("stream=sample_rate,channels", file).first == "22050,1")
      #expect(try probe("format_tags=title,track", file) == ["\(number),\(number)/3"])
    }
    for (file, title, seconds) in [("001-One", "One", 12), ("002-Two", "Two", 8)] {
      #expect(try samples("tracks/\(file).mp3") == seconds * 48_000)
      #expect(
        try probe("format_tags=artist,album", "tracks/\(file).mp3").first?.split(separator: ",")
          .sorted() == ["Live", "The Band"])
      #expect(try probe("format_tags=title", "tracks/\(file).mp3") == [title[...]])
    }
    #expect(
      try probe(Self.chapters, "output/A. Reader/The Sea.m4b") == ["0.000000,1", "4.000000,2"])
    #expect(try probe(Self.chapters, "output/B. Voice/The Wind.m4b") == ["0.000000,3"])
  }

  @Test("Audacity: labels are parts, cuts, silence and chapters, and a macro is a job")
  func audacity() throws {
    try follow(
      "from-audacity.md",
      media: """
        mkdir takes
        ffmpeg -v error -i "$FIXTURES/feelings.ogg" -map 0:a -map_metadata -1 -t 20 concert.wav
        ffmpeg -v error -i "$FIXTURES/librivox-sonnet.mp3" -t 20 talk.wav
        cp talk.wav takes/1.wav
        ffmpeg -v error -i "$FIXTURES/voice-8k.wav" -ar 44100 -t 8 takes/2.wav
        printf '%s\\t%s\\t%s\\n' 0.000000 7.250000 Opening 7.250000 15.000000 Second \\
          15.000000 20.000000 Last > labels.txt
        printf '%s\\t%s\\t%s\\n' 3.000000 4.250000 cough 10.000000 10.500000 door > coughs.txt
        printf '%s\\t%s\\t%s\\n' 5.000000 5.500000 'a name' > names.txt
        printf '%s\\t%s\\t%s\\n' 0.000000 0.000000 Hello 12.000000 12.000000 'The second half' \\
          > marks.txt
        """)
    // The songs add up to the concert, sample for sample.
    try stage.make("for song in songs/*; do flac -s -d -f -o \"${song%flac}wav\" \"$song\"; done")
    let songs = try ["01-Opening", "02-Second", "03-Last"].map {
      try WAVFile(stage.path("songs/\($0).wav"))
    }
    #expect(songs.map(\.frameCount) == [319_725, 341_775, 220_500])
    let concert = try WAVFile(stage.path("concert.wav")).data
    #expect(songs.flatMap(\.data).elementsEqual(concert))
    // As dual mono, one channel alone has 3 LU less.
    for (file, loudness) in [("1", -20.0), ("2", -23.01)] {
      let found = try Tool.ebur128(stage.path("macro-output/\(file).mp3")).integrated
      #expect(abs(found - loudness) <= 0.15, "\(file)")
    }
    // The name is 1.25 s earlier, behind the cough that is cut.
    #expect(try samples("clean.wav") == 804_825)
    #expect(try level("clean.wav", "trim 3.76 0.48") < -80)
    #expect(try level("talk.wav", "trim 5.01 0.48") > -60)
    for file in ["talk.mp3", "talk.m4a"] {
      #expect(
        try probe(Self.chapters, file) == ["0.000000,Hello", "10.250000,The second half"], "\(file)"
      )
    }
    // What is left of the show without the talk is the music, lower while the talk sounds.
    try stage.make(
      "sox talk.wav later.wav pad 2; sox -m -v 1 show.wav -v -1 later.wav music.wav")
    for (time, lower) in [(0.3, 0.0), (7, 12), (10, 12)] {
      let part = "trim \(time) 1"
      #expect(
        try abs(level("concert.wav", part) - level("music.wav", part) - lower) < 0.1, "\(time)")
    }
  }
}
