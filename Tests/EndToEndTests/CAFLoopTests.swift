import TestSupport
import Testing

/// Loops, regions and instruments of CAF, by Apple's specification alone: the tools at hand write none.
@Suite("Loops of CAF")
struct CAFLoopTests {
  private let stage = Stage()

  /// `caf.py`: `caf(name, chunks)` adds chunks to `plain.caf`, `chunks(name)` gives those of a file,
  /// `loop(name)` the frames of the region that its instrument names.
  private static let script = """
    import struct
    def mark(kind, frame, id=0):
      return struct.pack('>4sdI8sI', kind, frame, id, b'\\xff' * 8, 0)
    def caf(name, extra):
      b = open('plain.caf', 'rb').read()
      open(name, 'wb').write(b + b''.join(n + struct.pack('>Q', len(c)) + c for n, c in extra))
    def chunks(name):
      b = open(name, 'rb').read()
      found, at = {}, 8
      while at < len(b):
        size = struct.unpack('>q', b[at + 4:at + 12])[0]
        if size < 0: size = len(b) - at - 12
        assert b[at:at + 4] not in found, b[at:at + 4]
        found[b[at:at + 4]] = b[at + 12:at + 12 + size]
        at += 12 + size
      assert at == len(b), name
      return found
    def regions(content):
      found, at = {}, 8
      for _ in range(struct.unpack('>I', content[4:8])[0]):
        id, flags, count = struct.unpack('>III', content[at:at + 12])
        at += 12
        marks = [struct.unpack('>4sdI8sI', content[at + 28 * i:at + 28 * i + 28]) for i in range(count)]
        at += 28 * count
        found[id] = (flags, [(m[0], m[1]) for m in marks])
      return found
    def instrument(content):
      return struct.unpack('>f4BfIIII', content)

    """

  private func python(_ body: String) throws {
    try stage.write("caf.py", Self.script)
    try stage.write("run.py", "from caf import *\n" + body + "\n")
    try stage.make("/usr/bin/python3 run.py")
  }

  @Test(
    "a loop has the name of its region, or those of its two markers, and that of no place in it")
  func names() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=1:r=48000 -c:a pcm_s16le plain.caf")
    try python(
      """
      def strings(texts):
        body, places = b'', []
        for id, text in texts:
          places.append(struct.pack('>Iq', id, len(body)))
          body += text + b'\\0'
        return b'strg', struct.pack('>I', len(places)) + b''.join(places) + body
      def region(marks): return b'regn', struct.pack('>IIIII', 0, 1, 1, 3, len(marks)) + b''.join(marks)
      ends = [mark(b'rbeg', 1000, 1), mark(b'rend', 2000, 1)]
      caf('named.caf', [region(ends), strings([(1, b'Whole')])])
      caf('synced.caf', [region(ends + [mark(b'rsyc', 1500, 2)]), strings([(2, b'Place')])])
      pair = [mark(b'slbg', 1000, 1), mark(b'slen', 2000, 2)]
      caf('pair.caf', [(b'mark', struct.pack('>II', 0, 2) + b''.join(pair)), strings([(1, b'Aa'), (2, b'Bb')])])
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        named: { clip: named.caf, reverse: true, output: named-back.caf }
        synced: { clip: synced.caf ..0.5s, output: synced.aiff }
        pair: { clip: pair.caf ..0.5s, output: [pair.aiff, pair-cut.caf] }
      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    let losses = result.errors.split(separator: "\n").filter {
      $0.contains("names and comments of loops")
    }
    #expect(losses.count == 1 && losses[0].contains("'pair-cut.caf'"), "\(result.errors)")
    try python(
      """
      def read(name): return open(name, 'rb').read()
      assert b'Whole\\0' in read('named-back.caf')
      assert b'beg loop' in read('synced.aiff') and b'end loop' in read('synced.aiff')
      for text in [b'Aa', b'Bb']: assert b'\\2' + text in read('pair.aiff'), text
      assert b'Aa\\0' in read('pair-cut.caf')
      """)
  }

  @Test("PCM in more bytes than its bits need is refused, and not heard as packed")
  func paddedSamples() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=0.1:r=48000 -ac 2 -c:a pcm_s24le plain.caf")
    try python(
      """
      b = open('plain.caf', 'rb').read()
      at = b.index(b'desc') + 12
      assert struct.unpack('>IIII', b[at + 16:at + 32]) == (6, 1, 2, 24)
      open('padded.caf', 'wb').write(b[:at + 16] + struct.pack('>I', 8) + b[at + 20:])
      """)
    try stage.make("avjob probe plain.caf")
    let result = try stage.run("avjob clip padded.caf -o out.wav")
    #expect(
      result.status != 0
        && result.errors.contains(
          "has 2 samples of 24 bits in 8 bytes (desc), which are read only in 6"),
      "\(result.errors)")
  }

  @Test("loops of WAV, AIFF and CAF are each other's, and move with a clip and a rate")
  func everyWay() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=4:r=48000 s.wav")
    try stage.write(
      "make.yaml", "clip: s.wav\nloop_points: 1s..1.5s\noutput: [a.wav, a.aiff, a.caf]\n")
    try stage.make("avjob run -q make.yaml")
    try python(
      """
      found = chunks('a.caf')
      told = instrument(found[b'inst'])
      assert told[0] == 60 and told[7] == 1, told
      assert regions(found[b'regn'])[1] == (3, [(b'rbeg', 48000.0), (b'rend', 72000.0)]), regions(found[b'regn'])
      """)
    for name in ["wav", "aiff", "caf"] {
      try stage.write(
        "cut.yaml", "clip: a.\(name) 0.5s..\noutput: { file: \(name).caf, sample_rate: 44.1 kHz }\n"
      )
      try stage.make("avjob run -q cut.yaml")
      try python(
        """
        want = (3, [(b'rbeg', 22050.0), (b'rend', 44100.0)])
        assert regions(chunks('\(name).caf')[b'regn'])[1] == want, regions(chunks('\(name).caf')[b'regn'])
        """)
    }
    try stage.write("back.yaml", "clip: a.caf 0.5s..\noutput: back.wav\n")
    try stage.make("avjob run -q back.yaml")
    try python(
      """
      b = open('back.wav', 'rb').read()
      at = b.index(b'smpl') + 8
      assert struct.unpack('<II', b[at + 44:at + 52]) == (24000, 47999), struct.unpack('<II', b[at + 44:at + 52])
      """)
  }

  @Test("loops that regions and pairs of markers have are read, and other markers are no chapters")
  func read() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=2:r=48000 -c:a pcm_s16le plain.caf")
    try python(
      """
      def region(id, flags, first, end): return struct.pack('>III', id, flags, 2) + mark(b'rbeg', first, id) + mark(b'rend', end, id)
      regn = struct.pack('>II', 0, 3) + region(7, 0, 100, 200) + region(8, 1 | 4, 300, 400) + region(9, 0, 500, 600)
      inst = struct.pack('>f4BfIIII', 61.25, 0, 127, 1, 127, 3.0, 0, 9, 0, 0)
      caf('regions.caf', [(b'regn', regn), (b'inst', inst)])
      inst = struct.pack('>f4BfIIII', 60, 0, 127, 1, 127, 0, 0, 9, 8, 0)
      caf('held.caf', [(b'regn', regn), (b'inst', inst)])
      marks = [mark(b'slbg', 1000, 1), mark(b'slen', 2000, 2), mark(b'tmpo', 0, 3), mark(bytes(4), 48000, 4)]
      caf('marks.caf', [(b'mark', struct.pack('>II', 0, len(marks)) + b''.join(marks))])
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        regions: { clip: regions.caf, output: regions.wav }
        marks: { clip: marks.caf, output: marks.wav }
        whole: { clip: regions.caf, output: whole.caf }
        held: { clip: held.caf ..1s, output: later.caf }
      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("mark tmpo"), "\(result.errors)")
    try python(
      """
      def loops(name):
        b = open(name, 'rb').read()
        at = b.index(b'smpl') + 8
        count = struct.unpack('<I', b[at + 28:at + 32])[0]
        note, part = struct.unpack('<II', b[at + 12:at + 20])
        return note, part >> 16, [struct.unpack('<III', b[at + 40 + 24 * i:at + 52 + 24 * i]) for i in range(count)]
      assert loops('regions.wav') == (61, 1 << 14, [(0, 500, 599), (2, 300, 399)]), loops('regions.wav')
      b = open('regions.wav', 'rb').read()
      at = b.index(b'cue ') + 8
      assert struct.unpack('<I', b[at:at + 4])[0] == 1 and struct.unpack('<I', b[at + 24:at + 28])[0] == 100
      assert loops('marks.wav')[2] == [(0, 1000, 1999)], loops('marks.wav')
      b = open('marks.wav', 'rb').read()
      at = b.index(b'cue ') + 8
      assert struct.unpack('<I', b[at:at + 4])[0] == 1 and struct.unpack('<I', b[at + 24:at + 28])[0] == 48000
      whole = chunks('whole.caf')
      assert [r[1] for r in regions(whole[b'regn']).values()] == [
        [(b'rbeg', 500.0), (b'rend', 600.0)], [(b'rbeg', 300.0), (b'rend', 400.0)]], regions(whole[b'regn'])
      assert instrument(whole[b'inst'])[0] == 61.25 and instrument(whole[b'inst'])[7:9] == (1, 0)
      # What sounds behind a held note stays so.
      assert instrument(chunks('later.caf')[b'inst'])[7:9] == (1, 2)
      """)
  }

  @Test(
    "regions without a length and places within regions are cues, and what cues do not hold is named"
  )
  func places() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=2:r=48000 -c:a pcm_s16le plain.caf")
    try python(
      """
      def region(id, marks): return struct.pack('>III', id, 0, len(marks)) + b''.join(marks)
      spot = region(1, [mark(b'rbeg', 700, 1), mark(b'rend', 700, 2)])
      synced = region(2, [mark(b'rbeg', 1000, 3), mark(b'rsyc', 1500, 4), mark(b'rend', 2000, 5)])
      caf('regions.caf', [(b'regn', struct.pack('>II', 0, 3) + spot + synced + region(3, []))])
      time = struct.pack('>4sdI8sI', bytes(4), 400, 8, b'\\1\\2\\3\\4' + bytes(4), 2)
      marks = [mark(b'tbeg', 300, 6), time, mark(b'slbg', 500, 9), mark(b'rend', 600, 10)]
      caf('marks.caf', [(b'mark', struct.pack('>II', 3, len(marks)) + b''.join(marks))])
      """)
    let cues = """
      def cues(name):
        b = open(name, 'rb').read()
        at = b.index(b'cue ') + 8
        count = struct.unpack('<I', b[at:at + 4])[0]
        return [struct.unpack('<I', b[at + 24 + 24 * i:at + 28 + 24 * i])[0] for i in range(count)]
      """
    try stage.write("regions.yaml", "clip: regions.caf\noutput: regions.wav\n")
    let regions = try stage.run("avjob run regions.yaml")
    #expect(
      regions.status == 0 && regions.errors.contains("regn without a place"), "\(regions.errors)")
    try python(cues + "\nassert cues('regions.wav') == [700, 1000, 1500], cues('regions.wav')\n")
    try stage.write("marks.yaml", "clip: marks.caf\noutput: marks.wav\n")
    let marks = try stage.run("avjob run marks.yaml")
    for name in [
      "mark tbeg", "SMPTE times of markers", "channels of markers", "mark slbg", "mark rend",
    ] { #expect(marks.errors.contains(name), "\(name) in \(marks.errors)") }
    try python(cues + "\nassert cues('marks.wav') == [300, 400], cues('marks.wav')\n")
  }

  @Test("what AIFF and CAF cannot say of loops is named")
  func omissions() throws {
    try stage.make(
      "ffmpeg -v error -f lavfi -i sine=d=2:r=48000 -c:a pcm_s16le -bitexact plain.wav")
    try python(
      """
      b = open('plain.wav', 'rb').read()
      loops = b''.join(struct.pack('<IIIIII', i, kind, 1000 * i, 1000 * i + 99, 0, count)
        for i, (kind, count) in enumerate([(2, 5), (0, 0), (0, 0)]))
      smpl = struct.pack('<9I', 0, 0, 20833, 60, 0, 0, 0, 3, 0) + loops
      whole = b[8:] + b'smpl' + struct.pack('<I', len(smpl)) + smpl
      open('a.wav', 'wb').write(b'RIFF' + struct.pack('<I', len(whole)) + whole)
      """)
    try stage.write("job.yaml", "clip: a.wav ..1s\noutput: [a.aiff, a.caf]\n")
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    for note in [
      "'a.aiff': the chunk 'INST' has more than 2 entries; the first 2 are taken",
      "'a.aiff': the chunk 'INST' has no place for how often a loop sounds",
      "'a.aiff': the chunk 'INST' has no place for the direction of a loop",
      "'a.caf': the chunk 'regn' has no place for how often a loop sounds",
    ] { #expect(result.errors.contains(note), "\(note) in \(result.errors)") }
    #expect(!result.errors.contains("'a.caf': the chunk 'regn' has no place for the direction"))
  }
}
