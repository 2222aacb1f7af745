import TestSupport
import Testing

/// Jobs with effects, as they are run.
@Suite("Jobs with effects") struct EffectJobsTests {
  @Test("an impulse response is a source: of receipts, of plans, and of reports of missing files")
  func impulse() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 1 -b 16 a.wav synth 1 pinknoise vol 0.3
      sox -R -r 48000 -n -c 2 -b 16 hall.wav synth 0.4 whitenoise fade t 0 0.4 0.4
      """)
    try stage.write(
      "job.yaml",
      """
      clip: a.wav
      effects:
        - compressor: { threshold: -30 dB, ratio: 2 }
        - reverb: { impulse: hall.wav, mix: 30 %, tail: 0.4s }
      output: [out.wav, { file: out.json, json: sidecar }]
      """)
    let plan = try stage.run("avjob plan job.yaml").text
    #expect(
      plan.contains(
        "  0:00.000 – 0:01.400  reverb (impulse hall.wav, mix 30 %, gain 0 dB, tail 400 ms)\n"))
    try stage.make("avjob run --quiet job.yaml")
    #expect(try stage.run("soxi -s out.wav").text == "61740\n")
    #expect(try stage.run("cat out.json").text.contains(#""path": "hall.wav""#))
    let again = try stage.run("avjob run --explain job.yaml")
    #expect(again.status == 0 && !again.errors.contains("has changed"))
    try stage.make("sox -R -r 48000 -n -c 2 -b 16 hall.wav synth 0.3 whitenoise")
    let changed = try stage.run("avjob run --explain job.yaml")
    #expect(changed.errors.contains("the source 'hall.wav' has changed"))
    try stage.make("rm hall.wav")
    let missing = try stage.run("avjob check job.yaml")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("job.yaml:4:24: error: there is no file 'hall.wav'"))
  }

  @Test("a mistake in the arguments of a filter is found by 'check', with its place")
  func check() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 1 -b 16 a.wav synth 1 pinknoise")
    try stage.write("job.yaml", "clip: a.wav\neffects: [filter: treble=gian=2]\noutput: out.wav\n")
    let result = try stage.run("avjob check job.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "filter \"treble=gian=2\": FFmpeg does not take these arguments (Option not found)"))
    #expect(result.errors.contains("job.yaml:1:7"))
  }
}
