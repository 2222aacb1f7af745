import TestSupport
import Testing

/// Outputs with the moving picture of a source, whose sound is made anew.
@Suite("Movies: the picture copied beside another sound")
struct MovieTests {
  /// A lecture of five seconds: H.264 with B-frames, turned by 90°, with a time code; two sounds in two
  /// languages, subtitles and two chapters. `late.mp4` has its sound half a second after its picture,
  /// `uneven.mp4` pictures at uneven times, and `hidden.mp4` an edit list that hides the first second.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      printf ';FFMETADATA1\\ntitle=Lecture\\n' > tags
      for s in 0 2000; do
        printf '[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=%s\\nEND=5000\\ntitle=%s\\n' $s $s >> tags
      done
      printf '1\\n00:00:00,500 --> 00:00:02,000\\nHello\\n' > words.srt
      sound='anoisesrc=d=5:a=0.3:seed=7:r=48000'
      ffmpeg -v error -f lavfi -i testsrc=s=128x96:d=5:r=25 -f lavfi -i "$sound" \\
        -f lavfi -i sine=d=5 -i words.srt -i tags -map 0 -map 1 -map 2 -map 3 -map_metadata 4 \\
        -c:v libx264 -bf 3 -g 40 -pix_fmt yuv420p -c:a aac -c:s mov_text \\
        -metadata:s:a:0 language=eng -metadata:s:a:1 language=fre -timecode 01:00:00:00 \\
        lecture.mp4
      turn lecture.mp4
      ffmpeg -v error -i lecture.mp4 -itsoffset 0.5 -i lecture.mp4 -map 0:v -map 1:a:0 -c copy late.mp4
      ffmpeg -v error -i lecture.mp4 -map 0:v -map 0:a:0 -c:a copy -c:v libx264 -bf 2 \\
        -vf "select='not(mod(n,3))+gt(n,60)'" -vsync vfr uneven.mp4
      ffmpeg -v error -ss 1.1 -i lecture.mp4 -map 0:v -map 0:a:0 -c copy hidden.mp4
      """)
    return stage
  }

  /// What others find of a file's streams but its first sound: times, flags and digests of packets, the
  /// matrix, languages.
  private func copied(_ name: String, in stage: Stage) throws -> String {
    try stage.make(
      """
      for stream in $(ffprobe -v error -show_entries stream=index,codec_name -of csv=p=0 \(name) \\
        | sed -n 's/^\\([0-9]*\\),\\(h264\\|mov_text\\)$/\\1/p'); do
        ffprobe -v error -select_streams $stream -show_data_hash md5 -of compact=p=0 \\
          -show_entries stream=codec_name,width,height,sample_aspect_ratio,color_space \\
          -show_entries stream_tags=language,timecode -show_entries stream_side_data=rotation \\
          -show_entries packet=pts_time,dts_time,duration_time,size,flags,data_hash \(name)
      done | sed 's/|tag:language=und//'
      """
    ).text
  }

  @Test(
    "pictures and texts are the source's, bit for bit and at their times, and the sound is in its place",
    arguments: ["lecture.mp4", "late.mp4", "uneven.mp4", "hidden.mp4"], ["mp4", "mov"])
  func replaced(source: String, kind: String) throws {
    let stage = try stage()
    let result = try stage.job("clip: \(source)\ngain: -6 dB\noutput: out.\(kind)\n")
    #expect(result.status == 0 && result.errors == "")
    let (found, expected) = (try copied("out.\(kind)", in: stage), try copied(source, in: stage))
    #expect(found == expected, "\(source)")
    // From the start of the file's clock: ffmpeg fills what is before a sound with silence.
    func sound(_ name: String) throws -> [Float] {
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", stage.path(name), "-map", "0:a:0", "-af",
        "aresample=async=1:first_pts=0", "-ac", "1", "-f", "f32le", "-"
      ).floats
    }
    #expect(lag(of: try sound("out.\(kind)"), behind: try sound(source)) == 0)
  }

  @Test("other sounds, chapters and tags come along", arguments: ["mp4", "mov"])
  func others(kind: String) throws {
    let stage = try stage()
    #expect(try stage.job("clip: lecture.mp4\ngain: -6 dB\noutput: out.\(kind)\n").status == 0)
    try stage.make("[[ \(kind) == mp4 ]] || mv out.mov out.mp4")
    let facts = try stage.make(
      """
      for name in lecture out; do
        ffprobe -v error -show_entries stream=codec_name:stream_tags=language -of csv=p=0 $name.mp4 \\
          | grep aac | sed 's/,fra/,fre/' | sort > $name.sounds
        ffprobe -v error -show_chapters -show_entries format_tags=title -of compact $name.mp4 > $name.tags
        ffmpeg -v error -i $name.mp4 -map 0:a:1 -c copy -f framemd5 - \\
          | grep -v '^#' | cut -d, -f 3- > $name.french
      done
      cmp lecture.sounds out.sounds; cmp lecture.french out.french
      grep -c title=2000 out.tags; grep -o 'tag:title=Lecture' out.tags
      """)
    #expect(facts.text == "1\ntag:title=Lecture\n")
    let plan = try stage.run("avjob plan job.yaml").text
    #expect(
      plan.contains(
        "\n      beside it: h264, aac (fre), mov_text (und) of 'lecture.mp4', copied\n")
        || plan.contains("\n      beside it: h264, aac (fre), mov_text of 'lecture.mp4', copied\n"))
  }

  @Test("a cover stays beside a picture that is copied")
  func cover() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x64 -frames:v 1 cover.png
      ffmpeg -v error -i late.mp4 -i cover.png -map 0:v -map 0:a -map 1 -c copy -disposition:v:1 attached_pic \\
        cover.mp4
      """)
    let result = try stage.job("clip: cover.mp4\ngain: -6 dB\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try copied("out.mp4", in: stage) == copied("cover.mp4", in: stage))
    // Others have chapters' titles and the time code.
    let streams = try stage.make(
      "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 out.mp4 | grep -oE 'aac|h264|png' | sort"
    )
    #expect(streams.text == "aac\nh264\npng\n")
  }

  @Test("the sound that is made anew is the first one to players, and the one that is measured")
  func first() throws {
    let stage = try stage()
    // Of two sounds the other one, a tone, which stands first in the file.
    try stage.make(
      """
      ffmpeg -v error -i lecture.mp4 -map 0:v -map 0:a:1 -map 0:a:0 -c copy \
        -disposition:a:0 default -disposition:a:1 0 two.mp4
      """)
    let result = try stage.job(
      """
      clip: two.mp4
      stream: 2
      loudness: -24 LUFS
      output: { file: out.mp4, video: copy }

      """)
    #expect(result.status == 0, "\(result.errors)")
    let facts = try stage.make(
      """
      ffprobe -v error -select_streams a -show_entries stream_disposition=default -of csv=p=0 out.mp4
      ffmpeg -nostdin -i out.mp4 -map 0:a:0 -af ebur128 -f null - 2>&1 \
        | grep -oE '^ *I: *-[0-9]+' | grep -oE -- '-[0-9]+'
      """)
    #expect(facts.text == "1\n0\n-24\n" || facts.text == "1\n0\n-23\n")
  }

  @Test("a folder of videos keeps them under their names, and a picture is left out where asked")
  func folder() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      for_each: "*.mp4"
      loudness: -16 LUFS
      output: { folder: out, video: copy, aac: 128k }

      """)
    #expect(result.status == 0)
    #expect(try stage.run("ls out").text == "hidden.mp4\nlate.mp4\nlecture.mp4\nuneven.mp4\n")
    #expect(try copied("out/late.mp4", in: stage) == copied("late.mp4", in: stage))
    let alone = try stage.job("clip: late.mp4\noutput: { file: sound.mp4, video: none }\n")
    #expect(alone.status == 0)
    let streams = try stage.make(
      "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 sound.mp4")
    // The other stream has chapters' titles.
    #expect(streams.text == "aac\nbin_data\n")
  }

  @Test("the sound of a video is copied with it, and joins are the same for all numbers of cores")
  func sound() throws {
    let stage = try stage()
    #expect(try stage.job("clip: late.mp4\noutput: { file: a.mp4, aac: copy }\n").status == 0)
    let digests = try stage.make(
      """
      for name in late a; do
        ffmpeg -v error -i $name.mp4 -map 0:a -c copy -f md5 -
      done | sort -u | wc -l
      cp job.yaml copy.yaml
      """)
    #expect(digests.text == "1\n")
    try stage.write("mix.yaml", "clip: late.mp4\ngain: -3 dB\noutput: b.mp4\n")
    let bytes = try stage.make(
      """
      avjob run --quiet --workers 1 mix.yaml; md5sum < b.mp4; rm b.mp4
      taskset -c $(core) "$AVJOB" run --quiet mix.yaml; md5sum < b.mp4
      """)
    #expect(Set(bytes.text.split(separator: "\n")).count == 1)
  }

  @Test(
    "the index stands in front of the media, and all of these are found by it",
    arguments: [
      "clip: late.mp4\noutput: out.mp4\n", "clip: late.mp4\noutput: out.mov\n",
      "clip: late.mp4\noutput: { file: out.m4v, aac: copy }\n",
      "clip: late.mp4 1.1s..3.3s\nmetadata: { title: Lecture }\noutput: out.mp4\n",
      "clip: late.mp4\noutput: { file: out.mp4, video: none }\n",
    ])
  func index(job: String) throws {
    let stage = try stage()
    let result = try stage.job(job)
    #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
    try stage.write(
      "atoms.py",
      """
      import struct
      data, at, names = open('out', 'rb').read(), 0, []
      while at < len(data):
        names.append(data[at + 4:at + 8].decode())
        at += struct.unpack('>I', data[at:at + 4])[0]
      print(' '.join(name for name in names if name not in ('free', 'wide')))
      """)
    let facts = try stage.make(
      "mv out.* out; python3 atoms.py; ffmpeg -v error -xerror -i out -f null - 2>&1")
    #expect(facts.text == "ftyp moov mdat\n")
  }

  @Test(
    "what is not built is refused by name, before work starts",
    arguments: [
      (
        "concat: [1s, lecture.mp4]\noutput: out.mp4\n",
        "no picture is shown before 1s, where that of 'lecture.mp4' begins: a video begins with one"
      ),
      (
        "clip: lecture.mp4\nreverse: true\noutput: out.mp4\n",
        "the picture of 'lecture.mp4' would be reversed, which is not built"
      ),
      (
        "tracks: { a: lecture.mp4, b: late.mp4 }\noutput: out.mp4\n",
        "from 0s on two pictures would be shown at once: of 'lecture.mp4' and of 'late.mp4'"
      ),
      (
        "tracks: { a: lecture.mp4 ..3s, b: { clip: late.mp4, at: 1s } }\noutput: out.mp4\n",
        "from 1s on two pictures would be shown at once: of 'lecture.mp4' and of 'late.mp4'"
      ),
      (
        """
        tracks:
          a: { clip: lecture.mp4 ..3s, fade_out: { duration: 2s, picture: cut } }
          b: { clip: late.mp4, at: 1s, fade_in: { duration: 2s, picture: cut } }
        output: { file: out.mp4, video: { h264: crf 30 } }

        """,
        "from 1s on two pictures would be shown at once: of 'lecture.mp4' and of 'late.mp4'"
      ),
      (
        "clip: other.avi\noutput: out.mp4\n",
        "the picture of 'other.avi' is not copied from avi, where the times of h264 are not known"
      ),
      (
        "concat: [lecture.mp4, other.mkv]\noutput: out.mp4\n",
        "the picture of 'other.mkv' is mpeg4 and that of 'lecture.mp4' h264: one file holds one kind"
      ),
      (
        "clip: tone.wav\noutput: out.mp4\n",
        "'.mp4' is a video's extension, and 'tone.wav' has no moving picture"
      ),
      (
        "clip: lecture.mp4\noutput: { file: out.m4a, video: copy }\n",
        "'video' of an output that holds no picture"
      ),
      (
        "clip: lecture.mp4\noutput: { file: out.mp4, mp3: V2 }\n", "'mp3' does not go into '.mp4'"
      ),
    ])
  func refused(job: String, message: String) throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i late.mp4 -c:v mpeg4 -c:a copy other.mkv
      ffmpeg -v error -i late.mp4 -map 0:v -map 0:a:0 -c:a mp2 -c:v libx264 other.avi
      ffmpeg -v error -f lavfi -i sine=d=1 tone.wav
      """)
    let result = try stage.job(job)
    #expect(result.status == 2)
    #expect(result.errors.contains("error: \(message)"), "\(result.errors)")
    #expect(try stage.run("ls out.* 1.mp4 2> /dev/null").text == "")
  }

  @Test("a sound that claims to begin beyond any recording is refused, and no output is left")
  func absurdStart() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i lecture.mp4 -itsoffset 40000000 -i lecture.mp4 -map 0:v -map 1:a:0 -c copy \
        far.mp4
      """)
    let result = try stage.job("clip: far.mp4\ngain: -6 dB\noutput: out.mp4\n")
    #expect(result.status == 1)
    #expect(result.errors.contains("after its picture; 10,000 hours are the most"))
    #expect(try stage.run("ls out.* 2> /dev/null").text == "")
  }

  @Test("tracks for which the output has no place are named")
  func lost() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1 -f lavfi -i sine=d=1 \\
        -c:v prores -c:a aac film.mov
      """)
    let result = try stage.job("clip: film.mov\noutput: out.mp4\n")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        """
        error: MP4 holds no picture of prores, as 'film.mov' has it
        """))
    #expect(result.errors.contains("help: write 'out.mov'"))
    #expect(try stage.job("clip: film.mov\noutput: out.mov\n").status == 0)
  }
}
