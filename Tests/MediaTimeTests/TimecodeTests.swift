import MediaTime
import Testing

private let ntsc = PictureRate(Time(value: 1001, timescale: 30_000))
private let double = PictureRate(Time(value: 1001, timescale: 60_000))
private let film = PictureRate(Time(value: 1001, timescale: 24_000))
private let pal = PictureRate(Time(value: 1, timescale: 25))

/// Timecodes, which name pictures.
@Suite struct TimecodeTests {
  @Test("each picture of a day has a timecode, and no other has it")
  func days() throws {
    let rates = [
      (pal, false), (film, false), (ntsc, false), (ntsc, true), (double, false), (double, true),
      (PictureRate(Time(value: 1, timescale: 24)), false),
      (PictureRate(Time(value: 1, timescale: 50)), false),
    ]
    for (rate, isDropFrame) in rates {
      let day = rate.day(isDropFrame: isDropFrame)
      for number in [0, 1, 1799, 1800, 17_981, 17_982, 17_983, 107_892, day / 3, day - 1] {
        let code = try #require(Timecode(number: number, at: rate, isDropFrame: isDropFrame))
        #expect(code.number(at: rate) == number, "\(code)")
        #expect(Timecode("\(code)") == code)
      }
    }
  }

  @Test("drop-frame leaves out numbers, and no picture")
  func dropFrame() throws {
    for (rate, nominal, dropped) in [(ntsc, 30, 2), (double, 60, 4)] {
      var number: Int64 = 0
      for second in 0..<1300 {
        let start = second % 60 == 0 && second / 60 % 10 != 0 ? dropped : 0
        for frame in start..<nominal {
          let code = try #require(Timecode(number: number, at: rate, isDropFrame: true))
          #expect(
            [code.hours, code.minutes, code.seconds, code.frames]
              == [0, second / 60, second % 60, frame])
          number += 1
        }
      }
    }
    #expect(ntsc.day(isDropFrame: true) == 24 * 107_892)
    #expect(pal.day(isDropFrame: false) == 24 * 90_000)
  }

  @Test("behind midnight timecodes begin anew")
  func midnight() throws {
    let last = try #require(Timecode("23:59:59:24")?.number(at: pal))
    #expect(Timecode(number: last + 1, at: pal, isDropFrame: false) == Timecode("00:00:00:00"))
    #expect(Timecode(number: -1, at: ntsc, isDropFrame: true) == Timecode("23:59:59;29"))
  }

  @Test("rates that timecodes do not count have none")
  func noTimecodes() {
    let slow = PictureRate(Time(value: 2, timescale: 25))
    #expect(Timecode(number: 0, at: slow, isDropFrame: false) == nil)
    #expect(Timecode(number: 0, at: pal, isDropFrame: true) == nil)
    #expect(Timecode("00:00:00:25")?.number(at: pal) == nil)
    #expect(Timecode("00:01:00;01")?.number(at: ntsc) == nil)
  }

  @Test("files write drop-frame with a point, too")
  func stored() {
    #expect(Timecode(stored: "01:02:03.04") == Timecode("01:02:03;04"))
    #expect(Timecode(stored: "01:02:03:04") == Timecode("01:02:03:04"))
    #expect(Timecode(stored: "1 hour") == nil)
  }

  @Test("pictures are counted to the nearest, of two that are as near the later one")
  func counts() {
    #expect(pal.count(in: Time(value: 1, timescale: 1)) == 25)
    #expect(pal.count(in: Time(value: 19, timescale: 1000)) == 0)
    #expect(pal.count(in: Time(value: 20, timescale: 1000)) == 1)
    #expect(pal.count(in: Time(value: -21, timescale: 1000)) == -1)
    #expect(ntsc.count(in: Time(value: 33, timescale: 1000)) == 1)
  }
}
