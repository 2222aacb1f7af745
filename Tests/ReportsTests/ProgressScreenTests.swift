import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import RunPlan
import Terminal
import Testing
import WorkerPool

@testable import Reports

/// A screen, a clock that tests move, and everything that was written.
private final class Stage {
  private let start = ContinuousClock.now
  private var elapsed = Duration.zero
  private var screen: ProgressScreen
  private let work: [Work]
  private var tally: RunTally
  private let pieces: Pieces

  private final class Pieces {
    var texts: [String] = []
    var terminal: TerminalTraits?
    var transfer = MediaNetwork.Transfer(receivedBytes: 0, remainingBytes: 0)
  }

  init(
    _ names: [String], estimates: [Duration] = [], isVerbose: Bool = false,
    terminal: TerminalTraits? = nil
  ) {
    let pieces = Pieces()
    pieces.terminal = terminal
    self.pieces = pieces
    work = names.enumerated().map { index, name in
      .sample(name, estimate: estimates.isEmpty ? .zero : estimates[index])
    }
    tally = RunTally(work, in: SourceMap())
    screen = ProgressScreen(
      jobCount: names.count, isVerbose: isVerbose,
      // Not that of this process, in which other tests fetch.
      transfer: { pieces.transfer },
      terminal: { pieces.terminal }, write: { pieces.texts.append($0) })
  }

  /// What was written since the last time, escape sequences spelled out.
  func written() -> String {
    defer { pieces.texts = [] }
    return pieces.texts.joined().split(separator: "\u{1B}", omittingEmptySubsequences: false)
      .joined(separator: "<ESC>")
  }

  func fetched(_ received: Int64, remaining: Int64) {
    pieces.transfer = MediaNetwork.Transfer(receivedBytes: received, remainingBytes: remaining)
  }

  func refresh() { screen.refresh(tally, at: start.advanced(by: elapsed)) }

  func resize(_ terminal: TerminalTraits) { pieces.terminal = terminal }

  @discardableResult
  func after(_ duration: Duration) -> Stage {
    elapsed += duration
    return self
  }

  @discardableResult
  func job(_ job: Int, _ kind: PoolEvent.Kind) -> Stage {
    let now = start.advanced(by: elapsed)
    let event = RunEvent(job: job, kind, at: now, of: work)
    screen.show(event, ended: tally.apply(event), tally, at: now)
    return self
  }

  @discardableResult
  func progress(_ number: Int, _ completed: Int64, of total: Int64) -> Stage {
    job(
      number,
      .progress(
        JobProgress(
          completed: Time(value: completed, timescale: 1), total: Time(value: total, timescale: 1))
      ))
  }

  func print(_ text: String) { screen.print(text, tally, at: start.advanced(by: elapsed)) }
  func close() { screen.close() }
}

@Suite struct TerminalScreenTests {
  let wide = TerminalTraits(columns: 80, rows: 24, isColored: false)

  @Test("A single job is one line that is drawn over itself and taken away at the end")
  func single() {
    let stage = Stage(["episode-42"], terminal: wide)
    stage.job(0, .started)
    #expect(
      stage.written() == "\r"
        + "episode-42  ────────────────────   0 %<ESC>[K\n<ESC>[J")
    stage.after(.seconds(10)).progress(0, 900, of: 1800)
    #expect(
      stage.written()
        == "<ESC>[1A\r"
        + "episode-42  ━━━━━━━━━━──────────  50 %   90.0×    0:10 left<ESC>[K\n<ESC>[J")
    stage.close()
    #expect(stage.written() == "<ESC>[1A\r<ESC>[J")
    stage.close()
    #expect(stage.written() == "")
  }

  @Test("bytes on their way have a line of their own, also while no job has an event")
  func fetching() {
    let stage = Stage(["episode-42"], terminal: wide)
    let job = "episode-42  ────────────────────   0 %<ESC>[K\n"
    stage.job(0, .started).after(.seconds(1)).refresh()
    _ = stage.written()
    stage.fetched(0, remaining: 30_000_000)
    stage.after(.seconds(1)).refresh()
    #expect(
      stage.written() == "<ESC>[1A\r" + job + "fetching 0 B of 30 MB<ESC>[K\n<ESC>[J")
    stage.fetched(10_000_000, remaining: 20_000_000)
    stage.after(.seconds(2)).refresh()
    #expect(
      stage.written() == "<ESC>[2A\r" + job
        + "fetching 10 MB of 30 MB, 2.5 MB/s, 0:08 left<ESC>[K\n<ESC>[J")
    stage.fetched(30_000_000, remaining: 0)
    stage.after(.seconds(2)).refresh()
    #expect(stage.written() == "")
    stage.after(.seconds(1)).progress(0, 0, of: 1800)
    #expect(stage.written().hasSuffix(job + "<ESC>[J"))
  }

  @Test("Several jobs: a line for each that runs, and one for the whole")
  func several() {
    let stage = Stage(["one", "zwei-lang", "три", "four"], terminal: wide)
    stage.job(0, .started).job(1, .started).after(.seconds(2)).job(2, .started)
    _ = stage.written()
    stage.after(.seconds(1)).job(0, .finished([], reason: nil)).after(.seconds(1)).job(
      1, .failed(Failure(.mendJob, "x")))
    _ = stage.written()
    stage.after(.seconds(1)).progress(2, 1, of: 3)
    #expect(
      stage.written()
        == "<ESC>[2A\r"
        + "три  ━━━━━━──────────────  33 %    0.3×    0:06 left<ESC>[K\n"
        + "1 of 4 done, 1 failed, 1 running, 44 %, 0:07 left<ESC>[K\n<ESC>[J")
    stage.after(.seconds(1)).job(2, .cancelled)
    #expect(
      stage.written()
        == "<ESC>[2A\r<ESC>[2K1 of 4 done, 1 failed, 1 cancelled, 50 %, 0:06 left<ESC>[K\n<ESC>[J")
  }

  @Test("The line of the whole run counts everything, and goes by the estimates of the work")
  func whole() {
    let stage = Stage(
      (1...6).map { "job-\($0)" }, estimates: [10, 20, 30, 40, 50, 60].map { .seconds($0) },
      terminal: wide)
    func summary() -> String? {
      stage.written().split(separator: "\n").dropLast().last.map { String($0) }
    }
    stage.job(0, .started).job(0, .upToDate).job(1, .started).job(2, .started)
    stage.after(.seconds(1)).job(4, .blocked(by: 3))
    #expect(
      summary() == "0 of 6 done, 1 up to date, 1 blocked, 2 running, 0 %<ESC>[K")
    // 20 and half of 30, of all that was or will be done: 20, 30, 40 and 60.
    stage.job(1, .finished([], reason: nil)).after(.seconds(6)).progress(2, 1, of: 2)
    #expect(
      summary()
        == "1 of 6 done, 1 up to date, 1 blocked, 1 running, 23 %, 0:23 left<ESC>[K")
    // A second attempt begins at its start.
    stage.after(.seconds(1)).job(
      2, .retrying(Failure(.tryAgain, "in use"), after: .seconds(1)))
    #expect(
      summary()
        == "1 of 6 done, 1 up to date, 1 blocked, 1 running, 13 %, 0:52 left<ESC>[K")
  }

  @Test("Where the window is too narrow for the whole line, its end is left out")
  func narrowSummary() {
    let stage = Stage(
      ["a", "b"], terminal: TerminalTraits(columns: 24, rows: 24, isColored: false))
    stage.job(0, .started).after(.seconds(1)).job(1, .started)
    #expect(stage.written().hasSuffix("\n0 of 2 done, 2 running<ESC>[K\n<ESC>[J"))
  }

  @Test("Jobs that are up to date come and go without a line, and without a drawing for each")
  func upToDate() {
    let stage = Stage((0..<1000).map { "job-\($0)" }, terminal: wide)
    for job in 0..<1000 { stage.job(job, .started).job(job, .upToDate) }
    #expect(stage.written().split(separator: "\r").count == 1)
    let log = Stage((0..<1000).map { "job-\($0)" })
    for job in 0..<1000 { log.job(job, .started).job(job, .upToDate) }
    #expect(log.written() == "")
  }

  @Test("With --verbose starts and ends stay above the moving lines, and so does why a job ran")
  func verbose() {
    let stage = Stage(["a", "b"], isVerbose: true, terminal: wide)
    stage.job(0, .started).after(.seconds(1))
    _ = stage.written()
    stage.progress(0, 1, of: 2)
    #expect(stage.written().hasPrefix("<ESC>[2A\r<ESC>[Ja: started\n\ra  ━"))
    stage.after(.seconds(1)).job(0, .finished([], reason: "'a.wav' has changed"))
    #expect(
      stage.written()
        == "<ESC>[2A\r<ESC>[Ja: 'a.wav' has changed\na: done in 2.00 s, 1.0× real time\n"
        + "\r1 of 2 done, 50 %, 0:02 left<ESC>[K\n<ESC>[J")
    stage.job(1, .started).after(.seconds(1))
    _ = stage.written()
    stage.job(1, .upToDate)
    #expect(stage.written().contains("<ESC>[Jb: up to date\n"))
  }

  @Test("It is drawn at most ten times a second")
  func throttled() {
    let stage = Stage(["a"], terminal: wide)
    stage.job(0, .started)
    _ = stage.written()
    var drawings = 0
    for step in 1...1000 {
      stage.after(.milliseconds(1)).progress(0, Int64(step), of: 1000)
      if !stage.written().isEmpty { drawings += 1 }
    }
    #expect(drawings == 10)
  }

  @Test("Text that stays is put above the moving lines")
  func printing() {
    let stage = Stage(["a", "b"], terminal: wide)
    stage.print("before anything moves")
    #expect(stage.written() == "before anything moves\n\r0 of 2 done<ESC>[K\n<ESC>[J")
    stage.print("jobs.yaml:3:5: warning: clipped")
    #expect(
      stage.written()
        == "<ESC>[1A\r<ESC>[Jjobs.yaml:3:5: warning: clipped\n\r0 of 2 done<ESC>[K\n<ESC>[J")
  }

  @Test("Narrow windows lose the bar first, then the figures, then the middle of the name")
  func narrow() {
    let name = "interview-with-the-guest-part-2"
    func line(_ columns: Int) -> String {
      let stage = Stage(
        [name], terminal: TerminalTraits(columns: columns, rows: 24, isColored: false))
      stage.job(0, .started)
      _ = stage.written()
      stage.after(.seconds(10)).progress(0, 842, of: 1684)
      return String(
        stage.written().dropFirst("<ESC>[1A\r".count).dropLast("<ESC>[K\n<ESC>[J".count))
    }
    #expect(
      [100, 75, 65, 55, 40, 20, 10, 5, 1].map(line) == [
        "interview-with-the-guest-part-2  ━━━━━━━━━━──────────  50 %   84.2×    0:10 left",
        "interview-wi…guest-part-2  ━━━━━━━━━━──────────  50 %   84.2×    0:10 left",
        "interview-wi…guest-part-2  ━━━━━─────  50 %   84.2×    0:10 left",
        "interview-wit…-guest-part-2  50 %   84.2×    0:10 left",
        "interview-with-the-guest-part-2  50 %",
        "interv…part-2  50 %",
        "i…2  50 %",
        "  …%",
        "",
      ])
    for columns in 1...120 { #expect(line(columns).columns < columns) }
  }

  @Test("Names are as wide as they look, and give no orders")
  func strangeNames() {
    let stage = Stage(["音声", "a\u{1B}[2Jb\n"], terminal: wide)
    stage.job(0, .started).after(.seconds(1)).job(1, .started)
    #expect(
      stage.written().split(separator: "\r").last.map(String.init)
        == "音声     ────────────────────   0 %<ESC>[K\n"
        + "a�[2Jb�  ────────────────────   0 %<ESC>[K\n"
        + "0 of 2 done, 2 running, 0 %<ESC>[K\n<ESC>[J")
  }

  @Test("No more lines than the window has rows")
  func lowWindow() {
    let stage = Stage(
      (1...6).map { "job-\($0)" }, terminal: TerminalTraits(columns: 80, rows: 4, isColored: false))
    for job in 0..<6 { stage.after(.seconds(1)).job(job, .started) }
    #expect(
      stage.written().split(separator: "\r").last.map(String.init)
        == "job-1  ────────────────────   0 %<ESC>[K\n"
        + "job-2  ────────────────────   0 %<ESC>[K\n"
        + "0 of 6 done, 6 running, 0 %, 4 not shown<ESC>[K\n<ESC>[J")
  }

  @Test("Colour is for the bar, and only where the terminal is said to have it")
  func color() {
    let stage = Stage(["a"], terminal: TerminalTraits(columns: 80, rows: 24, isColored: true))
    stage.job(0, .started)
    _ = stage.written()
    stage.after(.seconds(1)).progress(0, 3, of: 4)
    #expect(
      stage.written()
        == "<ESC>[1A\r"
        + "a  <ESC>[36m━━━━━━━━━━━━━━━<ESC>[0;2m─────<ESC>[0m  75 %    3.0×    0:01 left<ESC>[K\n"
        + "<ESC>[J")
  }

  @Test("Without UTF-8 the screen is ASCII")
  func ascii() {
    let stage = Stage(
      ["Gr\u{FC}n"],
      terminal: TerminalTraits(columns: 80, rows: 24, isColored: false, isUnicode: false))
    stage.job(0, .started)
    _ = stage.written()
    stage.after(.seconds(1)).progress(0, 3, of: 4)
    #expect(
      stage.written()
        == "<ESC>[1A\rGr?n  ===============-----  75 %    3.0x    0:01 left<ESC>[K\n<ESC>[J")
  }

  @Test("Impossible progress is shown as the nearest possible one")
  func impossible() {
    let stage = Stage(["a"], terminal: wide)
    stage.job(0, .started)
    for (completed, total) in [(5, 4), (-1, 4), (1, 0)] as [(Int64, Int64)] {
      stage.after(.seconds(1)).progress(0, completed, of: total)
    }
    let percents = stage.written().split(separator: "%").dropLast().map { $0.suffix(4) }
    #expect(percents == ["  0 ", "100 ", "  0 ", "  0 "])
  }
}

@Suite struct ProgressLogTests {
  @Test("Without a terminal: plain lines for starts, ends and wide steps, no escape sequences")
  func plain() {
    let stage = Stage(["episode-42", "teaser", "broken"])
    stage.job(0, .started)
    // 1 % a second: a line after each 10 s.
    for step in 1...25 { stage.after(.seconds(1)).progress(0, Int64(step) * 18, of: 1800) }
    stage.job(1, .started)
    // 50 % in a second: none before 10 s are over.
    stage.after(.seconds(1)).progress(1, 50, of: 100)
    stage.after(.seconds(1)).job(1, .finished([], reason: nil))
    stage.job(2, .started)
    stage.print("jobs.yaml:9:3: error: no such file")
    stage.job(2, .failed(Failure(.mendJob, "no such file")))
    stage.after(.seconds(72)).job(0, .cancelled)
    #expect(
      stage.written() == """
        episode-42: started
        episode-42: 10 %, 18.0× real time, 1:30 left
        episode-42: 20 %, 18.0× real time, 1:20 left
        teaser: started
        teaser: done in 2.00 s, 50.0× real time
        jobs.yaml:9:3: error: no such file
        broken: failed after 0.00 s
        episode-42: cancelled after 1:39

        """)
    stage.close()
    #expect(stage.written() == "")
  }

  @Test("Of a run of many jobs the whole is told every 10 s, and what went wrong at once")
  func many() {
    let stage = Stage((0..<100).map { "job-\($0)" })
    for job in 0..<60 {
      stage.job(job, .started).progress(job, 1, of: 2).after(.milliseconds(500))
      if job == 7 {
        stage.print("jobs.yaml:9:3: error: no such file")
        stage.job(job, .failed(Failure(.mendInput, "no such file")))
      } else {
        stage.job(job, .finished([], reason: nil))
      }
    }
    stage.job(60, .blocked(by: 7))
    #expect(
      stage.written() == """
        jobs.yaml:9:3: error: no such file
        job-7: failed after 0.50 s
        19 of 100 done, 1 failed, 19 %, 0:43 left
        39 of 100 done, 1 failed, 39 %, 0:31 left
        59 of 100 done, 1 failed, 59 %, 0:21 left
        job-60: blocked, since 'job-7' is not done

        """)
  }

  @Test("A slow job is mentioned every 10 %, not every 10 s")
  func slow() {
    let stage = Stage(["slow"])
    stage.job(0, .started)
    for step in 1...20 { stage.after(.seconds(60)).progress(0, Int64(step), of: 100) }
    #expect(
      stage.written() == """
        slow: started
        slow: 10 %, 0.0× real time, 1:30:00 left
        slow: 20 %, 0.0× real time, 1:20:00 left

        """)
  }
}
