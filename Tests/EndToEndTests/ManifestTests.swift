import TestSupport
import Testing

@Suite("Manifests")
struct ManifestTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.write(
      "show.yaml",
      """
      for_each: "*.wav"
      clip: ${input}
      output: { folder: out, mp3: V2 }

      """)
    try stage.make(
      "for n in 1 2 3; do sox -n -r 44100 -c 1 -b 16 $n.wav synth $n sine 1000 gain -6; done")
    return stage
  }

  @Test("a script for Slurm runs the shards of an array with the options that were given")
  func slurm() throws {
    let result = try stage().run("avjob manifest slurm --shards 2 --cores 8 show.yaml --retry 5")
    #expect(result.errors == "")
    #expect(
      result.text == """
        #!/bin/bash
        #SBATCH --job-name=avjob-show
        #SBATCH --array=1-2
        #SBATCH --cpus-per-task=8
        #SBATCH --mem=256M
        #SBATCH --requeue
        #SBATCH --open-mode=append
        #SBATCH --signal=B:TERM@60
        #SBATCH --output=avjob-reports/%a.log
        # In the folder that the job files' paths count from:
        #   mkdir -p avjob-reports && sbatch --wait THIS-FILE
        #   avjob report merge avjob-reports/*.json
        exec avjob run --shard "$SLURM_ARRAY_TASK_ID/2" --report "avjob-reports/$SLURM_ARRAY_TASK_ID.json" show.yaml \
        --retry 5

        """)
    #expect(try stage().run("avjob manifest slurm show.yaml | bash -n").status == 0)
  }

  @Test("the others are YAML that starts the same command, however its words are written")
  func others() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      mv show.yaml 'my $(show): "1".yaml'
      for engine in kubernetes github gitlab; do
        avjob manifest $engine --shards 9 'my $(show): "1".yaml' > $engine.yaml || exit
      done
      /usr/bin/python3 - <<'END'
      import shlex, yaml
      pod = yaml.safe_load(open('kubernetes.yaml'))['spec']
      container = pod['template']['spec']['containers'][0]
      print(pod['completionMode'], pod['completions'], container['env'][0]['value'])
      print(container['command'])
      hub = yaml.safe_load(open('github.yaml'))['jobs']
      print(shlex.split(hub['check']['steps'][1]['run']))
      hub = hub['run']
      print(hub['strategy']['matrix']['shard'], hub['container'])
      print(shlex.split(hub['steps'][2]['run']), hub['steps'][4]['with']['path'].split())
      lab = list(yaml.safe_load(open('gitlab.yaml')).items())
      print([name for name, _ in lab], lab[1][1]['parallel'], lab[1][1]['image'])
      print(shlex.split(lab[0][1]['script'][0]))
      print(shlex.split(lab[1][1]['script'][1]), lab[1][1]['artifacts']['paths'])
      END
      """)
    #expect(result.errors == "")
    #expect(
      result.text == #"""
        Indexed 3 3
        ['avjob', 'run', '--shard', 'auto', '--report', 'avjob-reports/$(JOB_COMPLETION_INDEX).json', \#
        'my $$(show): "1".yaml']
        ['avjob', 'check', '--root', '.', '--annotate', 'github', 'my $(show): "1".yaml']
        [1, 2, 3] {'image': 'avjob:0.1.0', 'options': '--user 0'}
        ['avjob', 'run', '--shard', '${{', 'matrix.shard', '}}/3', '--report', \#
        'avjob-reports/${{', 'matrix.shard', '}}.json', 'my $(show): "1".yaml'] ['out']
        ['avjob-my-show-1-check', 'avjob-my-show-1', 'avjob-my-show-1-report'] 3 \#
        {'name': 'avjob:0.1.0', 'entrypoint': ['']}
        ['avjob', 'check', '--root', '.', 'my $(show): "1".yaml']
        ['avjob', 'run', '--shard', 'auto', '--report', 'avjob-reports/${CI_NODE_INDEX:-1}.json', \#
        '--report', 'avjob-reports/${CI_NODE_INDEX:-1}.xml', 'my $(show): "1".yaml'] ['avjob-reports', 'out']

        """#)
  }

  @Test("a file named as an expression of GitHub is a file, and outputs elsewhere are refused")
  func expressions() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      mv show.yaml '${{ secrets.KEY }}.yaml'
      avjob manifest github '${{ secrets.KEY }}.yaml' > github.yaml
      /usr/bin/python3 -c "
      import shlex, yaml
      run = yaml.safe_load(open('github.yaml'))['jobs']['run']['steps'][2]['run']
      print('secrets' in run, run.count(chr(36) + '{{ secrets'), shlex.split(run)[-1])"
      sed -i 's,folder: out,folder: ../out,' *.yaml
      for engine in github gitlab slurm; do
        avjob manifest $engine '${{ secrets.KEY }}.yaml' > $engine.yaml; echo $?
      done
      """)
    #expect(result.text == "True 0 ${{ secrets.KEY }}.yaml\n2\n2\n0\n", "\(result.errors)")
    let message = "error: outputs in '../out' would be no artifacts: GitHub takes no '..'"
    #expect(result.errors.contains(message))
  }

  @Test(
    "a file's name is one word of a script, whatever stands beside its quotes",
    arguments: ["x'\u{301}$(touch PWNED)'\u{301}.yaml", "\u{D4E}'a.yaml", "\u{600}'\u{200C}.yaml"])
  func joinedQuotes(name: String) throws {
    let stage = try stage()
    try stage.write(
      name,
      """
      clip: 1.wav
      output: o.flac

      """)
    let result = try stage.run(
      """
      rm show.yaml
      mkdir bin
      printf '#!/bin/sh\\nfor word; do :; done; printf %%s "$word"\\n' > bin/avjob
      chmod +x bin/avjob
      avjob manifest slurm *.yaml > script
      SLURM_ARRAY_TASK_ID=1 PATH=$PWD/bin:$PATH bash script
      test ! -e PWNED
      """)
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output == Array(name.utf8))
  }

  @Test("a request is checked below the project's folder, and the default branch is run")
  func requests() throws {
    let stage = try stage()
    let result = try stage.run(
      #"""
      cat > jobs.py <<'END'
      import sys, yaml
      jobs = yaml.safe_load(sys.stdin)
      jobs = jobs.get('jobs', jobs)
      check = next(job for name, job in jobs.items() if name.endswith('check'))
      steps = check.get('steps')
      print(steps[-1]['run'] if steps else check['script'][0])
      END
      check() { avjob manifest "$@" | /usr/bin/python3 jobs.py; }
      check github show.yaml --retry 5 --keep-going --only 2
      check gitlab show.yaml --root=.
      for engine in github gitlab; do
        avjob manifest $engine show.yaml --env HOME | grep -E 'avjob check|request'
      done
      command=$(check github show.yaml)
      eval "$command"
      sed -i 's,"[*].wav","../*.wav",' show.yaml
      eval "$command" > annotations 2> screen
      echo $?
      grep -o '^::error file=show.yaml,line=1' annotations
      """#)
    #expect(
      result.text == """
        avjob check --root . --annotate github show.yaml --only 2
        avjob check show.yaml --root=.
        3 jobs are fine
        2
        ::error file=show.yaml,line=1

        """, "\(result.errors)")
    for (engine, rules) in [
      (
        "github",
        [
          "if: github.event_name == 'pull_request'",
          "|| github.ref_name == github.event.repository.default_branch",
          "if: always() && needs.run.result != 'skipped'",
        ]
      ),
      (
        "gitlab",
        [
          #"[{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]"#,
          #"[{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH || "#,
        ]
      ),
    ] {
      let text = try self.stage().make("avjob manifest \(engine) show.yaml").text
      for rule in rules { #expect(text.contains(rule), "\(rule)") }
    }
  }

  @Test("mistakes are found before, and limits of an engine are said")
  func refusals() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      avjob manifest gitlab --shards 201 show.yaml; echo $?
      avjob manifest slurm --shard 1/2 show.yaml; echo $?
      avjob manifest slurm --shards 0 show.yaml; echo $?
      sed -i s/clip:/clop:/ show.yaml
      avjob manifest slurm show.yaml; echo $?
      """)
    #expect(result.text == "2\n2\n2\n2\n")
    for message in [
      "gitlab runs up to 200 copies of a job: --shards 200",
      "--shard is each machine's own; give --shards, the number of machines",
      "--shards is 1 to 10000", "unknown key 'clop'",
    ] {
      #expect(result.errors.contains(message), "\(message)")
    }
  }

  @Test("a plan of shards has their jobs and work, those of a group and of one level together")
  func plan() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      avjob plan --shards 2 --cores 4 show.yaml | sed 's/[0-9]:[0-9][0-9]/T/g; s/[0-9.]* × /N × /'
      cat > more.yaml <<'END'
      jobs:
        one: { clip: 1.wav, output: one.mp3, loudness: { integrated: -16 LUFS, group: a } }
        two: { clip: 3.wav, output: two.mp3 }
        three: { clip: 2.wav, output: three.mp3, loudness: { integrated: -16 LUFS, group: a } }
        parts: { concat: [1.wav, 2.wav], split: { every: 1s }, output: "p/${part.n}.wav" }
        level: { concat: [1.wav, 2.wav], split: { every: 1s }, output: "l/${part.n}.wav", \
      loudness: -16 LUFS }
      END
      avjob plan --json --shards 3 more.yaml > plan.json
      /usr/bin/python3 - <<'END'
      import json
      plan = json.load(open('plan.json'))
      shards = {}
      for job in plan['jobs']: shards.setdefault(job['name'].split('/')[0], set()).add(job['shard'])
      print(shards['one'] == shards['three'], len(shards['level']), len(shards['parts']) > 1)
      print([sum(job['shard'] == n for job in plan['jobs']) for n in (1, 2, 3)]
            == [shard['jobs'] for shard in plan['shards']])
      END
      """)
    #expect(result.errors == "")
    #expect(
      result.text == """
        Shard  Jobs  Work  On 4 cores
          1/2     1  T        T
          2/2     2  T        T

        3 jobs in 2 shards, T of work; the longest ends after T, N × the mean
        True 1 True
        True

        """)
    try JSONSchema.validate(stage.run("cat plan.json").text, as: "plan")
  }
}
