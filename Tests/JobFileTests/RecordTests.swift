import Diagnosis
import MediaComposition
import RunPlan
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// Files of facts beside outputs: `json: sidecar`.
@Suite struct RecordTests {
  private let archive = """
    for_each: raw/**/*.wav
    output:
      - { folder: master, flac: 24 bit }
      - { folder: access, mp3: V2 }
      - { folder: master, json: sidecar }
    """

  @Test("A sidecar has its input's name, and keeps the tree")
  func folder() throws {
    let exports = try Bench().exports(archive)
    #expect(
      exports.map { $0.records.map(\.path) } == [
        ["master/ch1.json"], ["master/ch2.json"], ["master/ch10.json"], ["master/extra/bonus.json"],
      ])
    #expect(
      exports[3].outputs.map(\.path) == ["master/extra/bonus.flac", "access/extra/bonus.mp3"])
  }

  @Test("A sidecar has a path of its own, and of parts one each")
  func file() throws {
    let export = try #require(
      try Bench().exports("clip: a.wav\noutput: [x.mp3, { file: facts/x.JSON, json: sidecar }]")
        .first)
    #expect(export.records.map(\.path) == ["facts/x.JSON"])
    let parts = try Bench().exports(
      """
      clip: a.wav
      split: { every: 40s }
      output:
        - { folder: out, mp3: V2 }
        - { folder: out, json: sidecar }
        - { file: "facts-${part.n}.json", json: sidecar }
      """)
    #expect(
      parts.map { $0.records.map(\.path) } == [
        ["out/a 01.json", "facts-1.json"], ["out/a 02.json", "facts-2.json"],
      ])
  }

  @Test("Impossible sidecars")
  func refusals() {
    // tidy: long because the screen stands here whole.
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { clip: a.wav, output: { file: a.json, json: sidecar } }
          b: { clip: a.wav, output: [b.mp3, { file: b.txt, json: sidecar }, { file: c.json, json: all }] }
          c: { clip: a.wav, output: [c.mp3, { folder: c, json: sidecar, mp3: V2, channels: mono }] }
          d: { concat: [a.wav], output: [d.mp3, { folder: d, json: sidecar }, { json: sidecar }] }
          e: { clip: a.wav, output: [e.json, { file: f.json }] }
          f: { clip: a.wav, split: { every: 1s }, output: ["${part.n}.mp3", { file: f.json, json: sidecar }] }
          g: { clip: a.wav, output: [g.mp3, { file: g.json, json: [sidecar] }] }
        """#),
      #"""
      job.yaml:2:29: error: a sidecar without an output that it describes
          2 |   a: { clip: a.wav, output: { file: a.json, json: sidecar } }
            |                             ^
        help: add an output with sound, as 'episode.mp3'
      job.yaml:3:45: error: a sidecar ends in '.json'
          3 |   b: { clip: a.wav, output: [b.mp3, { file: b.txt, json: sidecar }, { file: c.json, json: all }] }
            |                                             ^~~~~
        help: write 'b.json'
      job.yaml:3:91: error: 'all' is no file of facts
          3 |   b: { clip: a.wav, output: [b.mp3, { file: b.txt, json: sidecar }, { file: c.json, json: all }] }
            |                                                                                           ^~~
        help: write 'sidecar'
      job.yaml:4:65: error: 'mp3' beside 'json'
          4 |   c: { clip: a.wav, output: [c.mp3, { folder: c, json: sidecar, mp3: V2, channels: mono }] }
            |                                                                 ^~~
        help: a sidecar has facts and no sound; 'output' may be a list
      job.yaml:4:50: note: it is given here
          4 |   c: { clip: a.wav, output: [c.mp3, { folder: c, json: sidecar, mp3: V2, channels: mono }] }
            |                                                  ^~~~
      job.yaml:4:74: error: 'channels' beside 'json'
          4 |   c: { clip: a.wav, output: [c.mp3, { folder: c, json: sidecar, mp3: V2, channels: mono }] }
            |                                                                          ^~~~~~~~
        help: a sidecar has facts and no sound; 'output' may be a list
      job.yaml:4:50: note: it is given here
          4 |   c: { clip: a.wav, output: [c.mp3, { folder: c, json: sidecar, mp3: V2, channels: mono }] }
            |                                                  ^~~~
      job.yaml:5:43: error: 'folder' has no input to take a name from
          5 |   d: { concat: [a.wav], output: [d.mp3, { folder: d, json: sidecar }, { json: sidecar }] }
            |                                           ^~~~~~
        help: name the file: 'file'
      job.yaml:5:71: error: an output needs a 'file' or a 'folder'
          5 |   d: { concat: [a.wav], output: [d.mp3, { folder: d, json: sidecar }, { json: sidecar }] }
            |                                                                       ^
        help: add 'file: out/episode.mp3', or 'folder: out' for files with the input's name
      job.yaml:6:30: error: '.json' holds no sound
          6 |   e: { clip: a.wav, output: [e.json, { file: f.json }] }
            |                              ^~~~~~
        help: for facts of the job, write { file: ..., json: sidecar }
      job.yaml:6:46: error: '.json' holds no sound
          6 |   e: { clip: a.wav, output: [e.json, { file: f.json }] }
            |                                              ^~~~~~
        help: for facts of the job, write { file: ..., json: sidecar }
      job.yaml:7:77: error: every part would be written to 'f.json'
          7 |   f: { clip: a.wav, split: { every: 1s }, output: ["${part.n}.mp3", { file: f.json, json: sidecar }] }
            |                                                                             ^~~~~~
        help: put the part into the path, as with '${part.n:02}'
      job.yaml:8:59: error: 'json' is a text, not a list
          8 |   g: { clip: a.wav, output: [g.mp3, { file: g.json, json: [sidecar] }] }
            |                                                           ^
        help: write 'sidecar'
      """#)
  }

  @Test("A sidecar is an output: it shares no path with another, nor with a source")
  func conflicts() {
    var bench = Bench()
    bench.media.append("b.json")
    expect(
      bench.screen(
        #"""
        jobs:
          one: { clip: a.wav, output: [1.mp3, { file: 1.json, json: sidecar }] }
          two: { clip: a.wav, output: [2.mp3, { file: ./1.json, json: sidecar }] }
          three: { clip: b.json, output: [3.mp3, { file: b.json, json: sidecar }] }
          four: { for_each: raw/*.wav, output: [{ folder: 4, mp3: V2 }, { file: 4.json, json: sidecar }] }
        """#),
      #"""
      job.yaml:3:47: error: two outputs at '1.json'
          3 |   two: { clip: a.wav, output: [2.mp3, { file: ./1.json, json: sidecar }] }
            |                                               ^~~~~~~~
        help: give one of them another name
      job.yaml:2:47: note: the other one is here
          2 |   one: { clip: a.wav, output: [1.mp3, { file: 1.json, json: sidecar }] }
            |                                               ^~~~~~
      job.yaml:4:50: error: output 'b.json' is a source
          4 |   three: { clip: b.json, output: [3.mp3, { file: b.json, json: sidecar }] }
            |                                                  ^~~~~~
        help: write to another path: a source is never overwritten
      job.yaml:4:18: note: it is read here
          4 |   three: { clip: b.json, output: [3.mp3, { file: b.json, json: sidecar }] }
            |                  ^~~~~~
      job.yaml:5:73: error: jobs 'four/ch1' and 'four/ch2' both write '4.json'
          5 |   four: { for_each: raw/*.wav, output: [{ folder: 4, mp3: V2 }, { file: 4.json, json: sidecar }] }
            |                                                                         ^~~~~~
        help: make the path depend on the job, as with '${input.stem}' or '${n:02}'
      """#)
    let map = SourceMap()
    let jobs =
      (try? bench.load(archive.replacing("raw/**/*.wav", with: "[a.wav, raw/ch1.wav]"), into: map)
        .jobs) ?? []
    #expect(jobs.count == 2)
  }

  @Test("Parts whose sidecars have one path are refused")
  func parts() throws {
    let yaml = """
      clip: a.wav
      split: { 0:00: Same, 0:20: Same }
      output: ["${part.n}.mp3", { file: "${part.title}.json", json: sidecar }]
      """
    let job = try #require(try Bench().load(yaml).jobs.first)
    let exports = try job.exports(assets: Bench().asset).exports
    var dependencies = JobDependencies(among: [job], of: [0], currentDirectory: "/")
    dependencies.add(exports.map(ExportFiles.init), of: 0)
    #expect(
      dependencies.problems.map(\.message) == [
        "parts 'job/01 Same' and 'job/02 Same' both write 'Same.json'"
      ])
  }
}
