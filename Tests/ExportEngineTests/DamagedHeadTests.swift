import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Heads of files that say what cannot be, and what is read of them.
@Suite("Reading files with odd heads")
struct DamagedHeadTests {
  private let folder = TestFolder()

  private func probed(_ name: String) throws -> ProbedStream {
    try Prober.probe(.file(FilePath(folder.path(name))), stream: nil)
  }

  private func make(_ script: String) throws {
    try Tool.succeed("sh", "-c", "cd \(folder.path("")) && \(script)")
  }

  @Test("a list too short for its kind is named", arguments: 0..<4)
  func shortList(size: Int) throws {
    try make("sox -R -n -r 8000 -c 1 -b 16 a.aiff synth 0.1 sine 300")
    let list = Array("LIST".utf8) + [0, 0, 0, UInt8(size)] + Array("adtl".utf8)
    try writeFile(folder.path("b.aiff"), try readFile(folder.path("a.aiff")) + list)
    // A copy of the whole may keep it.
    let asset = try probed("b.aiff").asset
    let isKept = asset.marks?.chunks.contains { $0.name.hasPrefix("LIST") } ?? false
    #expect(isKept || asset.unread.contains("LIST"))
  }

  @Test("links are found behind bytes that look like pages and are none")
  func falsePages() throws {
    try make(
      """
      sox -R -n -r 48000 -c 1 -b 16 a.wav synth 1 sine 300
      oggenc -Q -s 1 -o a.ogg a.wav; oggenc -Q -s 2 -o b.ogg a.wav
      """)
    let (one, other) = (try readFile(folder.path("a.ogg")), try readFile(folder.path("b.ogg")))
    let junk = Array(String(repeating: "OggS", count: 40_000).utf8)
    try writeFile(folder.path("c.ogg"), one + junk + other)
    let medium = try MediumBytes(.file(FilePath(folder.path("c.ogg"))))
    let first = Int64(one.count)
    let second = first + Int64(junk.count)
    let end = second + Int64(other.count)
    let links = try OggWalk.links(in: medium)
    #expect(links.map(\.range) == [0..<first, second..<end])
    #expect(links.map(\.rest) == [first..<second, end..<end])
    #expect(links.map(\.end) == [.whole, .whole])
  }

  @Test("an RF64 whose size is left open is read to the file's end")
  func openSize() throws {
    try make("ffmpeg -v error -f lavfi -i sine=d=1:r=8000 -c:a pcm_s16le -rf64 always a.wav")
    var bytes = try readFile(folder.path("a.wav"))
    let place = try #require(bytes.firstRange(of: Array("ds64".utf8)))
    // The highest number: libavformat refuses higher ones, as negative.
    let size = place.upperBound + 12..<place.upperBound + 20
    bytes.replaceSubrange(size, with: Array(repeating: 255, count: 7) + [127])
    try writeFile(folder.path("a.wav"), bytes)
    #expect(try probed("a.wav").asset.frameCount == 8000)
  }

  @Test("a guess at a tag that another tag has for certain is none")
  func certainTag() throws {
    try make(
      """
      ffmpeg -v error -f lavfi -i sine=d=1 -metadata title=Müller -c:a libmp3lame a.mp3
      """)
    let old = Array("TAG".utf8) + [0x4D, 0xFC, 0x6C, 0x6C, 0x65, 0x72]
    try writeFile(
      folder.path("a.mp3"),
      try readFile(folder.path("a.mp3")) + old + [UInt8](repeating: 0, count: 128 - old.count))
    let probed = try probed("a.mp3")
    #expect(probed.asset.metadata.values(of: "title") == ["Müller"])
    #expect(probed.warnings.isEmpty, "\(probed.warnings)")
  }

  @Test("tags of a Matroska file's album and of its track stay apart")
  func levels() throws {
    try writeFile(
      folder.path("t.xml"),
      Array(
        """
        <Tags>
        <Tag><Targets><TargetTypeValue>50</TargetTypeValue></Targets>
        <Simple><Name>TITLE</Name><String>Album</String></Simple>
        <Simple><Name>ARTIST</Name><String>Various</String></Simple></Tag>
        <Tag><Targets><TargetTypeValue>30</TargetTypeValue></Targets>
        <Simple><Name>TITLE</Name><String>Song</String></Simple>
        <Simple><Name>ARTIST</Name><String>Ann</String></Simple>
        <Simple><Name>PART_NUMBER</Name><String>3</String></Simple></Tag>
        </Tags>
        """.utf8))
    try make(
      """
      sox -R -n -r 8000 -c 1 -b 16 a.wav synth 0.1 sine 300
      mkvmerge -q -o a.mka --global-tags t.xml a.wav
      """)
    let metadata = try probed("a.mka").asset.metadata
    for (key, value) in [
      ("title", "Song"), ("artist", "Ann"), ("album", "Album"), ("album_artist", "Various"),
      ("track", "3"),
    ] { #expect(metadata.values(of: key) == [value], "\(key)") }
  }
}
