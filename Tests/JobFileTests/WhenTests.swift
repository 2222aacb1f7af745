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
