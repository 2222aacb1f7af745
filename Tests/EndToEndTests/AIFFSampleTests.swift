import TestSupport
import Testing

/// AIFCs of which libavformat takes the width of samples wrongly, or does not know the type: each is
/// heard as its twin with the highest byte first is, or refused by name.
@Suite("Samples of AIFF, end to end")
struct AIFFSampleTests {
  private let stage = Stage()

  /// `TYPE-BITS.aifc` and its twin `TYPE-BITS.aiff`, of noise.
  private func make(_ type: String, _ bits: Int, isBig: Bool = false) throws {
    try stage.write(
      "make.py",
      """
      import random, struct
      random.seed(1)
      bits, kind, frames = \(bits), b'\(type)', 9000
      size = (bits + 7) // 8
      step, top = 1 << (8 * size - bits), 1 << (8 * size - 1)
      sound = [random.randrange(-top, top, step) // 4 // step * step for _ in range(2 * frames)]
      def chunk(name, body): return name + struct.pack('>I', len(body)) + body + b'\\0' * (len(body) % 2)
      def put(name, form, more, order):
        common = struct.pack('>HIH', 2, frames, bits) + bytes.fromhex('400ebb80000000000000') + more
        data = bytes(8) + b''.join(s.to_bytes(size, order, signed=True) for s in sound)
        body = form + (chunk(b'FVER', bytes.fromhex('a2805140')) if more else b'')
        body += chunk(b'NAME', b'odd') + chunk(b'COMM', common) + chunk(b'SSND', data)
        open(name, 'wb').write(b'FORM' + struct.pack('>I', len(body)) + body)
      name = kind.decode().strip() + '-' + str(bits)
      put(name + '.aifc', b'AIFC', kind + b'\\0\\0', '\(isBig ? "big" : "little")')
      put(name + '.aiff', b'AIFF', b'', 'big')
      """)
    try stage.make("/usr/bin/python3 make.py")
  }

  @Test(
    "AIFC with the lowest byte first is heard as its twin with the highest first is",
    arguments: [
      ("sowt", 8), ("sowt", 12), ("sowt", 16), ("sowt", 20), ("sowt", 24), ("sowt", 32),
      ("42ni", 24), ("42n1", 24), ("23ni", 32),
    ])
  func littleEndian(type: String, bits: Int) throws {
    try make(type, bits)
    try stage.make(
      """
      for e in aifc aiff; do
        avjob clip -q \(type)-\(bits).$e -o $e.wav --wav '32 bit float'
        avjob clip -q \(type)-\(bits).$e --from 0.05s --to 0.1s -o part-$e.wav --wav '32 bit float'
        ffmpeg -v error -i $e.wav -f f32le $e.raw -i part-$e.wav -map 1 -f f32le part-$e.raw
      done
      cmp aifc.raw aiff.raw
      cmp part-aifc.raw part-aiff.raw
      test $(stat -c %s aifc.raw) = 72000
      """)
  }

  @Test("'sowt' of 24 bits keeps each bit on the way to FLAC, as sox decodes it")
  func bits() throws {
    try make("sowt", 24)
    try stage.make(
      """
      avjob clip -q sowt-24.aifc -o a.flac
      sox sowt-24.aifc -t raw -e signed -b 24 --endian little theirs.raw
      flac -s -d --force-raw-format --endian=little --sign=signed a.flac -o ours.raw
      cmp ours.raw theirs.raw
      """)
    let probe = try stage.run("avjob probe sowt-24.aifc")
    #expect(probe.text.contains("pcm_s24le") && probe.text.contains("24 bit"), "\(probe.text)")
    #expect(probe.errors == "", "\(probe.errors)")
  }

  @Test("a size of the sound that its writer left open is that of the rest of the file")
  func openSize() throws {
    try make("sowt", 24)
    try stage.write(
      "open.py",
      """
      for kind in 'aiff', 'aifc':
        whole = open('sowt-24.' + kind, 'rb').read()
        common, sound = whole.index(b'COMM') + 10, whole.index(b'SSND') + 4
        for name, form, size in ('none', bytes(4), bytes(4)), ('eight', b'\\0\\0\\0\\x60', b'\\0\\0\\0\\x08'):
          data = (whole[:4] + form + whole[8:common] + bytes(4) + whole[common + 4:sound] + size
            + whole[sound + 4:])
          open(name + '.' + kind, 'wb').write(data)
        # Nothing but a chunk lies behind a sound that is empty.
        open('empty.' + kind, 'wb').write(data[:sound + 12] + b'ANNO\\0\\0\\0\\4text')
      """)
    try stage.make(
      """
      python3 open.py
      sox sowt-24.aiff -t wav a.wav; ffmpeg -v error -i a.wav -f aiff -c:a pcm_s24be - | cat > pipe.aiff
      for f in sowt-24.aiff none.aiff eight.aiff none.aifc eight.aifc pipe.aiff; do
        avjob clip -q --strict $f -o $f.wav --wav '32 bit float'
        avjob clip -q $f --from 0.05s --to 0.1s -o part-$f.wav --wav '32 bit float'
        ffmpeg -v error -i $f.wav -f f32le $f.raw -i part-$f.wav -map 1 -f f32le part-$f.raw
        cmp $f.raw sowt-24.aiff.raw
        cmp part-$f.raw part-sowt-24.aiff.raw
      done
      """)
    for kind in ["aiff", "aifc"] {
      let empty = try stage.run("avjob probe empty.\(kind)")
      #expect(empty.status == 1 && empty.errors.contains("holds no sound"), "\(empty.errors)")
    }
  }

  @Test("what libsndfile writes with the lowest byte first is heard", arguments: [16, 24, 32])
  func libsndfile(bits: Int) throws {
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b \(bits) a.wav synth 0.2 pinknoise vol 0.3
      sndfile-convert -endian=little -pcm\(bits) a.wav b.aiff
      for f in a.wav b.aiff; do
        avjob clip -q $f -o $f.float.wav --wav '32 bit float'
        ffmpeg -v error -i $f.float.wav -f f32le $f.raw
      done
      cmp a.wav.raw b.aiff.raw
      """)
  }

  @Test(
    "a type that FFmpeg does not read, or whose samples have another size, is refused by its name",
    arguments: [
      ("in16", 16, "is an AIFC of type 'in16' that FFmpeg does not read"),
      ("raw ", 16, "is an AIFC of type 'raw ' with samples of 16 bits, which do not go together"),
      ("sowt", 40, "is an AIFC of type 'sowt' with samples of 40 bits, which do not go together"),
    ])
  func refusals(type: String, bits: Int, message: String) throws {
    try make(type, bits, isBig: true)
    let name = type.filter { $0 != " " }
    let result = try stage.run("avjob clip \(name)-\(bits).aifc -o a.wav")
    #expect(result.status == 1 && result.errors.contains(message), "\(result)")
    #expect(result.errors.contains("write it as a WAV"), "\(result.errors)")
  }

  @Test("'raw ' of 8 bits, floats and types with the highest byte first stay as they were")
  func others() throws {
    try make("twos", 24, isBig: true)
    try make("in24", 24, isBig: true)
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -e float -b 32 a.aifc synth 0.2 pinknoise vol 0.3
      for f in twos-24 in24-24; do
        for e in aifc aiff; do
          avjob clip -q $f.$e -o $f-$e.wav --wav '32 bit float'
          ffmpeg -v error -i $f-$e.wav -f f32le $f-$e.raw
        done
        cmp $f-aifc.raw $f-aiff.raw
      done
      sox a.aifc -t raw -e float --endian little theirs.raw
      avjob clip -q a.aifc -o a.wav --wav '32 bit float'
      ffmpeg -v error -i a.wav -f f32le ours.raw
      cmp ours.raw theirs.raw
      """)
  }
}
