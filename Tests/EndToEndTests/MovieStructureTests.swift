import TestSupport
import Testing

/// MP4s that libavformat would read as something else than they are.
@Suite("Odd structures of MP4") struct MovieStructureTests {
  private let stage = Stage()

  /// `fragments.mp4` has 6 s of sound in fragments of 0.5 s; `edit.py` edits its atoms.
  private func fragments(_ codec: String = "aac -aac_pns 0") throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=6:a=0.3:seed=3:r=44100 -c:a \(codec) \
        -movflags frag_keyframe+empty_moov+default_base_moof+dash -frag_duration 500000 fragments.mp4
      """)
    try stage.write(
      "edit.py",
      """
      import struct, sys
      data = open('fragments.mp4', 'rb').read()
      atoms, at = [], 0
      while at < len(data):
        size = struct.unpack('>I', data[at:at + 4])[0]
        atoms.append(data[at:at + size])
        at += size
      moofs = [i for i, atom in enumerate(atoms) if atom[4:8] == b'moof']
      def later(atom, seconds):
        at = atom.index(b'tfdt')
        version = atom[at + 4]
        width = 8 if version else 4
        time = int.from_bytes(atom[at + 8:at + 8 + width], 'big') + seconds * 44100
        return atom[:at + 8] + time.to_bytes(width, 'big') + atom[at + 8 + width:]
      def put(name, atoms): open(name, 'wb').write(b''.join(atoms))
      put('later.mp4', [later(a, 1000) if a[4:8] == b'moof' else a for a in atoms])
      put('zeros.mp4', atoms[:moofs[8]] + [bytes(1000)] + atoms[moofs[8]:])
      put('noise.mp4', atoms[:moofs[8]] + [b'\\xff' * 4 + b'JUNK' * 250] + atoms[moofs[8]:])
      def zero(atom):
        at = atom.index(b'tfdt')
        width = 8 if atom[at + 4] else 4
        return atom[:at + 8] + bytes(width) + atom[at + 8 + width:]
      bare = [a for a in atoms if a[4:8] != b'sidx']
      put('nowhere.mp4', [zero(a) if a[4:8] == b'moof' else a for a in bare])
      bare_moofs = [i for i, atom in enumerate(bare) if atom[4:8] == b'moof']
      put('twice.mp4', bare[:bare_moofs[6]] + bare[bare_moofs[4]:])
      put('open.mp4', atoms[:moofs[8]] + [bytes(4) + b'JUNK' + b'abc' * 300] + atoms[moofs[8]:])
      rest = sum(map(len, atoms[moofs[8]:]))
      put('wide.mp4',
        atoms[:moofs[8]] + [struct.pack('>I', 100 + rest) + b'JUNK' + bytes(92)] + atoms[moofs[8]:])
      data = moofs[8] + 1
      put('data.mp4', atoms[:data] + [bytes(4) + atoms[data][4:]] + atoms[data + 1:])
      last = atoms[moofs[-1]]
      put('name.mp4', atoms[:moofs[-1]] + [last[:4] + b'moog' + last[8:]] + atoms[moofs[-1] + 1:])
      put('unknown.mp4', atoms[:moofs[8]] + [struct.pack('>I', 908) + b'JUNK' + b'abc' * 300] + atoms[moofs[8]:])
      final = atoms[moofs[-1] + 1]
      put('live.mp4', atoms[:moofs[-1] + 1] + [bytes(4) + final[4:]])
      put('early.mp4', atoms[:moofs[2]] + [bytes(1000)] + atoms[moofs[2]:])
      """)
    try stage.make("python3 edit.py")
  }

  @Test(
    "Fragments that begin late, as those of a live stream, are heard from their beginning",
    arguments: ["aac -aac_pns 0", "alac", "flac -strict -2"])
  func late(codec: String) throws {
    try fragments(codec)
    let late = try stage.run("avjob clip -q --strict later.mp4 -o later.wav")
    #expect(late.status == 0 && late.errors == "", "\(late.errors)")
    try stage.make(
      """
      avjob clip -q fragments.mp4 -o whole.wav
      for f in later whole; do sox $f.wav -t raw $f.raw; done
      cmp -n $(stat -c %s whole.raw) later.raw whole.raw
      """)
  }

  @Test(
    "Bytes among fragments that are no atoms are named, and all behind them",
    arguments: ["zeros", "noise", "open", "wide", "data", "name"])
  func stray(name: String) throws {
    try fragments()
    let result = try stage.run("avjob clip -q \(name).mp4 -o x.wav")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains(" on that are no atoms: they are left out"), "\(result.errors)")
    #expect(try stage.run("avjob clip -q --strict \(name).mp4 -o y.wav").status == 1)
    let early = try stage.run("avjob clip -q early.mp4 -o z.wav")
    #expect(early.status == 1 && early.errors.contains("more than are read"), "\(early.errors)")
  }

  @Test("Fragments of one time, of which one alone is heard, and such as go back are named")
  func times() throws {
    try fragments()
    let nowhere = try stage.run("avjob clip -q nowhere.mp4 -o x.wav; ls x.wav")
    #expect(nowhere.text == "", "\(nowhere)")
    #expect(nowhere.errors.contains("packets, and "), "\(nowhere.errors)")
    #expect(nowhere.errors.contains("by their time stamps: less than half"), "\(nowhere.errors)")
    let twice = try stage.run("avjob clip -q twice.mp4 -o y.wav")
    #expect(twice.status == 0 && twice.errors.contains("time stamps"), "\(twice)")
    #expect(try stage.run("avjob clip -q --strict twice.mp4 -o z.wav").status == 1)
  }

  @Test("A segment index that lists others is passed over")
  func indexOfIndexes() throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=3:a=0.3:seed=3:r=44100 -c:a aac -aac_pns 0 -f mp4 \
        -movflags frag_keyframe+empty_moov+default_base_moof+dash+global_sidx \
        -frag_duration 500000 indexed.mp4
      """)
    try stage.write(
      "list.py",
      """
      data = bytearray(open('indexed.mp4', 'rb').read())
      at = data.index(b'sidx')
      data[at + 4 + (32 if data[at + 4] else 24)] |= 0x80
      open('listed.mp4', 'wb').write(data)
      """)
    try stage.make(
      """
      python3 list.py
      for f in indexed listed; do avjob clip -q --strict $f.mp4 -o $f.wav; done
      for f in indexed listed; do sox $f.wav -t raw $f.raw; done
      cmp indexed.raw listed.raw
      """)
  }

  @Test(
    "Atoms of unknown names, and a last one without a size, are no damage",
    arguments: ["unknown", "live"])
  func honest(name: String) throws {
    try fragments()
    let result = try stage.run("avjob clip -q --strict \(name).mp4 -o x.wav")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    try stage.make(
      """
      avjob clip -q --strict fragments.mp4 -o whole.wav
      for f in x whole; do sox $f.wav -t raw $f.raw; done
      cmp x.raw whole.raw
      """)
  }

  @Test(
    "What an index of segments counts and the file lacks is named, also behind an open edit",
    arguments: ["empty_moov", "delay_moov"])
  func indexed(header: String) throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=12:a=0.3:seed=3:r=44100 -c:a aac -f mp4 \
        -movflags frag_keyframe+\(header)+default_base_moof+global_sidx -frag_duration 1000000 \
        indexed.mp4
      """)
    try stage.write(
      "cut.py",
      """
      import struct
      data = open('indexed.mp4', 'rb').read()
      starts, at = [], 0
      while at < len(data):
        if data[at + 4:at + 8] == b'moof': starts.append(at)
        at += struct.unpack('>I', data[at:at + 4])[0]
      open('eight.mp4', 'wb').write(data[:starts[8]])
      open('four.mp4', 'wb').write(data[:starts[4]])
      """)
    try stage.make("python3 cut.py")
    #expect(try stage.run("avjob clip -q --strict indexed.mp4 -o 12.wav").status == 0)
    let eight = try stage.run("avjob clip -q eight.mp4 -o 8.wav")
    #expect(
      eight.status == 0 && eight.errors.contains("its header announces 12.0"), "\(eight.errors)")
    let four = try stage.run("avjob clip -q four.mp4 -o 4.wav")
    #expect(four.status == 1 && four.errors.contains("less than half"), "\(four.errors)")
  }

  @Test("Encrypted sound is refused by name", arguments: ["pcm_s16le", "aac", "alac"])
  func encrypted(codec: String) throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=d=2 -c:a \(codec) -f mov -encryption_scheme cenc-aes-ctr \
        -encryption_key 76a6c65c5ea762046bd749a2e632ccbb \
        -encryption_kid a7e61c373e219033c21091fa607bf3b8 secret.mov
      """)
    let result = try stage.run("avjob compress secret.mov -o x.flac")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("is encrypted (cenc)"), "\(result.errors)")
  }

  @Test("A track whose packets are coded in two ways is refused, and named")
  func descriptions() throws {
    // Two chunks of PCM, the second one with its bytes the other way round.
    try stage.write(
      "two.py",
      """
      import struct
      def atom(name, *parts):
        body = b''.join(parts)
        return struct.pack('>I', 8 + len(body)) + name + body
      def full(name, *parts): return atom(name, bytes(4), *parts)
      def entry(name, rate):
        return atom(name, bytes(6), struct.pack('>HHHIHHHHI', 1, 0, 0, 0, 1, 16, 0, 0, rate << 16))
      def movie(name, one, other):
        n = 8000
        ftyp = atom(b'ftyp', b'qt  ', bytes(4), b'qt  ')
        def moov(start):
          table = atom(b'stbl',
            full(b'stsd', struct.pack('>I', 2), one, other),
            full(b'stts', struct.pack('>III', 1, 2 * n, 1)),
            full(b'stsc', struct.pack('>I6I', 2, 1, n, 1, 2, n, 2)),
            full(b'stsz', struct.pack('>II', 2, 2 * n)),
            full(b'stco', struct.pack('>III', 2, start, start + 2 * n)))
          media = atom(b'mdia',
            full(b'mdhd', struct.pack('>IIIIHH', 0, 0, 44100, 2 * n, 0, 0)),
            full(b'hdlr', b'mhlrsoun', bytes(13)),
            atom(b'minf', full(b'smhd', bytes(4)),
              atom(b'dinf', full(b'dref', struct.pack('>I', 1), struct.pack('>I', 12), b'alis', bytes([0, 0, 0, 1]))),
              table))
          head = full(b'tkhd', struct.pack('>IIIII', 0, 0, 1, 0, 2 * n), bytes(60))
          return atom(b'moov',
            full(b'mvhd', struct.pack('>IIII', 0, 0, 44100, 2 * n), bytes(76), struct.pack('>I', 2)),
            atom(b'trak', head, media))
        index = moov(0)
        start = len(ftyp) + len(index) + 8
        data = b''.join(struct.pack('<h', (i * 77) % 9000 - 4500) for i in range(2 * n))
        open(name, 'wb').write(ftyp + moov(start) + atom(b'mdat', data))
      movie('orders.mov', entry(b'sowt', 44100), entry(b'twos', 44100))
      movie('rates.mov', entry(b'sowt', 44100), entry(b'sowt', 22050))
      movie('same.mov', entry(b'sowt', 44100), entry(b'sowt', 44100))
      """)
    try stage.make("python3 two.py")
    let orders = try stage.run("avjob clip orders.mov -o x.wav")
    #expect(orders.status == 1, "\(orders)")
    #expect(orders.errors.contains("changes midway from sowt to twos"), "\(orders.errors)")
    let rates = try stage.run("avjob clip rates.mov -o x.wav")
    #expect(
      rates.errors.contains("changes midway the settings of its codec (sowt)"), "\(rates.errors)")
    let same = try stage.run("avjob probe same.mov")
    #expect(same.status == 0 && same.text.contains("(16000 samples)"), "\(same)")
  }
}
