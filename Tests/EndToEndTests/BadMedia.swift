import TestSupport
import Testing

/// A medium that is not what it should be, and what the command says about it.
struct BadMedium: CustomTestStringConvertible {
  /// Its name, and the `clip:` of a job.
  var name: String
  /// What is said on standard error, without the place and the lines below it.
  var says: [String]
  /// Samples that come out; nil where it is as many as ffmpeg decodes.
  var frames: Int?
  var status: Int32
  /// Makes it, in a folder that holds `tone.wav`: one second at 44.1 kHz, stereo, 16 bits.
  var make: @Sendable (Stage) throws -> Void

  var testDescription: String { name }

  /// A medium that fails its job.
  init(
    _ name: String, says: String, status: Int32 = 1,
    make: @escaping @Sendable (Stage) throws -> Void
  ) {
    self.name = name
    self.says = ["error: '\(name)': \(says)"]
    self.status = status
    self.make = make
  }

  /// One that a script makes.
  init(_ name: String, says: String, after warning: String? = nil, script: String) {
    self.init(name, says: says) { try $0.make(script) }
    if let warning { self.says.insert("warning: '\(name)': \(warning)", at: 0) }
  }

  /// One that gives sound, and warnings, in which `FOUND` stands for the seconds of it.
  init(_ name: String, warns: [String], frames: Int? = nil, script: String) {
    self.name = name
    says = warns.map { "warning: '\(name)': \($0)" }
    self.frames = frames
    status = 0
    make = { try $0.make(script) }
  }

  /// What stands on the screen: each message with its place and its line of the job file.
  var screen: String {
    let caret = "^" + String(repeating: "~", count: name.count - 1)
    return says.map {
      "job.yaml:1:7: \($0)\n    1 | clip: \(name)\n      |       \(caret)\n"
    }.joined()
  }
}

extension BadMedium {
  private static let unknown =
    "holds no sound in a known format (a text, a playlist, a damaged header?)"
  /// Writes other bytes before the last ones of a file.
  private static func damagedEnd(_ name: String) -> String {
    "printf '\\1\\2\\3\\4\\5' | dd of=\(name) bs=1 seek=$(($(stat -c %s \(name)) - 9)) "
      + "conv=notrunc status=none"
  }

  private static let headerOnly = "holds no sound (its header is all there is)"

  /// A WAV with these fields, whether they agree or not.
  private static func wav(
    format: Int = 1, channels: Int, rate: Int = 44_100, bits: Int, frameSize: Int, data: [UInt8]
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + number(36 + data.count, 4) + Array("WAVEfmt ".utf8)
      + number(16, 4) + number(format, 2) + number(channels, 2) + number(rate, 4)
      + number(rate * frameSize, 4) + number(frameSize, 2) + number(bits, 2) + Array("data".utf8)
      + number(data.count, 4) + data
  }

  private static func floats(_ values: [Float]) -> [UInt8] {
    values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
  }

  static let refused = [
    BadMedium("empty.mp3", says: "is empty (0 bytes)", script: ": > empty.mp3"),
    BadMedium("text.mp3", says: unknown, script: "seq 1000 > text.mp3"),
    BadMedium(
      "hls.mp3",
      says: "is a playlist of HTTP Live Streaming and no medium; name a medium, or make one of it: "
        + "ffmpeg -i ADDRESS -c copy live.mka",
      script: """
        printf '#EXTM3U\\n#EXT-X-TARGETDURATION:9\\n#EXTINF:1,\\ntone.wav\\n#EXT-X-ENDLIST\\n' > hls.mp3
        """),
    BadMedium(
      "ffconcat.mp3", says: unknown,
      script: "printf 'ffconcat version 1.0\\nfile tone.wav\\n' > ffconcat.mp3"),
    BadMedium(
      "cut.m4a",
      says: "was cut short: its last 9092 bytes are missing, and its index (moov) with them; "
        + "copy or download it again",
      script: """
        printf '\\0\\0\\0\\24ftypM4A \\0\\0\\0\\0M4A \\0\\0\\47\\20mdat' > cut.m4a
        head -c 900 tone.wav >> cut.m4a
        """),
    BadMedium("header.wav", says: headerOnly, script: "head -c 44 tone.wav > header.wav"),
    BadMedium(
      "header.flac", says: headerOnly,
      script: """
        flac -s --no-padding --no-seektable tone.wav -o a.flac
        head -c $((42 + 4 + 40)) a.flac > header.flac; rm a.flac
        metaflac --list header.flac > /dev/null
        """),
    BadMedium(
      "free.mp3", says: "is a free-format MP3, which is not supported",
      script: "sox tone.wav a.wav repeat 2; lame --quiet --freeformat -b 400 a.wav free.mp3"),
    BadMedium(
      "two layouts.mp3",
      says: """
        changes to 44100 Hz and 1 channel at 1.045 s; \
        a file has one rate and number of channels: encode it again
        """,
      script: """
        lame --quiet -t tone.wav a.mp3; lame --quiet -t -m m tone.wav b.mp3
        cat a.mp3 b.mp3 > 'two layouts.mp3'; rm a.mp3 b.mp3
        """),
    BadMedium(
      "two rates.mp3",
      says: """
        changes to 22050 Hz and 2 channels at 1.045 s; \
        a file has one rate and number of channels: encode it again
        """,
      script: """
        lame --quiet -t tone.wav a.mp3; lame --quiet -b 64 --resample 22.05 -t tone.wav b.mp3
        cat a.mp3 b.mp3 > 'two rates.mp3'; rm a.mp3 b.mp3
        """),
    BadMedium(
      "promise.wav",
      says: """
        its header announces 1521.743 s, and 1.000 s can be decoded: less than half; \
        copy or download it again
        """,
      script: """
        cp tone.wav promise.wav
        printf '\\0\\0\\0\\020' | dd of=promise.wav bs=1 seek=40 conv=notrunc status=none
        """),
    BadMedium(
      "17bits.wav",
      says: "its header contradicts itself: 2 channels of 17 bits in 4 bytes; encode it again"
    ) { stage in
      try writeFile(
        stage.path("17bits.wav"),
        wav(channels: 2, bits: 17, frameSize: 4, data: Array(repeating: 7, count: 8000)))
    },
    BadMedium(
      "nochannels.wav", says: "holds sound without a number of channels or a sample rate"
    ) { stage in
      try writeFile(
        stage.path("nochannels.wav"),
        wav(channels: 0, bits: 16, frameSize: 0, data: Array(repeating: 7, count: 8000)))
    },
    BadMedium("norate.wav", says: unknown) { stage in
      try writeFile(
        stage.path("norate.wav"),
        wav(channels: 1, rate: 0, bits: 16, frameSize: 2, data: Array(repeating: 7, count: 8000)))
    },
    BadMedium("nan.wav", says: "holds samples that are no numbers (NaN or infinity)") { stage in
      let data = floats([Float](repeating: 0.25, count: 999) + [.nan])
      try writeFile(
        stage.path("nan.wav"), wav(format: 3, channels: 1, bits: 32, frameSize: 4, data: data))
    },
    BadMedium("infinite.wav", says: "holds samples that are no numbers (NaN or infinity)") {
      stage in
      let data = floats([-.infinity] + [Float](repeating: 0.25, count: 999))
      try writeFile(
        stage.path("infinite.wav"),
        wav(format: 3, channels: 1, bits: 32, frameSize: 4, data: data))
    },
  ]

  static let doubtful = [
    BadMedium(
      "cut.wav", warns: ["its header announces 1.000 s, 0.500 s can be decoded"],
      script: "head -c $((44 + 22050 * 4)) tone.wav > cut.wav"),
    BadMedium(
      "cut.flac", warns: ["its header announces 1.000 s, FOUND s can be decoded"],
      script: "flac -s tone.wav -o a.flac; head -c 60000 a.flac > cut.flac; rm a.flac"),
    BadMedium(
      "cut.ogg", warns: ["was cut short: its last page is missing; FOUND s can be decoded"],
      script: "oggenc -Q -o a.ogg tone.wav; head -c 12000 a.ogg > cut.ogg; rm a.ogg"),
    BadMedium(
      "end.ogg",
      warns: ["is damaged: the checksum of its last page is wrong; FOUND s can be decoded"],
      script: "oggenc -Q -o end.ogg tone.wav; \(damagedEnd("end.ogg"))"),
    BadMedium(
      "end.opus",
      warns: ["is damaged: the checksum of its last page is wrong; FOUND s can be decoded"],
      script: "opusenc --quiet --max-delay 200 tone.wav end.opus; \(damagedEnd("end.opus"))"),
    BadMedium(
      "cut.mkv", warns: ["its header announces 1.000 s, FOUND s can be decoded"],
      script:
        "ffmpeg -v error -i tone.wav -c:a flac a.mkv; head -c 60000 a.mkv > cut.mkv; rm a.mkv"),
    BadMedium(
      "7hours.mp3",
      warns: ["announces 983041 frames and holds 40", "has an encoder tag with a wrong checksum"],
      script: """
        lame --quiet -b 128 tone.wav 7hours.mp3
        offset=$(grep -abo Info 7hours.mp3 | head -1 | cut -d: -f1)
        printf '\\0\\017\\0\\001' \
          | dd of=7hours.mp3 bs=1 seek=$((offset + 8)) conv=notrunc status=none
        """),
    BadMedium(
      "damaged.flac",
      warns: [
        "is damaged in one place, where sound is missing: at 0:00.372; copy or download it again"
      ],
      frames: 44_100,
      script: """
        flac -s tone.wav -o damaged.flac
        printf '\\0\\0\\0\\0' | dd of=damaged.flac bs=1 seek=40000 conv=notrunc status=none
        """),
    BadMedium(
      "damaged.wv", warns: ["its header announces 1.000 s, 0.500 s can be decoded"], frames: 22_050,
      script: """
        ffmpeg -v error -i tone.wav damaged.wv
        printf '\\0\\0\\0\\0' | dd of=damaged.wv bs=1 seek=100000 conv=notrunc status=none
        """),
    BadMedium(
      "more.ts", warns: [],
      script: "ffmpeg -v error -i tone.wav -c:a mp2 more.ts; seq 2000 >> more.ts"),
  ]
}
