import TestSupport
import Testing

/// Chapters of a WAV and an AIFF in the ID3 tag, beside cues.
@Suite("Chapters of WAV in ID3 and cues") struct WaveChapterTests {
  private let stage = Stage()

  /// Makes files of two seconds at 44.1 kHz: `put(name, frames, id3)`, with unlabelled cues at frames, and
  /// with chapters in an ID3 tag, `(milliseconds, title)`.
  private static let maker = """
    cat > put.py <<'E'
    import struct, subprocess
    from mutagen.id3 import CHAP, CTOC, TIT2, CTOCFlags, WXXX
    from mutagen.aiff import AIFF
    from mutagen.wave import WAVE
    def put(name, frames, id3=()):
      subprocess.run(['sox', '-n', '-r', '44100', '-c', '1', '-b', '16', name, 'synth', '2', 'sine', '300',
        'gain', '-10'], check=True)
      if frames:
        points = b''.join(struct.pack('<II4sIII', n, f, b'data', 0, 0, f) for n, f in enumerate(frames, 1))
        markers = b''.join(struct.pack('>HI2s', n, f, bytes(2)) for n, f in enumerate(frames, 1))
        isWave = name.endswith('.wav')
        body = struct.pack('<I', len(frames)) + points if isWave else struct.pack('>H', len(frames)) + markers
        head = struct.pack('<4sI', b'cue ', len(body)) if isWave else struct.pack('>4sI', b'MARK', len(body))
        data = bytearray(open(name, 'rb').read() + head + body)
        struct.pack_into('<I' if isWave else '>I', data, 4, len(data) - 8)
        open(name, 'wb').write(data)
      if not id3: return
      f = WAVE(name) if name.endswith('.wav') else AIFF(name)
      f.add_tags()
      ids = ['c%d' % n for n in range(len(id3))]
      f.tags.add(CTOC(element_id='toc', flags=CTOCFlags.TOP_LEVEL | CTOCFlags.ORDERED, child_element_ids=ids))
      for id, (start, title) in zip(ids, id3):
        f.tags.add(CHAP(element_id=id, start_time=start, end_time=start + 10, start_offset=2 ** 32 - 1,
          end_offset=2 ** 32 - 1, sub_frames=[TIT2(encoding=3, text=[title]),
            WXXX(encoding=3, desc='u', url='https://example.org/' + title)]))
      f.save()
    E

    """

  private func put(_ calls: String) throws {
    try stage.make(
      Self.maker + "/usr/bin/python3 - <<'E'\nfrom put import put\n\(calls)\nE\n")
  }

  @Test("chapters of the ID3 tag of a WAV are its chapters, with their links")
  func alone() throws {
    try put("put('a.wav', [], [(0, 'One'), (1000, 'Two')])")
    #expect(try stage.foreignChapters(of: "a.wav") == ["0 One", "1 Two"])
    #expect(try stage.chapters(of: "a.wav") == ["0 One", "1 Two"])
    try stage.make("avjob clip -q a.wav -o a.mp3; avjob clip -q a.wav --from 0.5s -o b.wav")
    #expect(try stage.foreignChapters(of: "a.mp3") == ["0 One", "1 Two"])
    #expect(try stage.make("avjob probe a.mp3 --json").text.contains("https://example.org/Two"))
    #expect(try stage.chapters(of: "b.wav").last == "0.5 Two")
  }

  @Test(
    "cues without labels have the titles of the ID3 tag at the same times",
    arguments: ["wav", "aiff"])
  func titles(kind: String) throws {
    try put("put('a.\(kind)', [0, 44120], [(0, 'One'), (1000, 'Two')])")
    let told = try stage.run(
      "avjob clip a.\(kind) -o a.m4a && avjob clip a.\(kind) --from 0.5s -o b.wav")
    #expect(told.status == 0 && !told.errors.contains("two lists"), "\(told.errors)")
    let found = try stage.chapters(of: "a.\(kind)")
    #expect(found.count == 2 && found[0] == "0 One" && found[1].hasSuffix(" Two"))
    #expect(try stage.foreignChapters(of: "a.m4a") == ["0 One", "1 Two"])
    // To the frame.
    let exact = try stage.make("avjob probe b.wav --json | grep start_exact").text
    #expect(exact.contains("2207/4410s"), "\(exact)")
  }

  @Test("where the two lists differ, a warning says which one counts")
  func differing() throws {
    try put(
      """
      for kind in ['wav', 'aiff']:
        put('a.' + kind, [0, 22050, 44100], [(0, 'One'), (1500, 'Two')])
      """)
    let wave = try stage.run("avjob clip a.wav -o a.m4a")
    #expect(
      wave.errors.contains(
        "'a.wav': has two lists of chapters that differ: the 3 of its cues count, and not the 2 of its "
          + "tags"), "\(wave.errors)")
    #expect(
      try stage.foreignChapters(of: "a.m4a") == ["0 One", "0.5 Marker 2", "1 Marker 3"])
    let aiff = try stage.run("avjob clip a.aiff -o b.m4a")
    #expect(
      aiff.errors.contains(
        "'a.aiff': has two lists of chapters that differ: the 2 of its tags count, and not the 3 of its "
          + "markers"), "\(aiff.errors)")
    #expect(try stage.foreignChapters(of: "b.m4a") == ["0 One", "1.5 Two"])
  }

  @Test("a whole WAV with chapters in its tag is the same file in a copy, and has new ones alone")
  func copies() throws {
    try put("put('a.wav', [], [(0, 'One'), (1000, 'Two')])")
    try stage.write("j.yaml", "clip: a.wav\nchapters: { 0.5s: New }\noutput: new.wav\n")
    try stage.make("avjob clip -q a.wav -o copy.wav; cmp a.wav copy.wav; avjob run -q j.yaml")
    #expect(try stage.chapters(of: "new.wav") == ["0.5 New"])
    #expect(try stage.foreignChapters(of: "new.wav") == ["0.5 New"])
    #expect(try !stage.run("avjob probe new.wav").errors.contains("two lists"))
  }

  @Test("cues at and behind the end are no chapters, and go where chapters are left out")
  func ends() throws {
    try put("put('a.wav', [22050, 88200]); put('behind.wav', [22050, 88200, 4000000])")
    #expect(try stage.chapters(of: "a.wav") == ["0.5 "])
    #expect(try stage.chapters(of: "behind.wav") == ["0.5 "])
    try stage.write(
      "j.yaml",
      """
      jobs:
        plain: { concat: [a.wav, a.wav], output: plain.wav }
        kept: { concat: [a.wav, a.wav], chapters: keep, output: kept.wav }
      """)
    try stage.make("avjob run -q j.yaml")
    #expect(try stage.chapters(of: "plain.wav") == [])
    #expect(try stage.chapters(of: "kept.wav") == ["0.5 ", "2 ", "2.5 "])
    try stage.make(
      """
      avjob clip -q a.wav -o copy.wav
      /usr/bin/python3 - <<'E'
      assert b'cue ' not in open('plain.wav', 'rb').read()
      copy = open('copy.wav', 'rb').read()
      assert copy[copy.index(b'cue ') + 8] == 2
      E
      """)
  }
}
