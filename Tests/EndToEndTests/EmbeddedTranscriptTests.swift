import TestSupport
import Testing

/// Words within media files: read from them, and written into them.
@Suite("Transcripts within media files") struct EmbeddedTranscriptTests {
  /// `talk.m4a` with a chapter and a text; `talk.mp4` with pictures beside it, and a sound that begins
  /// later than they do; `old.mka` and `new.mka` with WebVTT of both kinds; `talk.mkv` with a French
  /// SubRip and an English ASS beside an English sound; `mute.mka` without texts.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      cat > talk.srt << 'END'
      1
      00:00:00,000 --> 00:00:01,250
      <i>One</i>

      2
      00:00:02,001 --> 00:00:03,999
      Two & more
      of it

      END
      sed 's/One/Un/; s/Two/Deux/' talk.srt > french.srt
      cat > talk.vtt << 'END'
      WEBVTT

      id1
      00:00.500 --> 00:02.000 align:start
      <v Ann>One <00:00:01.000>and &amp; two</v>

      00:02.500 --> 00:03.000
      <v Bo>Three

      END
      printf ';FFMETADATA1\\n[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=0\\nEND=2000\\ntitle=Begin\\n' > c.txt
      sound=(ffmpeg -v error -f lavfi -i sine=d=5:r=44100)
      "${sound[@]}" -i talk.srt -i c.txt -map 0 -map 1 -map_metadata 2 -c:a aac -c:s mov_text \\
        -metadata:s:s:0 language=eng talk.m4a
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=5:r=25 -itsoffset 0.4 -f lavfi \\
        -i sine=d=5:r=44100 -itsoffset 0.4 -i talk.srt -map 0 -map 1 -map 2 -c:v libx264 \\
        -pix_fmt yuv420p -c:a alac -c:s mov_text -metadata:s:s:0 language=eng talk.mp4
      "${sound[@]}" -c:a flac mute.mka
      "${sound[@]}" -i talk.vtt -map 0 -map 1 -c:a flac -c:s copy old.mka
      mkvmerge -q -o new.mka mute.mka --language 0:en talk.vtt
      "${sound[@]}" -i french.srt -i talk.srt -map 0 -map 1 -map 2 -c:a flac -c:s:0 subrip \\
        -c:s:1 ass -metadata:s:a:0 language=eng -metadata:s:s:0 language=fre \\
        -metadata:s:s:1 language=eng talk.mkv
      """)
    return stage
  }

  private static let plain = """
    WEBVTT
    Language: en

    00:00:00.000 --> 00:00:01.250
    One

    00:00:02.001 --> 00:00:03.999
    Two &amp; more
    of it

    """

  private func text(_ name: String, in stage: Stage) throws -> String {
    try stage.make("cat \(name)").text
  }

  @Test("the text of a file is kept, from its sound's start on", arguments: ["m4a", "mp4", "mkv"])
  func kept(kind: String) throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: talk.\(kind)\ntranscript: keep\noutput: { file: x.wav, transcript: vtt }\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try text("x.vtt", in: stage) == Self.plain)
    let notes = try stage.run("avjob plan job.yaml").errors
    let note = "has 2 tracks of texts: the words are those of stream 2 (ass, eng), in the language"
    #expect(notes.contains(note) == (kind == "mkv"), "\(notes)")
    let unread = "not read, and in no output: subtitles of stream 1 (subrip)"
    #expect(notes.contains(unread) == (kind == "mkv"), "\(notes)")
    #expect(notes.contains("not read, and in no output") == (kind == "mkv"), "\(notes)")
  }

  @Test("voices, names, settings and times of words of WebVTT are kept", arguments: ["old", "new"])
  func webVTT(kind: String) throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: \(kind).mka\nfrom: 250ms\ntranscript: keep\noutput: { file: x.wav, transcript: vtt }\n"
    )
    #expect(result.status == 0, "\(result.errors)")
    let found = try text("x.vtt", in: stage)
    #expect(
      found.hasSuffix(
        """
        id1
        00:00:00.250 --> 00:00:01.750 align:start
        <v Ann>One <00:00:00.750>and &amp; two

        00:00:02.250 --> 00:00:02.750
        <v Bo>Three

        """), "\(found)")
  }

  @Test("a file without a text is refused with what it has, and so is one with pictures of texts")
  func refusals() throws {
    let stage = try stage()
    let job = "clip: mute.mka\ntranscript: keep\noutput: { file: x.wav, transcript: vtt }\n"
    let result = try stage.job(job)
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "'mute.mka': has no track of texts, only audio (flac); name a file of the words"),
      "\(result.errors)")
    // Two segments of PGS that show nothing.
    try stage.make(
      """
      printf 'PG\\0\\1\\x5f\\x90\\0\\0\\0\\0\\x80\\0\\0PG\\0\\2\\x5f\\x90\\0\\0\\0\\0\\x80\\0\\0' > p.sup
      ffmpeg -v error -i mute.mka -f sup -i p.sup -map 0 -map 1 -c copy p.mka
      """)
    let pictures = try stage.job(job.replacing("mute.mka", with: "p.mka"))
    #expect(pictures.status == 2)
    #expect(
      pictures.errors.contains(
        "'p.mka': has subtitles as pictures (hdmv_pgs_subtitle), in which no text is read"),
      "\(pictures.errors)")
    #expect(try stage.run("test -e x.vtt -o -e x.wav").status == 1)
  }

  @Test("--isolate reads texts in a process of its own")
  func isolated() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml", "clip: talk.m4a\ntranscript: keep\noutput: { file: x.wav, transcript: vtt }\n")
    let result = try stage.run("avjob run --quiet --isolate job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try text("x.vtt", in: stage) == Self.plain)
  }

  /// When packets of a file's text begin and how long they last, in milliseconds, and their sizes.
  private func samples(_ name: String, in stage: Stage) throws -> [[Int]] {
    try stage.make(
      """
      ffprobe -v error -select_streams s -show_entries packet=pts_time,duration_time,size \\
        -of csv=p=0 \(name)
      """
    ).text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",").compactMap { Double($0) }
      guard fields.count == 3 else { return nil }
      return [Int((fields[0] * 1000).rounded()), Int((fields[1] * 1000).rounded()), Int(fields[2])]
    }
  }

  private static let spoken = """
    WEBVTT

    00:00.000 --> 00:01.000
    <v Ann>Grüße

    00:01.500 --> 00:03.000
    <v Ann>first

    00:02.000 --> 00:04.001
    <v Bo>second

    """

  @Test(
    "captions are a track without gaps beside the sound and its chapters",
    arguments: [
      ("x.m4a", "aac: 64k"), ("x.m4b", "aac: 64k"), ("x.m4a", "alac: 16 bit"),
    ])
  func captions(name: String, format: String) throws {
    let stage = try stage()
    try stage.write("said.vtt", Self.spoken)
    let result = try stage.job(
      """
      clip: talk.m4a
      chapters: { 0s: Begin, 2s: End }
      transcript: said.vtt
      output: { file: \(name), \(format), transcript: file }
      """)
    #expect(result.status == 0, "\(result.errors)")
    // A text's length stands in two bytes before it.
    // libavformat adds one at the end that shows nothing and lasts no time.
    #expect(
      try samples(name, in: stage).prefix(6) == [
        [0, 1000, 14], [1000, 500, 2], [1500, 500, 7], [2000, 1000, 18], [3000, 1001, 12],
        [4001, 999, 2],
      ])
    let shown = try stage.make(
      "ffmpeg -v error -i \(name) -map 0:s -f srt - | tr -d '\\r' | grep -v '^$'"
    ).text
    #expect(shown.contains("Ann: Grüße\n") && shown.contains("first\nBo: second\n"), "\(shown)")
    let facts = try stage.make(
      """
      ffprobe -v error -show_chapters -show_entries \\
        stream=codec_type,codec_name,start_time:stream_disposition=default:chapter=start_time:chapter_tags=title \\
        -of compact=nk=1:p=0 \(name)
      """
    ).text
    #expect(facts.contains("mov_text|subtitle|0.000000|1"), "\(facts)")
    #expect(facts.contains("0.000000|Begin\n") && facts.contains("2.000000|End\n"), "\(facts)")
    let again = try stage.job(
      "clip: \(name)\ntranscript: keep\noutput: { file: y.wav, transcript: srt }\n")
    #expect(again.status == 0, "\(again.errors)")
    #expect(
      try text("y.srt", in: stage).hasPrefix("1\n00:00:00,000 --> 00:00:01,000\nAnn: Grüße\n"))
  }

  @Test(
    "captions keep to the sound of a movie, whose picture is copied, cut or encoded",
    arguments: [
      "clip: talk.mp4\noutput: { file: x.mp4, transcript: file }",
      "concat: [{ clip: talk.mp4, from: 0s, to: 2s }, { clip: talk.mp4, from: 2s }]\n"
        + "output: { file: x.mp4, transcript: file }",
      "clip: talk.mp4\noutput: { file: x.mp4, video: { h264: crf 30 }, transcript: file }",
    ])
  func movies(job: String) throws {
    let stage = try stage()
    try stage.write("said.vtt", Self.spoken)
    let result = try stage.job(
      "\(job)\n".replacing("\noutput", with: "\ntranscript: said.vtt\noutput"))
    #expect(result.status == 0, "\(result.errors)")
    // The last track is ours; the sound begins 400 ms after the picture.
    let all = try stage.make(
      """
      ffprobe -v error -select_streams s -show_entries packet=stream_index,pts_time,size \\
        -of csv=p=0 x.mp4 | sort -s -t, -k1,1n | awk -F, '$3 > 2 { print $1, int($2 * 1000 + 0.5) }'
      """
    ).text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
    let last = all.last?.first
    #expect(all.filter { $0.first == last }.map { $0[1] } == [400, 1900, 2400, 3400], "\(all)")
  }

  @Test("names in front of captions are speakers where that is said")
  func prefixes() throws {
    let stage = Stage()
    let captions = """
      WEBVTT

      00:00:01.000 --> 00:00:02.000
      <v Ann>Hi

      00:00:02.000 --> 00:00:03.000
      <v Ben>So: hello

      00:00:03.000 --> 00:00:04.000
      A bell

      """
    try stage.write("talk.vtt", captions)
    try stage.make("sox -n -r 8000 -c 1 silent.wav trim 0 5")
    for job in [
      "{ clip: silent.wav, transcript: talk.vtt, "
        + "output: { file: talk.m4a, transcript: file } }",
      "{ clip: talk.m4a, transcript: { file: keep, speaker: prefix }, "
        + "output: { file: out.wav, transcript: vtt } }",
    ] {
      let result = try stage.job(job)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try stage.run("cat out.vtt").text == captions)
  }

  @Test("captions that overlap are read back as they were written, though MP4 shows one at a time")
  func overlapping() throws {
    let stage = Stage()
    let captions = """
      WEBVTT

      00:00:01.000 --> 00:00:02.000
      One
      of two lines

      00:00:01.500 --> 00:00:03.000
      Two

      00:00:01.750 --> 00:00:03.000
      Three

      00:00:03.000 --> 00:00:03.500
      Yes

      00:00:03.500 --> 00:00:04.000
      Yes

      """
    try stage.write("talk.vtt", captions)
    try stage.make("sox -n -r 8000 -c 1 silent.wav trim 0 5")
    for job in [
      "{ clip: silent.wav, transcript: talk.vtt, "
        + "output: { file: talk.m4a, transcript: file } }",
      "{ clip: talk.m4a, transcript: keep, output: { file: out.wav, transcript: vtt } }",
    ] {
      let result = try stage.job(job)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try stage.run("cat out.vtt").text == captions)
  }

  @Test("lyrics of an MP3 have the text, and the times of its cues", arguments: ["2.3", "2.4"])
  func lyrics(version: String) throws {
    let stage = try stage()
    try stage.write("said.vtt", Self.spoken.replacing("WEBVTT\n", with: "WEBVTT\nLanguage: de\n"))
    let result = try stage.job(
      """
      clip: talk.m4a
      transcript: said.vtt
      output: { file: x.mp3, id3: \(version), transcript: lyrics }
      """)
    #expect(result.status == 0, "\(result.errors)")
    let read = """
      from mutagen.id3 import ID3
      tags = ID3('x.mp3', translate=False)
      for key in ('USLT', 'SYLT'):
          for frame in tags.getall(key): print(key, frame.lang, repr(frame.text))
      """
    try stage.write("read.py", read)
    #expect(
      try stage.make("/usr/bin/python3 read.py").text == """
        USLT deu 'Ann: Grüße\\nfirst\\nBo: second'
        SYLT deu [('Ann: Grüße', 0), ('\\nfirst', 1500), ('\\nBo: second', 2000)]

        """)
  }

  @Test(
    "of words that are muted nothing stays in a movie",
    arguments: [("keep", ", transcript: file"), ("keep", ""), ("said.vtt", "")])
  func muted(words: String, place: String) throws {
    let stage = try stage()
    try stage.write("said.vtt", Self.spoken)
    let result = try stage.job(
      """
      clip: talk.mp4
      transcript: \(words)
      mute: { ranges: [0.5s..1s] }
      output: { file: b.mp4\(place) }
      """)
    #expect(result.status == 0, "\(result.errors)")
    let tracks = try stage.make(
      "ffprobe -v error -select_streams s -show_entries stream=codec_name -of csv=p=0 b.mp4")
    #expect(tracks.text == (place.isEmpty ? "" : "mov_text\n"))
    let note =
      "'b.mp4': subtitles of stream 2 (mov_text) of 'talk.mp4' left out, since they have words that "
      + "are muted"
    let notes = try stage.run("avjob plan job.yaml").errors
    #expect(notes.contains(note) == place.isEmpty, "\(notes)")
    guard !place.isEmpty else { return }
    let shown = try stage.make("ffmpeg -v error -i b.mp4 -map 0:s -f srt -").text
    #expect(!shown.contains("One") && shown.contains("Two & more"), "\(shown)")
  }

  @Test("subtitles that are not the words of the output are missed")
  func others() throws {
    let stage = try stage()
    try stage.write("said.vtt", Self.spoken)
    for places in ["", ", transcript: vtt"] {
      try stage.write(
        "job.yaml", "clip: talk.m4a\ntranscript: said.vtt\noutput: { file: x.wav\(places) }\n")
      let notes = try stage.run("avjob plan job.yaml").errors
      #expect(notes.contains("in no output: subtitles of stream 1 (mov_text)"), "\(notes)")
    }
  }
}
