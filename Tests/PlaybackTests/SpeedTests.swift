import Testing

@testable import ExportEngine
@testable import Playback

@Suite struct SpeedTests {
  @Test("a sound that is stretched gives all its frames, however lengths are rounded, and ends")
  func endsAtAllSpeeds() {
    for percent in PlaybackSpeed.slowest.percent...PlaybackSpeed.fastest.percent {
      let ratio = PlaybackSpeed(percent: percent).ratio
      for count in Int64(1)...200 {
        let all = ratio.target(ofSource: count)
        var given: Int64 = 0
        while ratio.place(ofTarget: given, in: count) < count, given < all {
          let left = count - ratio.place(ofTarget: given, in: count)
          given += min(all - given, max(1, min(16, ratio.target(ofSource: left))))
        }
        #expect(given == all)
        #expect(ratio.place(ofTarget: given, in: count) == count)
      }
    }
  }
}
