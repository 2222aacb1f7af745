import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import RunPlan
import SystemPackage
import Terminal
import Testing

@testable import Reports

@Suite struct OutputTableTests {
  private struct Made {
    var format: Output.Format
    var written: WrittenOutput
    var elapsed: Duration
  }

  private let episode = Made(
    format: .mp3(.standard),
    written: .sample("out/episode-42.mp3", bytes: 58_200_000, frames: 3723 * 44_100),
    elapsed: .seconds(44))
  private let teaser = Made(
    format: .flac(bitDepth: 16),
    written: .sample(
      "out/ティーザー.flac", bytes: 812_300, frames: 216_000, rate: 48_000, channels: 1),
    elapsed: .milliseconds(500))

  private func table(_ made: [Made], in elapsed: Duration, columns: Int? = nil) -> String {
    let start = ContinuousClock.now
    let work = made.map {
      Work.sample("job", outputs: [Output(path: $0.written.path, format: $0.format)])
    }
    var tally = RunTally(work, in: SourceMap())
    for (job, made) in made.enumerated() {
      tally.apply(RunEvent(job: job, .started, at: start))
      tally.apply(
        RunEvent(
          job: job, .finished([made.written], reason: nil),
          at: start.advanced(by: made.elapsed), of: work))
    }
    return OutputTable.text(tally, elapsed: elapsed, columns: columns)
  }

  @Test("Nothing was written: nothing is said")
  func none() {
    #expect(table([], in: .seconds(1), columns: 80) == "")
  }

  @Test("One output: a heading and a row")
  func one() {
    #expect(
      table([episode], in: .seconds(44)) == """
        Output                 Duration   Size  Speed  Made as
        out/episode-42.mp3  1:02:03.000  58 MB  84.6×  MP3 V2, 44.1 kHz stereo

        """)
  }

  @Test("Several outputs: figures stand below one another, and a line sums them up")
  func several() {
    #expect(
      table([episode, teaser], in: .seconds(44)) == """
        Output                  Duration    Size  Speed  Made as
        out/episode-42.mp3   1:02:03.000   58 MB  84.6×  MP3 V2, 44.1 kHz stereo
        out/ティーザー.flac     0:04.500  812 kB   9.0×  FLAC 16 bit, 48 kHz mono

        2 outputs, 1:02:07.500 of sound, 59 MB, in 44.0 s, 84.7× real time

        """)
  }

  /// An output among several that are made alike.
  private func chapter(_ number: Int) -> Made {
    Made(
      format: .mp3(.standard),
      written: .sample(
        FilePath("out/2024-11-28 the long way home, chapter \(number).mp3"), bytes: 812_300,
        frames: 216_000, rate: 48_000, channels: 1), elapsed: .milliseconds(500))
  }

  @Test("On a terminal figures are left out before a path is shortened")
  func narrow() {
    #expect(
      table([episode], in: .seconds(44), columns: 65) == """
        Output                 Duration   Size  Made as
        out/episode-42.mp3  1:02:03.000  58 MB  MP3 V2, 44.1 kHz stereo

        """)
  }

  @Test("On 80 columns an output has one line, and what is the same of all stands once")
  func eighty() {
    let text = table([chapter(1), chapter(2)], in: .seconds(1), columns: 80)
    #expect(
      text == """
        Output                                           Duration    Size  Speed
        out/2024-11-28 the long way home, chapter 1.mp3  0:04.500  812 kB   9.0×
        out/2024-11-28 the long way home, chapter 2.mp3  0:04.500  812 kB   9.0×
        All made as MP3 V2, 48 kHz mono

        2 outputs, 0:09.000 of sound, 1.6 MB, in 1.00 s, 9.0× real time

        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.count < 80 })
  }

  @Test("On 40 columns an output has two lines, and no word is broken")
  func forty() {
    #expect(
      table([episode, teaser], in: .seconds(44), columns: 40) == """
        out/episode-42.mp3
          1:02:03.000  58 MB  MP3 V2
        out/ティーザー.flac
          0:04.500  812 kB  FLAC 16 bit

        2 outputs, 1:02:07.500 of sound, 59 MB,
        in 44.0 s, 84.7× real time

        """)
    let text = table([chapter(1), chapter(2)], in: .seconds(1), columns: 40)
    #expect(text.split(separator: "\n").allSatisfy { $0.count < 40 }, "\(text)")
  }

  @Test("A path gives the terminal no orders")
  func orders() {
    var output = teaser
    output.written.path = "a\u{1B}]0;x\u{7}\n.mp3"
    output.elapsed = .zero
    #expect(
      table([output], in: .zero) == """
        Output        Duration    Size  Speed  Made as
        a�]0;x��.mp3  0:04.500  812 kB         FLAC 16 bit, 48 kHz mono

        """)
  }
}
