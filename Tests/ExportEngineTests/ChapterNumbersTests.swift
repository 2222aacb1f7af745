import MediaComposition
import Tagging
import Testing

@testable import ExportEngine
@testable import ExportGraph

@Suite("Numbers of chapters in comments") struct ChapterNumbersTests {
  private func numbers(of count: Int, beside tracks: [CueSheetBlock.Track]?) -> [Int] {
    var sink = Sink(
      node: 0, frames: 0..<44_100, output: Output(path: "a.flac", format: .flac(bitDepth: 16)),
      metadata: Metadata(), chapters: [], isDithered: false)
    if let tracks {
      var sheet = CueSheetBlock()
      sheet.tracks = tracks
      sink.marks.cueSheet = sheet
    }
    return sink.commentNumbers(count: count)
  }

  @Test("they count from 0 on, and beside a cue sheet they are those of its tracks")
  func tracks() {
    #expect(numbers(of: 3, beside: nil) == [0, 1, 2])
    #expect(numbers(of: 2, beside: []) == [0, 1])
    let sheet = [CueSheetBlock.Track(offset: 0, number: 4), .init(offset: 588, number: 7)]
    #expect(numbers(of: 2, beside: sheet) == [4, 7])
    #expect(numbers(of: 4, beside: sheet) == [4, 7, 8, 9])
    let data = CueSheetBlock.Track(offset: 300, number: 5, isAudio: false)
    #expect(numbers(of: 2, beside: [sheet[0], data, sheet[1]]) == [4, 7])
  }

  @Test("they are those of no track where the tracks have no order")
  func disorder() {
    let sheet = [CueSheetBlock.Track(offset: 0, number: 7), .init(offset: 588, number: 4)]
    #expect(numbers(of: 2, beside: sheet) == [256, 257])
    #expect(numbers(of: 1, beside: sheet.reversed()) == [256])
  }
}
