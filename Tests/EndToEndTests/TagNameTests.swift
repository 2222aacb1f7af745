import TestSupport
import Testing

/// Several values of a tag, and the names that tags have in each format.
@Suite struct TagNameTests {
  private func stage(_ extra: String) throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i sine=duration=2:sample_rate=44100 -ac 1 t.wav
      flac --silent t.wav -o s.flac
      ffmpeg -v error -i t.wav s.m4a
      ffmpeg -v error -i t.wav s.mp3
      """)
    try stage.make(extra)
    return stage
  }

  @Test("a tag with several values keeps them in each format that has a way of many")
  func values() throws {
    let stage = try stage(
      """
      /usr/bin/python3 - <<'END'
      import mutagen.flac, mutagen.mp4, mutagen.id3 as id3
      flac = mutagen.flac.FLAC('s.flac'); flac['artist'] = ['Ann', 'Bob; Co']; flac.save()
      m4a = mutagen.mp4.MP4('s.m4a'); m4a['©ART'] = ['Ann', 'Bob; Co']; m4a.save()
      tags = id3.ID3(); tags.add(id3.TPE1(encoding=3, text=['Ann', 'Bob; Co']))
      tags.add(id3.TIPL(encoding=3, people=[['producer', 'Pete'], ['mix', 'Max'], ['mix', 'Pete']]))
      tags.add(id3.TMCL(encoding=3, people=[['guitar', 'Ann']])); tags.save('s.mp3')
      END
      """)
    try stage.write(
      "job.yaml",
      """
      for_each: "s.{flac,m4a,mp3}"
      output:
        - "${input.ext}.flac"
        - "${input.ext}.m4a"
        - "${input.ext}.mp3"
        - "${input.ext}.opus"
        - "${input.ext}.ogg"
        - { file: "${input.ext}-23.mp3", id3: 2.3 }
      """)
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let result = try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import mutagen, mutagen.id3
      for source in 'flac', 'm4a', 'mp3':
          for kind in 'flac', 'm4a', 'mp3', 'opus', 'ogg':
              tags = mutagen.File(f'{source}.{kind}').tags
              artist = tags[{'mp3': 'TPE1', 'm4a': '©ART'}.get(kind, 'artist')]
              values = list(getattr(artist, 'text', artist))
              assert values == ['Ann', 'Bob; Co'], (source, kind, values)
          old = mutagen.id3.ID3(f'{source}-23.mp3', translate=False, v2_version=3)
          print(old['TPE1'].text)
      tags = mutagen.id3.ID3('mp3.mp3')
      print(tags['TIPL'].people, tags['TMCL'].people)
      print(mutagen.id3.ID3('mp3-23.mp3', translate=False)['IPLS'].people)
      tags = mutagen.File('mp3.flac')
      print(tags['producer'], tags['mixer'], tags['performer'])
      END
      """)
    #expect(
      result.text == """
        ['Ann/Bob; Co']
        ['Ann/Bob; Co']
        ['Ann/Bob; Co']
        [['producer', 'Pete'], ['mix', 'Max'], ['mix', 'Pete']] [['guitar', 'Ann']]
        [['guitar', 'Ann'], ['producer', 'Pete'], ['mix', 'Max'], ['mix', 'Pete']]
        ['Pete'] ['Max', 'Pete'] ['Ann (guitar)']

        """)
  }

  @Test("people of ID3's lists come back from other formats with what they do, also of 2.3")
  func lists() throws {
    let stage = try stage(
      """
      /usr/bin/python3 - <<'END'
      import mutagen.id3 as id3
      tags = id3.ID3()
      tags.add(id3.TIPL(encoding=3, people=[['producer', 'Pete'], ['mix', 'Max'], ['mix', 'Pete']]))
      tags.add(id3.TMCL(encoding=3, people=[['guitar', 'Ann'], ['bass (double)', 'Bo']]))
      tags.add(id3.TXXX(encoding=3, desc='PERFORMER', text=['Cy (The Artist)']))
      tags.save('s.mp3')
      END
      """)
    try stage.write(
      "job.yaml",
      """
      clip: s.mp3
      output: [a.flac, a.m4a, a.opus, { file: old.mp3, id3: 2.3 }]
      """)
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    try stage.make(
      """
      avjob clip -q old.mp3 -o old.flac
      for name in a.flac a.m4a a.opus old.flac; do avjob clip -q $name -o back-$name.mp3; done
      /usr/bin/python3 - <<'END'
      import mutagen, mutagen.id3
      for name in 'a.flac', 'a.opus', 'old.flac':
          found = mutagen.File(name)['performer']
          assert sorted(found) == ['Ann (guitar)', 'Bo (bass (double))', 'Cy (The Artist)'], (name, found)
      for name in 'a.flac', 'a.m4a', 'a.opus', 'old.flac':
          tags = mutagen.id3.ID3(f'back-{name}.mp3')
          assert tags['TIPL'].people == [['producer', 'Pete'], ['mix', 'Max'], ['mix', 'Pete']], tags
          assert tags['TMCL'].people == [['guitar', 'Ann'], ['bass (double)', 'Bo']], tags
          assert tags['TXXX:PERFORMER'].text == ['Cy (The Artist)'], tags
      END
      """)
  }

  @Test("conductors, performers, arrangers and remixers are four tags on each way and back")
  func people() throws {
    let stage = try stage(
      """
      metaflac --set-tag=CONDUCTOR=Karajan --set-tag=PERFORMER=Mutter --set-tag=ARRANGER=Ravel \
        --set-tag=REMIXER=Max s.flac
      ffmpeg -v error -i s.flac s.mka
      """)
    try stage.make(
      """
      for kind in mp3 m4a opus aiff caf ogg; do
        avjob clip -q s.flac -o a.$kind
        avjob clip -q a.$kind -o $kind.flac
      done
      avjob clip -q s.mka -o b.mp3
      cp t.wav w.wav
      /usr/bin/python3 -c "
      import mutagen.wave, mutagen.id3
      file = mutagen.wave.WAVE('w.wav'); file.add_tags()
      file.tags.add(mutagen.id3.TPE3(encoding=3, text=['Karajan'])); file.save()"
      avjob clip -q w.wav -o w.flac
      /usr/bin/python3 - <<'END'
      import mutagen
      tags = mutagen.File('w.flac').tags
      assert tags['conductor'] == ['Karajan'] and 'performer' not in tags, tags
      names = {'conductor': 'Karajan', 'performer': 'Mutter', 'arranger': 'Ravel', 'remixer': 'Max'}
      for kind in 'mp3 m4a opus aiff caf ogg'.split():
          tags = mutagen.File(kind + '.flac').tags
          found = {name: tags.get(name) for name in names}
          assert found == {name: [value] for name, value in names.items()}, (kind, found)
      for file in 'a.mp3', 'b.mp3', 'a.aiff':
          tags = mutagen.File(file).tags
          assert tags['TPE3'].text == ['Karajan'] and tags['TPE4'].text == ['Max'], (file, tags)
          assert tags['TXXX:PERFORMER'].text == ['Mutter'], (file, tags)
          assert tags['TIPL'].people == [['arranger', 'Ravel']], (file, tags)
      tags = mutagen.File('a.m4a').tags
      for name, value in names.items():
          assert tags['----:com.apple.iTunes:' + name.upper()] == [value.encode()], (name, tags)
      END
      """)
  }

  @Test("a text of ID3 without a name has none in a copy, and one that is called TXXX keeps that")
  func nameless() throws {
    let stage = try stage(
      """
      /usr/bin/python3 - <<'END'
      import mutagen.id3 as id3
      tags = id3.ID3(); tags.add(id3.TXXX(encoding=3, desc='', text=['none']))
      tags.add(id3.TXXX(encoding=3, desc='TXXX', text=['named'])); tags.save('s.mp3')
      END
      """)
    try stage.make(
      """
      avjob clip -q s.mp3 -o a.mp3
      avjob clip -q s.mp3 -o a.flac
      avjob clip -q a.flac -o b.mp3
      /usr/bin/python3 - <<'END'
      import mutagen
      for file in 'a.mp3', 'b.mp3':
          tags = mutagen.File(file).tags
          found = {frame.desc: frame.text for frame in tags.getall('TXXX')}
          assert found == {'': ['none'], 'TXXX': ['named']}, (file, found)
      END
      """)
  }

  @Test("a list in a job gives a tag several values")
  func list() throws {
    let stage = try stage("")
    try stage.write(
      "job.yaml",
      """
      clip: t.wav
      metadata: { artist: [Ann, Bob], title: T }
      output: [a.flac, a.wav]
      """)
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    #expect(
      try stage.make("metaflac --export-tags-to=- a.flac | sort").text
        == "ARTIST=Ann\nARTIST=Bob\nTITLE=T\n")
    #expect(
      try stage.make("ffprobe -v error -show_entries format_tags=artist -of csv=p=0 a.wav").text
        == "Ann; Bob\n")
  }

  @Test("M4A keeps iTunes' atoms and free-form ones, and Vorbis comments and ID3 have their names")
  func names() throws {
    let stage = try stage(
      """
      /usr/bin/python3 - <<'END'
      import mutagen.mp4, mutagen.flac
      tags = mutagen.mp4.MP4('s.m4a')
      for key, value in {'soar': 'A, B', 'sonm': 'N', 'soal': 'L', 'soaa': 'AA', 'soco': 'C',
          'catg': 'Arts', 'egid': 'guid1', 'purl': 'https://a.example/f', 'keyw': 'k',
          '©mvn': 'Allegro', '©wrk': 'Work', 'tvsh': 'Show'}.items(): tags[key] = [value]
      tags['tmpo'] = [120]; tags['pcst'] = True; tags['cpil'] = True; tags['shwm'] = [1]
      tags['rtng'] = [4]; tags['©mvi'] = [2]; tags['©mvc'] = [3]; tags['trkn'] = [(3, 12)]
      tags['hdvd'] = [1]; tags['stik'] = [2]; tags['plID'] = [1 << 40]
      form = mutagen.mp4.MP4FreeForm
      tags['----:com.apple.iTunes:ISRC'] = [form(b'US-1'), form(b'US-2')]
      tags['----:org.example:mine'] = [form(b'own')]; tags.save()
      flac = mutagen.flac.FLAC('s.flac')
      for key, value in {'ARTISTSORT': 'A, B', 'BPM': '120', 'TRACKNUMBER': '3', 'TRACKTOTAL': '12',
          'DISCNUMBER': '1', 'TOTALDISCS': '2', 'LABEL': 'L', 'Shelf': '007'}.items():
          flac[key] = value
      flac.save()
      END
      """)
    try stage.write(
      "job.yaml",
      """
      for_each: "s.{flac,m4a}"
      output: ["${input.ext}.flac", "${input.ext}.m4a", "${input.ext}.mp3"]
      """)
    let result = try stage.make(
      """
      avjob run --quiet job.yaml
      /usr/bin/python3 - <<'END'
      import mutagen, mutagen.mp4
      old, new = mutagen.mp4.MP4('s.m4a').tags, mutagen.mp4.MP4('m4a.m4a').tags
      for key in old:
          if key != '©too': assert list(new[key]) == list(old[key]) if isinstance(old[key], list) \\
              else new[key] == old[key], (key, old[key], new.get(key))
      tags = mutagen.File('m4a.flac')
      print(*[tags[key][0] for key in '''artistsort titlesort albumsort albumartistsort composersort
          bpm podcastid podcasturl movementname movement movementtotal work'''.split()])
      tags = mutagen.File('m4a.mp3').tags
      print(*[tags[key] for key in 'TSOP TSOT TSOA TSO2 TSOC TBPM TGID MVNM MVIN TSRC'.split()])
      tags = mutagen.mp4.MP4('flac.m4a').tags; print(*map(tags.get, ('soar', 'tmpo', 'trkn', 'disk')))
      tags = mutagen.File('flac.mp3').tags
      print(tags['TRCK'], tags['TPOS'], tags['TPUB'], tags['TXXX:Shelf'])
      print(*sorted(f'{k}={v}' for k, v in mutagen.File('flac.flac').tags))
      END
      """)
    #expect(
      result.text
        == """
        A, B N L AA C 120 guid1 https://a.example/f Allegro 2 3 Work
        A, B N L AA C 120 guid1 Allegro 2/3 US-1\0US-2
        ['A, B'] [120] [(3, 12)] [(1, 2)]
        3/12 1/2 L 007
        ARTISTSORT=A, B BPM=120 DISCNUMBER=1 LABEL=L Shelf=007 TOTALDISCS=2 TRACKNUMBER=3 \
        TRACKTOTAL=12

        """)
  }

  @Test("all tags of an MP3 are read, and the first one that has a tag has the say")
  func allTags() throws {
    let stage = try stage(
      """
      ffmpeg -v error -i t.wav -id3v2_version 0 -write_xing 0 bare.mp3
      /usr/bin/python3 - <<'END'
      import struct, zlib
      sound = open('bare.mp3', 'rb').read()
      def syncsafe(n): return bytes(n >> s & 127 for s in (21, 14, 7, 0))
      def frame(name, body, flags=0): return name + syncsafe(len(body)) + bytes([0, flags]) + body
      def text(name, value): return frame(name, b'\\3' + value.encode())
      def tag(frames, flags=0):
          head = b'ID3\\4\\0' + bytes([flags]) + syncsafe(len(frames))
          return head + frames + (b'3DI' + head[3:] if flags & 16 else b'')
      def item(name, value):
          return struct.pack('<II', len(value), 0) + name + b'\\0' + value
      def ape(items, count):
          size = len(items) + 32
          foot = lambda flags: b'APETAGEX' + struct.pack('<IIII', 2000, size, count, flags) + b'\\0' * 8
          return foot(0xA0000000) + items + foot(0x80000000)
      packed = b'\\3Compressed title'
      zipped = syncsafe(len(packed)) + zlib.compress(packed)
      files = {
          'ape': sound + ape(item(b'Title', b'Ape title') + item(b'Artist', b'Ann\\0Bob'), 2),
          'twice': tag(text(b'TIT2', 'First')) + tag(text(b'TIT2', 'No') + text(b'TPE1', 'Second')) + sound,
          'end': sound + tag(text(b'TIT2', 'AtEnd'), 16),
          'zip': tag(frame(b'TIT2', zipped, 9) + frame(b'TALB', b'\\1xxxx', 4)) + sound,
          'group': tag(frame(b'TIT2', b'\\7\\3Grouped', 0x40)) + sound,
          'all': tag(text(b'TIT2', 'v2')) + sound + ape(item(b'Title', b'a') + item(b'Album', b'ape'), 2)
              + b'TAG' + b'v1'.ljust(30, b'\\0') + b'artist 1'.ljust(30, b'\\0') + b'\\0' * 65,
      }
      for name, content in files.items(): open(name + '.mp3', 'wb').write(content)
      END
      """)
    let found = try stage.make(
      """
      for file in ape twice end zip group all; do
        avjob probe --json $file.mp3 | python3 -c 'import json, sys
      tags = json.load(sys.stdin)["media"][0]["metadata"]
      print(*[tags.get(key) for key in ("title", "artist", "album")])'
      done
      """)
    #expect(
      found.text == """
        Ape title ['Ann', 'Bob'] None
        First Second None
        AtEnd None None
        Compressed title None None
        Grouped None None
        v2 artist 1 ape

        """)
    let told = try stage.run("avjob compress zip.mp3 -o zip.flac").errors
    #expect(told.contains("note: 'zip.mp3': not read, and in no output: TALB (encrypted)"))
  }
}
