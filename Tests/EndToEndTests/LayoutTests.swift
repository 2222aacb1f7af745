import TestSupport
import Testing

@Suite("Layouts that are kept")
struct LayoutTests {
  private let stage = Stage()

  /// A film with 5.1 sound, and the same sound in stereo as its third stream.
  private func film() throws {
    let tones = (1...6).map { "0.1*sin(2*PI*\(20 + 40 * $0)*t)" }.joined(separator: "|")
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i "aevalsrc=\(tones):c=5.1:s=48000:d=1" surround.wav
      ffmpeg -v error -f lavfi -i color=s=16x16:d=1 -i surround.wav -map 0 -map 1 -map 1 -c:a ac3 \
        -ac:a:1 2 -metadata:s:a:1 language=deu -metadata:s:a:1 title=Director film.mkv
      """)
  }

  @Test("a film's 5.1 stays 5.1 where the format has it, and a downmix is noted by each command")
  func surround() throws {
    try film()
    let kept = try stage.run(
      """
      avjob compress -q film.mkv -o a.flac && avjob compress -q film.mkv -o b.flac --preset archive
      """)
    #expect(kept.status == 0 && kept.errors == "", "\(kept.errors)")
    let found = try stage.make(
      """
      for f in a.flac b.flac; do ffprobe -v error -show_entries stream=channels -of csv=p=0 $f; done
      """)
    #expect(found.text == "6\n6\n")
    try stage.write("job.yaml", "clip: film.mkv\noutput: [x.mp3, y.m4a]\n")
    #expect(try stage.run("avjob run -q job.yaml").errors == "")
    for command in ["check", "plan", "run --force"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0)
      #expect(
        result.screen.hasPrefix(
          """
          job.yaml:2:10: note: 'x.mp3' is stereo: 'film.mkv', 5.1, is mixed down, \
          without the low-frequency channel
              2 | output: [x.mp3, y.m4a]
                |          ^~~~~
            help: MP3 has no layout of 5.1

          """), "\(command): \(result.screen)")
    }
  }

  @Test("surround at the side joins surround at the back without a downmix, in every channel")
  func surroundsAtSides() throws {
    try film()
    try stage.make(
      """
      ffmpeg -v error -i surround.wav -af "pan=5.1(side)|c0=c0|c1=c1|c2=c2|c3=c3|c4=c4|c5=c5" \
        side.flac
      ffmpeg -v error -i surround.wav back.flac
      ffmpeg -v error -i side.flac -c:a ac3 side.ac3
      ffmpeg -v error -i back.flac -c:a aac back.m4a
      """)
    for (first, second) in [
      ("back.flac", "side.flac"), ("side.flac", "back.flac"), ("back.m4a", "side.ac3"),
    ] {
      let result = try stage.run("avjob concat \(first) \(second) -o both.wav --force -q")
      #expect(result.status == 0 && result.errors == "", "\(first): \(result.errors)")
      let shown = try stage.make(
        "ffprobe -v error -show_entries stream=channels,channel_layout -of csv=p=0 both.wav")
      #expect(shown.text == "6,5.1\n", "\(first): \(shown.text)")
    }
    // Lossless parts are there bit for bit.
    let sums = try stage.make(
      """
      avjob concat back.flac side.flac -o both.wav --force -q
      for f in surround.wav "both.wav -t 1" "both.wav -ss 1"; do
        ffmpeg -v error -i $f -c:a pcm_s16le -f s16le - | md5sum
      done | sort -u | wc -l
      """)
    #expect(sums.text == "1\n")
  }

  @Test("probe names the other streams of a file, with what probes them")
  func streams() throws {
    try film()
    // Later versions of FFmpeg's muxer add a delay, and with it a wider column, and its encoders a range.
    let text = try stage.make("avjob probe film.mkv | tr -s ' '").text
    #expect(
      text.contains(" picture stream 0, h264, 16x16, yuv420p, 25 pictures a second"), "\(text)")
    #expect(
      text.contains(" beside stream 2, ac3, 48 kHz stereo, deu, 'Director': '--stream 2'\n"),
      "\(text)")
  }

  @Test(
    "telephone prompts are what FFmpeg makes of the same samples, and stay so with 'codec: same'")
  func telephony() throws {
    try stage.make(
      "sox -R -r 8000 -n -c 1 -b 16 in.wav synth 8001s pinknoise vol 0.5 && mkdir same")
    let jobs = [
      """
      clip: in.wav
      output:
        - { file: mu-law.wav, wav: mu-law }
        - { file: a-law.wav, wav: A-law }
        - { file: eight.wav, wav: 8 bit }
      """,
      """
      for_each: [mu-law.wav, a-law.wav, eight.wav]
      output: { folder: same, codec: same }
      """,
    ]
    for job in jobs {
      let result = try stage.job(job)
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    }
    let found = try stage.make(
      """
      for c in mu a; do
        ffmpeg -v error -i in.wav -c:a pcm_${c}law -f ${c}law - | md5sum
        ffmpeg -v error -i $c-law.wav -c copy -f ${c}law - | md5sum
        cmp $c-law.wav same/$c-law.wav
      done | uniq | wc -l
      cmp eight.wav same/eight.wav
      for o in "-e eight" "-b eight" "-e mu-law" "-e a-law"; do soxi $o.wav; done
      """)
    #expect(found.text == "2\nUnsigned Integer PCM\n8\nu-law\nA-law\n", "\(found.text)")
  }

  @Test("M4A keeps the tag of gapless playback, and nothing is said to be left out")
  func gapless() throws {
    try stage.make("sox -R -r 44100 -n -c 1 in.wav synth 1 sine 440")
    try stage.write(
      "job.yaml", "clip: in.wav\nmetadata: { gapless_playback: 1 }\noutput: a.m4a\n")
    let result = try stage.run("avjob run -q job.yaml")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let tag = try stage.make(
      "ffprobe -v error -show_entries format_tags=gapless_playback -of csv=p=0 a.m4a")
    #expect(tag.text == "1\n")
  }
}
