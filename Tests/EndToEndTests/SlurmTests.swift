import Glibc
import TestSupport
import Testing

/// Where Slurm is installed, as in CI: its package starts servers that a developer may not want.
/// `scripts/soak cluster` has nodes, tasks and the controller die.
private let hasSlurm = access("/usr/sbin/slurmctld", X_OK) == 0

@Suite("Runs on Slurm", .serialized)
struct SlurmTests {
  private let cluster = """
    export PATH=$PATH:/usr/sbin
    down() { "$FIXTURES/../Tests/Servers/slurm-cluster" down "$PWD/slurm"; }
    up() {
      trap down EXIT
      export SLURM_CONF=$PWD/slurm/slurm.conf
      "$FIXTURES/../Tests/Servers/slurm-cluster" up "$PWD/slurm" $((20000 + RANDOM % 10000))
    }

    """

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.write(
      "job.yaml",
      """
      jobs:
        parts: { clip: tone.wav, split: { every: 1s }, output: "out/${part.n}.wav" }
        loud: { clip: tone.wav, loudness: -16 LUFS, output: out/loud.mp3 }
        noise: { clip: noise.wav, output: out/noise.mp3 }
        later: { clip: out/loud.mp3, gain: 30 dB, output: out/later.flac }

      """)
    try stage.make(
      """
      sox -n -r 44100 -c 1 -b 16 tone.wav synth 3 sine 1000 gain -6
      seq 1000 | gzip -n | tail -c 1000 > noise.wav
      """)
    return stage
  }

  @Test(
    "a run on two nodes is that of one machine: files, report, messages, status",
    .enabled(if: hasSlurm))
  func whole() throws {
    let stage = try stage()
    let result = try stage.run(
      Stage.lasting + cluster + """
        avjob run -q --keep-going --report here.json --report here.xml job.yaml 2> here.errors
        echo $?; sha256sum out/* > digests; rm -r out .avjob
        up
        avjob run --keep-going --on slurm --shards 2 --cores 1 --report there.json --report there.xml \
          job.yaml > table 2> there.errors
        echo $?; sha256sum --quiet --check digests && diff <(lasting here.json) <(lasting there.json)
        diff <(sed 's/time[a-z]*="[^"]*"//g' here.xml) <(sed 's/time[a-z]*="[^"]*"//g' there.xml)
        # The job's name is said of each message.
        diff <(sed "s/'later': //; s/'loud': //" there.errors | grep -E '^job.yaml|^ |^[0-9]') \
          <(cat here.errors)
        grep -c ^out/ table; grep -E ': (started|done)' there.errors | sed 's/ in .*//' | sort
        """)
    #expect(result.errors == "")
    #expect(
      result.text == """
        1
        1
        5
        later: done
        later: started
        loud: done
        loud: started
        parts/01: done
        parts/01: started
        parts/02: done
        parts/02: started
        parts/03: done
        parts/03: started

        """)
    try JSONSchema.validate(stage.run("cat there.json").text, as: "report")
    try JSONSchema.validate(lines: stage.run("cat .avjob/runs/*/*.events").text, as: "event")
  }

  @Test("a run is left to itself, followed later, and stopped by a signal", .enabled(if: hasSlurm))
  func attached() throws {
    let stage = try stage()
    let result = try stage.run(
      cluster + """
        sed -i /noise/d job.yaml
        up
        number=$(avjob run --on slurm --detach job.yaml 2> said)
        cat said
        avjob attach $number --progress json 2>/dev/null | tail -1 | sed 's/.*"exit_status":\\([0-9]*\\).*/status \\1/'
        ls out
        # A task that would take hours.
        printf 'silence: 1000h\\noutput: long.flac\\n' > long.yaml
        "$AVJOB" run --on slurm long.yaml 2> stopped &
        for _ in {1..300}; do ! grep -qs started stopped || break; sleep 0.1; done
        kill -INT $!
        wait $!
        echo $?
        grep -v '%' stopped | sed "s/array [0-9][0-9]*/array N/g; s/attach [0-9]*/attach N/; s/after .*/after/"
        squeue --noheader; ls | grep -c long.flac
        """)
    #expect(result.errors == "")
    #expect(
      result.text == """
        note: 'avjob attach 1' follows the run, in this folder
        status 0
        1.wav
        2.wav
        3.wav
        later.flac
        loud.mp3
        130
        note: array N of Slurm has 1 task
        long: started
        stopping array N; a second signal ends avjob at once, and 'avjob attach N' follows the array again
        long: cancelled after
        stopped: 0 of 1 job is done, and kept; to resume: avjob run --on slurm long.yaml
        0

        """)
  }

  @Test("what cannot be done on other machines is refused, with what to do")
  func refusals() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      sed -i /noise/d job.yaml
      mkdir bin; ln -s "$(which env)" "$(which timeout)" bin
      for options in '--shard 1/2' --prune --fail-fast '--root .' '--annotate github' \
        '--detach --report r.json' '--shards 10001'; do
        avjob run --on slurm $options job.yaml
        echo $?
      done
      avjob run --shards 2 job.yaml; echo $?
      avjob attach 17; echo $?
      PATH=$PWD/bin avjob run --on slurm job.yaml; echo $?
      """)
    #expect(result.text == String(repeating: "2\n", count: 9) + "1\n")
    for message in [
      "--on and --shard exclude each other", "--on and --prune", "--on and --fail-fast",
      "--on and --root", "--on and --annotate",
      "--detach and --report exclude each other; give it to 'avjob attach'",
      "--shards is 1 to 10000", "--shards is for --on slurm; leave it out",
      "there is no run 17 here: 'avjob attach' follows what 'avjob run --on slurm' has started in "
        + "the same folder",
      "there is no 'sinfo' here: log in to a machine of the cluster",
    ] {
      #expect(result.errors.contains(message), "\(message)")
    }
  }
}
