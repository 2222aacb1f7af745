import TestSupport
import Testing

/// MP4s whose edit list plays several parts of the picture.
@Suite("Movies: pictures of several edits") struct MovieEditListTests {
  /// `edits.mp4` plays the first second of its media and the fourth, `plain.mp4` all of it, and `empty.mp4`
  /// nothing before all of it.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=5:r=25 -f lavfi -i anoisesrc=d=5:a=0.3:r=48000 \\
        -c:v libx264 -bf 0 -g 25 -pix_fmt yuv420p -c:a aac plain.mp4
      cat > edit.py << 'END'
      import struct
      data = open('plain.mp4', 'rb').read()
      def boxes(data):
        at = 0
        while at < len(data):
          size = struct.unpack('>I', data[at:at + 4])[0]
          yield data[at + 4:at + 8], data[at:at + size]
          at += size
      def box(name, body): return struct.pack('>I', 8 + len(body)) + name + body
      def track(body, edits):
        at = body.index(b'mdhd') + 16
        scale = struct.unpack('>I', body[at:at + 4])[0]
        # Durations are milliseconds of the movie.
        entries = b''.join(
          struct.pack('>Iii', length, -1 if place < 0 else place * scale, 1 << 16)
          for length, place in edits)
        parts = [whole for name, whole in boxes(body) if name != b'edts']
        list = box(b'edts', box(b'elst', struct.pack('>II', 0, len(edits)) + entries))
        return box(b'trak', parts[0] + list + b''.join(parts[1:]))
      def write(name, edits):
        with open(name, 'wb') as out:
          for kind, whole in boxes(data):
            if kind == b'moov':
              parts = [
                track(part[8:], edits) if name == b'trak' else part for name, part in boxes(whole[8:])]
              whole = box(b'moov', b''.join(parts))
            out.write(whole)
      write('edits.mp4', [(1000, 0), (1000, 3)])
      write('empty.mp4', [(500, -1), (5000, 0)])
      END
      python3 edit.py
      """)
    return stage
  }

  @Test(
    "such a picture is refused, whether it is copied whole, cut or encoded, and no output is left",
    arguments: [
      "clip: edits.mp4\ngain: -6 dB\noutput: out.mp4\n",
      "clip: edits.mp4 200ms..1.5s\noutput: out.mp4\n",
      "clip: edits.mp4\noutput: out.mkv\n",
      "clip: edits.mp4\noutput: { file: out.mp4, video: { h264: crf 30 } }\n",
    ])
  func refused(job: String) throws {
    let stage = try stage()
    let result = try stage.job(job)
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "'edits.mp4': has a picture of several edits (elst), which is not built yet; encode it again, "
          + "as with 'ffmpeg -i IN OUT.mp4'"), "\(result.errors)")
    #expect(try stage.run("ls out.* 2> /dev/null").text == "")
  }

  @Test("its sound alone is written, and so is a picture that begins behind an empty edit")
  func taken() throws {
    let stage = try stage()
    let sound = try stage.job("clip: edits.mp4\noutput: { file: sound.mp4, video: none }\n")
    #expect(sound.status == 0, "\(sound.errors)")
    for job in ["clip: empty.mp4\ngain: -6 dB\n", "clip: empty.mp4 1s..3s\n"] {
      let result = try stage.job(job + "output: out.mp4\n")
      #expect(result.status == 0, "\(result.errors)")
      try stage.make("ffmpeg -v error -xerror -i out.mp4 -f null - && rm out.mp4")
    }
  }
}
