import TestSupport
import Testing

/// Movies whose pictures have a record of Dolby Vision, as MP4 has it (`dvvC`).
@Suite("Movies: Dolby Vision")
struct MovieDolbyVisionTests {
  /// Three seconds of HEVC with a key picture each second, and a record of profile 8.1.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.write(
      "dv.py",
      """
      import struct
      data = bytearray(open('plain.mp4', 'rb').read())
      def path(names, start, end):
          while start < end:
              size = struct.unpack('>I', data[start:start + 4])[0]
              name = bytes(data[start + 4:start + 8])
              if name == names[0]:
                  inner = start + 16 if name == b'stsd' else start + 8
                  return [start] + (path(names[1:], inner, start + size) if names[1:] else [])
              start += size
          raise KeyError(names)
      atoms = path([b'moov', b'trak', b'mdia', b'minf', b'stbl', b'stsd', b'hvc1'], 0, len(data))
      assert data.find(b'moov') > data.find(b'mdat')
      end = atoms[-1] + struct.unpack('>I', data[atoms[-1]:atoms[-1] + 4])[0]
      record = struct.pack('>I', 32) + b'dvvC' + bytes([1, 0, 8 << 1, 3 << 3 | 5, 1 << 4]) + bytes(19)
      data[end:end] = record
      for start in atoms:
          size = struct.unpack('>I', data[start:start + 4])[0]
          data[start:start + 4] = struct.pack('>I', size + len(record))
      open('dv.mp4', 'wb').write(data)
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x64:d=3:r=25 -f lavfi -i anoisesrc=d=3:a=0.3:r=48000:seed=3 \\
        -c:v libx265 -tag:v hvc1 -x265-params keyint=25:min-keyint=25:open-gop=0:scenecut=0:log-level=none \\
        -pix_fmt yuv420p -c:a aac plain.mp4
      python3 dv.py
      """)
    return stage
  }

  private func hasRecord(_ name: String, in stage: Stage) throws -> Bool {
    try stage.make("ffprobe -v error -show_streams -select_streams v \(name)").text.contains(
      "DOVI configuration record")
  }

  @Test(
    "pictures that are copied keep it, whole and cut at key pictures",
    arguments: [
      ("clip: dv.mp4\ngain: -3 dB", "out.mp4"), ("clip: dv.mp4\ngain: -3 dB", "out.mkv"),
      ("clip: dv.mp4 0.9s..\nsnap: keyframe", "{ file: out.mp4, video: copy strict }"),
      ("clip: dv.mp4 0.9s..\nsnap: keyframe", "{ file: out.mkv, video: copy strict }"),
    ])
  func kept(clip: String, output: String) throws {
    let stage = try stage()
    #expect(try hasRecord("dv.mp4", in: stage))
    let result = try stage.job("\(clip)\noutput: \(output)\n")
    #expect(result.status == 0 && !result.errors.contains("Dolby"), "\(result.errors)")
    #expect(try hasRecord(output.contains("mkv") ? "out.mkv" : "out.mp4", in: stage))
  }

  @Test(
    "where pictures are encoded, or FFmpeg does not write it, it is left out with a note",
    arguments: [
      ("dv.mp4 0.3s..", "out.mp4", "", "pictures around cuts and in fades are encoded without it"),
      ("dv.mp4 0.3s..", "out.mkv", "", "pictures around cuts and in fades are encoded without it"),
      ("dv.mp4", "out.mov", "", "FFmpeg writes it into MP4 and MKV alone"),
      ("dv.mp4", "out.mp4", "{ h264: crf 30 }", "pictures are encoded without it"),
    ])
  func lost(clip: String, name: String, video: String, reason: String) throws {
    let stage = try stage()
    let output = video.isEmpty ? name : "{ file: \(name), video: \(video) }"
    try stage.write("job.yaml", "clip: \(clip)\noutput: \(output)\n")
    let note = "note: '\(name)': Dolby Vision of 'dv.mp4' left out: \(reason)"
    for command in ["check", "plan", "run"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0 && result.errors.contains(note), "\(result.errors)")
    }
    #expect(try !hasRecord(name, in: stage))
  }
}
