import MediaTime
import Terminal
import Testing

@testable import avjob

@Suite struct OutputTableTests {
  let episode = FinishedOutput(
    path: "out/episode-42.mp3", duration: Time(value: 3723, timescale: 1), bytes: 58_200_000,
    description: "MP3 V2, 44.1 kHz stereo", elapsed: .seconds(44))
  let teaser = FinishedOutput(
    path: "out/ティーザー.flac", duration: Time(value: 9, timescale: 2), bytes: 812_300,
    description: "FLAC 16 bit, 48 kHz mono", elapsed: .milliseconds(500))

  @Test("Nothing was written: nothing is said")
  func none() {
    #expect(OutputTable.text([], elapsed: .seconds(1), columns: 80) == "")
  }

  @Test("One output: a heading and a row")
  func one() {
    #expect(
      OutputTable.text([episode], elapsed: .seconds(44), columns: nil) == """
        Output                 Duration   Size  Speed  Made as
        out/episode-42.mp3  1:02:03.000  58 MB  84.6×  MP3 V2, 44.1 kHz stereo

        """)
  }

  @Test("Several outputs: figures stand below one another, and a line sums them up")
  func several() {
    #expect(
      OutputTable.text([episode, teaser], elapsed: .seconds(44), columns: nil) == """
        Output                  Duration    Size  Speed  Made as
        out/episode-42.mp3   1:02:03.000   58 MB  84.6×  MP3 V2, 44.1 kHz stereo
        out/ティーザー.flac     0:04.500  812 kB   9.0×  FLAC 16 bit, 48 kHz mono

        2 outputs, 1:02:07.500 of sound, 59 MB, in 0:44, 84.7× real time

        """)
  }

  @Test("On a terminal long paths are shortened to its width, in the middle")
  func narrow() {
    let text = OutputTable.text([episode], elapsed: .seconds(44), columns: 65)
    #expect(
      text == """
        Output           Duration   Size  Speed  Made as
        out/ep…2.mp3  1:02:03.000  58 MB  84.6×  MP3 V2, 44.1 kHz stereo

        """)
    #expect(OutputTable.text([episode], elapsed: .seconds(44), columns: 10) == text)
  }

  @Test("A path gives the terminal no orders")
  func orders() {
    var output = teaser
    output.path = "a\u{1B}]0;x\u{7}\n.mp3"
    output.elapsed = .zero
    #expect(
      OutputTable.text([output], elapsed: .zero, columns: nil) == """
        Output        Duration    Size  Speed  Made as
        a�]0;x��.mp3  0:04.500  812 kB         FLAC 16 bit, 48 kHz mono

        """)
  }
}
