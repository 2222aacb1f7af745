import TestSupport
import Testing

/// Loops whose patterns find their own outputs.
@Suite("Outputs among a loop's own files")
struct LoopOutputTests {
  private func stage(_ pattern: String = "\"**/*.wav\"") throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 a.wav synth 0.1 pinknoise")
    try stage.write("job.yaml", "for_each: \(pattern)\noutput: { folder: o, wav: 16 bit }\n")
    return stage
  }

  @Test("are left out by a run, by each command, and also without receipts")
  func runs() throws {
    let stage = try stage()
    let first = try stage.run("avjob run --quiet job.yaml")
    #expect(first.status == 0 && first.errors == "", "\(first.errors)")
    let later = try stage.run(
      """
      for command in "run" "check" "plan" "run"; do avjob $command job.yaml || exit; done
      rm -r .avjob; avjob run job.yaml
      find . -name '*.wav' | sort
      """)
    #expect(later.status == 0)
    #expect(later.text.hasSuffix("\n./a.wav\n./o/a.wav\n"), "\(later.text)")
    let said = "warning: 'o/a' would read 'o/a.wav', which 'a' makes: it is left out"
    #expect(later.errors.ranges(of: said).count == 5, "\(later.errors)")
  }

  @Test("are left out when their sources have gone, as long as receipts say who made them")
  func gone() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      avjob run --quiet job.yaml && mv a.wav ..a && avjob run job.yaml
      echo $?
      find . -name '*.wav' | sort
      """)
    #expect(result.text.hasSuffix("0\n./o/a.wav\n"), "\(result)")
    #expect(
      result.errors.contains("which an earlier run of this loop made: it is left out"),
      "\(result.errors)")
  }
}
