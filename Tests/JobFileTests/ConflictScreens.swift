import Diagnosis
import MediaComposition
import RunPlan
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// What is reported of outputs at one path, or at two that only some disks tell apart.
@Suite struct ConflictScreens {
  @Test(
    "Outputs that are apart by case alone get a warning, as long as their disk tells them apart")
  func caseAlone() throws {
    let yaml = """
      jobs:
        a: { clip: a.wav, output: Ä.mp3 }
        b: { clip: b.wav, output: OUT/../ä.mp3 }
        c: { for_each: raw/*.wav, output: { folder: x, mp3: V2 } }
      """
    let map = SourceMap()
    let file = try Bench().load(yaml, into: map)
    expect(
      Diagnostics(conflicts(among: file.jobs)).render(in: map),
      #"""
      job.yaml:3:29: warning: 'Ä.mp3' and 'OUT/../ä.mp3' are one file on disks where case does not count
          3 |   b: { clip: b.wav, output: OUT/../ä.mp3 }
            |                             ^~~~~~~~~~~~
        help: let them differ in more than case, if they may come to Windows or a Mac
      job.yaml:2:29: note: the other one is here
          2 |   a: { clip: a.wav, output: Ä.mp3 }
            |                             ^~~~~
      """#)
  }

  @Test("Outputs of one line that differ in case alone are reported, too")
  func caseAndClash() throws {
    var bench = Bench()
    bench.media = ["A.wav", "a.wav", "sub/a.wav", "sub/b/A.wav"]
    let yaml = """
      for_each: [A.wav, a.wav, sub/a.wav, sub/b/A.wav]
      output: out/${input.stem}.flac
      """
    let clash = #"""
      job.yaml:2:9: error: jobs 'a.wav' and 'sub/a.wav' both write 'out/a.flac'
          2 | output: out/${input.stem}.flac
            |         ^~~~~~~~~~~~~~~~~~~~~~
        help: make the path depend on the job, as with '${input.stem}' or '${n:02}'
      """#
    expect(bench.screen(yaml), clash)

    let map = SourceMap()
    var jobs = try bench.load(yaml.replacing("input.stem", with: "n"), into: map).jobs
    for (index, name) in ["A", "a", "a", "A"].enumerated() {
      jobs[index].outputs[0].path = FilePath("out/\(name).flac")
    }
    let found = conflicts(among: jobs)
    #expect(
      found.map(\.message) == [
        "'out/A.flac' and 'out/a.flac' are one file on disks where case does not count",
        "jobs 'a.wav' and 'sub/a.wav' both write 'out/a.flac'",
      ])
  }

  @Test("An output below another one is refused with both places, whichever comes first")
  func below() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { clip: a.wav, output: d/x.flac }
          b: { clip: b.wav, output: d/x.flac/y.flac }
          c: { clip: a.wav, output: [e/f.mp3/z.mp3, e/f.mp3] }
        """),
      #"""
      job.yaml:3:29: error: output 'd/x.flac/y.flac' lies below output 'd/x.flac', which is no folder
          3 |   b: { clip: b.wav, output: d/x.flac/y.flac }
            |                             ^~~~~~~~~~~~~~~
        help: give one of them another path
      job.yaml:2:29: note: the other one is here
          2 |   a: { clip: a.wav, output: d/x.flac }
            |                             ^~~~~~~~
      job.yaml:4:30: error: output 'e/f.mp3/z.mp3' lies below output 'e/f.mp3', which is no folder
          4 |   c: { clip: a.wav, output: [e/f.mp3/z.mp3, e/f.mp3] }
            |                              ^~~~~~~~~~~~~
        help: give one of them another path
      job.yaml:4:45: note: the other one is here
          4 |   c: { clip: a.wav, output: [e/f.mp3/z.mp3, e/f.mp3] }
            |                                             ^~~~~~~
      """#)
  }

  @Test("Files beside outputs, records and lists of files are outputs that others may lie below")
  func belowOthers() {
    for (other, path) in [
      ("{ file: d/x.mp3, chapters: podlove }", "d/x.psc"),
      ("d/x.mp3, { json: sidecar, file: d/r.json }", "d/r.json"),
      ("d/x.mp3, { manifest: d/m.jsonl, form: nemo, text: hi }", "d/m.jsonl"),
    ] {
      for outputs in ["\(other), \(path)/y.flac", "\(path)/y.flac, \(other)"] {
        let screen = Bench().screen("clip: a.wav\noutput: [\(outputs)]\n")
        let message =
          "error: output '\(path)/y.flac' lies below output '\(path)', which is no folder"
        #expect(screen.contains(message), "\(screen)")
        #expect(screen.contains("note: the other one is here"), "\(screen)")
      }
    }
  }

  private func conflicts(among jobs: [Job]) -> [Diagnostic] {
    JobDependencies(among: jobs, of: jobs.map { _ in 0 }, currentDirectory: "/home/show").problems
  }
}
