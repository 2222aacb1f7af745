import TestSupport
import Testing

@Suite("Signals and limits") struct SignalTests {
  @Test("A signal while media are looked at ends the command at once, as a shell expects it")
  func signalWhileChecking() throws {
    let stage = Stage()
    // Hundreds of files to count: seconds of work before the first job.
    try stage.make(
      """
      sox -n -r 44100 -c 2 in.ogg synth 120 sine 300
      for n in $(seq 300); do ln in.ogg "$n.ogg"; done
      rm in.ogg
      """)
    try stage.write("job.yaml", "concat: ['*.ogg']\noutput: out.wav\n")
    let before = try stage.listing()
    let result = try stage.run(
      """
      "$AVJOB" run job.yaml & job=$!
      for n in $(seq 500); do
        grep -qs ogg <(ls -l /proc/$job/fd 2>/dev/null) && break
        sleep 0.01
      done
      kill -TERM $job
      wait $job
      """)
    #expect(result.status == 143)
    #expect(try stage.listing() == before)
  }

  @Test("More workers than cores are noted, and do no harm")
  func idleWorkers() throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 in.wav synth 1 sine 300")
    try stage.write("job.yaml", "clip: in.wav\noutput: out.wav\n")
    let result = try stage.run("taskset -c 0 \"$AVJOB\" run --quiet --workers 7 job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors
        == "note: --workers 7 is more than the cores that may be used: 1 job runs at once\n")
  }

  @Test(
    "Jobs share the files that may be open: wide mixes run one after the other, and all succeed")
  func openFiles() throws {
    let stage = Stage()
    try stage.make(
      """
      for n in $(seq 30); do sox -n -r 8000 "in$n.wav" synth 1 sine $((200 + n * 10)); done
      """)
    let tracks = (1...30).map { "  t\($0): { clip: in\($0).wav, gain: -30 dB }" }
      .joined(separator: "\n")
    for n in 1...4 {
      try stage.write("job\(n).yaml", "tracks:\n\(tracks)\noutput: out\(n).wav\n")
    }
    // Without the files that the tests have open.
    let result = try stage.run(
      """
      for file in /proc/$BASHPID/fd/*; do
        file=${file##*/}; [ "$file" -gt 2 ] && eval "exec $file>&-"
      done
      ulimit -n 64
      avjob run --quiet job1.yaml job2.yaml job3.yaml job4.yaml
      """)
    #expect(result.errors == "")
    #expect(result.status == 0)
    try stage.make("cmp out1.wav out2.wav; cmp out1.wav out3.wav; cmp out1.wav out4.wav")
  }
}
