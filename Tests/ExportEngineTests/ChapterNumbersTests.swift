import Diagnosis
import MediaComposition
import MediaTime
import Tagging
import Testing

@testable import ExportEngine
@testable import ExportGraph

@Suite("Numbers of chapters in comments") struct ChapterNumbersTests {
  private func sink(beside tracks: [CueSheetBlock.Track]?) -> Sink {
    var sink = Sink(
      node: 0, frames: 0..<44_100, output: Output(path: "a.flac", format: .flac(bitDepth: 16)),
      metadata: Metadata(), chapters: [], isDithered: false)
    if let tracks {
      var sheet = CueSheetBlock()
      sheet.tracks = tracks
      sink.marks.cueSheet = sheet
    }
    return sink
  }

  private func numbers(of count: Int, beside tracks: [CueSheetBlock.Track]?) -> [Int] {
    sink(beside: tracks).commentNumbers(count: count)
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

  @Test("they have three digits, and more chapters than these number are refused")
  func room() {
    func refusal(of count: Int, beside tracks: [CueSheetBlock.Track]?) -> String? {
      let chapters = (0..<Int64(count)).map { number in
        let start = Time(frames: number * 441, rate: 44_100)
        return (
          chapter: Chapter(start: start, title: "\(number)"),
          frames: number * 441..<(number + 1) * 441
        )
      }
      do throws(Failure) {
        try sink(beside: tracks).requireRoom(for: chapters, sampleRate: 44_100)
        return nil
      } catch {
        return error.message
      }
    }
    let sheet = [CueSheetBlock.Track(offset: 0, number: 4), .init(offset: 588, number: 7)]
    let cases: [(Int, [CueSheetBlock.Track]?)] = [
      (1000, nil), (994, sheet), (744, sheet.reversed()),
    ]
    for (count, tracks) in cases {
      #expect(numbers(of: count, beside: tracks).last == 999)
      #expect(refusal(of: count, beside: tracks) == nil)
      #expect(
        refusal(of: count + 1, beside: tracks)?.hasPrefix(
          "FLAC holds \(count) chapters\(tracks == nil ? "" : " beside its cue sheet"), and these are "
            + "\(count + 1): ") == true)
    }
  }
}
