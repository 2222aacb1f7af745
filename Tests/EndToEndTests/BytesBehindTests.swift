import TestSupport
import Testing

/// Files that hold more behind the sound that is heard.
@Suite("Bytes behind a file's sound")
struct BytesBehindTests {
  private let stage = Stage()

  private func makeSound(_ name: String, _ options: String) throws {
    try stage.make(
      "ffmpeg -v error -f lavfi -i anoisesrc=d=3:a=0.3:seed=3:r=44100 -ac 2 \(options) \(name)")
  }

  /// Runs a script of Python that has the file's bytes as `data`, and `put` to write others.
  private func change(_ name: String, _ body: String) throws {
    try stage.write(
      "change.py",
      """
      import struct
      data = open('\(name)', 'rb').read()
      def put(name, data): open(name, 'wb').write(data)
      \(body)

      """)
    try stage.make("python3 change.py")
  }

  @Test(
    "a second file behind the first is named or heard, and tags and zeros there are silent",
    arguments: [
      ("a.au", ""), ("a.caf", ""), ("a.aiff", ""), ("a.m4a", "-c:a aac"), ("a.mov", "-c:a aac"),
      ("alac.m4a", "-c:a alac"), ("a.wma", "-c:a wmav2"), ("a.wv", ""), ("a.tta", ""),
      ("a.voc", ""), ("a.flac", ""), ("a.wav", ""), ("a.mka", "-c:a libopus"), ("a.avi", ""),
    ])
  func doubled(name: String, options: String) throws {
    try makeSound(name, options)
    try change(
      name,
      """
      put('two-\(name)', data + data)
      put('tag-\(name)', data + b'TAG' + b'title'.ljust(124, b'\\0') + b'\\xff')
      put('zero-\(name)', data + bytes(4096))
      """)
    let two = try stage.run("avjob compress -q --strict two-\(name) -o out.flac")
    let isNamed = ["behind its sound, where another", "s can be decoded"].contains(
      where: two.errors.contains)
    #expect(two.status == 1 && isNamed, "\(two)")
    for kind in ["tag", "zero"] where name != "a.wav" {
      let file = try stage.run("avjob compress -q --force \(kind)-\(name) -o out.flac")
      #expect(file.status == 0 && !file.errors.contains("behind its sound"), "\(kind) \(file)")
    }
  }

  /// Formats without outermost sizes, and some that have these.
  private static let framed = [
    ("a.ogg", "-c:a libvorbis"), ("a.opus", "-c:a libopus"), ("a.oga", "-c:a flac"),
    ("a.flac", ""), ("a.aac", "-c:a aac"), ("a.ac3", "-c:a ac3"), ("a.eac3", "-c:a eac3"),
    ("a.mp2", "-c:a mp2"), ("a.latm", "-c:a aac -f latm"), ("a.dts", "-c:a dca -strict -2"),
    ("a.thd", "-c:a truehd -strict -2"), ("a.mlp", "-c:a mlp -strict -2"),
    ("a.mka", "-c:a libopus"), ("a.avi", "-c:a ac3"),
  ]

  @Test(
    "noise, or an MP3, behind a sound is named, and what is heard stays the same", arguments: framed
  )
  func noise(name: String, options: String) throws {
    try makeSound(name, options)
    try makeSound("b.mp3", "-c:a libmp3lame -b:a 32k -t 1 -write_xing 0 -id3v2_version 0")
    try change(
      name,
      """
      import random
      count = max(9000, len(data) // 5)
      junk = bytes(random.Random(5).randrange(1, 255) for n in range(count))
      put('junk-\(name)', data + junk)
      put('mp3-\(name)', data + open('b.mp3', 'rb').read())
      put('most-\(name)', data + junk * 12)
      """)
    let clean = try stage.run("avjob compress -q --strict \(name) -o clean.wav")
    #expect(clean.status == 0 && clean.errors == "", "\(clean)")
    // Layer II's decoder reads Layer III, too.
    for kind in ["junk", "mp3"] where name != "a.mp2" || kind != "mp3" {
      let file = try stage.run("avjob compress -q --force \(kind)-\(name) -o out.wav")
      #expect(file.status == 0, "\(kind) \(file)")
      #expect(file.errors.contains("bytes behind its sound"), "\(kind) \(file)")
      #expect(!file.errors.contains("cut short"), "\(kind) \(file)")
      #expect(try stage.run("cmp clean.wav out.wav").status == 0, "\(kind)")
    }
    let most = try stage.run("avjob probe most-\(name)")
    let isRefused = ["more than are heard", "less than half"].contains(where: most.errors.contains)
    #expect(most.status == 1 && isRefused, "\(most)")
  }

  @Test(
    "what is no frame and no sound is no loss: swapped bytes, padding, an extension, tags, heads",
    arguments: [
      ("swapped.ac3", "-c:a ac3"), ("swapped.eac3", "-c:a eac3"),
      ("padded.dts", "-c:a dca -strict -2 -b:a 768k"),
      ("extended.dts", "-c:a dca -strict -2 -b:a 768k"),
      ("heads.ac3", "-c:a ac3 -ar 48000 -b:a 192k"), ("tags.ac3", "-c:a ac3"),
      ("cover.aac", "-c:a aac"),
    ])
  func harmless(name: String, options: String) throws {
    let words = name.split(separator: ".")
    let (kind, container) = (words[0], words[1])
    try makeSound("a.\(container)", options)
    try change(
      "a.\(container)",
      """
      def frames(size):
        at = 0
        while at < len(data):
          yield data[at:at + size(at)]
          at += size(at)
      dts = lambda at: (int.from_bytes(data[at:at + 8], 'big') >> 4 & 0x3FFF) + 1
      if '\(kind)' == 'swapped':
        made = b''.join(data[n + 1:n + 2] + data[n:n + 1] for n in range(0, len(data), 2))
      elif '\(kind)' == 'padded':
        made = b''.join(f + bytes(2 * len(f)) for f in frames(dts))
      elif '\(kind)' == 'extended':
        # 800 bytes, and 30 of these its header (ETSI TS 102 114, 7.4.1).
        head = (0x64582025 << 48 | 29 << 29 | 799 << 13).to_bytes(10, 'big')
        made = b''.join(f + bytes(-len(f) % 4) + head + bytes(790) for f in frames(dts))
      elif '\(kind)' == 'heads':
        made = b''.join(bytes([1, 0x10] + [0] * 14) + f for f in frames(lambda at: 768))
      elif '\(kind)' == 'tags':
        tag = b'TAG' + b'title'.ljust(124, b'\\0') + b'\\xff'
        made = (data + tag) * 3
      else:
        size = 3 * len(data)
        item = size.to_bytes(4, 'little') + bytes(4) + b'Cover Art (Front)\\0' + bytes([1]) * size
        foot = lambda flags: (b'APETAGEX' + (2000).to_bytes(4, 'little')
          + (len(item) + 32).to_bytes(4, 'little') + (1).to_bytes(4, 'little')
          + flags.to_bytes(4, 'little') + bytes(8))
        made = data + foot(0xA0000000) + item + foot(0x80000000)
      put('\(name)', made)
      """)
    let file = try stage.run("avjob probe \(name)")
    #expect(file.status == 0 && file.errors == "", "\(file)")
  }

  @Test("bytes that frames of a bare stream lost are named", arguments: [3, 10, 50])
  func betweenFrames(step: Int) throws {
    try makeSound("a.aac", "-c:a aac -b:a 96k")
    try change(
      "a.aac",
      """
      frames, at = [], 0
      while at + 7 <= len(data):
        size = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        frames.append(data[at:at + size])
        at += size
      put('lost.aac', b''.join(
        f if n % \(step) or n == 0 or n > len(frames) - 6 else f[:20] + f[21:]
        for n, f in enumerate(frames)))
      """)
    let file = try stage.run("avjob probe lost.aac")
    #expect(file.status == 0 && file.errors.contains("bytes between its frames"), "\(file)")
  }

  @Test("sound that an AU, a CAF or an AIFF does not count is named, and refused if it is most")
  func uncounted() throws {
    for name in ["a.au", "a.caf", "a.aiff"] { try makeSound(name, "") }
    try change(
      "a.au",
      """
      for part, share in [('six', 6), ('three', 3)]:
        start, count = struct.unpack('>II', data[4:12])
        put(part + '.au', data[:8] + struct.pack('>I', count * share // 10 // 4 * 4) + data[12:])
        caf = open('a.caf', 'rb').read()
        at = caf.index(b'data') + 4
        count = (len(caf) - at - 12) * share // 10 // 4 * 4
        put(part + '.caf', caf[:at] + struct.pack('>Q', count + 4) + caf[at + 8:])
        aiff = open('a.aiff', 'rb').read()
        at = aiff.index(b'COMM') + 10
        frames = struct.unpack('>I', aiff[at:at + 4])[0]
        put(part + '.aiff', aiff[:at] + struct.pack('>I', frames * share // 10) + aiff[at + 4:])
      """)
    for kind in ["au", "caf", "aiff"] {
      let six = try stage.run("avjob compress -q --force six.\(kind) -o out.flac")
      #expect(six.status == 0 && six.errors.contains("they are left out"), "\(kind): \(six)")
      // Samples are no chunks.
      #expect(!six.errors.contains("??"), "\(kind): \(six)")
      let three = try stage.run("avjob compress -q --force three.\(kind) -o out.flac")
      #expect(
        three.status == 1 && three.errors.contains("more than are heard: its header is wrong"),
        "\(kind): \(three)")
    }
  }

  @Test("an MP3 of which every third frame lost a byte is refused, wherever two are in a row")
  func damaged() throws {
    try makeSound("a.mp3", "-c:a libmp3lame -b:a 64k -write_xing 0 -id3v2_version 0")
    try change(
      "a.mp3",
      """
      frames, at = [], 0
      while at + 4 <= len(data):
        rate = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][data[at + 2] >> 4]
        size = 144 * rate * 1000 // 44100 + (data[at + 2] >> 1 & 1)
        frames.append(data[at:at + size])
        at += size
      put('third.mp3', b''.join(
        f if n % 3 or n > len(frames) - 6 else f[:9] + f[10:] for n, f in enumerate(frames)))
      put('zeros.mp3', bytes(90000) + data)
      """)
    let third = try stage.run("avjob probe third.mp3")
    #expect(third.status == 1 && third.errors.contains("less than half"), "\(third)")
    let zeros = try stage.run("avjob probe zeros.mp3")
    #expect(zeros.status == 0 && zeros.errors == "", "\(zeros)")
  }

  @Test("a sound whose time stamps leap by more than all of it is refused")
  func leap() throws {
    for (name, seconds) in [("long.mka", 600), ("short.mka", 20)] {
      try makeSound(name, "-af 'asetpts=PTS+gt(T\\,2)*\(seconds)/TB' -c:a libopus")
    }
    let long = try stage.run("avjob probe long.mka")
    #expect(long.status == 1 && long.errors.contains("its time stamps leap by 600."), "\(long)")
    let short = try stage.run("avjob probe short.mka")
    #expect(short.status == 0 && short.errors.contains("has a hole of 20.000 s"), "\(short)")
  }
}
