import JobModel
import MediaTime
import Terminal
import TestSupport
import Testing

@testable import LiveScreens

@Suite struct PreviewKeysTests {
  private func commands(_ text: String) -> [PlayerCommand] {
    var reader = KeyReader()
    var keys = PreviewKeys()
    return (reader.keys(text.utf8) + reader.endOfPause()).compactMap { keys.command(for: $0) }
  }

  @Test("each key of the help does what it says")
  func meanings() {
    #expect(
      commands(" \u{1B}[D\u{1B}[C\u{1B}[B\u{1B}[A\u{1B}[6~\u{1B}[5~\u{1B}[H")
        == [
          .playOrPause, .step(milliseconds: -5000), .step(milliseconds: 5000),
          .step(milliseconds: -60000), .step(milliseconds: 60000),
          .step(milliseconds: -60000), .step(milliseconds: 60000), .seek(.to(.zero)),
        ])
    #expect(
      commands("np+=-_,.{}<>")
        == [
          .next(.chaptersOrItems), .previous(.chaptersOrItems), .volume(.by(1)), .volume(.by(1)),
          .volume(.by(-1)), .volume(.by(-1)),
          .pan(by: -10), .pan(by: 10), .pan(by: -10), .pan(by: 10), .rate(.by(-10)), .rate(.by(10)),
        ])
    #expect(commands("[]\\c?q") == [.loopStart, .loopEnd, .noLoop, .clear, .quit])
    #expect(
      commands("NPiIjJrmMu")
        == [
          .entry(.by(1)), .entry(.by(-1)), .item(by: 1), .item(by: -1), .join(by: 1), .join(by: -1),
          .tour, .mark, .markLoop, .unmark,
        ])
    #expect(
      commands("/us \r/x\u{7F}\u{7F}aAwWk")
        == [
          .find("us "), .findAgain(by: 1), .findAgain(by: -1), .cue(by: 1), .cue(by: -1),
          .markFound,
        ]
        .map { .words($0) })
    #expect(commands("zZ\u{1B}") == [.leave])
  }

  @Test("with Shift, Alt and Ctrl the arrows go in smaller steps, as some letters and signs do")
  func steps() {
    #expect(
      commands("\u{1B}[1;2C\u{1B}[1;2D\u{1B}[1;3C\u{1B}[1;3D\u{1B}[1;5C\u{1B}[1;5D")
        == [
          .step(milliseconds: 1000), .step(milliseconds: -1000), .step(milliseconds: 100),
          .step(milliseconds: -100),
          .frame(by: 1), .frame(by: -1),
        ])
    #expect(
      commands("fb';\":")
        == [
          .step(milliseconds: 1000), .step(milliseconds: -1000), .step(milliseconds: 100),
          .step(milliseconds: -100),
          .frame(by: 1), .frame(by: -1),
        ])
    // A modifier without a meaning changes none.
    #expect(
      commands("\u{1B}[1;2A\u{1B}[5;5~") == [
        .step(milliseconds: 60000), .step(milliseconds: 60000),
      ])
  }

  @Test("a number mutes its track; after s, or with Shift, it is heard alone")
  func tracks() {
    #expect(commands("19") == [.mute(0), .mute(8)])
    #expect(commands("s1s92") == [.solo(0), .solo(8), .mute(1)])
    #expect(commands("!(") == [.solo(0), .solo(8)])
    // What is no number does what it always does.
    #expect(commands("s 2") == [.playOrPause, .mute(1)])
    #expect(commands("0") == [])
  }

  @Test("after g a time is typed, and can be mended or left")
  func time() {
    #expect(commands("g1:23\r") == [.go(to: "1:23")])
    #expect(commands("g end-10s\r") == [.go(to: "end-10s")])
    #expect(commands("g1:34\u{7F}\u{7F}23\rq") == [.go(to: "1:23"), .quit])
    #expect(commands("gq\u{1B}q") == [.quit] || commands("gq\u{1B}q") == [])
    var keys = PreviewKeys()
    for key in [Key.character("g"), .character("q")] { #expect(keys.command(for: key) == nil) }
    #expect(keys.mode == .time("q"))
    #expect(keys.command(for: .escape) == nil)
    #expect(keys.mode == .commands)
    #expect(keys.command(for: .character("q")) == .quit)
    #expect(commands("g\rq") == [.quit])
    #expect(commands("g\u{7F}q") == [.quit])
  }

  @Test("Enter takes a name for the last mark")
  func name() {
    #expect(commands("m\rthe end\rq") == [.mark, .nameMark("the end"), .quit])
    #expect(commands("\rab\u{7F}\u{7F}\u{7F}q") == [.quit])
  }

  @Test("after t the cursor of the tracks moves, and digits add up to a number")
  func cursor() {
    #expect(
      commands("t\u{1B}[A\u{1B}[B\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[F")
        == [.choose, .move(by: -1), .move(by: 1), .move(by: -10), .move(by: 10), .first, .last]
        .map { .track($0) })
    #expect(
      commands("t42ms\rt")
        == [.choose, .go(to: 4), .go(to: 42), .mute, .solo, .mute, .leave].map { .track($0) })
    // Other keys do what they always do, and the cursor stays; those that ask for more end it.
    #expect(
      commands("t +7") == [.track(.choose), .playOrPause, .volume(.by(1)), .track(.go(to: 7))])
    #expect(commands("tg5\r") == [.track(.choose), .track(.leave), .go(to: "5")])
    #expect(commands("tl") == [.track(.choose), .list(.open)])
  }

  @Test("in the list keys search, move, choose and remove, and nothing else")
  func list() {
    #expect(
      commands("l\u{1B}[B\u{1B}[F\u{1B}[3~\u{1B}[C")
        == [.open, .move(by: 1), .last, .remove].map { .list($0) })
    #expect(
      commands("\tq 1\u{7F}\rq")
        == [.open, .find("q"), .find("q "), .find("q 1"), .find("q "), .choose].map { .list($0) }
        + [.quit])
    #expect(
      commands("la\u{7F}\u{7F}q") == [
        .list(.open), .list(.find("a")), .list(.find("")), .list(.close), .quit,
      ])
    #expect(commands("l\tq") == [.list(.open), .list(.close), .quit])
    #expect(commands("dx\r") == [.list(.openDevices), .list(.find("x")), .list(.choose)])
  }

  @Test("each sign of the help is a key, and the page about the preview has the same table")
  func table() throws {
    for binding in KeyBinding.all {
      for word in binding.keys.split(separator: " ") where word.count == 1 && word != "…" {
        #expect(KeyBinding.actions[.character(Character(String(word)))] != nil, "\(word)")
      }
    }
    let rows = KeyBinding.all.map { "| `\($0.keys)` | \($0.help) |\n" }.joined()
    let page = String(decoding: try readFile(Fixture.path("../docs/preview.md")), as: UTF8.self)
    #expect(page.contains("\n\n| key | action |\n| --- | --- |\n\(rows)\n"))
  }

  @Test("the last line of a list, of the tracks and of a tour names keys, which do what it says")
  func hints() {
    func hints(_ bindings: [KeyBinding]) -> [String] { bindings.flatMap(\.hints) }
    #expect(
      hints(KeyBinding.inList)
        == ["up down choose", "Home End", "Del remove mark", "Enter go", "Esc close"])
    #expect(
      hints(KeyBinding.inTracks)
        == ["up down, 12 choose", "m mute", "s alone", "? help", "Esc back"])
    #expect(hints(KeyBinding.inTour) == ["m mark", "j J next, previous join", "? help", "r end"])
    #expect(commands("mjJr") == [.mark, .join(by: 1), .join(by: -1), .tour])
  }

  @Test("the help scrolls by the arrows, and other keys do what they always do")
  func help() {
    var keys = PreviewKeys()
    #expect(keys.command(for: .character("?")) == nil)
    #expect(keys.helpStart == 0)
    #expect(keys.command(for: .down) == nil)
    #expect(keys.command(for: .pageDown) == nil)
    #expect(keys.helpStart == 11)
    #expect(keys.command(for: .character(" ")) == .playOrPause)
    for _ in 0..<9 { #expect(keys.command(for: .pageDown) == nil) }
    #expect(keys.helpStart == KeyBinding.all.count - 1)
    #expect(keys.command(for: .escape) == nil)
    #expect(keys.helpStart == nil)
    #expect(keys.command(for: .down) == .step(milliseconds: -60000))
  }
}

@Suite struct PreviewPlacesTests {
  private func seconds(_ value: Int64) -> Time { Time(value: value, timescale: 1) }

  @Test("n leads to the next start, and p to the one before, or to this one's where it is late")
  func places() {
    let places = PreviewPlaces(chapters: [0, 10, 20].map(seconds), segments: [seconds(5)])
    #expect(places.next(after: .zero) == seconds(10))
    #expect(places.next(after: seconds(10)) == seconds(20))
    #expect(places.next(after: seconds(20)) == nil)
    #expect(places.previous(before: seconds(1)) == nil)
    #expect(places.previous(before: seconds(9)) == .zero)
    #expect(places.previous(before: seconds(11)) == .zero)
    #expect(places.previous(before: seconds(13)) == seconds(10))
    #expect(places.previous(before: seconds(100)) == seconds(20))
  }

  @Test("without chapters, segments are the places")
  func segments() {
    let places = PreviewPlaces(chapters: [], segments: [0, 5, 5, 7].map(seconds))
    #expect(places.next(after: .zero) == seconds(5))
    #expect(places.next(after: seconds(5)) == seconds(7))
    #expect(PreviewPlaces(chapters: [], segments: []).next(after: .zero) == nil)
    #expect(PreviewPlaces(chapters: [], segments: []).previous(before: seconds(5)) == .zero)
  }

  @Test("what sounds at a moment is the same whether asked in order or not")
  func timeline() {
    var dice = Dice(3)
    let entries = (0..<50).map { index -> (range: TimeRange, value: String) in
      let start = dice.number(0..<100)
      return (TimeRange(start: seconds(start), duration: seconds(dice.number(1..<30))), "\(index)")
    }.sorted { $0.range.start < $1.range.start }
    var timeline = PreviewTimeline(entries)
    for _ in 0..<500 {
      let time = seconds(dice.number(0..<140))
      let expected = entries.filter { $0.range.contains(time) }.map(\.value)
      #expect(timeline.values(at: time) == Array(expected.prefix(8)))
    }
  }

  @Test("times are those of the job language, within what is heard")
  func times() throws {
    func time(_ text: String) throws -> Time? {
      try PreviewTime(text).time(in: seconds(100), rate: 48_000)
    }
    #expect(try time("1:23") == seconds(83))
    #expect(try time("83s") == seconds(83))
    #expect(try time("48000 samples") == seconds(1))
    #expect(try time("end-10s") == seconds(90))
    #expect(try time("end") == seconds(100))
    #expect(try time("start") == .zero)
    #expect(try time("2:00") == nil)
    #expect(try time("talk.end") == nil)
    #expect(
      throws: QuantityError("'soon' is no time", help: "write a time, 'end', or 'end-10s'")
    ) { try PreviewTime("soon") }
    #expect(
      try PreviewTime("2:00").refusal(in: "talk", lasting: seconds(100))
        == "'2:00' is outside of 'talk', which lasts 1:40.0")
  }
}
