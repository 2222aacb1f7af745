import TestSupport
import Testing

/// Movies of 360 degrees and for two eyes, and those of which containers hide the edges.
@Suite("Movies: 360°, 3D, cropping and the shape of pixels")
struct MovieProjectionTests {
  /// Puts boxes into the first track of `plain.mp4`: records of 360° and 3D as MP4 has them (`view.mp4`) and
  /// as Google had them before (`google.mp4`), a clean aperture (`clap.mp4`), and one of all pixels.
  private static let writer = """
    import struct
    def box(name, body): return struct.pack('>I', 8 + len(body)) + name + body
    def put(target, names, extra):
        data = bytearray(open('plain.mp4', 'rb').read())
        def path(names, start, end):
            while start < end:
                size = struct.unpack('>I', data[start:start + 4])[0]
                if data[start + 4:start + 8] == names[0]:
                    inner = start + 16 if names[0] == b'stsd' else start + 8
                    return [start] + (path(names[1:], inner, start + size) if names[1:] else [])
                start += size
            raise KeyError(names)
        boxes = path(names, 0, len(data))
        assert data.find(b'moov') > data.find(b'mdat')
        end = boxes[-1] + struct.unpack('>I', data[boxes[-1]:boxes[-1] + 4])[0]
        data[end:end] = extra
        for start in boxes:
            size = struct.unpack('>I', data[start:start + 4])[0]
            data[start:start + 4] = struct.pack('>I', size + len(extra))
        open(target, 'wb').write(data)
    entry = [b'moov', b'trak', b'mdia', b'minf', b'stbl', b'stsd', b'avc1']
    head = struct.pack('>iii', 10 << 16, 0, 0)
    put('view.mp4', entry, box(b'st3d', bytes([0, 0, 0, 0, 1])) + box(
        b'sv3d', box(b'svhd', bytes(4) + b'x\\0') + box(
            b'proj', box(b'prhd', bytes(4) + head) + box(b'equi', bytes(20)))))
    tags = dict(Spherical='true', Stitched='true', StitchingSoftware='x',
                ProjectionType='equirectangular')
    xml = ''.join(f'<GSpherical:{name}>{text}</GSpherical:{name}>' for name, text in tags.items())
    put('google.mp4', [b'moov', b'trak'], box(
        b'uuid', bytes.fromhex('ffcc8263f8554a938814587a02521fdd')
        + f'<rdf:SphericalVideo>{xml}</rdf:SphericalVideo>'.encode()))
    for name, width in ('clap.mp4', 60), ('full.mp4', 64):
        put(name, entry, box(b'clap', struct.pack('>8I', width, 1, 48, 1, 0, 1, 0, 1)))
    """

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      cat > make.py <<'END'
      \(Self.writer)
      END
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:d=2:r=25 -f lavfi -i anoisesrc=d=2:a=0.3:r=48000 \\
        -c:v libx264 -g 25 -bf 2 -pix_fmt yuv420p -c:a aac plain.mp4
      python3 make.py
      """)
    return stage
  }

  private func projection(of name: String, in stage: Stage) throws -> String {
    try stage.make(
      "ffprobe -v error -select_streams v -show_entries stream_side_data -of csv=p=0 \(name)"
    ).text
  }

  private static let outputs = [
    "a.mp4", "a.mkv", "{ file: b.mp4, video: { h264: crf 30 } }",
    "{ file: b.mkv, video: { h264: crf 30 } }",
  ]

  @Test(
    "360° and 3D reach MP4 and Matroska, whole, cut and encoded",
    arguments: ["view.mp4", "view.mp4 0.3s..1.2s", "google.mp4 0.3s..1.2s"])
  func projected(clip: String) throws {
    let stage = try stage()
    let result = try stage.job("clip: \(clip)\noutput: [\(Self.outputs.joined(separator: ", "))]\n")
    #expect(result.status == 0 && !result.errors.contains("360°"), "\(result.errors)")
    for name in ["a.mp4", "a.mkv", "b.mp4", "b.mkv"] {
      let found = try projection(of: name, in: stage)
      #expect(found.contains("Spherical Mapping") && found.contains("equirectangular"), "\(found)")
      guard clip.hasPrefix("view") else { continue }
      #expect(found.contains("top and bottom"), "\(name): \(found)")
      #expect(found.contains("equirectangular,10,"), "\(name): \(found)")
    }
    let again = try stage.job("clip: a.mkv\noutput: c.mp4\n")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try projection(of: "c.mp4", in: stage).contains("Spherical Mapping"))
  }

  @Test("where a container or a join has no place for them, a note names them")
  func flat() throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: view.mp4 0.3s..1.2s\noutput: a.mov\n")
    for command in ["check", "plan", "run"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.errors.contains(
          "note: 'a.mov': 360° and 3D of the picture of 'view.mp4' left out: "),
        "\(result.errors)")
    }
    let copied = try stage.job("concat: [view.mp4, plain.mp4]\noutput: b.mp4\n")
    #expect(copied.status == 1 && copied.errors.contains("its projection"), "\(copied.errors)")
    let encoded = try stage.run(
      """
      printf 'concat: [view.mp4, plain.mp4, google.mp4]\\noutput: { file: c.mp4, video: { h264: crf 30 } }\\n' > c.yaml
      avjob run c.yaml
      """)
    #expect(encoded.status == 0, "\(encoded.errors)")
    for (name, kind) in [("view.mp4", "360° and 3D"), ("google.mp4", "360°")] {
      let note = "\(kind) of the picture of '\(name)' left out: not all sources have it"
      #expect(encoded.errors.contains(note), "\(encoded.errors)")
    }
    #expect(try !projection(of: "c.mp4", in: stage).contains("Spherical"))
    // Both are of 360 degrees, and seen from other places.
    let turned = try stage.run(
      """
      printf 'concat: [view.mp4, google.mp4]\\noutput: { file: d.mp4, video: { h264: crf 30 } }\\n' > d.yaml
      avjob run d.yaml
      """)
    #expect(turned.errors.contains("left out: its sources differ in it"), "\(turned.errors)")
  }

  @Test("edges that a container hides are named where they are shown")
  func cropped() throws {
    let stage = try stage()
    try stage.make("mkvmerge -q -o crop.mkv --cropping 0:10,4,10,4 plain.mp4")
    for (clip, part) in [
      ("clap.mp4 0.3s..1.2s", "the clean aperture (clap) of 'clap.mp4'"),
      ("crop.mkv", "the cropping (PixelCrop) of 'crop.mkv'"), ("full.mp4", nil), ("plain.mp4", nil),
    ] {
      // FFmpeg writes it since 7.1, where pictures are copied.
      try stage.write(
        "job.yaml", "clip: \(clip)\noutput: { file: out.mp4, video: { h264: crf 30 } }\n")
      for command in ["check", "run"] {
        let result = try stage.run("avjob \(command) job.yaml")
        #expect(result.status == 0, "\(result.errors)")
        let note = part.map { "note: 'out.mp4': \($0) left out" }
        #expect(result.errors.contains(note ?? "edges") == (note != nil), "\(result.errors)")
      }
    }
  }

  @Test("the shape of pixels that the container has stays in it, whole and cut")
  func pixels() throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -i plain.mp4 -c copy -aspect 13:9 wide.mp4")
    for clip in ["wide.mp4", "wide.mp4 0.3s..1.2s"] {
      let result = try stage.job("clip: \(clip)\ngain: -3 dB\noutput: [a.mp4, a.mov, a.mkv]\n")
      #expect(result.status == 0, "\(result.errors)")
      for name in ["a.mp4", "a.mov", "a.mkv"] {
        let shape = try stage.make(
          "ffprobe -v error -select_streams v -show_entries stream=sample_aspect_ratio -of csv=p=0 \(name)"
        )
        #expect(shape.text == "13:12\n", "\(clip), \(name): \(shape.text)")
      }
      try stage.make("grep -q pasp a.mp4 && grep -q pasp a.mov")
    }
  }
}
