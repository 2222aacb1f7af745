import MediaTime
import Terminal
import Testing

@testable import LiveScreens

/// The picture on the screen of a preview.
@Suite struct PreviewPictureTests {
  /// Black but for its first pixel, which is white.
  private func model() throws -> PreviewModel {
    var model = PreviewScene.podcast
    let pixels = [255, 255, 255] + [UInt8](repeating: 0, count: (32 * 18 - 1) * 3)
    let picture = try #require(TerminalPicture(width: 32, height: 18, pixels: pixels))
    model.picture = PreviewPictures.Shown(1, picture)
    return model
  }

  private func drawn(
    _ model: PreviewModel, _ columns: Int, _ rows: Int, by way: PictureProtocol? = .blocks
  ) -> PreviewScreen.Drawn {
    let terminal = TerminalTraits(
      columns: columns, rows: rows, isColored: false, pictures: way)
    return PreviewScreen.drawn(for: model, on: terminal)
  }

  @Test("a picture stands between the time and the tracks, where there is room")
  func place() throws {
    let model = try model()
    let plain = drawn(model, 80, 24, by: nil)
    #expect(plain.room == nil && plain.picture == nil)
    let whole = drawn(model, 80, 24)
    #expect(whole.room == .init(columns: 79, rows: 11))
    #expect(whole.picture == .init(columns: 39, rows: 11))
    #expect(whole.lines[..<3] + whole.lines[14...] == plain.lines[...])
    // A pixel of the picture fills more than a cell.
    let white = "\u{1B}[38;2;255;255;255m\u{1B}[48;2;255;255;255m"
    let dark = "\u{1B}[38;2;0;0;0m\u{1B}[48;2;0;0;0m"
    #expect(
      whole.lines[3] == white + "▀▀" + dark + String(repeating: "▀", count: 37) + "\u{1B}[0m")
    #expect(whole.lines[13] == dark + String(repeating: "▀", count: 39) + "\u{1B}[0m")
    #expect(drawn(model, 80, 24, by: .kitty).lines[3].hasPrefix("\u{1B}[38;5;201m"))
  }

  @Test("a message leaves the picture as it is")
  func message() throws {
    var model = try model()
    let before = drawn(model, 80, 24)
    model.message = "the loop is cleared"
    #expect(drawn(model, 80, 24).picture == before.picture)
    model.notice = "sonnets.yaml:12:3: unknown key 'fade_inn'; write 'fade_in'"
    #expect(drawn(model, 80, 24).picture == before.picture)
    #expect(drawn(model, 80, 24).lines.count == 23)
  }

  @Test("in a low or narrow window, and beside a list or the help, there is none")
  func room() throws {
    var model = try model()
    #expect(drawn(model, 80, 19).picture?.rows == 6)
    #expect(drawn(model, 80, 18).room == nil)
    #expect(drawn(model, 40, 24).picture?.columns == 39)
    #expect(drawn(model, 39, 24).room == nil)
    #expect(drawn(model, 200, 200).picture?.rows == 24)
    model.helpStart = 0
    #expect(drawn(model, 200, 200).room == nil)
  }

  @Test("in a pause the title has the number of the picture")
  func number() {
    var model = PreviewScene.podcast
    (model.state, model.frame) = (.paused, 307)
    #expect(
      drawn(model, 80, 24).lines[0]
        == "paused  sonnets-01                            at 0:12.300000  frame 307  2 of 3")
  }

  @Test("marks have the numbers of their pictures beside their times")
  func marks() {
    var marks = PreviewMarks()
    let start = Time(value: 5, timescale: 1)
    _ = marks.add(TimeRange(start: start, duration: .zero), of: 0, showing: "frame 125")
    _ = marks.add(
      TimeRange(start: start, duration: start), of: 0, showing: "frames 125 to 250")
    #expect(
      marks.labels(of: 0, withNotes: true) == """
        5.000000\t5.000000\tmark 1 (frame 125)
        5.000000\t10.000000\tmark 2 (frames 125 to 250)

        """)
    #expect(
      marks.snippet(of: 0, named: "talk") == """
        # Marks of "talk", in its time as 'avjob preview' plays it.
        chapters:
          5s: "mark 1"  # frame 125
        cut:
          - 5s..10s  # "mark 2", frames 125 to 250

        """)
  }
}
