import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Values of tags that formats hold as numbers and days, and names of one tag.
@Suite struct TagValueFormTests {
  private func said(_ tags: String) -> String {
    Bench().screen("clip: a.wav\nmetadata: { \(tags) }\noutput: x.m4b")
  }

  @Test("a number or a day in no form of tags is a warning at it, with the form that is meant")
  func screen() throws {
    expect(
      said("track: 1 of 10, disc: one, date: 29.11.2026"),
      """
      job.yaml:2:20: warning: 'track' is a number, as '3', or two, as '3/12'; '1 of 10' is written as it is
          2 | metadata: { track: 1 of 10, disc: one, date: 29.11.2026 }
            |                    ^~~~~~~
        help: write '1/10'
      job.yaml:2:35: warning: 'disc' is a number, as '3', or two, as '3/12'; 'one' is written as it is
          2 | metadata: { track: 1 of 10, disc: one, date: 29.11.2026 }
            |                                   ^~~
        help: players read no other form, and some formats have no place for it
      job.yaml:2:46: warning: 'date' is year, month and day, as '2026-11-29', or the first of these; '29.11.2026' is written as it is
          2 | metadata: { track: 1 of 10, disc: one, date: 29.11.2026 }
            |                                              ^~~~~~~~~~
        help: write '2026-11-29'
      """)
    let job = try Bench().load("clip: a.wav\nmetadata: { track: 1 of 10 }\noutput: x.m4b").jobs[0]
    #expect(job.metadata["track"] == "1 of 10")
  }

  @Test(
    "the form that is meant is named only where it is plain",
    arguments: [
      ("track: '01-10'", "1/10"), ("TRCK: Track 3", "3"), ("discnumber: 1 von 2", "1/2"),
      ("track: '70000'", nil), ("track: '1/2/3'", nil), ("track: one", nil),
      ("date: 2026/11/29", "2026-11-29"), ("year: 20261129", "2026-11-29"),
      ("date: 11/29/2026", "2026-11-29"), ("date: 5.5.2026", "2026-05-05"),
      ("date: 5/6/2026", nil), ("date: 31.2.2026", nil), ("release_date: May", nil),
      ("bpm: 120 BPM", "120"), ("bpm: fast", nil), ("creation_time: 20240506", "2024-05-06"),
      ("creation_time: now", nil), ("date: '2024-05-06T09:08:09+02:00'", nil),
    ] as [(String, String?)])
  func meant(tag: String, meant: String?) {
    let said = said(tag)
    #expect(said.contains("warning: "), "\(tag)")
    if let meant {
      #expect(said.hasSuffix("help: write '\(meant)'"), "\(said)")
    } else {
      #expect(!said.contains("help: write"), "\(said)")
    }
  }

  @Test(
    "values in their form, and such as remove a tag, are no warning",
    arguments: [
      "track: 3", "track: 03/12", "track: ''", "disc: 0", "date: 2026", "date: 2026-11",
      "date: 2026-11-29", "date: '2026-11-29T07:30:00Z'", "year: 1999", "bpm: 120.5",
      "title: 1 of 10", "track: []", "comment: 29.11.2026",
      "creation_time: '2024-05-06T09:08:09+02:00'", "creation_time: 2024-05",
    ])
  func valid(tag: String) {
    #expect(said(tag) == "")
  }

  @Test(
    "a time reference that is no number of frames is refused at it",
    arguments: [
      "1:00:00", "abc", "-3", "+3", "12.5", "5 ", "1_000", String(repeating: "9", count: 24),
    ])
  func timeReference(value: String) throws {
    let said = said("time_reference: \"\(value)\"")
    #expect(
      said.contains(
        "job.yaml:2:29: error: 'time_reference' is a number of frames since midnight, as "
          + "'172800000', and not '\(value)'"), "\(said)")
    #expect(said.contains(value == "5 " ? "help: write '5'" : "help: write the frames from"))
    #expect(self.said("time_reference: [1, 2]").contains("is one number, and not 2"))
    for valid in ["'0'", "172800000", "''", "[7]", "'\(UInt64.max)'"] {
      #expect(self.said("time_reference: \(valid)") == "", "\(valid)")
    }
  }

  @Test("of a table, the cell is named; a value of a part is not known yet")
  func places() {
    var bench = Bench()
    bench.texts["t.csv"] = "name,day\na,2026-11-29\nb,29.11.2026\n"
    let said = bench.screen(
      "rows: t.csv\nclip: a.wav\nmetadata: { date: \"${day}\" }\noutput: \"${name}.mp3\"")
    #expect(said.contains("t.csv:3:3: warning: 'date' is year, month and day"), "\(said)")
    #expect(
      Bench().screen(
        "clip: a.wav\nsplit: { every: 10s }\nmetadata: { track: \"${part.n}/${part.count}\" }\n"
          + "output: \"${part.n}.mp3\"") == "")
  }

  @Test("two names of one tag are refused, whatever their case")
  func names() {
    expect(
      said("track: 1, tracknumber: 3"),
      """
      job.yaml:2:23: error: 'tracknumber' and 'track' are one tag
          2 | metadata: { track: 1, tracknumber: 3 }
            |                       ^~~~~~~~~~~
        help: keep one of them
      job.yaml:2:13: note: the other one is here
          2 | metadata: { track: 1, tracknumber: 3 }
            |             ^~~~~
      """)
    for tags in [
      "date: 2026, year: 2026", "Title: a, title: b", "disc: 1, TPOS: 2",
      "albumartist: a, album_artist: b", "make: a, com.apple.quicktime.make: b",
      "COM.APPLE.QUICKTIME.CREATIONDATE: 2026, date: 2026",
    ] {
      #expect(said(tags).contains("are one tag"), "\(tags)")
    }
    // Vorbis comments have a field for each.
    for tags in ["publisher: a, label: b", "performer: a, conductor: b", "subtitle: a, version: b"]
    {
      #expect(said(tags) == "", "\(tags)")
    }
  }

  @Test("another program's name of a tag replaces the tag of the file")
  func otherNames() throws {
    let tags = try Bench().load(
      "clip: a.wav\nmetadata: { TrackNumber: 3, discnumber: 1, Year: 2026, label: L }\noutput: x.flac"
    ).jobs[0].metadata
    #expect(tags.items.map(\.key) == ["track", "disc", "date", "label"])
  }
}
