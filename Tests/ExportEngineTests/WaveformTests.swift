import MediaComposition
import Testing

@testable import ExportEngine

/// Where the bars of a waveform stand.
@Suite("Waveforms")
struct WaveformTests {
  private let place = WaveformPlace(width: 1280, height: 720)
  private let rate = VideoSettings.Waveform.usualRate

  @Test("bars fill the lowest fifth of a picture around its even middle")
  func rows() {
    #expect(place.rows == 576..<720)
    #expect(place.middle == 648)
    #expect(WaveformPlace(width: 64, height: 48).rows == 40..<48)
    #expect(WaveformPlace(width: 16, height: 16).rows == 12..<16)
  }

  @Test("the height of a bar is that of its peak, from −48 dB to full scale")
  func heights() {
    #expect(place.height(ofPeak: 1) == 62)
    #expect(place.height(ofPeak: 8) == 62)
    #expect(place.height(ofPeak: 0.063_095_73) == 30)
    #expect(place.height(ofPeak: 0.001) == 2)
    #expect(place.height(ofPeak: 0) == 2)
  }

  @Test(
    "bars move to the left by as much in each picture, and those that were heard are on the left")
  func bars() throws {
    let first = place.bars(at: 0, rate)
    #expect(first.map(\.column) == Array(0...32))
    #expect(first.first == .init(column: 0, columns: 640..<652, isHeard: true))
    #expect(first[1] == .init(column: 1, columns: 660..<672, isHeard: false))
    // A second later: 16 bars, a quarter of the picture.
    let later = place.bars(at: 15, rate)
    #expect(later.map(\.column) == Array(0...48))
    #expect(later[0].columns == 320..<332)
    #expect(later.filter(\.isHeard).map(\.column) == Array(0...16))
    let last = try #require(place.bars(at: 15 * 10_800, rate).first)
    #expect(last == .init(column: 16 * 10_800 - 32, columns: 0..<12, isHeard: true))
  }

  @Test("bars have no places between two pixels that share a colour, at any rate")
  func evenPlaces() {
    for number in Int64(0)..<100 {
      for bar in WaveformPlace(width: 854, height: 480).bars(at: number, .init(30_000, 1001)) {
        #expect(bar.columns.lowerBound % 2 == 0 && bar.columns.count % 2 == 0)
      }
    }
  }
}
