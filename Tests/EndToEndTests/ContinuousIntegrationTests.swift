import TestSupport
import Testing

/// What stands around avjob in continuous integration: `packaging/github`, which `action.yml` runs,
/// and the scripts of `packaging/gitlab-ci.yml`.
@Suite("Continuous integration") struct ContinuousIntegrationTests {
  /// Two job files, one of them with a job that fails, and a runner's environment.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      mkdir jobs bin
      sox -n -r 8000 -c 1 jobs/tone.wav synth 1 sine 300 gain -6
      for name in a b 'c d'; do
        echo "jobs: { '$name': { clip: tone.wav, output: '$name.flac' } }" > "jobs/$name.yaml"
      done
      echo 'jobs: { broken: { clip: text.wav, output: broken.flac } }' > bad.yaml
      echo text > text.wav
      ln -s "$AVJOB" bin/avjob
      """)
    return stage
  }

  private static let prelude = """
    export PATH=$PWD/bin:$PATH GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary
    export AVJOB_REPORTS=avjob-reports
    step() { "$FIXTURES/../packaging/github" "$@"; }

    """

  @Test("Shards of the action report on the summary page and in files, which another step merges")
  func shards() throws {
    let stage = try stage()
    let result = try stage.make(
      Self.prelude + """
        export AVJOB_JOBS=$'jobs/[ab].yaml\\n  jobs/c d.yaml\\n\\n' AVJOB_OPTIONS=$'--quiet\\n--retry\\n0'
        for shard in 1 2; do AVJOB_SHARD=$shard/2 step run; done
        head -1 summary
        rm summary
        step merge > /dev/null
        head -1 summary
        cat output
        find avjob-reports jobs -type f -not -path '*/.avjob/*' | LC_ALL=C sort
        /usr/bin/python3 -c "
        import sys, junitparser
        print(sum(s.tests for s in junitparser.JUnitXml.fromfile(sys.argv[1])))" \\
          avjob-reports/merged/avjob.xml
        """)
    #expect(
      result.text == """
        ### avjob: 2 of 2 jobs done
        ### avjob: 3 of 3 jobs done
        artifact=avjob-report-1
        artifact=avjob-report-2
        artifact=avjob-report
        avjob-reports/1.html
        avjob-reports/1.json
        avjob-reports/1.xml
        avjob-reports/2.html
        avjob-reports/2.json
        avjob-reports/2.xml
        avjob-reports/merged/avjob.html
        avjob-reports/merged/avjob.json
        avjob-reports/merged/avjob.xml
        jobs/a.flac
        jobs/a.yaml
        jobs/b.flac
        jobs/b.yaml
        jobs/c d.flac
        jobs/c d.yaml
        jobs/tone.wav
        3

        """)
  }

  @Test("The step ends with avjob's status, and no text of an input becomes code")
  func statuses() throws {
    let stage = try stage()
    let failed = try stage.run(Self.prelude + "AVJOB_JOBS=bad.yaml AVJOB_OPTIONS='' step run")
    #expect(failed.status == 1)
    #expect(failed.text.contains("::error file=bad.yaml,line=1,"))
    let code = try stage.run(
      Self.prelude + """
        AVJOB_JOBS='$(touch owned); jobs/a.yaml' AVJOB_OPTIONS='; touch owned' step run
        """)
    #expect(code.status == 2)
    let wrong = try stage.run(Self.prelude + "step build")
    #expect(wrong.status == 2)
    #expect(wrong.errors == "usage: packaging/github install | check | run | merge\n")
    #expect(try !stage.listing().contains { $0.hasPrefix("owned") })
  }

  @Test("A check notes mistakes on their lines, keeps to the project's folder, and writes nothing")
  func check() throws {
    let stage = try stage()
    let before = try stage.listing()
    let fine = try stage.make(Self.prelude + "AVJOB_JOBS=jobs AVJOB_OPTIONS='--strict' step check")
    #expect(fine.text == "3 jobs are fine\n")
    #expect(try stage.listing() == before)
    try stage.write("outside.yaml", "clip: ../../etc/a.wav\noutput: a.mp3\n")
    let refused = try stage.run(
      Self.prelude + "AVJOB_JOBS=$'outside.yaml\\nbad.yaml' step check")
    #expect(refused.status == 2)
    #expect(refused.text.contains("::error file=outside.yaml,line=1,"))
  }

  @Test("The action passes each input as a variable, and runs each of its steps")
  func action() throws {
    let result = try stage().make(
      """
      /usr/bin/python3 - <<'END'
      import os, re, yaml
      path = os.path.join(os.environ["FIXTURES"], "..")
      action = yaml.safe_load(open(os.path.join(path, "action.yml"), encoding="utf-8"))
      script = open(os.path.join(path, "packaging/github"), encoding="utf-8").read()
      read = set(re.findall(r"\\$\\{?(AVJOB_[A-Z]+)", script))
      for step in action["runs"]["steps"]:
          if "run" in step:
              given = step.get("env", {})
              assert "${{" not in step["run"], step
              print(step["run"].split()[-1], *sorted(given))
              read -= set(given)
      print(sorted(read))
      END
      """)
    #expect(
      result.text == """
        install AVJOB_PACKAGE AVJOB_RELEASE AVJOB_REPOSITORY
        merge AVJOB_REPORTS
        check AVJOB_JOBS AVJOB_OPTIONS
        run AVJOB_JOBS AVJOB_OPTIONS AVJOB_REPORTS AVJOB_SHARD
        []

        """)
  }

  @Test("The jobs of GitLab's template run when those of a manifest do")
  func gitlabRules() throws {
    try stage().make(
      """
      bin/avjob manifest gitlab jobs/a.yaml > manifest.yaml
      /usr/bin/python3 - <<'END'
      import os, yaml
      path = os.path.join(os.environ["FIXTURES"], "../packaging/gitlab-ci.yml")
      template = yaml.safe_load(open(path, encoding="utf-8"))
      jobs = yaml.safe_load(open("manifest.yaml", encoding="utf-8"))
      for name in ("avjob-check", "avjob", "avjob-report"):
          other = jobs[name.replace("avjob", "avjob-a", 1)]
          assert template[name]["rules"] == other["rules"], template[name]["rules"]
          assert "when" not in template[name]
      END
      """)
  }

  @Test(
    "The jobs of GitLab's template run shards by the runner's variables, and merge their reports")
  func gitlab() throws {
    let result = try stage().make(
      """
      export PATH=$PWD/bin:$PATH
      /usr/bin/python3 - <<'END'
      import os, yaml
      path = os.path.join(os.environ["FIXTURES"], "../packaging/gitlab-ci.yml")
      jobs = yaml.safe_load(open(path, encoding="utf-8"))
      for name in ("avjob-check", "avjob", "avjob-report"):
          with open(name + ".sh", "w", encoding="utf-8") as file:
              file.write("set -eo pipefail\\n" + "\\n".join(jobs[name]["script"]) + "\\n")
      END
      shellcheck --shell=bash --exclude=SC2086,SC2154 ./*.sh
      export AVJOB_JOBS='jobs/a.yaml jobs/b.yaml' AVJOB_OPTIONS=--quiet CI_NODE_TOTAL=2
      bash avjob-check.sh
      for CI_NODE_INDEX in 1 2; do
        export CI_NODE_INDEX
        bash avjob.sh
      done
      bash avjob-report.sh > /dev/null
      find avjob-reports jobs/*.flac -type f | LC_ALL=C sort
      """)
    #expect(
      result.text == """
        2 jobs are fine
        avjob-reports/1.html
        avjob-reports/1.json
        avjob-reports/1.xml
        avjob-reports/2.html
        avjob-reports/2.json
        avjob-reports/2.xml
        avjob-reports/merged/avjob.html
        avjob-reports/merged/avjob.json
        avjob-reports/merged/avjob.md
        jobs/a.flac
        jobs/b.flac

        """)
  }
}
