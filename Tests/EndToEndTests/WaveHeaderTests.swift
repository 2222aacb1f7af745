import TestSupport
import Testing

/// WAVs whose headers libavformat takes for others: each is heard as its plain twin is, or refused by
/// name.
@Suite("Unusual headers of WAVs")
struct WaveHeaderTests {
  private let stage = Stage()

  /// `wav.py` writes WAVs of random samples: `put(name, container, valid, channels, mask)`.
  private func script(_ body: String) throws {
    try stage.write(
      "wav.py",
      """
      import random, struct, sys
      random.seed(1)
      GUID = bytes.fromhex('000000001000800000aa00389b71')
      def samples(container, valid, count):
        step = 1 << (container - valid)
        top = 1 << (container - 1)
        return b''.join(
          (random.randrange(-top, top, step) // 4 // step * step).to_bytes(container // 8, 'little', signed=True)
          for _ in range(count))
      def wav(data, fmt, size=None, tail=b''):
        size = len(data) if size is None else size
        riff = min(0xFFFFFFFF, 20 + len(fmt) + len(data) + len(tail))
        return (b'RIFF' + struct.pack('<I', riff) + b'WAVEfmt ' + struct.pack('<I', len(fmt)) + fmt
          + b'data' + struct.pack('<I', size) + data + tail)
      def plain(code, channels, bits, rate=44100):
        align = channels * bits // 8
        return struct.pack('<HHIIHH', code, channels, rate, rate * align, align, bits)
      def extensible(channels, bits, valid, mask):
        return (plain(0xFFFE, channels, bits) + struct.pack('<HHIH', 22, valid, mask, 1) + GUID)
      def put(name, *parts): open(name, 'wb').write(wav(*parts))
      \(body)

      """)
    try stage.make("python3 wav.py")
  }

  /// Whether two media are the same sound, as floats.
  private func expectTwins(
    _ one: String, _ other: String, warning: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try stage.run(
      """
      avjob clip -q \(one) -o one-\(one).wav --wav '32 bit float' --force &&
      avjob clip -q \(other) -o two-\(one).wav --wav '32 bit float' --force &&
      ffmpeg -v error -y -i one-\(one).wav -f f32le one.raw -i two-\(one).wav -map 1 -f f32le two.raw &&
      cmp one.raw two.raw
      """)
    let isExpected = warning == "" ? result.errors == "" : result.errors.contains(warning)
    #expect(result.status == 0 && isExpected, "\(result.errors)", sourceLocation: sourceLocation)
  }

  @Test(
    "a WAV with the highest byte first is heard as its twin with the lowest first",
    arguments: [
      "-b 8", "-b 16", "-b 24", "-b 32", "-b 32 -e floating-point", "-b 64 -e floating-point",
      "-e mu-law", "-e a-law",
    ])
  func bigEndian(_ format: String) throws {
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 \(format) a.wav synth 0.5 pinknoise vol 0.3
      sox a.wav --endian big b.wav
      test "$(head -c 4 b.wav)" = RIFX
      """)
    try expectTwins("b.wav", "a.wav")
  }

  @Test(
    "RIFX keeps its tags, and is refused by name for a codec whose samples are not bytes or words")
  func bigEndianTags() throws {
    try script(
      """
      data = samples(16, 16, 8820)
      swapped = b''.join(data[i:i + 2][::-1] for i in range(0, len(data), 2))
      tag = b'INFO' + b'INAM' + struct.pack('>I', 5) + b'Title' + b'\\0'
      def big(code): return (b'RIFX' + struct.pack('>I', 36 + 8 + len(tag) + len(data)) + b'WAVE'
        + b'fmt ' + struct.pack('>IHHIIHH', 16, code, 1, 44100, 88200, 2, 16)
        + b'LIST' + struct.pack('>I', len(tag)) + tag + b'data' + struct.pack('>I', len(data)) + swapped)
      open('big.wav', 'wb').write(big(1))
      open('adpcm.wav', 'wb').write(big(2))
      put('twin.wav', data, plain(1, 1, 16))
      """)
    try stage.make(
      "avjob clip -q big.wav -o t.flac && metaflac --show-tag=TITLE t.flac | grep -qx TITLE=Title")
    try stage.make(
      "avjob clip -q twin.wav -o u.flac && test $(metaflac --show-md5sum t.flac) = $(metaflac --show-md5sum u.flac)"
    )
    let refused = try stage.run("avjob clip -q adpcm.wav -o x.wav")
    #expect(refused.status == 1 && refused.errors.contains("is a RIFX file"), "\(refused.errors)")
  }

  @Test(
    "integers in larger containers are left-justified, also in Wave64",
    arguments: [(32, 24), (32, 20), (32, 16), (24, 20), (24, 16), (16, 12)])
  func validBits(_ container: Int, _ valid: Int) throws {
    try script(
      """
      data = samples(\(container), \(valid), 8820)
      put('valid.wav', data, extensible(2, \(container), \(valid), 3))
      put('twin.wav', data, extensible(2, \(container), \(container), 3))
      """)
    try expectTwins("valid.wav", "twin.wav")
    #expect(try stage.make("avjob probe valid.wav").text.contains("\(valid) bit"))
    guard container == 32 else { return }
    try stage.make("ffmpeg -v error -i twin.wav -c:a pcm_s32le valid.w64")
    var bytes = try readFile(stage.path("valid.w64"))
    #expect(bytes[82] == 32, "where the valid bits are")
    bytes[82] = UInt8(valid)
    try writeFile(stage.path("valid.w64"), bytes)
    try expectTwins("valid.w64", "twin.wav")
  }

  @Test(
    "a WAV of more than 4 GiB whose size has wrapped is read whole where its own size proves it")
  func wrapped() throws {
    try script(
      """
      long = (1 << 32) + 400000
      def put(name, size, tail):
        with open(name, 'wb') as file:
          file.write(wav(b'', plain(1, 2, 16), size % (1 << 32)))
          file.truncate(44 + long)
          file.seek(44 + long)
          file.write(tail)
      put('wrapped.wav', long, b'')
      put('tagged.wav', long, b'LIST' + struct.pack('<I', 18) + b'INFOINAM' + struct.pack('<I', 5) + b'Title\\0')
      put('unproven.wav', long - 1000, b'')
      """)
    let frames = ((1 << 32) + 400_000) / 4
    for name in ["wrapped.wav", "tagged.wav"] {
      let probe = try stage.run("avjob probe \(name)")
      #expect(probe.status == 0 && probe.text.contains("(\(frames) samples)"), "\(probe.text)")
      #expect(
        probe.errors.contains(
          "its size of 32 bits has wrapped: its header counts 400000 bytes of sound, and the file "
            + "holds \(frames * 4); all of it is read"), "\(probe.errors)")
    }
    let unproven = try stage.run("avjob probe unproven.wav; rm *.wav")
    #expect(unproven.errors.contains("its size of 32 bits has wrapped"), "\(unproven.errors)")
    #expect(!unproven.errors.contains("512 MiB"))
  }

  @Test("sizes that writers to a pipe leave open, and odd ones, are read to the file's end")
  func openSizes() throws {
    try script(
      """
      data = samples(16, 16, 8820)
      for number, size in enumerate([0, 0xFFFFFFFF, 0xFFFFFFDB, 0x7FFFF000, 0x7FFFFFFF, 0x80000000]):
        put('open%d.wav' % number, data, plain(1, 2, 16), size)
      put('odd.wav', samples(8, 8, 4411), plain(1, 1, 8), None,
        b'\\0LIST' + struct.pack('<I', 18) + b'INFOINAM' + struct.pack('<I', 5) + b'Title\\0')
      put('empty.wav', b'', plain(1, 2, 16), 0,
        b'LIST' + struct.pack('<I', 18) + b'INFOINAM' + struct.pack('<I', 5) + b'Title\\0')
      """)
    for number in 0..<6 {
      let probe = try stage.run("avjob probe open\(number).wav")
      #expect(probe.text.contains("(4410 samples)") && probe.errors == "", "\(number) \(probe)")
    }
    #expect(try stage.run("avjob probe odd.wav").text.contains("(4411 samples)"))
    let empty = try stage.run("avjob probe empty.wav")
    #expect(empty.status == 1 && empty.errors.contains("holds no sound"), "\(empty)")
  }

  @Test("chunks of a Wave64 before and behind its sound are named, and none is heard")
  func wave64() throws {
    try stage.make("ffmpeg -v error -f lavfi -i anoisesrc=d=1:seed=5:a=0.3 plain.w64")
    try script(
      """
      END = bytes.fromhex('F3ACD3118CD100C04F8EDB8A')
      MARKER = bytes.fromhex('5662F7AB2D39D21186C700C04F8EDB8A')
      plain = open('plain.w64', 'rb').read()
      data = plain.index(b'data' + END)
      def chunk(name, content):
        size = 24 + len(content)
        return name + struct.pack('<Q', size) + content + bytes(-size % 8)
      body = (plain[:data] + chunk(b'bext' + END, bytes(602)) + plain[data:]
        + bytes(-len(plain) % 8) + chunk(b'levl' + END, b'abc') + chunk(MARKER, b'12345678'))
      open('chunks.w64', 'wb').write(body[:16] + struct.pack('<Q', len(body)) + body[24:])
      """)
    let result = try stage.run("avjob compress chunks.w64 -o out.wav --wav '16 bit'")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("'chunks.w64': not read, and in no output: levl, marker"),
      "\(result.errors)")
    try stage.make("sox out.wav -t raw out.raw && sox plain.w64 -t raw plain.raw")
    try stage.make("cmp out.raw plain.raw")
  }

  @Test(
    "one channel is mono wherever its file puts it",
    arguments: [0x1, 0x2, 0x8, 0x10, 0x20, 0x100, 0x200, 0x8000_0000])
  func placedMono(mask: Int) throws {
    try script(
      """
      data = samples(16, 16, 4410)
      put('placed.wav', data, extensible(1, 16, 16, \(mask)))
      put('twin.wav', data, plain(1, 1, 16))
      """)
    try expectTwins("placed.wav", "twin.wav")
  }

  @Test(
    "two channels keep their order wherever their file puts them, and are named",
    arguments: [
      (0x9, "front left and low-frequency"), (0xC, "centre and low-frequency"),
      (0x6, "front right and centre"), (0x30, "back left and back right"),
      (0x600, "side left and side right"),
    ])
  func placedPair(mask: Int, names: String) throws {
    try script(
      """
      data = samples(16, 16, 8820)
      put('placed.wav', data, extensible(2, 16, 16, \(mask)))
      put('twin.wav', data, plain(1, 2, 16))
      """)
    let result = try stage.run("avjob clip placed.wav -o out.flac")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("'placed.wav', \(names), count as left and right"),
      "\(result.errors)")
    try stage.make("sox twin.wav -t raw twin.raw && sox out.flac -t raw out.raw")
    try stage.make("cmp twin.raw out.raw")
  }

  @Test("samples are no chunks: a WAV whose size is open names none")
  func openChunks() throws {
    try script("put('open.wav', samples(16, 16, 44100), plain(1, 1, 16), 0)")
    let result = try stage.run("avjob compress -v open.wav -o out.flac")
    #expect(result.status == 0 && !result.errors.contains("not read"), "\(result.errors)")
  }

  @Test("plain integers of 24 bits in four bytes are heard as such, and floats there are not")
  func paddedIntegers() throws {
    try script(
      """
      data = samples(32, 24, 8820)
      def padded(code, align): return struct.pack('<HHIIHH', code, 2, 44100, 44100 * align, align, 24)
      put('padded.wav', data, padded(1, 8))
      put('twin.wav', data, extensible(2, 32, 24, 3))
      put('floats.wav', struct.pack('<8820f', *(n * 901.3 for n in range(8820))), padded(1, 8))
      """)
    try expectTwins("padded.wav", "twin.wav")
    let padded = try stage.make("avjob probe padded.wav")
    #expect(padded.text.contains("24 bit"), "\(padded)")
    let floats = try stage.run("avjob probe floats.wav")
    #expect(floats.text.contains("pcm_f24le"), "\(floats)")
  }

  @Test("integers that fill four bytes under a plain header of 24 bits are refused with the cause")
  func wrongBits() throws {
    try script(
      "put('a.wav', samples(32, 32, 8820), struct.pack('<HHIIHH', 1, 2, 44100, 352800, 8, 24))")
    let result = try stage.run("avjob clip a.wav -o out.wav")
    #expect(
      result.status == 1 && result.errors.contains("24 bits in 4 bytes")
        && result.errors.contains("a header of 32 bits"), "\(result.errors)")
  }

  @Test("valid bits of 0 are the container's")
  func noValidBits() throws {
    try script("put('none.wav', samples(16, 16, 8820), extensible(2, 16, 0, 3))")
    let probe = try stage.make("avjob probe none.wav")
    #expect(probe.text.contains("16 bit") && probe.errors == "", "\(probe)")
  }

  @Test("the padding of GSM that sox counts is no sound, and the file is whole")
  func countedPadding() throws {
    try stage.make(
      """
      sox -R -r 8000 -n -c 1 -b 16 a.wav synth 1 sine 440 vol 0.5
      for n in 100 320 321 4000 8000; do
        sox a.wav -e gsm-full-rate $n.wav trim 0 ${n}s
        printf 'LIST\\16\\0\\0\\0INFOINAM\\2\\0\\0\\0A\\0' | cat $n.wav - > tag-$n.wav
      done
      head -c -40 8000.wav > cut.wav
      """)
    for name in ["100", "320", "321", "4000", "8000", "tag-320", "tag-8000"] {
      let result = try stage.run("avjob clip -q --strict \(name).wav -o \(name)-out.wav")
      #expect(result.status == 0 && result.errors == "", "\(name): \(result.errors)")
      let isTagged = try stage.run("avjob probe \(name).wav").text.contains("title")
      #expect(isTagged == name.hasPrefix("tag"), "\(name)")
      let theirs = try stage.make("ffmpeg -v quiet -i \(name).wav -f s16le - | wc -c").text
      let ours = try WAVFile(stage.path("\(name)-out.wav")).data.count
      #expect("\(ours)" == theirs.filter(\.isNumber), "\(name)")
    }
    let cut = try stage.run("avjob probe cut.wav")
    #expect(cut.errors.contains("was cut short: its last 39 bytes are missing"), "\(cut.errors)")
  }

  @Test("an RF64 whose size of 64 bits is left at 0 is read to the file's end")
  func openLongSize() throws {
    try script(
      """
      data = samples(16, 16, 8820)
      put('twin.wav', data, plain(1, 2, 16))
      whole = open('twin.wav', 'rb').read()
      for name, size in [('long', 0xFFFFFFFF), ('both', 0)]:
        open(name + '.wav', 'wb').write(b'RF64' + struct.pack('<I', 0xFFFFFFFF) + b'WAVEds64'
          + struct.pack('<I', 28) + bytes(28) + whole[12:40] + struct.pack('<I', size) + data)
      """)
    try expectTwins("long.wav", "twin.wav")
    try expectTwins("both.wav", "twin.wav")
  }

  @Test("a size of 64 bits counts where that of 32 bits stands for it, and not beside another one")
  func falseLongSize() throws {
    try script(
      """
      data = samples(16, 16, 8820)
      put('twin.wav', data, plain(1, 2, 16))
      whole = open('twin.wav', 'rb').read()
      tail = b'JUNK' + struct.pack('<I', 4) + b'text'
      for name, long in [('none', 0), ('half', len(data) // 2), ('more', 5 << 32), ('same', len(data))]:
        open(name + '.wav', 'wb').write(b'RF64' + struct.pack('<I', 0xFFFFFFFF) + b'WAVEds64'
          + struct.pack('<IQQQI', 28, len(data) + 80, long, 0, 0) + whole[12:] + tail)
      for form in b'RF64', b'BW64':
        open('zero-' + form.decode() + '.wav', 'wb').write(form + struct.pack('<I', 0xFFFFFFFF)
          + b'WAVEds64' + struct.pack('<IQQQI', 28, len(data) + 80, len(data), 0, 0)
          + whole[12:40] + bytes(4) + data + tail)
      """)
    for name in ["none", "half", "more", "same", "zero-RF64", "zero-BW64"] {
      try expectTwins("\(name).wav", "twin.wav")
      #expect(try stage.run("avjob probe \(name).wav").errors == "")
    }
  }

  @Test("a second WAV behind the first is named, and refused where it is the longer one")
  func concatenated() throws {
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 1 pinknoise vol 0.3
      sox -R -r 44100 -n -c 2 -b 16 b.wav synth 2 pinknoise vol 0.3
      cat a.wav b.wav > ab.wav && cat b.wav a.wav > ba.wav
      """)
    let first = try stage.run("avjob clip -q ab.wav -o x.wav")
    #expect(first.status == 1 && first.errors.contains("where another WAV begins"), "\(first)")
    let second = try stage.run("avjob clip -q ba.wav -o x.wav")
    #expect(second.status == 0 && second.errors.contains("they are left out"), "\(second)")
    try expectTwins("ba.wav", "b.wav", warning: "they are left out")
  }

  @Test(
    "of several chunks of sound the first is heard, as by other programs, and the others are named")
  func twoSounds() throws {
    try script(
      """
      data = samples(16, 16, 8820)
      def chunk(name, content): return name + struct.pack('<I', len(content)) + content
      title = chunk(b'LIST', b'INFO' + chunk(b'INAM', b'Title\\0'))
      put('two.wav', data, plain(1, 2, 16), None, chunk(b'data', samples(16, 16, 200)) + title)
      put('three.wav', data, plain(1, 2, 16), None, 2 * chunk(b'data', samples(16, 16, 10000)))
      put('twin.wav', data, plain(1, 2, 16))
      """)
    let first = "has 2 chunks 'data', where a WAV has one: the first is read, and the 400 bytes of "
    try expectTwins("two.wav", "twin.wav", warning: first + "the other are left out")
    try expectTwins("three.wav", "twin.wav", warning: "the 40000 bytes of the others are left out")
    #expect(try stage.run("avjob probe two.wav").text.contains("Title"))
    try stage.make("cmp <(sox two.wav -t raw -) <(sox twin.wav -t raw -)")
  }
}
