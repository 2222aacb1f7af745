import TestSupport
import Testing

@Suite("The digest of a FLAC's sound: strict jobs and verify")
struct FLACDigestTests {
  private let stage = Stage()

  /// Takes a FLAC apart, and writes others of its frames.
  private static let script =
    """
    import subprocess

    def crc(data, polynomial, width):
        total = 0
        for byte in data:
            total ^= byte << width - 8
            for _ in range(8):
                total = (total << 1 ^ polynomial * (total >> width - 1)) & (1 << width) - 1
        return total

    def numbered(frame, number):
        old = 1 if frame[4] < 0x80 else 2
        more = {6: 1, 7: 2}.get(frame[2] >> 4, 0) + {12: 1, 13: 2, 14: 2}.get(frame[2] & 15, 0)
        coded = [number] if number < 0x80 else [0xC0 | number >> 6, 0x80 | number & 63]
        head = frame[:4] + bytes(coded) + frame[4 + old:4 + old + more]
        head += bytes([crc(head, 7, 8)])
        body = head + frame[4 + old + more + 1:-2]
        return body + crc(body, 0x8005, 16).to_bytes(2, "big")

    listed = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0", "whole.flac"],
        capture_output=True, text=True, check=True).stdout.split()
    sizes = [int(line.strip(",")) for line in listed]
    data = open("whole.flac", "rb").read()
    start = len(data) - sum(sizes)
    head, frames = data[:start], []
    for size in sizes:
        frames.append(data[start:start + size])
        start += size
    assert all(numbered(f, n) == f for n, f in enumerate(frames))
    total = int.from_bytes(head[21:26], "big") & (1 << 36) - 1

    def write(name, frames, head=head):
        open(name, "wb").write(head + b"".join(frames))

    def announcing(count):
        return head[:21] + (head[21] >> 4 << 36 | count).to_bytes(5, "big") + head[26:]

    def renumbered(frames):
        return [numbered(f, n) for n, f in enumerate(frames)]

    short = frames[:19] + frames[20:]
    write("dropped.flac", short)
    write("renumbered.flac", renumbered(short), announcing(total - 4096))
    write("unannounced.flac", renumbered(short), announcing(0))
    write("exchanged.flac", renumbered(frames[:5] + [frames[6], frames[5]] + frames[7:]))
    write("header.flac", frames, head[:26] + bytes([head[26] ^ 1]) + head[27:])
    write("zeros.flac", renumbered(short), head[:21] + announcing(total - 4096)[21:26] + bytes(16) + head[42:])
    write("open.flac", frames, announcing(0))
    """

  /// Makes `whole.flac` and others of its frames, whose checksums are right: those of `wrong`, `zeros`,
  /// which lacks a frame and has no digest, and `open`, which has no total of samples.
  private func makeVariants() throws {
    try stage.write("frames.py", Self.script)
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 whole.wav synth 3 pinknoise vol 0.3
      flac -s whole.wav -o whole.flac
      python3 frames.py
      """)
  }

  private static let wrong = ["dropped", "renumbered", "unannounced", "exchanged", "header"]

  @Test("a strict job refuses a FLAC that 'flac -t' refuses by its digest, whatever it takes of it")
  func strict() throws {
    try makeVariants()
    let told = try stage.make("metaflac --show-md5sum whole.flac").text.prefix(32)
    for name in Self.wrong {
      #expect(try stage.run("flac -s -t \(name).flac").status != 0, "\(name)")
      let strict = try stage.job(
        "clip: \(name).flac 0s..0.2s\nstrict: true\noutput: \(name).wav\n")
      #expect(strict.status == 1, "\(name)")
      let found = try stage.make(
        "ffmpeg -v error -i \(name).flac -f s16le - | md5sum"
      ).text.prefix(32)
      let isHeader = name == "header"
      #expect(
        strict.errors.contains("'\(name).flac': has sound with the MD5 \(found)"),
        "\(strict.errors)")
      #expect(strict.errors.contains(" (STREAMINFO) says \(told)") != isHeader, "\(strict.errors)")
      #expect(strict.errors.contains("copy or download it again"))
      #expect(strict.errors.contains("; 'strict' refuses it: mend the file, or leave 'strict' out"))
      #expect(try stage.run("ls \(name).wav").status != 0)
      let lenient = try stage.run("avjob clip -q \(name).flac --to 0.2s -o \(name).wav")
      #expect(lenient.status == 0 && lenient.errors == "", "\(name): \(lenient.errors)")
    }
    let dropped = try stage.run("avjob clip -q dropped.flac --to 0.2s --strict -o x.wav")
    #expect(
      dropped.errors.contains("it is damaged in one place, where sound is missing: at 0:01.765"),
      "\(dropped.errors)")
    for name in ["whole", "zeros", "open"] {
      #expect(try stage.run("flac -s -t \(name).flac").status == 0, "\(name)")
      let result = try stage.run("avjob compress -q --strict \(name).flac -o \(name)-out.flac")
      #expect(result.status == 0 && result.errors == "", "\(name): \(result.errors)")
    }
  }

  @Test("FLAC in Ogg, each link of a chain, Matroska and MP4 is held to its digest")
  func containers() throws {
    try makeVariants()
    try stage.make(
      """
      for name in whole renumbered; do
        for kind in oga mka mp4; do
          ffmpeg -v error -i $name.flac -c copy -strict -2 $name.$kind
        done
      done
      flac -s --ogg whole.wav -o own.oga
      cat own.oga whole.oga > chain.oga
      cat own.oga renumbered.oga > wrong.oga
      flac -s --ogg --no-md5-sum whole.wav -o open.oga
      cat own.oga open.oga > half.oga
      cat open.oga own.oga open.oga > third.oga
      """)
    for name in ["whole.oga", "whole.mka", "whole.mp4", "own.oga", "chain.oga", "half.oga"] {
      let result = try stage.run("avjob clip -q --strict \(name) --to 0.2s -o \(name).wav")
      #expect(result.status == 0 && result.errors == "", "\(name): \(result.errors)")
    }
    for name in ["renumbered.oga", "renumbered.mka", "renumbered.mp4", "wrong.oga"] {
      let result = try stage.run("avjob clip -q --strict \(name) --to 0.2s -o \(name).wav")
      #expect(
        result.status == 1 && result.errors.contains(" (STREAMINFO) says "),
        "\(name): \(result.errors)")
      #expect(
        result.errors.contains("has in link 2 of its chain sound with the MD5")
          == (name == "wrong.oga"), "\(result.errors)")
    }
    let chain = try stage.run(
      "avjob verify --json wrong.oga; avjob verify wrong.oga renumbered.oga")
    let words = "its sound does not have the MD5 of its header"
    #expect(
      chain.text.contains("\"message\": \"\(words) in link 2 of its chain\""), "\(chain.text)")
    #expect(chain.text.contains("wrong.oga: \(words) in link 2 of its chain\n"), "\(chain.text)")
    #expect(chain.text.contains("renumbered.oga: \(words)\n"), "\(chain.text)")
    // What is proved in part is not called so as a whole.
    let part = try stage.run("avjob verify chain.oga half.oga third.oga")
    #expect(part.status == 1)
    #expect(
      part.text == """
        ok         chain.oga: its sound has the MD5 of its header
        unknown    half.oga: its sound has the MD5 of its header, but link 2 of its chain has none, \
        and is not proved
        unknown    third.oga: its sound has the MD5 of its header, but 2 links of its chain have none, \
        the first of them link 1, and are not proved
        3 files: 1 ok, 2 unknown

        """, "\(part.text)")
  }

  @Test("a file that was proved is not decoded again by a later run")
  func remembered() throws {
    try makeVariants()
    #expect(
      try stage.job("clip: whole.flac 0s..0.2s\nstrict: true\noutput: a.wav\n").status == 0)
    // Another sound with the same size, time and inode: only a digest of bytes would show it.
    try stage.make(
      """
      cp -p whole.flac time
      printf '\\1' | dd of=whole.flac bs=1 seek=26 conv=notrunc status=none
      touch -r time whole.flac
      """)
    let second = try stage.job("clip: whole.flac 0s..0.3s\nstrict: true\noutput: b.wav\n")
    #expect(second.status == 0, "\(second.errors)")
    try stage.make("touch whole.flac")
    let third = try stage.job("clip: whole.flac 0s..0.4s\nstrict: true\noutput: c.wav\n")
    #expect(third.status == 1 && third.errors.contains("(STREAMINFO)"), "\(third.errors)")
  }

  @Test("verify proves a FLAC of which nothing has a digest by its own, as 'flac -t' does")
  func verify() throws {
    try makeVariants()
    try stage.make("rm whole.wav; flac -s -d -c whole.flac | flac -s --ogg - -o own.oga")
    let all = try stage.run("avjob verify .")
    #expect(all.status == 1)
    #expect(all.text.contains("ok         whole.flac: its sound has the MD5 of its header\n"))
    #expect(all.text.contains("ok         own.oga: its sound has the MD5 of its header\n"))
    #expect(all.text.contains("ok         open.flac"))
    #expect(all.text.contains("unknown    zeros.flac\n"))
    #expect(all.text.hasSuffix("10 files: 3 ok, 5 changed, 2 unknown\n"), "\(all.text)")
    let told = try stage.make("metaflac --show-md5sum whole.flac").text.prefix(32)
    for name in Self.wrong {
      let result = try stage.run("avjob verify \(name).flac")
      #expect(result.status == 1)
      let found = try stage.make(
        "ffmpeg -v error -i \(name).flac -f s16le - | md5sum"
      ).text.prefix(32)
      #expect(
        result.text.hasPrefix(
          "changed    \(name).flac: its sound does not have the MD5 of its header"),
        "\(result.text)")
      #expect(result.text.contains("\n  is   MD5 \(found)\n  was  MD5 "), "\(result.text)")
      #expect(
        result.text.contains("\(told)\n  by   its header (STREAMINFO)\n") == (name != "header"))
    }
    let json = try stage.run("avjob verify --json dropped.flac whole.flac zeros.flac")
    try JSONSchema.validate(json.text, as: "verify")
    #expect(json.text.contains("\"expected_sound_md5\": \"\(told)\""), "\(json.text)")
    // What a list has a digest of is proved by that alone, and decoders read no stranger's files.
    try stage.make("sha256sum dropped.flac > dropped.sha256")
    #expect(try stage.run("avjob verify dropped.flac").text.hasPrefix("ok         dropped.flac\n"))
    let rooted = try stage.run("avjob verify --root . renumbered.flac")
    #expect(rooted.text.hasPrefix("unknown    renumbered.flac"), "\(rooted.text)")
  }
}
