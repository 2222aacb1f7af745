import TestSupport
import Testing

@Suite("Several processes on one folder")
struct SharedFolderTests {
  /// Twelve jobs over two sources, and what they make when one process does them.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 4 pinknoise vol 0.3
      sox -R -r 44100 -n -c 2 -b 16 b.wav synth 5 pinknoise vol 0.2
      for n in {1..12}; do
        echo "  job$n: { concat: [a.wav, b.wav ..$n.5s], output: out/$n.flac }"
      done | sed 's/12.5s/0.3s/; s/11.5s/0.2s/; s/10.5s/0.1s/; s/\\([5-9]\\).5s/1.\\1s/' > list
      (echo jobs:; cat list) > job.yaml
      avjob run -q job.yaml
      mv out alone
      rm -r .avjob
      """)
    return stage
  }

  private func reasonCount(_ text: String) -> Int {
    text.split(separator: "\n").count { $0.hasSuffix(" has no receipt of an earlier run") }
  }

  @Test("each output is made once, whole and right, and nothing is left", arguments: [2, 5])
  func together(processes: Int) throws {
    let stage = try stage()
    let result = try stage.run(
      """
      for n in {1..\(processes)}; do
        avjob run --explain --workers 2 job.yaml 2> said.$n > /dev/null &
        pids+=($!)
      done
      for pid in "${pids[@]}"; do wait $pid || echo failed $?; done
      cat said.*
      diff -r alone out || echo different
      ls -A .avjob/locks out | grep -E 'lock$|tmp$'
      """)
    let lines = result.text.split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("failed") || $0 == "different" }, "\(result.text)")
    #expect(!lines.contains { $0.hasSuffix(".lock") || $0.hasSuffix(".tmp") }, "\(result.text)")
    #expect(reasonCount(result.text) == 12, "\(result.text)")
  }

  @Test("after kill -9 the next run does what was not done, and leaves nothing behind")
  func killed() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      "$AVJOB" run --workers 1 job.yaml 2> /dev/null > /dev/null &
      for n in $(seq 4000); do
        [ $(ls .avjob/receipts 2> /dev/null | wc -l) -ge 3 ] && break
        sleep 0.005
      done
      kill -9 $!
      wait $! 2> /dev/null
      echo done $(ls .avjob/receipts | wc -l)
      avjob run --explain job.yaml 2>&1
      diff -r alone out || echo different
      ls -A .avjob/locks out
      """)
    let lines = result.text.split(separator: "\n")
    let done = try #require(
      lines.first { $0.hasPrefix("done ") }.flatMap { Int($0.dropFirst(5)) })
    // All of them, where the machine was too busy to kill it in time.
    #expect(3 <= done && done <= 12)
    #expect(reasonCount(result.text) == 12 - done, "\(result.text)")
    #expect(!lines.contains("different"))
    #expect(!lines.contains { $0.hasSuffix(".lock") || $0.hasSuffix(".tmp") }, "\(result.text)")
  }

  @Test("who waits for a process that was stopped says for whom, and gives up in time")
  func stopped() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 a.wav synth 4 pinknoise vol 0.3")
    try stage.write("long.yaml", "clip: a.wav\nloop: 20000\noutput: long.flac\n")
    try stage.write("job.yaml", "clip: a.wav\nloop: 2\ntimeout: 2s\noutput: long.flac\n")
    let result = try stage.run(
      """
      "$AVJOB" run --quiet --retry 0 long.yaml 2> first & holder=$!
      until [ -s .long.flac.avjob-*.tmp ] || ! kill -0 $holder; do sleep 0.01; done
      kill -STOP $holder
      status=0
      avjob run --quiet --retry 1 job.yaml || status=$?
      echo holder $holder status $status host $(hostname)
      kill -KILL $holder
      wait $holder
      sed -i 's/2s/600s/' job.yaml
      avjob run --quiet job.yaml
      ls -A .avjob/locks .
      """)
    let words = try #require(
      result.text.split(separator: "\n").first { $0.hasPrefix("holder ") }
    ).split(separator: " ")
    #expect(words[3] == "75")
    let who = "process \(words[1]) on '\(words[5])', for 0:"
    for words in [
      "warning: 'long.flac': waits for another avjob that has this job: \(who)",
      "error: 'long.flac': another avjob has had this job for longer than an attempt may take: "
        + who,
    ] { #expect(result.errors.contains(words), "\(result.errors)") }
    #expect(result.errors.contains(", and is stopped (SIGSTOP)"))
    // The second attempt has waited, too.
    let told = result.errors.split(separator: "\n").count {
      $0.contains("waits for another avjob that has this job")
    }
    #expect(told == 2, "\(result.errors)")
    #expect(!result.text.contains(".lock") && !result.text.contains(".tmp"), "\(result.text)")
    #expect(result.text.contains("\nlong.flac"))
  }
}
