import ExportGraph
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sound writers: tags of a recording")
struct RecordingTagTests {
  private let folder = TestFolder()

  @Test("when, where and with what something was recorded is read by ffprobe where phones write it")
  func recording() throws {
    var metadata = Metadata()
    for (key, value) in [
      ("title", "Tower"), ("creation_time", "2024-05-06T09:08:09+02:00"),
      ("location", "+48.8577+002.2950/"), ("make", "Nokia"), ("model", "3310"),
      ("com.android.version", "14"),
    ] { metadata[key] = value }
    let path = folder.path("a.m4a")
    try writeSound(
      [Signal.noise(seed: 1, count: 44_100)], to: path, .m4a(bitRate: 96_000), metadata: metadata)
    let tags = try probe(path, "format_tags:stream_tags=creation_time", "-of", "default=nw=1")
      .split(separator: "\n")
    for line in [
      "title=Tower", "creation_time=2024-05-06T07:08:09.000000Z", "location=+48.8577+002.2950/",
      "make=Nokia", "model=3310", "com.android.version=14",
    ] { #expect(tags.contains { $0 == "TAG:" + line }, "\(tags)") }
    #expect(tags.count { $0.contains("creation_time") } == 2, "\(tags)")
    let bytes = try readFile(path)
    for name in ["xyz", "mak", "mod"] {
      #expect(bytes.firstRange(of: [0xA9] + Array(name.utf8)) != nil, "\(name)")
    }
    for name in ["LOCATION", "ENCODINGTIME"] {
      #expect(bytes.firstRange(of: Array(name.utf8)) == nil, "\(name)")
    }
  }

  @Test("a date that no header holds is left out of Matroska, with a warning, and is a tag of MP4")
  func headerDate() throws {
    for (name, date, isHeld) in [
      ("a.mkv", "2024-05-06T09:08:09+02:00", true), ("a.mkv", "now", false),
      ("a.webm", "2024", false), ("a.mp4", "2024-05-06T09:08:09+02:00", true),
      ("a.mp4", "2024", true),
    ] {
      var metadata = Metadata()
      metadata["creation_time"] = date
      let isMP4 = name == "a.mp4"
      let sink = Sink(
        node: 0, frames: 0..<1,
        output: Output(
          path: FilePath(name), format: isMP4 ? .m4a(bitRate: 1) : .opus(bitRate: 64_000)),
        metadata: metadata, chapters: [], isDithered: false)
      let notes = omissions(of: sink).map(\.message)
      let note =
        "the tag 'creation_time' is no date of 1970 to 2039, as 2024-05-06T07:08:09Z: '\(date)' is left out"
      #expect(notes == (isHeld ? [] : [note]), "\(name) \(date)")
      let written = sink.writtenTags
      let isHeader = date.hasSuffix("+02:00")
      #expect(written.metadata.map(\.key) == (isHeader ? ["creation_time"] : []))
      #expect(written.metadata.first?.value == (isHeader ? "2024-05-06T07:08:09Z" : nil))
      #expect((written.later == .none) == (isHeader || !isMP4))
    }
  }
}
