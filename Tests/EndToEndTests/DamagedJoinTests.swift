import Glibc
import TestSupport
import Testing

/// Joins of which one part is damaged: it is named, with the time in it, and with what was done.
@Suite("Joins with a damaged part")
struct DamagedJoinTests {
  private let stage = Stage()

  /// Two files of 9 s; of the second, whose name is `bad`, packets of some numbers are zero.
  private func makeAAC(_ packets: [Int]) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      for n in a b; do ffmpeg -v error -i $n.wav -c:a aac -b:a 128k -aac_pns 0 $n.m4a; done
      ffprobe -v error -show_entries packet=pos,size -of csv=p=0 b.m4a >packets.csv
      /usr/bin/python3 - \(packets.map(String.init).joined(separator: " ")) <<'END'
      import sys
      rows = open('packets.csv').read().split()
      data = bytearray(open('b.m4a', 'rb').read())
      for number in sys.argv[1:]:
        size, place = [int(field) for field in rows[int(number)].split(',')[:2]]
        data[place:place + size] = bytes(size)
      open('bad.m4a', 'wb').write(data)
      END
      """)
  }

  /// When a packet of AAC is heard: the first one holds the encoder's delay.
  private func time(ofPacket number: Int) -> String {
    let milliseconds = (Double((number - 1) * 1024) * 1000 / 44_100).rounded()
    let (seconds, rest) = Int(milliseconds).quotientAndRemainder(dividingBy: 1000)
    return "0:0\(seconds).\(String(String(1000 + rest).dropFirst()))"
  }

  /// What a job of `a`, then all of `bad` but its first 20 packets, says.
  private func join(_ name: String, step: Int, _ output: String) throws -> ToolResult {
    try stage.job(
      """
      concat:
        - { clip: a.\(name), from: 0 samples, to: \(60 * step) samples }
        - { clip: bad.\(name), from: \(20 * step) samples, to: \(330 * step) samples }
      output: \(output)
      """)
  }

  @Test("a copy of AAC names the file and the times of packets that no decoder takes")
  func copiedAAC() throws {
    try makeAAC([60, 110])
    let result = try join("m4a", step: 1024, "{ file: j.m4a, aac: copy }")
    #expect(result.status != 0)
    #expect(
      result.errors.contains(
        "'bad.m4a': has packets that no decoder takes, at \(time(ofPacket: 60)), "
          + "\(time(ofPacket: 110)); 'j.m4a' with copies of them is not written: copy or download "
          + "what is damaged again, or write a bit rate, as '128k', to encode what can be decoded"),
      "\(result.errors)")
    #expect(try stage.run("ls j.m4a").status != 0)
  }

  @Test("AAC that is decoded is named with the times where sound is missing")
  func decodedAAC() throws {
    try makeAAC([60])
    let result = try join("m4a", step: 1024, "{ file: j.wav }")
    #expect(result.status == 0)
    #expect(
      result.errors.contains(
        "'bad.m4a': is damaged in one place, where sound is missing: at \(time(ofPacket: 60)); "
          + "copy or download it again"), "\(result.errors)")
  }

  @Test("FLAC is named with the time where sound is missing, copied or not")
  func flac() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a flac a.flac
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      flac -s b.wav -o bad.flac
      printf '\\0\\0\\0\\0' | dd of=bad.flac bs=1 conv=notrunc status=none \
        seek=$(($(stat -c %s bad.flac) / 2))
      """)
    for output in ["{ file: j.flac, flac: copy }", "{ file: j.wav }"] {
      let result = try join("flac", step: 1024, output)
      #expect(result.status == 0)
      let words = "'bad.flac': is damaged in one place, where sound is missing: at 0:0"
      let place = try #require(result.errors.firstRange(of: words), "\(result.errors)")
      // Half of its bytes are about half of its sound.
      let seconds = try #require(Double(result.errors[place.upperBound...].prefix(5)))
      #expect(2.5..<6 ~= seconds)
    }
  }

  @Test("a copy of MP3 has the damage of its source, and names its time")
  func mp3() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      for n in a b; do lame --quiet -b 128 $n.wav $n.mp3; done
      cp b.mp3 bad.mp3
      head -c 1000 /dev/zero | tr '\\0' '\\252' | dd of=bad.mp3 bs=1 conv=notrunc status=none \
        seek=$((128000 / 8 * 5))
      """)
    let result = try join("mp3", step: 1152, "{ file: j.mp3, mp3: copy }")
    #expect(result.status == 0)
    for words in [
      "'bad.mp3': has ", " bytes that are no frames in 1 place, first at byte ", ", at 0:04.9",
      "'bad.mp3': is damaged at 0:04.9", ", where its frames are copied as they are",
    ] {
      #expect(result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test(
    "a copy of MP3 names frames that are damaged behind their header, with their times",
    arguments: ["-b 128", "-V 4", "-b 128 -p"])
  func withinFrames(_ options: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      for n in a b; do lame --quiet \(options) $n.wav $n.mp3; done
      ffprobe -v error -show_entries packet=pos,size -of csv=p=0 b.mp3 >packets.csv
      /usr/bin/python3 - <<'END'
      rows = open('packets.csv').read().split()
      data = bytearray(open('b.mp3', 'rb').read())
      for number in 150, 200:
        size, place = [int(field) for field in rows[number].split(',')[:2]]
        # The side information of stereo, behind the header and a checksum.
        start = place + (4 if data[place + 1] & 1 else 6)
        data[start:start + 32] = bytes([255]) * 32
      open('bad.mp3', 'wb').write(data)
      END
      """)
    let whole = try stage.job(
      "clip: b.mp3\nfrom: 0.5s\nto: 8s\noutput: { file: w.mp3, mp3: copy }")
    #expect(whole.status == 0 && !whole.errors.contains("damaged"), "\(whole.errors)")
    let result = try join("mp3", step: 1152, "{ file: j.mp3, mp3: copy }")
    #expect(result.status == 0)
    // The first frame's sound lies 1105 samples before that of the file.
    let times = [150, 200].map { number in
      let milliseconds = (Double(number * 1152 - 1105) * 1000 / 44_100).rounded()
      return "0:0" + "\(milliseconds / 1000)".prefix(4)
    }
    #expect(result.errors.contains("'bad.mp3': is damaged at \(times[0])"), "\(result.errors)")
    #expect(result.errors.contains(", \(times[1])"), "\(result.errors)")
    #expect(result.errors.contains(", where its frames are copied as they are"))
    #expect(!result.errors.contains("no frames"))
  }

  @Test("what follows a packet that is refused sounds where it did")
  func placeBehind() throws {
    try makeAAC([60, 110])
    try stage.make(
      """
      cp b.m4a whole.m4a
      for n in whole bad; do avjob clip -q $n.m4a -o $n.wav --wav '32 bit float'; done
      """)
    let wave = try ["whole", "bad"].map {
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", stage.path("\($0).wav"), "-f", "f32le", "-"
      ).floats
    }
    #expect(wave[0].count == wave[1].count)
    // A packet's window reaches over the next one; its sound lies one before its number.
    let damaged = [60, 110].map { 2 * ($0 - 1) * 1024..<2 * ($0 + 1) * 1024 }
    let others = wave[0].indices.filter { index in !damaged.contains { $0.contains(index) } }
    #expect(others.allSatisfy { wave[0][$0] == wave[1][$0] })
    #expect(damaged.allSatisfy { range in range.contains { wave[0][$0] != wave[1][$0] } })
  }

  @Test("a copy of Opus names the file and the time of a packet that no decoder takes")
  func opus() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 a.wav
      ffmpeg -v error -ss 12 -i $FIXTURES/feelings.ogg -t 9 b.wav
      for n in a b; do opusenc --quiet --bitrate 96 $n.wav $n.opus; done
      /usr/bin/python3 - <<'END'
      import struct
      table = []
      for value in range(256):
        value <<= 24
        for _ in range(8): value = (value << 1 ^ (0x04c11db7 if value >> 31 else 0)) & 0xffffffff
        table.append(value)
      data = bytearray(open('b.opus', 'rb').read())
      place = 0
      # The first packet of the page that begins after 4 s, of a page of 1 s each: one of no frames
      # (RFC 6716, 3.2.5).
      for number in range(7):
        size = 27 + data[place + 26] + sum(data[place + 27:place + 27 + data[place + 26]])
        if number == 6:
          first = place + 27 + data[place + 26]
          data[first], data[first + 1] = data[first] | 3, 0
          data[place + 22:place + 26] = bytes(4)
          crc = 0
          for byte in data[place:place + size]:
            crc = (crc << 8 & 0xffffffff) ^ table[crc >> 24 ^ byte]
          data[place + 22:place + 26] = struct.pack('<I', crc)
        place += size
      open('bad.opus', 'wb').write(data)
      END
      """)
    let result = try join("opus", step: 960, "{ file: j.opus, opus: copy }")
    #expect(result.status != 0)
    #expect(
      result.errors.contains("'bad.opus': has a packet that no decoder takes, at 0:03.9"),
      "\(result.errors)")
  }
}
