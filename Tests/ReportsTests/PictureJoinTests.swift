import ExportEngine
import ExportGraph
import JSON
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import Reports

@Suite("Pictures in reports")
struct PictureJoinTests {
  /// An output with a join, whose first picture has so many bytes.
  private func output(_ size: Int) -> RunReport.Output {
    var written = WrittenOutput.sample("a.mp4", frames: 10)
    written.pictures = PictureCount(copied: 3, encoded: 1)
    var join = PictureJoin(time: Time(value: 3, timescale: 2))
    (join.before, join.after) = ([UInt8](repeating: 7, count: size), [1, 2, 3])
    written.pictureJoins = [join]
    return RunReport.Output(
      path: "a.mp4", format: "AAC", bytes: 1, sound: RunReport.Sound(written))
  }

  @Test("an output has the pictures of its joins, and the numbers of its pictures")
  func facts() {
    let json = JSONReport.output(output(3)).line
    #expect(json.contains("\"pictures\":{\"copied\":3,\"encoded\":1}"))
    #expect(
      json.contains(
        "\"picture_joins\":[{\"start\":1.5,\"start_exact\":\"1.5s\",\"before\":\"BwcH\","
          + "\"after\":\"AQID\"}]"))
  }

  @Test("of very many joins a run holds the times, and as many pictures as a page has room for")
  func bound() {
    var tally = RunTally(["a", "b", "c"])
    for (job, size) in [7_000_000, 3_000_000, 3].enumerated() {
      tally.apply(RunEvent(job: job, .finished([output(size)], reason: nil), at: .now))
    }
    let joins = (0..<3).map { tally.job($0).outputs[0].sound?.facts["picture_joins"]?.line ?? "" }
    #expect(joins[0].utf8.count > 9_000_000)
    #expect(joins[1] == "[{\"start\":1.5,\"start_exact\":\"1.5s\"}]")
    #expect(joins[2].contains("\"before\":\"BwcH\""))
  }
}
