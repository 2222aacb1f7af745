import TestSupport
import Testing

/// Movies whose pictures fade. Each picture says its number, and below it is of one luma, so that the
/// share of each source in it is seen.
@Suite("Movies: fades and cross-fades of the picture")
struct MovieFadeTests {
  /// Movies of four seconds with 25 pictures and a key picture a second. Sixteen bars say a picture's
  /// number, the first one the lowest bit; below them `flat` has a luma of 200 and `steep` one of 40 and
  /// the number.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      make() {
        bars="if(mod(floor(N/pow(2,floor(X/4))),2),235,16)"
        ffmpeg -v error -f lavfi -i "color=s=64x48:r=25:d=4,format=$3,geq=lum='if(lt(Y,16),$bars,$2)':cb=128:cr=128" \\
          -f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000 -g 25 -keyint_min 25 "${@:4}" $1 2> /dev/null
      }
      h264="-c:v libx264 -crf 4 -bf 2 -x264-params scenecut=0"
      for kind in flat:200 steep:40+N; do
        make ${kind%:*}.mp4 ${kind#*:} yuv420p -c:a aac $h264
        make ${kind%:*}.webm ${kind#*:} yuv420p -c:a libopus -c:v libvpx-vp9 -crf 4 -b:v 0 -cpu-used 8
      done
      ten() { ffmpeg -v error -i $1.mp4 -c:a copy $h264 -g 25 -pix_fmt yuv420p10le $1-ten.mp4; }
      ten flat; ten steep
      make full.mp4 200 yuv420p -vf setparams=range=pc -color_range pc -c:a aac $h264
      ffmpeg -v error -i flat.mp4 -c:a copy -c:v mjpeg -q:v 2 intra.mov 2> /dev/null
      """)
    return stage
  }

  /// What another decoder finds in a movie.
  private struct Film {
    /// The numbers that its pictures say: of no meaning where two are blended.
    var numbers: [Int] = []
    /// Luma below the numbers, and whether all of it is within one step.
    var levels: [Int] = []
    var areFlat = true
    var pictures: [ArraySlice<UInt8>] = []
    var times: [Double] = []

    private static let (width, height) = (64, 48)

    init(_ name: String, in stage: Stage) throws {
      let probed = try stage.make(
        """
        ffprobe -v error -select_streams v:0 -show_entries frame=pts_time -of csv=p=0 \(name)
        format=$(ffprobe -v error -select_streams v:0 -show_entries stream=pix_fmt -of csv=p=0 \(name))
        [[ $format == yuvj420p ]] || format=yuv420p
        ffmpeg -y -v error -i \(name) -map 0:v:0 -fps_mode passthrough -pix_fmt $format -f rawvideo raw
        """)
      times = probed.text.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
      let bytes = try readFile(stage.path("raw"))
      let size = Self.width * Self.height
      for start in stride(from: 0, to: bytes.count - size + 1, by: size * 3 / 2) {
        pictures.append(bytes[start..<start + size * 3 / 2])
        numbers.append(
          (0..<16).reduce(0) { number, bar in
            number | (bytes[start + 8 * Self.width + bar * 4 + 2] > 125 ? 1 << bar : 0)
          })
        let field = bytes[start + 20 * Self.width..<start + size - 4 * Self.width]
        let level = Int(field[field.startIndex + 10 * Self.width + 32])
        levels.append(level)
        areFlat = areFlat && field.allSatisfy { abs(Int($0) - level) <= 3 }
      }
    }
  }

  /// Whether all are within two steps, or for ten bits, which are rounded once more, three.
  private func isNear(_ levels: [Int], _ expected: [Double], _ most: Double = 2) -> Bool {
    levels.count == expected.count
      && zip(levels, expected).allSatisfy { abs(Double($0) - $1) <= most + 0.5 }
  }

  /// The share of a picture that is 1/25 s long and the `index`th, of a fade over `range`.
  private func share(_ index: Int, _ range: ClosedRange<Double>) -> Double {
    let middle = (Double(index) + 0.5) / 25
    return min(max((middle - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
  }

  @Test(
    "a picture fades from and to black over the time of the sound's fades, and is copied between them",
    arguments: [
      ("flat.mp4", "copy", 16.0), ("flat-ten.mp4", "copy", 16), ("flat.webm", "copy", 16),
      ("full.mp4", "copy", 0), ("flat.mp4", "{ h264: crf 4 }", 16),
      ("flat-ten.mp4", "{ h265: crf 4, preset: ultrafast }", 16),
      ("intra.mov", "{ h264: crf 4 }", 16),
    ])
  func black(source: String, video: String, black: Double) throws {
    let stage = try stage()
    let name = source.hasSuffix("webm") ? "out.mkv" : "out.mp4"
    func job(_ picture: String) throws -> ToolResult {
      try stage.job(
        """
        clip: \(source) 520ms..3.52s
        fade_in: { duration: 1s, picture: \(picture) }
        fade_out: { duration: 1s, curve: equal_power, picture: \(picture) }
        output: { file: \(name), video: \(video) }

        """)
    }
    let sound = "ffmpeg -v error -i \(name) -map 0:a -c copy -f md5 -"
    let faded = try job("fade")
    #expect(faded.status == 0, "\(faded.errors)")
    let film = try Film(name, in: stage)
    let fadedSound = try stage.make(sound).text
    let shares = (0..<75).map { min(share($0, 0...1), 1 - share($0, 2...3)) }
    let most = source.contains("ten") ? 3.0 : 2
    #expect(
      isNear(film.levels, shares.map { black + (200 - black) * $0 }, most), "\(film.levels)")
    #expect(film.areFlat)
    // Its luma is half of the source's above black in the middle of both fades.
    #expect(abs(Double(film.levels[12]) - (200 + black) / 2) <= most + 0.5)
    // The same job with pictures that are cut: the same sound, count and times.
    let cut = try job("cut")
    #expect(cut.status == 0, "\(cut.errors)")
    let plain = try Film(name, in: stage)
    #expect(isNear(plain.levels, Array(repeating: 200, count: 75), most))
    #expect(try stage.make(sound).text == fadedSound)
    #expect(plain.numbers == Array(13..<88))
    #expect(Array(film.numbers[25..<50]) == Array(38..<63))
    #expect(film.times == plain.times)
    guard video == "copy" else { return }
    // From the key picture behind the fade on.
    let original = try Film(source, in: stage)
    let copied = (25..<50).count { film.pictures[$0] == original.pictures[$0 + 13] }
    #expect(copied >= 8, "\(copied)")
  }

  @Test(
    "a cross-fade blends a picture of what comes with each of what leaves, and is cut where it asks for it",
    arguments: [
      (".mp4", "copy"), ("-ten.mp4", "copy"), (".webm", "copy"), (".mp4", "{ h264: crf 4 }"),
      (".mp4", "{ size: 128x96, h264: crf 4 }"),
    ])
  func crossfade(kind: String, video: String) throws {
    let stage = try stage()
    let name = kind == ".webm" ? "out.mkv" : "out.mp4"
    func job(_ crossfade: String) throws -> ToolResult {
      try stage.job(
        """
        concat: [flat\(kind) 520ms..2.52s, steep\(kind) 520ms..2.52s]
        crossfade: \(crossfade)
        output: { file: \(name), video: \(video) }

        """)
    }
    let blended = try job("1s")
    #expect(blended.status == 0, "\(blended.errors)")
    if video.contains("size") {
      try stage.make(
        "ffmpeg -v error -y -i out.mp4 -c:a copy -s 64x48 -crf 4 small.mp4; mv small.mp4 out.mp4")
    }
    let film = try Film(name, in: stage)
    let expected = (0..<75).map { index in
      // The number in the second source is as far from its start as from that of the cross-fade.
      let second = Double(40 + index - 12)
      let share = share(index, 1...2)
      return 200 * (1 - share) + second * share
    }
    #expect(isNear(film.levels, expected, kind.contains("ten") ? 3 : 2), "\(film.levels)")
    #expect(film.times.count == 75)
    guard !video.contains("size") else { return }
    #expect(Array(film.numbers[..<25]) == Array(13..<38))
    #expect(Array(film.numbers[50...]) == Array(38..<63))
    if video == "copy" {
      let original = try Film("flat\(kind)", in: stage)
      #expect((0..<25).count { film.pictures[$0] == original.pictures[$0 + 13] } >= 8)
    }
    let cut = try job("{ duration: 960ms, picture: cut }")
    #expect(cut.status == 0, "\(cut.errors)")
    let plain = try Film(name, in: stage)
    #expect(plain.numbers == Array(13..<51) + Array(25..<63))
  }

  @Test("both sides of a cut in one source blend where the cut has a cross-fade")
  func cut() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      clip: steep.mp4
      cut: { ranges: [1s..2s], crossfade: 400ms }
      output: out.mp4

      """)
    #expect(result.status == 0, "\(result.errors)")
    let film = try Film("out.mp4", in: stage)
    let expected = (0..<75).map { 40 + Double($0) + 25 * share($0, 0.8...1.2) }
    #expect(isNear(film.levels, expected), "\(film.levels)")
    #expect(Array(film.numbers[..<20]) == Array(0..<20))
    #expect(Array(film.numbers[30...]) == Array(55..<100))
  }

  @Test("a fade of a list goes over its cuts and groups of pictures, at the list's speed")
  func list() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      concat:
        - concat: [flat.mp4 0s..2s, steep.mp4 0s..2s]
          speed: { rate: 2, pitch: follow }
          fade_out: 1500ms
      output: out.mp4

      """)
    #expect(result.status == 0, "\(result.errors)")
    let film = try Film("out.mp4", in: stage)
    let expected = (0..<100).map { index in
      let level: Double = index < 50 ? 200 : Double(40 + index - 50)
      let left = min(1, (2 - (Double(index) + 0.5) / 50) / 1.5)
      return 16 + (level - 16) * left
    }
    #expect(isNear(film.levels, expected), "\(film.levels)")
  }

  @Test("fades of sound under a picture leave it as it is, and a muted picture fades")
  func tracks() throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -i flat.mp4 -vn tone.wav")
    let result = try stage.job(
      """
      tracks:
        picture: { clip: flat.mp4 0s..3s, mute: true, fade_in: 1s }
        music: [{ clip: tone.wav 0s..2s, fade_in: 2s }, { clip: tone.wav 0s..2s, crossfade: 1s }]
      output: out.mp4

      """)
    #expect(result.status == 0, "\(result.errors)")
    let film = try Film("out.mp4", in: stage)
    let expected = (0..<75).map { 16 + 184 * share($0, 0...1) }
    #expect(isNear(film.levels, expected), "\(film.levels)")
  }

  @Test(
    "'copy strict' refuses fades by their keys, but for those in which no picture's middle lies")
  func strict() throws {
    let stage = try stage()
    for (keys, key, duration) in [
      ("clip: flat.mp4\nfade_in: 800ms", "fade_in", "0.8s"),
      ("clip: flat.mp4\nfade_out: 1s", "fade_out", "1s"),
      ("concat: [flat.mp4, steep.mp4]\ncrossfade: 1s", "crossfade", "1s"),
    ] {
      let refused = try stage.job("\(keys)\noutput: { file: out.mp4, video: copy strict }\n")
      #expect(refused.status == 2)
      #expect(try stage.run("avjob check job.yaml").status == 2)
      let first = key == "fade_in" ? "0s" : "3s"
      #expect(
        refused.errors.contains(
          "'flat.mp4': would have pictures from \(first) on encoded for '\(key)', which 'copy strict' "
            + "forbids: write '\(key): { duration: \(duration), picture: cut }', or 'video: copy'"),
        "\(refused.errors)")
      try stage.make("[[ ! -e out.mp4 ]]")
    }
    for fade in ["10ms", "{ duration: 1s, picture: cut }"] {
      let copied = try stage.job(
        "clip: flat.mp4\nfade_in: \(fade)\noutput: { file: out.mp4, video: copy strict }\n")
      #expect(copied.status == 0, "\(copied.errors)")
      #expect(
        try Film("out.mp4", in: stage).pictures == Film("flat.mp4", in: stage).pictures)
    }
  }

  @Test("a codec that is not encoded is refused, with what to write instead")
  func intra() throws {
    let stage = try stage()
    let refused = try stage.job("clip: intra.mov\nfade_in: 1s\noutput: out.mov\n")
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains(
        "'intra.mov': has a picture of mjpeg, which is not encoded: write 'picture: cut' in the fade, as "
          + "'fade_in: { duration: 1s, picture: cut }'"), "\(refused.errors)")
    let cut = try stage.job(
      "clip: intra.mov\nfade_in: { duration: 1s, picture: cut }\noutput: out.mov\n")
    #expect(cut.status == 0, "\(cut.errors)")
  }

  @Test("the bytes of fades are the same for each number of cores, and plans name them")
  func bytes() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      "concat: [flat.mp4 1s..3s, steep.mp4]\ncrossfade: 500ms\nfade_in: 300ms\noutput: out.mp4\n")
    let bytes = try stage.make(
      """
      avjob run --quiet --workers 1 job.yaml; md5sum < out.mp4; rm out.mp4
      taskset -c $(core) "$AVJOB" run --quiet job.yaml; md5sum < out.mp4
      """
    ).text.split(separator: "\n")
    #expect(bytes.count == 2 && bytes[0] == bytes[1], "\(bytes)")
    let plan = try stage.run("avjob plan job.yaml").text
    #expect(
      plan.contains(
        """
              beside it: h264 of 2 sources in 2 parts, copied but for what cuts break and fades change
                0:00.000 – 0:00.300  from black
                0:01.500 – 0:02.000  into 'steep.mp4'

        """), "\(plan)")
  }
}
