import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Covers that media files hold")
struct CoverTests {
  let folder = TestFolder()

  init() throws {
    let script = """
      ffmpeg -v error -f lavfi -i testsrc=size=40x30 -frames:v 1 c.png
      ffmpeg -v error -f lavfi -i testsrc=size=40x30 -frames:v 1 -pix_fmt yuvj420p c.jpg
      ffmpeg -v error -f lavfi -i testsrc=size=40x30 -frames:v 1 -pix_fmt rgb8 c.gif
      ffmpeg -v error -f lavfi -i sine=duration=1 t.wav
      ffmpeg -v error -i t.wav -ac 2 t.mp3
      ffmpeg -v error -i t.wav t.m4a
      ffmpeg -v error -i t.wav t.flac
      ffmpeg -v error -i t.wav -ac 2 -c:a libvorbis t.ogg
      ffmpeg -v error -i t.wav t.opus
      """
    try Tool.succeed("bash", "-euc", script, in: folder.root)
  }

  /// Puts a picture into a file as mutagen does.
  private func embed(_ picture: String, mime: String, into media: String) throws {
    let script = """
      import base64, sys, mutagen, mutagen.id3, mutagen.flac, mutagen.mp4
      data = open(sys.argv[1], 'rb').read()
      kind = sys.argv[3].split('.')[-1]
      if kind in ('mp3', 'aiff'):
          file = mutagen.File(sys.argv[3]) if kind == 'aiff' else mutagen.id3.ID3()
          if kind == 'aiff' and file.tags is None: file.add_tags()
          tags = file.tags if kind == 'aiff' else file
          back = mutagen.id3.APIC(3, sys.argv[2], 4, 'back', b'\\xff\\xd8\\xff back')
          tags.add(back)
          tags.add(mutagen.id3.APIC(3, sys.argv[2], 3, 'front', data))
          file.save() if kind == 'aiff' else file.save(sys.argv[3])
      elif kind == 'm4a':
          file = mutagen.mp4.MP4(sys.argv[3])
          form = mutagen.mp4.MP4Cover.FORMAT_PNG if 'png' in sys.argv[2] else mutagen.mp4.MP4Cover.FORMAT_JPEG
          file['covr'] = [mutagen.mp4.MP4Cover(data, form)]
          file.save()
      else:
          picture = mutagen.flac.Picture()
          picture.data, picture.type, picture.mime = data, 3, sys.argv[2]
          picture.width, picture.height, picture.depth = 40, 30, 24
          file = mutagen.File(sys.argv[3])
          if kind == 'flac': file.add_picture(picture)
          else: file['METADATA_BLOCK_PICTURE'] = base64.b64encode(picture.write()).decode()
          file.save()
      """
    try Tool.succeed(
      "/usr/bin/python3", "-c", script, folder.path(picture), mime, folder.path(media))
  }

  private func embedded(_ name: String) throws -> EmbeddedArtwork? {
    let asset = try MediaLibrary().asset(at: FilePath(folder.path(name)))
    guard case .embedded(let artwork)? = asset.metadata.cover else { return nil }
    return artwork
  }

  @Test(
    "are found by probing and read whole when they are written",
    arguments: ["mp3", "m4a", "flac", "ogg", "opus", "mka"])
  func found(kind: String) throws {
    for (picture, mime) in [("c.jpg", "image/jpeg"), ("c.png", "image/png")] {
      let media = "t." + kind
      if kind == "mka" {
        try Tool.succeed(
          "ffmpeg", "-v", "error", "-y", "-i", "t.wav", "-attach", "c.gif", "-metadata:s:t:0",
          "mimetype=image/gif", "-attach", picture, "-metadata:s:t:1", "mimetype=\(mime)",
          "-metadata:s:t:1", "filename=cover.\(picture.suffix(3))", media, in: folder.root)
      } else {
        try embed(picture, mime: mime, into: media)
      }
      let artwork = try #require(try embedded(media))
      let bytes = try readFile(folder.path(picture))
      #expect(artwork.format == (picture == "c.jpg" ? .jpeg : .png))
      #expect(artwork.byteCount == Int64(bytes.count))
      #expect(try readPicture(.embedded(artwork))?.bytes == bytes)
      if kind == "flac" {
        try Tool.succeed("metaflac", "--remove", "--block-type=PICTURE", folder.path(media))
      }
    }
  }

  @Test("that no output can hold are left out with a warning")
  func unwritable() throws {
    try embed("c.gif", mime: "image/gif", into: "t.mp3")
    let artwork = try #require(try embedded("t.mp3"))
    #expect(artwork.format == .other("GIF"))
    #expect(try readPicture(.embedded(artwork)) == nil)
    var metadata = Metadata()
    metadata.cover = .embedded(artwork)
    let sink = Sink(
      node: 0, frames: 0..<1, output: Output(path: "a.m4a", format: .m4a(bitRate: 96_000)),
      metadata: metadata, chapters: [], isDithered: false)
    #expect(
      omissions(of: sink).map(\.message) == [
        "the cover is a GIF picture, and outputs hold JPEG and PNG: left out"
      ])
    try writeSound(
      [Signal.sine(frequency: 440, sampleRate: 44100, count: 9000)], to: folder.path("a.m4a"),
      .m4a(bitRate: 96_000), metadata: metadata)
    #expect(try embedded("a.m4a") == nil)
  }

  @Test("larger than FLAC's largest block are left out with a warning")
  func large() throws {
    try Tool.succeed("truncate", "-s", "17M", folder.path("c.png"))
    try embed("c.png", mime: "image/png", into: "t.mp3")
    var metadata = Metadata()
    metadata.cover = try embedded("t.mp3").map { .embedded($0) }
    let sink = Sink(
      node: 0, frames: 0..<1, output: Output(path: "a.flac", format: .flac(bitDepth: 16)),
      metadata: metadata, chapters: [], isDithered: false)
    #expect(omissions(of: sink).map(\.message) == ["the cover is larger than 16 MB: left out"])
  }

  @Test("of a file that was changed meanwhile are not read: the job may be run again")
  func changed() throws {
    try embed("c.jpg", mime: "image/jpeg", into: "t.mp3")
    let artwork = try #require(try embedded("t.mp3"))
    try embed("c.png", mime: "image/png", into: "t.mp3")
    let failure = #expect(throws: Failure.self) { try readPicture(.embedded(artwork)) }
    #expect(failure?.remedy == .tryAgain)
    #expect(
      failure?.message
        == "was changed, moved or removed while avjob was working; run the job again once it stays "
        + "as it is")
  }
}
