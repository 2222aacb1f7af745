import MediaTime
import Terminal
import Testing

@testable import Playback
@testable import LiveScreens

/// A screen in the middle of an entry.
enum PreviewScene {
  static func tenths(_ value: Int64) -> Time { Time(value: value, timescale: 10) }

  static func meter(_ peak: Double, _ average: Double) -> LevelMeter {
    var meter = LevelMeter()
    meter.show(LevelReading(peakPower: peak, averagePower: average), after: 0.07)
    return meter
  }

  static var podcast: PreviewModel {
    var model = PreviewModel()
    model.title = "sonnets-01"
    (model.entry, model.entryCount) = (2, 3)
    (model.time, model.duration) = (tenths(123), tenths(580))
    model.hasChapters = true
    model.chapter = "Four lines"
    model.segments = ["feelings.ogg", "librivox-sonnet.mp3"]
    model.tracks = [
      PreviewModel.Track(name: "music", isMuted: true),
      PreviewModel.Track(name: "voice", meter: meter(-12.04, -20)),
    ]
    model.channels = [
      PreviewModel.Channel(name: "left", meter: meter(-6, -15)),
      PreviewModel.Channel(name: "right", meter: meter(0.3, -15)),
    ]
    model.loudness = LoudnessReading(
      momentary: -17.3, shortTerm: -18, integrated: nil, truePeak: 1.0483)
    model.device = PreviewModel.Device(
      name: "default", format: "48 kHz stereo, 16 bits", bufferedMilliseconds: 213, xruns: 1)
    return model
  }
}

@Suite struct PreviewScreenTests {
  private func tenths(_ value: Int64) -> Time { PreviewScene.tenths(value) }

  private let podcast = PreviewScene.podcast

  private func screen(_ model: PreviewModel, _ columns: Int, _ rows: Int = 24) -> String {
    let terminal = TerminalTraits(columns: columns, rows: rows, isColored: false)
    let lines = PreviewScreen.lines(for: model, on: terminal)
    for line in lines { #expect(line.columns < columns, "\(line)") }
    #expect(lines.count < max(2, rows))
    return lines.map { $0.trimmed }.joined(separator: "\n")
  }

  @Test("a screen of 80 columns has everything")
  func wide() {
    #expect(
      screen(podcast, 80) == """
        playing  sonnets-01                                                      2 of 3
        0:12.3  ━━━━━━━━━━━━━──────────────────────────────────────────────────  0:58.0
        Four lines: feelings.ogg, librivox-sonnet.mp3
        1 M  music  ───────────────────────────────────────────────────
        2    voice  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━──────│──────────  -12.0 dB
        left        ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━───────│─────   -6.0 dB
        right       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━────────────│    0.3 dB  OVER
        M -17.3  S -18.0  I     - LUFS   true peak   0.4 dB  OVER
        default: 48 kHz stereo, 16 bits   213 ms buffered   1 xrun
        space pause   arrows 5 s   g 1:23   n p chapters   + - volume   ? help   q quit
        """)
  }

  @Test("gain reduction has a line where something can lower the sound")
  func reductions() {
    var model = podcast
    var duck = PreviewModel.Reduction(name: "music duck")
    duck.show(-12, after: 0.04)
    var limiter = PreviewModel.Reduction(name: "limiter")
    limiter.show(-1.44, after: 0.04)
    model.reductions = [duck, PreviewModel.Reduction(name: "voice compressor"), limiter]
    let lines = screen(model, 80).split(separator: "\n")
    #expect(
      lines[7] == "reduction  music duck -12.0 dB  voice compressor   0.0 dB  limiter  -1.4 dB")
    #expect(lines.count == screen(podcast, 80).split(separator: "\n").count + 1)
    #expect(
      screen(model, 40).contains(
        """
        reduction  music duck -12.0 dB
                   voice compressor   0.0 dB
                   limiter  -1.4 dB
        """))
    #expect(screen(model, 26).contains("reduction  m…uck -12.0 dB"))
    // In a low window, one after the other is left out, and then the loudness.
    #expect(
      screen(model, 60, 8).hasSuffix(
        """
        reduction  music duck -12.0 dB  voice compressor   0.0 dB
                   limiter  -1.4 dB
        M -17.3  S -18.0  I     - LUFS  OVER
        """))
    #expect(!screen(model, 60, 7).contains("limiter"))
    #expect(screen(model, 60, 7).contains("reduction"))
    #expect(!screen(model, 60, 6).contains("reduction"))
    #expect(screen(model, 60, 6).contains("LUFS"))
    for columns in 1..<40 { _ = screen(model, columns) }
    model.reductions[0].name = "a\u{1B}[2J"
    #expect(!screen(model, 80).unicodeScalars.contains { $0.value == 0x1B })
  }

  @Test("what was set is shown beside the title")
  func settings() {
    var model = podcast
    model.state = .paused
    (model.rate, model.volume, model.pan) = (120, -6, -20)
    #expect(
      screen(model, 80).split(separator: "\n")[0]
        == "paused  sonnets-01               at 0:12.300000  2 of 3  1.2×  -6 dB  left 20 %")
    model.state = .playing
    model.loop = PreviewModel.Loop(start: tenths(50), end: tenths(100))
    #expect(
      screen(model, 80).split(separator: "\n")[0]
        == "playing  sonnets-01        2 of 3  1.2×  -6 dB  left 20 %  loop 0:05.0 … 0:10.0")
    (model.loop, model.isLooping) = (nil, true)
    #expect(
      screen(model, 80).split(separator: "\n")[0]
        == "playing  sonnets-01                        2 of 3  1.2×  -6 dB  left 20 %  loop")
    model.loop = PreviewModel.Loop(start: tenths(50))
    #expect(
      screen(model, 40).split(separator: "\n")[0] == "playing  sonnets-01        2 of 3  1.2×")
  }

  @Test("the time line shows what is here, and the first word how far a wait is")
  func buffering() {
    var model = podcast
    model.state = .buffering(share: 0.459)
    model.loaded = [
      TimeRange(start: .zero, end: tenths(290)), TimeRange(start: tenths(500), end: tenths(580)),
    ]
    #expect(
      screen(model, 80).hasPrefix(
        """
        buffering 45 %  sonnets-01                                               2 of 3
        0:12.3  ━━━━━━━━━━━━━──────────────────························────────  0:58.0

        """))
    #expect(
      screen(model, 40).hasPrefix(
        """
        buffering 45 %  sonnets-01       2 of 3
        0:12.3  ━━━━───────·········───  0:58.0

        """))
    model.state = .buffering(share: nil)
    model.loaded = []
    model.time = .zero
    #expect(
      screen(model, 80).hasPrefix(
        """
        buffering  sonnets-01                                                    2 of 3
        0:00.0  ·······························································  0:58.0

        """))
    model.duration = .zero
    for columns in 1..<40 { _ = screen(model, columns) }
  }

  @Test("on a narrow screen the bars are short, and nothing is wider than the window")
  func narrow() {
    #expect(
      screen(podcast, 40) == """
        playing  sonnets-01              2 of 3
        0:12.3  ━━━━───────────────────  0:58.0
        Four lines: feeling…librivox-sonnet.mp3
        1 M  music  ───────────
        2    voice  ━━━━━━━─│──  -12.0 dB
        left        ━━━━━━━━─│─   -6.0 dB
        right       ━━━━━━━━──│    0.3 dB  OVER
        M -17.3  S -18.0  I     - LUFS  OVER
        default: 4…o, 16 bits   213 ms   1 xrun
        space pause   ? help   q quit
        """)
    for columns in 1..<40 { _ = screen(podcast, columns) }
  }

  @Test("on a low screen what is missed least is left out first")
  func low() {
    #expect(
      screen(podcast, 60, 8) == """
        playing  sonnets-01                                  2 of 3
        0:12.3  ━━━━━━━━━──────────────────────────────────  0:58.0
        Four lines: feelings.ogg, librivox-sonnet.mp3
        1 M  music  ───────────────────────────────
        left        ━━━━━━━━━━━━━━━━━━━━━━━────│───   -6.0 dB
        right       ━━━━━━━━━━━━━━━━━━━━━━━───────│    0.3 dB  OVER
        M -17.3  S -18.0  I     - LUFS  OVER
        """)
    #expect(
      screen(podcast, 60, 4) == """
        playing  sonnets-01                                  2 of 3
        0:12.3  ━━━━━━━━━──────────────────────────────────  0:58.0
        left        ━━━━━━━━━━━━━━━━━━━━━━━────│───   -6.0 dB
        """)
    #expect(screen(podcast, 60, 2) == "0:12.3  ━━━━━━━━━──────────────────────────────────  0:58.0")
    #expect(screen(podcast, 60, 1) == screen(podcast, 60, 2))
  }

  @Test("of more tracks than there is room for, some are shown")
  func manyTracks() {
    var model = podcast
    model.tracks = (1...40).map { PreviewModel.Track(name: "part \($0)") }
    let lines = screen(model, 60, 14).split(separator: "\n")
    #expect(lines.count == 13)
    #expect(lines[3].hasPrefix("1    part 1"))
    #expect(lines.contains("34 more tracks: t shows them"))
    model.trackCursor = 20
    let moved = screen(model, 60, 14).split(separator: "\n")
    #expect(moved.count == 13)
    #expect(moved.contains { $0.hasPrefix("21  > part 21") })
    #expect(moved.contains("tracks 18 to 23 of 40"))
    // The cursor is seen wherever it is, and however low the window is.
    for rows in 8..<40 {
      for cursor in 0..<40 {
        model.trackCursor = cursor
        #expect(screen(model, 60, rows).contains("> part \(cursor + 1)"))
      }
    }
  }

  @Test("what is typed, and what there is to say, have a line")
  func message() {
    var model = podcast
    func line(_ mode: PreviewKeys.Mode) -> Substring? {
      model.mode = mode
      return screen(model, 60).split(separator: "\n").dropLast().last
    }
    model.message = "there is no track 7"
    #expect(line(.commands) == "there is no track 7")
    #expect(line(.time("1:2")) == "go to: 1:2_")
    #expect(line(.name("the end")) == "name of the last mark: the end_")
    #expect(line(.solo) == "alone: the number of a track")
    #expect(line(.list("son")) == "find: son_")
    #expect(line(.list("")) == "there is no track 7")
    model.message = nil
    #expect(line(.list("")) == "find: _")
  }

  @Test("without a keyboard no keys are named")
  func hints() {
    var model = podcast
    model.hasKeys = false
    #expect(
      screen(model, 80) + "\n"
        + "space pause   arrows 5 s   g 1:23   n p chapters   + - volume   ? help   q quit"
        == screen(podcast, 80))
  }

  @Test("the names have the lines of the job at their end, each file once")
  func sources() {
    var model = podcast
    model.sources = ["a.yaml:3", "a.yaml:12", "a.yaml:3", "b.yaml:4"]
    func names(_ width: Int) -> Substring { screen(model, width).split(separator: "\n")[2] }
    #expect(
      names(80)
        == "Four lines: feelings.ogg, librivox-sonnet.mp3            a.yaml:3 :12  b.yaml:4")
    #expect(names(50) == "Four lines: …x-sonnet.mp3  a.yaml:3 :12  b.yaml:4")
    // The names come first where there is no room for both.
    #expect(names(30) == "Four lines: fe…vox-sonnet.mp3")
    model.segments = []
    model.chapter = nil
    #expect(names(80).hasSuffix("a.yaml:3 :12  b.yaml:4"))
  }

  @Test("names give a terminal no orders")
  func hostileNames() {
    var model = podcast
    model.title = "a\u{1B}[2Jb"
    model.chapter = "c\u{9B}d\n"
    model.tracks[0].name = "\u{202E}evil"
    model.device.name = "x\u{07}"
    for line in PreviewScreen.lines(
      for: model, on: TerminalTraits(columns: 80, rows: 24, isColored: false))
    {
      #expect(
        !line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x9B || $0.value == 0x202E })
    }
  }

  @Test("colours change no width, and mark what is over full scale")
  func colours() {
    let plain = PreviewScreen.lines(
      for: podcast, on: TerminalTraits(columns: 80, rows: 24, isColored: false))
    let colored = PreviewScreen.lines(
      for: podcast, on: TerminalTraits(columns: 80, rows: 24, isColored: true))
    #expect(colored.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") } == plain)
    #expect(colored.contains { $0.contains("\u{1B}[31mOVER\u{1B}[0m") })
  }
}

@Suite struct LevelMeterTests {
  @Test("a meter rises at once, falls by 20 dB a second, and holds its peak for a while")
  func ballistics() {
    var meter = LevelMeter()
    meter.show(LevelReading(peakPower: -3, averagePower: -10), after: 0.05)
    #expect((meter.peak, meter.average, meter.held) == (-3, -10, -3))
    meter.show(nil, after: 0.5)
    #expect((meter.peak, meter.average, meter.held) == (-13, -20, -3))
    meter.show(LevelReading(peakPower: -8, averagePower: -30), after: 0.5)
    #expect((meter.peak, meter.average, meter.held) == (-8, -30, -3))
    meter.show(nil, after: 1)
    #expect((meter.peak, meter.average, meter.held) == (-28, -50, -28))
    for _ in 0..<20 { meter.show(nil, after: 1) }
    #expect(meter.peak == LevelReading.silence)
  }

  @Test("a reduction is shown at once, and goes by 20 dB a second")
  func reduction() {
    var reduction = PreviewModel.Reduction(name: "duck")
    var shown: [Double] = []
    for gain in [-12, -3, nil, -6, nil, nil, 0] as [Double?] {
      reduction.show(gain, after: 0.25)
      shown.append(reduction.gain)
    }
    #expect(shown == [-12, -7, -2, -6, -1, 0, 0])
  }

  @Test("over full scale stays marked until it is cleared")
  func over() {
    var meter = LevelMeter()
    meter.show(LevelReading(peakPower: 0, averagePower: -3), after: 0.05)
    #expect(!meter.isOver)
    meter.show(LevelReading(peakPower: 0.01, averagePower: -3), after: 0.05)
    meter.show(nil, after: 10)
    #expect(meter.isOver)
    meter.clear()
    #expect(!meter.isOver)
    // Between samples, too.
    meter.show(LevelReading(peakPower: -1, averagePower: -3), truePeak: 1, after: 0.05)
    #expect(!meter.isOver)
    meter.show(LevelReading(peakPower: -1, averagePower: -3), truePeak: 1.001, after: 0.05)
    #expect(meter.isOver)
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
