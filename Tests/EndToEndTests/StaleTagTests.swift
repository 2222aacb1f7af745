import TestSupport
import Testing

/// Tags of sources that are true of one sound or one file, and pieces of files that only look like sound.
@Suite struct StaleTagTests {
  private func tone(_ extra: String) throws -> Stage {
    let stage = Stage()
    try stage.make(
      "ffmpeg -v error -f lavfi -i sine=duration=4:sample_rate=48000 -ac 1 t.wav\n" + extra)
    return stage
  }

  @Test("tags that tell times stay with all of the sound, at any level, and else go with a note")
  func times() throws {
    let stage = try tone(
      """
      flac --silent --tag=CUESHEET='FILE "s.flac" WAVE' --tag=SYNCEDLYRICS='[00:01.00]la' \
        --tag='OverDrive MediaMarkers=<Markers/>' --tag=TITLE=T --tag=LENGTH=4000 \
        --tag=TOTALSAMPLES=192000 --tag='ENCODER_OPTIONS=--bitrate 96' t.wav -o s.flac
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        whole: { clip: s.flac, output: whole.flac }
        louder: { clip: s.flac, gain: -6 dB, output: louder.flac }
        part: { clip: s.flac 2s.., output: part.flac }
        fast: { clip: s.flac, speed: 2, output: fast.flac }
        twice: { clip: s.flac, loop: 2, output: twice.flac }
      """)
    let told = try stage.run("avjob run job.yaml").errors
    let found = try stage.make(
      """
      for file in whole louder part fast twice; do
        echo $file $(metaflac --export-tags-to=- $file.flac | cut -d= -f1 | LC_ALL=C sort | tr '\\n' ,)
      done
      """)
    let all = "CUESHEET,OverDrive MediaMarkers,SYNCEDLYRICS,TITLE,"
    #expect(
      found.text
        == "whole \(all)\nlouder \(all)\npart TITLE,\nfast TITLE,\ntwice TITLE,\n")
    for name in ["part.flac", "fast.flac", "twice.flac"] {
      #expect(
        told.contains("note: '\(name)': CUESHEET, SYNCEDLYRICS, OverDrive MediaMarkers"), "\(told)")
    }
    #expect(!told.contains("'whole.flac'") && !told.contains("'louder.flac'"))
  }

  @Test("two names of one tag are one value elsewhere, and each its own in Vorbis comments")
  func names() throws {
    let stage = try tone(
      """
      flac --silent --tag=DATE=2001 --tag=YEAR=2001-05-01 --tag=TRACKNUMBER=3 --tag=TRACK=3/12 \
        t.wav -o s.flac
      """)
    try stage.write("job.yaml", "clip: s.flac\noutput: [a.m4a, a.mp3, a.wav, a.flac]\n")
    let result = try stage.run("avjob run --quiet --strict job.yaml")
    #expect(result.status == 0 && result.errors == "")
    let found = try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import mutagen
      tags = mutagen.File('a.m4a').tags; print(tags['©day'], tags['trkn'])
      tags = mutagen.File('a.mp3').tags; print(tags['TDRC'].text, tags['TRCK'].text)
      tags = mutagen.File('a.flac').tags; print(tags['DATE'], tags['YEAR'])
      data = open('a.wav', 'rb').read(); print(data.count(b'ICRD'), b'2001-05-01' in data)
      END
      """)
    #expect(
      found.text == """
        ['2001-05-01'] [(3, 12)]
        ['2001-05-01'] ['3/12']
        ['2001'] ['2001-05-01']
        1 True

        """)
  }

  @Test("a free-form atom of bytes is named, and is no text under its last name")
  func bytesOfOthers() throws {
    let stage = try tone(
      """
      ffmpeg -v error -i t.wav s.m4a
      /usr/bin/python3 - <<'END'
      import mutagen.mp4 as mp4
      file = mp4.MP4('s.m4a')
      data = mp4.MP4FreeForm(b'\\x89\\xf0\\xe1\\xd2\\xc3', dataformat=mp4.AtomDataType.IMPLICIT)
      file['----:com.example.decks:deck4'] = [data]; file['©nam'] = ['T']; file.save()
      END
      """)
    let result = try stage.run("avjob compress --strict s.m4a -o x.m4a")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains(
        "note: 's.m4a': not read, and in no output: com.example.decks:deck4\n"), "\(result.errors)")
    #expect(
      try stage.make("/usr/bin/python3 -c \"import mutagen; print(*mutagen.File('x.m4a').tags)\"")
        .text.contains("deck4") == false)
  }

  @Test("FLAC that this FFmpeg does not decode, and an encrypted book, are named as what they are")
  func undecoded() throws {
    let stage = try tone(
      """
      ffmpeg -v error -i t.wav -c:a pcm_s32le w.wav
      flac --silent w.wav -o w.flac
      sox -R -n -r 48000 -c 8 -b 24 n.wav synth 1 pinknoise vol 0.3
      flac --silent --lax -b 32768 n.wav -o n.flac
      flac --silent -b 4096 n.flac -o m.flac
      ffmpeg -v error -i t.wav s.m4a
      python3 -c "
      data = open('s.m4a', 'rb').read()
      open('s.aax', 'wb').write(data.replace(b'mp4a', b'aavd', 1))"
      """)
    let long = try stage.run("avjob probe w.flac")
    // FFmpeg 6 decodes it.
    #expect(
      long.status == 0 || long.errors.contains("'w.flac': is FLAC of 32 bits, which FFmpeg "),
      "\(long.errors)")
    let blocks = try stage.run("avjob probe n.flac m.flac")
    #expect(
      blocks.errors.contains("'n.flac': is FLAC with frames of up to ")
        && blocks.errors.contains(
          " bytes, and FFmpeg finds none of more than 163840; encode it again with shorter "
            + "blocks, as 'flac -b 4096' does")
        && !blocks.errors.contains("m.flac"), "\(blocks.errors)")
    let book = try stage.run("avjob probe s.aax")
    #expect(book.errors.contains("'s.aax': is encrypted (aavd)"), "\(book.errors)")
  }

  @Test("an Ogg file whose last page has no packet is whole")
  func emptyPage() throws {
    let stage = try tone(
      """
      opusenc --quiet t.wav s.opus
      python3 - <<'END'
      def checked(page):
          page, sum = page[:22] + bytes(4) + page[26:], 0
          for byte in page:
              sum ^= byte << 24
              for _ in range(8): sum = (sum << 1 ^ (0x04c11db7 if sum >> 31 else 0)) & 0xffffffff
          return page[:22] + sum.to_bytes(4, 'little') + page[26:]
      data = open('s.opus', 'rb').read()
      last = data.rindex(b'OggS\\0')
      page = data[last:]
      number = int.from_bytes(page[18:22], 'little') + 1
      end = page[:5] + b'\\4' + page[6:18] + number.to_bytes(4, 'little') + bytes(5)
      page = checked(page[:5] + bytes([page[5] & ~4]) + page[6:])
      open('e.opus', 'wb').write(data[:last] + page + checked(end))
      open('c.opus', 'wb').write(data[:last] + page)
      END
      """)
    let whole = try stage.run("avjob probe e.opus")
    #expect(whole.status == 0 && !whole.errors.contains("cut short"), "\(whole.errors)")
    #expect(try stage.run("avjob probe c.opus").errors.contains("its last page is missing"))
  }

  @Test("tags of many programs behind an MP3's frames are no sound, and those not read are named")
  func behindFrames() throws {
    let stage = try tone(
      """
      ffmpeg -v error -i t.wav -id3v2_version 0 bare.mp3
      python3 - <<'END'
      sound = open('bare.mp3', 'rb').read()
      lyrics = b'LYRICSBEGINLYR00005Hello'
      lyrics += b'%06d' % len(lyrics) + b'LYRICS200'
      old = b'TAG' + b'Old'.ljust(124, b'\\0') + b'\\xff'
      open('s.mp3', 'wb').write(sound + lyrics + b'TAG+'.ljust(227, b'\\0') + old)
      END
      """)
    let result = try stage.run("avjob compress --strict s.mp3 -o x.flac")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("note: 's.mp3': not read, and in no output: TAG+, Lyrics3\n"),
      "\(result.errors)")
  }
}
