import TestSupport
import Testing

/// A sample rate and a number of channels.
private struct Sound: CustomTestStringConvertible {
  var rate: Int
  var channels: Int
  /// MP3 settings that LAME has at this rate.
  var settings: [String] {
    ["V0", "V2", "V9", rate < 16_000 ? "abr 32k" : "abr 96k"]
      + (rate < 16_000 ? ["cbr 64k"] : rate < 32_000 ? ["cbr 128k"] : ["cbr 128k", "cbr 320k"])
  }
  var testDescription: String { "\(rate) Hz, \(channels) channels" }

  static let all = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].flatMap { rate in
    [Sound(rate: rate, channels: 1), Sound(rate: rate, channels: 2)]
  }
}

@Suite("Lengths are exact in every format")
struct LengthTests {
  @Test(
    "MP3 has the timeline's length in ffmpeg, mpg123 and lame, and none has a word to say",
    arguments: Sound.all)
  fileprivate func mp3(_ sound: Sound) throws {
    let stage = Stage()
    var random = Dice(UInt64(sound.rate + sound.channels))
    // Below a dozen frames some of them call any MP3 a doubtful one, LAME's own too.
    let sourceLength = 30_001
    try stage.make(
      """
      sox -R -r \(sound.rate) -n -c \(sound.channels) in.wav \
        synth \(sourceLength)s pinknoise synth tremolo 5 40 vol 0.5
      """)
    var job = "jobs:\n"
    var expected = ""
    for (index, setting) in sound.settings.enumerated() {
      let length = Int.random(in: 7000...15_000, using: &random) * 2 + 1
      job += """
          \(index):
            clip: in.wav
            to: \(length) samples
            metadata: { title: Noise }
            output: { file: \(index).mp3, mp3: \(setting) }

        """
      expected += "\(index) \(length) \(length) \(length)\n"
    }
    let result = try stage.job(job)
    #expect(result.status == 0 && result.errors == "")
    let found = try stage.make(
      """
      for i in $(seq 0 \(sound.settings.count - 1)); do
        ffmpeg -v warning -i $i.mp3 f.wav -y </dev/null
        mpg123 -w m.wav $i.mp3 2>mpg123.txt
        grep -iE 'warn|error|illegal|resync|skip' mpg123.txt || true
        lame --decode $i.mp3 l.wav 2>lame.txt
        grep -iE 'warn|error|sync|skip [^i]' lame.txt || true
        mp3val -si $i.mp3 | grep -iE 'warning|error' || true
        echo $i $(soxi -s f.wav m.wav l.wav)
      done
      """)
    #expect(found.text == expected)
    #expect(found.errors == "")
  }

  @Test(
    "WAV, FLAC and M4A have the timeline's length, rounded where the rate changes",
    arguments: [8000, 22_050, 44_100, 48_000, 96_000])
  func others(rate: Int) throws {
    let stage = Stage()
    var random = Dice(UInt64(rate))
    try stage.make("sox -R -r \(rate) -n -c 2 in.wav synth \(rate + 1)s pinknoise vol 0.5")
    var job = "jobs:\n"
    var expected = ""
    for index in 0..<4 {
      let length = Int.random(in: 1...rate / 2, using: &random) * 2 - 1
      job += """
          \(index):
            clip: in.wav
            to: \(length) samples
            output:
              - \(index).wav
              - { file: \(index)f.wav, wav: 32 bit float }
              - { file: \(index).flac, flac: 24 bit }
              - \(index).m4a
              - { file: \(index)r.wav, sample_rate: 44100 Hz }

        """
      // Half away from zero; no length here lies on a half.
      let resampled = (2 * length * 44_100 + rate) / (2 * rate)
      expected += "\(index) \(length) \(length) \(length) \(length) yes \(resampled)\n"
    }
    let result = try stage.job(job)
    #expect(result.status == 0 && result.screen == "")
    let found = try stage.make(
      """
      count() { ffmpeg -v error -i $1 -f s16le -ac 1 - </dev/null | echo $(($(wc -c) / 2)); }
      for i in 0 1 2 3; do
        m4a=$(ffprobe -v error -show_entries stream=duration_ts -of csv=p=0 $i.m4a)
        decoded=$(count $i.m4a)
        echo $i $(count $i.wav) $(count ${i}f.wav) $(count $i.flac) $m4a \
          $((decoded >= m4a && decoded < m4a + 1024)) $(count ${i}r.wav) | sed 's/ 1 / yes /'
      done
      """)
    #expect(found.text == expected)
  }

  @Test("what follows the sound of a CAF is no sound")
  func chunksAfterSound() throws {
    let stage = Stage()
    // A chunk that is free (Apple Core Audio Format Specification 1.0, "Free Chunk").
    try stage.make(
      """
      sox -R -r 8000 -n -c 2 -b 16 in.wav synth 0.5 pinknoise
      ffmpeg -v error -i in.wav in.caf
      { printf 'free\\0\\0\\0\\0\\0\\0\\0\\144'; head -c 100 /dev/zero; } >> in.caf
      """)
    let result = try stage.run("avjob clip in.caf -o out.wav")
    #expect(result.screen == "" && result.status == 0)
    try stage.make(
      """
      decode() { ffmpeg -v error -i $1 -f s16le -; }
      cmp <(decode in.wav) <(decode out.wav)
      """)
  }

  @Test("the sound of an AIFF ends with its chunk, and whatever its header counts")
  func chunksAfterSoundOfAIFF() throws {
    let stage = Stage()
    // COMM's number of frames lies at byte 22 of ffmpeg's files (AIFF 1.3, "Common Chunk").
    try stage.make(
      """
      sox -R -r 48000 -n -c 2 -b 16 in.wav synth 4800s pinknoise
      ffmpeg -v error -i in.wav plain.aiff
      { cat plain.aiff; printf 'XXXX\\0\\0\\7\\320'; head -c 2000 /dev/zero; } > tail.aiff
      printf '\\0\\0\\123\\6' | dd of=tail.aiff bs=1 seek=4 conv=notrunc status=none
      for count in '\\0\\0\\23\\44' '\\0\\0\\0\\0'; do
        cp tail.aiff in.aiff
        printf "$count" | dd of=in.aiff bs=1 seek=22 conv=notrunc status=none
        avjob clip -q --force in.aiff -o out.wav
        cmp <(sox in.wav -t raw -) <(sox out.wav -t raw -)
      done
      """)
    #expect(try frames("tail.aiff in.aiff", in: stage) == [4800, 4800])
  }

  @Test("an AIFF from a pipe, whose sizes count more than any file has, is read to its end")
  func pipedAIFF() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 48000 -n -c 2 -b 16 in.wav synth 4800s pinknoise
      sox in.wav -t aiff - | cat > piped.aiff
      """)
    let result = try stage.run("avjob clip piped.aiff -o out.wav")
    #expect(result.screen == "" && result.status == 0, "\(result)")
    try stage.make("cmp <(sox in.wav -t raw -) <(sox out.wav -t raw -)")
    // A size of its own, beyond the file, is one of a file that was cut short.
    try stage.make("sox in.wav whole.aiff && head -c 15000 whole.aiff > cut.aiff")
    let cut = try stage.run("avjob probe cut.aiff")
    #expect(cut.errors.contains("can be decoded"), "\(cut)")
  }

  private func frames(_ names: String, in stage: Stage) throws -> [Int] {
    let filter = "sed -n 's/.*\"frames\": \\([0-9]*\\).*/\\1/p'"
    return try stage.run("avjob probe --json \(names) | \(filter)").text
      .split(separator: "\n").compactMap { Int($0) }
  }

  @Test("Vorbis whose sound is one page is as long as its granule says, whatever its last packet")
  func onePage() throws {
    let stage = Stage()
    let counts = (0..<18).map { 2048 + 64 * $0 } + [100, 1000, 3001]
    let names = counts.map { "\($0).ogg" }.joined(separator: " ")
    try stage.make(
      """
      for n in \(counts.map(String.init).joined(separator: " ")); do
        sox -R -r 22050 -n -c 1 -b 16 $n.wav synth ${n}s pinknoise vol 0.3
        oggenc -Q -q 0 -o $n.ogg $n.wav
      done
      """)
    #expect(try frames(names, in: stage) == counts)
    let played = try stage.run(
      """
      for n in 100 2048 2560 3136; do avjob clip -q $n.ogg -o x$n.wav && soxi -s x$n.wav; done
      """)
    #expect(played.text.hasSuffix("3136\n") && played.errors == "", "\(played.errors)")
  }

  @Test("first frames of Layer II that are not read are named")
  func skippedFrames() throws {
    let stage = Stage()
    // Its first header differs by the bit of a copyright.
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 2 pinknoise vol 0.3
      ffmpeg -v error -i a.wav -c:a mp2 whole.mp2
      /usr/bin/python3 - <<'END'
      data = bytearray(open('whole.mp2', 'rb').read())
      data[3] ^= 8
      open('first.mp2', 'wb').write(data)
      END
      """)
    let whole = try stage.run("avjob check whole.mp2; avjob clip whole.mp2 -o whole.wav")
    #expect(whole.status == 0 && !whole.errors.contains("left out"))
    let result = try stage.run("avjob clip first.mp2 -o first.wav")
    #expect(
      result.errors.contains(
        "its first frame is left out, 0.026 s of its sound: it is read from where two headers in a "
          + "row agree"))
    #expect(try stage.run("avjob clip first.mp2 -o strict.wav --strict").status != 0)
  }
}
