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
    #expect(Continuation.sameCommand.text(of: words) == text)
  }

  @Test(
    "A command that replaces nothing goes on without what exists",
    arguments: [
      ("compress -q raw b.wav -o out", "compress --skip-existing -q raw b.wav -o out"),
      ("compress a --skip-existing -o x/", "compress a --skip-existing -o x/"),
      ("compress -o x/ -- --force", "compress --skip-existing -o x/ -- --force"),
      ("clip a.wav -o b.mp3 --force", "clip a.wav -o b.mp3 --force"),
    ])
  func skipping(command: String, text: String) {
    let words = ["avjob"] + command.split(separator: " ").map(String.init)
    #expect(Continuation.skippingExisting.text(of: words) == "avjob " + text)
  }
}
