import TestSupport
import Testing

/// What is said of a picture before a run, by it, and of files.
@Suite("Movies: what happens to the picture is said")
struct MoviePlanTests {
  /// A movie of 6.4 s with a key picture every 1.6 s, and a timecode.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=6.4 -f lavfi -i sine=d=6.4 -c:a aac \\
        -timecode 01:00:00:00 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 40 -keyint_min 40 \\
        -sc_threshold 0 -bf 2 -b_strategy 0 -x264-params b-pyramid=none talk.mp4
      """)
    return stage
  }

  @Test("a plan shows what is copied and encoded of each range, and why")
  func text() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml", "concat: [talk.mp4 2s..5s, talk.mp4 5.2s..5.4s]\noutput: out.mp4\n")
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.status == 0)
    let lines = plan.text.split(separator: "\n").filter { $0.hasPrefix("        ") }
    #expect(
      lines == [
        "        0:00.000 – 0:03.000  talk.mp4 0:02.000 – 0:05.000: 30 pictures encoded before the "
          + "key picture at 0:03.200, copied, 1 picture encoded at the end",
        "        0:03.000 – 0:03.200  talk.mp4 0:05.200 – 0:05.400: 5 pictures encoded, with no key "
          + "picture among them to copy from",
        "        in all 36 pictures encoded",
      ])
    #expect(try stage.run("ls out.mp4 2>/dev/null").text == "")
    // What `--root` confines is opened by other processes alone.
    #expect(
      try stage.run("avjob plan --root . job.yaml").text.contains(
        "        0:00.000 – 0:03.000  talk.mp4 0:02.000 – 0:05.000: not looked at\n"))
  }

  @Test("a check names what an output does not get of the picture's file, as a plan and a run do")
  func lostTracks() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      "clip: talk.mp4 2s..5s\noutput: { file: out.mp4, video: { h264: crf 30 } }\n")
    for command in ["check", "plan", "run"] {
      let errors = try stage.run("avjob \(command) job.yaml").errors
      #expect(
        errors.split(separator: "\n").count {
          $0.hasSuffix(
            "'out.mp4': the timecode of 'talk.mp4' left out, since the picture is encoded throughout"
          )
        } == 1, "\(command): \(errors)")
    }
  }

  @Test(
    "what a run would refuse of a picture or a sound, a check and a plan refuse by the same words",
    arguments: [
      (
        "clip: talk.mp4 ..1ms\noutput: out.mp4", "has no picture that begins in what is shown of it"
      ),
      (
        "clip: talk.mp4 ..1ms\noutput: { file: out.mp4, video: { h264: crf 30 } }",
        "has no picture that begins in what is shown of it"
      ),
      ("clip: old.mkv\noutput: out.mkv", "keeps its pictures as AVI does (V_MS/VFW/FOURCC)"),
      (
        "clip: old.mkv 0.4s..1s\noutput: out.mkv",
        "keeps its pictures as AVI does (V_MS/VFW/FOURCC)"
      ),
      ("clip: edits.mp4\noutput: out.mp4", "has a picture of several edits (elst)"),
      ("clip: wide.wav\noutput: out.wav", "has 65 channels, of which 64 at most are read"),
    ])
  func refusals(job: String, message: String) throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v mpeg4 -bf 2 \\
        -c:a libmp3lame old.avi
      mkvmerge -q -o old.mkv old.avi
      /usr/bin/python3 - <<'END'
      import struct
      head = struct.pack('<HHIIHH', 1, 65, 8000, 8000 * 130, 130, 16)
      data = bytes(130 * 800)
      open('wide.wav', 'wb').write(
          b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt ' + struct.pack('<I', 16) + head
          + b'data' + struct.pack('<I', len(data)) + data)
      # The picture's one edit becomes two; the index is the file's last box.
      film = bytearray(open('talk.mp4', 'rb').read())
      at = film.index(b'elst')
      size, length, start = (struct.unpack_from('>I', film, at + n)[0] for n in (-4, 12, 16))
      half = length // 2
      entry = lambda length, start: struct.pack('>IiI', length, start, 0x10000)
      added = entry(half, start) + entry(length - half, start + 25600)
      film[at + 4:at - 4 + size] = bytes(4) + struct.pack('>I', 2) + added
      grown = len(added) - (size - 16)
      for name in (b'elst', b'edts', b'trak', b'moov'):
          place = film.rindex(name, 0, at + 4) - 4
          struct.pack_into('>I', film, place, struct.unpack_from('>I', film, place)[0] + grown)
      open('edits.mp4', 'wb').write(film)
      END
      """)
    for command in ["check", "plan", "run"] {
      try stage.write("job.yaml", job + "\n")
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status != 0, "\(command)")
      #expect(result.errors.contains(message), "\(command): \(result.errors)")
    }
    try stage.make("[[ ! -e out.mp4 && ! -e out.mkv && ! -e out.wav ]]")
    guard job.contains("old.mkv 0.4s") else { return }
    // The message's own remedy.
    #expect(try stage.job(job + "\n").errors.contains("'ffmpeg -r 25 -i IN -c:v libx264"))
    try stage.make("ffmpeg -v error -r 25 -i old.mkv -c:v libx264 -crf 16 -c:a copy new.mkv")
    let result = try stage.job("clip: new.mkv 0.4s..1s\noutput: out.mkv\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try stage.pictures(of: "out.mkv").count == 15)
  }

  /// Prints what a plan and a run say of how many pictures are encoded and copied; nil for copied ones that
  /// a plan has not counted.
  private let counts = """
    counts() {
      avjob plan --json job.yaml >plan.json
      avjob run --quiet --report r.json job.yaml >/dev/null
      /usr/bin/python3 -c "
    import json
    plan = json.load(open('plan.json'))['jobs'][0]['outputs'][0]['picture']
    parts = [p for s in plan['spans'] for p in s['parts']]
    known = [p.get('pictures') for p in parts if p['copied']]
    print(sum(p['pictures'] for p in parts if not p['copied']),
          None if None in known else sum(known))
    count = json.load(open('r.json'))['jobs'][0]['outputs'][0]['pictures']
    print(count['encoded'], count['copied'])"
    }

    """

  @Test(
    "a plan counts the pictures that a run then encodes and copies",
    arguments: MovieCutTests.sources)
  func counted(source: String) throws {
    let stage = try MovieCutTests().stage()
    let kind = source.hasSuffix(".mov") ? "mov" : "mp4"
    try stage.write(
      "job.yaml",
      """
      concat:
        - \(source) ..1.1s
        - \(source) 0.7s..3.9s
        - \(source) 2.05s..2.2s
        - \(source) 1.4s..1.43s
        - \(source) 3.3s..
      output: out.\(kind)

      """)
    let said = try stage.make(counts + "counts").text.split(separator: "\n")
    #expect(said.count == 2 && said[0] == said[1], "\(said)")
    for (file, schema) in [("plan.json", "plan"), ("r.json", "report")] {
      try JSONSchema.validate(stage.run("cat \(file)").text, as: schema)
    }
  }

  @Test(
    "of a long range the pictures near its ends are enough",
    arguments: [
      "-c:v libx264 -preset ultrafast -bf 2 -b_strategy 0 -g 50 -c:a aac long.mp4",
      "-c:v libx264 -preset ultrafast -bf 2 -b_strategy 0 -g 50 -x264-params open-gop=1 -c:a flac long.mkv",
      "-c:v mpeg2video -bf 2 -g 15 -c:a mp2 long.ts",
    ])
  func long(settings: String) throws {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=100 -f lavfi -i sine=d=100 \\
        -pix_fmt yuv420p \(settings)
      """)
    let name = settings.split(separator: " ").last ?? ""
    try stage.write("job.yaml", "concat: [\(name) 1.3s..97.5s, \(name) 3s..]\noutput: out.mp4\n")
    let said = try stage.make(counts + "counts").text.split(separator: "\n")
    #expect(said[0].split(separator: " ")[0] == said[1].split(separator: " ")[0], "\(said)")
    // They were not all read.
    #expect(said[0].hasSuffix(" None"))
  }

  @Test("a run says how many pictures were copied and encoded, whatever is done to them")
  func methods() throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -f lavfi -i testsrc=s=64x48 -frames:v 1 c.png")
    try stage.write(
      "job.yaml",
      """
      jobs:
        whole: { clip: talk.mp4, gain: -6 dB, output: [whole.mp4, { file: w.json, json: sidecar }] }
        cut: { clip: talk.mp4 3.2s..4.8s, output: cut.mp4 }
        all: { clip: talk.mp4 1s..2s, output: { file: all.mp4, video: { h264: crf 30 } } }
        still:
          clip: talk.mp4
          output: { file: still.mp4, video: { image: c.png, frame_rate: 5 } }
        sound: { clip: talk.mp4, output: sound.m4a }

      """)
    let said = try stage.make(
      """
      avjob run --quiet --report r.json job.yaml >/dev/null 2>&1
      /usr/bin/python3 -c "
      import json
      for job in json.load(open('r.json'))['jobs']:
        print(job['name'], job['outputs'][0].get('pictures'))
      print(json.load(open('w.json'))['outputs'][0]['pictures'])"
      """)
    #expect(
      said.text == """
        whole {'copied': 160, 'encoded': 0}
        cut {'copied': 40, 'encoded': 0}
        all {'copied': 0, 'encoded': 25}
        still {'copied': 0, 'encoded': 32}
        sound None
        {'copied': 160, 'encoded': 0}

        """)
    for (file, schema) in [("r.json", "report"), ("w.json", "record")] {
      try JSONSchema.validate(stage.run("cat \(file)").text, as: schema)
    }
  }

  @Test(
    "a report has the last picture before each join and the first one behind it",
    arguments: ["copy", "{ h264: crf 20 }"])
  func joins(video: String) throws {
    let stage = try MovieCutTests().stage()
    try stage.write(
      "job.yaml",
      """
      concat: [closed.mp4 ..2s, closed.mp4 2s..2.5s, closed.mp4 4s..5s, closed.mp4 1s..1.5s]
      output: { file: out.mp4, video: \(video) }

      """)
    // A bar of twelve pixels is a bit.
    let said = try stage.make(
      """
      avjob run --quiet --report r.json --report r.html job.yaml >/dev/null
      /usr/bin/python3 - <<'END'
      import base64, json, subprocess
      def number(text):
        luma = subprocess.run("ffmpeg -v error -f mjpeg -i - -pix_fmt gray -f rawvideo -".split(),
          input=base64.b64decode(text), capture_output=True).stdout
        assert len(luma) == 192 * 108, len(luma)
        return sum((luma[4 * 192 + bar * 12 + 6] > 125) << bar for bar in range(16))
      for join in json.load(open('r.json'))['jobs'][0]['outputs'][0]['picture_joins']:
        print(join['start'], number(join['before']), number(join['after']))
      END
      grep -c '"picture_joins":.{"start":2.5' r.html
      """)
    #expect(said.text == "2.5 74 120\n3.5 149 30\n1\n")
    try JSONSchema.validate(stage.run("cat r.json").text, as: "report")
  }

  @Test("a report draws 24 joins, and names the others")
  func manyJoins() throws {
    let stage = try stage()
    let items = (0..<30).map { "talk.mp4 \(20 * (29 - $0) + 100)ms..\(20 * (29 - $0) + 180)ms" }
    try stage.write(
      "job.yaml",
      "concat: [\(items.joined(separator: ", "))]\noutput: { file: out.mp4, video: { h264: crf 30 } }\n"
    )
    let said = try stage.make(
      """
      avjob run --quiet --report r.json job.yaml >/dev/null
      /usr/bin/python3 -c "
      import json
      joins = json.load(open('r.json'))['jobs'][0]['outputs'][0]['picture_joins']
      print(len(joins), sum('before' in j and 'after' in j for j in joins), joins[28]['start'])"
      """)
    #expect(said.text == "29 24 2.32\n")
  }

  @Test("probe tells a picture's form, times and colours")
  func probe() throws {
    let stage = Stage()
    try stage.share(
      """
      x264="-c:v libx264 -preset ultrafast -pix_fmt yuv420p -bf 0 -g 10 -keyint_min 10 -sc_threshold 0"
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 $x264 -c:a aac \\
        -vf setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709 \\
        -colorspace bt709 -color_primaries bt709 -color_trc bt709 -timecode 01:00:00:00 p.mp4
      ffmpeg -v error -i p.mp4 -map 0:v $x264 -aspect 16:9 \\
        -vf "select='not(mod(n,3))+gt(n,30)'" -vsync vfr uneven.mp4
      ffmpeg -v error -i uneven.mp4 -i p.mp4 -map 0:v -map 1:a -c copy u.mp4
      turn u.mp4
      ffmpeg -v error -i p.mp4 -c:v mpeg2video -c:a mp2 -map 0:v -map 0:a p.ts
      """)
    func rows(_ name: String) throws -> [String] {
      try stage.make("avjob probe \(name)").text.split(separator: "\n")
        .filter { $0.hasPrefix("  picture") }.map(String.init)
    }
    #expect(
      try rows("p.mp4") == [
        "  picture   stream 0, h264, 64x48, yuv420p, 25 pictures a second, 50 pictures with 5 key "
          + "pictures at most 0:00.400 apart, timecode 01:00:00:00, bt709, limited range"
      ])
    let turned = try rows("u.mp4").joined()
    #expect(
      turned.hasPrefix("  picture   stream 0, h264, 64x48, yuv420p, pixels 4:3, turned by 270°, "),
      "\(turned)")
    #expect(turned.contains("variable rate, ") && turned.contains(" pictures with "), "\(turned)")
    let stream = try rows("p.ts").joined()
    #expect(stream.hasPrefix("  picture   stream 0, mpeg2video, 64x48, yuv420p"), "\(stream)")
    try JSONSchema.validate(stage.make("avjob probe --json p.mp4 u.mp4 p.ts").text, as: "probe")
    let facts = try stage.make(
      """
      avjob probe --json p.mp4 | /usr/bin/python3 -c "
      import json, sys
      print(json.dumps(json.load(sys.stdin)['media'][0]['streams'][0]['picture']))"
      """)
    #expect(
      facts.text == """
        {"width": 64, "height": 48, "pixel_format": "yuv420p", "pixel_aspect": "1:1", "rotation": 0, \
        "frame_rate": "25/1", "frame_rate_mode": "constant", "pictures": 50, "key_pictures": 5, \
        "key_distance": 0.4, "key_distance_exact": "0.4s", "timecode": "01:00:00:00", \
        "colours": {"range": "tv", "primaries": "bt709", "transfer": "bt709", "matrix": "bt709"}}

        """)
  }
}
