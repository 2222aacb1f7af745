import TestSupport
import Testing

/// `wav: { container: … }`, as tools that nobody here wrote read the files.
@Suite("RF64 and BW64 by wish")
struct WaveContainerTests {
  private let stage = Stage()

  /// `chunks.py`: `wav(form, before, sound, behind, count)` makes a WAV; `chunks(name)` gives what it is
  /// called, and its chunks.
  private static let script = """
    import struct
    FORMAT = struct.pack('<HHIIHH', 1, 2, 48000, 192000, 4, 16)
    def chunk(name, body): return name + struct.pack('<I', len(body)) + body + b'\\0' * (len(body) % 2)
    def wav(form, before, sound, behind, count=0):
      body = b''.join(chunk(*c) for c in before)
      rest = b''.join(chunk(*c) for c in behind)
      if form == b'RIFF':
        whole = b'WAVE' + body + b'data' + struct.pack('<I', len(sound)) + sound + rest
        return form + struct.pack('<I', len(whole)) + whole
      sizes = struct.pack('<QQQI', 4 + 36 + len(body) + 8 + len(sound) + len(rest), len(sound), count, 0)
      return (form + b'\\xff' * 4 + b'WAVE' + chunk(b'ds64', sizes) + body + b'data' + b'\\xff' * 4
        + sound + rest)
    def chunks(name):
      b = open(name, 'rb').read()
      found, at = [], 12
      sizes = struct.unpack('<QQQI', b[20:48]) if b[12:16] == b'ds64' else None
      while at < len(b):
        size = struct.unpack('<I', b[at + 4:at + 8])[0]
        if b[at:at + 4] == b'data' and size == 0xFFFFFFFF: size = sizes[1]
        found.append((b[at:at + 4], b[at + 8:at + 8 + size]))
        at += 8 + size + size % 2
      assert at == len(b), name
      if sizes:
        assert sizes[0] == len(b) - 8 and b[4:8] == b'\\xff' * 4 and sizes[3] == 0, (name, sizes)
      else:
        assert struct.unpack('<I', b[4:8])[0] == len(b) - 8, name
      return b[:4].decode(), found

    """

  private func python(_ body: String) throws {
    try stage.write("chunks.py", Self.script)
    try stage.write("run.py", "from chunks import *\n" + body + "\n")
    try stage.make("/usr/bin/python3 run.py")
  }

  @Test("a WAV of any samples is RF64 or BW64 as asked, with the sound of the RIFF")
  func written() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=1:r=44100 -ac 2 -c:a pcm_s24le s.wav")
    try stage.write(
      "job.yaml",
      """
      clip: s.wav 0.1s..0.9s
      metadata: { title: "Größe" }
      chapters: { 0s: One, 0.5s: Two }
      output:
        - { file: plain.wav, wav: 24 bit, bwf: { description: D } }
        - { file: long.wav, wav: { samples: 24 bit, container: rf64 }, bwf: { description: D } }
        - { file: broad.wav, wav: { container: bw64 }, bwf: { description: D } }
        - { file: short.wav, wav: { samples: 24 bit, container: riff }, bwf: { description: D } }
        - { file: law.wav, wav: { samples: mu-law, container: rf64 } }
        - { file: float.wav, wav: { samples: 32 bit float, container: bw64 } }
      """)
    let plan = try stage.make("avjob plan job.yaml").text
    #expect(plan.contains("long.wav  WAV 24 bit as RF64, 44.1 kHz stereo"), "\(plan)")
    #expect(
      plan.contains("broad.wav  WAV 24 bit as BW64") && plan.contains("plain.wav  WAV 24 bit,"))
    try stage.make("avjob run -q job.yaml")
    try python(
      """
      plain = chunks('plain.wav')
      assert plain[0] == 'RIFF' and plain[1][0] == (b'JUNK', bytes(28))
      assert chunks('short.wav') == plain
      for name, form in [('long.wav', 'RF64'), ('broad.wav', 'BW64')]:
        told, found = chunks(name)
        assert told == form and found[1:] == plain[1][1:], (name, told, [c[0] for c in found])
        assert struct.unpack('<Q', found[0][1][16:24])[0] == 35280
      assert chunks('law.wav')[0] == 'RF64' and chunks('float.wav')[0] == 'BW64'
      """)
    for name in ["long.wav", "broad.wav", "law.wav", "float.wav"] {
      let told = try stage.make(
        "ffprobe -v error -show_entries stream=sample_rate,channels,duration_ts -of csv=p=0 \(name)"
      ).text
      #expect(told == "44100,2,35280\n", "\(name): \(told)")
    }
    // FFmpeg alone reads BW64.
    let told = try stage.make(
      """
      for f in plain long broad; do ffmpeg -v error -i $f.wav -f s24le - | md5sum; done | sort -u | wc -l
      sndfile-info long.wav | sed -n 's/^Frames *: //p'
      sox --info -s long.wav
      mediainfo --Inform='General;%Format_Profile%' long.wav
      mediainfo --Inform='Audio;%SamplingCount%' long.wav
      """
    ).text
    #expect(told == "1\n35280\n35280\nRF64\n35280\n", "\(told)")
    let back = try stage.make("avjob probe --json broad.wav").text
    #expect(back.contains("Größe") && back.contains("Two"), "\(back)")
  }

  @Test("a copy of a whole WAV keeps its chunks and their order, whatever it is to be called")
  func converted() throws {
    try python(
      """
      import random
      r = random.Random(1)
      sound = r.randbytes(4 * 4800)
      before = [(b'fmt ', FORMAT), (b'chna', struct.pack('<HH', 0, 0)), (b'xyz ', b'abc')]
      behind = [(b'axml', b'<adm/>'), (b'odd ', b'x')]
      open('bw64.wav', 'wb').write(wav(b'BW64', before, sound, behind))
      open('riff.wav', 'wb').write(wav(b'RIFF', before, sound, behind))
      # What fills the room is no table of sizes.
      room = (b'JUNK', bytes([7]) * 40)
      open('room.wav', 'wb').write(wav(b'RIFF', [room] + before, sound, behind))
      """)
    var outputs = ""
    for source in ["bw64", "riff", "room"] {
      for container in ["riff", "rf64", "bw64"] {
        outputs +=
          "  \(source)-\(container): { clip: \(source).wav, output: { file: \(source)-\(container).wav, "
          + "wav: { samples: copy, container: \(container) } } }\n"
      }
      outputs +=
        "  \(source): { clip: \(source).wav, output: { file: \(source)-same.wav, codec: same } }\n"
    }
    outputs += "  deep: { clip: bw64.wav, output: { file: deep.wav, wav: 24 bit } }\n"
    try stage.write("job.yaml", "jobs:\n" + outputs)
    try stage.make(
      "avjob run -q job.yaml && cmp bw64.wav bw64-same.wav && cmp bw64.wav bw64-bw64.wav")
    try stage.make("cmp riff.wav riff-same.wav && cmp room.wav room-same.wav")
    try python(
      """
      for source in ['bw64', 'riff', 'room']:
        want = [c for c in chunks(source + '.wav')[1] if c[0] not in (b'ds64', b'JUNK')]
        for form in ['RIFF', 'RF64', 'BW64']:
          told, found = chunks('%s-%s.wav' % (source, form.lower()))
          assert told == form, (source, form, told)
          assert found[0][0] in ([b'ds64'] if form != 'RIFF' else [b'JUNK', b'fmt ']), found[0]
          assert [c for c in found if c[0] not in (b'ds64', b'JUNK')] == want, (source, form)
        # A BW64 may leave the number of frames out, and an RF64 of one has it.
        name = '%s-rf64.wav' % source
        assert struct.unpack('<Q', dict(chunks(name)[1])[b'ds64'][16:24])[0] == 4800, name
      told, found = chunks('deep.wav')
      assert told == 'RIFF' and not any(c[0] == b'ds64' for c in found), [c[0] for c in found]
      """)
  }

  @Test("a container that a file cannot have is refused, and a change of it makes the output again")
  func refused() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=0.1:r=8000 s.wav")
    let named = try stage.job(
      "{ clip: s.wav, output: { file: a.wav16, wav: { container: rf64 } } }")
    #expect(
      named.status != 0 && named.errors.contains("'.wav16' is read as RIFF alone"), "\(named)")
    let list = try stage.job("{ clip: s.wav, output: a.bw64 }")
    #expect(
      list.errors.contains("help: write 'a.wav', with 'wav: { container: bw64 }'"), "\(list.errors)"
    )
    let other = try stage.job("{ clip: s.wav, output: { file: a.wav, wav: { container: w64 } } }")
    #expect(other.errors.contains("'w64' is no container of a WAV"), "\(other.errors)")
    for container in ["rf64", "bw64"] {
      try stage.write(
        "job.yaml", "clip: s.wav\noutput: { file: a.wav, wav: { container: \(container) } }\n")
      try stage.make("avjob run -q job.yaml")
      try python("assert chunks('a.wav')[0].lower() == '\(container)'")
    }
  }
}
