import TestSupport
import Testing

/// Tags of MP4 and QuickTime outside iTunes' item list.
@Suite("Tags of films") struct MovieTagTests {
  private static let writer = """
    import struct, sys
    plain = open('plain.m4a', 'rb').read()
    def atom(name, body): return struct.pack('>I', 8 + len(body)) + name + body
    def text(value): return atom(b'data', struct.pack('>II', 1, 0) + value)
    def item(name, value): return atom(name, text(value))
    def handler(kind): return atom(b'hdlr', bytes(8) + kind + bytes(13))
    def keys(*names): return atom(
        b'keys', bytes(4) + struct.pack('>I', len(names)) + b''.join(atom(b'mdta', n) for n in names))
    title = atom(b'ilst', item(b'\\xa9nam', b'TT') + item(b'\\xa9ART', b'AA'))
    album = atom(b'ilst', item(b'\\xa9alb', b'LL'))
    mdir, mdta = handler(b'mdir'), handler(b'mdta')
    apple = keys(b'com.apple.quicktime.title', b'com.apple.quicktime.creationdate', b'artist')
    numbered = atom(b'ilst', item(b'\\0\\0\\0\\1', b'TT') + item(b'\\0\\0\\0\\2', b'2024-05-06')
                    + item(b'\\0\\0\\0\\3', b'AA'))
    quick = lambda name, value: atom(name, struct.pack('>HH', len(value), 0) + value)
    mobile = lambda name, value: atom(name, bytes(4) + b'\\x55\\xc4' + value + b'\\0')
    udta, meta = lambda *p: atom(b'udta', b''.join(p)), lambda *p: atom(b'meta', b''.join(p))
    for name, extra in {
        'moov': meta(bytes(4), mdir, title),
        'quicktime': udta(meta(mdir, title)),
        'two': udta(meta(bytes(4), mdir, album)) + udta(meta(bytes(4), mdir, title)),
        'keys': meta(mdta, apple, numbered),
        'texts': udta(quick(b'\\xa9nam', b'T\\x8a'), quick(b'\\xa9ART', b'AA'),
                      meta(bytes(4), mdir, album)),
        'mobile': udta(mobile(b'titl', b'TT'), mobile(b'perf', b'AA'),
                       atom(b'yrrc', bytes(4) + b'\\x07\\xd1'), atom(b'Xtra', b'windows')),
    }.items():
        at = plain.index(b'moov') - 4
        size = struct.unpack('>I', plain[at:at + 4])[0]
        assert at + size == len(plain)
        movie = struct.pack('>I', size + len(extra)) + plain[at + 4:]
        open(name + '.m4a', 'wb').write(plain[:at] + movie + extra)
    """

  @Test("lists of tags are read wherever they stand, and texts of user data beside them")
  func places() throws {
    let stage = Stage()
    try stage.make(
      "ffmpeg -v error -f lavfi -i sine=duration=1 -map_metadata -1 -fflags +bitexact plain.m4a")
    try stage.write("make.py", Self.writer)
    try stage.make("/usr/bin/python3 make.py")
    for (name, expected) in [
      ("moov", ["title TT", "artist AA"]), ("quicktime", ["title TT", "artist AA"]),
      ("two", ["title TT", "artist AA", "album LL"]),
      ("keys", ["title TT", "artist AA", "date 2024-05-06"]),
      ("texts", ["title Tä", "artist AA", "album LL"]),
      ("mobile", ["title TT", "artist AA", "date 2001"]),
    ] {
      let result = try stage.run("avjob probe \(name).m4a")
      #expect(result.status == 0 && result.errors == "", "\(name): \(result.errors)")
      let lines = result.text.split(separator: "\n").map {
        $0.split(separator: " ").joined(separator: " ")
      }
      for line in expected { #expect(lines.contains(line), "\(name): \(result.text)") }
      let names = lines.filter { $0.hasSuffix(" TT") || $0.hasSuffix(" AA") }
      #expect(names.count == Set(names.map { $0.suffix(2) }).count, "\(name): \(names)")
    }
    let note = try stage.run("avjob compress mobile.m4a -o x.flac").errors
    #expect(note.contains("Xtra"), "\(note)")
  }

  @Test("XMP beside the index is named as not read, of films and of sound")
  func extensible() throws {
    let stage = Stage()
    try stage.write(
      "xmp.py",
      """
      import struct, sys
      box = bytes.fromhex('be7acfcb97a942e89c71999491e3afac') + b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
      for name in 'plain.m4a', 'plain.mp4':
          with open(name, 'ab') as file:
              file.write(struct.pack('>I', 8 + len(box)) + b'uuid' + box)
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=duration=1 plain.m4a
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1 -i plain.m4a -c:v libx264 -c:a copy plain.mp4
      cp plain.m4a bare.m4a
      python3 xmp.py
      """)
    for (name, output) in [("plain.m4a", "a.m4a"), ("plain.mp4", "a.mp4"), ("bare.m4a", "b.m4a")] {
      try stage.write("job.yaml", "clip: \(name)\ngain: -3 dB\noutput: \(output)\n")
      let result = try stage.run("avjob run job.yaml")
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.errors.contains("not read, and in no output: XMP (uuid)") == (name != "bare.m4a"),
        "\(name): \(result.errors)")
    }
  }

  @Test(
    "keys that FFmpeg writes by their names are read by their names", arguments: ["m4a", "mov"])
  func namedKeys(_ kind: String) throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=duration=1 -c:a aac -metadata title=TT -metadata isrc=II \
        -metadata com.apple.quicktime.author=QA -movflags use_metadata_tags x.\(kind)
      """)
    let result = try stage.run("avjob probe x.\(kind)")
    let lines = result.text.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    for line in ["title TT", "isrc II", "com.apple.quicktime.author QA"] {
      #expect(lines.filter { $0.hasSuffix(line.suffix(3)) } == [line], "\(result.text)")
    }
  }
}
