import Diagnosis
import Glibc
import Reports
import Threads

/// `avjob help agents`: the page for programs that write job files. Its facts are those of the
/// declarations; `docs/agents.md` is this text.
enum AgentsPage {
  static let text = [introduction, writing, checking, running, files, strangers, editors]
    .joined(separator: "\n")

  private static func table(_ rows: [(String, String)]) -> String {
    rows.map { "| \($0) | \($1) |" }.joined(separator: "\n")
  }

  private static let introduction = """
    # Programs and agents

    This page is for programs, scripts and language models that write job files and run them
    unattended. `avjob help agents` prints it.

    1. Write YAML, or JSON, by the schema: `avjob schema`.
    2. `avjob check --json FILE`, until `exit_status` is 0. Nothing is written.
    3. `avjob plan --json FILE` is the dry run: what would sound when, and which files would be made.
    4. `avjob run --report report.json FILE`, and read the report.

    Start the command with a list of arguments, not through a shell. It asks nothing, and needs no
    terminal: without one it prints no colour. Results go to standard output, messages for people to
    standard error.

    """

  private static let writing = """
    ## Writing a job file

    JSON is YAML, so a serializer of JSON does all quoting, also with its escapes (`\\ud83d\\ude00`).
    Leave keys without a value out: `null` is refused, and `""` removes a tag. In a folder that you
    name, files are job files if their names end in `.yaml` or `.yml`.

    ```yaml
    # teaser.yaml
    {"clip": "interview.wav 5s..20.5s", "fade_out": "2s", "output": "out/teaser.mp3"}
    ```

    - `avjob schema` prints a JSON Schema (draft 7), `avjob schema all` each key with its values and
      its meaning, `avjob schema item` those of one map, and `avjob init FILE` writes an example.
    - Texts are read by their key, not by YAML's guesses: `"1:02"` is a time, `"007"` a title.
      Quantities have units: `-16 LUFS`, `2s`, `44.1 kHz`, `128k`. Times are exact: `1001/30000s`,
      `44100 samples`.
    - An unknown key, name or unit is an error, never ignored.
    - Paths count from the folder of the job file. `$${` is a literal `${`.
    - Put what changes into variables: `--set name=value` gives them values, which never become keys.
    - `avjob clip`, `concat` and `compress` with `--print-job` print the job file that does the same.

    """

  private static let checking = """
    ## Checking, and what errors look like

    ```yaml
    # wrong.yaml
    {"clip": "interview.wav 5s..20.5s", "fade_uot": "2s", "output": "out/teaser.mp3"}
    ```

    ```console
    $ avjob check wrong.yaml
    wrong.yaml:2:37: error: unknown key 'fade_uot'
      help: did you mean 'fade_out'?
    $ avjob check --json teaser.yaml
      "exit_status": 0,
      "messages": []
    ```

    All mistakes of one kind are reported together: of YAML's own syntax the first one, then those of
    keys and values, then those that depend on lengths and on what media hold. So check again after each
    correction, until the status is 0. Each is `file:line:column: severity: message` with the line and
    perhaps `help:`, what to write instead. With `--json` they are `messages` with `severity`,
    `class`, `message`, `help`, `file`, `line`, `column` and `excerpt`. Decide by `class`:

    | class | what to do |
    | --- | --- |
    \(table(Failure.Remedy.allCases.map { ("`\($0.className)`", $0.advice) }))

    `avjob probe --json MEDIA` prints what a job file is written by: exact lengths, layouts, tags,
    chapters, and with `--loudness` levels. `avjob plan --json` has each job as a graph, its outputs and
    its chapters.

    """

  private static let running = """
    ## Running

    ```console
    $ avjob run --quiet --report report.json teaser.yaml
    $ avjob probe out/teaser.mp3
      duration  0:15.500 (683550 samples)
    ```

    The report has `exit_status`, and of each job its `status`, its `outputs` with format, length, peak
    and loudness, and its `messages`. `--progress json` prints events while the run goes on, one JSON
    object a line. A job whose outputs are up to date is skipped; `--force` makes it again.

    | exit status | |
    | --- | --- |
    \(table(statuses))

    SIGINT, SIGTERM and SIGHUP stop a run within five seconds, and the next run does the rest.

    | stable | |
    | --- | --- |
    | the job language | `version: 1` in a job file holds it to version 1, the only one so far |
    | JSON documents | each has a `version`: a member that changes or goes raises it, a new member does not. Ignore members and events that you do not know |
    | names | of jobs, classes, statuses, events and keys are for programs; the words of a `message` are for people, and may change |
    | bytes | the same job, sources and build give the same bytes, on any number of cores |

    [json.md](json.md) describes every document, with its schema, and [reports.md](reports.md) what is
    in a report.

    """

  private static let files = """
    ## What changes on disk

    - `check`, `plan` and `schema` write nothing but what is kept of media from servers; `--offline`
      asks no server. `probe --loudness` keeps its figures in a folder `.avjob`, if there is one.
    - A source is never written to: an output at the path of a source is an error.
    - An output appears when it is whole, by a rename; until then an older file of that name stays, and
      it stays if the job fails.
    - `run` writes the outputs that the job file names, missing folders, reports that you ask for, and
      `.avjob` beside the job file ([receipts.md](receipts.md)). It removes nothing, but with `--prune`.
    - `clip`, `concat` and `compress` replace a file only with `--force`, and `init` none.

    """

  private static let strangers = """
    ## Job files that you do not trust

    With `--root FOLDER`, `check`, `plan` and `run` read and write below that folder alone, links
    resolved. No server is asked but those of `--allow-host`, `${env.NAME}` is refused, `--max-jobs`,
    `--max-time`, `--max-memory` and `--max-output` have limits, and `run` refuses an output that exists
    already, which `check` and `plan` do not report. Nothing in a job file reaches a shell, with and
    without it.
    [The job language](job-language.md#job-files-of-strangers) has the details, and
    [attacks.md](attacks.md) what was tried.

    """

  private static let editors = """
    ## The schema in editors

    A YAML language server checks and completes by the schema that the first line of a job file names:
    `# yaml-language-server: $schema=avjob.schema.json`.

    The schema is made for [SchemaStore](https://www.schemastore.org): draft 7, no `format`, no
    keyword of another draft, nothing but a description beside a `$ref`, and as `$id` the address
    that it would have there. It is not there yet. To submit it, add to SchemaStore's repository:

    - `src/schemas/json/avjob.json`, which is `avjob schema`;
    - in `src/schema-validation.jsonc`, `avjob.json` under `ajvNotStrictMode`: rules between keys
      name them without declaring them again, and values may be texts or numbers, which ajv's strict
      mode refuses (`strictRequired`, `strictTypes`);
    - in `src/api/json/catalog.json`:

    ```json
    {
      "name": "avjob job file",
      "description": "Job file of avjob: what to cut, join, mix and compress",
      "fileMatch": ["*.avjob.yaml", "*.avjob.yml"],
      "url": "https://www.schemastore.org/avjob.json"
    }
    ```

    Tests that SchemaStore asks for are files of `Jobs/recipes`, in `src/test/avjob`. Job files may have
    any name; only names as `podcast.avjob.yaml` find the schema by themselves.

    """

  private static var statuses: [(String, String)] {
    let signals = [SIGHUP, SIGINT, SIGTERM].map { "\(ChildProcess.exitStatus(ofSignal: $0))" }
    return [
      ("0", "all done; for `check`: no errors"),
      (
        "\(ExitStatus.jobFailed)", "a job failed, or its media cannot be used; other jobs were done"
      ),
      ("\(ExitStatus.wrongJob)", "the job file or the arguments are wrong; nothing was done"),
      ("\(ExitStatus.temporary)", "everything that failed may succeed later, without any change"),
      (signals.joined(separator: ", "), "after SIGHUP, SIGINT, SIGTERM; whole outputs are kept"),
    ]
  }
}

extension Failure.Remedy {
  /// What a program does about an error of this class.
  fileprivate var advice: String {
    switch self {
    case .mendJob: "the job file or the arguments are wrong: write them anew, by `help`"
    case .mendInput: "a medium is damaged, or not what it says it is: take another one"
    case .mendMachine: "the machine cannot: make room, give permission, install what is named"
    case .tryAgain: "try again later, without any change"
    case .reportBug: "avjob has an error: report it"
    }
  }
}
