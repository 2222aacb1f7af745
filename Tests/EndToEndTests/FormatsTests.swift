import TestSupport
import Testing

@Suite("Every format, by way of a job file")
struct FormatsTests {
  @Test("a 16-bit source goes into each lossless format bit by bit, and comes back from it")
  func lossless() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 in.wav synth 25001s pinknoise vol 0.5")
    let there = try stage.job(
      """
      clip: in.wav
      output: [a.wav, a.aiff, a.caf, a.flac, { file: a.m4a, alac: 16 bit }]
      """)
    #expect(there.status == 0 && there.errors == "")
    let back = try stage.job(
      """
      for_each: "a.{aiff,caf,flac,m4a}"
      output: "back/${input.name}.wav"
      """)
    #expect(back.status == 0 && back.errors == "")
    try stage.make("for f in back/*.wav; do cmp a.wav $f; done")
    let found = try stage.make(
      """
      for f in in.wav a.*; do ffmpeg -v error -i $f -f s16le - </dev/null | md5sum; done |
        sort -u | wc -l
      """)
    #expect(found.text == "1\n")
  }

  @Test(
    "floats keep what lies below 16 bits in outputs that say no depth",
    arguments: ["-c:a pcm_f32le f.wav", "-c:a pcm_f64be f.aiff", "-c:a wavpack f.wv"])
  func floats(_ encode: String) throws {
    let stage = Stage()
    let name = encode.split(separator: " ").last ?? ""
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i 'sine=440:d=1,aformat=fltp,volume=-80dB' \(encode)
      for n in wav aiff caf flac; do avjob clip -q \(name) -o out.$n; done
      """)
    for output in ["out.wav", "out.aiff", "out.caf", "out.flac"] {
      let probe = try stage.make("avjob probe \(output)").text
      #expect(probe.contains("24 bit"), "\(output): \(probe)")
    }
  }

  @Test("lengths are the timeline's, for each decoder, also where the rate changes")
  func lengths() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 1 in.wav synth 30000s pinknoise vol 0.5")
    var job = "jobs:\n"
    var expected = ""
    for length in [1, 2, 959, 25_000] {
      job += """
          \(length):
            clip: in.wav
            to: \(length) samples
            output: [\(length).aiff, \(length).caf, \(length).ogg, \(length).opus,
              { file: \(length).m4a, alac: 24 bit }]

        """
      // Half away from zero; none of these lies on a half.
      let resampled = (2 * length * 48_000 + 44_100) / (2 * 44_100)
      expected +=
        "\(length) \(length) \(length) \(length) \(length) \(length) \(length) "
        + "\(resampled) \(resampled)\n"
    }
    let result = try stage.job(job)
    #expect(result.status == 0 && result.errors == "")
    let found = try stage.make(
      """
      count() { ffmpeg -v error -i $1 -f s16le -ac 1 - </dev/null | echo $(($(wc -c) / 2)); }
      for i in 1 2 959 25000; do
        oggdec -Q -R -o ogg.raw $i.ogg; opusdec --quiet --rate 48000 $i.opus opus.wav
        echo $i $(count $i.aiff) $(count $i.caf) $(count $i.m4a) $(count $i.ogg) \
          $(($(wc -c <ogg.raw) / 2)) $(soxi -s $i.ogg) $(count $i.opus) $(soxi -s opus.wav)
      done
      """)
    #expect(found.text == expected)
  }

  @Test("surround stays in place from a source to every output that asks for it")
  func surround() throws {
    let stage = Stage()
    let tones = (1...6).map { "0.1*\($0)*sin(2*PI*\(20 + 40 * $0)*t)" }.joined(separator: "|")
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i "aevalsrc=\(tones):c=5.1(side):s=48000:d=0.5" in.wav
      """)
    let result = try stage.job(
      """
      clip: in.wav
      output:
        - { file: a.flac, channels: 5.1 }
        - { file: b.caf, channels: 5.1 }
        - { file: c.opus, channels: 5.1 }
        - { file: d.wav, channels: quad }
        - e.mp3
      """)
    #expect(result.status == 0 && !result.errors.contains("error"))
    let found = try stage.make(
      """
      md5() { ffmpeg -v error -i $1 -f s16le - </dev/null | md5sum; }
      test "$(md5 in.wav)" = "$(md5 a.flac)" && test "$(md5 in.wav)" = "$(md5 b.caf)"
      for f in a.flac b.caf c.opus d.wav e.mp3; do
        ffprobe -v error -show_entries stream=channels -of csv=p=0 $f
      done | xargs
      """)
    #expect(found.text == "6 6 6 4 2\n")
  }

  @Test(
    "'codec: same' keeps the codec, the depth and the kind of bit rate of each file of a folder")
  func sameCodec() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir raw; cd raw
      sox -R -r 44100 -n -c 2 -b 24 a.wav synth 3 pinknoise vol 0.3
      flac -s -o b.flac a.wav; sox a.wav -b 16 c.aiff; lame --quiet -b 192 c.aiff d.mp3
      lame --quiet -V5 c.aiff e.mp3; lame --quiet --abr 96 c.aiff f.mp3; sox a.wav -b 16 t.wav; oggenc -Q -q 4 -o f.oga t.wav
      opusenc --quiet --hard-cbr --bitrate 64 t.wav g.opus; rm t.wav
      ffmpeg -v error -i a.wav -c:a alac h.m4a; ffmpeg -v error -i a.wav -b:a 96k i.m4b
      ffmpeg -v error -i a.wav -c:a wmav2 j.wma
      """)
    let result = try stage.job("for_each: raw/*\noutput: { folder: out, codec: same }\ngain: -3 dB")
    #expect(result.status == 2)
    #expect(result.errors.contains("'codec: same': 'raw/j.wma' is wmav2, which is not written"))
    try stage.make("rm raw/j.wma")
    let plan = try stage.run("avjob plan job.yaml | grep out/ | sed 's/, .*//; s/^ *//'")
    #expect(
      plan.text == """
        out/a.wav  WAV 24 bit
        out/b.flac  FLAC 24 bit
        out/c.aiff  AIFF 16 bit
        out/d.mp3  MP3 CBR 192 kbps
        out/e.mp3  MP3 V5
        out/f.mp3  MP3 ABR 96 kbps
        out/f.oga  Vorbis 128 kbps
        out/g.opus  Opus 67 kbps
        out/h.m4a  ALAC 24 bit
        out/i.m4b  AAC 96 kbps

        """)
    let done = try stage.run("avjob run --quiet job.yaml && ls out | xargs")
    #expect(done.text.hasSuffix("a.wav b.flac c.aiff d.mp3 e.mp3 f.mp3 f.oga g.opus h.m4a i.m4b\n"))
  }

  @Test("'codec: same' of a list is what its sources agree in, and a note says what differs")
  func sameCodecOfLists() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 3 pinknoise vol 0.3
      lame --quiet --abr 96 --resample 44.1 a.wav a.mp3; cp a.mp3 b.mp3
      lame --quiet -b 192 a.wav c.mp3; sox a.wav -b 24 d.wav
      flac -s a.wav; flac -s d.wav; ffmpeg -v error -i a.wav -c:a wmav2 e.wma
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        alike: { concat: [a.mp3, { concat: [b.mp3, a.mp3 1s..2s] }], output: { file: x.mp3, codec: same } }
        best: { concat: [a.mp3, c.mp3, b.mp3], output: { file: y.mp3, codec: same } }
        deep: { tracks: { one: a.flac, two: d.flac }, output: { file: z.flac, codec: same } }
      """)
    let plan = try stage.run("avjob plan job.yaml | grep -v '^ *[0-9]' | grep '[xyz][.]'")
    #expect(plan.text.contains("x.mp3  MP3 ABR 96 kbps, 44.1 kHz stereo"))
    #expect(plan.text.contains("y.mp3  MP3 CBR 192 kbps, 44.1 kHz stereo"))
    #expect(plan.text.contains("z.flac  FLAC 24 bit, 44.1 kHz stereo"))
    let check = try stage.run("avjob check job.yaml")
    let said = check.text + check.errors
    #expect(!said.contains("'x.mp3' becomes"))
    #expect(
      said.contains(
        "'y.mp3' becomes MP3 CBR 192 kbps, 44.1 kHz stereo, and not all of its sources are: "
          + "'a.mp3' is MP3 ABR 96 kbps, 44.1 kHz stereo, 'b.mp3' is MP3 ABR 96 kbps"))
    #expect(said.contains("'a.flac' is FLAC 16 bit, 44.1 kHz stereo"))
    let done = try stage.run(
      """
      avjob run --quiet job.yaml
      for f in x.mp3 y.mp3 z.flac; do
        ffprobe -v error -show_entries stream=codec_name,bits_per_raw_sample -of csv=p=0 $f
      done
      """)
    #expect(done.text.hasPrefix("mp3,N/A\nmp3,N/A\nflac,24\n"))
    let refused = try stage.job(
      "concat: [a.mp3, e.wma]\noutput: { file: o.mp3, codec: same }")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("'codec: same': 'e.wma' is wmav2, which is not written"))
  }
}
