import TestSupport
import Testing

/// What is said of a file that nothing resembles.
private let absence =
  "  help: put it there, or name another one\n"

@Suite("Bad input ends in one line, and in nothing left behind")
struct BadInputTests {
  /// A folder with `tone.wav` and what `make` adds.
  private func stage(_ make: (Stage) throws -> Void = { _ in }) throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 tone.wav synth 1 pinknoise vol 0.3")
    try make(stage)
    return stage
  }

  /// Runs a job that must fail and leave its folder as it was.
  private func expectRefusal(
    of yaml: String, status: Int32, _ screen: String, _ stage: Stage,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try stage.write("job.yaml", yaml)
    let before = try stage.listing()
    let result = try stage.run("avjob run --quiet job.yaml")
    #expect(result.errors == screen, sourceLocation: sourceLocation)
    #expect(result.status == status && result.text == "", sourceLocation: sourceLocation)
    #expect(try stage.listing() == before, sourceLocation: sourceLocation)
  }

  @Test("media that cannot be used fail their job", arguments: BadMedium.refused)
  func refused(_ medium: BadMedium) throws {
    let stage = try stage(medium.make)
    try expectRefusal(
      of: "clip: \(medium.name)\noutput: out/new.mp3\n", status: medium.status, medium.screen,
      stage)
  }

  @Test(
    "media that are less than they say give what is there, and a warning",
    arguments: BadMedium.doubtful)
  func doubtful(_ medium: BadMedium) throws {
    let stage = try stage(medium.make)
    let before = try stage.listing()
    let result = try stage.job("clip: \(medium.name)\noutput: out.wav\n")
    #expect(result.status == 0)
    let sound = try WAVFile(stage.path("out.wav"))
    let found = sound.frameCount
    let decoded = try stage.run("ffmpeg -v quiet -i \(medium.name) -f s16le -ac 2 - | wc -c")
    #expect(found == medium.frames ?? (Int(decoded.text.dropLast()) ?? 0) / 4)
    let milliseconds = (found * 2000 + sound.sampleRate) / (2 * sound.sampleRate)
    let seconds = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
    #expect(result.errors == medium.screen.replacing("FOUND", with: seconds))
    let after = try stage.listing().filter { !$0.hasPrefix("job.yaml") && !$0.hasPrefix("out.wav") }
    #expect(after == before)
  }

  @Test(
    "what is no file is refused before work starts",
    arguments: [
      ("missing.wav", ":", "there is no file 'missing.wav'", absence),
      (
        "folder.wav", "mkdir folder.wav", "'folder.wav' is a folder",
        "  help: write 'folder.wav/*' in a list for its files\n"
      ),
      (
        "pipe.wav", "mkfifo pipe.wav", "'pipe.wav' is no regular file",
        "  help: pipes and devices cannot be read: write the sound to a file first\n"
      ),
      ("loop.wav", "ln -s loop.wav loop.wav", "there is no file 'loop.wav'", absence),
      ("dangling.wav", "ln -s nowhere dangling.wav", "there is no file 'dangling.wav'", absence),
    ])
  func noFile(name: String, make: String, says: String, help: String) throws {
    let stage = try stage { try $0.make(make) }
    let caret = "^" + String(repeating: "~", count: name.count - 1)
    try expectRefusal(
      of: "clip: \(name)\noutput: out.mp3\n", status: 2,
      "job.yaml:1:7: error: \(says)\n    1 | clip: \(name)\n      |       \(caret)\n\(help)", stage)
  }

  @Test(
    "mistakes in a job file are found before work starts",
    arguments: [
      (
        "clip: tone.wav 500ms..2s\noutput: out.mp3\n",
        """
        job.yaml:1:23: error: the range ends at 2s, but 'tone.wav' lasts 1s
            1 | clip: tone.wav 500ms..2s
              |                       ^~
          help: leave the end out, or write 'end'

        """
      ),
      (
        "clip: tone.wav\noutptu: out.mp3\nfade_on: 2s\n",
        """
        job.yaml:2:1: error: unknown key 'outptu'
            2 | outptu: out.mp3
              | ^~~~~~
          help: did you mean 'output'?
        job.yaml:3:1: error: unknown key 'fade_on'
            3 | fade_on: 2s
              | ^~~~~~~
          help: did you mean 'fade_in'?

        """
      ),
      (
        "clip: tone.wav\noutput: [out.mp3\n",
        """
        job.yaml:2:9: error: this '[' is never closed
            2 | output: [out.mp3
              |         ^
          help: add the ']' that ends it

        """
      ),
      (
        "clip: tone.wav\noutput: '-'\n",
        """
        job.yaml:2:9: error: '-' stands for a pipe, and avjob reads and writes files only
            2 | output: '-'
              |         ^~~
          help: name a file: an MP3 written to a pipe loses its tag

        """
      ),
      (
        "jobs:\n  a: { clip: tone.wav, output: out.mp3 }\n  b: { clip: tone.wav, output: ./out.mp3 }\n",
        """
        job.yaml:3:32: error: two outputs at 'out.mp3'
            3 |   b: { clip: tone.wav, output: ./out.mp3 }
              |                                ^~~~~~~~~
          help: give one of them another name
        job.yaml:2:32: note: the other one is here
            2 |   a: { clip: tone.wav, output: out.mp3 }
              |                                ^~~~~~~

        """
      ),
      (
        "jobs:\n  a: { clip: tone.wav, output: new/out.mp3 }\n  b: { clip: tone.wav, output: here/new/out.mp3 }\n",
        """
        job.yaml:3:32: error: 'here/new/out.mp3': is the same file as new/out.mp3, another output; \
        choose another path
            3 |   b: { clip: tone.wav, output: here/new/out.mp3 }
              |                                ^~~~~~~~~~~~~~~~

        """
      ),
      (
        "clip: tone.wav\noutput: tone.wav\n",
        """
        job.yaml:2:9: error: output 'tone.wav' is a source
            2 | output: tone.wav
              |         ^~~~~~~~
          help: write to another path: a source is never overwritten
        job.yaml:1:7: note: it is read here
            1 | clip: tone.wav
              |       ^~~~~~~~

        """
      ),
      (
        "concat: [tone.wav ..2s, absent.wav ..9s]\nmetadata: { cover: gone.jpg }\noutput: out.mp3\n",
        """
        job.yaml:1:21: error: the range ends at 2s, but 'tone.wav' lasts 1s
            1 | concat: [tone.wav ..2s, absent.wav ..9s]
              |                     ^~
          help: leave the end out, or write 'end'
        job.yaml:1:25: error: there is no file 'absent.wav'
            1 | concat: [tone.wav ..2s, absent.wav ..9s]
              |                         ^~~~~~~~~~
          help: put it there, or name another one
        job.yaml:2:20: error: there is no file 'gone.jpg'
            2 | metadata: { cover: gone.jpg }
              |                    ^~~~~~~~
          help: put it there, or name another one

        """
      ),
      (
        "clip: tone.wav\noutput: soft.wav\n",
        """
        job.yaml:2:9: error: 'soft.wav': is the source tone.wav: a source is never written to; \
        choose another path
            2 | output: soft.wav
              |         ^~~~~~~~

        """
      ),
      (
        "clip: tone.wav\noutput: hard.wav\n",
        """
        job.yaml:2:9: error: 'hard.wav': is the source tone.wav: a source is never written to; \
        choose another path
            2 | output: hard.wav
              |         ^~~~~~~~

        """
      ),
    ])
  func mistakes(yaml: String, screen: String) throws {
    let stage = try stage {
      try $0.make("ln -s tone.wav soft.wav; ln tone.wav hard.wav; ln -s . here")
    }
    try expectRefusal(of: yaml, status: 2, screen, stage)
  }

  @Test("a folder that cannot be one is said in a line")
  func fileAsFolder() throws {
    try expectRefusal(
      of: "clip: tone.wav\noutput: tone.wav/out.mp3\n", status: 2,
      """
      job.yaml:2:9: error: 'tone.wav/out.mp3': cannot write there: Not a directory; \
      a part of the path before the name is a file, not a folder
          2 | output: tone.wav/out.mp3
            |         ^~~~~~~~~~~~~~~~

      """, stage())
  }

  @Test("a cover of 65,500 × 65,500 pixels costs nothing", arguments: ["mp3", "flac", "m4a"])
  func giantCover(format: String) throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i tone.wav in.\(format)
      /usr/bin/python3 - <<'END'
      import struct, zlib, mutagen.id3, mutagen.flac, mutagen.mp4
      side = 65500
      def chunk(kind, data):
          return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
      deflate = zlib.compressobj(1)
      rows = b'\\0' * (1 + (side + 7) // 8) * 100
      pixels = b''.join(deflate.compress(rows) for _ in range(side // 100)) + deflate.flush()
      png = (b'\\x89PNG\\r\\n\\x1a\\n'
          + chunk(b'IHDR', struct.pack('>IIBBBBB', side, side, 1, 0, 0, 0, 0))
          + chunk(b'IDAT', pixels) + chunk(b'IEND', b''))
      if '\(format)' == 'mp3':
          tags = mutagen.id3.ID3()
          tags.add(mutagen.id3.APIC(3, 'image/png', 3, 'cover', png))
          tags.save('in.mp3')
      elif '\(format)' == 'flac':
          tags = mutagen.flac.FLAC('in.flac')
          picture = mutagen.flac.Picture()
          picture.data, picture.type, picture.mime = png, 3, 'image/png'
          picture.width = picture.height = side
          tags.add_picture(picture)
          tags.save()
      else:
          tags = mutagen.mp4.MP4('in.m4a')
          tags['covr'] = [mutagen.mp4.MP4Cover(png, mutagen.mp4.MP4Cover.FORMAT_PNG)]
          tags.save()
      END
      """)
    // One bit a pixel is half a gigabyte; as grey or RGB it is 4 or 13.
    let result = try stage.run(
      "ulimit -v 600000; timeout 60 \"$AVJOB\" clip in.\(format) --to 500ms -o out.wav")
    #expect(result.screen == "" && result.status == 0)
    #expect(try WAVFile(stage.path("out.wav")).frameCount == 22_050)
  }
}
