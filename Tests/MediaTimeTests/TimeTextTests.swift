import MediaTime
import TestSupport
import Testing

@Suite struct TimeTextTests {
  @Test(
    "Times are read as exact rationals",
    arguments: [
      ("90s", 90, 1), ("1.5s", 3, 2), ("250ms", 1, 4), ("12m", 720, 1), ("1h", 3600, 1),
      ("1:02", 62, 1), ("1:02:03.25", 14893, 4), ("1001/30000s", 1001, 30000), ("1.1s", 11, 10),
      ("0s", 0, 1), ("90 s", 90, 1), ("0:00", 0, 1), ("75:30", 4530, 1), ("007s", 7, 1),
      ("0.123456789s", 123_456_789, 1_000_000_000), ("1.50000000000000000000000000000s", 3, 2),
      ("0.5h", 1800, 1), ("1.5ms", 3, 2000), ("100:00:00", 360_000, 1), ("2/4 s", 1, 2),
      ("0.000000000931322574615478515625s", 1, 1 << 30),
    ] as [(String, Int64, Int32)])
  func reading(text: String, value: Int64, timescale: Int32) throws {
    #expect(try Time(parsing: text) == Time(value: value, timescale: timescale))
  }

  @Test("A fraction keeps the timescale that it spells")
  func timescale() throws {
    #expect(try Time(parsing: "2002/60000s").timescale == 60000)
    #expect(try Time(parsing: "3000000000/6000000000s") == Time(value: 1, timescale: 2))
  }

  @Test("Samples are a time once a rate is known")
  func samples() throws {
    #expect(try TimeText(parsing: "44100 samples") == .frames(44100))
    #expect(
      try TimeText(parsing: "1 sample").time(atRate: 48000) == Time(value: 1, timescale: 48000))
    #expect(try TimeText(parsing: "1:02").time(atRate: 8000) == Time(value: 62, timescale: 1))
    #expect(try TimeText(parsing: "-3 samples", allowingNegative: true) == .frames(-3))
    #expect("\(try TimeText(parsing: "44100samples"))" == "44100 samples")
  }

  @Test(
    "What is no time is refused with the text to write",
    arguments: [
      ("", "no time is given: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples"),
      ("90", "'90' has no unit: write 90s"),
      ("1.5", "'1.5' has no unit: write 1.5s"),
      ("1:75", "'1:75' needs two digits below 60 after each colon: write 2:15"),
      ("1:75:00", "'1:75:00' needs two digits below 60 after each colon: write 2:15:00"),
      ("1:5", "'1:5' needs two digits below 60 after each colon: write 1:05"),
      ("1:02.5:03", "'1:02.5:03' is no time: write 1:30 or 1:02:03.25"),
      ("1:2:3:4", "'1:2:3:4' is no time: write 1:30 or 1:02:03.25"),
      (":30", "':30' is no time: write 1:30 or 1:02:03.25"),
      ("1:", "'1:' is no time: write 1:30 or 1:02:03.25"),
      ("1:3x", "'1:3x' is no time: a number is written 12 or 1.25"),
      ("-5s", "'-5s' is negative: a time here counts from 0 on"),
      ("5 sec", "'5 sec' has no unit that is known: write 5s"),
      ("5min", "'5min' has no unit that is known: write 5m"),
      ("5 frames", "'5 frames' has no unit that is known: write 5 samples"),
      ("5S", "'5S' has no unit that is known: write 5s"),
      ("1h30m", "'1h30m' has several units: write 1:30:00"),
      ("2m 30s", "'2m 30s' has several units: write 2:30"),
      ("1.5 samples", "'1.5 samples' is no whole number of samples"),
      ("1.", "'1.' is no time: a number is written 12 or 1.25"),
      ("1.s", "'1.s' is no time: a number is written 12 or 1.25"),
      (".5s", "'.5s' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples"),
      ("soon", "'soon' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples"),
      ("1e3s", "'1e3s' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples"),
      ("٣s", "'٣s' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples"),
      ("1/0s", "'1/0s' divides by zero"),
      ("1001/30000", "'1001/30000' is a fraction without seconds: write 1001/30000s"),
      ("1/2/3s", "'1/2/3s' is no time: a fraction is two whole numbers, as in 1001/30000s"),
      ("99999999999999999999s", "'99999999999999999999s' is more than a time can hold"),
      ("9999999999999999h", "'9999999999999999h' is more than a time can hold"),
      (
        "0.0000000001s",
        "'0.0000000001s' is finer than a time can hold: nine decimals of a second at most"
      ),
    ])
  func refusals(text: String, message: String) {
    let error = #expect(throws: TimeTextError.self) { try TimeText(parsing: text) }
    #expect(error?.message == message)
    #expect("\(error.map { "\($0)" } ?? "")" == message)
  }

  @Test("A number of samples is no time where there is no rate")
  func samplesWithoutRate() {
    let error = #expect(throws: TimeTextError.self) { try Time(parsing: "44100 samples") }
    #expect(
      error?.message == "'44100 samples' needs a sample rate, and here is none: write seconds")
  }

  @Test(
    "Times print in one way",
    arguments: [
      (0, 1, "0s"), (21, 4, "5.25s"), (60, 1, "1:00"), (14893, 4, "1:02:03.25"),
      (1001, 30000, "1001/30000s"), (2002, 60000, "1001/30000s"), (1, 3, "1/3s"),
      (-125, 2, "-1:02.5"), (1, 1_000_000, "0.000001s"), (1, 10_000_000, "1/10000000s"),
      (44100, 44100, "1s"), (.min, 1, "-2562047788015215:30:08"),
    ] as [(Int64, Int32, String)])
  func printing(value: Int64, timescale: Int32, text: String) {
    #expect("\(Time(value: value, timescale: timescale))" == text)
  }

  @Test("What is printed reads back as the same time, whatever it is")
  func roundTrip() throws {
    var random = Dice(8)
    for _ in 0..<30_000 {
      let time = random.time()
      #expect(try Time(parsing: "\(time)", allowingNegative: true) == time)
      let any = random.anyTime()
      #expect(Time("\(any)") == any && TimeText("\(any)") == .time(any))
      let frames = TimeText.frames(random.value())
      #expect(TimeText("\(frames)") == frames)
    }
    #expect("\(TimeText.frames(.min))" == "-9223372036854775808 samples")
    #expect(Time("soon") == nil && Time("44100 samples") == nil && TimeText("+5s") == nil)
  }

  @Test("A time prints in one way whatever its timescale, and times that differ print differently")
  func canonical() {
    var random = Dice(12)
    for _ in 0..<20_000 {
      let (a, b) = (random.time(), random.time())
      #expect((a == b) == ("\(a)" == "\(b)"))
      let same = a.converted(toTimescale: random.timescale())
      #expect((a == same) == ("\(a)" == "\(same)"))
    }
  }

  @Test("Other kinds of time are named, and ranges print as a job writes them")
  func names() {
    #expect(
      [Time.invalid, .indefinite, .positiveInfinity, .negativeInfinity].map { "\($0)" }
        == ["invalid", "indefinite", "+infinity", "-infinity"])
    let end = Time(value: 301, timescale: 2)
    #expect("\(TimeRange(start: Time(value: 60, timescale: 1), end: end))" == "1:00..2:30.5")
  }

  @Test("A debugger sees the numbers, as CoreMedia shows them")
  func debugging() {
    let frame = Time(value: 1001, timescale: 30000)
    #expect(frame.debugDescription == "{1001/30000 = 0.033}")
    let half = frame.converted(toTimescale: 2, rounding: .awayFromZero)
    #expect((-half).debugDescription == "{-1/2 = -0.500, rounded}")
    #expect(
      Time(value: .min, timescale: 1).debugDescription
        == "{-9223372036854775808/1 = -9223372036854775808.000}")
    #expect(
      [Time.invalid, .indefinite, .positiveInfinity, .negativeInfinity].map(\.debugDescription)
        == ["{INVALID}", "{INDEFINITE}", "{+INFINITY}", "{-INFINITY}"])
    let range = TimeRange(start: .zero, duration: frame)
    #expect(range.debugDescription == "{{0/1 = 0.000}, {1001/30000 = 0.033}}")
    #expect(
      TimeMapping.empty(target: range).debugDescription
        == "{{{INVALID}, {INVALID}}, {{0/1 = 0.000}, {1001/30000 = 0.033}}}")
  }

  @Test("A clock for the eyes rounds to the decimals asked for")
  func clock() {
    #expect(Time(value: 21, timescale: 4).clockText(decimals: 3) == "0:05.250")
    #expect(Time(value: 59_9996, timescale: 10000).clockText(decimals: 3) == "1:00.000")
    #expect(Time(value: -1, timescale: 10000).clockText(decimals: 3) == "0:00.000")
    #expect(Time(value: -3723, timescale: 1).clockText(decimals: 0) == "-1:02:03")
    #expect(Time(value: 1, timescale: 3).clockText(decimals: 99) == "0:00.333333333")
    #expect(Time.indefinite.clockText(decimals: 3) == "indefinite")
  }
}
