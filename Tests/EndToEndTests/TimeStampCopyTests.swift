import TestSupport
import Testing

/// AAC whose packets are counted, since its time stamps do not say where they begin.
@Suite("AAC whose time stamps do not count frames")
struct TimeStampCopyTests {
  private let stage = Stage()

  private func decoded(_ name: String) throws -> [Float] {
    try stage.make("ffmpeg -v error -i \(name) -f f32le -c:a pcm_f32le -").floats
  }

  @Test(
    "it is copied out of MP4 by its packets, and cut to the sample",
    arguments: [
      // MPEG-TS counts 90,000 ticks a second, FLV and Matroska milliseconds.
      "ffmpeg -v error -i a.m4a -c copy a.ts; ffmpeg -v error -i a.ts -c copy s.m4a",
      "ffmpeg -v error -i a.m4a -c copy a.flv; ffmpeg -v error -i a.flv -c copy s.m4a",
      "ffmpeg -v error -i a.m4a -c copy a.mkv; ffmpeg -v error -i a.mkv -c copy s.m4a",
      // A track of 88,201 ticks a second, with an edit list that leaves out the encoder's delay.
      """
      /usr/bin/python3 - <<'END'
      import struct
      bytes = bytearray(open('a.m4a', 'rb').read())
      head = bytes.index(b'mdhd') + 16
      rate, length = struct.unpack_from('>II', bytes, head)
      struct.pack_into('>II', bytes, head, 2 * rate + 1, length)
      list = bytes.index(b'elst') + 16
      struct.pack_into('>I', bytes, list, 2 * 1024)
      times = bytes.index(b'stts') + 8
      for run in range(struct.unpack_from('>I', bytes, times)[0]):
        count, ticks = struct.unpack_from('>II', bytes, times + 4 + 8 * run)
        struct.pack_into('>I', bytes, times + 8 + 8 * run, 2 * ticks)
      open('s.m4a', 'wb').write(bytes)
      END
      """,
    ])
  func otherTimes(_ make: String) throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 9 -c:a aac -b:a 128k -aac_pns 0 a.m4a
      \(make)
      avjob clip -q s.m4a -o whole.m4a --aac copy
      avjob clip -q s.m4a --from 2.345s --to 7s -o cut.m4a --aac copy
      for n in s whole; do avjob clip -q $n.m4a -o $n.wav --wav '32 bit float'; done
      avjob clip -q s.m4a --from 2.345s --to 7s -o part.wav --wav '32 bit float'
      avjob clip -q cut.m4a -o cut.wav --wav '32 bit float'
      """)
    #expect(try decoded("whole.wav") == decoded("s.wav"))
    #expect(try decoded("cut.wav") == decoded("part.wav"))
    func packets(_ name: String) throws -> [UInt8] {
      try Array(
        stage.make("ffmpeg -v error -ignore_editlist 1 -i \(name) -map 0:a -c copy -f data -")
          .output)
    }
    let (copied, there) = (try packets("whole.m4a"), try packets("s.m4a"))
    #expect(there.starts(with: copied) && copied.count > there.count * 97 / 100)
    try stage.write("same.yaml", "clip: s.m4a\noutput: { file: same.m4a, codec: same }\n")
    #expect(try !stage.make("avjob run same.yaml").errors.contains("note"))
    #expect(try packets("same.m4a") == copied)
  }

  @Test("'codec: same' has a note where it encodes a sound whose container lets nothing be copied")
  func otherContainer() throws {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 3 -c:a aac -b:a 128k a.flv
      printf 'clip: a.flv\noutput: { file: same.m4a, codec: same }\n' > same.yaml
      """)
    let run = try stage.make("avjob run same.yaml")
    #expect(
      run.errors.contains(
        "note: 'same.m4a' keeps its codec, and is encoded anew, which costs quality: its container "
          + "has no exact times of packets"), "\(run.errors)")
  }
}
