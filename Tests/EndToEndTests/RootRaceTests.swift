import TestSupport
import Testing

/// `--root`, while another process swaps what is read for links: the file
/// that is opened is judged, not its path.
@Suite("Root, files that are swapped") struct RootRaceTests {
  /// A project in `p`, with `in/a.wav` in it.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("mkdir -p p/in outside; sox -n -r 44100 -c 2 p/in/a.wav synth 1 sine 300")
    return stage
  }

  @Test(
    "A text that is swapped for a link while avjob runs gives no line of what the link leads to",
    arguments: [
      ("in/list.txt", "../../outside/secret"), ("in/list.txt", "../.git/secret"),
      ("in/shared.yaml", "../.git/secret"), ("in/rows.csv", "../.git/secret"),
      ("job.yaml", ".git/secret"),
    ])
  func swappedText(path: String, target: String) throws {
    let stage = try stage()
    try stage.make(
      """
      mkdir p/.git
      printf '[S3CRET]\n\tS3CRET:\n"S3CRET\n' | tee p/.git/secret >outside/secret
      printf '0s A\n' >p/in/list.txt
      printf 'vars: { a: b }\n' >p/in/shared.yaml
      printf 'a,b\n1,2\n' >p/in/rows.csv
      """)
    try stage.write(
      "p/job.yaml",
      """
      include: in/shared.yaml
      jobs: { j: { rows: in/rows.csv, chapters: in/list.txt, clip: in/a.wav, output: "x${n}.flac" } }
      """)
    let result = try stage.run(
      swapping(path, for: target)
        + "for n in $(seq 12); do avjob check --root . --annotate github job.yaml; done")
    #expect(!(result.text + result.errors).contains("S3CRET"), "\(result.errors)")
    #expect((result.text + result.errors).contains("is fine"))
  }

  @Test("A source that is swapped for a link while avjob runs gives no sound of another file")
  func swappedSource() throws {
    let stage = try stage()
    try stage.write("p/job.yaml", "clip: in/a.wav\noutput: out/x.flac\n")
    try stage.make(
      """
      cd p; sox -n -r 44100 -c 2 ../secret.wav synth 1 sine 900
      avjob run --quiet --root . job.yaml; mv out/x.flac expected.flac
      """)
    let result = try stage.run(
      swapping("in/a.wav", for: "../../secret.wav") + """
        for n in $(seq 12); do
          avjob run --quiet --root . job.yaml && { cmp out/x.flac expected.flac || echo LEAKED; }
          rm -f out/x.flac
        done
        """)
    #expect(result.text == "", "\(result.errors)")
  }

  /// Goes to the project, where a process swaps a file for a link and back, until the script ends.
  private func swapping(_ path: String, for target: String) -> String {
    """
    cd p
    /usr/bin/python3 - <<'END' &
    import os
    os.link("\(path)", "plain")
    while True:
        os.symlink("\(target)", "new")
        os.rename("new", "\(path)")
        os.link("plain", "new")
        os.rename("new", "\(path)")
    END
    trap "kill $!" EXIT

    """
  }
}
