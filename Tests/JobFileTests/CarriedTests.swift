import MediaComposition
import MediaTime
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// What of tags, covers and chapters travels from sources to outputs, and what stops it. Every file
/// lasts a minute.
@Suite struct CarriedTests {
  private func seconds(_ value: Int64) -> Time { Time(value: value, timescale: 1) }

  /// `a.wav` has tags, a cover and three chapters, `b.wav` a few others.
  private var bench: Bench {
    var bench = Bench()
    for (name, tags) in [
      ("a.wav", ["title": "A", "artist": "Ann", "genre": "Talk"]),
      ("b.wav", ["title": "B", "album": "Bees"]),
    ] {
      var asset = Asset.fake(name, seconds: 60)
      for (key, value) in tags.sorted(by: { $0.key < $1.key }) { asset.metadata[key] = value }
      asset.metadata.cover = cover(of: name)
      let stem = tags["title"] ?? ""
      asset.chapters = [0, 20, 40].map {
        Chapter(start: seconds($0), title: "\(stem)\($0)", isInherited: true)
      }
      bench.assets[name] = asset
    }
    return bench
  }

  private func cover(of name: String) -> Artwork {
    .embedded(
      EmbeddedArtwork(
        media: .file(FilePath(name)), place: .stream(1), format: .jpeg, byteCount: 100,
        identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 0)))
  }

  /// What an output is tagged with, as a graph merges it.
  private func tags(_ export: Export, _ index: Int = 0) -> Metadata {
    export.metadata.overridden(by: export.outputs[index].metadata)
  }

  private func text(_ metadata: Metadata) -> String {
    let tags = metadata.items.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
    return tags + (metadata.cover.map { " cover=\($0.location)" } ?? "")
  }

  private func only(_ yaml: String) throws -> Export {
    try #require(try bench.exports(yaml).first)
  }

  private func chapters(_ yaml: String) throws -> String {
    let export = try only(yaml + "\noutput: x.mp3")
    let all = (export.chapters + export.composition.chapters).sortedByStart
    return all.map { "\($0.title)@\($0.start)" }.joined(separator: " ")
  }

  @Test(
    "Tags and cover are those of the only clip, or of what 'from' names, under the job's own",
    arguments: [
      ("clip: a.wav", "artist=Ann genre=Talk title=A cover=a.wav"),
      ("clip: a.wav\nspeed: 2\ncut: [1s..2s]", "artist=Ann genre=Talk title=A cover=a.wav"),
      ("concat: [a.wav, b.wav]", ""),
      (
        "clip: a.wav\nmetadata: { title: New, cover: media/cover.jpg }",
        "artist=Ann genre=Talk title=New cover=media/cover.jpg"
      ),
      ("clip: a.wav\nmetadata: { genre: \"\", cover: \"\" }", "artist=Ann title=A"),
      ("clip: a.wav\nmetadata: { from: \"\", title: Mine }", "title=Mine"),
      ("clip: a.wav\nmetadata: { from: b.wav }", "album=Bees title=B cover=b.wav"),
      (
        "concat: [a.wav, b.wav]\nmetadata: { from: b.wav, title: Both }",
        "album=Bees title=Both cover=b.wav"
      ),
      (
        "sources: { bee: { file: b.wav, gain: -3 dB } }\nclip: a.wav\nmetadata: { from: bee }",
        "album=Bees title=B cover=b.wav"
      ),
      ("silence: 1s\nmetadata: { from: b.wav, cover: \"\" }", "album=Bees title=B"),
    ])
  func base(yaml: String, expected: String) throws {
    #expect(text(tags(try only(yaml + "\noutput: x.mp3"))) == expected)
  }

  @Test("An output's own 'from' is under the job's tags, and under its own")
  func outputBase() throws {
    let export = try only(
      """
      clip: a.wav
      metadata: { title: Job, genre: News }
      output:
        - x.mp3
        - { file: y.mp3, mp3: V2, metadata: { from: b.wav, album: Mine } }
        - { file: z.mp3, mp3: V2, metadata: { from: "", genre: "" } }
        - { file: w.mp3, mp3: V2, metadata: { cover: "", artist: "" } }
      """)
    #expect(text(tags(export, 0)) == "artist=Ann genre=News title=Job cover=a.wav")
    #expect(text(tags(export, 1)) == "album=Mine genre=News title=Job cover=b.wav")
    #expect(text(tags(export, 2)) == "title=Job")
    #expect(text(tags(export, 3)) == "genre=News title=Job")
  }

  @Test("Sources of tags alone are probed, and are no sound")
  func silentSource() throws {
    var bench = bench
    var loud = Asset.fake("b.wav", seconds: 1, rate: 96_000, bitDepth: 24)
    loud.metadata["title"] = "B"
    bench.assets["b.wav"] = loud
    let yaml = "clip: a.wav\nmetadata: { from: b.wav }\noutput: x.wav"
    let job = try #require(try bench.load(yaml).jobs.first)
    #expect(job.media.map(\.location.file) == ["a.wav", "b.wav"])
    let export = try #require(try bench.exports(yaml).first)
    #expect(export.outputs[0].format == .wav(.int16))
    #expect(export.composition.assets.map(\.location.file) == ["a.wav"])
  }

  @Test("Parts keep tags and cover, of the clip or of 'from'")
  func parts() throws {
    let yaml = """
      clip: a.wav
      split: { every: 30s }
      metadata: { album: "Part ${part.n}" }
      output:
        - "${part.n}.mp3"
        - { file: "${part.n}.flac", metadata: { from: b.wav, genre: "", comment: "no ${part.n}" } }
      """
    let exports = try bench.exports(yaml)
    #expect(
      exports.map { text(tags($0)) } == [
        "album=Part 1 artist=Ann genre=Talk title=A track=1/2 cover=a.wav",
        "album=Part 2 artist=Ann genre=Talk title=A track=2/2 cover=a.wav",
      ])
    #expect(
      exports.map { text(tags($0, 1)) } == [
        "album=Part 1 comment=no 1 title=B track=1/2 cover=b.wav",
        "album=Part 2 comment=no 2 title=B track=2/2 cover=b.wav",
      ])
  }

  @Test(
    "Chapters of files come along where there is one clip, or where it is said",
    arguments: [
      ("clip: a.wav", "A0@0s A20@20s A40@40s"),
      ("concat: [a.wav, b.wav]", ""),
      ("concat: [a.wav, { clip: b.wav, chapters: keep }]", "B0@1:00 B20@1:20 B40@1:40"),
      (
        "concat: [a.wav 30s.., b.wav ..30s]\nchapters: keep", "A20@0s A40@10s B0@30s B20@50s"
      ),
      (
        "concat: [a.wav ..50s, b.wav ..30s]\ncrossfade: 5s\nchapters: keep",
        "A0@0s A20@20s A40@40s B0@45s B20@1:05"
      ),
      (
        "concat: [{ clip: a.wav, chapter: Mine }, { concat: [b.wav], speed: 2 }]\nchapters: keep",
        "Mine@0s B0@1:00 B20@1:10 B40@1:20"
      ),
      (
        "concat: [{ clip: a.wav ..25s, chapter: Mine, chapters: keep }, { chapters: { 1s: X }, "
          + "concat: [b.wav] }]\nchapters: keep",
        "Mine@0s A0@0s A20@20s X@26s"
      ),
      (
        "sources: { a: { file: a.wav, chapters: keep } }\nconcat: [a ..25s, { clip: a, chapters: { "
          + "5s: Y } }]", "A0@0s A20@20s Y@30s"
      ),
      (
        "clip: a.wav\ninsert: [{ clip: b.wav ..10s, at: 30s }]", "A0@0s A20@20s A40@50s"
      ),
      (
        "clip: a.wav\ninsert: [{ clip: b.wav ..10s, at: 30s, chapters: keep }]",
        "A0@0s A20@20s B0@30s A20@40s A40@50s"
      ),
    ])
  func kept(yaml: String, expected: String) throws {
    #expect(try chapters(yaml) == expected)
  }

  @Test("Of chapters at one time, those of files give way, also where parts are made of them")
  func sameTime() throws {
    let exports = try bench.exports(
      """
      concat: [{ clip: a.wav, chapter: Mine, chapters: keep }]
      split: chapters
      output: "${part.title}.mp3"
      """)
    #expect(exports.map(\.outputs[0].path) == ["Mine.mp3", "A20.mp3", "A40.mp3"])
  }

  @Test("Where chapters go")
  func places() throws {
    let export = try only(
      """
      clip: a.wav
      output:
        - { file: a.mp3, chapters: [id3, podlove, podcasting2] }
        - { file: b.m4a, chapters: file }
        - { file: c.wav, chapters: podcasting2 }
        - { file: d.aiff, chapters: id3 }
        - { file: e.flac, chapters: [] }
      """)
    #expect(
      export.outputs.map(\.chapters) == [
        ChapterPlaces(sidecars: [.podlove, .podcasting2]), .standard,
        ChapterPlaces(inFile: false, sidecars: [.podcasting2]), .standard,
        ChapterPlaces(inFile: false),
      ])
    #expect(export.outputs[0].paths == ["a.mp3", "a.psc", "a.chapters.json"])
  }
}

/// What is said about them.
@Suite struct CarriedScreens {
  @Test("A source of tags that is not there")
  func unknownBase() {
    expect(
      Bench().screen(
        #"""
        sources: { theme: media/theme.ogg }
        clip: a.wav
        metadata: { from: thme }
        output: { file: x.mp3, mp3: V2, metadata: { from: media/hst.wav, cover: none } }
        """#),
      #"""
      job.yaml:3:19: error: there is no file 'thme'
          3 | metadata: { from: thme }
            |                   ^~~~
        help: did you mean the source 'theme'?
      job.yaml:4:51: error: there is no file 'media/hst.wav'
          4 | output: { file: x.mp3, mp3: V2, metadata: { from: media/hst.wav, cover: none } }
            |                                                   ^~~~~~~~~~~~~
        help: did you mean 'media/host.wav'?
      job.yaml:4:73: error: there is no file 'none'
          4 | output: { file: x.mp3, mp3: V2, metadata: { from: media/hst.wav, cover: none } }
            |                                                                         ^~~~
        help: write "" for no cover
      """#)
  }

  @Test("A range of a source of tags")
  func rangeOfBase() {
    expect(
      Bench().screen("clip: a.wav\nmetadata: { from: b.wav 1s..2s }\noutput: x.mp3"),
      #"""
      job.yaml:2:19: error: tags are those of a whole file, not of a range
          2 | metadata: { from: b.wav 1s..2s }
            |                   ^~~~~~~~~~~~
        help: leave the range out
      """#)
  }

  @Test("Chapters without a title")
  func titles() {
    expect(
      Bench().screen(
        #"""
        concat: [{ clip: a.wav, chapter: "" }, { clip: a.wav, chapters: { 1s: { title: "" } } }]
        output: x.m4a
        """#),
      #"""
      job.yaml:1:34: error: a chapter without a title
          1 | concat: [{ clip: a.wav, chapter: "" }, { clip: a.wav, chapters: { 1s: { title: "" } } }]
            |                                  ^~
        help: write one, or leave the chapter out
      job.yaml:1:80: error: a chapter without a title
          1 | concat: [{ clip: a.wav, chapter: "" }, { clip: a.wav, chapters: { 1s: { title: "" } } }]
            |                                                                                ^~
        help: write one, or leave the chapter out
      """#)
  }

  @Test("Links of chapters that are none, with those that would be")
  func links() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        chapters:
          0s: { title: A, url: https://example.org/ü 1 }
          5s: { title: B, url: "" }
          9s: { title: C, url: "https://example.org/%C3%BC?a=1&b#c" }
        output: x.m4a
        """#),
      #"""
      job.yaml:3:24: error: 'https://example.org/ü 1' is no link: links are plain ASCII
          3 |   0s: { title: A, url: https://example.org/ü 1 }
            |                        ^~~~~~~~~~~~~~~~~~~~~~~
        help: write 'https://example.org/%C3%BC%201'
      job.yaml:4:24: error: an empty text is no link
          4 |   5s: { title: B, url: "" }
            |                        ^~
        help: leave it out
      """#)
  }

  @Test("Places for chapters that an output has not")
  func unknownPlaces() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.m4a, chapters: [id3, podlov] }
          - { file: b.wav, chapters: id3 }
          - { folder: out, codec: same, chapters: [id3] }
          - { file: c.mp3, chapters: [podlove, podlove, nowhere, [x]] }
        """#),
      #"""
      job.yaml:3:31: error: M4A has no ID3 tag
          3 |   - { file: a.m4a, chapters: [id3, podlov] }
            |                               ^~~
        help: write 'file' for chapters inside the file, as M4A has them
      job.yaml:3:36: error: 'podlov' is no place for chapters
          3 |   - { file: a.m4a, chapters: [id3, podlov] }
            |                                    ^~~~~~
        help: did you mean 'podlove'?
      job.yaml:4:30: error: WAV has no ID3 tag
          4 |   - { file: b.wav, chapters: id3 }
            |                              ^~~
        help: write 'file' for chapters inside the file, as WAV has them
      job.yaml:5:44: error: 'id3' where the format is the clip's
          5 |   - { folder: out, codec: same, chapters: [id3] }
            |                                            ^~~
        help: write 'file' for chapters inside the file, as its format has them
      job.yaml:6:40: error: 'podlove' twice
          6 |   - { file: c.mp3, chapters: [podlove, podlove, nowhere, [x]] }
            |                                        ^~~~~~~
        help: leave one of them out
      job.yaml:6:49: error: 'nowhere' is no place for chapters
          6 |   - { file: c.mp3, chapters: [podlove, podlove, nowhere, [x]] }
            |                                                 ^~~~~~~
        help: write 'file', 'id3', 'podlove', 'podcasting2', 'labels' or 'cue', or [] for none
      job.yaml:6:58: error: a text belongs here, not a list
          6 |   - { file: c.mp3, chapters: [podlove, podlove, nowhere, [x]] }
            |                                                          ^
        help: write one value, without brackets and dashes
      """#)
  }

  @Test("A file of chapters that is another output, or a source, is refused")
  func conflicts() {
    var bench = Bench()
    bench.media.append("b.psc")
    expect(
      bench.screen(
        #"""
        concat: [a.wav, b.psc]
        output:
          - { file: a.mp3, chapters: podlove }
          - { file: a.flac, chapters: [file, podlove] }
          - { file: b.mp3, chapters: podlove }
        """#),
      #"""
      job.yaml:4:13: error: two outputs at 'a.psc'
          4 |   - { file: a.flac, chapters: [file, podlove] }
            |             ^~~~~~
        help: leave 'podlove' out of the 'chapters' of one of them
      job.yaml:3:13: note: the other one is here
          3 |   - { file: a.mp3, chapters: podlove }
            |             ^~~~~
      job.yaml:5:13: error: output 'b.psc' is a source
          5 |   - { file: b.mp3, chapters: podlove }
            |             ^~~~~
        help: give the output another name, or leave 'podlove' out of its 'chapters'
      job.yaml:1:17: note: it is read here
          1 | concat: [a.wav, b.psc]
            |                 ^~~~~
      """#)
  }

  @Test("A silence that keeps chapters is refused")
  func silence() {
    expect(
      Bench().screen("{ concat: [{ silence: 1s, chapters: keep }, a.wav], output: a.mp3 }"),
      #"""
      job.yaml:1:37: error: a silence has no chapters to keep
          1 | { concat: [{ silence: 1s, chapters: keep }, a.wav], output: a.mp3 }
            |                                     ^~~~
        help: leave it out
      """#)
  }
}
