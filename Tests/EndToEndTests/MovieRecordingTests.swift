import TestSupport
import Testing

/// When, where and with what a camera or a phone recorded.
@Suite("Movies: tags of a recording") struct MovieRecordingTests {
  /// Three seconds with the same facts: as FFmpeg has them in MP4 (among them the place twice), as
  /// QuickTime's texts, by Apple's and by Android's names, and in Matroska.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      make() {
        ffmpeg -v error -f lavfi -i testsrc=s=96x64:r=25:d=3 -f lavfi -i sine=d=3 -map 0 -map 1 \\
          -c:v libx264 -g 25 -pix_fmt yuv420p -c:a $1 -metadata title=Tower \\
          -metadata creation_time=2024-05-06T09:08:09+02:00 "${@:2}"
      }
      place=+48.8577+002.2950 a=com.apple.quicktime.
      named="-movflags use_metadata_tags"
      facts="-metadata location=$place/ -metadata make=Canon -metadata model=EOS"
      make aac $facts $named -metadata com.android.version=14 android.mp4
      make aac $facts camera.mov
      make aac $named -metadata ${a}location.ISO6709=$place+035.000/ -metadata ${a}make=Canon \\
        -metadata ${a}model=EOS -metadata ${a}software=17.4 \\
        -metadata ${a}location.accuracy.horizontal=4.7 \\
        -metadata ${a}creationdate=2024-05-06T09:08:09+0200 iphone.mov
      make libopus $facts camera.mkv
      """)
    return stage
  }

  private static let names = ["android.mp4", "camera.mov", "iphone.mov", "camera.mkv"]
  private static let date = "creation_time=2024-05-06T07:08:09.000000Z"

  /// What ffprobe finds, with names in small letters.
  private func tags(of name: String, in stage: Stage) throws -> [String] {
    let text = try stage.make(
      "ffprobe -v error -show_entries format_tags:stream_tags=creation_time -of default=nw=1 \(name)"
    ).text
    return text.split(separator: "\n").map { line -> String in
      let parts = line.dropFirst(4).split(separator: "=", maxSplits: 1)
      return parts[0].lowercased() + "=" + String(parts.dropFirst().first ?? "")
    }
  }

  private func requireFacts(_ name: String, in stage: Stage) throws {
    let found = try tags(of: name, in: stage)
    let isMatroska = name.hasSuffix(".mkv")
    #expect(found.count { $0 == Self.date } == (isMatroska ? 1 : 3), "\(name): \(found)")
    for line in ["title=Tower", "make=Canon", "model=EOS"] {
      #expect(found.contains(line), "\(name): \(found)")
    }
    let places = found.filter { $0.hasPrefix("location") }
    #expect(places.count == 1, "\(name): \(found)")
    #expect(places.first?.hasPrefix("location=+48.8577+002.2950") == true, "\(name): \(found)")
    guard name.hasSuffix(".mov") else { return }
    let apple = "com.apple.quicktime."
    #expect(found.contains(apple + "make=Canon") && found.contains(apple + "model=EOS"))
    #expect(found.contains { $0.hasPrefix(apple + "location.iso6709=+48.8577+002.2950") })
  }

  @Test("reach outputs whose sound is replaced, that are cut or copied", arguments: Self.names)
  func edited(name: String) throws {
    let stage = try stage()
    let kind = name.suffix(3)
    let result = try stage.job(
      """
      jobs:
        replaced: { clip: \(name), gain: -6 dB, output: replaced.\(kind) }
        cut: { clip: \(name) 0.5s..2.2s, output: cut.\(kind) }
        same: { clip: \(name), output: { file: same.\(kind), codec: same } }
      """)
    #expect(result.status == 0 && result.errors == "")
    for job in ["replaced", "cut", "same"] { try requireFacts("\(job).\(kind)", in: stage) }
  }

  @Test("reach outputs of other kinds, and these of others again", arguments: Self.names)
  func kinds(name: String) throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        a: { clip: \(name), output: a.mp4 }
        b: { clip: \(name), output: a.mov }
        c: { clip: \(name), output: a.mkv }
      """)
    #expect(result.status == 0 && result.errors == "")
    for kind in ["mp4", "mov", "mkv"] {
      try requireFacts("a.\(kind)", in: stage)
      let again = try stage.job("clip: a.\(kind)\noutput: again-\(kind).mov\n")
      #expect(again.status == 0 && again.errors == "")
      try requireFacts("again-\(kind).mov", in: stage)
      let found = try tags(of: "again-\(kind).mov", in: stage)
      for line in Self.own[name] ?? [] { #expect(found.contains(line), "\(kind): \(found)") }
    }
  }

  /// What some have besides.
  private static let own = [
    "android.mp4": ["com.android.version=14"],
    "iphone.mov": [
      "com.apple.quicktime.software=17.4", "com.apple.quicktime.location.accuracy.horizontal=4.7",
      "com.apple.quicktime.creationdate=2024-05-06T09:08:09+0200",
    ],
  ]

  @Test("are emptied by every name, and no byte of them is left", arguments: Self.names)
  func emptied(name: String) throws {
    let stage = try stage()
    let place = name == "iphone.mov" ? "com.apple.quicktime.location.ISO6709" : "location"
    let result = try stage.job(
      """
      clip: \(name)
      metadata: { \(place): "", creation_time: "", make: "", date: "" }
      output: [a.mp4, a.mov, a.mkv]
      """)
    #expect(result.status == 0 && result.errors == "")
    for kind in ["mp4", "mov", "mkv"] {
      let found = try tags(of: "a.\(kind)", in: stage)
      #expect(found.contains("model=EOS") && found.contains("title=Tower"), "\(kind): \(found)")
      for text in ["creation", "location", "date=", "make"] {
        #expect(!found.contains { $0.contains(text) }, "\(kind): \(found)")
      }
      let bytes = try readFile(stage.path("a.\(kind)"))
      for text in ["48.8577", "Canon", "loci", "2024-05", "accuracy"] {
        #expect(bytes.firstRange(of: Array(text.utf8)) == nil, "\(kind): \(text)")
      }
    }
  }

  @Test("are the job's own where it has some, and the same bytes in every zone of time")
  func own() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      clip: android.mp4
      metadata: { creation_time: "2025-01-02T03:04:05", location: "+01.0000+002.0000/" }
      output: [a.mp4, a.mkv]
      """)
    var files: [[UInt8]] = []
    for zone in ["UTC", "America/New_York", "Asia/Tokyo"] {
      let result = try stage.run("avjob run --quiet --force job.yaml", environment: ["TZ": zone])
      #expect(result.status == 0 && result.errors == "")
      for kind in ["mp4", "mkv"] { files.append(try readFile(stage.path("a.\(kind)"))) }
    }
    #expect(files[0] == files[2] && files[0] == files[4])
    #expect(files[1] == files[3] && files[1] == files[5])
    for kind in ["mp4", "mkv"] {
      let found = try tags(of: "a.\(kind)", in: stage)
      #expect(found.contains("creation_time=2025-01-02T03:04:05.000000Z"), "\(found)")
      #expect(found.filter { $0.contains("location") } == ["location=+01.0000+002.0000/"])
    }
  }

  @Test("come with one source of several only where the job says so")
  func several() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        none: { concat: [android.mp4, camera.mov], output: none.mp4 }
        first:
          concat: [camera.mov, iphone.mov]
          metadata: { from: camera.mov }
          output: first.mov
      """)
    #expect(result.status == 0)
    let none = try tags(of: "none.mp4", in: stage)
    for text in ["creation", "location", "make", "android"] {
      #expect(!none.contains { $0.contains(text) }, "\(none)")
    }
    try requireFacts("first.mov", in: stage)
  }

  @Test("of a movie's sound alone are in M4A, and else the date goes by name, also in a plan")
  func soundAlone() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      jobs:
        a: { clip: android.mp4, output: a.mp4 }
        b: { clip: a.mp4, output: [b.m4a, b.mp3, b.flac] }
      """)
    let note = "creation_time of the source left out, since it is the date of a movie's header"
    for command in ["plan", "run"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0)
      let notes = Set(result.errors.split(separator: "\n").filter { $0.contains(note) })
      #expect(notes.count == 2, "\(command): \(result.errors)")
      #expect(notes.contains { $0.contains("b.mp3'") } && notes.contains { $0.contains("b.flac'") })
    }
    let found = try tags(of: "b.m4a", in: stage)
    for line in [Self.date, "location=+48.8577+002.2950/", "make=Canon", "com.android.version=14"] {
      #expect(found.contains(line), "\(found)")
    }
    for name in ["b.mp3", "b.flac"] {
      let found = try tags(of: name, in: stage)
      #expect(found.contains("location=+48.8577+002.2950/") && found.contains("make=Canon"))
      #expect(!found.contains { $0.contains("2024") }, "\(found)")
    }
    // The date of a file of sound is that of its encoding.
    let again = try stage.run("avjob compress b.m4a -o c.m4a")
    #expect(again.status == 0 && !again.errors.contains("creation_time"))
    #expect(try !tags(of: "c.m4a", in: stage).contains { $0.hasPrefix("creation_time") })
  }

  @Test("a language of Matroska with a region is that of ISO 639, and the region is named")
  func regions() throws {
    let stage = try stage()
    try stage.make("mkvmerge -q -o region.mkv --language 0:en --language 1:pt-BR camera.mkv")
    try stage.write("job.yaml", "clip: region.mkv\noutput: out.mkv\n")
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0)
    let note = "not read, and in no output: 'pt-BR' as the language of stream 1"
    #expect(result.errors.contains(note), "\(result.errors)")
    let found = try stage.make("ffprobe -v error -show_entries stream_tags=language out.mkv").text
    #expect(found.contains("TAG:language=por"), "\(found)")
    // Cantonese is Chinese to ISO 639-2.
    try stage.make("mkvmerge -q -o own.mkv --language 0:de --language 1:yue camera.mkv")
    let own = try stage.run("avjob clip own.mkv -o own-out.mkv").errors
    #expect(own.contains("'yue' as the language of stream 1") && !own.contains("'de'"), "\(own)")
  }

  @Test("a language of an MP4 with a region is named, where its track's code does not say it")
  func extendedLanguages() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i camera.mkv -map 0:v -map 0:a -map 0:a -c copy -metadata:s:v language=und \
        -metadata:s:a:0 language=por -metadata:s:a:1 language=eng plain.mp4
      python3 - <<'E'
      data = bytearray(open('plain.mp4', 'rb').read())
      moov, trak = data.index(b'moov'), 0
      for language in b'und', b'pt-BR', b'en':
          trak = data.index(b'trak', max(trak, moov) + 4)
          mdia = data.index(b'mdia', trak)
          end = mdia - 4 + int.from_bytes(data[mdia - 4:mdia], 'big')
          body = b'elng' + bytes(4) + language + bytes(1)
          data[end:end] = (len(body) + 4).to_bytes(4, 'big') + body
          for at in moov, trak, mdia:
              size = int.from_bytes(data[at - 4:at], 'big') + len(body) + 4
              data[at - 4:at] = size.to_bytes(4, 'big')
      open('region.mp4', 'wb').write(data)
      E
      """)
    for output in ["out.mp4", "out.mkv"] {
      let result = try stage.run("avjob clip region.mp4 -o \(output)")
      #expect(result.status == 0)
      #expect(result.errors.contains("'pt-BR' as the language of stream 1"), "\(result.errors)")
      for other in ["'en'", "'und'"] { #expect(!result.errors.contains(other)) }
    }
  }

  @Test("are listed once by probe, and with them the names of an MP4's tracks")
  func probed() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i android.mp4 -map 0:v -map 0:a -map 0:a -c copy \\
        -metadata:s:0 title=Camera -metadata:s:2 title=Mic named.mp4
      """)
    let result = try stage.run("avjob probe android.mp4 named.mp4")
    #expect(result.status == 0 && result.errors == "")
    let lines = result.text.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(lines.filter { $0.hasPrefix("location") }.count == 2, "\(result.text)")
    // ffmpeg does not copy the date.
    #expect(lines.count { $0 == "creation_time 2024-05-06T07:08:09Z" } == 1, "\(result.text)")
    #expect(lines.contains { $0.hasPrefix("picture") && $0.hasSuffix("'Camera'") })
    #expect(lines.contains { $0.hasPrefix("beside stream 2") && $0.contains("'Mic'") })
  }
}
