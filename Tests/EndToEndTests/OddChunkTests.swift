import TestSupport
import Testing

/// Chunks that stand twice, are cut short or are more than are read, words of loops, and the cue sheet of a
/// CD: what stays of them, and that the rest is named.
@Suite("Odd chunks")
struct OddChunkTests {
  private let stage = Stage()

  /// `odd.py` makes files and lists chunks: `wav(name, chunks)`, `aiff(name, chunks)`, `chunks(name)`.
  private static let script = """
    import random, struct
    def chunk(order, name, body): return name + struct.pack(order, len(body)) + body + b'\\0' * (len(body) % 2)
    def wav(name, list):
      body = b'WAVE' + b''.join(chunk('<I', *c) for c in list)
      open(name, 'wb').write(b'RIFF' + struct.pack('<I', len(body)) + body)
    def aiff(name, list):
      body = b'AIFF' + b''.join(chunk('>I', *c) for c in list)
      open(name, 'wb').write(b'FORM' + struct.pack('>I', len(body)) + body)
    SOUND = (b'data', random.Random(1).randbytes(3840))
    FORMAT = (b'fmt ', struct.pack('<HHIIHH', 1, 2, 48000, 192000, 4, 16))
    def bext(text): return (b'bext', text.ljust(256, b'\\0') + bytes(346))
    def chunks(name):
      b = open(name, 'rb').read()
      order = '<I' if b[:4] == b'RIFF' else '>I'
      found, at = [], 12
      while at + 8 <= len(b):
        size = struct.unpack(order, b[at + 4:at + 8])[0]
        found.append((b[at:at + 4], b[at + 8:at + 8 + size]))
        at += 8 + size + size % 2
      return found

    """

  private func python(_ body: String) throws {
    try stage.write("odd.py", Self.script)
    try stage.write("run.py", "from odd import *\n" + body + "\n")
    try stage.make("/usr/bin/python3 run.py")
  }

  @Test("chunks that stand twice, are too short or have odd codes stay in copies, and are named")
  func odd() throws {
    try python(
      """
      timers = b'AUDs' + struct.pack('<I', 480) + b'EOD ' + b'\\xff' * 4 + b'\\xff\\xfe\\0\\0' + struct.pack('<I', 500)
      cart = (b'cart', (b'0101' + b'Title').ljust(684, b'\\0') + timers.ljust(1364, b'\\0'))
      wav('a.wav', [bext(b'One'), FORMAT, bext(b'Two'), cart, SOUND, (b'inst', b'ab'), (b'smpl', b'abcd')])
      wav('twice.wav', [bext(b'One'), FORMAT, bext(b'Two'), SOUND])
      wav('empty.wav', [(b'bext', b''), FORMAT, (b'cart', b''), (b'iXML', b''), SOUND])
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        flac: { clip: a.wav, output: { file: a.flac, foreign: keep } }
        none: { clip: empty.wav, output: { file: none.wav, bwf: none } }
      """)
    try stage.make(
      """
      avjob run -q job.yaml
      for n in a twice empty; do
        avjob clip -q $n.wav -o $n-copy.wav --wav copy
        cmp $n.wav $n-copy.wav
      done
      avjob clip -q a.flac -o back.wav
      cmp a.wav back.wav
      """)
    let cut = try stage.run("avjob clip a.wav --from 0.005s -o cut.wav")
    #expect(cut.status == 0)
    for text in [
      "has several chunks 'bext': the first one counts, and no edit keeps the others",
      "the chunk 'inst' has 2 bytes, and its fields take 7: it is not read, and no edit keeps it",
      "the chunk 'smpl' has 4 bytes, and its fields take 36: it is not read, and no edit keeps it",
      "has a value out of range (post timer EOD ), which is left out",
    ] { #expect(cut.errors.contains(text), "\(text) in \(cut.errors)") }
    try python(
      """
      cart = dict(chunks('cut.wav'))[b'cart']
      assert cart[684:700] == b'AUDs' + struct.pack('<I', 240) + b'\\xff\\xfe  ' + struct.pack('<I', 260), cart[684:700]
      assert [c[0] for c in chunks('none.wav')] == [b'fmt ', b'cart', b'iXML', b'data'], chunks('none.wav')
      """)
  }

  @Test("more chunks than are looked at are named, before the sound as behind it")
  func many() throws {
    try python(
      """
      many = [(b'ab%02d' % (i % 100), b'') for i in range(20001)]
      wav('before.wav', [FORMAT] + many + [SOUND])
      wav('behind.wav', [FORMAT, SOUND] + many)
      wav('few.wav', [FORMAT] + many[:500] + [SOUND])
      """)
    for (name, text) in [
      ("before", "has more chunks than 20000 before its sound: no output keeps them"),
      ("behind", "has more chunks than 20000: those behind may be left out"),
    ] {
      let result = try stage.run("avjob clip \(name).wav -o out-\(name).wav --wav copy")
      #expect(result.status == 0 && result.errors.contains(text), "\(result.errors)")
    }
    try stage.make("avjob clip -q few.wav -o few-copy.wav --wav copy; cmp few.wav few-copy.wav")
  }

  @Test("a FLAC gives back a list without padding, and takes no samples for chunks")
  func foreign() throws {
    try python(
      """
      info = b'INFOINAM' + struct.pack('<I', 3) + b'One' + b'IART' + struct.pack('<I', 4) + b'Art\\0'
      wav('a.wav', [(b'LIST', info), FORMAT, SOUND])
      for name, sound in [('loud.wav', SOUND[1]), ('silent.wav', bytes(3840))]:
        wav(name, [FORMAT, (b'data', b'')])
        open(name, 'ab').write(sound)
      """)
    func keep(_ name: String) throws -> ToolResult {
      try stage.write(
        "keep.yaml", "clip: \(name).wav\noutput: { file: \(name).flac, foreign: keep }\n")
      return try stage.run("avjob run keep.yaml")
    }
    #expect(try keep("a").status == 0)
    try stage.make(
      """
      avjob clip -q a.flac -o back.wav
      cmp a.wav back.wav
      """)
    for name in ["loud", "silent"] {
      let result = try keep(name)
      #expect(
        result.status != 0
          && result.errors.contains(
            "the chunk 'data' does not fit the file: it counts no sample, and samples follow"),
        "\(result.errors)")
    }
  }

  @Test("the loop of an AIFF keeps the names and the comments of its markers, or they are named")
  func loopMarkers() throws {
    try python(
      """
      def pascal(text): return bytes([len(text)]) + text + b'\\0' * ((len(text) + 1) % 2)
      marks = [(5, 480, b'Start'), (2, 720, b'End'), (7, 900, b'last')]
      mark = struct.pack('>H', 3) + b''.join(struct.pack('>HI', i, f) + pascal(t) for i, f, t in marks)
      comt = struct.pack('>HIHH', 1, 7, 5, 5) + b'hello\\0'
      inst = struct.pack('>BbBBBBh6H', 60, 0, 0, 127, 1, 127, 0, 1, 5, 2, 0, 0, 0)
      comm = struct.pack('>HIH', 2, 960, 16) + bytes.fromhex('400ebb80000000000000')
      aiff('a.aiff', [(b'COMM', comm), (b'MARK', mark), (b'COMT', comt), (b'INST', inst),
        (b'SSND', bytes(8) + SOUND[1])])
      """)
    try stage.write(
      "job.yaml", "clip: a.aiff 0.005s..\noutput: [cut.aiff, cut.wav, cut.caf, cut.flac]\n")
    let result = try stage.run(
      "avjob run job.yaml && avjob clip -q cut.caf --from 0.002s -o end.caf")
    #expect(result.status == 0, "\(result.errors)")
    for name in ["wav", "caf", "flac"] {
      let isNamed = result.errors.split(separator: "\n").contains {
        $0.contains("'cut.\(name)': ") && $0.contains("names and comments of loops")
      }
      #expect(isNamed, "\(result.errors)")
    }
    #expect(!result.errors.contains("'cut.aiff'"), "\(result.errors)")
    try python(
      """
      found = dict(chunks('cut.aiff'))
      mark, comt = found[b'MARK'], found[b'COMT']
      def entry(id, frame, text): return struct.pack('>HI', id, frame) + bytes([len(text)]) + text
      begin, end = struct.unpack('>2H', found[b'INST'][10:14])
      assert entry(begin, 240, b'Start') in mark and entry(end, 480, b'End') in mark, mark
      assert comt[:2] == b'\\0\\1' and comt[6:] == struct.pack('>HH', begin, 5) + b'hello\\0', comt
      for name in ['cut.caf', 'end.caf']: assert b'Start\\0' in open(name, 'rb').read(), name
      """)
  }

  @Test("two loops of the same frames keep the names of each")
  func equalLoops() throws {
    try python(
      """
      def pascal(text): return bytes([len(text)]) + text + b'\\0' * ((len(text) + 1) % 2)
      marks = [(1, 480, b's1'), (2, 720, b's2'), (3, 480, b'r1'), (4, 720, b'r2')]
      mark = struct.pack('>H', 4) + b''.join(struct.pack('>HI', i, f) + pascal(t) for i, f, t in marks)
      inst = struct.pack('>BbBBBBh6H', 60, 0, 0, 127, 1, 127, 0, 1, 1, 2, 1, 3, 4)
      comm = struct.pack('>HIH', 2, 960, 16) + bytes.fromhex('400ebb80000000000000')
      aiff('a.aiff', [(b'COMM', comm), (b'MARK', mark), (b'INST', inst),
        (b'SSND', bytes(8) + SOUND[1])])
      """)
    try stage.write("job.yaml", "clip: a.aiff 0.005s..\noutput: [cut.aiff, cut.caf]\n")
    try stage.make("avjob run -q job.yaml")
    try python(
      """
      found = dict(chunks('cut.aiff'))
      places = struct.unpack('>6H', found[b'INST'][8:20])
      for id, frame, text in zip(places[1:3] + places[4:6], [240, 480] * 2, [b's1', b's2', b'r1', b'r2']):
        assert struct.pack('>HIB', id, frame, 2) + text in found[b'MARK'], (id, text, found[b'MARK'])
      whole = open('cut.caf', 'rb').read()
      assert b's1\\0' in whole and b'r1\\0' in whole
      """)
  }

  @Test("the cue sheet of a CD stays where no place moves, and what goes of it is named")
  func compactDisc() throws {
    try stage.write(
      "cd.cue",
      """
      CATALOG 1234567890123
      FILE "cd.wav" WAVE
        TRACK 01 AUDIO
          ISRC USABC1234567
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          INDEX 00 00:00:30
          INDEX 01 00:00:45
      """)
    try stage.make(
      """
      sox -R -n -r 44100 -b 16 -c 2 cd.wav synth 1 pinknoise
      flac -s --cuesheet=cd.cue cd.wav -o cd.flac
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        soft: { clip: cd.flac, gain: -6 dB, output: [soft.flac, soft.mp3] }
        fade: { clip: cd.flac, fade_out: 0.2s, output: fade.flac }
        whole: { clip: cd.flac, output: [whole.flac, whole.wav, whole.aiff] }
        part: { clip: cd.flac ..0.9s, output: part.flac }
      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    let parts = "parts of CUESHEET (catalog, ISRC, pregaps, CD flag) of the source left out"
    for name in ["soft.mp3", "whole.wav", "whole.aiff", "part.flac"] {
      let note = "'\(name)': \(parts)"
      #expect(result.errors.contains(note), "\(note) in \(result.errors)")
    }
    for name in ["soft", "fade", "whole"] {
      #expect(!result.errors.contains("'\(name).flac': parts of CUESHEET"), "\(result.errors)")
    }
    try stage.make(
      """
      for n in cd soft fade whole; do
        metaflac --list --block-type=CUESHEET $n.flac | tail -n +4 >$n.text
        cmp cd.text $n.text
      done
      flac -t -s part.flac
      """)
  }
}
