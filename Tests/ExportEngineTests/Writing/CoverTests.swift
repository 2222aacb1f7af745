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

  /// Gives a file these pictures alone; of the MIME type `old` they are `COVERART`.
  private func make(_ pictures: [(file: String, type: Int, mime: String)], in media: String) throws
  {
    try writeFile(
      folder.path("c.webp"),
      Array("RIFF".utf8) + [26, 0, 0, 0] + Array("WEBPVP8L".utf8)
        + [UInt8](repeating: 7, count: 14))
    let script = """
      import base64, sys, mutagen, mutagen.flac, mutagen.mp4
      name, words = sys.argv[1], sys.argv[2:]
      file, kind = mutagen.File(name), name.split('.')[-1]
      pictures = []
      for path, type, mime in zip(words[::3], words[1::3], words[2::3]):
          picture = mutagen.flac.Picture()
          picture.data, picture.type, picture.mime = open(path, 'rb').read(), int(type), mime
          pictures.append(picture)
      if kind == 'flac':
          file.clear_pictures()
          for picture in pictures: file.add_picture(picture)
      elif kind == 'm4a':
          file['covr'] = [mutagen.mp4.MP4Cover(one.data, 0) for one in pictures]
      else:
          for key in 'METADATA_BLOCK_PICTURE', 'COVERART', 'COVERARTMIME':
              if key in file: del file[key]
      if kind in ('flac', 'm4a'): pass
      elif pictures[0].mime == 'old':
          file['COVERART'] = [base64.b64encode(one.data).decode() for one in pictures]
          file['COVERARTMIME'] = 'image/jpeg'
      else:
          file['METADATA_BLOCK_PICTURE'] = [base64.b64encode(one.write()).decode() for one in pictures]
      file.save()
      """
    let result = try Tool.run(
      ["/usr/bin/python3", "-c", script, folder.path(media)]
        + pictures.flatMap { [folder.path($0.file), "\($0.type)", $0.mime] })
    try #require(result.status == 0, "\(result.errors)")
  }

  private func unread(_ name: String) throws -> [String] {
    try MediaLibrary().asset(at: FilePath(folder.path(name))).unread
  }

  @Test(
    "are found by their bytes, whatever type the file gives them",
    arguments: ["flac", "m4a", "ogg", "opus"])
  func types(kind: String) throws {
    let media = "t." + kind
    for mime in ["", "image/x-unknown", "old"]
    where mime != "old" || ["ogg", "opus"].contains(kind) {
      try make([("c.jpg", 3, mime)], in: media)
      let artwork = try #require(try embedded(media))
      let bytes = try readFile(folder.path("c.jpg"))
      #expect(artwork.format == .jpeg && artwork.byteCount == Int64(bytes.count))
      #expect(try readPicture(.embedded(artwork))?.bytes == bytes)
      #expect(try unread(media) == [])
    }
    try make([("c.webp", 3, "image/webp")], in: media)
    #expect(try embedded(media)?.format == .other("WebP"))
  }

  @Test("are front covers before others, and icons last; those that are left are counted")
  func several() throws {
    for media in ["t.flac", "t.opus"] {
      try make([("c.webp", 3, "image/webp"), ("c.jpg", 0, "image/jpeg")], in: media)
      #expect(try embedded(media)?.format == .other("WebP"))
      #expect(try unread(media) == ["1 more picture"])
      try make(
        [("c.png", 1, "image/png"), ("c.jpg", 0, "image/jpeg"), ("c.gif", 4, "image/gif")],
        in: media)
      #expect(try embedded(media)?.format == .jpeg)
      #expect(try unread(media) == ["2 more pictures"])
    }
    try make([("c.jpg", 3, "-->")], in: "t.flac")
    #expect(try embedded("t.flac") == nil)
    #expect(try unread("t.flac") == ["the address of a picture"])
  }

  @Test("lie in a packet of comments on many pages, and are read whole from there")
  func pages() throws {
    let large = Array(try readFile(folder.path("c.jpg"))) + (0..<300_000).map { UInt8($0 & 0xFF) }
    try writeFile(folder.path("large.jpg"), large)
    for mime in ["image/jpeg", "old"] {
      try make([("large.jpg", 3, mime)], in: "t.opus")
      let artwork = try #require(try embedded("t.opus"))
      #expect(try readPicture(.embedded(artwork))?.bytes == large)
    }
    // Behind a head of 5 bytes, two pages of 3 and 4 bytes.
    #expect(PictureList.places(of: 2..<6, in: [10..<13, 20..<24]) == [12..<13, 20..<23])
  }
}
