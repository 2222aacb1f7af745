import MediaComposition
import MediaTime
import Testing

@testable import JobFile

/// Times that refer to other items. Every file lasts a minute.
@Suite struct ReferenceTests {
  @Test("'at' refers to tracks and named items, before or after it")
  func at() throws {
    let yaml = """
      tracks:
        music:
          - { clip: a.wav ..10s, at: talk.end-8s }
          - { clip: b.wav ..5s, at: news.start+1.5s, name: sting }
          - { clip: b.wav ..5s, at: sting.end }
        talk:
          - { clip: a.wav, at: 8s }
          - { clip: b.wav, name: news }
      """
    #expect(
      try Shapes.tracks(yaml) == [
        "b.wav 0s..5s @ 1:09.5, b.wav 0s..5s @ 1:14.5, a.wav 0s..10s @ 2:00",
        "a.wav 0s..1:00 @ 8s, b.wav 0s..1:00 @ 1:08",
      ])
  }

  @Test("A track of one list is that list; a group is a moment of the timeline that holds it")
  func nesting() throws {
    let yaml = """
      tracks:
        talk:
          at: 8s
          tracks: { host: a.wav, guest: { clip: b.wav ..20s, at: 5s, name: answer } }
        music:
          concat: [b.wav ..25s, { clip: a.wav ..40s, at: talk.end-8s }]
        late:
          at: 10s
          from: 2s
          concat: [{ clip: b.wav ..10s, at: answer.start }, { clip: b.wav ..5s, at: guest.end }]
      """
    #expect(
      try Shapes.tracks(yaml).suffix(2) == [
        "b.wav 0s..25s @ 0s, a.wav 0s..40s @ 1:00",
        // 13 s on the timeline, 10 s of them before it starts, and 2 s that its range leaves out.
        "[b.wav 0s..10s @ 5s, b.wav 0s..5s @ 25s] 2s..30s @ 10s",
      ])
  }

  @Test("A range, cuts, insertions and points refer to moments of the timeline")
  func everywhere() throws {
    let range = """
      tracks: { talk: [{ clip: a.wav, at: 3s }], music: { clip: b.wav, at: 1s, from: 2s, to: talk.start+10s } }
      to: talk.end-3s
      """
    let inner = "[a.wav 0s..1:00 @ 3s | b.wav 2s..14s @ 1s]"
    #expect(try Shapes.tracks(range) == ["\(inner) 0s..1:00 @ 0s"])
    let edits = """
      concat: [a.wav ..10s, { clip: b.wav ..20s, name: news }, a.wav ..30s]
      cut: [news.start+5s..news.end]
      insert: [{ silence: 1s, at: news.start }]
      chapters: { news.start: News }
      """
    let export = try Shapes.export(edits)
    #expect("\(export.composition.duration)" == "46s")
    #expect(Shapes.chapters(export) == ["News @ 11s"])
    let ducked = """
      tracks:
        talk: { clip: a.wav ..20s, at: 10s }
        music:
          clip: b.wav
          speed: 1/2
          at: 5s
          volume: { talk.start-1s: 0 dB, talk.start: -12 dB, talk.end: -12 dB, talk.end+1s: 0 dB }
      """
    let music = try #require(try Shapes.export(ducked).composition.tracks.last?.segments.first)
    #expect(
      music.mix.envelopes[0].ramps.map { "\($0.timeRange)" } == ["4s..5s", "5s..25s", "25s..26s"])
  }

  @Test("Of several items of one name, the nearest is meant")
  func nearest() throws {
    let group = { (place: Int) in
      "{ at: \(place)s, tracks: { voice: a.wav ..10s, bed: { clip: b.wav ..5s, at: voice.end } } }"
    }
    let export = try Shapes.export("tracks: { x: \(group(0)), y: \(group(20)) }")
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "[a.wav 0s..10s @ 0s | b.wav 0s..5s @ 10s] 0s..15s @ 0s",
        "[a.wav 0s..10s @ 0s | b.wav 0s..5s @ 10s] 0s..15s @ 20s",
      ])
  }

  @Test("Thousands of items, each placed by the one before it")
  func chain() throws {
    let count = 4_000
    let items = (1..<count).map {
      "  - { clip: a.wav ..1/3s, at: \"i\($0 - 1).end\", name: \"i\($0)\" }"
    }
    let yaml = "concat:\n  - { clip: a.wav ..1/3s, name: i0 }\n" + items.joined(separator: "\n")
    #expect("\(try Shapes.export(yaml).composition.duration)" == "4000/3s")
  }

  @Test("A long way round is refused, and not walked into the ground")
  func longChain() {
    let items = (0..<1000).map {
      "  - { clip: a.wav ..1s, at: \"i\($0 + 1).end\", name: \"i\($0)\" }"
    }
    let yaml =
      "concat:\n" + items.joined(separator: "\n")
      + "\n  - { clip: a.wav ..1s, at: 0s, name: i1000 }\noutput: x.wav"
    #expect(
      Bench().exportScreen(yaml).contains(
        "error: more than 200 times refer to one another in a row"))
  }
}
