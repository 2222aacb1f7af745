import Diagnosis
import Glibc
import JSON
import Reports
import Threads

/// A file by which an engine runs all shards of a run: `avjob manifest`.
package enum ClusterManifest: String, CaseIterable, Sendable {
  case slurm, kubernetes, github, gitlab

  /// How many copies of a job the engine starts at most, by its documents; nil: as many as there are
  /// shards (`MaxArraySize` of Slurm is each site's).
  package var largestCount: Int? {
    switch self {
    case .slurm, .kubernetes: nil
    case .github: 256
    case .gitlab: 200
    }
  }

  /// The first of a run's outputs that the engine cannot keep, and why; nil where it keeps all.
  package func unkept(_ run: ShardedRun) -> (path: String, reason: String)? {
    switch self {
    case .slurm, .kubernetes: nil
    case .github:
      run.outputs.first { EngineText.githubPath($0) == nil }.map { ($0, "GitHub takes no '..'") }
    case .gitlab:
      run.outputs.first { EngineText.gitlabPath($0) == nil }
        .map { ($0, "GitLab takes none outside of the project's folder") }
    }
  }

  /// The whole file.
  ///
  /// - Parameters:
  ///   - run: What to start.
  ///   - image: The container's image, for all but Slurm.
  /// - Returns: Its text.
  package func text(_ run: ShardedRun, image: String) -> String {
    switch self {
    case .slurm: Self.slurm(run)
    case .kubernetes: Self.kubernetes(run, image: image)
    case .github: Self.github(run, image: image)
    case .gitlab: Self.gitlab(run, image: image)
    }
  }

  /// The statuses of a shard that another try does not change.
  private static let lastingStatuses = [ExitStatus.jobFailed, ExitStatus.wrongJob]
  /// Those after which one may help: a temporary failure, or SIGTERM.
  private static let passingStatuses = [
    ExitStatus.temporary, ChildProcess.exitStatus(ofSignal: SIGTERM),
  ]

  // MARK: - Slurm

  /// A job array (sbatch): a task that a dead node or a preemption took is queued again.
  private static func slurm(_ run: ShardedRun) -> String {
    let command = run.command(
      shard: "\"$SLURM_ARRAY_TASK_ID/\(run.shards)\"",
      reports: ["\"avjob-reports/$SLURM_ARRAY_TASK_ID.json\""])
    return """
      #!/bin/bash
      \(sbatchOptions(run).map { "#SBATCH \($0)\n" }.joined())#SBATCH --output=avjob-reports/%a.log
      # In the folder that the job files' paths count from:
      #   mkdir -p avjob-reports && sbatch --wait THIS-FILE
      #   avjob report merge avjob-reports/*.json
      exec \(command)

      """
  }

  /// What sbatch is asked for. A minute before it ends a task it sends SIGTERM, on which avjob stops
  /// cleanly.
  static func sbatchOptions(_ run: ShardedRun) -> [String] {
    [
      "--job-name=\(run.name)", "--array=1-\(run.shards)", "--cpus-per-task=\(run.cores)",
      "--mem=\(run.mebibytes)M", "--requeue", "--open-mode=append", "--signal=B:TERM@60",
    ]
  }

  // MARK: - Kubernetes

  /// An Indexed Job (batch/v1). A job that failed, or a wrong job file, is not tried again; a temporary
  /// failure, and what a signal or the end of a node stopped, is.
  private static func kubernetes(_ run: ShardedRun, image: String) -> String {
    let words =
      ["avjob", "run", "--shard", "auto", "--report", "avjob-reports/$(JOB_COMPLETION_INDEX).json"]
      + run.words.map(EngineText.kubernetesWord)
    return """
      # The job files' paths count from /media, the claim 'avjob-media'. When all is done, there:
      #   avjob report merge avjob-reports/*.json
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: \(run.name)
      spec:
        completionMode: Indexed
        completions: \(run.shards)
        parallelism: \(run.shards)
        backoffLimitPerIndex: 3
        maxFailedIndexes: \(run.shards)
        podFailurePolicy:
          rules:
            - action: Ignore
              onPodConditions: [{ type: DisruptionTarget, status: "True" }]
            - action: FailIndex
              onExitCodes: { containerName: avjob, operator: In, values: \(lastingStatuses) }
            - action: Count
              onExitCodes: { containerName: avjob, operator: In, values: \(passingStatuses) }
        template:
          spec:
            restartPolicy: Never
            terminationGracePeriodSeconds: 60
            containers:
              - name: avjob
                image: \(quoted(image))
                command: \(JSONValue.list(words.map { .text($0) }).line)
                workingDir: /media
                env: [{ name: AVJOB_SHARDS, value: "\(run.shards)" }]
                resources:
                  requests: { cpu: "\(run.cores)", memory: \(run.mebibytes)Mi }
                  limits: { cpu: "\(run.cores)", memory: \(run.mebibytes)Mi }
                volumeMounts: [{ name: media, mountPath: /media }]
            volumes: [{ name: media, persistentVolumeClaim: { claimName: avjob-media } }]

      """
  }

  // MARK: - CI

  /// A workflow that checks the jobs of a pull request, runs those of the default branch in a matrix of
  /// shards, and puts their reports on the summary page. Its steps write as root, whatever user an
  /// image has: the runner's folders are root's.
  private static func github(_ run: ShardedRun, image: String) -> String {
    let shards = JSONValue.list((1...run.shards).map { .count($0) }).line
    let paths = run.outputs.compactMap(EngineText.githubPath)
    let command = run.command(
      shard: "${{ matrix.shard }}/\(run.shards)",
      reports: ["avjob-reports/${{ matrix.shard }}.json"])
    let check = githubCheck(run, image: image)
    return """
      name: \(run.name)
      on: [push,\(check.isEmpty ? "" : " pull_request,") workflow_dispatch]
      permissions: { contents: read }
      jobs:
      \(check)  run:
          # On the default branch, and wherever it is started by hand.
          if: github.event_name == 'workflow_dispatch' || github.ref_name == github.event.repository.default_branch
          runs-on: ubuntu-latest
          container: { image: \(quoted(image)), options: --user 0 }
          strategy:
            fail-fast: false
            matrix:
              shard: \(shards)
          steps:
            - uses: actions/checkout@v4
            - run: mkdir -p avjob-reports
            - run: \(quoted(command))
            - uses: actions/upload-artifact@v4
              if: always()
              with: { name: "avjob-report-${{ matrix.shard }}", path: avjob-reports }
            - uses: actions/upload-artifact@v4
              with:
                name: avjob-outputs-${{ matrix.shard }}
                path: \(quoted(paths.joined(separator: "\n")))
                if-no-files-found: ignore
        report:
          needs: run
          if: always() && needs.run.result != 'skipped'
          runs-on: ubuntu-latest
          container: { image: \(quoted(image)), options: --user 0 }
          steps:
            - uses: actions/download-artifact@v4
              with: { pattern: "avjob-report-*", path: avjob-reports, merge-multiple: true }
            - run: avjob report merge avjob-reports/*.json --report github --report avjob.json
            - uses: actions/upload-artifact@v4
              if: always()
              with: { name: avjob-report, path: avjob.json }

      """
  }

  /// The job that checks a pull request; empty without a command for it.
  private static func githubCheck(_ run: ShardedRun, image: String) -> String {
    guard let command = run.check(options: ["--annotate", "github"]) else { return "" }
    return """
        check:
          if: github.event_name == 'pull_request'
          runs-on: ubuntu-latest
          container: { image: \(quoted(image)), options: --user 0 }
          steps:
            - uses: actions/checkout@v4
            - run: \(quoted(command))

      """
  }

  /// A job that checks the jobs of a merge request; on the default branch a parallel one, whose JUnit
  /// reports are on the pipeline's page, and one that puts the reports together. An image may start
  /// avjob; the runner needs a shell.
  private static func gitlab(_ run: ShardedRun, image: String) -> String {
    let name = "avjob-reports/${CI_NODE_INDEX:-1}"
    let command = run.command(shard: "auto", reports: ["\(name).json", "\(name).xml"])
    let paths = run.outputs.compactMap(EngineText.gitlabPath)
    let artifacts = JSONValue.list((["avjob-reports"] + paths).map { .text($0) }).line
    // It takes no less than 2.
    let parallel = run.shards == 1 ? "" : "  parallel: \(run.shards)\n"
    let mainRule = #"$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH || $CI_PIPELINE_SOURCE == "web""#
    return """
      \(gitlabCheck(run, image: image))\(run.name):
        stage: build
        image: { name: \(quoted(image)), entrypoint: [""] }
        # On the default branch, and wherever it is started by hand.
        rules: [{ if: '\(mainRule)' }]
      \(parallel)  script:
          - mkdir -p avjob-reports
          - \(quoted(command))
        artifacts:
          when: always
          paths: \(artifacts)
          reports: { junit: avjob-reports/*.xml }
        retry: { max: 2, when: runner_system_failure, exit_codes: \(passingStatuses) }

      \(run.name)-report:
        stage: test
        image: { name: \(quoted(image)), entrypoint: [""] }
        rules: [{ if: '\(mainRule)', when: always }]
        needs: [\(quoted(run.name))]
        script:
          - avjob report merge avjob-reports/*.json --report avjob.json --report avjob.md
        artifacts: { when: always, paths: [avjob.json, avjob.md] }

      """
  }

  /// The job that checks a merge request; empty without a command for it.
  private static func gitlabCheck(_ run: ShardedRun, image: String) -> String {
    guard let command = run.check() else { return "" }
    return """
      \(run.name)-check:
        stage: test
        image: { name: \(quoted(image)), entrypoint: [""] }
        rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]
        script:
          - \(quoted(command))


      """
  }

  /// A text that YAML takes as it is: strings of JSON are YAML (YAML 1.2, §1.3).
  private static func quoted(_ text: String) -> String { JSONValue.text(text).line }
}
