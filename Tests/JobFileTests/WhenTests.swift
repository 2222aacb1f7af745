import Diagnosis
import MediaComposition
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Items that are left out.
@Suite struct WhenTests {
  private func media(_ yaml: String, rows: String) throws -> [[String]] {
    var bench = Bench()
    bench.texts = ["t.csv": rows]
    return try bench.load(yaml).jobs.map { $0.media.map { "\($0.location)" } }
  }

  @Test("An item is left out where 'when' is empty, 'false', 'no' or '0', in any case and place")
  func lists() throws {
    let found = try media(
      """
      rows: t.csv
      concat: [{ clip: "${ad}", when: "${ad}" }, a.wav]
      output: "${id}.mp3"
      """, rows: "id,ad\n1,b.wav\n2,\n")
    #expect(found == [["b.wav", "a.wav"], ["a.wav"]])
    for text in ["", "false", "No", "0", " FALSE "] {
      let jobs = try Bench().load(
        "concat: [{ clip: b.wav, when: \"\(text)\" }, a.wav]\noutput: x.mp3"
      ).jobs
      #expect(jobs[0].media.map(\.location) == ["a.wav"], "\(text)")
    }
    for text in ["true", "yes", "1", "b.wav"] {
      let jobs = try Bench().load(
        "concat: [{ clip: b.wav, when: \"\(text)\" }, a.wav]\noutput: x.mp3"
      ).jobs
      #expect(jobs[0].media.count == 2, "\(text)")
    }
  }

  @Test("A track, an insertion and a row's item may be left out, and nobody ducks under them")
  func others() throws {
    let found = try media(
      """
      rows: t.csv
      tracks:
        ad: { clip: "${ad}", when: "${ad}" }
        music: { clip: a.wav, duck: { under: [ad, voice], by: 12 dB } }
        voice: { clip: b.wav, insert: [{ clip: "${ad}", at: 1s, when: "${ad}" }] }
      output: "${id}.mp3"
      """, rows: "id,ad\n1,intro.mp3\n2,\n")
    // Each medium once.
    #expect(found.map(\.count) == [3, 2])
    let grouped = try media(
      """
      rows: t.csv
      group_by: id
      concat: [a.wav, { each: row, clip: "${ad}", when: "${ad}" }]
      output: "${id}.mp3"
      """, rows: "id,ad\n1,b.wav\n1,\n1,intro.mp3\n")
    #expect(grouped == [["a.wav", "b.wav", "intro.mp3"]])
  }

  @Test("A list of which nothing is left is refused, and so is an empty path, with what helps")
  func refusals() {
    var bench = Bench()
    bench.texts = ["t.csv": "id,ad\n1,\n"]
    expect(
      bench.screen("rows: t.csv\nconcat: [{ clip: \"${ad}\", when: \"${ad}\" }]\noutput: x.mp3"),
      #"""
      job.yaml:2:9: error: 'when' leaves nothing over here
          2 | concat: [{ clip: "${ad}", when: "${ad}" }]
            |         ^
        help: let something sound in any case, or give the whole a 'when'
      """#)
    #expect(
      bench.screen("rows: t.csv\nconcat: [a.wav, \"${ad}\"]\noutput: x.mp3").contains(
        "a path is missing"))
    #expect(
      bench.screen("rows: t.csv\nconcat: [a.wav, \"${ad}\"]\noutput: x.mp3").contains(
        "leave the item out by 'when: \"${…}\"'"))
  }
}

/// Jobs that are left out, and what refers to what is not there.
@Suite struct LeftOutTests {
  @Test("A job of an empty 'when' is left out with a note, and one that needs it is refused")
  func jobs() throws {
    var bench = Bench()
    bench.texts = ["t.csv": "id,ad\n1,b.wav\n2,\n3,no\n"]
    let yaml = "rows: t.csv\nwhen: \"${ad}\"\nclip: a.wav\noutput: \"${id}.mp3\""
    let file = try bench.load(yaml)
    #expect(file.jobs.map(\.name) == ["1"] && file.leavesOutJobs)
    #expect(bench.screen(yaml).contains("note: 2 of 3 jobs are left out: '2', '3'"))
    let alone = try bench.load("when: \"\"\nclip: a.wav\noutput: x.mp3")
    #expect(alone.jobs.isEmpty)
    let refused = bench.screen(
      """
      jobs:
        first: { when: "no", clip: a.wav, output: x.mp3 }
        next: { needs: first, clip: a.wav, output: y.mp3 }
      """)
    #expect(refused.contains("'next' needs 'first', which is left out"))
  }

  @Test("A time of an item that is left out is refused by its name")
  func references() {
    let screen = Bench().exportScreen(
      """
      tracks:
        talk: { clip: a.wav, when: "" }
        bed:
          - { name: ad, clip: b.wav, when: "no" }
          - { clip: b.wav, at: talk.end }
          - { clip: b.wav, at: ad.end }
      output: x.mp3
      """)
    #expect(screen.contains("'talk' is left out") && screen.contains("'ad' is left out"))
    #expect(screen.contains("the same 'when'"))
  }
}
