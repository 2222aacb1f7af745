import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import SystemPackage
import Terminal
import TestSupport
import Testing
import Transcripts

@testable import LiveScreens

private func tenths(_ value: Int64) -> Time { Time(value: value, timescale: 10) }

private func range(_ start: Int64, _ end: Int64) -> TimeRange {
  TimeRange(start: tenths(start), end: tenths(end))
}

/// A cue whose words last equally long.
private func cue(
  _ text: String, _ start: Int64, _ end: Int64, speaker: String? = nil, isTimed: Bool = true
) -> Cue {
  let texts = text.split(separator: " ").map(String.init)
  let length = (end - start) / Int64(texts.count)
  let words = texts.enumerated().map { index, text in
    let first = start + Int64(index) * length
    return Word(text, in: range(first, first + length))
  }
  return Cue(text, in: range(start, end), speaker: speaker, words: isTimed ? words : [])
}

/// Ann says five words from 1 s to 2 s, Ben answers from 2.5 s to 3.5 s, and Ann again from 3 s on.
private let talk = Transcript([
  cue("So, let us begin now.", 10, 20, speaker: "Ann"),
  cue("Let us what?", 25, 35, speaker: "Ben", isTimed: false),
  cue("Let us begin.", 30, 39, speaker: "Ann"),
])

@Suite("The line of what is said") struct SaidLineTests {
  private func line(
    _ said: SaidCue?, _ width: Int = 40, isColored: Bool = false, isUnicode: Bool = true
  ) -> String? {
    var model = PreviewModel()
    (model.hasWords, model.said) = (true, said)
    return PreviewLayout(
      width: width, isColored: isColored, characters: isUnicode ? .unicode : .ascii
    ).words(model)
  }

  @Test("the cue that has begun last is shown, with the word of the moment emphasised")
  func moment() throws {
    #expect(talk.cue(at: tenths(9)) == nil)
    #expect(talk.cue(at: tenths(20)) == nil)
    #expect(talk.cue(at: tenths(29))?.speaker == "Ben")
    #expect(talk.cue(at: tenths(34))?.speaker == "Ann")
    let said = SaidCue(try #require(talk.cue(at: tenths(13))), at: tenths(13))
    #expect(line(said) == "Ann: So, let us begin now.")
    #expect(line(said, isColored: true) == "Ann: So, \u{1B}[1;4mlet\u{1B}[0m us begin now.")
    let plain = SaidCue(try #require(talk.cue(at: tenths(29))), at: tenths(29))
    #expect(line(plain, isColored: true) == "Ben: Let us what?")
  }

  @Test("without words there is no line, and between two cues it is empty")
  func none() {
    #expect(line(nil) == "")
    let layout = PreviewLayout(width: 40, isColored: false, characters: .unicode)
    #expect(layout.words(PreviewModel()) == nil)
  }

  @Test("of a long text the line has the part that is said now, broken at blanks")
  func parts() {
    let text = "one two three four five six seven"
    let long = cue(text, 0, 70)
    func shown(_ time: Int64, _ width: Int = 18) -> String? {
      line(SaidCue(long, at: tenths(time)), width)
    }
    #expect(shown(0) == "one two three…")
    #expect(shown(20) == "one two three…")
    #expect(shown(30) == "…four five six…")
    #expect(shown(69) == "…seven")
    #expect(shown(0, 40) == text)
    // Without times of words, by the share of the cue.
    let untimed = cue(text, 0, 70, isTimed: false)
    #expect(line(SaidCue(untimed, at: tenths(40)), 18) == "…four five six…")
    // No blank, and a character of two columns.
    let wide = Cue(String(repeating: "字", count: 9), in: range(0, 10))
    #expect(line(SaidCue(wide, at: .zero), 9) == "字字字…")
    #expect(line(SaidCue(wide, at: tenths(9)), 9) == "…字字字")
  }

  @Test("texts give the terminal no orders, and no line is wider than the window")
  func hostile() {
    let text = "a\u{1B}[2J\n<b>\u{202E}evil " + String(repeating: "long ", count: 10_000)
    var said = SaidCue(Cue(text, in: range(0, 10), speaker: "\u{7}Ann\u{202E}"), at: .zero)
    #expect(
      line(said, 60)?.hasPrefix("\u{FFFD}Ann\u{FFFD}: a\u{FFFD}[2J <b>\u{FFFD}evil long") == true)
    #expect(said.text.count == 2000)
    said.word = said.text.startIndex..<said.text.index(after: said.text.startIndex)
    for width in 0..<60 {
      for isUnicode in [true, false] {
        let line = line(said, width, isUnicode: isUnicode) ?? ""
        #expect(line.columns <= width, "\(width): \(line)")
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(isUnicode || line.utf8.allSatisfy { $0 < 0x80 })
      }
    }
  }
}

@Suite("Words that are looked for") struct PreviewWordsTests {
  private let words = PreviewWords(talk)

  @Test("a phrase is found with any capitals and punctuation, once for each time that it is said")
  func places() {
    let places = words.places(of: "LET us, begin!")
    #expect(places.ranges == [range(12, 18), range(30, 39)])
    // Without times of words a phrase begins with its cue.
    #expect(words.places(of: "us what").ranges == [range(25, 35)])
    #expect(words.places(of: "").ranges.isEmpty)
  }

  @Test("the next place is behind the cursor, and the first one where none is left")
  func next() throws {
    let places = words.places(of: "let us")
    #expect(places.ranges.map(\.start) == [tenths(12), tenths(25), tenths(30)])
    func found(_ time: Int64, isForward: Bool = true) -> String? {
      places.next(from: tenths(time), isForward: isForward).map { "\($0.index) \($0.isRound)" }
    }
    #expect([0, 12, 29, 30].map { found($0) } == ["0 false", "1 false", "2 false", "0 true"])
    #expect(
      [40, 30, 12].map { found($0, isForward: false) } == ["2 false", "1 false", "2 true"])
    #expect(PreviewWords.Places(ranges: []).next(from: .zero, isForward: true) == nil)
  }

  @Test("a phrase that is nowhere is refused with what is nearest")
  func refusal() {
    #expect(
      words.refusal(of: "us begun now")
        == "'us begun now' is not said; the nearest is 'us begin now.' at 0:01.400")
    #expect(words.refusal(of: "xyzzy") == "'xyzzy' is not said")
  }

  @Test("marks have the words around them")
  func notes() {
    #expect(talk.text(in: range(0, 0)) == nil)
    #expect(talk.text(in: range(13, 13)) == "Ann: So, let us begin now.")
    #expect(talk.text(in: range(12, 16)) == "Ann: let us")
    #expect(talk.text(in: range(0, 27)) == "Ann: So, let us begin now. Let us what?")
    #expect(talk.text(in: range(0, 50)) == "Ann: So, let us begin now. … Let us begin.")
    let long = Transcript([cue("a b c d e f g h i j k l", 0, 120)])
    #expect(long.text(in: range(65, 65)) == "… c d e f g h i j k …")
    let hostile = Transcript([Cue("a\n\u{202E}b\"", in: range(0, 10))])
    #expect(hostile.text(in: range(5, 5)) == "a \u{FFFD}b\"")
    var marks = PreviewMarks()
    _ = marks.add(range(10, 10), of: 0, showing: "frame 25", saying: "Ann: So, let us")
    _ = marks.add(range(12, 18), of: 0, named: "let us begin")
    #expect(
      marks.labels(of: 0, withNotes: true) == """
        1.000000\t1.000000\tmark 1 (frame 25, Ann: So, let us)
        1.200000\t1.800000\tlet us begin

        """)
    #expect(
      marks.snippet(of: 0, named: "talk") == """
        # Marks of "talk", in its time as 'avjob preview' plays it.
        chapters:
          1s: "mark 1"  # frame 25, Ann: So, let us
        cut:
          - 1.2s..1.8s  # "let us begin"

        """)
  }
}

@Suite("Commands that go by words") struct PreviewWordCommandsTests {
  /// A paused preview of a clip with `talk`, and of a medium without words.
  private func preview() throws -> PreviewControls {
    let library = MediaLibrary()
    let path = FilePath(Fixture.path("feelings.ogg"))
    let asset = try library.asset(at: path)
    var segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: tenths(45)), at: .zero)
    segment.transcript = talk
    let composition = Composition(tracks: [Track(name: "voice", segments: [segment])])
    let export = Export(
      name: "talk", composition: composition,
      outputs: [Output(path: "none.wav", format: .wav(.float32))])
    let entries = [
      PreviewEntry(.job(ExportSession(export, library: library))),
      PreviewEntry(.media(.file(path))),
    ]
    let made = PreviewItems(entries, library: library)
    let items = try entries.indices.map { try made.make($0).item }
    let player = try QueuePlayer(items: items, opening: NullSink.opener())
    var controls = PreviewControls(player, made, isLooping: false)
    controls.setPlaying(false)
    return controls
  }

  @Test("an item has its words in its own time, also where its output writes none")
  func item() throws {
    let controls = try preview()
    #expect(controls.player.items.map(\.transcript.cues.count) == [3, 0])
    #expect(controls.player.items[0].transcript.cues.map(\.range) == talk.cues.map(\.range))
  }

  @Test("words are found behind the place, then again and back, and round at the ends")
  func find() throws {
    var controls = try preview()
    func go(_ command: PlayerCommand.WordsCommand) -> [String] {
      controls.perform(.words(command))
      return [controls.player.currentTime.clockText(decimals: 1), controls.message ?? ""]
    }
    #expect(
      go(.findAgain(by: 1)) == ["0:00.0", "no words were looked for yet: / asks for some"])
    #expect(go(.find("let us")) == ["0:01.2", "'let us' at 0:01.200, 1 of 3"])
    #expect(go(.findAgain(by: 1)) == ["0:02.5", "'let us' at 0:02.500, 2 of 3"])
    #expect(go(.findAgain(by: 1)) == ["0:03.0", "'let us' at 0:03.000, 3 of 3"])
    #expect(go(.findAgain(by: 1)) == ["0:01.2", "'let us' at 0:01.200, 1 of 3, from the start"])
    #expect(go(.findAgain(by: -1)) == ["0:03.0", "'let us' at 0:03.000, 3 of 3, from the end"])
    #expect(go(.findAgain(by: -1)) == ["0:02.5", "'let us' at 0:02.500, 2 of 3"])
    #expect(
      go(.find("begun")) == ["0:02.5", "'begun' is not said; the nearest is 'begin' at 0:01.600"])
  }

  @Test("cues are gone through, and the ends said")
  func cues() throws {
    var controls = try preview()
    func go(_ step: Int) -> String {
      controls.perform(.words(.cue(by: step)))
      return controls.message ?? controls.player.currentTime.clockText(decimals: 1)
    }
    #expect((0..<3).map { _ in go(1) } == ["0:01.0", "0:02.5", "0:03.0"])
    #expect(go(1) == "no cue begins after this place")
    #expect((0..<2).map { _ in go(-1) } == ["0:02.5", "0:01.0"])
    #expect(go(-1) == "no cue begins before this place")
  }

  @Test("what was found is marked with its words, and elsewhere the cue")
  func mark() throws {
    var controls = try preview()
    controls.perform(.words(.markFound))
    #expect(controls.message == "nothing is said here: w goes to the next cue")
    controls.perform(.words(.find("us begin")))
    controls.perform(.words(.markFound))
    #expect(
      controls.message == "us begin at 0:01.400 to 0:01.800; Enter names it")
    controls.perform(.seek(.to(tenths(26))))
    controls.perform(.mark)
    #expect(controls.message == "mark 2 at 0:02.600, Ben: Let us what?; Enter names it")
    // That was found long ago, and is not said here.
    controls.perform(.words(.find("us begin")))
    controls.perform(.seek(.to(tenths(26))))
    controls.perform(.words(.markFound))
    #expect(controls.marks.all.map(\.name) == ["us begin", "mark 2", "Let us what?"])
  }

  @Test("without a transcript the keys say so, and all else is as it was")
  func none() throws {
    var controls = try preview()
    controls.perform(.entry(.by(1)))
    let refusal = "'feelings.ogg' has no words: 'transcript' in its job names a file of them"
    for command: PlayerCommand.WordsCommand in [
      .find("a"), .findAgain(by: 1), .cue(by: 1), .markFound,
    ] {
      controls.perform(.words(command))
      #expect(controls.message == refusal)
    }
    controls.perform(.mark)
    #expect(controls.message?.hasPrefix("mark 1 at 0:00.000; Enter") == true)
  }
}
