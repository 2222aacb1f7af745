import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import ExportEngine

@Suite("Files of chapters and of words beside outputs")
struct SidecarTests {
  let folder = TestFolder()
  let tone = Signal.sine(frequency: 440, sampleRate: 44100, count: 88_200)

  /// Titles and times that a careless writer gets wrong.
  private var chapters: [Chapter] {
    [
      Chapter(start: .zero, title: "\"Ice\" & <fire> 'n \\ \t\u{1}\n"),
      Chapter(
        start: Time(value: 1, timescale: 3), title: "Zweites – ü 🎙",
        url: "https://example.org/?a=1&b=\"2\"", image: .file(FilePath(folder.path("img/ü 1.png")))),
      Chapter(start: Time(value: 7, timescale: 10), title: ""),
      Chapter(start: Time(value: 3, timescale: 2), title: "Last", image: .file("/tmp/x%.jpg")),
    ]
  }

  private func write(
    _ name: String, _ sidecars: [ChapterPlaces.Sidecar], chapters: [Chapter], isCut: Bool = false
  ) throws -> WrittenOutput {
    try write(sink(name, sidecars, chapters: chapters), isCut: isCut)
  }

  private func sink(
    _ name: String, _ sidecars: [ChapterPlaces.Sidecar], chapters: [Chapter]
  ) -> Sink {
    Sink(
      node: 0, frames: 0..<88_200,
      output: Output(
        path: FilePath(folder.path(name)), format: .wav(.int16),
        chapters: ChapterPlaces(inFile: false, sidecars: sidecars)),
      metadata: Metadata(), chapters: chapters, isDithered: false)
  }

  private func write(_ sink: Sink, isCut: Bool = false) throws -> WrittenOutput {
    let writer = try makeWriter(
      for: sink, format: AudioFormat(sampleRate: 44100, channelLayout: .mono))
    let block = AudioBuffer(channelCount: 1, capacity: 88_200)
    block.fill([tone], from: 0, count: isCut ? 100 : 88_200)
    try writer.write(block)
    let written = try writer.finish()
    try writer.commit()
    return written
  }

  @Test("words are written beside an output, as its layout breaks them")
  func words() throws {
    let second = Time(value: 1, timescale: 1)
    var sink = sink("out/a.wav", [.podlove], chapters: chapters)
    sink.transcript = Transcript([
      Cue("One two three", in: TimeRange(start: second, duration: second), speaker: "Ann")
    ])
    sink.output.transcript = TranscriptPlaces(
      sidecars: [.srt], lines: LineLayout(width: 8, lines: 2))
    let written = try write(sink)
    #expect(
      written.sidecars.map(\.path.string)
        == ["out/a.psc", "out/a.srt"].map { folder.path($0) })
    #expect(written.sidecars.map(\.kind) == [.chapters(.podlove), .transcript(.srt)])
    #expect(
      String(decoding: try readFile(folder.path("out/a.srt")), as: UTF8.self) == """
        1
        00:00:01,000 --> 00:00:01,615
        Ann: One
        two

        2
        00:00:01,615 --> 00:00:02,000
        three

        """)
  }

  @Test("their bytes are these, at each run")
  func bytes() throws {
    let written = try write("out/a.wav", [.podlove, .podcasting2], chapters: chapters)
    let podlove = try readFile(folder.path("out/a.psc"))
    let json = try readFile(folder.path("out/a.chapters.json"))
    #expect(
      written.sidecars == [
        WrittenSidecar(
          kind: .chapters(.podlove), path: FilePath(folder.path("out/a.psc")),
          size: Int64(podlove.count)),
        WrittenSidecar(
          kind: .chapters(.podcasting2), path: FilePath(folder.path("out/a.chapters.json")),
          size: Int64(json.count)),
      ])
    #expect(
      String(decoding: podlove, as: UTF8.self) == """
        <?xml version="1.0" encoding="utf-8"?>
        <psc:chapters version="1.2" xmlns:psc="http://podlove.org/simple-chapters">
          <psc:chapter start="00:00:00.000" title="&quot;Ice&quot; &amp; &lt;fire&gt; 'n \\ &#9;\u{FFFD}&#10;"/>
          <psc:chapter start="00:00:00.333" title="Zweites – ü 🎙" href="https://example.org/?a=1&amp;b=&quot;2&quot;" image="../img/%C3%BC%201.png"/>
          <psc:chapter start="00:00:00.700" title=""/>
          <psc:chapter start="00:00:01.500" title="Last" image="../../x%25.jpg"/>
        </psc:chapters>

        """)
    #expect(
      String(decoding: json, as: UTF8.self) == """
        {
          "version": "1.2.0",
          "chapters": [
            {
              "startTime": 0,
              "title": "\\"Ice\\" & <fire> 'n \\\\ \\t\\u0001\\n"
            },
            {
              "startTime": 0.333,
              "img": "../img/%C3%BC%201.png",
              "title": "Zweites – ü 🎙",
              "url": "https://example.org/?a=1&b=\\"2\\""
            },
            {
              "startTime": 0.7,
              "title": ""
            },
            {
              "startTime": 1.5,
              "img": "../../x%25.jpg",
              "title": "Last"
            }
          ]
        }

        """)
  }

  @Test("Python's parsers of XML and JSON read the original texts")
  func parsers() throws {
    _ = try write("a.wav", [.podlove, .podcasting2], chapters: chapters)
    let script = """
      import json, sys, xml.etree.ElementTree as tree
      space = '{http://podlove.org/simple-chapters}'
      root = tree.parse('a.psc').getroot()
      assert root.tag == space + 'chapters' and root.attrib == {'version': '1.2'}
      for chapter in root:
          assert chapter.tag == space + 'chapter'
          hours, minutes, seconds = chapter.get('start').split(':')
          print(int(hours) * 3600 + int(minutes) * 60 + float(seconds), ascii(chapter.get('title')),
              ascii(chapter.get('href')))
      document = json.load(open('a.chapters.json'))
      assert document['version'] == '1.2.0' and sorted(document) == ['chapters', 'version']
      for chapter in document['chapters']:
          print(float(chapter['startTime']), ascii(chapter['title']), ascii(chapter.get('url')))
      """
    let lines = try Tool.succeed("python3", "-c", script, in: folder.root).text
      .split(separator: "\n")
    let titles = [
      #"'"Ice" & <fire> \'n \\ \t\x01\n'"#, #"'Zweites \u2013 \xfc \U0001f399'"#, "''", "'Last'",
    ]
    let url = #"'https://example.org/?a=1&b="2"'"#
    let expected = zip(["0.0", "0.333", "0.7", "1.5"], titles).map { start, title in
      "\(start) \(title) \(start == "0.333" ? url : "None")"
    }
    #expect(lines.suffix(4).map(String.init) == expected)
    #expect(
      lines.prefix(4).map(String.init)
        == expected.map { $0.replacing(#"\x01"#, with: #"\ufffd"#) })
  }

  @Test("they appear with the sound or not at all")
  func together() throws {
    #expect(throws: Failure.self) {
      try write("out/a.wav", [.podlove, .podcasting2], chapters: chapters, isCut: true)
    }
    #expect(try entries(of: folder.root) == [])
    // Its encoding cannot be opened.
    let output = Output(
      path: FilePath(folder.path("new/c.mp3")), format: .mp3(.standard),
      chapters: ChapterPlaces(inFile: false, sidecars: [.podlove, .podcasting2]))
    var metadata = Metadata()
    metadata.cover = .file(FilePath(folder.path("missing.png")))
    let sink = Sink(
      node: 0, frames: 0..<100, output: output, metadata: metadata, chapters: chapters,
      isDithered: false)
    #expect(throws: Failure.self) {
      try makeWriter(for: sink, format: AudioFormat(sampleRate: 44100, channelLayout: .mono))
    }
    #expect(try entries(of: folder.root) == [])
    try Tool.succeed("mkdir", "-p", folder.path("b.chapters.json"))
    let failure = #expect(throws: Failure.self) {
      try write("b.wav", [.podlove, .podcasting2], chapters: chapters)
    }
    #expect(failure?.message == "is a folder; name a file")
    #expect(failure?.path == FilePath(folder.path("b.chapters.json")))
    #expect(try entries(of: folder.root) == ["b.chapters.json"])
  }

  @Test("without chapters there are none")
  func nothing() throws {
    #expect(try write("a.wav", [.podlove], chapters: []).sidecars == [])
    #expect(try entries(of: folder.root) == ["a.wav"])
  }
}
