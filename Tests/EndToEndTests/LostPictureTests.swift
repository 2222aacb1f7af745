import TestSupport
import Testing

/// A picture is never lost under a video's name, nor without a word.
@Suite struct LostPictureTests {
  /// A video of a second, `lecture.mp4`, and the sound of one, `tone.wav`.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1:r=10 -f lavfi -i sine=d=1 \
        -c:v mpeg4 -c:a aac lecture.mp4
      ffmpeg -v error -f lavfi -i sine=d=1 tone.wav
      """)
    return stage
  }

  private static let note =
    "note: the picture of 'lecture.mp4' (mpeg4) is left out: no output holds a picture"

  @Test(
    "an output under a video's name is refused at its place, before work starts",
    arguments: [
      ("a.AVI", "a.m4a"), ("a.ts", "a.m4a"), ("a.flv", "a.m4a"),
      ("{ file: a.avi, codec: same }", "a.m4a"), ("{ file: a.ts, aac: 96k }", "a.m4a"),
      ("{ file: a.flv, alac: 16 bit }", "a.m4a"), ("{ file: a.avi, mp3: V2 }", "a.mp3"),
      ("{ file: a.mpg, aac: copy }", "a.m4a"), ("{ file: a.wmv, preset: podcast }", "a.mp3"),
    ])
  func refused(output: String, help: String) throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: lecture.mp4\noutput: \(output)\n")
    for command in ["check", "plan", "run"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 2)
      #expect(result.errors.contains("job.yaml:2:"))
      #expect(
        result.errors.contains(
          "is a video's extension, and videos are written as .mp4, .mov, .mkv or .webm"))
      #expect(result.errors.contains("help: for the sound alone write '\(help)'"))
    }
    #expect(try stage.run("ls a.*").text == "")
  }

  @Test(
    "so it is of one file of many, of parts, of a sound without a picture, and of commands",
    arguments: [
      "for_each: \"*.mp4\"\noutput: { file: \"out/${input.stem}.avi\", codec: same }\n",
      "clip: lecture.mp4\nsplit: { every: 500ms }\noutput: \"out/${part.n}.flv\"\n",
      "clip: tone.wav\nchapters: { 0s: x.avi }\nsplit: chapters\n"
        + "output: { file: \"${part.title}\", mp3: V2 }\n",
      "clip: tone.wav\noutput: [a.flac, a.mp4]\n",
    ])
  func others(job: String) throws {
    let stage = try stage()
    let result = try stage.job(job)
    #expect(result.status == 2)
    #expect(result.errors.contains("is a video's extension"))
    #expect(try stage.run("ls out *.flac a.mp4 x.avi 2>/dev/null").text == "")
  }

  @Test("commands for one output refuse a video's name, and say which name does")
  func commands() throws {
    let stage = try stage()
    for command in [
      "compress lecture.mp4 -o a.mpg", "clip tone.wav --to 500ms -o a.mp4",
      "concat tone.wav tone.wav -o a.mp4", "compress tone.wav -o a.mp4",
    ] {
      let result = try stage.run("avjob \(command)")
      #expect(result.status == 2)
      #expect(result.errors.contains("-o a.m"))
      #expect(result.errors.contains("help: for the sound alone write 'a.m"))
    }
    // No folder of this name.
    let many = try stage.run("avjob compress lecture.mp4 tone.wav -o a.mp4")
    #expect(many.status == 2 && many.errors.contains("'a.mp4' is one file"))
    #expect(try stage.run("ls -d a.*").text == "")
  }

  @Test("the picture of a source is named in a note of each command, the report and the record")
  func note() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      "clip: lecture.mp4\noutput: [a.m4a, b.flac, { file: a.json, json: sidecar }]\n")
    for command in ["check", "plan", "run --report r.json"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0)
      // Once for all outputs.
      #expect(result.errors.split(separator: "\n").count { $0.contains("left out") } == 1)
      #expect(result.errors.contains("job.yaml:2:10: \(Self.note)"))
    }
    let facts = try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import json
      print(json.load(open('a.json'))['sources'][0]['picture'])
      print([m['severity'] for j in json.load(open('r.json'))['jobs'] for m in j['messages']])
      END
      """)
    #expect(facts.text == "mpeg4\n['note']\n")
    try JSONSchema.validate(stage.run("cat a.json").text, as: "record")
    let quick = try stage.run("avjob clip lecture.mp4 --to 500ms -o c.m4a")
    #expect(quick.status == 0 && quick.errors.contains(Self.note))
  }

  @Test("a folder keeps the pictures that are copied, and several that are left out are counted")
  func folder() throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -i lecture.mp4 -c copy other.mkv")
    try stage.write(
      "job.yaml",
      """
      jobs:
        same: { clip: lecture.mp4, output: { folder: out, codec: same } }
        other: { clip: other.mkv, output: { folder: out, codec: same } }
        joined: { concat: [lecture.mp4, tone.wav, { clip: other.mkv }], output: a.m4a }

      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors.contains(
        "note: the pictures of 'lecture.mp4' (mpeg4) and of 1 more are left out: no output"))
    #expect(try stage.run("ls out").text == "lecture.mp4\nother.m4a\n")
  }

  @Test("a cover is no picture that is lost, and a chapter's image is none")
  func covers() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=size=40x30 -frames:v 1 c.jpg
      ffmpeg -v error -i tone.wav -i c.jpg -map 0 -map 1 -c:v copy -disposition:v attached_pic s.m4a
      ffmpeg -v error -i tone.wav -i c.jpg -map 0 -map 1 -c:v copy -disposition:v attached_pic s.flac
      """)
    for name in ["s.m4a", "s.flac"] {
      let result = try stage.run("avjob compress \(name) -o \(name).mp3")
      #expect(result.status == 0 && !result.errors.contains("left out"))
    }
  }
}
