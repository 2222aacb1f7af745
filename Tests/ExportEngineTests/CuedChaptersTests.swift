import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

/// Cues of a file beside the chapters of its tags.
@Suite("Cues beside chapters of tags") struct CuedChaptersTests {
  private func chapters(_ list: [(Int64, String)]) -> [Chapter] {
    list.map { start, title in
      Chapter(start: Time(value: start, timescale: 1000), title: title, isInherited: true)
    }
  }

  /// Two seconds of 44.1 kHz.
  private func join(
    _ cues: [(Int64, String?)], _ listed: [Chapter], prefersCues: Bool = false
  ) -> (chapters: [Chapter], differs: Bool) {
    CuedChapters(
      cues.map { MediaMarks.Cue(frame: $0.0, label: $0.1) }, rate: 44_100, frameCount: 88_200
    ).joined(with: listed, prefersCues: prefersCues)
  }

  private func shown(_ chapters: [Chapter]) -> [String] {
    chapters.map { "\($0.start.frames(atRate: 44_100)) \($0.title)" }
  }

  @Test("cues without labels have the titles and links of tags, and stay exact")
  func titles() {
    var listed = chapters([(0, "Eins"), (1001, "Zwei")])
    listed[1].url = "https://example.org"
    let found = join([(0, nil), (44_130, nil)], listed)
    #expect(shown(found.chapters) == ["0 Eins", "44130 Zwei"] && !found.differs)
    #expect(found.chapters.map(\.url) == [nil, "https://example.org"])
    #expect(found.chapters.count { $0.isInherited } == 2)
  }

  @Test("one list alone is the chapters, and cues at and behind the end are none")
  func alone() {
    let cues: [(Int64, String?)] = [(100, "A"), (88_200, "End"), (90_000, nil)]
    #expect(shown(join(cues, []).chapters) == ["100 A"] && !join(cues, []).differs)
    let listed = chapters([(0, "Eins"), (1000, "Zwei")])
    #expect(join([], listed).chapters == listed)
    // Cues at the end are no other list.
    let ends = join([(88_200, nil)], listed, prefersCues: true)
    #expect(ends.chapters == listed && !ends.differs)
  }

  @Test(
    "where the lists differ, the preferred one counts",
    arguments: [
      [(0, "Eins")], [(0, "Eins"), (1000, "Zwei"), (1500, "Drei")], [(0, "Eins"), (1002, "Zwei")],
      [(0, "Eins"), (1000, "Anders")],
    ] as [[(Int64, String)]])
  func differing(list: [(Int64, String)]) {
    let cues: [(Int64, String?)] = [(0, nil), (44_100, "Zwei")]
    let listed = chapters(list)
    let tags = join(cues, listed)
    #expect(tags.chapters == listed && tags.differs)
    let own = join(cues, listed, prefersCues: true)
    #expect(shown(own.chapters) == ["0 Eins", "44100 Zwei"] && own.differs)
  }

  @Test("cues within a millisecond are one chapter of tags, and all of them stay")
  func together() {
    let found = join([(100, "A"), (110, "B"), (110, "C")], chapters([(2, "B")]))
    #expect(shown(found.chapters) == ["100 A", "110 B"] && !found.differs)
  }

  @Test("titles that unlabelled cues got for their format are not theirs, and AIFF cuts labels")
  func generated() {
    let found = join([(0, nil), (44_100, nil)], chapters([(0, "Marker 1"), (1000, "Zwei")]))
    #expect(shown(found.chapters) == ["0 ", "44100 Zwei"] && !found.differs)
    let long = String(repeating: "ä", count: 200)
    let cut = join([(0, String(long.prefix(127)))], chapters([(0, long)]))
    #expect(cut.chapters.map(\.title) == [long] && !cut.differs)
  }

  @Test("whatever tags round to whole milliseconds agrees with its cues")
  func rounding() {
    var dice = Dice(7)
    for _ in 0..<200 {
      let frames = Set((0..<20).map { _ in Int64.random(in: 0..<88_200, using: &dice) }).sorted()
      let listed = chapters(
        frames.enumerated().map { index, frame in ((frame * 1000 + 22_050) / 44_100, "C\(index)") })
      let found = join(frames.map { ($0, nil) }, listed)
      #expect(!found.differs && found.chapters.map { $0.start.frames(atRate: 44_100) } == frames)
    }
  }
}
