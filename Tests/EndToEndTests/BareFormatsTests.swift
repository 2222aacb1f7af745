import TestSupport
import Testing

/// Outputs in bare AAC, coded CAF and AMR, as users write them.
@Suite("ADTS, CAF of coded sound, and AMR")
struct BareFormatsTests {
  private let stage = Stage()

  private func makeSound() throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i "aevalsrc=0.4*sin(2*PI*(300*t+900*t*t))|0.3*sin(700*PI*t)\\
      :s=44100:d=2" -metadata title=Glide a.wav
      """)
  }

  @Test("a name is enough for ADTS, which names what it has no place for")
  func adts() throws {
    try makeSound()
    try stage.write(
      "job.yaml",
      """
      clip: a.wav
      metadata: { artist: Ann }
      chapters: { 0s: One, 1s: Two }
      output: [b.aac, { file: c.aac, aac: 64k, channels: mono }]

      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("ADTS has no place for the tags artist: left out"))
    #expect(result.errors.contains("ADTS has no place for the chapters: left out"))
    #expect(
      result.errors.contains(
        "ADTS has no place for the sound's ends: it begins with the encoder's delay, and ends with a "
          + "whole packet; write '.m4a' for exact ends"))
    let facts = try stage.make(
      """
      for f in b c; do ffprobe -v error -show_entries stream=codec_name,sample_rate,channels \\
        -show_entries format=format_name -of csv=p=0 $f.aac; done
      """)
    #expect(facts.text == "aac,44100,2\naac\naac,44100,1\naac\n")
  }

  @Test("packets of AAC are copied between M4A and ADTS", arguments: ["m4a", "aac"])
  func copy(from kind: String) throws {
    try makeSound()
    let other = kind == "aac" ? "m4a" : "aac"
    let result = try stage.run(
      """
      ffmpeg -v error -i a.wav -c:a aac -b:a 96k s.\(kind)
      avjob clip s.\(kind) --aac copy -o out.\(other)
      ffmpeg -v error -i s.\(kind) -c copy -f adts 1
      ffmpeg -v error -i out.\(other) -c copy -f adts 2
      cmp 1 2 && stat -c %s 1
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.split(separator: "\n").last.flatMap { Int($0) } ?? 0 > 20_000)
  }

  @Test(
    "the keys of formats and the name '.caf' give CAF of that codec, and its source's codec again",
    arguments: [
      ("caf: ima4", "adpcm_ima_qt"), ("alac: 24 bit", "alac"), ("aac: 96k", "aac"),
      ("caf: 24 bit", "pcm_s24le"),
    ])
  func caf(_ setting: String, _ codec: String) throws {
    try makeSound()
    try stage.write(
      "job.yaml",
      """
      clip: a.wav
      chapters: { 0s: One, 1s: Two }
      output: { file: b.caf, \(setting) }

      """)
    try stage.write("same.yaml", "clip: b.caf\noutput: { file: c.caf, codec: same }\n")
    try stage.make("avjob run --quiet job.yaml && avjob run --quiet same.yaml")
    for name in ["b", "c"] {
      let facts = try stage.make(
        "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 \(name).caf")
      #expect(facts.text == codec + "\n")
      let probed = try stage.make("avjob probe \(name).caf").text
      #expect(probed.contains("(88200 samples)"), "\(probed)")
      #expect(probed.contains("Glide") && probed.contains("Two"), "\(probed)")
    }
  }

  @Test("HE-AAC does not go into CAF, nor a cover")
  func refusals() throws {
    try makeSound()
    try stage.write("he.yaml", "clip: a.wav\noutput: { file: b.caf, aac: fdk he 48k }\n")
    let refused = try stage.run("avjob check he.yaml")
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains("he.yaml:2:")
        && refused.errors.contains("HE-AAC is not written to CAF"))
    #expect(refused.errors.contains("help: write 'b.m4a' or '.aac', or AAC-LC"))
    try stage.make("ffmpeg -v error -f lavfi -i color=red:s=16x16 -frames:v 1 red.png")
    let covered = try stage.run("avjob clip a.wav --aac 96k --tag cover=red.png -o b.caf")
    #expect(covered.status == 0 && covered.errors.contains("CAF has no place for the cover"))
  }

  @Test("a name is enough for AMR of a stereo source, where FFmpeg encodes it")
  func amr() throws {
    try makeSound()
    try stage.write("job.yaml", "clip: a.wav\noutput: { file: b.amr, amr: 7.95k }\n")
    let result = try stage.run("avjob clip a.wav -o a.amr && avjob run job.yaml")
    if result.errors.contains("libopencore_amrnb") {
      #expect(result.status != 0 && result.errors.contains("install libavcodec"))
      #expect(try stage.run("ls *.amr").status != 0)
      let checked = try stage.run("avjob run job.yaml")
      #expect(checked.errors.contains("job.yaml:2:"), "\(checked.errors)")
      return
    }
    #expect(result.status == 0, "\(result.errors)")
    let facts = try stage.make(
      """
      for f in a b; do ffprobe -v error -show_entries stream=codec_name,sample_rate,channels -of csv=p=0 $f.amr
      stat -c %s $f.amr; done
      printf 'clip: b.amr\\noutput: { file: c.amr, codec: same }\\n' >same.yaml
      avjob run --quiet same.yaml; stat -c %s c.amr
      """)
    // A head of six bytes and 100 packets of 20 ms.
    #expect(facts.text == "amr_nb,8000,1\n3206\namr_nb,8000,1\n2106\n2106\n")
  }

  @Test("a bit rate that AMR does not have is refused with those that it has, and so is a copy")
  func rates() throws {
    try stage.write(
      "job.yaml", "clip: a.wav\noutput: [{ file: a.amr, amr: 8k }, { file: b.amr, amr: copy }]\n")
    let refused = try stage.run("avjob check job.yaml")
    #expect(refused.errors.contains("'8k' is no bit rate of AMR"))
    #expect(
      refused.errors.contains(
        "help: write one of 4.75k, 5.15k, 5.9k, 6.7k, 7.4k, 7.95k, 10.2k, 12.2k"))
    #expect(refused.errors.contains("AMR is encoded, and not copied"))
  }
}
