import Testing

@testable import avjob

@Suite("How a run ends and goes on")
struct ContinuationTests {
  @Test(
    "A run goes on by the same command, without making all anew",
    arguments: [
      ("/bin/avjob run a.yaml", "avjob run a.yaml"),
      (
        "avjob run --force 'a b.yaml'",
        "avjob run 'a b.yaml' (without --force, what was up to date before this run is left as it is)"
      ),
      ("avjob run -q -- --force", "avjob run -q -- --force"),
    ])
  func run(command: String, text: String) {
    let words =
      command == "avjob run --force 'a b.yaml'"
      ? ["avjob", "run", "--force", "a b.yaml"] : command.split(separator: " ").map(String.init)
    #expect(Continuation.sameCommand.text(of: words, done: ["a"]) == text)
  }

  @Test(
    "A command that replaces nothing goes on with the inputs that are left",
    arguments: [
      (
        ["a.wav"], "compress b.wav -o out --mp3 V4 c.wav",
        "compress a.wav b.wav -o out --mp3 V4 c.wav"
      ),
      (["V4", "out", "a"], "compress -o out --mp3 V4 -- b", "compress -o out --mp3 V4 a -- V4 b"),
      (["a"], "compress --force b -o x/", "compress --force a b -o x/"),
      (["a"], "compress --output=x/ b", "compress --output=x/ a b"),
      (["compress"], "compress -o x/ b", "compress -o x/ compress b"),
      ([], "clip a.wav -o b.mp3 --force", "clip a.wav -o b.mp3 --force"),
    ] as [([String], String, String)])
  func inputs(done: [String], left: String, command: String) {
    let words = ["avjob"] + command.split(separator: " ").map(String.init)
    #expect(Continuation.inputsLeft.text(of: words, done: Set(done)) == "avjob " + left)
  }
}
