import TestSupport
import Testing

/// Tags, covers and chapters on their way through jobs, as ffprobe and mutagen see them.
@Suite struct CarriedTests {
  private static let kinds = ["mp3", "m4a", "flac", "ogg", "opus", "aiff", "wav", "caf"]

  /// What each container has no place for, beside covers and chapters.
  private static let notHeld = [
    "wav": ["album_artist", "composer", "disc", "lyrics", "publisher"]
  ]

  /// Those without a place for a cover.
  private static let bare = ["wav", "caf"]

  /// Files of these kinds with the same tags, cover and chapters, as far as they hold them.
  private func stage(_ kinds: [String]) throws -> Stage {
    let stage = Stage()
    try stage.write(
      "source.yaml",
      """
      clip: t.wav
      chapters: { 0s: One, 500ms: "Zwei ü", 1.25s: Three }
      metadata:
        { title: Töne, artist: Ann, album: Album, album_artist: AA, track: 3/12, disc: 1/2,
          genre: Speech, date: 2024-05-06, comment: A comment, composer: Comp, copyright: 2024 C,
          language: eng, publisher: Pub, lyrics: La la, cover: c.jpg }
      output: [\(kinds.map { "s.\($0)" }.joined(separator: ", "))]
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=size=40x30 -frames:v 1 c.jpg
      ffmpeg -v error -f lavfi -i testsrc=size=20x10 -frames:v 1 other.png
      ffmpeg -v error -f lavfi -i sine=duration=2:sample_rate=44100 t.wav
      \(kinds.isEmpty ? "" : "avjob run --quiet source.yaml 2> /dev/null")
      """)
    return stage
  }

  /// Reads files with ffprobe: tags, the cover's size and chapters, a line each.
  private static let reader = """
    import json, subprocess, sys
    keys = '''title artist album album_artist track disc genre date comment composer copyright
      language publisher lyrics'''.split()
    for name in sys.argv[1:]:
        facts = json.loads(subprocess.run(['ffprobe', '-v', 'error', '-of', 'json', '-show_format',
            '-show_streams', '-show_chapters', name], capture_output=True).stdout)
        tags = {}
        for place in [facts['format']] + [s for s in facts['streams'] if s['codec_type'] == 'audio']:
            if place is facts['format'] or name.endswith(('ogg', 'opus')):
                tags |= {k.lower(): v for k, v in place.get('tags', {}).items()}
        tags.setdefault('lyrics', tags.get('lyrics-eng', tags.get('lyrics-xxx')))
        covers = [s['width'] for s in facts['streams'] if s['disposition']['attached_pic']]
        chapters = [(c['start_time'], c['tags']['title']) for c in facts['chapters']]
        print(name, '|', *[f'{k}={tags[k]}' for k in sorted(keys) if tags.get(k)], '|',
            *covers, '|', *[f'{float(s):g} {t}' for s, t in chapters])
    """

  private func read(_ names: [String], in stage: Stage) throws -> [String] {
    try stage.write("read.py", Self.reader)
    return try stage.make("/usr/bin/python3 read.py \(names.joined(separator: " "))").text
      .split(separator: "\n").map(String.init)
  }

  private static let tags = [
    "album=Album", "album_artist=AA", "artist=Ann", "comment=A comment", "composer=Comp",
    "copyright=2024 C", "date=2024-05-06", "disc=1/2", "genre=Speech", "language=eng",
    "lyrics=La la", "publisher=Pub", "title=Töne", "track=3/12",
  ]

  @Test("one clip keeps all that both its own and the output's container hold")
  func matrix() throws {
    let stage = try stage(Self.kinds)
    // The Matroska file is FFmpeg's.
    try stage.make(
      """
      ffmpeg -v error -i s.flac -map 0:a -c:a flac -attach c.jpg -metadata:s:t mimetype=image/jpeg \
        -metadata:s:t filename=cover.jpg s.mka
      """)
    let sources = Self.kinds + ["mka"]
    let jobs = sources.map { source in
      let outputs = Self.kinds.map { "to/\(source).\($0)" }.joined(separator: ", ")
      return "  \(source): { clip: s.\(source), output: [\(outputs)] }\n"
    }
    try stage.write("job.yaml", "jobs:\n" + jobs.joined())
    // Nobody asked for what is lost: not a word.
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    var names: [String] = []
    var expected: [String] = []
    for (source, kind) in sources.flatMap({ source in Self.kinds.map { (source, $0) } }) {
      let lost = (Self.notHeld[kind] ?? []) + (Self.notHeld[source] ?? [])
      let kept = Self.tags.filter { tag in !lost.contains { tag.hasPrefix($0 + "=") } }
      let isRich = !Self.bare.contains(kind) && !Self.bare.contains(source)
      names.append("to/\(source).\(kind)")
      expected.append(
        "to/\(source).\(kind) | \(kept.joined(separator: " ")) | "
          // ffprobe does not read the markers of a CAF.
          + (isRich ? "40 |" : "|") + (kind == "caf" ? "" : " 0 One 0.5 Zwei ü 1.25 Three"))
    }
    #expect(try read(names, in: stage).map(\.trimmingSpaces) == expected)
    // The picture itself is untouched.
    try stage.make(
      """
      for source in mp3 m4a flac ogg opus aiff mka; do
        ffmpeg -v error -y -i to/$source.flac -map 0:v -c copy -f image2 back.jpg
        cmp c.jpg back.jpg
      done
      """)
  }

  @Test("what is lost on the way is told by 'plan', and what was asked for by 'check'")
  func losses() throws {
    let stage = try stage(["mp3"])
    try stage.write("job.yaml", "clip: s.mp3\noutput: x.wav\n")
    #expect(try stage.run("avjob check job.yaml").errors == "")
    let told = try stage.run("avjob plan job.yaml").errors.split(separator: "\n")
      .map(String.init).filter { $0.contains("warning") }
    #expect(
      told == [
        "job.yaml:2:9: warning: 'x.wav': WAV has no place for the tags album_artist, disc, composer, "
          + "publisher, lyrics: left out",
        "job.yaml:2:9: warning: 'x.wav': WAV has no place for the cover: left out",
      ])
    try stage.write(
      "job.yaml",
      "silence: 1s\nmetadata: { from: s.mp3 }\noutput: { file: y.wav, chapters: podlove }\n")
    let asked = try stage.run("avjob check job.yaml").errors.split(separator: "\n")
      .filter { $0.contains("warning") }
    #expect(asked.count == 3 && asked[1].contains("no place for the cover"))
    #expect(asked[2].hasSuffix("no chapters: 'y.psc' is not written"))
  }

  @Test("'from', covers of its own, none, and parts")
  func from() throws {
    let stage = try stage(["ogg", "m4a", "flac", "mp3"])
    try stage.write(
      "job.yaml",
      """
      sources: { tagged: s.ogg }
      jobs:
        joined:
          concat: [t.wav, t.wav]
          metadata: { from: tagged, title: Both, cover: other.png }
          output: [joined.mp3, { file: plain.m4a, metadata: { from: "" } }]
        none: { clip: s.m4a, metadata: { cover: "", comment: "" }, output: none.mp3 }
        parts:
          clip: s.flac
          split: { every: 1s }
          output: ["p${part.n}.m4a", "p${part.n}.opus"]
        each: { for_each: "s.{mp3,flac}", output: { folder: each, codec: same } }
      """)
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let lines = try read(
      ["joined.mp3", "plain.m4a", "none.mp3", "p1.m4a", "p2.opus", "each/s.mp3"], in: stage)
    let all = Self.tags.joined(separator: " ")
    #expect(
      lines.map { $0.trimmingSpaces } == [
        "joined.mp3 | \(all.replacing("Töne", with: "Both")) | 20 |",
        "plain.m4a | title=Both | 20 |",
        "none.mp3 | \(all.replacing("comment=A comment ", with: "")) | | "
          + "0 One 0.5 Zwei ü 1.25 Three",
        "p1.m4a | \(all.replacing("3/12", with: "1/2")) | 40 | 0 One 0.5 Zwei ü",
        "p2.opus | \(all.replacing("3/12", with: "2/2")) | 40 | 0 Zwei ü 0.25 Three",
        "each/s.mp3 | \(all) | 40 | 0 One 0.5 Zwei ü 1.25 Three",
      ])
  }

  @Test("an MP3's chapters keep their links and images, whatever their tag looks like")
  func linkedChapters() throws {
    let stage = try stage([])
    try stage.make(
      """
      ffmpeg -v error -i t.wav t.mp3
      /usr/bin/python3 - <<'END'
      import mutagen.id3 as id3
      jpeg, png = open('c.jpg', 'rb').read(), open('other.png', 'rb').read()
      # An address as writers leave it, which ID3 takes for Latin-1.
      page = 'https://example.org/ü 1'.encode().decode('latin-1')
      for version in 3, 4:
          tags = id3.ID3()
          tags.add(id3.TIT2(encoding=3, text='T'))
          tags.add(id3.CHAP(element_id='a', start_time=0, end_time=700, sub_frames=[
              id3.TIT2(encoding=3, text='One'), id3.WXXX(encoding=3, desc='x', url=page),
              id3.APIC(encoding=3, mime='image/jpeg', type=0, desc='', data=jpeg)]))
          tags.add(id3.CHAP(element_id='b', start_time=700, end_time=2000, sub_frames=[
              id3.TIT2(encoding=3, text='Zwei'), id3.APIC(mime='JPG', type=0, desc='', data=png)]))
          tags.add(id3.CHAP(element_id='c', start_time=900, end_time=2000, sub_frames=[
              id3.TIT2(encoding=3, text='Drei'),
              id3.APIC(mime='image/webp', type=0, desc='', data=b'RIFF....WEBP')]))
          open(f's{version}.mp3', 'wb').write(open('t.mp3', 'rb').read())
          tags.save(f's{version}.mp3', v2_version=version)
      END
      """)
    try stage.write(
      "job.yaml",
      """
      for_each: s*.mp3
      cut: [100ms..300ms]
      output: { file: "out/${input.stem}.mp3", mp3: V5, chapters: [id3, podcasting2] }
      """)
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let result = try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import json, mutagen.id3
      jpeg, png = open('c.jpg', 'rb').read(), open('other.png', 'rb').read()
      for name in 's3', 's4':
          for chapter in mutagen.id3.ID3(f'out/{name}.mp3').getall('CHAP'):
              frames = {frame.FrameID: frame for frame in chapter.sub_frames.values()}
              image = frames.get('APIC')
              print(chapter.start_time, frames['TIT2'].text[0],
                  frames['WXXX'].url if 'WXXX' in frames else None,
                  image and {jpeg: 'jpeg', png: 'png'}[image.data])
          print(*[c.get('url') for c in json.load(open(f'out/{name}.chapters.json'))['chapters']])
      END
      """)
    let chapters = """
      0 One https://example.org/%C3%BC%201 jpeg
      500 Zwei None png
      700 Drei None None
      https://example.org/%C3%BC%201 None None

      """
    #expect(result.text == chapters + chapters)
    let told = try stage.run("avjob plan job.yaml").errors
    #expect(told.contains("images that lie in media files: left out"))
    #expect(told.contains("the image of 'Drei' is a WebP picture"))
  }

  @Test(
    "what an MP3's tag says of the sound is read and travels, what it says of the file does not")
  func mp3Tag() throws {
    let stage = try stage([])
    try stage.make(
      """
      ffmpeg -v error -i t.wav s.mp3
      /usr/bin/python3 - <<'END'
      import mutagen.id3 as id3
      tags = id3.ID3()
      tags.add(id3.TIT2(encoding=3, text='T'))
      tags.add(id3.TPE1(encoding=3, text=['A', 'B']))
      tags.add(id3.TLAN(encoding=3, text='eng'))
      tags.add(id3.COMM(encoding=3, lang='eng', desc='', text='mine'))
      tags.add(id3.COMM(encoding=3, lang='deu', desc='', text='meins'))
      tags.add(id3.COMM(encoding=3, lang='XXX', desc='', text='mine'))
      tags.add(id3.COMM(encoding=0, lang='eng', desc='iTunNORM', text='0000'))
      tags.add(id3.COMM(encoding=3, lang='eng', desc='Source', text='tape'))
      tags.add(id3.USLT(encoding=3, lang='eng', desc='', text='La'))
      tags.add(id3.TBPM(encoding=3, text='120'))
      tags.add(id3.TXXX(encoding=3, desc='Shelf', text='007'))
      tags.add(id3.PRIV(owner='XMP', data=b'secret'))
      tags.add(id3.TLEN(encoding=3, text='99'))
      tags.add(id3.TSSE(encoding=3, text='other'))
      tags.save('s.mp3')
      END
      """)
    try stage.write("job.yaml", "clip: s.mp3\noutput: [a.mp3, b.flac]\n")
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let tags = """
      {'Shelf': '007', 'artist': ['A', 'B'], 'bpm': '120', 'comment': 'mine', 'comment-deu': 'meins', \
      'comment:Source': 'tape', 'language': 'eng', 'lyrics': 'La', 'title': 'T'}

      """
    let script =
      "import json, sys; tags = json.load(sys.stdin)['media'][0]['metadata']; "
      + "print(dict(sorted(tags.items())))"
    for name in ["s.mp3", "a.mp3"] {
      #expect(
        try stage.make("avjob probe --json \(name) | python3 -c \"\(script)\"").text == tags)
    }
    let comments = try stage.make("metaflac --export-tags-to=- b.flac | LC_ALL=C sort").text
    #expect(
      comments == """
        ARTIST=A
        ARTIST=B
        BPM=120
        COMMENT=mine
        LANGUAGE=eng
        LYRICS=La
        Shelf=007
        TITLE=T
        comment-deu=meins
        comment:Source=tape

        """)
  }

  @Test(
    "chapters of a file whose sound begins late are where it sounds", arguments: ["mka", "mp4"])
  func lateSound(kind: String) throws {
    let stage = try stage([])
    try stage.write(
      "meta.txt",
      ";FFMETADATA1\n"
        + [(0, 300, "Gone"), (300, 900, "First"), (900, 2500, "Second")].map {
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0.0)\nEND=\($0.1)\ntitle=\($0.2)\n"
        }.joined())
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i color=size=16x16:duration=2 -itsoffset 0.513 -i t.wav -i meta.txt \
        -map 0:v -map 1:a -map_metadata 2 -map_chapters 2 -c:v mpeg4 -c:a alac s.\(kind)
      """)
    let found = try stage.make(
      """
      avjob probe --json s.\(kind) | python3 -c 'import json, sys
      for c in json.load(sys.stdin)["media"][0]["chapters"]: print(c["start"], c["title"])'
      """
    ).text.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(found.map { $0[1] } == ["First", "Second"] && found[0][0] == "0")
    // Edit lists are in milliseconds.
    let start = try #require(Double(found[1][0]))
    #expect(abs(start - 0.387) < 0.0011)
  }

  @Test("MP4 holds more chapters than its old list, which then is left out")
  func manyChapters() throws {
    let stage = try stage([])
    let starts = (0..<300).map { "  \($0 * 5)ms: C\($0)" }.joined(separator: "\n")
    try stage.write(
      "job.yaml",
      "clip: t.wav\nchapters:\n\(starts)\noutput: [a.m4a, { file: b.m4a, alac: 16 bit }]\n")
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let result = try stage.make(
      """
      for file in a b; do
        ffprobe -v error -show_entries chapter=start_time:chapter_tags=title -of csv=p=0 $file.m4a |
          sed -n '1p;257p;$p'
      done
      /usr/bin/python3 - <<'END'
      import mutagen.mp4
      print(mutagen.mp4.MP4('a.m4a').chapters)
      END
      """)
    let ends = "0.000000,C0\n1.280000,C256\n1.495011,C299\n"
    #expect(result.text == ends + ends + "None\n")
  }

  @Test("files of chapters are outputs like any other: planned, listed, never over a source")
  func sidecars() throws {
    let stage = try stage(["mp3"])
    try stage.write(
      "job.yaml",
      """
      clip: s.mp3 ..1s
      output: { file: out/e.m4a, chapters: [file, podlove, podcasting2] }
      """)
    #expect(
      try stage.run("avjob plan job.yaml").text.split(separator: "\n").suffix(3) == [
        "    out/e.m4a  AAC 64 kbps, 44.1 kHz mono", "    out/e.psc  Podlove Simple Chapters",
        "    out/e.chapters.json  Podcasting 2.0 chapters",
      ])
    let run = try stage.run("avjob run job.yaml")
    #expect(run.screen == "" && run.status == 0)
    let table = run.text.split(separator: "\n")
    #expect(table.count == 5 && table[4].hasPrefix("3 outputs, 0:01.000 of sound"))
    #expect(table[2].hasPrefix("out/e.psc ") && table[2].hasSuffix("  Podlove Simple Chapters"))
    #expect(table[3].hasPrefix("out/e.chapters.json ") && table[3].contains(" B "))
    #expect(try stage.make("grep -c '<psc:chapter ' out/e.psc").text == "2\n")
    #expect(
      try stage.make("python3 -c 'import json; print(json.load(open(\"out/e.chapters.json\")))'")
        .text
        == "{'version': '1.2.0', 'chapters': [{'startTime': 0, 'title': 'One'}, "
        + "{'startTime': 0.5, 'title': 'Zwei ü'}]}\n")

    try stage.write("list.psc", "0:00 One\n")
    try stage.write(
      "job.yaml",
      "clip: s.mp3\nchapters: list.psc\noutput: { file: list.mp3, chapters: [id3, podlove] }\n")
    let refused = try stage.run("avjob check job.yaml")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("job.yaml:3:17: error: output 'list.psc' is a source"))
    // By another name, too.
    try stage.make("ln -s s.mp3 e.psc")
    try stage.write(
      "job.yaml", "clip: s.mp3\noutput: { file: e.mp3, chapters: [id3, podlove] }\n")
    let linked = try stage.run("avjob run --quiet job.yaml")
    #expect(linked.status == 2)
    #expect(linked.errors.contains("'e.psc': is the source s.mp3: a source is never written to"))
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text).replacing("  ", with: " ")
  }
}
