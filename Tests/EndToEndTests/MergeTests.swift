import TestSupport
import Testing

@Suite("Merging reports")
struct MergeTests {
  private let jobs = """
    jobs:
      chapters:
        concat: [tone.wav, tone.wav, tone.wav]
        split: { every: 1s }
        output: "parts/${part.n}.wav"
      loud: { clip: tone.wav, loudness: -16 LUFS, output: loud.mp3 }
      noise: { clip: noise.wav, output: noise.mp3 }
      later: { clip: noise.mp3, output: later.wav }
      cut: { clip: tone.wav, gain: 30dB, output: cut.flac }

    """

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.write("job.yaml", jobs)
    try stage.make(
      """
      sox -n -r 44100 -c 1 -b 16 tone.wav synth 1 sine 1000 gain -6
      seq 1000 | gzip -n | tail -c 1000 > noise.wav
      """)
    return stage
  }

  private let steady = """
    steady() { sed 's/time="[^"]*"//g; s/timestamp="[^"]*"//; s/^[0-9.]* s on . cores*//; s/ [0-9.]*×//' $1; }

    """

  @Test("the reports of all shards are that of the run, in every format")
  func whole() throws {
    let stage = try stage()
    let result = try stage.run(
      Stage.lasting + steady + """
        reports() { echo --report $1.json --report $1.xml --report $1.md; }
        avjob run -q --keep-going $(reports whole) job.yaml 2>whole.errors >&2
        echo $?
        rm -r .avjob parts loud.mp3 cut.flac
        for n in 1 2 3 4; do
          avjob run -q --keep-going --shard $n/4 --report s$n.json job.yaml 2>/dev/null >&2
        done
        avjob report merge -q s3.json s1.json s4.json s2.json $(reports merged) 2>merged.errors
        echo $?
        avjob report merge s*.json 2>/dev/null | grep -c '^[lcp]'
        diff <(lasting whole.json) <(lasting merged.json) && echo same
        diff <(steady whole.xml) <(steady merged.xml) && diff <(steady whole.md) <(steady merged.md)
        tail -1 merged.errors; tail -1 whole.errors
        grep -c "error: 'noise': 'noise.wav'" merged.errors
        """)
    #expect(
      result.text == """
        1
        1
        5
        same
        1 of 7 jobs failed, 1 blocked by them
        1 of 7 jobs failed, 1 blocked by them
        1

        """)
    for name in ["s1.json", "merged.json"] {
      try JSONSchema.validate(stage.run("cat \(name)").text, as: "report")
    }
  }

  @Test("a shard without a report, or that has not ended, is an error of the run")
  func missing() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      sed -i '/noise/d; /later/d' job.yaml
      for n in 1 3; do avjob run -q --shard $n/3 --report s$n.json job.yaml >/dev/null; done
      avjob report merge -q s1.json s3.json --report m.json
      echo $?
      # A run that is killed leaves a report that says so.
      cp s3.json s2.json
      printf 'jobs:\\n  long: { silence: 1000h, output: long.flac }\\n' > long.yaml
      "$AVJOB" run -q --shard 1/1 --report killed.json long.yaml &
      for _ in {1..300}; do ! grep -qs 'has not ended' killed.json || break; sleep 0.1; done
      kill -KILL $!; wait $! 2>/dev/null
      avjob report merge -q killed.json; echo $?
      avjob report merge -q s1.json s3.json --report s1.json; echo $?
      /usr/bin/python3 -c "
      import json
      r = json.load(open('m.json'))
      print(r['shards'], r['exit_status'], r['messages'])"
      """)
    #expect(
      result.text == """
        75
        75
        75
        {'count': 3, 'missing': [2]} 75 [{'severity': 'error', 'class': 'temporary', 'message': \
        'the report of shard 2 is missing; run that shard again'}]

        """)
    let missing = "error: the report of shard 2 is missing; run that shard again\n"
    #expect(
      result.errors == missing
        + "error: shard 1 has not ended: it is under way, or was killed; run it again\n" + missing
        + "error: 's1.json': is a report that is merged, or a file of the run; choose another path\n"
    )
  }

  @Test("what is no report of this run's shards is refused, with what to do")
  func refusals() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      sed -i '/noise/d; /later/d' job.yaml
      avjob run -q --report whole.json job.yaml >/dev/null
      avjob run -q --shard 1/2 --report a.json job.yaml >/dev/null
      avjob run -q --shard 1/2 --report b.json job.yaml >/dev/null
      avjob run -q --shard 2/3 --report c.json job.yaml >/dev/null
      echo '{' > broken.json; echo '{"version":2}' > foreign.json
      for files in whole.json 'a.json b.json' 'a.json c.json' broken.json foreign.json none.json .; do
        avjob report merge $files; echo $?
      done 2>&1
      """)
    #expect(
      result.text == """
        error: 'whole.json' is not the report of a shard; 'avjob run --shard 1/4' makes one
        1
        error: 'a.json' and 'b.json' are both of shard 1/2; leave out the one of the earlier attempt
        1
        error: 'a.json' and 'c.json' are of two runs: their job files or numbers of shards differ
        1
        error: 'broken.json': is no JSON: a name is missing at byte 2
        1
        error: 'foreign.json': is no report of a run: its 'machine' is missing; '--report x.json' \
        writes one
        1
        error: 'none.json': cannot be read: No such file or directory
        1
        error: '.': cannot be read: Is a directory
        1

        """)
  }
}
