import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("The tag of an MP3")
struct ID3Tests {
  let folder = TestFolder()

  /// The tag of a short file that was written with these.
  private func tag(
    id3: ID3Version? = nil, metadata: Metadata = Metadata(), chapters: [Chapter] = [],
    format: Output.Format = .mp3(.standard)
  ) throws -> (bytes: [UInt8], tag: ID3Tag?) {
    let path = folder.path("a.mp3")
    var output = Output(path: FilePath(path), format: format)
    output.id3 = id3
    let sink = Sink(
      node: 0, frames: 0..<44_100, output: output, metadata: metadata, chapters: chapters,
      isDithered: false)
    let writer = try makeWriter(
      for: sink, format: AudioFormat(sampleRate: 44_100, channelLayout: .mono))
    let block = AudioBuffer(channelCount: 1, capacity: 44_100)
    block.fill(
      [Signal.sine(frequency: 440, sampleRate: 44_100, count: 44_100)], from: 0, count: 44_100)
    try writer.write(block)
    _ = try writer.finish()
    try writer.commit()
    let bytes = try readFile(path)
    return (bytes, ID3Tag(parsing: bytes))
  }

  private func chapters(image: Artwork? = nil) -> [Chapter] {
    [
      Chapter(start: .zero, title: "One"),
      Chapter(
        start: Time(value: 1, timescale: 2), title: "Two", url: "https://example.org/two",
        image: image),
    ]
  }

  private func image() throws -> FilePath {
    let path = folder.path("i.png")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=40x30", "-frames:v", "1",
      path)
    return FilePath(path)
  }

  @Test("it is 2.4, and 2.3 where FFmpeg would lose a chapter, unless a version is set")
  func versions() throws {
    let image = Artwork.file(try image())
    let cases: [(ID3Version?, [Chapter], UInt8, String)] = [
      (nil, [], 4, ""), (nil, chapters(), 4, "One\nTwo"),
      (nil, chapters(image: image), 3, "One\nTwo"),
      (.v23, [], 3, ""), (.v23, chapters(), 3, "One\nTwo"),
      // As the plan says.
      (.v24, chapters(image: image), 4, "One"),
    ]
    for (asked, chapters, version, titles) in cases {
      let (bytes, tag) = try tag(id3: asked, chapters: chapters)
      #expect(bytes[3] == version)
      #expect(tag?.chapters.map(\.title) == chapters.map(\.title))
      #expect(tag?.chapters.map(\.url) == chapters.map(\.url))
      #expect(
        tag?.chapters.map { $0.image?.isEmpty } == chapters.map { $0.image.map { _ in false } })
      #expect(try probe(folder.path("a.mp3"), "chapter_tags=title") == titles)
    }
  }

  @Test(
    "the encoder is named unless the job names one, and what was tagged can be corrected in place")
  func encoder() throws {
    let (bare, plain) = try tag()
    #expect(plain?.items.map(\.value) == ["avjob"])
    #expect(bare[6..<10].elementsEqual([0, 0, 0, 16]))
    var metadata = Metadata()
    metadata["Encoder"] = "Mine"
    metadata["title"] = "T"
    let (tagged, own) = try tag(metadata: metadata)
    #expect(own?.items.map(\.value) == ["Mine", "T"])
    #expect(tagged[6..<10].elementsEqual([0, 0, 8, 27]))
    #expect(tagged[37..<37 + 1024].allSatisfy { $0 == 0 } && tagged[37 + 1024] == 0xFF)
  }

  private static let hasMutagen =
    (try? Tool.run(["/usr/bin/python3", "-c", "import mutagen"]))?.status == 0

  @Test(
    "AIFF has the same tag in a chunk, and is whole to others", .enabled(if: hasMutagen),
    arguments: [ID3Version.v24, .v23])
  func aiff(version: ID3Version) throws {
    let script = """
      import sys
      from mutagen.aiff import AIFF
      tag = AIFF(sys.argv[1]).tags
      two = tag["CHAP:ch1"].sub_frames
      print(tag.version[1], tag["COMM::eng"].text[0], tag["USLT::eng"].text, tag["TSRC"].text[0],
            two["TIT2"].text[0], two["WXXX:chapter url"].url, len(two["APIC:"].data))
      """
    let image = try image()
    let size = try readFile(image.string).count
    // Of odd and of even length.
    for (comment, format) in [("C", Output.SampleFormat.int16), ("CC", .float32)] {
      var metadata = Metadata()
      metadata["comment"] = comment
      metadata["lyrics"] = "L"
      metadata["isrc"] = "I"
      metadata["language"] = "en"
      let (bytes, _) = try tag(
        id3: version, metadata: metadata, chapters: chapters(image: .file(image)),
        format: .aiff(format))
      #expect(bytes[4..<8].reduce(0) { $0 << 8 | Int($1) } == bytes.count - 8)
      #expect(
        try Tool.succeed("/usr/bin/python3", "-c", script, folder.path("a.mp3")).text
          == "\(version.rawValue) \(comment) L I Two https://example.org/two \(size)\n")
      let path = folder.path("a.aiff")
      try Tool.succeed("mv", folder.path("a.mp3"), path)
      #expect(try decode(path).count == 44_100)
      #expect(try Tool.succeed("soxi", "-s", path).text.trimmed == "44100")
      let asset = try Prober.probe(.file(FilePath(path)), stream: nil).asset
      #expect(asset.metadata["comment"] == comment && asset.metadata["isrc"] == "I")
      #expect(asset.metadata["language"] == "eng")
      #expect(asset.chapters.map(\.url) == [nil, "https://example.org/two"])
      #expect(asset.chapters.map { $0.image == nil } == [true, false])
    }
    let (bare, _) = try tag(format: .aiff(.int16))
    #expect(!String(decoding: bare.suffix(200), as: UTF8.self).contains("ID3 "))
  }

  @Test("an image that is none is named by its chapter, and found before work starts")
  func badImages() throws {
    try writeFile(folder.path("text.png"), "no picture".utf8)
    let chapters = chapters(image: .file(FilePath(folder.path("text.png"))))
    for format in [Output.Format.mp3(.standard), .aiff(.int16)] {
      let sink = Sink(
        node: 0, frames: 0..<44_100, output: Output(path: "a", format: format),
        metadata: Metadata(), chapters: chapters, isDithered: false)
      var pictures = PictureCache()
      let failure = #expect(throws: Failure.self) {
        try requireEncodable(
          sink, format: AudioFormat(sampleRate: 44_100, channelLayout: .mono), seeing: &pictures)
      }
      #expect(failure?.message == "the image of 'Two' is neither a JPEG nor a PNG picture")
      #expect(failure?.path == FilePath(folder.path("text.png")))
    }
  }
}
