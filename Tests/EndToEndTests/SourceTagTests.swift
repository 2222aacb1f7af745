import TestSupport
import Testing

/// Tags of sources on their way into outputs: what stays true, what is moved, and what is named.
@Suite struct SourceTagTests {
  private static let reader = """
    import sys, mutagen
    for name in sys.argv[1:]:
        tags = mutagen.File(name).tags
        for key in sorted(tags.keys(), key=str.lower):
            value = tags[key]
            if hasattr(value, 'text'): value = [str(one) for one in value.text]
            if hasattr(value, 'people'): value = value.people
            if not isinstance(value, list): value = [value]
            if isinstance(value[0], bytes): value = [bytes(one).decode() for one in value]
            print(name, key, *value)
    """

  private func read(_ names: String, in stage: Stage) throws -> [String] {
    try stage.write("read.py", Self.reader)
    return try stage.make("/usr/bin/python3 read.py \(names)").text.split(separator: "\n")
      .map(String.init)
  }

  private func tone(_ extra: String = "") throws -> Stage {
    let stage = Stage()
    try stage.make(
      "ffmpeg -v error -f lavfi -i sine=duration=4:sample_rate=48000 -ac 1 t.wav\n" + extra)
    return stage
  }

  @Test("gains of a source stay with its whole sound at its level, and else go with a note")
  func gains() throws {
    let stage = try tone(
      """
      flac --silent t.wav -o s.flac
      metaflac --set-tag='Replaygain_Track_Gain=-7.00 dB' --set-tag=REPLAYGAIN_TRACK_PEAK=0.98 \
        --set-tag='REPLAYGAIN_REFERENCE_LOUDNESS=89.0 dB' --set-tag=TITLE=T s.flac
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        whole: { clip: s.flac, output: [whole.flac, whole.mp3, whole.opus, whole.m4a] }
        louder: { clip: s.flac, gain: -6 dB, output: [louder.flac, louder.opus] }
        levelled: { clip: s.flac, loudness: -20 LUFS, output: level.flac }
        part: { clip: s.flac 1s.., output: part.flac }
        mixed: { tracks: { a: s.flac, b: t.wav }, metadata: { from: s.flac }, output: mixed.flac }
        own:
          clip: s.flac
          gain: -6 dB
          metadata: { replaygain_track_gain: -1.00 dB }
          output: own.flac
      """)
    let told = try stage.run("avjob run job.yaml").errors
    let gain = "replaygain_track_gain"
    let lines = try read(
      "whole.flac whole.mp3 whole.opus whole.m4a louder.flac louder.opus level.flac part.flac "
        + "mixed.flac own.flac", in: stage
    ).map { $0.lowercased() }.filter { $0.contains("gain") || $0.contains("r128") }
    #expect(
      lines == [
        "whole.flac replaygain_reference_loudness 89.0 db", "whole.flac \(gain) -7.00 db",
        "whole.flac replaygain_track_peak 0.98",
        "whole.mp3 txxx:replaygain_reference_loudness 89.0 db",
        "whole.mp3 txxx:\(gain) -7.00 db", "whole.opus r128_track_gain -3072",
        "whole.m4a ----:com.apple.itunes:replaygain_reference_loudness 89.0 db",
        "whole.m4a ----:com.apple.itunes:\(gain) -7.00 db", "own.flac \(gain) -1.00 db",
      ])
    for name in ["louder.flac", "louder.opus", "level.flac", "part.flac", "mixed.flac"] {
      #expect(told.contains("note: '\(name)': Replaygain_Track_Gain"), "\(name)")
    }
    #expect(told.contains("'whole.mp3': REPLAYGAIN_TRACK_PEAK of the source left out"))
    #expect(!told.contains("'whole.flac'"))
    #expect(try stage.run("avjob plan job.yaml").errors.contains("note: 'louder.flac': Replaygain"))
    #expect(try stage.run("avjob run --force --quiet job.yaml").errors == "")
  }

  @Test("R128 gains of Opus become ReplayGain elsewhere, and MP3Gain's notes stay with its frames")
  func otherGains() throws {
    let stage = try tone(
      """
      opusenc --quiet --comment R128_TRACK_GAIN=-1792 --title T t.wav s.opus
      ffmpeg -v error -i t.wav -metadata MP3GAIN_UNDO=+003,+003,N s.mp3
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        a: { clip: s.opus, output: [a.flac, a.opus] }
        b: { clip: s.mp3, output: [{ file: b.mp3, mp3: copy }, { file: c.mp3, mp3: V2 }] }
      """)
    let told = try stage.run("avjob run job.yaml").errors
    let lines = try read("a.flac a.opus b.mp3 c.mp3", in: stage).filter { !$0.contains("TSSE") }
    #expect(
      lines.filter { $0.lowercased().contains("gain") } == [
        "a.flac replaygain_track_gain -2.00 dB", "a.opus r128_track_gain -1792",
        "b.mp3 TXXX:MP3GAIN_UNDO +003,+003,N",
      ])
    #expect(told.contains("'c.mp3': MP3GAIN_UNDO of the source left out"))
  }

  @Test("a BWF's time reference moves with the sound's beginning, at the output's rate, or goes")
  func timeReference() throws {
    let stage = try tone(
      "ffmpeg -v error -i t.wav -write_bext 1 -metadata time_reference=172800000 s.wav")
    try stage.write(
      "job.yaml",
      """
      jobs:
        whole: { clip: s.wav, output: whole.flac }
        later: { clip: s.wav 1s..3s, output: later.flac }
        slower: { clip: s.wav 1s..3s, output: { file: rate.flac, sample_rate: 44.1 kHz } }
        cut: { clip: s.wav, cut: [0s..1s], output: cut.flac }
        middle: { clip: s.wav, cut: [1s..2s], output: middle.flac }
        fast: { clip: s.wav 1s.., speed: 2, output: fast.flac }
        twice: { clip: s.wav, loop: 2, output: twice.flac }
        back: { clip: s.wav, reverse: true, output: back.flac }
        parts: { clip: s.wav, split: { every: 2s }, output: "p${part.n}.flac" }
        first: { concat: [s.wav, t.wav], metadata: { from: s.wav }, output: first.flac }
        second: { concat: [t.wav, s.wav], metadata: { from: s.wav }, output: second.flac }
      """)
    let told = try stage.run("avjob run job.yaml").errors
    let found = try stage.make(
      """
      for file in whole later rate cut middle fast twice back p1 p2 first second; do
        echo $file $(metaflac --show-tag=time_reference $file.flac | cut -d= -f2)
      done
      """
    ).text
    #expect(
      found == """
        whole 172800000
        later 172848000
        rate 158804100
        cut 172848000
        middle 172800000
        fast 172848000
        twice 172800000
        back
        p1 172800000
        p2 172896000
        first 172800000
        second

        """)
    #expect(told.contains("'back.flac': time_reference of the source left out"))
    #expect(told.contains("'second.flac': time_reference of the source left out"))
  }

  @Test("tags about a sound are those of the source that sounds, and what goes is named")
  func ofSound() throws {
    let stage = try tone(
      """
      sox t.wav other.wav trim 0 1
      flac --silent --tag=LOOPSTART=48000 --tag=LOOPLENGTH=96000 --tag=time_reference=480000 \\
        --tag=liq_cue_in=1 --tag='REPLAYGAIN_TRACK_GAIN=-3 dB' t.wav -o f.flac
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        foreign:
          clip: other.wav
          metadata: { title: T }
          output: { file: foreign.flac, metadata: { from: f.flac } }
        all: { clip: other.wav, metadata: { from: f.flac, title: T }, output: all.flac }
        joined: { concat: [f.flac, other.wav], output: [joined.flac, joined.wav] }
        mixed: { tracks: { a: f.flac, b: { clip: other.wav, gain: -20 dB } }, output: mixed.flac }
        none: { clip: f.flac, metadata: { from: "" }, output: none.flac }
        bare: { clip: f.flac 0.5s.., output: bare.ulaw }
        parts:
          clip: f.flac
          split: { every: 3s }
          metadata: { time_reference: "${part.n}000" }
          output: "p${part.n}.flac"
      """)
    let told = try stage.run("avjob run job.yaml").errors
    let tags = try stage.make(
      """
      for file in foreign all joined mixed none p2; do
        echo $file $(metaflac --export-tags-to=- $file.flac | LC_ALL=C sort)
      done
      """
    ).text
    #expect(
      tags == """
        foreign TITLE=T
        all TITLE=T
        joined LOOPLENGTH=96000 LOOPSTART=48000
        mixed
        none
        p2 TRACKNUMBER=2/2 time_reference=2000

        """, "\(tags)")
    let facts = "LOOPSTART, LOOPLENGTH, time_reference, liq_cue_in, REPLAYGAIN_TRACK_GAIN of the"
    for name in ["foreign.flac", "all.flac"] {
      #expect(told.contains("note: '\(name)': \(facts) source left out"), "\(told)")
    }
    #expect(
      told.contains("time_reference, liq_cue_in and REPLAYGAIN_TRACK_GAIN of 'f.flac' left out"))
    #expect(told.contains("'mixed.flac': LOOPSTART, LOOPLENGTH of the source left out"))
    #expect(told.contains("'bare.ulaw': LOOPSTART, LOOPLENGTH, time_reference, liq_cue_in of the"))
    #expect(!told.contains("'none.flac'") && !told.contains("it may click"), "\(told)")
    #expect(try stage.make("grep -c smpl joined.wav").text == "1\n")
  }

  @Test("a time reference of a part that is no number of frames is refused")
  func timeReferenceOfPart() throws {
    let stage = try tone()
    let bad = try stage.job(
      """
      clip: t.wav
      split: { every: 2s }
      metadata: { time_reference: "${part.n}:00" }
      output: "q${part.n}.flac"
      """)
    #expect(
      bad.status == 2 && bad.errors.contains("'time_reference' is a number of frames"),
      "\(bad.errors)")
  }

  @Test("texts in 8 bits are UTF-8 if they can be, and else Windows-1252 with a warning")
  func eightBits() throws {
    let stage = try tone(
      """
      ffmpeg -v error -i t.wav -id3v2_version 0 s.mp3
      /usr/bin/python3 - <<'END'
      import struct
      def chunk(name, body, order='<'):
          return name + struct.pack(order + 'I', len(body)) + body + b'\\0' * (len(body) % 2)
      def tag(title): return b'TAG' + title.ljust(30, b'\\0') + b'\\0' * 95
      mp3 = open('s.mp3', 'rb').read()
      open('old.mp3', 'wb').write(mp3 + tag(b'Tr\\xe4ck \\x80'))
      open('new.mp3', 'wb').write(mp3 + tag('Träck €'.encode()))
      sound = b'\\0' * 96000
      wave = chunk(b'fmt ', struct.pack('<HHIIHH', 1, 1, 48000, 96000, 2, 16))
      wave += chunk(b'LIST', b'INFO' + chunk(b'INAM', b'Caf\\xe9\\0')) + chunk(b'data', sound)
      wave += chunk(b'cue ', struct.pack('<I', 2)
          + struct.pack('<II4sIII', 1, 0, b'data', 0, 0, 0)
          + struct.pack('<II4sIII', 2, 0, b'data', 0, 0, 24000))
      wave += chunk(b'LIST', b'adtl' + chunk(b'labl', struct.pack('<I', 1) + b'Eins\\0')
          + chunk(b'labl', struct.pack('<I', 2) + b'Zwei \\xe4\\0'))
      open('s.wav', 'wb').write(b'RIFF' + struct.pack('<I', len(wave) + 4) + b'WAVE' + wave)
      rate = bytes.fromhex('400ebb80000000000000')
      aiff = chunk(b'COMM', struct.pack('>hIh', 1, 48000, 16) + rate, '>')
      aiff += chunk(b'AUTH', b'J\\xf6rg', '>') + chunk(b'SSND', b'\\0' * 8 + sound, '>')
      open('s.aiff', 'wb').write(b'FORM' + struct.pack('>I', len(aiff) + 4) + b'AIFF' + aiff)
      END
      """)
    for (file, values) in [
      ("old.mp3", ["Träck €"]), ("new.mp3", ["Träck €"]), ("s.wav", ["Café", "Zwei ä"]),
      ("s.aiff", ["Jörg"]),
    ] {
      let result = try stage.run("avjob compress \(file) -o \(file).flac")
      let tags = try stage.make("metaflac --export-tags-to=- \(file).flac").text
      for value in values { #expect(tags.contains("=\(value)\n"), "\(file): \(tags)") }
      #expect(
        result.errors.contains("not UTF-8 and are read as Windows-1252") == (file != "new.mp3"),
        "\(file): \(result.errors)")
    }
  }

  @Test("a comment and a description are both kept, under their own names")
  func comments() throws {
    let stage = try tone(
      """
      flac --silent --tag=COMMENT=CC --tag=DESCRIPTION=DD t.wav -o both.flac
      flac --silent --tag=COMMENT=CC t.wav -o one.flac
      """)
    try stage.write(
      "job.yaml",
      """
      for_each: "*.flac"
      output: ["${input.stem}-x.flac", "${input.stem}.m4a", "${input.stem}.mp3", "${input.stem}.ogg"]
      """)
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let lines = try read(
      "both-x.flac both.m4a both.mp3 both.ogg one-x.flac one.m4a one.mp3 one.ogg", in: stage)
    #expect(
      lines.filter { $0.hasSuffix("CC") || $0.hasSuffix("DD") } == [
        "both-x.flac comment CC", "both-x.flac description DD", "both.m4a desc DD",
        "both.m4a ©cmt CC", "both.mp3 COMM::XXX CC", "both.mp3 TDES DD", "both.ogg comment CC",
        "both.ogg description DD", "one-x.flac comment CC", "one.m4a ©cmt CC",
        "one.mp3 COMM::XXX CC", "one.ogg comment CC",
      ])
  }

  @Test("a record names what an output does not have of its source")
  func records() throws {
    let stage = try tone(
      """
      flac --silent --tag=REPLAYGAIN_TRACK_GAIN='-7.00 dB' t.wav -o s.flac
      /usr/bin/python3 -c "
      import mutagen.flac
      file = mutagen.flac.FLAC('s.flac')
      block = mutagen.flac.MetadataBlock(b'testdata'); block.code = 2
      file.metadata_blocks.append(block); file.save()"
      """)
    try stage.write(
      "job.yaml",
      "clip: s.flac\ngain: -6 dB\noutput: [x.flac, { file: r.json, json: sidecar }]\n")
    let told = try stage.run("avjob run job.yaml").errors
    #expect(told.contains("note: 's.flac': not read, and in no output: APPLICATION test"))
    let found = try stage.make(
      "python3 -c 'import json; print(json.load(open(\"r.json\"))[\"outputs\"][0][\"left_out\"])'")
    #expect(found.text == "['REPLAYGAIN_TRACK_GAIN', 'APPLICATION test']\n")
  }

  @Test("of several values in ASF, those that are not read are named")
  func valuesInASF() throws {
    let stage = try tone(
      """
      ffmpeg -v error -i t.wav -c:a wmav2 a.wma
      /usr/bin/python3 - <<'END'
      from mutagen.asf import ASF
      file = ASF('a.wma')
      file['WM/Genre'] = ['Rock', 'Pop']
      file['WM/Composer'] = ['Ann']
      file.save()
      END
      """)
    let told = try stage.run("avjob plan a.wma -o a.flac; avjob clip a.wma -o a.flac")
    #expect(told.screen.contains("other values of WM/Genre"), "\(told.screen)")
    #expect(!told.screen.contains("other values of WM/Composer"))
  }

  @Test("tags beside the Theora stream of an OGV and in DSDIFF's ID3 chunk are read")
  func otherPlaces() throws {
    let stage = try tone(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1:r=10 -i t.wav -map 0 -map 1 -t 1 \
        -c:v libtheora -c:a libvorbis -metadata:s:v title=Seen -metadata:s:a artist=Heard v.ogv
      /usr/bin/python3 - <<'END'
      import struct
      def chunk(name, body):
          return name + struct.pack('>Q', len(body)) + body + b'\\0' * (len(body) % 2)
      text = b'\\0Said'
      frame = b'TIT2' + struct.pack('>IH', len(text), 0) + text
      tag = b'ID3\\3\\0\\0' + bytes([0, 0, 0, len(frame)]) + frame
      properties = (b'SND ' + chunk(b'FS  ', struct.pack('>I', 2822400))
          + chunk(b'CHNL', struct.pack('>H', 1) + b'C   ')
          + chunk(b'CMPR', b'DSD \\x0enot compressed\\0'))
      body = (b'DSD ' + chunk(b'FVER', bytes([1, 5, 0, 0])) + chunk(b'PROP', properties)
          + chunk(b'DSD ', b'\\x69' * 80000) + chunk(b'ID3 ', tag))
      open('d.dff', 'wb').write(b'FRM8' + struct.pack('>Q', len(body)) + body)
      END
      """)
    let ogv = try stage.run(
      "avjob clip v.ogv -o v.flac; metaflac --show-tag=TITLE --show-tag=ARTIST v.flac")
    #expect(ogv.text.hasSuffix("TITLE=Seen\nARTIST=Heard\n"), "\(ogv.text) \(ogv.errors)")
    let dff = try stage.run("avjob probe d.dff")
    #expect(dff.text.contains("Said"), "\(dff.text) \(dff.errors)")
  }
}
