import MediaTime
import Testing

@testable import Terminal

@Suite struct FiguresTests {
  @Test(
    "A length of work is shown in whole seconds, rounded up",
    arguments: [
      (.zero, "0:00"), (.milliseconds(1), "0:01"), (.seconds(59), "0:59"), (.seconds(60), "1:00"),
      (.milliseconds(59_001), "1:00"), (.seconds(3599), "59:59"), (.seconds(3600), "1:00:00"),
      (.seconds(359_999), "99:59:59"), (.seconds(-5), "0:00"),
    ] as [(Duration, String)])
  func durations(duration: Duration, text: String) {
    #expect(Figures.clock(duration) == text)
  }

  @Test(
    "work that is over is shown as exactly as its speed beside it",
    arguments: [
      (.zero, "0.00 s"), (.milliseconds(244), "0.24 s"), (.milliseconds(9994), "9.99 s"),
      (.milliseconds(9995), "10.0 s"), (.milliseconds(43_650), "43.7 s"),
      (.milliseconds(59_940), "59.9 s"), (.milliseconds(59_950), "1:00"),
      (.milliseconds(61_400), "1:01"), (.milliseconds(3_599_500), "1:00:00"),
      (.seconds(-5), "0.00 s"),
    ] as [(Duration, String)])
  func elapsed(duration: Duration, text: String) {
    #expect(Figures.elapsed(duration) == text)
  }

  @Test(
    "A length of sound is shown to the millisecond, rounded half away from zero",
    arguments: [
      (Time.zero, "0:00.000"), (Time(value: 9, timescale: 2), "0:04.500"),
      (Time(value: 1, timescale: 2000), "0:00.001"),
      (Time(value: 3723, timescale: 1), "1:02:03.000"),
      (Time(value: 59_9996, timescale: 10_000), "1:00.000"),
      (Time(value: -3, timescale: 2), "-0:01.500"),
      (Time.indefinite, "?"), (Time.positiveInfinity, "?"), (Time.invalid, "?"),
    ])
  func times(time: Time, text: String) {
    #expect(Figures.clock(time) == text)
  }

  @Test(
    "A size has at least two digits and at most three, in powers of 1000",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
      (9949, "9.9 kB"), (9950, "10 kB"), (812_499, "812 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (8_400_000, "8.4 MB"), (58_200_000, "58 MB"),
      (4_294_967_296, "4.3 GB"), (Int64.max, "9.2 EB"), (-1, "0 B"),
    ] as [(Int64, String)])
  func sizes(bytes: Int64, text: String) {
    #expect(Figures.size(bytes: bytes) == text)
  }

  @Test(
    "Speed is sound over work, to a tenth below 100",
    arguments: [
      (60, .seconds(1), "60.0×"), (1, .seconds(4), "0.3×"), (842, .seconds(10), "84.2×"),
      (2534, .seconds(10), "253×"), (99_94, .seconds(100), "99.9×"), (9996, .seconds(100), "100×"),
      (1, .zero, nil), (0, .seconds(1), nil), (1_000_000_000, .milliseconds(1), "999999×"),
    ] as [(Int64, Duration, String?)])
  func speeds(seconds: Int64, elapsed: Duration, text: String?) {
    #expect(Figures.speed(Time(value: seconds, timescale: 1), in: elapsed) == text)
  }
}
