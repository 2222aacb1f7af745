import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import JobModel
@testable import TimeLists

/// What lists of times are read as.
@Suite struct ListReadingTests {
  @Test("Lines of a time and a title, with comments, blank lines and dashes")
  func titles() {
    let text = """
      # What they spoke of

      0:00 Childhood
        14:05   School: the end
      0:20:00.25 - First job
      \t1:02:03.5\tThe big one #1
      4000s — Later
      1:10:00
      """
    #expect(
      ListBench.entries(text) == [
        "start Childhood", "14:05 School: the end", "20:00.25 First job",
        "1:02:03.5 The big one #1", "1:06:40 Later", "1:10:00",
      ])
  }

  @Test("Lines of a range, for what is cut or stands alone")
  func ranges() {
    #expect(
      ListBench.entries("12:00..13:30 Cough\n40:05..+10s\nend-10s.. Applause\n") == [
        "12:00..13:30 Cough", "40:05..+10s", "end-10s..end Applause",
      ])
  }

  @Test("Audacity's labels: points, ranges, frequencies left out")
  func labels() {
    let text =
      "0.000000\t0.000000\tIntro\n1.5\t2.75\tA\tB\n\\\t20.0\t2000.5\n3.123456789\t3.123456789\t\n"
      + "4.000000\t5.000000\n"
    #expect(
      ListBench.entries(text) == [
        "start Intro", "1.5s..2.75s A\tB", "3123456789/1000000000s", "4s..5s",
      ])
  }

  @Test("A CUE sheet: tracks at INDEX 01 in 75ths of a second, tags of disc and track")
  func sheet() {
    let text = """
      REM GENRE "Hard Rock"
      REM DATE 1999
      REM COMMENT "ExactAudioCopy v1.0"
      REM DISCNUMBER 2
      REM TOTALDISCS 3
      REM REPLAYGAIN_ALBUM_GAIN -7.00 dB
      CATALOG 0602517484214
      PERFORMER "The Band"
      TITLE Live in Paris
      FILE "live.wav" WAVE
        TRACK 01 AUDIO
          TITLE "Opening"
          FLAGS DCP
          ISRC GBAYE9900001
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          title "A "quoted" word"
          PERFORMER "A Guest"
          SONGWRITER "Somebody"
          INDEX 00 03:59:70
          INDEX 01 04:01:01
          INDEX 02 05:00:00
        TRACK 3 AUDIO
          INDEX 01 100:00:74
      """
    #expect(
      ListBench.entries(text, named: "x.CUE") == [
        "start #1 Opening isrc=GBAYE9900001 artist=The Band",
        "18076/75s #2 A \"quoted\" word artist=A Guest composer=Somebody",
        "450074/75s #3 artist=The Band",
      ])
    #expect(
      ListBench.list(text).tags.items.map { "\($0.key)=\($0.value)" } == [
        "genre=Hard Rock", "date=1999", "comment=ExactAudioCopy v1.0", "album=Live in Paris",
        "disc=2/3", "album_artist=The Band",
      ])
  }

  @Test("The kind of a file shows in its content where its name says nothing")
  func kinds() {
    #expect(
      ListBench.entries("FILE \"a.wav\" WAVE\nTRACK 1 AUDIO\nINDEX 1 0:0:0\n") == ["start #1"])
    #expect(ListBench.entries("1.5\t1.5\tx", named: "labels") == ["1.5s x"])
    #expect(ListBench.entries("1.5s\tx", named: "labels") == ["1.5s x"])
  }

  @Test(
    "Every encoding that such files come in gives the same list",
    arguments: ["\n", "\r\n", "\r"])
  func encodings(lineEnd: String) {
    let text = "0:00 Père Noël — “Ôde”\n1:00 Zwölf\n".replacing("\n", with: lineEnd)
    let expected = ["start Père Noël — “Ôde”", "1:00 Zwölf"]
    #expect(ListBench.entries(text) == expected)
    #expect(ListBench.entries([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == expected)
    let low = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let high = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    #expect(ListBench.entries([0xFF, 0xFE] + low) == expected)
    #expect(ListBench.entries([0xFE, 0xFF] + high) == expected)
    let marks: [Unicode.Scalar: UInt8] = ["—": 0x97, "“": 0x93, "”": 0x94]
    let windows = text.unicodeScalars.map { marks[$0] ?? UInt8($0.value) }
    #expect(ListBench.entries(windows) == expected)
  }

  @Test("Any list that is written is read back, whatever its kind")
  func roundTrip() {
    var random = Dice(1)
    for _ in 0..<100 {
      var frame: Int64 = 0
      var frames: [Int64] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        frames.append(frame)
        frame += Int64.random(in: 1...100_000, using: &random)
      }
      let times = frames.map { Time(value: $0, timescale: 75) }
      let titles = frames.map { "Song \($0) /\\ \($0 % 7)" }
      func padded(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
      let cue =
        "FILE \"a\" WAVE\n"
        + zip(frames, titles).enumerated().map { index, entry in
          let (seconds, rest) = entry.0.quotientAndRemainder(dividingBy: 75)
          return "TRACK \(index + 1) AUDIO\nTITLE \"\(entry.1)\"\n"
            + "INDEX 01 \(padded(seconds / 60)):\(padded(seconds % 60)):\(padded(rest))\n"
        }.joined()
      let text = zip(frames, titles).map { "\($0)/75s \($1)\n" }.joined()
      for (bytes, name) in [(cue, "a.cue"), (text, "a.txt")] {
        let entries = ListBench.list(bytes, named: name).entries
        #expect(entries.map { $0.start.value.timeFromStart } == times)
        #expect(entries.map(\.title) == titles)
      }
    }
  }
}
