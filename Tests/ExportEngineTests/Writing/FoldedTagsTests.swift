import ExportGraph
import MediaComposition
import Testing

@testable import ExportEngine

@Suite("Tags that a source has under two names")
struct FoldedTagsTests {
  private func sink(
    _ format: Output.Format, _ tags: [(String, [String])], own: [(String, String)] = []
  ) -> Sink {
    var metadata = Metadata()
    for (key, values) in tags { metadata.set(values, of: key) }
    var output = Output(path: "a", format: format)
    for (key, value) in own { output.metadata[key] = value }
    return Sink(
      node: 0, frames: 0..<1, output: output, metadata: metadata, chapters: [], isDithered: false)
  }

  private func fields(_ sink: Sink) -> [String] {
    sink.fields.map { "\($0.key)=\($0.values.joined(separator: "|"))" }
  }

  static let folding: [Output.Format] = [
    .m4a(bitRate: 96_000), .mp3(.standard), .wav(.int16), .aiff(.int16),
  ]

  @Test(
    "become one, with the fuller of two dates and numbers, and no word of it", arguments: folding)
  func fuller(format: Output.Format) {
    let sink = sink(
      format,
      [
        ("date", ["2001"]), ("title", ["T"]), ("YEAR", ["2001-05-01"]), ("track", ["03", "3/12"]),
      ])
    #expect(fields(sink) == ["date=2001-05-01", "title=T", "track=3/12"])
    #expect(omissions(of: sink) == [])
  }

  @Test(
    "that differ are that of the tag's own name, and the other one is named", arguments: folding)
  func different(format: Output.Format) {
    let sink = sink(format, [("YEAR", ["1999"]), ("date", ["2001"])])
    #expect(fields(sink) == ["date=2001"])
    #expect(
      omissions(of: sink).map(\.message) == [
        "\(format.kind.capabilities.name) holds one value of the tag 'date': '2001' is written, "
          + "'1999' left out"
      ])
  }

  @Test("have all values where the tag may have several, equal ones once")
  func several() {
    let tags = [("LABEL", ["L", "M"]), ("ORGANIZATION", ["O", "L"]), ("artist", ["A", "B"])]
    for format in [Output.Format.m4a(bitRate: 96_000), .mp3(.standard)] {
      #expect(fields(sink(format, tags)) == ["publisher=L|M|O", "artist=A|B"])
    }
    // FFmpeg writes Apple's names of a movie's tags into other formats.
    let apple = "com.apple.quicktime."
    let phone = [("make", ["Apple"]), (apple + "make", ["Apple"]), (apple + "model", ["iPhone"])]
    #expect(fields(sink(.m4a(bitRate: 96_000), phone)) == ["make=Apple", apple + "model=iPhone"])
    let lyrics = sink(.m4a(bitRate: 96_000), [("lyrics", ["la"]), ("lyrics-deu", ["lo"])])
    #expect(fields(lyrics) == ["lyrics=la|lo"])
  }

  @Test("are what the job says where it says one")
  func said() {
    let sink = sink(
      .m4a(bitRate: 96_000), [("YEAR", ["2001-05-01"]), ("date", ["2001"])],
      own: [("date", "2001")])
    #expect(fields(sink) == ["date=2001"])
    #expect(omissions(of: sink) == [])
  }

  @Test("keep these in Vorbis comments, and a text of ID3's a frame of its own")
  func apart() {
    let tags = [("date", ["2001"]), ("YEAR", ["1999"])]
    #expect(fields(sink(.flac(bitDepth: 16), tags)) == ["date=2001", "YEAR=1999"])
    let texts = [("title", ["real"]), ("TXXX:title", ["other"]), ("YEAR", ["about 1999"])]
    let mp3 = sink(.mp3(.standard), texts + [("date", ["2001"])])
    #expect(
      fields(mp3) == ["title=real", "TXXX:title=other", "YEAR=about 1999", "date=2001"])
  }

  @Test("a performer with an instrument is a musician of ID3, once, and back")
  func musicians() {
    let tags = [
      ("performer", ["Cy", "Di (x) y", "(z)", "Ann (guitar)", "Bo (bass (double))"]),
      ("TMCL", ["guitar", "Ann"]),
    ]
    #expect(
      fields(sink(.mp3(.standard), tags)) == [
        "performer=Cy|Di (x) y|(z)", "TMCL=guitar|Ann|bass (double)|Bo",
      ])
    let lists = [
      ("TIPL", ["Producer", "Pete", "guitar", "Ann"]), ("TMCL", ["bass", "Bo", "", "Cy"]),
    ]
    #expect(
      fields(sink(.flac(bitDepth: 16), lists)) == [
        "PRODUCER=Pete", "performer=Bo (bass)|Cy|Ann (guitar)",
      ])
  }

  @Test("one date or number says all of another if it begins with it")
  func covering() {
    for (whole, part) in [
      ("2001-05-01", "2001"), ("2001-05-01T12:30", "2001-05-01"), ("3/12", "03"), ("3", "3"),
    ] {
      #expect(FoldedTags.covers(whole, part))
    }
    for (whole, part) in [("2001", "2001-05"), ("20", "2"), ("3/12", "12"), ("A1", "A")] {
      #expect(!FoldedTags.covers(whole, part))
    }
  }
}
