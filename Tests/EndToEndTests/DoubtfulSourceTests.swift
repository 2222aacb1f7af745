import TestSupport
import Testing

/// Sources that are damaged, cut short, or change midway.
@Suite("Doubtful sources")
struct DoubtfulSourceTests {
  private let stage = Stage()

  @Test("an MP3 of which every second frame lost a byte is refused, and so is FLAC mostly of noise")
  func mostlyLost() throws {
    try stage.write(
      "lose.py",
      """
      import random, sys
      random.seed(2)
      data = open('a.mp3', 'rb').read()
      frames, at = [], 0
      while at + 4 <= len(data):
        rate = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][data[at + 2] >> 4]
        size = 144 * rate * 1000 // 44100 + (data[at + 2] >> 1 & 1)
        frames.append(data[at:at + size])
        at += size
      open('first.mp3', 'wb').write(b''.join(f[1:] if n % 2 else f for n, f in enumerate(frames)))
      open('third.mp3', 'wb').write(b''.join(f if n % 3 else f[:100] + f[101:] for n, f in enumerate(frames[:len(frames) // 3 * 3])))
      open('second.mp3', 'wb').write(b''.join(f[:1] + f[2:] if n % 2 else f for n, f in enumerate(frames)))
      flac = bytearray(open('a.flac', 'rb').read())
      for place in range(9000, len(flac) - 20, 1500): flac[place] ^= 255
      open('noise.flac', 'wb').write(flac)
      adts, at, kept = open('a.aac', 'rb').read(), 0, []
      while at + 7 <= len(adts):
        size = (adts[at + 3] & 3) << 11 | adts[at + 4] << 3 | adts[at + 5] >> 5
        kept.append(adts[at:at + size])
        at += size
      open('lost.aac', 'wb').write(b''.join(f[1:] if n % 3 else f for n, f in enumerate(kept)))
      """)
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 3 pinknoise vol 0.3
      lame --quiet -t -b 128 a.wav a.mp3
      flac -s a.wav -o a.flac
      ffmpeg -v error -i a.wav -c:a aac a.aac
      python3 lose.py
      head -c 150000 a.wav > short.wav
      """)
    // What has too few frames in a row is not known for an MP3, and a decoder refuses the FLAC.
    for (name, words) in [
      ("first.mp3", "holds no sound in a known format"),
      ("second.mp3", "holds no sound in a known format"), ("third.mp3", "less than half"),
      ("noise.flac", "cannot be read"),
      ("lost.aac", "less than half"), ("short.wav", "less than half"),
    ] {
      let result = try stage.run("avjob clip -q \(name) -o x.wav; ls x.wav")
      #expect(result.text == "", "\(name)")
      #expect(result.errors.contains(words), "\(name): \(result.errors)")
    }
  }

  @Test("a file whose rate or channels change midway is refused before work starts")
  func change() throws {
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 2 pinknoise vol 0.3
      sox a.wav -r 48000 b.wav && sox a.wav -c 1 c.wav
      for f in a b c; do
        lame --quiet -t $f.wav $f.mp3
        ffmpeg -v error -i $f.wav -c:a aac $f.aac
        ffmpeg -v error -i $f.wav -c:a ac3 $f.ac3
        ffmpeg -v error -i $f.wav -c:a mp2 $f.mp2
      done
      for e in mp3 aac ac3 mp2; do cat a.$e b.$e > rate.$e; cat a.$e c.$e > channels.$e; done
      """)
    for kind in ["mp3", "aac", "ac3", "mp2"] {
      for (name, words) in [
        ("rate", "changes to 48000 Hz and"), ("channels", "and 1 channel at 2."),
      ] {
        let result = try stage.run("avjob clip -q \(name).\(kind) --to 1s -o x.wav")
        #expect(result.status == 1, "\(name).\(kind)")
        #expect(
          result.errors.contains(words)
            && result.errors.contains("a file has one rate and number of channels"),
          "\(name).\(kind): \(result.errors)")
      }
    }
  }

  @Test("records carry the warnings of their job, and 'strict' makes failures of them")
  func strict() throws {
    try stage.make(
      """
      sox -R -r 44100 -n -c 2 -b 16 a.wav synth 1 pinknoise vol 0.3
      head -c 120044 a.wav > cut.wav
      flac -s a.wav -o damaged.flac
      printf '\\0\\0\\0\\0' | dd of=damaged.flac bs=1 seek=40000 conv=notrunc status=none
      """)
    let announced = "its header announces 1.000 s, 0.680 s can be decoded"
    let damaged =
      "is damaged in one place, where sound is missing: at 0:00.372; copy or download it again"
    for (name, words) in [("cut.wav", announced), ("damaged.flac", damaged)] {
      let outputs = "[{ file: x.wav }, { file: r.json, json: sidecar }]"
      let lenient = try stage.job("clip: \(name)\noutput: \(outputs)\n")
      #expect(lenient.status == 0 && lenient.errors.contains(words), "\(lenient.errors)")
      let record = try stage.make("cat r.json").text
      #expect(record.contains(words), "\(record)")
      try stage.make("rm x.wav r.json")
      let strict = try stage.job("clip: \(name)\nstrict: true\noutput: \(outputs)\n")
      #expect(strict.status == 1, "\(name)")
      #expect(
        strict.errors.contains(
          words + "; 'strict' refuses it: mend the file, or leave 'strict' out"),
        "\(strict.errors)")
      #expect(try stage.run("ls x.wav r.json").text == "")
      for command in [
        "avjob run -q --strict lenient.yaml", "avjob clip -q \(name) --strict -o x.wav",
        "avjob compress -q \(name) --preset archive -o x.flac",
      ] {
        try stage.write("lenient.yaml", "clip: \(name)\noutput: x.wav\n")
        let result = try stage.run(command)
        #expect(result.status == 1 && result.errors.contains("'strict' refuses it"), "\(command)")
      }
    }
    let check = try stage.run("avjob check --strict lenient.yaml; avjob check --strict job.yaml")
    #expect(check.status == 0, "its damage is found only by decoding: \(check.errors)")
  }

  @Test("a strict job whose sources are whole is made, and its record has no warnings")
  func fine() throws {
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 a.wav synth 1 pinknoise vol 0.3")
    let result = try stage.job(
      "clip: a.wav\nstrict: true\noutput: [{ file: x.wav }, { file: r.json, json: sidecar }]\n")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(try stage.make("cat r.json").text.contains("\"warnings\": []"))
  }
}
