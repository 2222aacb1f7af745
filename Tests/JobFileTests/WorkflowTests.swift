import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// The job files of twenty-one workflows, `Jobs/recipes`: each becomes the jobs that its page
/// describes.
@Suite struct WorkflowTests {
  private func recipe(_ name: String) throws -> String {
    String(decoding: try readFile(Fixture.path("../Jobs/recipes/\(name).yaml")), as: UTF8.self)
  }

  private func jobs(_ yaml: String, _ media: [String]) throws -> [Job] {
    var bench = Bench()
    bench.media = media
    return try bench.load(yaml).jobs
  }

  @Test("A podcast of two voices of one loudness, with music under them")
  func podcast() throws {
    var bench = Bench()
    bench.options.variables = [.init("episode", "42"), .init("title", "Ice #1: the core")]
    bench.media = [
      "media/theme.wav", "raw/42/host.wav", "raw/42/guest.wav", "media/cover.jpg", "ads/week.mp3",
    ]
    let yaml = try recipe("podcast")
    bench.texts["raw/42/chapters.txt"] = "0:00 Hello\n20:00 Ice\n30:00 Goodbye\n"
    for (name, seconds) in [("theme", 90), ("host", 2400), ("guest", 2400)] {
      bench.assets["\(name).wav"] = .fake("\(name).wav", seconds: Int64(seconds))
    }
    let export = try #require(try bench.exports(yaml).first)
    #expect(export.loudness?.level == .integrated(-16))
    #expect(export.loudness?.truePeak == -1)
    let mics = "[host.wav 0s..40:00 @ 0s | guest.wav 0s..40:00 @ 0s]"
    #expect(
      export.composition.tracks.map(\.ducking) == [nil, AudioDucking(under: ["talk"], by: 14)])
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "[\(mics) 0s..21:30 @ 0s, ads/week.mp3 0s..1:00 @ 21:30, \(mics) 21:30..40:00 @ 22:30] "
          + "0s..41:00 @ 8s",
        "theme.wav 0s..25s @ 0s, theme.wav 30s..1:10 @ 41:00",
      ])
    #expect(
      Shapes.chapters(export) == [
        "Hello @ 8s", "Ice @ 20:08", "Advertisement @ 21:38", "Ice @ 22:38", "Goodbye @ 31:08",
      ])
  }

  @Test("An episode with its words, which a cut and an advertisement have moved")
  func transcript() throws {
    var bench = Bench()
    bench.media = ["raw/42/talk.wav", "ads/week.mp3"]
    bench.assets["talk.wav"] = .fake("talk.wav", seconds: 1500)
    bench.texts["raw/42/talk.vtt"] = """
      WEBVTT

      00:01.000 --> 00:03.000
      Hello.

      12:10.000 --> 12:20.000
      Not this.

      21:00.000 --> 21:02.000
      Ice.

      """
    let export = try #require(try bench.exports(try recipe("transcript")).first)
    #expect(
      export.outputs[0].paths == ["out/42.mp3", "out/42.vtt", "out/42.transcript.json"])
    let words = export.transcript(in: 0..<10_000_000_000, rate: 48_000)
    #expect(
      words.cues.map { "\($0.text) @ \($0.range.start)" } == ["Hello. @ 1s", "Ice. @ 20:30"])
  }

  @Test("Advertisements put in, at one time or by a table, copied")
  func advertisements() throws {
    var bench = Bench()
    bench.media = ["catalogue/a/1.mp3", "ads/pre.mp3", "ads/mid.mp3", "ads/post.mp3"]
    let loop = try recipe("ads")
    bench.assets["1.mp3"] = .fake("1.mp3", seconds: 1800)
    let export = try #require(try bench.exports(loop).first)
    #expect(export.outputs.map(\.copying) == [Output.Copying()])
    let shape =
      "1.mp3 0s..1:30 @ 0s, ads/pre.mp3 0s..1:00 @ 1:30, 1.mp3 1:30..20:00 @ 2:30, "
      + "ads/mid.mp3 0s..1:00 @ 21:00, 1.mp3 20:00..29:00 @ 22:00, "
      + "ads/post.mp3 0s..1:00 @ 31:00, 1.mp3 29:00..30:00 @ 32:00"
    #expect(export.composition.tracks.map(Shapes.text) == [shape])
    bench.texts["ads.csv"] = "file,at1,at2,at3\na/1.mp3,1:30,20:00,29:00\n"
    let export2 = try #require(try bench.exports(try recipe("ads-table")).first)
    #expect(export2.composition.tracks.map(Shapes.text) == [shape])
    #expect(export2.outputs.map(\.path) == ["with-ads/a/1.mp3"])
  }

  @Test("An audiobook: one job a chapter, tagged and numbered, as ACX has it")
  func audiobook() throws {
    let yaml = try recipe("audiobook")
    let media = ["chapters/ch10.wav", "chapters/ch2.wav", "roomtone.wav", "cover.jpg"]
    let jobs = try jobs(yaml, media)
    #expect(jobs.map(\.name) == ["ch2", "ch10"])
    #expect(jobs.map { $0.outputs[0].path } == ["acx/01 ch2.mp3", "acx/02 ch10.mp3"])
    #expect(jobs[1].metadata["track"] == "2/2")
  }

  @Test("An album, an interview: one file a part, copied or not")
  func split() throws {
    var bench = Bench()
    bench.media = ["live.wav", "interview.mp3"]
    bench.texts["live.cue"] = """
      TITLE "Live"
      FILE "live.wav" WAVE
        TRACK 01 AUDIO
          TITLE "One"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Two"
          INDEX 01 00:20:00
      """
    bench.texts["stamps.txt"] = "0:00 Childhood\n0:14 School: the end\n"
    let album = try recipe("album")
    #expect(
      try bench.exports(album).map { $0.outputs.map(\.path) } == [
        ["mp3/01 One.mp3", "flac/01 One.flac"], ["mp3/02 Two.mp3", "flac/02 Two.flac"],
      ])
    let interview = try bench.exports(try recipe("interview"))
    #expect(
      interview.map { $0.outputs.map(\.path) } == [
        ["parts/01 Childhood.mp3"], ["parts/02 School: the end.mp3"],
      ])
    #expect(
      interview.map { $0.outputs.map(\.copying) } == [
        [.init(isStrict: true)], [.init(isStrict: true)],
      ])
  }

  @Test("Three renditions of each asset")
  func renditions() throws {
    let jobs = try jobs(recipe("renditions"), ["assets/a.wav", "assets/ui/b.wav"])
    let folders = ["dist/high", "dist/mid", "dist/low"]
    #expect(
      jobs.map { $0.outputs.map(\.path.string) } == [
        folders.map { "\($0)/a.mp3" }, folders.map { "\($0)/ui/b.mp3" },
      ])
  }

  @Test("A course: one job a lesson, an item for each of its rows")
  func course() throws {
    var bench = Bench()
    bench.media = ["one", "two", "three"].map { "en/\($0).wav" }
    bench.media += ["eins", "zwei", "drei"].map { "de/\($0).wav" }
    bench.texts["words.csv"] = "lesson,en,de\n1,one,eins\n2,three,drei\n1,two,zwei\n"
    for name in bench.media {
      bench.assets[String(name.dropFirst(3))] = .fake(name, seconds: 2)
    }
    let exports = try bench.exports(try recipe("course"))
    #expect(exports.map(\.name) == ["1", "2"])
    #expect(exports.map { $0.metadata["title"] } == ["Lesson 1", "Lesson 2"])
    #expect(exports.map { $0.outputs[0].path } == ["out/lesson-1.mp3", "out/lesson-2.mp3"])
    func word(_ en: String, _ de: String) -> String {
      "[en/\(en).wav 0s..2s @ 0s, silence 0s..3s @ 2s, de/\(de).wav 0s..2s @ 5s, "
        + "silence 0s..1s @ 7s, de/\(de).wav 0s..2s @ 8s, silence 0s..2s @ 10s] 0s..12s"
    }
    #expect(
      exports.map { $0.composition.tracks.map(Shapes.text) } == [
        ["\(word("one", "eins")) @ 0s, \(word("two", "zwei")) @ 12s"],
        ["\(word("three", "drei")) @ 0s"],
      ])
  }

  @Test("A matrix: all combinations, the first key slowest")
  func matrix() throws {
    var bench = Bench()
    bench.media = ["bed.wav"]
    let (langs, lengths) = (["en", "de", "fr", "es", "it", "no"], ["30s", "60s"])
    for lang in langs { bench.media += lengths.map { "voice/\(lang)-\($0).wav" } }
    let jobs = try bench.load(try recipe("spots")).jobs
    let pairs = langs.flatMap { lang in lengths.map { (lang, $0) } }
    #expect(jobs.map(\.name) == pairs.map { "\($0)-\($1)" })
    #expect(jobs.map { $0.outputs[0].path.string } == pairs.map { "out/\($0)/\($1).mp3" })
    #expect(
      jobs.map { $0.media.map(\.location.description) }
        == pairs.map {
          ["voice/\($0)-\($1).wav", "bed.wav"]
        })
  }

  @Test("A lecture: cut, trimmed, faster and filtered")
  func lecture() throws {
    var bench = Bench()
    bench.media = ["lecture.wav"]
    bench.assets["lecture.wav"] = .fake("lecture.wav", seconds: 4000)
    bench.listen = { search in
      SilenceFindings([TimeRange(start: .zero, duration: Time(value: 23, timescale: 10))])
    }
    let export = try #require(try bench.exports(try recipe("lecture")).first)
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "[lecture.wav 0s..12:00 @ 0s, lecture.wav 13:30..40:05 @ 12:00, "
          + "lecture.wav 41:15..58:00 @ 38:35, lecture.wav 59:20..1:06:40 @ 55:20] 2s..1:02:40 "
          + "@ 0s for 37580/11s (denoise 12 dB, highpass 80 Hz)"
      ])
  }

  @Test("A sound design: backwards, from side to side, over and over")
  func design() throws {
    var bench = Bench()
    bench.media = ["cymbal.wav", "drone.wav"]
    let export = try #require(try bench.exports(try recipe("design")).first)
    let rounds = (0..<4).map { "drone.wav 0s..1:00 @ \(["0s", "1:00", "2:00", "3:00"][$0])" }
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "cymbal.wav 0s..1:00 @ 0s reversed", "[\(rounds.joined(separator: ", "))] 0s..4:00 @ 0s",
      ])
    let mix = try #require(export.composition.tracks.first?.segments.first?.mix)
    #expect(mix.pan.initial == .left && mix.pan.ramps.map(\.end) == [.right])
  }

  @Test("A radio show: a hard out, of the mix")
  func radio() throws {
    var bench = Bench()
    bench.media = (1...4).map { "music/\($0).flac" } + ["jingles/id.wav", "jingles/hour.wav"]
    for number in 1...4 {
      bench.assets["\(number).flac"] = .fake("\(number).flac", seconds: 1800)
    }
    let export = try #require(try bench.exports(try recipe("radio")).first)
    #expect("\(export.composition.duration)" == "1:58:30")
    let segment = try #require(export.composition.tracks.first?.segments.first)
    guard case .composition(let mix) = segment.content else {
      Issue.record("the mix is not nested")
      return
    }
    #expect(mix.tracks.map(\.name) == ["music", "music", "jingles"])
    #expect("\(mix.duration)" == "1:59:48")
    #expect("\(segment.source)" == "0s..1:58:30")
  }

  @Test("Lectures by a table, and a video podcast with its sound alone beside it")
  func movies() throws {
    var bench = Bench()
    bench.media = ["lectures/week-1.mp4", "lectures/week-2.mp4"]
    bench.texts["lectures.csv"] =
      "lecture,from,to,title\nweek-1,0:12.5,48:30,Ice\nweek-2,0:09,51:02.8,Water\n"
    let lectures = try bench.load(recipe("lectures")).jobs
    #expect(lectures.map { $0.outputs[0].path } == ["out/week-1.mp4", "out/week-2.mp4"])
    #expect(lectures.map { $0.metadata["title"] } == ["Ice", "Water"])
    let episode = try #require(
      try jobs(
        recipe("video-podcast"),
        ["media/opening.mp4", "raw/conversation.mp4", "media/credits.mp4", "media/cover.jpg"]
      ).first)
    #expect(episode.outputs.map(\.path) == ["out/episode-42.mp4", "out/episode-42.mp3"])
    #expect(episode.media.count == 3)
  }

  @Test("Memos, videos, a library, an archive")
  func batches() throws {
    let memos = try jobs(recipe("memos"), ["memos/2.amr", "memos/1.m4a"])
    #expect(memos.map { $0.outputs[0].path } == ["small/2.mp3", "small/1.mp3"])
    var inbox = Bench()
    inbox.media = ["inbox/Ann - Rain.wav"]
    inbox.modificationTime = .seconds(1_795_910_400)
    let dropped = try #require(try inbox.load(recipe("inbox")).jobs.first)
    #expect(dropped.outputs[0].path == "done/Ann - Rain.mp3")
    #expect(dropped.metadata["artist"] == "Ann" && dropped.metadata["date"] == "2026")
    let videos = try jobs(recipe("videos"), ["video/GH2.MP4", "video/GH10.MP4"])
    #expect(videos[0].media.map(\.location.file) == ["video/GH2.MP4", "video/GH10.MP4"])
    let library = try jobs(recipe("normalise"), ["music/a.mp3", "music/x/b.flac"])
    #expect(library.map { $0.loudness?.level } == Array(repeating: .integrated(-14), count: 2))
    let archive = try #require(try jobs(recipe("archive"), ["ingest/a.wav"]).first)
    let tags = archive.metadata
    #expect(tags["date"] == "2026-01-02" && tags["shelf"] == "007" && tags["source"] == "a.wav")
    #expect(archive.records.map(\.path) == ["master/a.json"])
  }

  @Test("Sources on servers, whole and in part")
  func remote() throws {
    let fetched = try #require(try Bench().load(try recipe("remote")).jobs.first)
    #expect(
      fetched.media.map(\.location.description) == [
        "https://cdn.example.org/intro.mp3?…", "https://cdn.example.org/ep%2042.mp3",
        "https://cdn.example.org/outro.mp3",
      ])
    let job = try #require(
      try Bench().load(
        """
        sources:
          intro: { file: "https://example.org/intro.mp3?sig=a,b" }
        concat:
          - intro
          - https://ann:secret@example.org/ep%2042.mp3 0:30..end
        metadata: { cover: "http://example.org:81/art.jpg" }
        output: { file: joined.mp3, mp3: V2 }
        """
      ).jobs.first)
    #expect(
      Set(job.readLocations.compactMap { $0.url?.absoluteText }) == [
        "http://example.org:81/art.jpg", "https://ann:secret@example.org/ep%2042.mp3",
        "https://example.org/intro.mp3?sig=a,b",
      ])
    // What is shown has no secrets.
    #expect(
      job.media.map(\.location.description) == [
        "https://example.org/intro.mp3?…", "https://example.org/ep%2042.mp3",
      ])
    #expect(job.readFiles.isEmpty)
  }
}
