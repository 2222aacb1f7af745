import TestSupport
import Testing

/// Movies that are cut and joined keep their texts and their timecode.
@Suite("Movies: texts and timecodes cut and joined with the picture")
struct MovieTextTests {
  /// When a text of a movie is shown, in milliseconds.
  private struct Line: Hashable {
    var from: Int
    var to: Int
    var text: String

    init(_ from: Int, _ to: Int, _ text: String) {
      (self.from, self.to, self.text) = (from, to, text)
    }
  }

  private static let english = [
    Line(500, 2000, "One"), Line(2500, 4200, "Two"), Line(4300, 4400, "Three"),
    Line(4700, 5000, "Lost"), Line(6000, 9500, "Long"),
  ]
  private static let french = [Line(1000, 8000, "Tout"), Line(8500, 9000, "Fin")]

  private func subRip(_ lines: [Line]) -> String {
    func clock(_ time: Int) -> String {
      func digits(_ number: Int, _ count: Int) -> String {
        String("\(number + 1000)".suffix(count))
      }
      return "00:00:\(digits(time / 1000, 2)),\(digits(time % 1000, 3))"
    }
    return lines.enumerated().map { index, line in
      "\(index + 1)\n\(clock(line.from)) --> \(clock(line.to))\n<i>\(line.text)</i>\n\n"
    }.joined()
  }

  /// Ten seconds of pictures at 25 a second with two texts, in MP4 and Matroska, and in `web.mkv` by codecs
  /// of WebM; `styled.mkv` has the second one in another style; one at 29.97 with a drop-frame timecode,
  /// one with pictures at uneven times, and one with a German text.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      cat > english.srt << 'END'
      \(subRip(Self.english))
      END
      cat > french.srt << 'END'
      \(subRip(Self.french))
      END
      film() {
        rate=$1; shift
        ffmpeg -v error -f lavfi -i testsrc=s=128x96:d=10:r=$rate -f lavfi -i sine=d=10:r=48000 \\
          -i english.srt -i french.srt -map 0 -map 1 -c:v libx264 -bf 2 -g 40 \\
          -pix_fmt yuv420p "$@"
      }
      film 25 -map 2 -map 3 -c:a aac -c:s mov_text -metadata:s:s:0 language=eng \\
        -metadata:s:s:1 language=fre -timecode 01:00:00:00 movie.mp4
      film 25 -map 2 -map 3 -c:a flac -c:s:0 subrip -c:s:1 ass -metadata:s:s:0 language=eng \\
        -metadata:s:s:1 language=fre -timecode 01:00:00:00 movie.mkv
      film 25 -map 2 -map 3 -c:v libvpx -deadline realtime -cpu-used 8 -c:a flac -c:s webvtt \\
        -metadata:s:s:0 language=eng -metadata:s:s:1 language=fre web.mkv
      ffmpeg -v error -i french.srt french.ass
      sed 's/^Style: Default,Arial/Style: Default,Courier/' french.ass > styled.ass
      ffmpeg -v error -i movie.mkv -i styled.ass -map 0:v -map 0:a -map 1 -c copy \\
        -metadata:s:s:0 language=fre styled.mkv
      film 30000/1001 -c:a aac -timecode '00:00:59;20' drop.mp4
      film 25 -map 3 -c:a aac -c:s mov_text -metadata:s:s:0 language=ger german.mp4
      ffmpeg -v error -i movie.mp4 -map 0:v -map 0:a -c:a copy -c:v libx264 -bf 2 \\
        -vf "select='not(mod(n,3))+gt(n,60)'" -vsync vfr -timecode 01:00:00:00 uneven.mp4
      """)
    return stage
  }

  /// What another demuxer and decoder find of a text: when it is shown, and what it says.
  private func lines(_ name: String, _ track: Int, in stage: Stage) throws -> [Line] {
    let packets = try stage.make(
      """
      ffprobe -v error -select_streams s:\(track) -show_entries packet=pts_time,duration_time,size \\
        -of csv=p=0 \(name)
      """
    ).text.split(separator: "\n")
    let texts = try stage.make(
      """
      ffmpeg -v error -i \(name) -map 0:s:\(track) -c:s webvtt -f webvtt - | sed 's/<[^>]*>//g' \\
        | grep -E '^[A-Z][a-z]+$'
      """
    ).text.split(separator: "\n")
    var lines: [Line] = []
    for packet in packets {
      let fields: [Double] = packet.split(separator: ",").compactMap { Double($0) }
      // Those of two bytes show nothing.
      guard fields.count == 3, fields[2] > 2, lines.count < texts.count else { continue }
      let (from, to) = (fields[0] * 1000, (fields[0] + fields[1]) * 1000)
      #expect(abs(from - from.rounded()) < 0.05 && abs(to - to.rounded()) < 0.05)
      lines.append(Line(Int(from.rounded()), Int(to.rounded()), String(texts[lines.count])))
    }
    #expect(lines.count == texts.count)
    return lines
  }

  private func timecode(_ name: String, in stage: Stage) throws -> String {
    try stage.make(
      "ffprobe -v error -select_streams v:0 -show_entries stream_tags=timecode -of csv=p=0 \(name)"
    ).text
  }

  /// What is cut into which container, and the codecs of the texts before and behind that.
  private static let films: [(String, String, [String], [String])] = [
    ("movie.mp4", "mp4", ["mov_text", "mov_text"], ["mov_text", "mov_text"]),
    ("movie.mp4", "mov", ["mov_text", "mov_text"], ["mov_text", "mov_text"]),
    ("movie.mp4", "mkv", ["mov_text", "mov_text"], ["subrip", "subrip"]),
    ("movie.mkv", "mp4", ["subrip", "ass"], ["mov_text", "mov_text"]),
    ("movie.mkv", "mov", ["subrip", "ass"], ["mov_text", "mov_text"]),
    ("movie.mkv", "mkv", ["subrip", "ass"], ["subrip", "ass"]),
    ("web.mkv", "mkv", ["webvtt", "webvtt"], ["webvtt", "webvtt"]),
    ("web.mkv", "webm", ["webvtt", "webvtt"], ["webvtt", "webvtt"]),
  ]

  @Test(
    "each text has a cue for each kept part, to the tick, and the first picture has its timecode",
    arguments: films)
  func ranges(source: String, kind: String, from: [String], to: [String]) throws {
    let stage = try stage()
    let ranges = [(1500, 3200), (4000, 4500), (6100, 9000)]
    let items = ranges.map { "  - { clip: \(source), from: \($0.0)ms, to: \($0.1)ms }\n" }
    let result = try stage.job("concat:\n\(items.joined())output: out.\(kind)\n")
    #expect(result.status == 0, "\(result.errors)")
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.text.contains("\(from[0]) (eng), \(from[1]) (fre)"))
    let losesStyles = from[1] == "ass" && to[1] != "ass"
    let note =
      "the styles of subtitles of 'movie.mkv' left out, since \(kind.uppercased()) holds texts without "
      + "them"
    let notes = plan.errors.split(separator: "\n").filter { $0.contains("note: ") }
    #expect(
      notes.contains { $0.contains(note) } == losesStyles
        && notes.allSatisfy {
          $0.contains(note) || $0.contains("note: tags of '\(source)' left out")
        },
      "\(plan.errors)")

    for (track, source) in [Self.english, Self.french].enumerated() {
      var expected: [Line] = []
      var begin = 0
      for range in ranges {
        for line in source {
          let (from, to) = (max(line.from, range.0), min(line.to, range.1))
          if from < to {
            expected.append(Line(begin + from - range.0, begin + to - range.0, line.text))
          }
        }
        begin += range.1 - range.0
      }
      #expect(try lines("out.\(kind)", track, in: stage) == expected)
    }
    let languages = try stage.make(
      """
      ffprobe -v error -select_streams s -show_entries stream=codec_name:stream_tags=language \\
        -of csv=p=0 out.\(kind) | sed s/fra/fre/
      """)
    #expect(languages.text == "\(to[0]),eng\n\(to[1]),fre\n")
    guard source != "web.mkv", !["mkv", "webm"].contains(kind) else { return }
    // Two pictures begin as near: the later one is shown.
    #expect(try timecode("out.\(kind)", in: stage) == "01:00:01:13\n")
  }

  @Test(
    "ASS keeps its header where all sources have the same one, and else its text alone",
    arguments: [("same.mkv", "ass"), ("styled.mkv", "subrip")])
  func styles(other: String, codec: String) throws {
    let stage = try stage()
    try stage.make("cp movie.mkv same.mkv")
    let result = try stage.job(
      "concat:\n  - { clip: movie.mkv, to: 3s }\n  - { clip: \(other), to: 3s }\noutput: out.mkv\n")
    #expect(result.status == 0, "\(result.errors)")
    let errors = try stage.run("avjob plan job.yaml").errors
    #expect(
      errors.contains("the styles of subtitles of 2 sources left out") == (codec != "ass"),
      "\(errors)")
    #expect(
      try lines("out.mkv", 1, in: stage) == [Line(1000, 3000, "Tout"), Line(4000, 6000, "Tout")])
    let headers = try stage.make(
      """
      for name in movie out; do
        ffprobe -v error -select_streams s:1 -show_data_hash md5 \
          -show_entries stream=codec_name,extradata_hash -of csv=p=0 $name.mkv
      done
      """
    ).text.split(separator: "\n")
    #expect(headers.count == 2 && headers[1].hasPrefix(codec))
    #expect((headers[0] == headers[1]) == (codec == "ass"))
  }

  /// `S_TEXT/WEBVTT`, which libavformat does not know, and whose inner times begin with each text.
  @Test(
    "WebVTT as mkvmerge writes it goes along, whole and cut, with its names, places and inner times"
  )
  func blocksOfWebVTT() throws {
    let stage = try stage()
    try stage.make(
      """
      printf 'WEBVTT\\n\\nfirst\\n00:00.500 --> 00:02.000 line:0\\nOne <00:01.000>two\\n' > words.vtt
      printf '\\n00:02.500 --> 00:04.200\\nThree\\n' >> words.vtt
      mkvmerge -q -o spoken.mkv -S web.mkv words.vtt
      """)
    // Times as they are: ffmpeg counts from the first packet, which is before 0 in Opus.
    for name in ["whole.mkv", "whole.webm"] {
      try stage.write("job.yaml", "clip: spoken.mkv\noutput: \(name)\n")
      let result = try stage.run("avjob run job.yaml")
      #expect(result.status == 0 && !result.errors.contains("left out"), "\(result.errors)")
      let text = try stage.make("ffmpeg -v error -copyts -i \(name) -map 0:s -c copy -f webvtt -")
        .text
      #expect(
        text.contains("first\n00:00.500 --> 00:02.000 line:0\nOne <00:00:01.000>two\n"), "\(text)")
      #expect(text.contains("00:02.500 --> 00:04.200\nThree\n"), "\(text)")
    }
    for (name, range, first, second) in [
      (
        "a.mkv", "1.2s..3s", "first\n00:00.000 --> 00:00.800 line:0\nOne two",
        "00:01.300 --> 00:01.800"
      ),
      ("b.mkv", "0.75s..3s", "00:01.250 line:0\nOne <00:00:00.250>two", "00:01.750 --> 00:02.250"),
      (
        "c.mkv", "0.75s..3s, speed: 50%", "00:02.500 line:0\nOne <00:00:00.500>two",
        "00:03.500 --> 00:04.500"
      ),
      ("d.mp4", "1.2s..3s", "00:00.000 --> 00:00.800\nOne two", "00:01.300 --> 00:01.800"),
    ] {
      let video = name == "a.mkv" || name == "b.mkv" ? "copy" : "{ h264: crf 30 }"
      let result = try stage.job(
        "{ clip: spoken.mkv \(range), output: { file: \(name), video: \(video) } }\n")
      #expect(result.status == 0, "\(result.errors)")
      let found = try stage.make(
        "ffmpeg -v error -copyts -i \(name) -map 0:s -c:s \(name == "d.mp4" ? "webvtt" : "copy") -f webvtt -"
      ).text
      #expect(found.contains(first) && found.contains(second), "\(name): \(found)")
    }
  }

  @Test("ASS becomes WebVTT in a WebM of a whole movie, too, and the loss of its styles is said")
  func styledWebM() throws {
    let stage = try stage()
    try stage.make(
      "ffmpeg -v error -i web.mkv -i french.ass -map 0:v -map 0:a -map 1 -c copy styled-web.mkv")
    try stage.write("job.yaml", "clip: styled-web.mkv\noutput: out.webm\n")
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains(
        "the styles of subtitles of 'styled-web.mkv' left out, since WebM holds texts without them"),
      "\(result.errors)")
    #expect(try lines("out.webm", 0, in: stage) == Self.french)
  }

  @Test("drop-frame timecodes go on without the numbers that they leave out")
  func dropFrame() throws {
    let stage = try stage()
    #expect(try stage.job("clip: drop.mp4 1s..5s\noutput: out.mov\n").status == 0)
    #expect(try timecode("out.mov", in: stage) == "00:01:00;22\n")
  }

  @Test("pictures at uneven times have no timecode behind a cut, and a note says so")
  func uneven() throws {
    let stage = try stage()
    #expect(try stage.job("clip: uneven.mp4 1s..5s\noutput: out.mp4\n").status == 0)
    let errors = try stage.run("avjob plan job.yaml").errors
    #expect(
      errors.contains(
        "the timecode of 'uneven.mp4' left out, since its pictures do not last equally long"),
      "\(errors)")
    #expect(try timecode("out.mp4", in: stage).filter { $0 != "\n" } == "")
  }

  @Test("joined movies have one text for each language")
  func joined() throws {
    let stage = try stage()
    let result = try stage.job(
      "concat:\n  - { clip: movie.mp4, to: 2s }\n  - { clip: german.mp4, to: 2s }\noutput: out.mp4\n"
    )
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let expected = [
      [Line(500, 2000, "One")], [Line(1000, 2000, "Tout")], [Line(3000, 4000, "Tout")],
    ]
    for (track, expected) in expected.enumerated() {
      #expect(try lines("out.mp4", track, in: stage) == expected)
    }
  }

  @Test("more subtitles than a text of 200 hours has are refused by name")
  func tooMany() throws {
    let stage = Stage()
    try stage.make(
      """
      awk 'BEGIN { for (i = 0; i <= 400000; i++)
        printf "%d\\n00:00:01,000 --> 00:00:01,100\\n%d\\n\\n", i + 1, i }' > many.srt
      ffmpeg -v error -f lavfi -i testsrc=s=32x32:r=5:d=2 -f lavfi -i anoisesrc=d=2 -i many.srt \\
        -c:v libx264 -c:a flac -c:s copy many.mkv
      """)
    let result = try stage.job("clip: many.mkv 200ms..1.5s\noutput: out.mp4\n")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "'many.mkv': has more than 400000 subtitles; leave them out of it first, as with 'ffmpeg -i IN -map "
          + "0 -map -0:s -c copy OUT'"), "\(result.errors)")
  }
}
