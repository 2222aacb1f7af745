import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// What sources have beside their sound, and outputs do not get.
@Suite struct NotKeptTests {
  /// `a.wav` has tags and a chapter, `b.wav` a chapter, `host.wav` what a recorder writes.
  private static func bench() -> Bench {
    var bench = Bench()
    for (name, tags, titles) in [
      ("a.wav", ["title": "A"], ["One"]), ("b.wav", [:], ["Two"]),
      ("host.wav", ["date": "2026-11-29", "encoder": "Recorder"], []),
    ] as [(String, [String: String], [String])] {
      var asset = Asset.fake(name, seconds: 60)
      for (key, value) in tags { asset.metadata[key] = value }
      asset.chapters = titles.map { Chapter(start: .zero, title: $0) }
      bench.assets[name] = asset
    }
    return bench
  }

  private func said(_ yaml: String) -> String { Self.bench().exportScreen(yaml) }

  @Test("tags and chapters of the sources of a sequence that no output gets are a note")
  func sequence() {
    expect(
      said("concat: [a.wav ..5s, b.wav, a.wav]\noutput: x.mp3"),
      """
      job.yaml:1:1: note: tags and chapters of 'a.wav', 'b.wav' left out
          1 | concat: [a.wav ..5s, b.wav, a.wav]
            | ^~~~~~
        help: keep them by 'metadata: { from: "a.wav" }' and 'chapters: keep'
      """)
    expect(
      said("tracks: { one: b.wav, two: media/host.wav }\noutput: x.mp3"),
      """
      job.yaml:1:1: note: chapters of 'b.wav' left out
          1 | tracks: { one: b.wav, two: media/host.wav }
            | ^~~~~~
        help: keep them by 'chapters: keep'
      """)
  }

  @Test("of many tags about the sound the first are named, and the others counted")
  func manyTags() {
    for (count, more) in [
      (20, "MP3GAIN_19 and MP3GAIN_20 of"), (21, "MP3GAIN_20 and 1 more tag of"),
      (23, "MP3GAIN_20 and 3 more tags of"),
    ] {
      var bench = Self.bench()
      var asset = Asset.fake("host.wav", seconds: 60)
      for number in 1...count { asset.metadata["MP3GAIN_\(number)"] = "1" }
      bench.assets["host.wav"] = asset
      let screen = bench.exportScreen("concat: [media/host.wav, intro.mp3]\noutput: x.mp3")
      #expect(screen.contains("note: MP3GAIN_1, MP3GAIN_2, ") && screen.contains(more), "\(screen)")
    }
  }

  @Test("what the job decides itself, or no format holds, is no note")
  func decided() {
    let tags = "metadata: { from: a.wav }\n"
    for yaml in [
      "clip: a.wav\ncut: [1s..2s]\noutput: x.mp3",
      "concat: [media/host.wav, intro.mp3]\noutput: x.mp3",
      "concat: [a.wav, b.wav]\n\(tags)chapters: keep\noutput: x.mp3",
      "concat: [a.wav, b.wav]\n\(tags)chapters: { 0s: All }\noutput: x.mp3",
      "concat: [{ clip: a.wav, chapter: A }, b.wav]\n\(tags)output: x.mp3",
      "concat: [a.wav, b.wav]\nmetadata: { from: \"\" }\noutput: { file: x.mp3, chapters: [] }",
      "concat: [a.wav, b.wav]\nmetadata: { title: T }\nchapters: files\noutput: x.mp3",
      "concat: [a.wav, b.wav]\noutput: x.aac",
    ] {
      #expect(said(yaml) == "", "\(yaml)")
    }
  }

  @Test("a clip that is to keep chapters and has none is a note, as the one before goes on")
  func withoutChapters() {
    let tags = "metadata: { from: a.wav }\noutput: x.mp3"
    expect(
      said(
        "concat: [{ clip: a.wav, chapter: Jingle }, { clip: intro.mp3, chapters: keep }]\n\(tags)"),
      """
      job.yaml:1:52: note: 'intro.mp3' has no chapters to keep
          1 | concat: [{ clip: a.wav, chapter: Jingle }, { clip: intro.mp3, chapters: keep }]
            |                                                    ^~~~~~~~~
        help: give it one, as 'chapter: TITLE': else the chapter before goes on
      """)
    expect(
      said("concat: [a.wav, intro.mp3, b.wav, episode.flac]\nchapters: keep\n\(tags)"),
      """
      job.yaml:1:17: note: 'intro.mp3', 'episode.flac' have no chapters to keep
          1 | concat: [a.wav, intro.mp3, b.wav, episode.flac]
            |                 ^~~~~~~~~
        help: give each one, as 'chapter: TITLE': else the chapter before goes on
      """)
    expect(
      said("clip: intro.mp3\nchapters: keep\noutput: x.mp3"),
      """
      job.yaml:1:7: note: 'intro.mp3' has no chapters to keep
          1 | clip: intro.mp3
            |       ^~~~~~~~~
        help: give it one, as 'chapter: TITLE'
      """)
    // It has a chapter of its own, or lies under what has some.
    for yaml in [
      "clip: intro.mp3\noutput: x.mp3",
      "concat: [a.wav, { clip: intro.mp3, chapter: I, chapters: keep }]\n\(tags)",
      "tracks: { talk: a.wav, bed: intro.mp3 }\nchapters: keep\n\(tags)",
    ] {
      #expect(said(yaml) == "", "\(yaml)")
    }
    #expect(said("concat: [a.wav, b.wav]\nchapters: keep\n\(tags)") == "")
  }
}
