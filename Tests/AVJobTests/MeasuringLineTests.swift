import Terminal
import Testing

@testable import avjob

@Suite("The line of a measurement") struct MeasuringLineTests {
  @Test("it has the name and the share that is done, in one line of any window")
  func text() {
    let name = "season-1-episode-42"
    #expect(MeasuringLine.text(name, 0, columns: 80) == "measuring season-1-episode-42: 0 %")
    #expect(MeasuringLine.text(name, 0.999, columns: 80) == "measuring season-1-episode-42: 99 %")
    #expect(MeasuringLine.text(name, 1, columns: 80) == "measuring season-1-episode-42: 100 %")
    #expect(MeasuringLine.text(name, 0.4, columns: 30) == "measuring season…ode-42: 40 %")
    #expect(
      MeasuringLine.text("a\u{1B}[2J\nb", 0.4, columns: 80).unicodeScalars.allSatisfy {
        $0.value >= 0x20
      })
    for columns in 1...60 {
      #expect(MeasuringLine.text(name, 0.4, columns: columns).columns < columns)
    }
  }
}
