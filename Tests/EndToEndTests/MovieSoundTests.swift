import TestSupport
import Testing

/// Movies that are cut and joined keep the sounds of other languages.
@Suite("Movies: other sounds cut and joined with the picture")
struct MovieSoundTests {
  /// Six seconds of pictures with a sound in English and one in French, in MP4 and Matroska; `late.mkv` has
  /// the French one a quarter of a second later, and `one.mp4` none.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=128x96:d=6:r=25 \\
        -f lavfi -i anoisesrc=d=6:a=0.3:seed=7:r=48000 -f lavfi -i anoisesrc=d=6:a=0.3:seed=9:r=48000 \\
        -map 0 -map 1 -map 2 -c:v libx264 -bf 2 -g 40 -pix_fmt yuv420p -c:a aac \\
        -metadata:s:a:0 language=eng -metadata:s:a:1 language=fre two.mp4
      ffmpeg -v error -i two.mp4 -map 0 -c:v copy -c:a flac two.mkv
      ffmpeg -v error -i two.mp4 -itsoffset 0.25 -i two.mp4 -map 0:v -map 0:a:0 -map 1:a:1 -c:v copy \\
        -c:a flac -sample_fmt s32 late.mkv
      ffmpeg -v error -i two.mp4 -map 0:v -map 0:a:0 -c copy one.mp4
      """)
    return stage
  }

  private static let ranges = [(300, 1400), (2001, 2777), (3100, 5555)]

  /// A job of ranges, in milliseconds; to `Int.max` is to the end.
  private func job(_ clip: String, _ ranges: [(Int, Int)], _ output: String) -> String {
    let items = ranges.map { range in
      let end = range.1 == .max ? "" : ", to: \(range.1)ms"
      return "  - { clip: \(clip), from: \(range.0)ms\(end) }\n"
    }
    return "concat:\n\(items.joined())output: \(output)\n"
  }

  /// What the French sound is in an output, made alone.
  private func expected(_ source: String, _ ranges: [(Int, Int)], in stage: Stage) throws -> [Float]
  {
    let result = try stage.job(
      job("\(source), stream: 2", ranges, "{ file: alone.wav, wav: 24 bit }"))
    #expect(result.status == 0, "\(result.errors)")
    return try stage.sound(of: "alone.wav", track: 0)
  }

  private func isAlike(_ one: [Float], _ other: [Float]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-5 }
  }

  @Test(
    "another language is cut where the picture's own sound is, to the sample, and is no default",
    arguments: ["two.mp4", "two.mkv"], ["mp4", "mov", "mkv"])
  func cut(source: String, kind: String) throws {
    let stage = try stage()
    let output = kind == "mkv" ? "{ file: out.mkv, flac: 24 bit }" : "out.\(kind)"
    let result = try stage.job(job(source, Self.ranges, output))
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let plan = try stage.run("avjob plan job.yaml")
    let codec = source == "two.mp4" ? "aac" : "flac"
    #expect(plan.text.contains("; \(codec) (fre) encoded as its sound"), "\(plan.text)")
    #expect(plan.errors == "")
    let streams = try stage.make(
      """
      ffprobe -v error -select_streams a -show_entries stream_disposition=default:stream_tags=language \\
        -of csv=p=0 out.\(kind) | sed s/fra/fre/
      """)
    #expect(streams.text == "1,eng\n0,fre\n")
    let found = try stage.sound(of: "out.\(kind)", track: 1)
    let expected = try expected(source, Self.ranges, in: stage)
    if kind == "mkv" {
      #expect(isAlike(found, expected), "\(found.count) of \(expected.count)")
    } else {
      #expect(lag(of: found, behind: expected) == 0)
    }
  }

  @Test("a sound that begins later than the other one stays where it is beside the picture")
  func late() throws {
    let stage = try stage()
    let result = try stage.job(job("late.mkv", [(1000, 5000)], "{ file: out.mkv, flac: 24 bit }"))
    #expect(result.status == 0, "\(result.errors)")
    let found = try stage.sound(of: "out.mkv", track: 1)
    let expected = try expected("two.mp4", [(750, 4750)], in: stage)
    // AAC has noise that each decoding makes anew.
    #expect(found.count == expected.count && lag(of: found, behind: expected) == 0)
  }

  /// Six seconds of pictures and of French, of which English is heard from 0.5 s to 2.5 s: `tail.mkv`.
  private func tailed() throws -> Stage {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i two.mp4 -itsoffset 0.5 -t 2 -i two.mp4 -map 0:v -map 1:a:0 -map 0:a:1 -c:v copy \\
        -c:a flac -sample_fmt s32 tail.mkv
      """)
    return stage
  }

  @Test("other sounds are kept before the start and behind the end of the picture's own sound")
  func openEnds() throws {
    let stage = try tailed()
    let whole = try stage.job("clip: tail.mkv\noutput: out.mp4\n")
    #expect(whole.status == 0, "\(whole.errors)")
    let found = try stage.sound(of: "out.mp4", track: 1)
    let french = try expected("tail.mkv", [(0, .max)], in: stage)
    // AAC ends with a whole packet.
    #expect(french.count >= 288_000 && 0..<2048 ~= found.count - french.count, "\(found.count)")
    for range in [0..<24_000, 120_000..<144_000, 264_000..<288_000] where found.count >= 288_000 {
      #expect(lag(of: Array(found[range]), behind: Array(french[range])) == 0, "\(range)")
    }
    // A second of English is a second and a half of the file.
    let cut = try stage.job("clip: tail.mkv 1s..\noutput: { file: out.mkv, flac: 24 bit }\n")
    #expect(cut.status == 0, "\(cut.errors)")
    let rest = try stage.sound(of: "out.mkv", track: 1)
    let all = try expected("tail.mkv", [(1500, .max)], in: stage)
    #expect(isAlike(rest, all), "\(rest.count) of \(all.count)")
  }

  @Test("of joined sources the first keeps other sounds before its own, the last those behind it")
  func joinedEnds() throws {
    let stage = try tailed()
    let job = "concat: [tail.mkv ..2s, tail.mkv 1s..]\noutput: { file: out.mkv, flac: 24 bit }\n"
    let result = try stage.job(job)
    #expect(result.status == 0, "\(result.errors)")
    let found = try stage.sound(of: "out.mkv", track: 1)
    let french = try expected("tail.mkv", [(0, 2500), (1500, .max)], in: stage)
    #expect(isAlike(found, french), "\(found.count) of \(french.count)")
  }

  @Test(
    "pictures beyond a source's sound where another item stands are named, by a check and by a run",
    arguments: ["short.mp4", "short.mkv"])
  func beyond(name: String) throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -i two.mp4 -t 4 -i two.mp4 -map 0:v -map 1:a:0 -c copy \(name)")
    let note = "note: 'out.mp4' leaves out the picture of '\(name)' for "
    for (job, isNamed) in [
      ("concat: [\(name), \(name)]", true), ("clip: \(name)\nloop: 2", true),
      ("concat: [\(name) ..3s, \(name)]", false), ("clip: \(name) 1s..", false),
    ] {
      try stage.write("job.yaml", "\(job)\noutput: { file: out.mp4, video: { size: 64x48 } }\n")
      for command in ["check", "run"] {
        let result = try stage.run("avjob \(command) job.yaml")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains(note) == isNamed, "\(job): \(result.errors)")
        #expect(
          result.errors.contains(" behind the end of its sound\n") == isNamed,
          "\(result.errors)")
      }
    }
  }

  @Test("at a cross-fade other sounds change in its middle")
  func crossfade() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      concat: [two.mp4 0s..2s, two.mp4 3s..5s]
      crossfade: 1s
      output: { file: out.mkv, flac: 24 bit }

      """)
    #expect(result.status == 0, "\(result.errors)")
    let found = try stage.sound(of: "out.mkv", track: 1)
    let expected = try expected("two.mp4", [(0, 1500), (3500, 5000)], in: stage)
    try #require(found.count == 144_000 && expected.count == 144_000)
    // What is heard before the middle, and behind it.
    #expect(lag(of: Array(found.prefix(72_000)), behind: Array(expected.prefix(72_000))) == 0)
    #expect(lag(of: Array(found.suffix(72_000)), behind: Array(expected.suffix(72_000))) == 0)
  }

  @Test(
    "sound that begins after the picture is as long, and begins as late, in each generation",
    arguments: ["mp4", "mov"])
  func generations(kind: String) throws {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=3:r=25 \
        -itsoffset 0.7 -f lavfi -i anoisesrc=d=2:a=0.3:seed=7:r=48000 \
        -itsoffset 0.4 -f lavfi -i anoisesrc=d=2:a=0.3:seed=9:r=48000 \
        -map 0 -map 1 -map 2 -c:v libx264 -pix_fmt yuv420p -c:a flac \
        -metadata:s:a:0 language=eng -metadata:s:a:1 language=fre late.mkv
      """)
    func run(_ job: String) throws {
      let result = try stage.job(job)
      #expect(result.status == 0, "\(result.errors)")
    }
    /// When a file's sounds begin, in samples of the file's clock, and their samples.
    func facts(_ file: String) throws -> [String] {
      try [0, 1].map { track in
        let sound = try stage.sound(of: file, track: track)
        let start = sound.firstIndex { abs($0) > 0.05 } ?? -1
        return "\(start / 512) \(sound.count)"
      }
    }
    try run("clip: late.mkv\noutput: 0.\(kind)\n")
    let first = try facts("0.\(kind)")
    let noise = try stage.sound(of: "0.\(kind)")
    for (number, copy) in [(1, ""), (2, ""), (3, "copy")] {
      let output = copy.isEmpty ? "\(number).\(kind)" : "{ file: \(number).\(kind), aac: copy }"
      try run("clip: \(number - 1).\(kind)\noutput: \(output)\n")
      #expect(try facts("\(number).\(kind)") == first)
      #expect(lag(of: try stage.sound(of: "\(number).\(kind)"), behind: noise) == 0)
    }
    try run("clip: 3.\(kind)\noutput: { file: last.wav, wav: 16 bit }\n")
    #expect(try stage.make("soxi -s last.wav").text == "96000\n")
  }

  @Test(
    "names and roles of tracks go with them into other containers and through cuts",
    arguments: ["mkv", "mp4"])
  func labels(kind: String) throws {
    let stage = Stage()
    try stage.share(
      """
      for kind in mkv mp4; do
        ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=3:r=25 -f lavfi -i anoisesrc=d=3:a=0.3:r=48000 \
          -f lavfi -i anoisesrc=d=3:a=0.3:r=48000 -map 0 -map 1 -map 2 -c:v libx264 -g 25 \
          -pix_fmt yuv420p -c:a aac -metadata:s:v:0 title=Camera -metadata:s:a:0 title=Game \
          -metadata:s:a:0 handler_name=Deck -metadata:s:a:1 title=Mic \
          -metadata:s:a:1 language=fre -disposition:a:1 comment in.$kind
      done
      """)
    for (clip, output) in [
      ("in.\(kind)\ngain: -3 dB", "out.mkv"), ("in.\(kind) 1s..2s", "out.mkv"),
      ("in.\(kind)\ngain: -3 dB", "out.mp4"), ("in.\(kind) 1s..2s", "out.mp4"),
    ] {
      let result = try stage.job("clip: \(clip)\noutput: \(output)\n")
      #expect(result.status == 0, "\(result.errors)")
      // FFmpeg's demuxer does not read MP4's names, and others show them.
      let found = try stage.make(
        output == "out.mkv"
          ? "ffprobe -v error -show_entries stream_tags=title -of csv=p=0 out.mkv"
          : "grep -aoE 'name(Game|Camera|Mic)' out.mp4 | sed s/name//"
      ).text
      #expect(found == "Game\nCamera\nMic\n", "\(clip) \(output)")
      let roles = try stage.make(
        """
        ffprobe -v error -select_streams a -show_entries stream_disposition=default,comment \
          -of csv=p=0 \(output)
        """)
      #expect(roles.text == "1,0\n0,1\n", "\(clip) \(output)")
      if kind == "mp4", output == "out.mp4" {
        let handler = try stage.make(
          """
          ffprobe -v error -select_streams a:0 -show_entries stream_tags=handler_name -of csv=p=0 \
            out.mp4
          """)
        #expect(handler.text == "Deck\n")
      }
      try stage.make("rm \(output)")
    }
  }

  @Test("roles for which a container has no place are named, through copies and cuts")
  func lostRoles() throws {
    let stage = Stage()
    try stage.make(
      """
      for kind in mkv mp4; do
        ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=2:r=25 -f lavfi -i anoisesrc=d=2:a=0.3:r=48000 \
          -map 0 -map 1 -map 1 -c:v libx264 -g 25 -pix_fmt yuv420p -c:a aac -disposition:a:0 original \
          -disposition:a:1 comment+hearing_impaired in.$kind
      done
      """)
    let (first, second) = (
      "'original' of stream 1", ["'commentary' of stream 2", "'hearing impaired' of stream 2"]
    )
    for (clip, output, lost) in [
      ("in.mkv", "a.mov", [first] + second), ("in.mkv 0s..1s", "b.mov", [first] + second),
      ("in.mp4", "c.mov", second), ("in.mkv", "d.mp4", [first]), ("in.mkv", "e.mkv", []),
    ] {
      try stage.write("job.yaml", "clip: \(clip)\noutput: \(output)\n")
      let result = try stage.run("avjob run job.yaml")
      #expect(result.status == 0, "\(result.errors)")
      for role in [first] + second {
        #expect(
          result.errors.contains("the role " + role) == lost.contains(role),
          "\(output) \(role): \(result.errors)")
      }
    }
  }

  @Test("roles that MPEG-TS alone has are named")
  func rolesOfTransportStreams() throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1:r=25 -f lavfi -i anoisesrc=d=1:a=0.3:r=48000 \
        -map 0 -map 1 -map 1 -c:v libx264 -g 25 -pix_fmt yuv420p -c:a mp2 -metadata:s:a:0 language=eng \
        -metadata:s:a:1 language=eng -disposition:a:1 clean_effects in.ts
      """)
    try stage.write("job.yaml", "clip: in.ts\noutput: [a.mkv, a.mp4]\n")
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    for (name, container) in [("a.mkv", "MKV"), ("a.mp4", "MP4")] {
      #expect(
        result.errors.contains(
          "note: '\(name)': the role 'clean effects' of stream 2 of 'in.ts' left out, since "
            + "\(container) has no place for it\n"), "\(result.errors)")
    }
  }

  @Test("where a source lacks a language, it is silent")
  func lacking() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      concat:
        - { clip: one.mp4, to: 1s }
        - { clip: two.mp4, from: 1s, to: 2s }
        - { clip: one.mp4, from: 2s, to: 3s }
      output: { file: out.mkv, flac: 24 bit }

      """)
    #expect(result.status == 0, "\(result.errors)")
    let found = try stage.sound(of: "out.mkv", track: 1)
    #expect(found.count == 144_000)
    #expect(found.prefix(48_000).allSatisfy { $0 == 0 })
    #expect(found.dropFirst(96_000).allSatisfy { $0 == 0 })
    let middle = Array(found.dropFirst(48_000).prefix(48_000))
    #expect(isAlike(middle, try expected("two.mp4", [(1000, 2000)], in: stage)))
  }

  @Test("the bytes are the same for all numbers of cores")
  func same() throws {
    let stage = try stage()
    try stage.write("job.yaml", job("two.mp4", Self.ranges, "out.mp4"))
    let sums = try stage.make(
      """
      avjob run --quiet --workers 1 job.yaml; md5sum < out.mp4; rm out.mp4
      taskset -c $(core) "$AVJOB" run --quiet job.yaml; md5sum < out.mp4
      """)
    #expect(Set(sums.text.split(separator: "\n")).count == 1)
  }

  @Test("at another speed other sounds are left out, and a note names them")
  func speed() throws {
    let stage = try stage()
    #expect(try stage.job("clip: two.mp4\nspeed: 1.25\noutput: out.mp4\n").status == 0)
    let errors = try stage.run("avjob plan job.yaml").errors
    #expect(
      errors.contains(
        "stream 2 (aac) of 'two.mp4' left out, since at another speed the picture's own sound alone is "
          + "played"), "\(errors)")
    #expect(errors.contains("help: leave 'speed' out to keep other sounds"), "\(errors)")
  }

  @Test("a sound that cannot be decoded is left out with a warning")
  func undecodable() throws {
    let stage = try stage()
    try stage.write(
      "edit.py",
      """
      data = open('mixed.mkv', 'rb').read()
      assert data.count(b'A_MPEG/L2') == 1
      open('odd.mkv', 'wb').write(data.replace(b'A_MPEG/L2', b'A_MPEG/L9'))
      """)
    try stage.make(
      """
      ffmpeg -v error -i two.mp4 -map 0 -c:v copy -c:a:0 flac -c:a:1 mp2 mixed.mkv
      python3 edit.py
      """)
    let result = try stage.job("clip: odd.mkv 1s..3s\noutput: out.mp4\n")
    #expect(result.status == 0)
    #expect(
      result.errors.contains("its stream 2 (none) is left out of the output: "), "\(result.errors)")
    let streams = try stage.make(
      "ffprobe -v error -select_streams a -show_entries stream=codec_name -of csv=p=0 out.mp4")
    #expect(streams.text == "aac\n")
  }
}
