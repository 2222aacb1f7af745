import Glibc
import TestSupport
import Testing

/// Movies that are cut and joined: each picture says its number, so that it is known which ones came out.
@Suite("Movies: pictures cut and joined by copying")
struct MovieCutTests {
  /// Movies of six seconds, each of another codec, container, or order of its pictures. The upper sixteen
  /// lines of a picture are its number as sixteen bars, the first one the lowest bit.
  func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      bars="geq=lum='if(mod(floor(N/pow(2,floor(X/20))),2),235,16)'"
      ffmpeg -v error -f lavfi -i "color=s=320x16:r=30000/1001:d=6,format=gray,$bars" \\
        -f lavfi -i testsrc2=s=320x180:r=30000/1001:d=6 \\
        -f lavfi -i anoisesrc=d=6:a=0.3:seed=7:r=48000 \\
        -filter_complex '[1][0]overlay,format=yuv420p' -c:v ffv1 -c:a pcm_s16le numbers.mkv
      make() { ffmpeg -v error -i numbers.mkv "$@" 2> /dev/null; }
      make -c:a aac -c:v libx264 -bf 3 -g 40 closed.mp4
      make -c:a flac -c:v libx264 -bf 3 -g 40 -x264-params open-gop=1 open.mkv
      make -c:a mp2 -c:v libx264 -bf 3 -g 40 -x264-params open-gop=1 open.ts
      make -c:a aac -c:v libx264 -g 40 -profile:v main -x264-params cabac=0 cavlc.mp4
      make -c:a aac -c:v libx264 -g 40 -profile:v baseline plain.mp4
      make -c:a aac -c:v libx264 -g 40 -pix_fmt yuv420p10le ten.mp4
      make -c:a aac -c:v libx264 -g 40 -flags +ildct+ilme interlaced.mp4
      make -c:a aac -c:v libx264 -bf 2 -g 40 -vf "select='not(mod(n,3))+gt(n,90)'" -vsync vfr uneven.mp4
      make -c:a aac -c:v libx265 -x265-params keyint=40:open-gop=1:log-level=none cra.mp4
      for size in 32 16; do
        make -t 3 -c:a aac -c:v libx265 -preset ultrafast \\
          -x265-params keyint=20:open-gop=0:max-tu-size=$size:log-level=none hevc$size.mp4
      done
      make -c:a libopus -c:v libvpx-vp9 -g 40 -deadline realtime -cpu-used 8 vp9.webm
      make -c:a aac -c:v libsvtav1 -g 40 -preset 12 av1.mp4
      make -c:a aac -c:v mpeg4 -bf 2 -g 40 -q:v 3 asp.mp4
      make -c:a mp2 -c:v mpeg2video -bf 2 -g 15 -q:v 3 mpeg2.ts
      make -c:a aac -c:v mjpeg -q:v 3 intra.mov
      make -c:a mp2 -c:v mpeg4 -bf 2 -g 40 -q:v 3 asp.avi
      make -c:a pcm_s16le -c:v mjpeg -q:v 3 intra.avi
      make -c:a mp2 -c:v mpeg2video -bf 2 -g 15 -q:v 3 mpeg2.mpg
      make -c:a mp2 -c:v mpeg1video -bf 2 -g 15 -q:v 3 -aspect 4:3 mpeg1.mpg
      make -c:a mp2 -c:v mpeg4 -g 40 -q:v 3 simple.avi
      make -c:a libvorbis -c:v libvpx -g 40 -deadline realtime -cpu-used 8 vp8.ogv
      make -c:a libvorbis -c:v libtheora -g 40 -q:v 8 theora.ogv
      ffmpeg -v error -ss 1.1 -i closed.mp4 -c copy hidden.mp4
      ffmpeg -v error -i closed.mp4 -c copy closed.flv
      """)
    return stage
  }

  /// What another decoder finds in a movie.
  struct Film {
    /// The numbers that its pictures say.
    var numbers: [Int] = []
    /// Luma of each picture.
    var pictures: [ArraySlice<UInt8>] = []
    /// When they are shown, in seconds by the file's clock.
    var times: [Double] = []
    /// What decoders said.
    var complaints = ""

    private static let (width, height) = (320, 180)

    init(_ name: String, in stage: Stage) throws {
      let probed = try stage.make(
        """
        ffprobe -v error -fflags +genpts -select_streams v:0 -show_entries frame=pts_time -of csv=p=0 \
          \(name) 2> said
        ffmpeg -y -v error -i \(name) -map 0:v:0 -fps_mode passthrough -pix_fmt gray -f rawvideo luma 2>> said
        """)
      times = probed.text.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
      // Its writer counts pictures at one rate.
      complaints = try stage.make("grep -v 'Application provided invalid' said || true").text
      let luma = try readFile(stage.path("luma"))
      let size = Self.width * Self.height
      for start in stride(from: 0, to: luma.count - size + 1, by: size) {
        pictures.append(luma[start..<start + size])
        numbers.append(
          (0..<16).reduce(0) { number, bar in
            number | (luma[start + 8 * Self.width + bar * 20 + 10] > 125 ? 1 << bar : 0)
          })
      }
    }

    /// Which picture's start is nearest to a moment, the later of two that are as near.
    func border(_ time: Double) -> Int {
      let ends = times.dropFirst() + [(times.last ?? 0) + 1001.0 / 30000]
      return zip(times, ends).enumerated().first { time < ($1.0 + $1.1) / 2 - 1e-9 }?.offset
        ?? times.count
    }
  }

  static let sources = [
    "closed.mp4", "open.mkv", "open.ts", "cavlc.mp4", "plain.mp4", "ten.mp4", "interlaced.mp4",
    "uneven.mp4", "cra.mp4", "vp9.webm", "av1.mp4", "asp.mp4", "mpeg2.ts", "intra.mov",
    "hidden.mp4", "closed.flv", "asp.avi", "intra.avi", "mpeg2.mpg", "mpeg1.mpg", "simple.avi",
  ]

  /// Seconds by the file's clock at which the sound begins.
  func soundStart(_ name: String, in stage: Stage) throws -> Double {
    // The first packet of Vorbis gives no sound.
    let place = name.hasSuffix(".ogv") ? 2 : 1
    let text = try stage.make(
      """
      ffprobe -v error -select_streams a:0 -read_intervals %+#2 -of compact=p=0:nk=1 \\
        -show_entries packet=pts_time:packet_side_data=skip_samples \(name) \\
        | grep . | sed -n \(place)p | tr '|' ' '
      """
    ).text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    return max(0, text[0] + (text.count > 1 ? text[1] : 0) / 48000)
  }

  /// Each source into MP4 or MOV, and some into containers that count milliseconds.
  private static let films =
    sources.map { ($0, $0.hasSuffix(".mov") ? "mov" : "mp4") } + [
      ("vp9.webm", "webm"), ("vp9.webm", "mkv"), ("open.mkv", "mkv"), ("closed.mp4", "mkv"),
      ("cra.mp4", "mkv"), ("hidden.mp4", "mkv"), ("mpeg2.ts", "mkv"), ("av1.mp4", "webm"),
      ("asp.avi", "mkv"), ("vp8.ogv", "webm"), ("vp8.ogv", "mkv"),
    ]

  @Test(
    "the asked pictures are there, each once and in its place, and copied where no cut touches them",
    arguments: films)
  func ranges(source: String, kind: String) throws {
    let stage = try stage()
    let film = try Film(source, in: stage)
    let start = try soundStart(source, in: stage)
    var dice = Dice(UInt64(source.utf8.reduce(0) { $0 + Int($1) }))
    // Microseconds: one range that holds whole groups, and short ones.
    let lengths: [Range<Int64>] = [1_500_000..<2_600_000, 100_000..<900_000, 20_000..<60_000]
    let ranges = lengths.map { lengths in
      let length = dice.number(lengths)
      let from = dice.number(100_000..<4_800_000 - length)
      return (from: Double(from) / 1e6, to: Double(from + length) / 1e6)
    }
    let isMatroska = ["mkv", "webm"].contains(kind)
    let items = ranges.map { "  - { clip: \(source), from: \($0.from)s, to: \($0.to)s }\n" }
    let result = try stage.job("concat:\n\(items.joined())output: [out.\(kind), out.wav]\n")
    #expect(result.status == 0, "\(result.errors)")

    var (numbers, times, pictures): ([Int], [Double], [ArraySlice<UInt8>]) = ([], [], [])
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
    let cut = try Film("out.\(kind)", in: stage)
    #expect(cut.numbers == numbers)
    #expect(cut.complaints == "")
    #expect(
      zip(cut.times, times).allSatisfy { abs($0 - $1) < (isMatroska ? 0.00051 : 0.00003) }
        && cut.times.count == times.count, "\(zip(cut.times, times).map { $0 - $1 })")
    let likenesses = zip(cut.pictures, pictures).map(likeness)
    #expect(likenesses.allSatisfy { $0 >= 40 })
    let copied = likenesses.count { $0 == .infinity }
    #expect(copied >= numbers.count / 5, "\(copied) of \(numbers.count)")

    let lag = lag(of: try stage.sound(of: "out.\(kind)"), behind: try stage.sound(of: "out.wav"))
    #expect(abs(lag) <= (isMatroska ? 48 : 0), "\(lag)")
  }

  @Test("a range without a picture is refused, and one picture is a movie")
  func tiny() throws {
    let stage = try stage()
    for video in ["copy", "{ h264: crf 30 }"] {
      let none = try stage.job(
        "clip: closed.mp4 1.010s..1.015s\noutput: { file: none.mp4, video: \(video) }\n")
      #expect(none.status == 1)
      #expect(
        none.errors.contains(
          "'closed.mp4': has no picture that begins in what is shown of it, or near; make the range "
            + "longer, or write the sound alone"), "\(none.errors)")
      let one = try stage.job(
        "clip: closed.mp4 1.000s..1.030s\noutput: { file: one.mp4, video: \(video) }\n")
      #expect(one.status == 0, "\(one.errors)")
      #expect(try Film("one.mp4", in: stage).numbers == [30])
      try stage.make("rm one.mp4; [[ ! -e none.mp4 ]]")
    }
  }

  /// ISO/IEC 14496-15, 5.3.3 and 8.3.3.
  @Test(
    "the sample entry says whether parameter sets stand in the stream",
    arguments: [
      ("closed.mp4", "1s..4s", "avc1"), ("interlaced.mp4", "1s..4s", "avc3"),
      ("interlaced.mp4", "0s..4s", "avc3"), ("cra.mp4", "1s..4s", "hvc1"),
    ])
  func sampleEntry(source: String, range: String, entry: String) throws {
    let stage = try stage()
    let result = try stage.job("clip: \(source) \(range)\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let found = try stage.make(
      """
      ffprobe -v error -select_streams v -of csv=p=0 -show_entries stream=codec_tag_string out.mp4
      """)
    #expect(found.text == "\(entry)\n")
  }

  @Test("Theora, which is not encoded, is cut at its key pictures or encoded throughout")
  func theora() throws {
    let stage = try stage()
    let film = try Film("theora.ogv", in: stage)
    let copy = try stage.job("clip: theora.ogv 1s..3s\noutput: copy.mkv\n")
    #expect(copy.status == 1)
    #expect(
      copy.errors.contains(
        "has a picture of theora, which is not encoded: cut it at its key frames"),
      "\(copy.errors)")
    let start = try soundStart("theora.ogv", in: stage)
    let whole = try stage.job(
      "clip: theora.ogv 1s..3s\noutput: { file: out.mp4, video: { h264: crf 20, preset: ultrafast } }\n"
    )
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(
      try Film("out.mp4", in: stage).numbers
        == Array(film.numbers[film.border(1 + start)..<film.border(3 + start)]))
    let strict = try stage.job(
      "clip: theora.ogv\noutput: { file: whole.mkv, video: copy strict }\n")
    #expect(strict.status == 0, "\(strict.errors)")
    #expect(try Film("whole.mkv", in: stage).numbers == film.numbers)
  }
}
