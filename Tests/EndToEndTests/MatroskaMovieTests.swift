import TestSupport
import Testing

/// Movies in Matroska and WebM, which count milliseconds.
@Suite("Movies: Matroska and WebM")
struct MatroskaMovieTests {
  /// A lecture of five seconds, H.264 with B-frames and AAC; `late.mp4` has its sound half a second after
  /// its picture, `full.mkv` two sounds, subtitles, a font, a cover and two chapters, and `vp9.webm`
  /// pictures in VP9 beside Opus.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=128x96:d=5:r=25 \\
        -f lavfi -i anoisesrc=d=5:a=0.3:seed=7:r=48000 -c:v libx264 -bf 3 -g 40 -pix_fmt yuv420p \\
        -c:a aac lecture.mp4
      ffmpeg -v error -i lecture.mp4 -itsoffset 0.5 -i lecture.mp4 -map 0:v -map 1:a -c copy late.mp4
      ffmpeg -v error -i late.mp4 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus vp9.webm
      printf ';FFMETADATA1\\ntitle=Lecture\\n' > tags
      for s in 0 2000; do
        printf '[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=%s\\nEND=5000\\ntitle=%s\\n' $s $s >> tags
      done
      printf '1\\n00:00:00,500 --> 00:00:02,000\\nHello\\n' > words.srt
      printf 'font' > serif.ttf
      ffmpeg -v error -f lavfi -i testsrc=s=64x64 -frames:v 1 cover.png
      ffmpeg -v error -i lecture.mp4 -f lavfi -i sine=d=5 -i words.srt -i tags -map 0:v -map 0:a -map 1 \\
        -map 2 -map_metadata 3 -c:v copy -c:a:0 flac -c:a:1 libopus -c:s srt \\
        -metadata:s:a:0 language=eng -metadata:s:a:1 language=fre \\
        -attach serif.ttf -metadata:s:t:0 mimetype=font/ttf \\
        -attach cover.png -metadata:s:t:1 mimetype=image/png full.mkv
      """)
    return stage
  }

  /// Of each picture when it is shown, and its digest.
  private func pictures(
    _ name: String, in stage: Stage
  ) throws -> [(time: Double, digest: Substring)] {
    let text = try stage.make(
      """
      ffprobe -v error -select_streams v:0 -show_entries packet=pts_time,data_hash \\
        -show_data_hash md5 -of csv=p=0 \(name) | sort -n
      """
    ).text
    return text.split(separator: "\n").map { line in
      let parts = line.split(separator: ",")
      return (Double(parts.first ?? "") ?? -1, parts.last ?? "")
    }
  }

  /// Frames that a decoder makes of a sound.
  private func frameCount(_ name: String, in stage: Stage) throws -> Int {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.path(name), "-map", "0:a:0", "-ac", "1", "-f", "f32le",
      "-"
    ).floats.count
  }

  private func requireSound(_ name: String, in stage: Stage) throws {
    let said = try stage.make("mkvmerge --identify \(name) && mkvinfo \(name) > /dev/null").text
    #expect(said.contains("container: Matroska") && !said.lowercased().contains("warning"))
  }

  @Test(
    "pictures are copied, and the sound is beside them within a millisecond, however often it is replaced",
    arguments: ["lecture.mp4", "late.mp4", "full.mkv"],
    [
      "{ file: NAME.mkv, opus: 128k }", "{ file: NAME.mkv, flac: 16 bit }",
      "{ file: NAME.mkv, vorbis: q6 }",
    ]
  )
  func replaced(source: String, output: String) throws {
    let stage = try stage()
    let expected = try pictures(source, in: stage)
    let original = try stage.sound(of: source)
    var last = source
    for pass in ["one", "two", "three"] {
      let named = output.replacing("NAME", with: pass)
      let result = try stage.job("clip: \(last)\ngain: -1 dB\noutput: \(named)\n")
      #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
      last = pass + ".mkv"
      try requireSound(last, in: stage)
      let found = try pictures(last, in: stage)
      #expect(found.map(\.digest) == expected.map(\.digest))
      #expect(zip(found, expected).allSatisfy { abs($0.time - $1.time) <= 0.00051 })
      let lag = lag(of: try stage.sound(of: last), behind: original)
      #expect(abs(lag) <= 48, "\(pass): \(lag)")
    }
  }

  @Test(
    "the sound has the frames of the job, by ffmpeg and by a probe",
    arguments: ["opus: 96k", "flac: 24 bit"])
  func length(format: String) throws {
    let stage = try stage()
    let job = "clip: lecture.mp4 ..2.345s\noutput: { file: out.mkv, \(format) }\n"
    #expect(try stage.job(job).status == 0)
    #expect(try frameCount("out.mkv", in: stage) == 112_560)
    let probe = try stage.run("avjob probe --json out.mkv").text
    #expect(probe.contains("\"frames\": 112560"), "\(probe)")
  }

  @Test("packets of Opus are copied into it, and what lies around a cut is not heard")
  func copiedSound() throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -i lecture.mp4 -vn -c:a libopus talk.opus")
    let job =
      "clip: talk.opus 1s..3.1s\noutput: [{ file: out.mkv, video: none, opus: copy }, out.wav]\n"
    let result = try stage.job(job)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try frameCount("out.mkv", in: stage) == 100_800)
    #expect(lag(of: try stage.sound(of: "out.mkv"), behind: try stage.sound(of: "out.wav")) == 0)
    #expect(!(try stage.run("avjob probe out.mkv")).errors.contains("announces"))
  }

  @Test("a source of Matroska keeps its other sounds, subtitles, fonts, cover, chapters and tags")
  func whole() throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: full.mkv\ngain: -6 dB\noutput: { file: out.mkv, flac: 16 bit }\n")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    try requireSound("out.mkv", in: stage)
    let facts = try stage.make(
      """
      for name in full out; do
        ffprobe -v error -show_entries stream=codec_name,codec_type:stream_tags=language,filename \\
          -of csv=p=0 $name.mkv | sort > $name.streams
        ffprobe -v error -show_chapters -show_entries format_tags=title -of compact $name.mkv \\
          | grep -o 'tag:title=.*' > $name.tags
        for map in 0:s:0 0:a:1; do
          ffmpeg -v error -copyts -i $name.mkv -map $map -c copy -f framemd5 - | grep -v '^#' > $name.$map
        done
      done
      cmp full.streams out.streams; cmp full.tags out.tags
      cmp full.0:s:0 out.0:s:0; cmp full.0:a:1 out.0:a:1
      grep -c . full.streams full.tags
      """)
    #expect(facts.text == "full.streams:6\nfull.tags:3\n")
  }

  @Test("a cut has no statistics of its source's streams, nor MP4's names of handlers")
  func statistics() throws {
    let stage = try stage()
    try stage.make("mkvmerge -q -o counted.mkv full.mkv")
    for source in ["counted.mkv", "lecture.mp4"] {
      let result = try stage.job(
        "clip: \(source) 1s..3s\noutput: { file: out.mkv, flac: 16 bit }\n")
      #expect(result.status == 0, "\(result.errors)")
      let tags = try stage.make("ffprobe -v error -show_streams out.mkv | grep ^TAG | sort -u").text
      for name in ["NUMBER_OF_FRAMES", "BPS", "_STATISTICS", "HANDLER_NAME", "VENDOR_ID"] {
        #expect(!tags.uppercased().contains("TAG:\(name)"), "\(tags)")
      }
    }
    let mp4 = try stage.job("clip: lecture.mp4 1s..3s\noutput: out.mp4\n")
    #expect(mp4.status == 0)
    #expect(try stage.make("ffprobe -v error -show_streams out.mp4").text.contains("handler_name="))
  }

  @Test("a source of another kind of container keeps its picture alone, and the rest is named")
  func remuxed() throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: full.mkv\noutput: out.mp4\n")
    let notes = try stage.run("avjob plan job.yaml").errors
    #expect(
      notes.contains("left out, since they are not put from one kind of container into another"),
      "\(notes)")
    #expect(try stage.run("avjob run --quiet job.yaml").status == 0)
    #expect(
      try pictures("out.mp4", in: stage).map(\.digest)
        == pictures("full.mkv", in: stage).map(\.digest))
  }

  @Test("VP9 and Opus stay in WebM, by the name of their folder, too")
  func webm() throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: vp9.webm\ngain: -3 dB\noutput: { folder: out, codec: same }\n")
    #expect(result.status == 0, "\(result.errors)")
    try requireSound("out/vp9.webm", in: stage)
    let (found, expected) = (
      try pictures("out/vp9.webm", in: stage), try pictures("vp9.webm", in: stage)
    )
    #expect(
      found.map(\.digest) == expected.map(\.digest) && found.map(\.time) == expected.map(\.time))
    let lag = lag(
      of: try stage.sound(of: "out/vp9.webm"), behind: try stage.sound(of: "vp9.webm"))
    #expect(abs(lag) <= 48, "\(lag)")
  }

  @Test(
    "the bytes are the same at each run, for all numbers of cores", arguments: ["opus", "flac"])
  func same(codec: String) throws {
    let stage = try stage()
    let setting = codec == "opus" ? "96k" : "16 bit"
    try stage.write(
      "job.yaml", "clip: full.mkv\ngain: -3 dB\noutput: { file: b.mkv, \(codec): \(setting) }\n")
    let sums = try stage.make(
      """
      avjob run --quiet --workers 1 job.yaml; md5sum < b.mkv; rm b.mkv
      avjob run --quiet job.yaml; md5sum < b.mkv; rm b.mkv
      taskset -c $(core) "$AVJOB" run --quiet job.yaml; md5sum < b.mkv
      grep -c '5\\.1' b.mkv || true
      """
    ).text.split(separator: "\n")
    #expect(Set(sums.prefix(3)).count == 1 && sums.count == 4)
  }

  @Test("a cover is attached to MKV, and named as left out of WebM")
  func covers() throws {
    let stage = try stage()
    let job = "clip: vp9.webm\nmetadata: { cover: cover.png }\noutput: [out.mkv, out.webm]\n"
    let result = try stage.job(job)
    #expect(result.status == 0)
    #expect(result.errors.contains("WebM has no place for the cover: left out"), "\(result.errors)")
    #expect(
      try stage.make("mkvextract out.mkv attachments 1:a.png > said; cmp a.png cover.png").text
        == "")
    #expect(try stage.run("avjob probe out.mkv").text.contains("cover"))
    // One that comes with the source.
    try stage.write("job.yaml", "clip: out.mkv\noutput: left.webm\n")
    for command in ["check", "plan", "run"] {
      let said = try stage.run("avjob \(command) job.yaml").errors
      let count = said.split(separator: "\n").count {
        $0.hasSuffix("note: 'left.webm': WebM has no place for the cover: left out")
      }
      #expect(count == 1, "\(command): \(said)")
    }
  }

  @Test(
    "what does not go into them is refused by name, before work starts",
    arguments: [
      (
        "clip: lecture.mp4\noutput: { file: out.mkv, aac: 160k }\n",
        """
        'aac' does not go into '.mkv': FFmpeg does not mark the 21 ms before its sound, which are heard
        """, "write 'opus: 128k', or 'out.mp4'"
      ),
      (
        "clip: lecture.mp4\noutput: { file: out.webm, alac: 16 bit }\n",
        "'alac' does not go into '.webm'", "write 'opus: 128k', or 'out.m4a'"
      ),
      (
        "clip: lecture.mp4\noutput: { file: out.webm, flac: 16 bit }\n",
        "'flac' does not go into '.webm'", "write 'opus: 128k', or 'out.flac'"
      ),
      (
        "clip: lecture.mp4\noutput: { file: out.mkv, codec: same }\n",
        "MKV is written with sound of Opus, FLAC or Vorbis", "write 'opus: 128k'"
      ),
      (
        "clip: lecture.mp4\noutput: out.webm\n",
        "WebM holds no picture of h264, as 'lecture.mp4' has it",
        "write 'out.mp4'"
      ),
      (
        "clip: lecture.mp4\noutput: { file: out.m4a, video: copy }\n",
        "'video' of an output that holds no picture",
        "end its name in .mp4, .mov, .mkv or .webm"
      ),
    ])
  func refused(job: String, message: String, help: String) throws {
    let stage = try stage()
    let result = try stage.job(job)
    #expect(result.status == 2)
    #expect(result.errors.contains("error: \(message)\n"), "\(result.errors)")
    #expect(result.errors.contains("help: \(help)\n"), "\(result.errors)")
    #expect(try stage.run("ls out.* 2> /dev/null").text == "")
  }

  /// FFmpeg writes the matrix into Matroska since 6.1.
  @Test("a picture that is turned by a matrix stays so, or is refused, and no output is left")
  func turned() throws {
    let stage = try stage()
    try stage.make("cp lecture.mp4 turned.mp4; turn turned.mp4")
    let result = try stage.job("clip: turned.mp4\noutput: out.mkv\n")
    guard result.status != 0 else {
      let turns = try stage.make(
        "for f in turned.mp4 out.mkv; do avjob probe $f | grep -o 'turned by [0-9]*'; done")
      #expect(turns.text == "turned by 270\nturned by 270\n")
      return
    }
    let refusal = "'turned.mp4': has a picture that is turned by a matrix"
    #expect(result.errors.contains(refusal), "\(result.errors)")
    for command in ["check", "plan"] {
      let said = try stage.run("avjob \(command) job.yaml")
      #expect(said.status != 0 && said.errors.contains(refusal), "\(command): \(said.errors)")
    }
    #expect(try stage.run("ls out.* 2> /dev/null").text == "")
  }

  @Test(
    "the header has a rate where all pictures last equally long",
    arguments: [
      ("clip: lecture.mp4 1s..3s", "copy", "25.000"), ("clip: uneven.mp4 1s..3s", "copy", nil),
      ("concat: [lecture.mp4 1s..3s, double.mp4 1s..2s]", "copy", nil),
      ("clip: lecture.mp4 1s..3s\nspeed: 2", "copy", nil),
      ("clip: uneven.mp4 1s..3s", "{ h264: crf 30 }", nil),
      ("clip: uneven.mp4 1s..3s", "{ h264: crf 30, frame_rate: 10 }", "10.000"),
    ])
  func rates(items: String, video: String, rate: String?) throws {
    let stage = try stage()
    try stage.make(
      """
      make() { ffmpeg -v error -i lecture.mp4 -c:v libx264 -preset ultrafast -c:a copy "$@"; }
      make -vf "select='not(mod(n,3))+gt(n,40)'" -fps_mode vfr uneven.mp4
      make -r 50 double.mp4
      """)
    let result = try stage.job("\(items)\noutput: { file: out.mkv, video: \(video) }\n")
    #expect(result.status == 0, "\(result.errors)")
    let found = try stage.make(
      "mkvinfo out.mkv | sed -n 's:.*(\\([0-9.]*\\) frames/fields per second.*:\\1:p'"
    ).text
    #expect(found == (rate.map { $0 + "\n" } ?? ""))
  }
}
