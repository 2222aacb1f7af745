import TestSupport
import Testing

/// The page for programs that write job files.
@Suite("The page for agents") struct AgentsPageTests {
  private let stage = Stage()

  private func page() throws -> String {
    String(decoding: try readFile(Fixture.path("../docs/agents.md")), as: UTF8.self)
  }

  @Test("'avjob help agents' prints docs/agents.md, and 'avjob agents' leads to it")
  func text() throws {
    let result = try stage.run("avjob help agents")
    #expect(result.status == 0 && result.errors == "")
    #expect(try result.text == page(), "'avjob help agents > docs/agents.md' writes it")
    #expect(try stage.run("avjob help agnets").status == 2)
    #expect(try stage.run("avjob agents").errors.contains("did you mean 'help agents'?"))
  }

  @Test("its job files are made and its mistakes are found as it shows")
  func examples() throws {
    try stage.make("ffmpeg -v error -i \"$FIXTURES/librivox-sonnet.mp3\" -t 25 interview.wav")
    try GuidePage("agents.md").follow(on: stage)
    let report = try stage.make(
      """
      python3 -c 'import json; report = json.load(open("report.json")); job = report["jobs"][0]
      print(report["exit_status"], job["status"], job["outputs"][0]["frames"])'
      """)
    #expect(report.text == "0 done 683550\n")
    // Texts of a serializer of JSON, and a name by which editors find the schema.
    let result = try stage.make(
      """
      python3 -c 'import json; print(json.dumps({"clip": "interview.wav", "output": "x.mp3",
        "metadata": {"title": "a: b # \\" \\\\ / ${x} \\t \\u00e9 \\U0001f600".replace("$", "$$")}},
        ensure_ascii=False))' > odd.avjob.yaml
      avjob run --quiet odd.avjob.yaml
      ffprobe -v error -show_entries format_tags=title -of default=nw=1:nk=1 x.mp3
      """)
    #expect(result.text == "a: b # \" \\ / ${x} \t \u{e9} \u{1f600}\n")
  }

  @Test("each option that it names is an option of a command")
  func options() throws {
    let words = try page().split { !($0.isASCII && ($0.isLetter || $0 == "-")) }
    let options = Set(words.filter { $0.hasPrefix("--") && $0.count > 3 })
    #expect(options.count > 12)
    let help = try stage.make(
      """
      for command in run check plan probe clip concat compress init; do
        COLUMNS=400 avjob help $command
      done
      """
    ).text.split { !($0.isASCII && ($0.isLetter || $0 == "-")) }
    #expect(options.subtracting(help).isEmpty, "\(options.subtracting(help))")
  }
}
