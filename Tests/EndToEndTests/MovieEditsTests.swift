import TestSupport
import Testing

/// Movies that are cut without encoding: by edit lists, and at key pictures.
@Suite("Movies: pictures cut without encoding")
struct MovieEditsTests {
  private typealias Film = MovieCutTests.Film
  private let movies = MovieCutTests()

  /// The pictures of ranges of a film, in seconds of its sound, one range after the other.
  private struct Parts {
    var numbers: [Int] = []
    var pictures: [ArraySlice<UInt8>] = []
    var times: [Double] = []

    init(_ ranges: [(from: Double, to: Double)], of film: Film, soundStart start: Double) {
      var begin = 0.0
      for range in ranges {
        let first = film.border(range.from + start)
        for index in first..<film.border(range.to + start) {
          numbers.append(film.numbers[index])
          pictures.append(film.pictures[index])
          times.append(begin + (index == first ? 0 : film.times[index] - start - range.from))
        }
        begin += range.to - range.from
      }
    }
  }

  @Test(
    "edit lists show the asked pictures, all of them copied, in step with the sound",
    arguments: [
      ("closed.mp4", "mp4"), ("closed.mp4", "mov"), ("cavlc.mp4", "mp4"), ("plain.mp4", "mp4"),
      ("ten.mp4", "mp4"), ("interlaced.mp4", "mp4"), ("uneven.mp4", "mp4"), ("open.mkv", "mp4"),
      ("open.ts", "mp4"), ("cra.mp4", "mp4"), ("vp9.webm", "mp4"),
      ("asp.mp4", "mp4"), ("mpeg2.ts", "mp4"), ("intra.mov", "mov"), ("hidden.mp4", "mp4"),
      ("closed.flv", "mp4"),
    ])
  func edits(source: String, kind: String) throws {
    let stage = try movies.stage()
    let film = try Film(source, in: stage)
    let start = try movies.soundStart(source, in: stage)
    var dice = Dice(UInt64(source.utf8.reduce(7) { $0 + Int($1) }))
    let lengths: [Range<Int64>] = [1_500_000..<2_600_000, 300_000..<900_000, 100_000..<200_000]
    let ranges = lengths.map { lengths in
      let length = dice.number(lengths)
      let from = dice.number(100_000..<4_800_000 - length)
      return (from: Double(from) / 1e6, to: Double(from + length) / 1e6)
    }
    let items = ranges.map { "  - { clip: \(source), from: \($0.from)s, to: \($0.to)s }\n" }
    let result = try stage.job(
      """
      concat:
      \(items.joined())
      output: [{ file: out.\(kind), video: { copy: edits } }, out.wav]

      """)
    #expect(result.status == 0, "\(result.errors)")

    let expected = Parts(ranges, of: film, soundStart: start)
    let cut = try Film("out.\(kind)", in: stage)
    #expect(cut.numbers == expected.numbers)
    #expect(cut.complaints == "")
    #expect(
      zip(cut.times, expected.times).allSatisfy { abs($0 - $1) < 0.0003 }
        && cut.times.count == expected.times.count)
    #expect(zip(cut.pictures, expected.pictures).map(likeness).allSatisfy { $0 == .infinity })
    #expect(
      lag(of: try stage.sound(of: "out.\(kind)"), behind: try stage.sound(of: "out.wav")) == 0)
  }

  @Test(
    "packets are those of the source, from the key picture before a range to the last one needed")
  func packets() throws {
    let stage = try movies.stage()
    let film = try Film("closed.mp4", in: stage)
    let start = try movies.soundStart("closed.mp4", in: stage)
    func digests(_ name: String) throws -> [Substring] {
      try stage.make(
        """
        ffmpeg -v error -ignore_editlist 1 -i \(name) -map 0:v -c copy -f framemd5 - \\
          | sed -n '/^#/!s/.*, *//p'
        """
      ).text.split(separator: "\n")
    }
    let all = try digests("closed.mp4")
    // In order of decoding: which picture it is in order of showing, and whether it is a key picture.
    let packets = try stage.make(
      "ffprobe -v error -select_streams v -show_entries packet=pts,flags -of csv=p=0 closed.mp4"
    ).text.split(separator: "\n").map { $0.split(separator: ",") }
    let shown = packets.compactMap { Int($0[0]) }
    let ranks = shown.map { time in shown.count { $0 < time } }
    let ranges = [(from: 1.0, to: 1.9), (from: 3.1, to: 3.3), (from: 0.5, to: 2.95)]
    var needed: [Substring] = []
    for range in ranges {
      let pictures = film.border(range.from + start)..<film.border(range.to + start)
      let last = ranks.lastIndex(where: pictures.contains) ?? 0
      let first =
        ranks.indices.last { packets[$0][1].hasPrefix("K") && ranks[$0] <= pictures.lowerBound }
        ?? 0
      needed += all[first...last]
    }
    let items = ranges.map { "  - { clip: closed.mp4, from: \($0.from)s, to: \($0.to)s }\n" }
    let result = try stage.job(
      "concat:\n\(items.joined())output: { file: out.mp4, video: { copy: edits } }\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try digests("out.mp4") == needed)
    let facts = try stage.make(
      """
      ffprobe -v error -ignore_editlist 1 -select_streams v -count_packets \\
        -show_entries stream=nb_read_packets -of csv=p=0 out.mp4
      ffprobe -v error -show_entries format=duration -of csv=p=0 out.mp4
      """)
    let values = facts.text.split(separator: "\n").compactMap { Double($0) }
    #expect(values[0] == Double(needed.count))
    #expect(abs(values[1] - 3.55) < 0.03)
  }

  @Test("by the packets' own clock, which some players count, no range is longer than it is shown")
  func ownClock() throws {
    let stage = try movies.stage()
    // The last picture of the range lasts 12 ms beyond it.
    let range = "closed.mp4 1.5s..2.39s"
    let result = try stage.job(
      """
      concat: [\(range), \(range), \(range)]
      output: { file: out.mp4, video: { copy: edits } }

      """)
    #expect(result.status == 0, "\(result.errors)")
    let times = try stage.make(
      """
      ffprobe -v error -ignore_editlist 1 -select_streams v -show_entries packet=pts_time -of csv=p=0 \\
        out.mp4
      """
    ).text.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
    let count = times.count / 3
    #expect(count > 20 && times.count == 3 * count)
    #expect(zip(times.dropFirst(count), times).allSatisfy { abs($0 - $1 - 0.89) < 0.001 })
    // Of the times of decoding the track's duration is the sum: the last edit must not end behind it.
    let duration = try stage.make(
      "ffprobe -v error -select_streams v -show_entries stream=duration -of csv=p=0 out.mp4"
    ).text.split(separator: "\n").compactMap { Double($0) }
    #expect(duration.count == 1 && duration.allSatisfy { abs($0 - 2.67) < 0.01 }, "\(duration)")
  }

  @Test("a time without a picture shows the last one, and not what an edit list hides behind it")
  func gap() throws {
    let stage = try movies.stage()
    let film = try Film("closed.mp4", in: stage)
    let start = try movies.soundStart("closed.mp4", in: stage)
    let result = try stage.job(
      """
      concat: [closed.mp4 1s..1.5s, { silence: 500ms }, closed.mp4 3s..3.4s]
      output: { file: out.mp4, video: { copy: edits } }

      """)
    #expect(result.status == 0, "\(result.errors)")
    let parts = [(1.0, 1.5), (3.0, 3.4)].map {
      Parts([(from: $0.0, to: $0.1)], of: film, soundStart: start)
    }
    let cut = try Film("out.mp4", in: stage)
    #expect(cut.numbers == parts[0].numbers + parts[1].numbers)
    let times = parts[0].times + parts[1].times.map { $0 + 1 }
    #expect(zip(cut.times, times).allSatisfy { abs($0 - $1) < 0.0003 })
  }

  @Test("plans and notes say what is hidden, and who shows it all the same")
  func notes() throws {
    let stage = try movies.stage()
    try stage.write(
      "job.yaml",
      "clip: closed.mp4\ncut: [1s..2s]\noutput: { file: out.mp4, video: { copy: edits } }\n")
    let plan = try stage.run("avjob plan job.yaml")
    #expect(
      plan.text.contains(
        "beside it: h264 of 'closed.mp4' in 2 parts, copied, and hidden around cuts by an edit list\n"
      ), "\(plan.text)")
    #expect(
      plan.errors.contains(
        "note: 'out.mp4': pictures around cuts are in it, and an edit list hides them; mpv and VLC show "
          + "them, and GStreamer plays the first part only"), "\(plan.errors)")
    for line in ["closed.mp4 0:00.000 – 0:01.000: copied\n", "in all 0 pictures encoded\n"] {
      #expect(plan.text.contains(line), "\(plan.text)")
    }
    #expect(!plan.text.contains("encoded before"))
  }

  @Test("fades of pictures are refused, with a fade that leaves them as they are")
  func faded() throws {
    let stage = try movies.stage()
    for (keys, key, duration) in [
      ("clip: closed.mp4 1s..2s\nfade_in: 500ms", "fade_in", "0.5s"),
      ("clip: closed.mp4 1s..2s\nfade_out: 400ms", "fade_out", "0.4s"),
      ("concat: [closed.mp4 0s..1s, closed.mp4 2s..3s]\ncrossfade: 200ms", "crossfade", "0.2s"),
    ] {
      let refused = try stage.job(
        "\(keys)\noutput: { file: out.mp4, video: { copy: edits } }\n")
      #expect(refused.status == 2)
      #expect(
        refused.errors.contains("error: '\(key)' changes pictures, and 'copy: edits' encodes none"),
        "\(refused.errors)")
      #expect(
        refused.errors.contains(
          "help: write '\(key): { duration: \(duration), picture: cut }', or 'video: copy'"))
    }
    let cut = try stage.job(
      """
      clip: closed.mp4 1s..2s
      fade_in: { duration: 500ms, picture: cut }
      output: { file: out.mp4, video: { copy: edits } }

      """)
    #expect(cut.status == 0, "\(cut.errors)")
  }

  @Test("AV1 is refused, of which FFmpeg shows what is hidden")
  func av1() throws {
    let stage = try movies.stage()
    let refused = try stage.job(
      "clip: av1.mp4 1s..2s\noutput: { file: out.mp4, video: { copy: edits } }\n")
    #expect(refused.status == 2)
    #expect(
      refused.errors.contains(
        "error: the picture of 'av1.mp4' is AV1, of which FFmpeg shows what 'copy: edits' hides\n"),
      "\(refused.errors)")
  }

  @Test("containers without edit lists are refused, with one that has them")
  func refused() throws {
    let stage = try movies.stage()
    for (name, container) in [("out.mkv", "MKV"), ("out.webm", "WebM")] {
      let result = try stage.job(
        "clip: vp9.webm 1s..2s\noutput: { file: \(name), video: { copy: edits } }\n")
      #expect(result.status == 2)
      #expect(
        result.errors.contains("error: \(container) has no edit lists, which 'copy: edits' needs"),
        "\(result.errors)")
      #expect(result.errors.contains("help: write 'out.mp4', or 'video: copy'"))
    }
    let folder = try stage.job(
      "clip: closed.mp4 1s..2s\noutput: { folder: made, aac: 128k, video: { copy: edits } }\n")
    #expect(folder.status == 0, "\(folder.errors)")
    #expect(try stage.run("ls made").text == "closed.mp4\n")
  }
}
