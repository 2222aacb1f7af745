import TestSupport
import Testing

/// Chunks of WAV, AIFF, CAF and FLAC, from file to file, as tools that nobody here wrote see them.
@Suite("Chunks of files")
struct ChunkFileTests {
  private let stage = Stage()

  /// `chunks.py` makes WAVs and lists chunks: `wav(form, chunks)`, `chunks(name)`.
  private static let script = """
    import random, struct, sys
    def chunk(name, body): return name + struct.pack('<I', len(body)) + body + b'\\0' * (len(body) % 2)
    def samples(seed, frames, size=4):
      return random.Random(seed).randbytes(frames * size)
    FORMAT = struct.pack('<HHIIHH', 1, 2, 48000, 192000, 4, 16)
    def wav(form, before, sound, behind):
      body = b''.join(chunk(*c) for c in before)
      data = len(sound)
      rest = b'\\0' * (data % 2) + b''.join(chunk(*c) for c in behind)
      if form == b'RIFF':
        whole = b'WAVE' + body + b'data' + struct.pack('<I', data) + sound + rest
        return b'RIFF' + struct.pack('<I', len(whole)) + whole
      size = 4 + 36 + len(body) + 8 + data + len(rest)
      ds64 = struct.pack('<QQQI', size, data, data // 4, 0)
      return (form + b'\\xff' * 4 + b'WAVE' + chunk(b'ds64', ds64) + body
        + b'data' + b'\\xff' * 4 + sound + rest)
    def bext(description=b'', reference=0, version=2, history=b''):
      return (description.ljust(256, b'\\0') + b'Archive'.ljust(32, b'\\0') + b'REF'.ljust(32, b'\\0')
        + b'2026-11-2907:30:00' + struct.pack('<QH', reference, version) + bytes(range(64))
        + struct.pack('<5h', -2300, 700, -150, -1800, -2000) + bytes(180) + history)
    def cue(frames): return struct.pack('<I', len(frames)) + b''.join(
      struct.pack('<II4sIII', i + 1, f, b'data', 0, 0, f) for i, f in enumerate(frames))
    def label(i, text): return chunk(b'labl', struct.pack('<I', i) + text + b'\\0')
    def chunks(name):
      b = open(name, 'rb').read()
      found, at = [], 12
      long = struct.unpack('<Q', b[28:36])[0] if b[12:16] == b'ds64' else 0
      while at + 8 <= len(b):
        size = struct.unpack('<I', b[at + 4:at + 8])[0]
        if b[at:at + 4] == b'data' and size == 0xFFFFFFFF: size = long
        assert at + 8 + size <= len(b), (name, at)
        found.append((b[at:at + 4], b[at + 8:at + 8 + size]))
        at += 8 + size + size % 2
      assert at == len(b), name
      if b[:4] == b'RIFF': assert struct.unpack('<I', b[4:8])[0] == len(b) - 8, name
      return b[:4], found

    """

  private func python(_ body: String) throws {
    try stage.write("chunks.py", Self.script)
    try stage.write("run.py", "from chunks import *\n" + body + "\n")
    try stage.make("/usr/bin/python3 run.py")
  }

  /// 40 WAVs, `in/0.wav` and so on, of random chunks before and behind the sound.
  private static let randomFiles = """
    import os
    os.makedirs('in', exist_ok=True)
    for i in range(40):
      r = random.Random(i)
      form = r.choice([b'RIFF', b'RIFF', b'RF64', b'BW64'])
      pool = [(b'bext', bext(b'Side A', 172800000, r.choice([1, 2]))), (b'iXML', b'<BWFXML><PROJECT>P</PROJECT></BWFXML>'),
        (b'axml', r.randbytes(r.randrange(50))), (b'chna', struct.pack('<HH', 0, 0)), (b'PEAK', r.randbytes(24)),
        (b'acid', r.randbytes(24)), (b'junk', bytes(r.randrange(9))), (b'xyz ', r.randbytes(r.randrange(1, 40)))]
      r.shuffle(pool)
      pool = pool[:r.randrange(len(pool) + 1)]
      cut = r.randrange(len(pool) + 1)
      behind = pool[cut:]
      if r.random() < .5:
        behind += [(b'cue ', cue([480, 100])), (b'LIST', b'adtl' + label(1, b'one') + label(2, b'b'))]
      if r.random() < .5: behind += [(b'LIST', b'INFOINAM' + struct.pack('<I', 6) + b'Title\\0')]
      before = pool[:cut]
      before.insert(r.randrange(len(before) + 1), (b'fmt ', FORMAT))
      open('in/%d.wav' % i, 'wb').write(wav(form, before, samples(i, 960), behind))
    """

  @Test("a copy of a whole WAV keeps all chunks, byte for byte and in their order")
  func copies() throws {
    try python(Self.randomFiles)
    try stage.write(
      "job.yaml", "for_each: in/*.wav\nclip: ${input}\noutput: { folder: out, codec: same }\n")
    try stage.make("avjob run -q job.yaml")
    try python(
      """
      for i in range(40):
        (form, old), (name, new) = chunks('in/%d.wav' % i), chunks('out/%d.wav' % i)
        room = (b'JUNK', bytes(28))
        assert form == name, i
        assert [c for c in new if c != room] == [c for c in old if c != room], (i, old, new)
      """)
  }

  @Test("a copy of a whole WAV keeps a format of fewer bits or other places than it would be given")
  func formats() throws {
    try python(
      """
      GUID = bytes.fromhex('000000001000800000aa00389b71')
      def form(bits, valid=None, mask=3):
        size = 2 * ((bits + 7) // 8)
        head = struct.pack('<HHIIHH', 1 if valid is None else 0xFFFE, 2, 48000, 48000 * size, size, bits)
        return head if valid is None else head + struct.pack('<HHIH', 22, valid, mask, 1) + GUID
      def put(name, fmt, size):
        open(name, 'wb').write(wav(b'RIFF', [(b'fmt ', fmt), (b'xyz ', b'abc')], samples(1, 960, size), []))
      put('20.wav', form(24, 20), 6)
      put('plain.wav', form(24), 6)
      put('12.wav', form(16, 12), 4)
      put('none.wav', form(24, 0), 6)
      put('back.wav', form(24, 24, 0x30), 6)
      put('side.wav', form(24, 24, 0x600), 6)
      """)
    try stage.make(
      """
      for n in 20 plain 12 none back side; do
        avjob clip -q $n.wav -o $n-copy.wav --wav copy
        cmp $n.wav $n-copy.wav
      done
      """)
  }

  @Test("an empty text of the job is in no place of a WAV that had it in 'bext'")
  func removedTexts() throws {
    try python(
      """
      open('a.wav', 'wb').write(wav(b'RIFF', [(b'bext', bext(b'SECRET', 48000, 2, b'A=PCM,T=SECRET\\r\\n')),
        (b'fmt ', FORMAT)], samples(1, 960), []))
      """)
    try stage.write(
      "job.yaml",
      """
      clip: a.wav
      metadata: { comment: "", coding_history: "", umid: "", date: "" }
      output:
        - whole.wav
        - { file: own.wav, metadata: { originator_reference: "" } }
      """)
    try stage.make("avjob run -q job.yaml; if grep -q SECRET whole.wav own.wav; then exit 1; fi")
    try python(
      """
      for name, reference in [('whole.wav', b'REF'), ('own.wav', b'')]:
        told = dict(chunks(name)[1])[b'bext']
        assert told[:256] == bytes(256) and told[256:288].startswith(b'Archive'), told
        assert told[288:320].rstrip(b'\\0') == reference and told[320:338] == bytes(18), told
        assert struct.unpack('<Q', told[338:346]) == (48000,) and told[348:412] == bytes(64), told
        assert len(told) == 602, told
      """)
  }

  @Test("a loop that a job gives is in the file, to the last frame, and moves with a clip")
  func givenLoop() throws {
    try python(
      "open('a.wav', 'wb').write(wav(b'RIFF', [(b'fmt ', FORMAT)], samples(1, 96000), []))")
    try stage.write("job.yaml", "clip: a.wav\nloop_points: 1s..1.5s\noutput: out.wav\n")
    // Also where the facts come from an earlier run.
    for _ in 0..<2 {
      try stage.make("avjob run -q --force job.yaml")
      try python(
        """
        loop = dict(chunks('out.wav')[1])[b'smpl'][36:]
        assert struct.unpack('<IIIIII', loop)[2:4] == (48000, 71999), loop
        """)
    }
  }

  @Test("texts of a recorder that are damaged, or count beyond all numbers, harm nothing else")
  func hostileTexts() throws {
    try python(
      """
      def put(name, text):
        open(name, 'wb').write(wav(b'RIFF', [(b'iXML', text), (b'fmt ', FORMAT)], samples(1, 48000), []))
      big = 2**64 - 1 - 4000
      put('far.wav', b'<BWFXML><SPEED><TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>%d</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>'
        b'<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>%d</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO></SPEED>'
        b'<SYNC_POINT_LIST><SYNC_POINT><SYNC_POINT_TYPE>ABSOLUTE</SYNC_POINT_TYPE>'
        b'<SYNC_POINT_LOW>%d</SYNC_POINT_LOW><SYNC_POINT_HIGH>%d</SYNC_POINT_HIGH></SYNC_POINT></SYNC_POINT_LIST>'
        b'</BWFXML>' % (big >> 32, big & 0xffffffff, (big + 3900) & 0xffffffff, (big + 3900) >> 32))
      put('broken.wav', b'<BWFXML><NOTE>a < b</NOTE><SPEED><TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>0</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>'
        b'<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>1000</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO></SPEED></BWFXML>')
      """)
    for name in ["far", "broken"] {
      let result = try stage.job(
        "{ clip: \(name).wav 0.2s.., speed: 0.5, output: \(name)-out.wav }")
      #expect(result.status == 0, "\(result.errors)")
    }
    try python("assert b'iXML' not in dict(chunks('broken-out.wav')[1])")
  }

  @Test("what no longer fits into a field, and what nobody's clock holds for, is named")
  func named() throws {
    try python(
      """
      text = bext(bytes([0xE9]) * 256, 172800000)
      for name in ['a.wav', 'b.wav']:
        open(name, 'wb').write(wav(b'RIFF', [(b'bext', text), (b'fmt ', FORMAT)], samples(1, 48000), []))
      """)
    try stage.write(
      "cut.yaml",
      """
      clip: a.wav 0.2s..
      metadata: { originator_reference: A reference that no field of 32 bytes holds }
      output: cut.wav
      """)
    let cut = try stage.run("avjob run cut.yaml")
    #expect(cut.status == 0)
    #expect(
      cut.errors.contains(
        "'cut.wav': the chunk 'bext' holds 32 bytes of a longer text (originator reference)"),
      "\(cut.errors)")
    try stage.write("mix.yaml", "tracks: { a: a.wav, b: b.wav }\noutput: mix.wav\n")
    let mix = try stage.run("avjob run mix.yaml")
    #expect(mix.status == 0)
    #expect(
      mix.errors.contains(
        "'mix.wav': bext of the source left out, since it does not begin with the source's sound"),
      "\(mix.errors)")
  }

  @Test("WAV to FLAC with 'foreign: keep' and back returns every chunk, also by flac on either way")
  func flac() throws {
    try python(
      Self.randomFiles + "\nimport shutil\n"
        + "for i in range(40):\n  if chunks('in/%d.wav' % i)[0] == b'BW64': os.remove('in/%d.wav' % i)\n"
    )
    try stage.write(
      "to.yaml",
      "for_each: in/*.wav\nclip: ${input}\noutput: { folder: f, flac: 16 bit, foreign: keep }\n")
    try stage.write(
      "back.yaml", "for_each: f/*.flac\nclip: ${input}\noutput: { folder: back, wav: 16 bit }\n")
    try stage.write(
      "theirs.yaml", "for_each: t/*.flac\nclip: ${input}\noutput: { folder: theirs, wav: 16 bit }\n"
    )
    try stage.make(
      """
      avjob run -q to.yaml; avjob run -q back.yaml
      mkdir t ours
      for f in in/*.wav; do
        n=$(basename $f .wav)
        flac -t -s f/$n.flac
        flac -s --keep-foreign-metadata $f -o t/$n.flac
        if metaflac --list f/$n.flac | grep -q APPLICATION; then
          flac -s -d --keep-foreign-metadata f/$n.flac -o ours/$n.wav
          # flac itself makes a RIFF of a short RF64.
          flac -s -d --keep-foreign-metadata t/$n.flac -o ours/t$n.wav
          cmp ours/t$n.wav ours/$n.wav
        fi
      done
      avjob run -q theirs.yaml
      """)
    try python(
      """
      import glob, os
      room = (b'JUNK', bytes(28))
      for name in glob.glob('in/*.wav'):
        old = chunks(name)
        for folder in ['back', 'theirs']:
          new = chunks(folder + name[2:])
          assert old[0] == new[0], name
          assert [c for c in new[1] if c != room] == [c for c in old[1] if c != room], (folder, name, old, new)
      """)
  }

  @Test("chapters are cues of WAV, markers of AIFF and CAF, and come back as chapters")
  func markers() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=3:r=44100 s.wav")
    try stage.write(
      "job.yaml",
      """
      clip: s.wav
      chapters: { 0s: Start, 1.5s: "Über", 2s: Fin }
      output: [a.wav, a.aiff, a.caf]
      """)
    let told = try stage.run("avjob run -q job.yaml")
    #expect(told.status == 0 && told.errors == "", "\(told.errors)")
    let cues = try stage.make("sndfile-info a.wav").text
    #expect(cues.contains("Count : 3") || cues.contains("cue  : "), "\(cues)")
    let listed = try stage.make(
      "ffprobe -v error -show_chapters -of csv=p=0 a.wav | cut -d, -f3,7"
    ).text
    #expect(listed == "0,Start\n66150,Über\n88200,Fin\n", "\(listed)")
    for name in ["a.wav", "a.aiff", "a.caf"] {
      let text = try stage.make("avjob probe \(name) --json").text
      for title in ["Start", "Über", "Fin"] { #expect(text.contains(title), "\(name) \(text)") }
    }
    let markers = try stage.make(
      """
      /usr/bin/python3 - <<'E'
      import struct
      b = open('a.aiff', 'rb').read()
      at = b.index(b'MARK') + 8
      print(struct.unpack('>HHI', b[at:at + 8]), b.count(b'NAME'))
      b = open('a.caf', 'rb').read()
      at = b.index(b'mark') + 12
      print(struct.unpack('>II', b[at:at + 8]), struct.unpack('>d', b[at + 40:at + 48]))
      E
      """
    ).text
    #expect(markers == "(3, 1, 0) 0\n(0, 3) (66150.0,)\n", "\(markers)")
  }

  @Test("faults of chunks are warnings, and the rest is read")
  func faults() throws {
    try python(
      """
      sound = samples(1, 960)
      fmt = chunk(b'fmt ', FORMAT)
      def put(name, body): open(name, 'wb').write(b'RIFF' + struct.pack('<I', 4 + len(body)) + b'WAVE' + body)
      data = chunk(b'data', sound)
      tags = chunk(b'LIST', b'INFOINAM' + struct.pack('<I', 6) + b'Title\\0')
      put('odd.wav', fmt + b'odd ' + struct.pack('<I', 3) + b'abc' + data + tags)
      put('short.wav', fmt + chunk(b'bext', bext(b'D')[:300]) + data)
      put('many.wav', fmt + data + chunk(b'cue ', struct.pack('<I', 0xFFFFFFFF) + cue([5])[4:]))
      put('empty.wav', fmt + chunk(b'bext', b'') + data)
      put('past.wav', fmt + data + b'bext' + struct.pack('<I', 1 << 31) + b'abc')
      put('open.wav', fmt + b'data' + b'\\xff' * 4 + sound)
      """)
    let odd = try stage.run("avjob clip -q odd.wav -o odd.flac")
    #expect(odd.status == 0 && odd.errors.contains("lacks the byte of padding"), "\(odd.errors)")
    #expect(try stage.make("metaflac --show-tag=TITLE odd.flac").text == "TITLE=Title\n")
    for (name, warning) in [
      ("short", "the chunk 'bext' has 300 bytes, and its fields take 602"),
      ("many", "the chunk 'cue' counts 4294967295 entries, and has 1"),
      ("empty", "the chunk 'bext' has 0 bytes"), ("past", "the chunk 'bext' has 3 bytes"),
    ] {
      let result = try stage.run("avjob clip -q \(name).wav -o \(name).flac")
      #expect(result.status == 0 && result.errors.contains(warning), "\(result.errors)")
    }
    #expect(try stage.make("avjob probe open.wav").text.contains("960 samples"))
  }

  @Test("the loudness in 'bext' is that of the written file")
  func loudness() throws {
    try stage.make("ffmpeg -v error -f lavfi -i 'anoisesrc=d=4:r=48000:a=0.1:s=3' -ac 2 s.wav")
    try stage.write(
      "job.yaml",
      """
      clip: s.wav 1s..
      loudness: -23 LUFS
      output: { file: a.wav, wav: 24 bit, bwf: { description: Take 1, originator: Us } }
      """)
    try stage.make("avjob run -q job.yaml")
    try stage.write("chunks.py", Self.script)
    let figures = try stage.make(
      """
      /usr/bin/python3 - <<'E'
      from chunks import *
      form, found = chunks('a.wav')
      body = dict(found)[b'bext']
      print(struct.unpack('<H', body[346:348])[0], struct.unpack('<5h', body[412:422])[0], body[:6])
      E
      """
    ).text
    #expect(figures == "2 -2300 b'Take 1'\n", "\(figures)")
    let info = try stage.make("mediainfo --Output='General;%Description% %Producer%' a.wav").text
    #expect(info.contains("Take 1") && info.contains("Us"), "\(info)")
  }
}
