import TestSupport
import Testing

/// Media of some megabytes whose headers ask for gigabytes or minutes (`Tests/Rigs/bombs.py`).
@Suite struct BombTests {
  private func probed(_ file: String) throws -> ToolResult {
    let stage = Stage()
    try stage.share("\(Fixture.path("../Tests/Rigs/bombs.py"))")
    return try stage.run("ulimit -v 700000; avjob probe \(file) | head -c 1000000")
  }

  @Test(
    "Tags beyond all measure are left out, with a warning",
    arguments: [
      "inflating.mp3", "many.mp3", "private.mp3", "many.flac", "same.flac", "long.flac",
      "keys.flac", "many.opus", "many.m4a", "list.wav", "many.wav", "inflating.wav", "many.aiff",
      "inflating.aiff", "many.mka", "chapters.mka",
    ])
  func tags(file: String) throws {
    let result = try probed(file)
    #expect(result.text.hasPrefix("\(file)\n  sound"))
    let chapters =
      "warning: 'chapters.mka': has more chapters, or chapters in chapters, than are read\n"
    #expect(
      result.errors == (file == "chapters.mka" ? chapters : "") + """
        warning: '\(file)': has more than 1000 tags or 10000 chapters, or larger tags than are read: others are left out

        """)
  }

  @Test(
    "Tables beyond all measure are refused",
    arguments: ["samples.mov", "tracks.mov", "fragments.mp4"])
  func tables(file: String) throws {
    let result = try probed(file)
    #expect(result.text == "")
    #expect(
      result.errors == """
        error: '\(file)': its tables count more than a file of its size can hold; encode it again

        """)
  }

  @Test("A decoder's configuration of a gibibyte is the file's fault, and no want of memory")
  func configuration() throws {
    let stage = Stage()
    try stage.share("\(Fixture.path("../Tests/Rigs/bombs.py"))")
    let result = try stage.run("avjob probe configuration.mp4")
    #expect(result.text == "")
    #expect(
      result.errors == """
        error: 'configuration.mp4': its header announces more than a file of its size can hold; encode it again

        """)
  }

  @Test("A cover of gigabytes is named, and not read")
  func cover() throws {
    let stage = Stage()
    try stage.write(
      "cover.py",
      """
      import struct
      def box(name, body, more): return struct.pack('>I', 8 + len(body) + more) + name + body
      movie = bytearray(open('plain.m4a', 'rb').read())
      more = 3 << 30
      tags = box(b'data', struct.pack('>II', 13, 0) + b'\\xff\\xd8\\xff\\xe0', more)
      for name in [b'covr', b'ilst']: tags = box(name, tags, more)
      handler = box(b'hdlr', bytes(8) + b'mdirappl' + bytes(9), 0)
      tags = box(b'udta', box(b'meta', bytes(4) + handler + tags, more), more)
      place = movie.rindex(b'moov') - 4
      size, = struct.unpack('>I', movie[place:place + 4])
      assert place + size == len(movie)
      movie[place:place + 4] = struct.pack('>I', size + len(tags) + more)
      with open('cover.m4a', 'wb') as file:
        file.write(movie + tags)
        file.truncate(len(movie) + len(tags) + more)

      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=d=1 -c:a aac -fflags bitexact -flags bitexact plain.m4a
      python3 cover.py
      """)
    let result = try stage.run("ulimit -v 700000; avjob probe cover.m4a")
    #expect(result.status == 0 && result.text.contains("cover"), "\(result)")
  }
}
