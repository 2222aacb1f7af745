import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// Files as the people of seventeen real workflows would write them: each becomes jobs, or is
/// refused by the names of what is not built.
@Suite struct WorkflowTests {
  /// The keys that are refused, and nothing else may be said.
  private func refused(_ yaml: String, _ bench: Bench) -> [String] {
    let map = SourceMap()
    do throws(Diagnostics) {
      let file = try bench.load(yaml, into: map)
      return file.jobs.isEmpty ? ["no jobs"] : []
    } catch {
      return error.all.map { diagnostic in
        guard diagnostic.message.hasSuffix("is not built yet"), diagnostic.help != nil else {
          return diagnostic.render(in: map)
        }
        return String(diagnostic.message.split(separator: "'").first ?? "")
      }
    }
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
    let yaml = """
      vars: { episode: 1, title: untitled }
      sources: { theme: { clip: media/theme.wav, gain: -6 dB } }
      tracks:
        talk:
          at: 8s
          tracks:
            host: { clip: "raw/${episode}/host.wav", loudness: -19 LUFS }
            guest: { clip: "raw/${episode}/guest.wav", loudness: -19 LUFS }
          insert: [{ clip: ads/week.mp3, at: 21:30, chapter: Advertisement }]
          chapters: { 0s: Hello, 20:00: Ice, 30:00: Goodbye }
        music:
          duck: { under: talk, by: 14 dB }
          concat:
            - { clip: theme 0s..25s, fade_out: 5s }
            - { clip: theme 30s..+40s, at: talk.end-8s, fade_in: 3s, fade_out: 6s }
      loudness: -16 LUFS
      metadata: { title: "${episode}: ${title}", cover: media/cover.jpg }
      output: [{ file: "out/${episode}.mp3", mp3: abr 96k }, { file: "out/${episode}.m4a", aac: 96k }]
      """
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

  @Test("Advertisements put in, at one time or by a table, copied")
  func advertisements() throws {
    var bench = Bench()
    bench.media = ["catalogue/a/1.mp3", "ads/pre.mp3", "ads/mid.mp3", "ads/post.mp3"]
    let loop = """
      for_each: catalogue/**/*.mp3
      insert:
        - { clip: ads/pre.mp3, at: 1:30 }
        - { clip: ads/mid.mp3, at: 20:00 }
        - { clip: ads/post.mp3, at: end-1:00 }
      output: { folder: with-ads, mp3: copy }
      """
    bench.assets["1.mp3"] = .fake("1.mp3", seconds: 1800)
    let export = try #require(try bench.exports(loop).first)
    #expect(export.outputs.map(\.copying) == [Output.Copying()])
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "1.mp3 0s..1:30 @ 0s, ads/pre.mp3 0s..1:00 @ 1:30, 1.mp3 1:30..20:00 @ 2:30, "
          + "ads/mid.mp3 0s..1:00 @ 21:00, 1.mp3 20:00..29:00 @ 22:00, "
          + "ads/post.mp3 0s..1:00 @ 31:00, 1.mp3 29:00..30:00 @ 32:00"
      ])
    let table = """
      rows: ads.csv
      clip: catalogue/${file}
      output: { file: "with-ads/${file}", mp3: copy }
      """
    bench.texts["ads.csv"] = "file,at1\na/1.mp3,1:30\n"
    let insert = "insert: [{ clip: ads/pre.mp3, at: \"${at1}\" }]\n"
    let export2 = try #require(
      try bench.exports(insert + table).first)
    #expect(
      export2.composition.tracks.map(Shapes.text) == [
        "1.mp3 0s..1:30 @ 0s, ads/pre.mp3 0s..1:00 @ 1:30, 1.mp3 1:30..30:00 @ 2:30"
      ])
    #expect(export2.outputs.map(\.path) == ["with-ads/a/1.mp3"])
  }

  @Test("An audiobook: one job a chapter, tagged and numbered, as ACX has it")
  func audiobook() throws {
    let yaml = """
      for_each: chapters/*.wav
      concat: [roomtone.wav ..750ms, "${input}", roomtone.wav ..3s]
      metadata: { title: "Chapter ${n}", track: "${n}/${count}", cover: cover.jpg }
      output: { file: "acx/${n:02} ${input.stem}.mp3", preset: acx-audiobook }
      """
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
    let album = """
      clip: live.wav
      split: live.cue
      output:
        - { file: "mp3/${part.n:02} ${part.title}.mp3", mp3: V0 }
        - { file: "flac/${part.n:02} ${part.title}.flac", flac: 16 bit }
      """
    #expect(
      try bench.exports(album).map { $0.outputs.map(\.path) } == [
        ["mp3/01 One.mp3", "flac/01 One.flac"], ["mp3/02 Two.mp3", "flac/02 Two.flac"],
      ])
    let interview = """
      clip: interview.mp3
      split: stamps.txt
      output: { file: "parts/${part.n:02} ${part.title}.mp3", mp3: V2 }
      """
    #expect(
      try bench.exports(interview).map { $0.outputs.map(\.path) } == [
        ["parts/01 Childhood.mp3"], ["parts/02 School: the end.mp3"],
      ])
    let copied = try bench.exports(interview.replacing("V2", with: "copy strict"))
    #expect(
      copied.map { $0.outputs.map(\.copying) } == [
        [.init(isStrict: true)], [.init(isStrict: true)],
      ])
  }

  @Test("Three renditions of each asset")
  func renditions() throws {
    let jobs = try jobs(
      """
      for_each: assets/**/*.wav
      output:
        - { folder: dist/high, mp3: V0 }
        - { folder: dist/low, mp3: abr 48k, channels: mono }
      """, ["assets/a.wav", "assets/ui/b.wav"])
    #expect(
      jobs.map { $0.outputs.map(\.path) } == [
        ["dist/high/a.mp3", "dist/low/a.mp3"], ["dist/high/ui/b.mp3", "dist/low/ui/b.mp3"],
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
    let exports = try bench.exports(
      """
      rows: words.csv
      group_by: lesson
      concat:
        - each: row
          concat: ["en/${en}.wav", 3s, "de/${de}.wav", 1s, "de/${de}.wav", 2s]
      metadata: { title: "Lesson ${lesson}" }
      output: { file: "out/lesson-${lesson}.mp3", mp3: abr 64k, channels: mono }
      """)
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
    let (langs, lengths) = (["en", "de", "fr"], ["30s", "60s"])
    for lang in langs { bench.media += lengths.map { "voice/\(lang)-\($0).wav" } }
    let jobs = try bench.load(
      """
      for_each: { lang: [en, de, fr], length: [30s, 60s] }
      tracks:
        voice: { clip: "voice/${lang}-${length}.wav", at: 1s }
        bed: { clip: bed.wav, gain: -12 dB }
      to: ${length}
      fade_out: 2s
      output: out/${lang}/${length}.mp3
      """
    ).jobs
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
    let export = try #require(
      try bench.exports(
        """
        clip: lecture.wav
        trim: { below: -50 dB, keep: 300ms }
        cut: [12:00..13:30, 40:05..41:15, 58:00..59:20]
        speed: 1.1
        effects: [denoise, highpass: 80 Hz]
        output: { file: lecture.mp3, mp3: abr 64k, channels: mono, sample_rate: 24 kHz }
        """
      ).first)
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
    let export = try #require(
      try bench.exports(
        """
        tracks:
          swell:
            clip: cymbal.wav
            reverse: true
            volume: { 0s: -inf dB, 4s: 0 dB }
            pan: { 0s: -100 %, 4s: 100 % }
          drone: { clip: drone.wav, loop: 4, gain: -12 dB }
        output: { file: whoosh.wav, wav: 24 bit }
        """
      ).first)
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
    let yaml = """
      tracks:
        music: { concat: [music/*.flac], crossfade: 4s }
        jingles:
          - { clip: jingles/id.wav, at: 0s }
          - { clip: jingles/hour.wav, at: 2:30 }
      to: 3:40
      fade_out: 10s
      output: { file: show.wav, wav: 24 bit }
      """
    var bench = Bench()
    bench.media = (1...4).map { "music/\($0).flac" } + ["jingles/id.wav", "jingles/hour.wav"]
    let export = try #require(try bench.exports(yaml).first)
    #expect("\(export.composition.duration)" == "3:40")
    let segment = try #require(export.composition.tracks.first?.segments.first)
    guard case .composition(let mix) = segment.content else {
      Issue.record("the mix is not nested")
      return
    }
    #expect(mix.tracks.map(\.name) == ["music", "music", "jingles"])
    #expect("\(mix.duration)" == "3:48")
    #expect("\(segment.source)" == "0s..3:40")
  }

  @Test("Memos, videos, a library, an archive")
  func batches() throws {
    let memos = try jobs(
      """
      for_each: [memos/*.amr, memos/*.m4a]
      output: { folder: small, mp3: abr 16k, channels: mono, sample_rate: 8 kHz }
      """, ["memos/2.amr", "memos/1.m4a"])
    #expect(memos.map { $0.outputs[0].path } == ["small/2.mp3", "small/1.mp3"])
    let videos = try jobs(
      "concat: [video/GH*.MP4]\noutput: { file: sound.flac, flac: 24 bit }",
      ["video/GH2.MP4", "video/GH10.MP4"])
    #expect(videos[0].media.map(\.location.file) == ["video/GH2.MP4", "video/GH10.MP4"])
    var bench = Bench()
    bench.media = ["music/a.mp3", "music/x/b.flac", "ingest/a.wav"]
    let library = """
      for_each: music/**/*.{mp3,flac,m4a}
      loudness: -14 LUFS
      output: { folder: normalised, codec: same }
      """
    #expect(
      try bench.load(library).jobs.map { $0.loudness?.level }
        == Array(repeating: .integrated(-14), count: 2))
    let archive = """
      for_each: ingest/*.wav
      metadata: { date: 2026-01-02, shelf: 007, source: "${input.name}" }
      output: [{ folder: master, flac: 24 bit }, { folder: access, mp3: V2 }]
      """
    let tags = try #require(try bench.load(archive).jobs.first).metadata
    #expect(tags["date"] == "2026-01-02" && tags["shelf"] == "007" && tags["source"] == "a.wav")
    let sidecar = archive.replacing("mp3: V2 }]", with: "mp3: V2 }, { folder: m, json: sidecar }]")
    #expect(try bench.load(sidecar).jobs.map { $0.records.map(\.path) } == [["m/a.json"]])
  }

  @Test("Sources on servers, whole and in part")
  func remote() throws {
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
