import TestSupport
import Testing

/// Whether a file system of one's own can be mounted: as root, or where users may have namespaces.
let namespace: String? = ["unshare -m", "unshare -rm"].first { command in
  (try? Tool.run(["sh", "-c", "\(command) mount -t tmpfs none /mnt"]))?.status == 0
}

@Suite("Files are whole or absent")
struct WholeFilesTests {
  /// A folder with an old `out.mp3`, `short.yaml`, and `long.yaml`, which takes minutes.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 tone.wav synth 20 pinknoise vol 0.3
      echo old > out.mp3
      chmod 604 out.mp3
      printf 'clip: tone.wav ..1s\\noutput: out.mp3\\n' > short.yaml
      (echo concat:; printf -- '  - tone.wav%.0s\\n' {1..1000}; echo 'output: out.mp3') > long.yaml
      """)
    return stage
  }

  /// Starts the long job, waits until it writes, and sends it a signal.
  private func interrupt(_ stage: Stage, with signal: String) throws -> ToolResult {
    try stage.run(
      """
      set -m
      timeout --foreground $((2 * AVJOB_PATIENCE)) "$AVJOB" run --quiet long.yaml &
      until [ -s .out.mp3.avjob-*.tmp ] || ! kill -0 $!; do sleep 0.02; done
      pid=$(pgrep -P $!)
      start=$EPOCHREALTIME
      kill -\(signal) $pid
      wait $!
      status=$?
      echo $status $(((${EPOCHREALTIME/./} - ${start/./}) * 12 < 1000000 * AVJOB_PATIENCE))
      """)
  }

  @Test(
    "SIGINT and SIGTERM end the work at once, leave nothing, and say so",
    arguments: [("INT", "130 1\n"), ("TERM", "143 1\n")])
  func signals(signal: String, outcome: String) throws {
    let stage = try stage()
    let before = try stage.listing()
    let result = try interrupt(stage, with: signal)
    #expect(result.text == outcome)
    #expect(
      result.errors.contains(
        "stopped: 0 of 1 job is done, and kept; to resume: avjob run --quiet long.yaml\n"))
    #expect(try stage.listing() == before)
    #expect(try String(decoding: readFile(stage.path("out.mp3")), as: UTF8.self) == "old\n")
  }

  @Test("SIGKILL leaves the old output, and the next run sweeps what was left")
  func kill() throws {
    let stage = try stage()
    let before = try stage.listing()
    #expect(try interrupt(stage, with: "KILL").text == "137 1\n")
    let left = try stage.listing().filter { !before.contains($0) }
    #expect(left.count == 1 && left.first?.hasPrefix(".out.mp3.avjob-") == true)
    #expect(try String(decoding: readFile(stage.path("out.mp3")), as: UTF8.self) == "old\n")
    try stage.make("avjob run -q short.yaml")
    let after = try stage.make("ls -A -I .avjob; stat -c %a out.mp3; mpg123 -q -w o.wav out.mp3")
    #expect(after.text == "long.yaml\nout.mp3\nshort.yaml\ntone.wav\n604\n")
    #expect(try WAVFile(stage.path("o.wav")).frameCount == 44_100)
  }

  @Test("a link at the target is followed, and stays")
  func links() throws {
    let stage = try stage()
    try stage.make(
      """
      mkdir deep && mv out.mp3 deep/real.mp3
      ln -s deep/real.mp3 middle.mp3 && ln -s middle.mp3 out.mp3
      ln -s deep/new.mp3 fresh.mp3
      avjob run -q short.yaml
      sed -i s/out.mp3/fresh.mp3/ short.yaml
      avjob run -q short.yaml
      """)
    let found = try stage.make(
      "readlink out.mp3 middle.mp3 fresh.mp3; stat -c %a deep/real.mp3; cmp deep/*; ls -A deep")
    #expect(
      found.text == "middle.mp3\ndeep/real.mp3\ndeep/new.mp3\n604\nnew.mp3\nreal.mp3\n")
  }

  @Test("processes that write one file at once all end well, and the file is whole")
  func race() throws {
    let stage = try stage()
    let result = try stage.make(
      """
      rm out.mp3
      avjob run -q short.yaml && mv out.mp3 expected.mp3
      for i in 1 2 3 4; do "$AVJOB" run -q short.yaml & pids+=($!); done
      for pid in "${pids[@]}"; do wait "$pid"; done
      cmp out.mp3 expected.mp3
      ls -A -I .avjob
      """)
    #expect(result.errors == "")
    #expect(result.text == "expected.mp3\nlong.yaml\nout.mp3\nshort.yaml\ntone.wav\n")
  }

  @Test("one job of five that fails stops no other")
  func fiveJobs() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 8000 -n -c 1 -b 16 tone.wav synth 0.5 pinknoise vol 0.3
      ffmpeg -v error -f lavfi -i aevalsrc=0/0:d=0.1 -c:a pcm_f32le nan.wav
      """)
    let result = try stage.job(
      """
      jobs:
        a: { clip: tone.wav, output: a.wav }
        b: { clip: tone.wav, output: b.mp3 }
        c: { clip: nan.wav, output: [c.mp3, c.wav] }
        d: { clip: tone.wav, output: d.flac }
        e: { clip: tone.wav, output: e.m4a }

      """)
    #expect(result.status == 1)
    #expect(
      result.errors == """
        job.yaml:4:14: error: 'nan.wav': holds samples that are no numbers (NaN or infinity)
            4 |   c: { clip: nan.wav, output: [c.mp3, c.wav] }
              |              ^~~~~~~
        1 of 5 jobs failed

        """)
    #expect(
      try stage.run("ls -A -I .avjob").text
        == "a.wav\nb.mp3\nd.flac\ne.m4a\njob.yaml\nnan.wav\ntone.wav\n")
  }

  private static func tooSmall(_ bytes: String) -> String {
    "takes \(bytes) or more, and its disk holds 66 kB in all; make it shorter, or write it to "
      + "another disk"
  }

  private static let noSpace =
    "cannot write the file: No space left on device; make room on that disk or write to another"

  @Test(
    "a full disk is said in a line, and nothing is left on it",
    .enabled(if: namespace != nil, "this user may not mount a file system"),
    arguments: [
      ("mp3", tooSmall("80 kB")), ("wav", tooSmall("3.5 MB")), ("flac", noSpace), ("m4a", noSpace),
    ])
  func fullDisk(format: String, message: String) throws {
    let stage = try stage()
    try stage.make("mkdir full; printf 'clip: tone.wav\\noutput: full/o.\(format)\\n' > job.yaml")
    let result = try stage.run(
      """
      export AVJOB
      \(namespace ?? "") bash -c '
        mount -t tmpfs -o size=64k none full && echo old > full/o.\(format) &&
        timeout 60 "$AVJOB" run -q job.yaml; echo $?; ls -A full; cat full/*'
      """)
    #expect(result.text == "1\no.\(format)\nold\n")
    let caret = "^" + String(repeating: "~", count: "full/o.\(format)".count - 1)
    #expect(
      result.errors.contains(
        """
        job.yaml:2:9: error: 'full/o.\(format)': \(message)
            2 | output: full/o.\(format)
              |         \(caret)

        """))
  }

  @Test(
    "a folder that may not be written is said in a line",
    .enabled(if: namespace != nil, "this user may not mount a file system"))
  func readOnly() throws {
    let stage = try stage()
    try stage.make("mkdir sealed; printf 'clip: tone.wav\\noutput: sealed/o.wav\\n' > job.yaml")
    let result = try stage.run(
      """
      export AVJOB
      \(namespace ?? "") bash -c '
        mount -t tmpfs -o ro none sealed && timeout 60 "$AVJOB" run -q job.yaml; echo $?; ls -A sealed'
      """)
    #expect(result.text == "1\n")
    #expect(
      result.errors == """
        job.yaml:2:9: error: 'sealed/o.wav': cannot write into the folder sealed: Read-only \
        file system; write to a file system that is not read-only
            2 | output: sealed/o.wav
              |         ^~~~~~~~~~~~

        """)
  }
}
