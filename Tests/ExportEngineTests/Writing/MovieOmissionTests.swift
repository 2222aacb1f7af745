import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportEngine
@testable import ExportGraph

/// What movies have no place for.
@Suite("Movies: chapters' links and images")
struct MovieOmissionTests {
  @Test("a movie is named by its own container, and images that its picture shows are not missed")
  func movieChapters() throws {
    var chapters = [Chapter(start: .zero, title: "One"), Chapter(start: .zero, title: "Two")]
    chapters[0].image = .picture(.file("a.png"))
    func told(_ name: String, _ video: Output.Video?, links: Bool = false) throws -> [String] {
      var sink = Sink(
        node: 0, frames: 0..<1, output: Output(path: "a", format: .m4a(bitRate: 1)),
        metadata: Metadata(), chapters: chapters, isDithered: false)
      if links { sink.chapters[1].url = "https://example.org" }
      sink.output.path = FilePath(name)
      sink.output.video = video
      if case .encode(let settings)? = video {
        var plan = PicturePlan(whole: try asset(), in: .mp4)
        plan.encoding = settings
        sink.picture = plan
      }
      return omissions(of: sink).map(\.message)
    }
    var settings = VideoSettings()
    settings.showsChapterImages = true
    #expect(try told("a.m4a", nil) == ["M4A has no place for the chapters' images: left out"])
    #expect(try told("a.mp4", .copy) == ["MP4 has no place for the chapters' images: left out"])
    #expect(
      try told("a.mov", .copy, links: true)
        == ["MOV has no place for the chapters' links and images: left out"])
    #expect(try told("a.mp4", .encode(settings)) == [])
    #expect(
      try told("a.mp4", .encode(settings), links: true)
        == ["MP4 has no place for the chapters' links: left out"])
    settings.showsChapterImages = false
    settings.image = .picture(.file("b.png"))
    #expect(
      try told("a.m4v", .encode(settings))
        == ["MP4 has no place for the chapters' images: left out"])
  }

  private func asset() throws -> Asset {
    Asset(
      location: .file("a.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 48_000, channelLayout: .mono, frameCount: 1,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }
}
