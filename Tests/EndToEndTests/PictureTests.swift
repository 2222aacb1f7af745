import TestSupport
import Testing

/// Reads a page by Python's own parser, and compares it with the report in JSON.
private let pageReader = """
  import base64, hashlib, html.parser, json, re
  text = open("pages/run.html", encoding="utf-8").read()
  class Page(html.parser.HTMLParser):
    def __init__(self):
      super().__init__()
      self.found, self.texts = [], {}
    def handle_starttag(self, tag, attributes):
      self.found.append((tag, dict(attributes)))
    def handle_data(self, data):
      if self.found: self.texts.setdefault((self.found[-1][0], self.found[-1][1].get("id")), data)
  page = Page()
  page.feed(text)
  print(*(tag for tag, _ in page.found))
  print([value for _, attributes in page.found for name, value in attributes.items()
         if name in ("src", "href")])
  policy = next(a["content"] for t, a in page.found if "http-equiv" in a)
  for kind in ("script", "style"):
    digest = hashlib.sha256(page.texts[(kind, None)].encode()).digest()
    print(f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy)
  data = json.loads(page.texts[("script", "data")])
  report = json.load(open("run.json"))
  for job in data["report"]["jobs"]:
    print(len(job.pop("graph", [])))
    for output in job["outputs"]: print(output.pop("href"))
  for document in (report, data["report"]): del document["elapsed"]
  print(report == data["report"])
  """

@Suite("Reports to look at")
struct PictureTests {
  /// Music in two files that go on from one to the other, and the second one with faults.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      sox "$FIXTURES/feelings.ogg" -b 16 music.wav
      sox music.wav before.wav trim 0 15
      sox music.wav behind.wav trim 15
      sox behind.wav softer.wav gain -12
      head -c 80 /dev/zero | sox -t raw -r 44100 -c 2 -b 16 -e signed - silence.wav
      sox silence.wav behind.wav gap.wav
      sox -D -n -r 44100 -c 2 -b 16 click.wav synth 1s square 1 gain -3
      sox click.wav behind.wav clicked.wav
      """)
    try stage.write(
      "jobs.yaml",
      """
      jobs:
        clean: { concat: [before.wav, behind.wav], output: out/clean.flac }
        crossfaded:
          concat: [before.wav, { clip: softer.wav, crossfade: 1s }]
          output: out/crossfaded.flac
        softer:
          concat:
            - before.wav
            - softer.wav
          output: [out/softer.flac, out/softer.mp3]
        gap: { concat: [before.wav, gap.wav], output: out/gap.flac }
        clicked: { concat: [before.wav, clicked.wav], output: out/clicked.flac }

      """)
    return stage
  }

  @Test("joins with faults are warnings in every report, and those without are none")
  func joins() throws {
    let stage = try stage()
    let result = try stage.run(
      #"""
      avjob run --quiet --report run.json --report run.xml jobs.yaml 2>&1 >/dev/null |
        grep warning | sort
      /usr/bin/python3 - <<END
      import json
      for job in json.load(open("run.json"))["jobs"]:
        for output in job["outputs"]:
          for join in output["joins"]:
            flaws = [f"{f['kind']} {f.get('frames', '')}".strip() for f in join["flaws"]]
            print(output["path"], round(join["start"]), len(join["samples"]) > 300, *flaws)
      END
      grep -c 'a gap of 20 samples' run.xml
      # Nobody asks for it.
      rm -r out .avjob; avjob run --quiet jobs.yaml 2>&1 >/dev/null
      """#)
    #expect(
      result.text == """
        jobs.yaml:11:31: warning: 'out/gap.flac': the join at 0:15.000 has a gap of 20 samples; trim \
        the silence
        jobs.yaml:12:35: warning: 'out/clicked.flac': the join at 0:15.000 has a click; crossfade the \
        two ('crossfade: 10ms')
        jobs.yaml:9:9: warning: 'out/softer.flac': the join at 0:15.000 has a click, a step of 13.4 dB \
        down; crossfade the two ('crossfade: 10ms')
        out/clean.flac 15 True
        out/crossfaded.flac 14 True
        out/softer.flac 15 True click step
        out/softer.mp3 15 True click step
        out/gap.flac 15 True gap 20
        out/clicked.flac 15 True click
        1

        """)
  }

  @Test("the page holds the report, and nothing of it is markup or asks for other files")
  func page() throws {
    let stage = try stage()
    try stage.write(
      "names.yaml",
      #"""
      jobs:
        "</script><script>alert(1)</script>":
          clip: before.wav ..2s
          metadata: { title: "<img src=x onerror=alert(2)> & \"quotes\"" }
          output: "out/a b/<i>ü%.flac"
        "<!--": { clip: "no such.wav", output: out/none.flac }

      """#)
    let result = try stage.run(
      #"""
      avjob run --quiet --keep-going --report pages/run.html --report run.json names.yaml 2>/dev/null
      echo $?
      /usr/bin/python3 - <<'END'
      \#(pageReader)
      END
      """#)
    #expect(result.errors == "")
    #expect(
      result.text == """
        1
        html head meta meta meta meta meta title link style body main noscript h1 p p script script
        ['data:,']
        True
        True
        2
        ../out/a%20b/%3Ci%3E%C3%BC%25.flac
        0
        True

        """)
  }

  @Test("plans are printed as pages and diagrams, and what they cannot show is refused")
  func plans() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      avjob plan --format html jobs.yaml | grep -c '"kind":"plan"'
      avjob plan --format mermaid jobs.yaml | head -3
      avjob plan --format dot jobs.yaml | head -5
      cmp <(avjob plan --format json jobs.yaml) <(avjob plan --json jobs.yaml)
      cmp <(avjob plan --format text jobs.yaml) <(avjob plan jobs.yaml)
      avjob plan --format dot --json jobs.yaml | grep exit_status; echo ${PIPESTATUS[0]}
      avjob plan --format dot --shards 2 jobs.yaml; echo $?
      """)
    #expect(
      result.text == """
        1
        flowchart LR
          subgraph j1job["clean"]
            j1n0["source<br>before.wav<br>0:00.000 – 0:15.000"]
        digraph plan {
          rankdir=LR
          node [shape=box]
          subgraph "cluster_j1job" {
            label="clean"
          "exit_status": 2,
        2
        2

        """)
  }
}
