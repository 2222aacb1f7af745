import Glibc
import MediaTime
import Terminal
import TestSupport
import Testing
import Transcripts

@testable import LiveScreens
@testable import Playback

/// Whole screens, as `Tests/Screens/preview-80x24.txt` has them, and its like for other sizes. With
/// `AVJOB_WRITE_SCREENS` set, these files are written, to be read before they are committed.
@Suite struct PreviewSceneTests {
  private static let scenes: [(name: String, model: PreviewModel)] = {
    let playing = scene()
    var paused = playing
    paused.state = .paused
    paused.time = Time(value: 590_373, timescale: 48_000)
    var marks = playing
    marks.marks = [0.1...0.1, 0.5...0.62, 0.99...0.99]
    marks.message = "mark 3 at 0:57.420; Enter names it"
    var loop = playing
    loop.loop = PreviewModel.Loop(
      start: PreviewScene.tenths(100), end: PreviewScene.tenths(205))
    loop.message = "loop from 0:10.000 to 0:20.500, 0:10.500 long; \\ clears it"
    var tour = playing
    tour.tour = (4, 12)
    var help = playing
    help.helpStart = 0
    var scrolled = help
    scrolled.helpStart = 12
    var tracks = playing
    tracks.tracks = (1...60).map {
      PreviewModel.Track(name: "Stück \($0)", isSolo: $0 == 41, meter: PreviewScene.meter(-12, -20))
    }
    (tracks.trackCursor, tracks.mode) = (41, .tracks("42"))
    var mistaken = marks
    mistaken.notice = "sonnets.yaml:12:3: unknown key 'fade_inn'; write 'fade_in'"
    var words = playing
    let text =
      "and so let us begin with what is heard here, and only then with what it may be good for"
    words.hasWords = true
    words.said = SaidCue(
      Cue(
        text, in: TimeRange(start: PreviewScene.tenths(120), duration: PreviewScene.tenths(60)),
        speaker: "Ann Lee",
        words: ["and so let us", "begin", "with what"].enumerated().map { index, text in
          Word(
            text,
            in: TimeRange(
              start: PreviewScene.tenths(118 + 4 * Int64(index)),
              duration: PreviewScene.tenths(4)))
        }), at: words.time)
    return [
      ("mistake", mistaken), ("playing", playing), ("paused", paused), ("list", list(playing, "")),
      ("list searched", list(playing, "in h")), ("marks", marks), ("loop", loop), ("joins", tour),
      ("tracks", tracks), ("help", help), ("help scrolled", scrolled), ("words", words),
    ]
  }()

  private static func scene() -> PreviewModel {
    var model = PreviewScene.podcast
    model.segments = ["feelings.ogg", "Lesung „Sonett“.mp3"]
    model.sources = ["jobs/sonnets.yaml:8", "jobs/sonnets.yaml:12"]
    model.chapterPlaces = [0, 0.2, 0.7]
    // Three quarters are known.
    let peaks = (0..<75).map { column -> Float in
      column == 37 ? 1 : Float(column % 19) * 60 / 18 - 60
    }
    model.overview = Overview(columns: 100, peaks: peaks)
    return model
  }

  private static func list(_ model: PreviewModel, _ text: String) -> PreviewModel {
    let rows = (0..<12).flatMap { entry -> [PreviewList.Row] in
      let isReady = entry < 10
      let name = "sonnets-\(entry + 1)" + (isReady ? "  0:58.0" : "  not ready")
      let row = PreviewList.Row(
        kind: .entry, entry: entry, number: entry + 1, time: isReady ? .zero : nil, text: name)
      guard entry == 1 else { return [row] }
      let range = TimeRange(start: PreviewScene.tenths(200), duration: .zero)
      let mark = PreviewMark(entry: 1, range: range, name: "too loud in here")
      return [
        row,
        PreviewList.Row(kind: .chapter, entry: 1, time: .zero, text: "Intro"),
        PreviewList.Row(
          kind: .chapter, entry: 1, time: PreviewScene.tenths(116), text: "Four lines"),
        PreviewList.Row(kind: .mark(mark), entry: 1, time: range.start, text: mark.name),
      ]
    }
    var model = model
    var list = PreviewList(rows, at: 1, model.time)
    list.find(text)
    (model.list, model.mode) = (list, .list(text))
    return model
  }

  private func screens(_ columns: Int, _ rows: Int) -> [(name: String, text: String)] {
    Self.scenes.flatMap { scene in
      [true, false].flatMap { isUnicode in
        [false, true].map { isColored in
          let terminal = TerminalTraits(
            columns: columns, rows: rows, isColored: isColored, isUnicode: isUnicode)
          let lines = PreviewScreen.lines(for: scene.model, on: terminal)
          let text = lines.map { $0.withoutBlanksAtEnd + "\n" }.joined()
          let kind = (isUnicode ? "UTF-8" : "ASCII") + (isColored ? ", coloured" : "")
          return ("\(scene.name), \(kind)", text.replacing("\u{1B}", with: "␛"))
        }
      }
    }
  }

  @Test(
    "screens are as their files have them, in every size, with and without UTF-8 and colour",
    arguments: [(20, 5), (40, 10), (80, 24), (200, 60)])
  func whole(columns: Int, rows: Int) throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "\(root)/Screens/preview-\(columns)x\(rows).txt"
    let screens = screens(columns, rows)
    if getenv("AVJOB_WRITE_SCREENS") != nil {
      let text = screens.map { "== \($0.name)\n\($0.text)" }.joined()
      return try writeFile(path, Array(text.utf8))
    }
    let parts = String(decoding: try readFile(path), as: UTF8.self)
      .split(separator: "== ", omittingEmptySubsequences: true)
    #expect(parts.count == screens.count)
    for (part, screen) in zip(parts, screens) {
      expect("\(screen.name)\n\(screen.text)", String(part))
    }
  }

  @Test("no line is wider than the window or too much for it, and without UTF-8 all is ASCII")
  func bounds() {
    for (name, model) in Self.scenes {
      for columns in [1, 2, 5, 12, 20, 33, 40, 57, 76, 80, 120, 200] {
        for rows in [1, 2, 3, 4, 5, 7, 9, 12, 24, 60] {
          let terminal = TerminalTraits(
            columns: columns, rows: rows, isColored: false, isUnicode: false)
          let lines = PreviewScreen.lines(for: model, on: terminal)
          #expect(lines.count <= max(1, rows - 1), "\(name) \(columns)×\(rows)")
          for line in lines {
            #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)")
            #expect(line.utf8.count < max(2, columns), "\(name) \(columns)×\(rows): \(line)")
          }
        }
      }
    }
  }

  @Test("a terminal that is drawn on from scene to scene shows the last one alone")
  func redrawn() {
    let traits = TerminalTraits(columns: 80, rows: 24, isColored: true)
    var (terminal, drawing) = (LiteralTerminal(columns: 80, rows: 24), Drawing())
    for (_, model) in Self.scenes {
      let lines = PreviewScreen.lines(for: model, on: traits)
      terminal.feed(drawing.draw(lines, at: .now, on: traits))
      let plain = lines.map {
        $0.replacing(/\u{1B}\[[0-9;]*m/, with: "").withoutBlanksAtEnd
      }
      #expect(terminal.text == (plain + [""]).joined(separator: "\n"))
    }
  }
}

extension String {
  fileprivate var withoutBlanksAtEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
