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
      until grep -qs ogg <(ls -l /proc/$job/fd 2>/dev/null) || ! kill -0 $job; do sleep 0.01; done
      kill -TERM $job
      wait $job
      """)
    #expect(result.status == 143)
    #expect(try stage.listing() == before)
  }

  @Test("A run that is stopped while media are looked at says so in its reports and events")
  func reportsWhileChecking() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 44100 -c 2 in.ogg synth 120 sine 300
      for n in $(seq 300); do ln in.ogg "$n.ogg"; done
      rm in.ogg
      """)
    try stage.write("job.yaml", "concat: ['*.ogg']\noutput: out.wav\n")
    let result = try stage.run(
      """
      "$AVJOB" run --progress json --report r.json --report r.xml job.yaml >events & job=$!
      until grep -qs ogg <(ls -l /proc/$job/fd 2>/dev/null) || ! kill -0 $job; do sleep 0.01; done
      kill -INT $job
      wait $job
      echo $?
      /usr/bin/python3 -c "import json
      r = json.load(open('r.json'))
      print(r['exit_status'], r['jobs'], [(m['class'], m['message']) for m in r['messages']])
      print([json.loads(line)['event'] for line in open('events')])"
      grep -c '<error ' r.xml
      ls -A | grep -c 'tmp\\|out'
      """)
    #expect(
      result.text == """
        130
        130 [] [('temporary', 'stopped before any job was started')]
        ['run', 'error', 'summary']
        1
        0

        """)
    #expect(
      result.errors == """
        stopped before any job was started; to resume: avjob run --progress json --report r.json \
        --report r.xml job.yaml

        """)
  }

  @Test("A second signal ends it also where what the first one makes it say can go nowhere")
  func secondSignalWhileChecking() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 44100 -c 2 in.ogg synth 120 sine 300
      for n in $(seq 300); do ln in.ogg "$n.ogg"; done
      rm in.ogg
      mkfifo pipe
      """)
    try stage.write("job.yaml", "concat: ['*.ogg']\noutput: out.wav\n")
    let result = try stage.run(
      """
      exec 9<>pipe
      dd if=/dev/zero of=pipe bs=4096 count=1000 oflag=nonblock 2>/dev/null
      "$AVJOB" run job.yaml 2>&9 & job=$!
      for n in $(seq 6000); do
        grep -qs ogg <(ls -l /proc/$job/fd 2>/dev/null) && break
        sleep 0.01
      done
      kill -INT $job
      # Only the thread that takes signals lets them through, once it has taken the first.
      for n in $(seq 6000); do
        grep -qs 'SigBlk:.*00$' /proc/$job/task/*/status && break
        sleep 0.01
      done
      kill -TERM $job
      for n in $(seq 3000); do kill -0 $job || break; sleep 0.01; done
      kill -KILL $job
      wait $job
      """)
    #expect(result.status == 143)
  }

  @Test("A second signal ends the command at once, and the next run takes away what it left")
  func secondSignal() throws {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 2 short.wav synth 2 sine 300")
    try stage.write("a.yaml", "clip: short.wav\nloop: 2000\noutput: a.flac\n")
    // A job that does not hear the first signal: its process is halted.
    let result = try stage.run(
      """
      "$AVJOB" run --isolate a.yaml & job=$!
      until [ -s .a.flac.avjob-*.tmp ] || ! kill -0 $job; do sleep 0.01; done
      child=$(pgrep -P $job -f isolated-job)
      kill -STOP $child
      kill -INT $job
      kill -TERM $job
      wait $job
      echo $?
      for n in $(seq 2000); do [ -e /proc/$child/exe ] || break; sleep 0.01; done
      ls -A | grep flac | sed 's/avjob-.*-.*-.*-.*tmp/avjob-X.tmp/'
      sed -i 's/2000/2/' a.yaml
      avjob run --quiet a.yaml >table
      ls -A | grep flac
      flac -s -t a.flac && echo whole
      """)
    #expect(result.text == "143\n.a.flac.avjob-X.tmp\na.flac\nwhole\n")
    #expect(!result.errors.contains("stopped"))
  }

  @Test(
    "A hang-up that was ignored when the command started ends neither it nor its jobs; SIGTERM does",
    arguments: ["", "--isolate", "--watch"])
  func ignoredHangUp(option: String) throws {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 2 short.wav synth 2 sine 300")
    try stage.write("a.yaml", "clip: short.wav\nloop: 2000\noutput: a.flac\n")
    // A second signal would end the command at once, and leave what it has written.
    let result = try stage.run(
      """
      (trap '' HUP; exec "$AVJOB" run --quiet \(option) a.yaml) & job=$!
      until [ -s .a.flac.avjob-*.tmp ] || ! kill -0 $job; do sleep 0.01; done
      for process in $job $(pgrep -P $job -f isolated-job); do kill -HUP $process; done
      kill -TERM $job
      wait $job
      echo $?
      ls -A | grep flac
      """)
    #expect(result.text == "143\n")
    #expect(!result.errors.contains("error"), "\(result.errors)")
  }

  @Test("A command over several files that is stopped says what goes on, and that does")
  func oneShotGoesOn() throws {
    let stage = Stage()
    // On one core, so that they do not all end together.
    let result = try stage.run(
      """
      sox -R -r 44100 -n -c 2 -t wav noise synth 40 pinknoise
      for n in a b c d e; do cp noise "$n 1.wav"; done
      taskset -c $(core) "$AVJOB" compress *.wav -o small 2>said >/dev/null & job=$!
      until ls small/*.mp3 >/dev/null 2>&1 || ! kill -0 $job; do sleep 0.01; done
      kill -INT $job
      wait $job
      echo $?
      left=$(grep -o 'avjob compress.*' said)
      eval "$left" >/dev/null 2>&1
      echo $?
      ls small | wc -l
      """)
    #expect(result.text == "130\n0\n5\n")
  }

  @Test("More workers than cores are noted, and do no harm")
  func idleWorkers() throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 in.wav synth 1 sine 300")
    try stage.write("job.yaml", "clip: in.wav\noutput: out.wav\n")
    let result = try stage.run("taskset -c $(core) \"$AVJOB\" run --workers 7 job.yaml")
    #expect(result.status == 0)
    #expect(
      result.screen
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
