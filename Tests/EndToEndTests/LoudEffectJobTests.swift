import TestSupport
import Testing

/// Jobs whose sound is above full scale between two effects.
@Suite("Jobs with sound above full scale") struct LoudEffectJobTests {
  @Test("a deesser behind gain makes nothing louder, and the output is what ffmpeg makes of it")
  func deesser() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -n -r 48000 -b 16 hiss.wav synth 2 sine 7000 vol 0.9
      ffmpeg -v error -f lavfi -i "anoisesrc=r=48000:d=2:a=1:seed=5,aformat=sample_fmts=flt,\
      volume=2:precision=float" -c:a pcm_f32le loud.wav
      """)
    let jobs: [(job: String, highest: Double)] = [
      (
        """
        clip: hiss.wav
        effects: [eq: [{ high_shelf: 4 kHz, gain: 8 dB }], deesser]
        output: { file: out.wav, wav: 32 bit float }
        """, 3.0
      ),
      (
        """
        clip: hiss.wav
        effects: [compressor: { threshold: -20 dB, ratio: 3, makeup: 12 dB }, filter: "deesser=i=0.5"]
        output: { file: out.wav, wav: 32 bit float }
        """, 3.65
      ),
      ("clip: loud.wav\neffects: [deesser]\noutput: { file: out.wav, wav: 32 bit float }\n", 2.01),
      (
        """
        concat: [{ clip: hiss.wav, gain: +6 dB }]
        effects: [deesser]
        loudness: -16 LUFS
        output: { file: out.wav, wav: 32 bit float }
        """, 1.0
      ),
    ]
    for (job, highest) in jobs {
      try stage.write("job.yaml", job)
      let result = try stage.run("avjob run -q --force job.yaml")
      #expect(result.status == 0, "\(job): \(result.errors)")
      let samples = try stage.make("ffmpeg -v error -i out.wav -f f32le -").floats
      let peak = samples.map { Double(abs($0)) }.max() ?? 0
      #expect(samples.allSatisfy(\.isFinite) && peak > 0.05 && peak < highest, "\(job): \(peak)")
    }
  }

  @Test("an effect that gives no numbers is named at its item, with what to do")
  func numbers() throws {
    let stage = Stage()
    try stage.make("sox -R -n -r 48000 -b 16 a.wav synth 1 sine 700")
    try stage.write(
      "job.yaml",
      "clip: a.wav\neffects: [filter: \"volume=1e30,volume=1e30\"]\noutput: out.wav\n")
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "the effect filter \"volume=1e30,volume=1e30\" gives samples that are no numbers"),
      "\(result.errors)")
    #expect(
      result.errors.contains("as with 'gain: -12 dB', or leave it out")
        && !result.errors.contains("report"), "\(result.errors)")
    #expect(result.errors.contains("job.yaml:1:7"), "\(result.errors)")
  }
}
