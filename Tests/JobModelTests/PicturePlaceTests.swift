import MediaComposition
import MediaTime
import Testing

@testable import JobModel

private let ntsc = Time(value: 1001, timescale: 30_000)
private let double = Time(value: 1001, timescale: 60_000)
private let film = Time(value: 1001, timescale: 24_000)
private let pal = Time(value: 1, timescale: 25)

/// Pictures of a source as times: their numbers, and timecodes.
@Suite struct PicturePlaceTests {
  @Test(
    "a picture is written by its number or its timecode",
    arguments: [
      ("frame 1234", "frame 1234"), ("frame100", "frame 100"), ("frame 007", "frame 7"),
      ("00:01:02:15", "00:01:02:15"), ("1:02:03:04", "01:02:03:04"),
      ("00:01:02;15", "00:01:02;15"), ("23:59:59:119", "23:59:59:119"),
    ])
  func pictures(text: String, description: String) throws {
    let moment = try Moment(parsing: text)
    guard case .picture = moment.anchor else {
      Issue.record("\(moment) is no picture")
      return
    }
    #expect("\(moment)" == description)
    #expect(try Moment(parsing: description) == moment)
  }

  @Test("times of items whose names look like pictures are times of these items")
  func names() throws {
    #expect(try Moment(parsing: "frame 12.end-1s").anchor == .item(ItemReference("frame 12", .end)))
  }

  @Test(
    "what only looks like a picture is refused",
    arguments: [
      ("frame -3", "'frame -3' is no picture", "write 'frame 1234': they are counted from 0 on"),
      ("frame 1.5", "'frame 1.5' is no picture", "write 'frame 1234': they are counted from 0 on"),
      (
        "frame 2147483648", "'frame 2147483648' is no picture",
        "write 'frame 1234': they are counted from 0 on"
      ),
      (
        "00:61:00:00", "'00:61:00:00' is no timecode",
        "write hours, minutes, seconds and pictures, as '00:01:02:15', and with drop-frame "
          + "'00:01:02;15'"
      ),
      (
        "00;01;02;15", "'00;01;02;15' is no timecode",
        "write hours, minutes, seconds and pictures, as '00:01:02:15', and with drop-frame "
          + "'00:01:02;15'"
      ),
      (
        "24:00:00:00", "'24:00:00:00' is no timecode",
        "write hours, minutes, seconds and pictures, as '00:01:02:15', and with drop-frame "
          + "'00:01:02;15'"
      ),
    ])
  func noPictures(text: String, message: String, help: String) {
    #expect(throws: QuantityError(message, help: help)) { try Moment(parsing: text) }
  }

  @Test(
    "timecodes count pictures",
    arguments: [
      ("00:00:00:00", pal, 0), ("00:01:02:15", pal, 1565), ("01:00:00:00", pal, 90_000),
      ("00:01:00:00", film, 1440), ("00:00:59;29", ntsc, 1799), ("00:01:00;02", ntsc, 1800),
      ("00:10:00;00", ntsc, 17_982), ("01:00:00;00", ntsc, 107_892), ("00:01:00:02", ntsc, 1802),
      ("00:01:00;04", double, 3600), ("00:10:00;00", double, 35_964),
      ("00:01:00;02", Time(value: 100, timescale: 2997), 1800),
    ])
  func numbers(text: String, duration: Time, number: Int64) throws {
    #expect(try #require(Timecode(text)).number(lasting: duration) == number)
  }

  @Test("drop-frame leaves out no picture: each has the number after the one before it")
  func dropFrame() throws {
    for (duration, nominal, dropped) in [(ntsc, 30, 2), (double, 60, 4)] {
      var expected: Int64 = 0
      for second in 0..<1300 {
        let (minute, isFirst) = (second / 60, second % 60 == 0)
        let start = isFirst && minute % 10 != 0 ? dropped : 0
        for frame in start..<nominal {
          var code = try #require(Timecode("00:00:00;00"))
          (code.minutes, code.seconds, code.frames) = (minute, second % 60, frame)
          #expect(try code.number(lasting: duration) == expected, "\(code)")
          expected += 1
        }
      }
    }
  }

  @Test(
    "timecodes that no picture of a rate has are refused",
    arguments: [
      (
        "00:00:01:25", pal, "'00:00:01:25' is no timecode of 25 pictures a second",
        "the last number goes to 24"
      ),
      (
        "00:00:01;10", pal,
        "'00:00:01;10' is a drop-frame timecode, which 25 pictures a second do not have",
        "write '00:00:01:10'"
      ),
      (
        "00:00:01;10", film,
        "'00:00:01;10' is a drop-frame timecode, which 23.976 pictures a second do not have",
        "write '00:00:01:10'"
      ),
      (
        "00:01:00;01", ntsc, "'00:01:00;01' is left out of drop-frame timecodes",
        "this minute begins at '00:01:00;02'"
      ),
      (
        "00:11:00;03", double, "'00:11:00;03' is left out of drop-frame timecodes",
        "this minute begins at '00:11:00;04'"
      ),
      (
        "00:00:01:00", Time(value: 2, timescale: 25),
        "'00:00:01:00' is no timecode of 12.5 pictures a second",
        "timecodes are of 24, 25, 30, 50 or 60, and of 23.976, 29.97 or 59.94"
      ),
    ])
  func refused(text: String, duration: Time, message: String, help: String) throws {
    let code = try #require(Timecode(text))
    #expect(throws: QuantityError(message, help: help)) { try code.number(lasting: duration) }
  }

  @Test(
    "the last words of a clip's text are a range of pictures",
    arguments: [
      ("a.mp4 frame 100..frame 200", "a.mp4", "frame 100", "frame 200"),
      ("a b.mp4 1:00..frame 200", "a b.mp4", "1:00", "frame 200"),
      ("a.mp4 00:00:01:00..00:00:02;00", "a.mp4", "00:00:01:00", "00:00:02;00"),
      ("a.mp4 frame 100..", "a.mp4", "frame 100", ""),
      ("a.mp4 ..frame 5", "a.mp4", "", "frame 5"),
      ("a.mp4 frame7..", "a.mp4", "frame 7", ""),
      ("my frame 5", "my frame 5", "", ""), ("frame 1..frame 2", "frame 1..frame 2", "", ""),
    ])
  func clips(text: String, path: String, from: String, to: String) {
    var suspicion: ClipText.MalformedRange?
    let clip = ClipText(text, suspicion: &suspicion)
    #expect(clip.path == path && suspicion == nil)
    #expect(clip.range?.from.map { "\($0.moment)" } ?? "" == from)
    var end = ""
    if case .moment(let moment, _)? = clip.range?.end { end = "\(moment)" }
    #expect(end == to)
  }
}
