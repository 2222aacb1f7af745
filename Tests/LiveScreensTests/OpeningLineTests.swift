import ExportEngine
import Terminal
import Testing

@testable import LiveScreens

@Suite("The line of an opening") struct OpeningLineTests {
  private let start = ContinuousClock.now

  private func transfer(_ received: Int64, remaining: Int64) -> MediaNetwork.Transfer {
    MediaNetwork.Transfer(receivedBytes: received, remainingBytes: remaining)
  }

  private func measuring(_ name: String, _ share: Double, columns: Int) -> String {
    var text = OpeningText()
    text.measure(name, share)
    return text.line(columns: columns, transfer(0, remaining: 0), at: start)
  }

  @Test("it has the name and the share that is measured, in one line of any window")
  func text() {
    let name = "season-1-episode-42"
    #expect(measuring(name, 0, columns: 80) == "measuring season-1-episode-42: 0 %")
    #expect(measuring(name, 0.999, columns: 80) == "measuring season-1-episode-42: 99 %")
    #expect(measuring(name, 1, columns: 80) == "measuring season-1-episode-42: 100 %")
    #expect(measuring(name, 0.4, columns: 30) == "measuring season…ode-42: 40 %")
    #expect(
      measuring("a\u{1B}[2J\nb", 0.4, columns: 80).unicodeScalars.allSatisfy { $0.value >= 0x20 })
    for columns in 1...60 {
      #expect(measuring(name, 0.4, columns: columns).columns < columns)
    }
  }

  @Test("of a server it has the bytes that have come, and their rate, also while none come")
  func bytes() {
    var text = OpeningText("example.org/a.flac", receivedBefore: 200)
    func line(_ received: Int64, remaining: Int64, seconds: Int, columns: Int = 100) -> String {
      text.line(
        columns: columns, transfer(received, remaining: remaining),
        at: start + .seconds(seconds))
    }
    #expect(
      line(200, remaining: 0, seconds: 0) == "opening example.org/a.flac, waiting for the server")
    #expect(
      line(200, remaining: 65_536, seconds: 1)
        == "opening example.org/a.flac, fetching 200 B of 66 kB")
    #expect(
      line(1_000_200, remaining: 4_000_000, seconds: 2)
        == "opening example.org/a.flac, fetching 1.0 MB of 5.0 MB, 500 kB/s, 0:08 left")
    #expect(
      line(1_000_200, remaining: 4_000_000, seconds: 9)
        == "opening example.org/a.flac, fetching 1.0 MB of 5.0 MB")
    #expect(line(5_000_200, remaining: 0, seconds: 10) == "opening example.org/a.flac")
    for columns in 1...80 {
      #expect(line(1, remaining: 99, seconds: 11, columns: columns).columns < columns)
    }
    var file = OpeningText("a.flac")
    #expect(file.line(columns: 80, transfer(0, remaining: 0), at: start) == "opening a.flac")
  }
}
