import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// Jobs built by hand, as the one-shot commands build them, with carets under arguments.
@Suite struct SyntaxTreeTests {
  @Test("'avjob clip' is a job of one clip, and its arguments are places")
  func clip() throws {
    let map = SourceMap()
    let origins = map.add(
      arguments: ["avjob", "clip", "my talk.wav", "--from", "0:10", "--to", "2:00", "-o", "x.mp3"])
    let range = ItemRange(
      from: Located(try Moment(parsing: "0:10"), at: origins[4]),
      end: .moment(Located(try Moment(parsing: "2:00"), at: origins[6])))
    let item = Item.clip("my talk.wav", range: range, origin: origins[2])
    let job = Job(
      name: "clip", item: item,
      outputs: [
        Output(path: "x.mp3", request: try .init(extensionOf: "x.mp3"), origin: origins[8])
      ])
    #expect(job.media == [MediaReference("my talk.wav")])
    do throws(Diagnostics) {
      _ = try job.export { .fake($0.location.description, seconds: 60) }
      Issue.record("nothing was refused")
    } catch {
      expect(
        error.render(in: map),
        """
        command line:1:43: error: the range ends at 2:00, but 'my talk.wav' lasts 1:00
            1 | avjob clip 'my talk.wav' --from 0:10 --to 2:00 -o x.mp3
              |                                           ^~~~
          help: leave the end out, or write 'end'
        """)
    }
    let long = try job.export { .fake($0.location.description, seconds: 600) }
    #expect(long.composition.duration == Time(value: 110, timescale: 1))
  }

  @Test("'avjob concat --crossfade' is a sequence")
  func concat() throws {
    var sequence = ItemSequence(["a.wav", "b.wav"].map { Item.clip(.file(FilePath($0))) })
    sequence.crossfade = Located(Fade(try TimeText(parsing: "2s")))
    let job = Job(
      name: "concat", item: Item(.concat(sequence)),
      outputs: [Output(path: "x.mp3", request: .usual(.mp3))])
    let export = try job.export { .fake($0.location.description, seconds: 60) }
    #expect(export.composition.tracks.count == 2)
    #expect(export.composition.duration == Time(value: 118, timescale: 1))
  }

  @Test("A stream is probed once, however often it is named")
  func media() {
    let items = [
      Item.clip("a.wav"), .clip("a.wav", stream: 1), .clip("b.wav"), .clip("a.wav"),
      Item(.tracks([ItemTrack(name: "x", ItemSequence([.clip("c.wav"), .clip("b.wav")]))])),
    ]
    let job = Job(name: "x", item: Item(.concat(ItemSequence(items))), outputs: [])
    #expect(job.media.map(\.location) == ["a.wav", "a.wav", "b.wav", "c.wav"])
    #expect(job.media.map(\.stream) == [nil, 1, nil, nil])
  }

  @Test("A failure of the engine is reported at its reference")
  func failures() {
    let map = SourceMap()
    let origins = map.add(arguments: ["avjob", "compress", "a.wav"])
    let failure = Failure(.mendInput, "no sound in it", path: "a.wav")
    expect(
      Diagnostic(failure, at: origins[2]).render(in: map),
      """
      command line:1:16: error: 'a.wav': no sound in it
          1 | avjob compress a.wav
            |                ^~~~~
      """)
    expect(Diagnostic(failure).render(in: map), "error: 'a.wav': no sound in it")
    expect(
      Diagnostic(Warning("shorter than its header says", origin: origins[2])).render(in: map),
      """
      command line:1:16: warning: shorter than its header says
          1 | avjob compress a.wav
            |                ^~~~~
      """)
  }

  @Test("On a terminal, places are bold, errors red and carets green")
  func colour() {
    let map = SourceMap()
    let origins = map.add(arguments: ["avjob", "x"])
    let diagnostic = Diagnostic("no command 'x'", at: origins[1], help: "try 'avjob help'")
    expect(
      diagnostic.render(in: map, style: .colour).replacing("\u{1B}", with: "^"),
      """
      ^[1mcommand line:1:7:^[0m ^[1;31merror:^[0m ^[1mno command 'x'^[0m
          1 | avjob x
            |       ^[1;32m^^[0m
        ^[1mhelp:^[0m try 'avjob help'
      """)
  }

  @Test("Of a long line a window is shown")
  func longLines() {
    let map = SourceMap()
    let text = String(repeating: "x", count: 500) + "HERE" + String(repeating: "y", count: 500)
    let source = map.add(text: text, named: "long")
    let origin = map.origin(in: source, line: 1, column: 501, length: 4)
    expect(
      Diagnostic("look", at: origin).render(in: map),
      """
      long:1:501: error: look
          1 | …\(String(repeating: "x", count: 53))HERE\(String(repeating: "y", count: 103))…
            | \(String(repeating: " ", count: 54))^~~~
      """)
  }

  @Test("Unknown origins and those of other maps have no place")
  func origins() {
    let map = SourceMap()
    #expect(map.place(of: .unknown) == nil)
    #expect(map.place(of: Origin(rawValue: 77)) == nil)
    let source = map.add(text: "a\nbcd", named: "t")
    let origin = map.origin(in: source, line: 2, column: 1, length: 3)
    let part = map.origin(within: origin, offset: 1, length: 2)
    #expect(map.place(of: part).map { [$0.line, $0.column, $0.length] } == [2, 2, 2])
    #expect(map.origin(within: origin, offset: 1, length: 2) == part)
  }

  @Test(
    "The nearest spelling",
    arguments: [
      ("fade_on", "fade_in"), ("fadeIn", "fade_in"), ("crosfade", "crossfade"), ("tracs", "tracks"),
      ("zzz", nil), ("metadta", "metadata"),
    ])
  func spelling(word: String, expected: String?) {
    #expect(Spelling.nearest(to: word, among: Language.job.keys.map(\.name)) == expected)
  }

  @Test("The schema names each key once, with what it does")
  func schema() {
    for schema in Language.maps {
      #expect(Set(schema.keys.map(\.name)).count == schema.keys.count, "\(schema.subject)")
      for key in schema.keys {
        #expect(!key.help.isEmpty && key.form.name != "any", "\(key.name)")
      }
    }
  }
}
