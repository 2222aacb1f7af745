import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile

/// What the README and the pages about the language and the network show is what this version reads.
@Suite struct DocumentationTests {
  /// The whole jobs among the YAML of a page; what lacks an item or an output is a fragment.
  static func jobs(of page: String) throws -> [String] {
    let text = String(decoding: try readFile(Fixture.path("../" + page)), as: UTF8.self)
    var jobs: [String] = []
    var open: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let lines = open else {
        if line == "```yaml" { open = [] }
        continue
      }
      guard line == "```" else {
        open = lines + [line]
        continue
      }
      open = nil
      let items = ["clip:", "concat:", "tracks:", "jobs:", "for_each:"]
      let isItem = lines.contains { line in items.contains { line.hasPrefix($0) } }
      let isJob = lines.contains { $0.hasPrefix("output:") || $0 == "jobs:" }
      if isItem && isJob { jobs.append(lines.joined(separator: "\n")) }
    }
    return jobs
  }

  private static let talk: String = {
    let texts = ["So let us begin.", "Um,", "uh,", "you know.", "Thank you all."]
    let cues = texts.enumerated().map {
      #"{"start":\#($0 + 1),"end":\#($0 + 1).8,"text":"\#($1)"}"#
    }
    return #"{"segments":[\#(cues.joined(separator: ","))]}"#
  }()

  private static let sheet = """
    FILE "live.wav" WAVE
    TRACK 01 AUDIO
    TITLE "One"
    INDEX 01 00:00:00
    TRACK 02 AUDIO
    TITLE "Two"
    INDEX 01 04:10:00
    """

  @Test(
    "Every job that is shown is one that can be made",
    arguments: [
      ("README.md", 6), ("docs/job-language.md", 55), ("docs/network.md", 1),
      ("docs/captions.md", 5),
    ])
  func shownJobs(page: String, count: Int) throws {
    let jobs = try Self.jobs(of: page)
    #expect(jobs.count == count)
    var bench = Bench()
    bench.modificationTime = .seconds(1_795_910_400)
    bench.media += [
      "interview.wav", "host.wav", "guest.wav", "guitar.wav", "guest.mka", "bed.flac",
      "media/bed.flac", "episode.wav", "one.wav", "two.wav", "three.wav", "two-microphones.wav",
      "theme.ogg", "ad.mp3", "ads/pre.mp3", "ads/post.mp3", "live.wav", "concert.flac",
      "raw/show-007.wav",
      "raw/day1/a.wav", "music/a.mp3", "jingle.mp3", "talk.m4a", "media/trailer.mp3",
      "parts/01.m4b", "episode-42.wav", "voice/en.wav", "voice/de.wav", "catalogue/1.mp3",
      "en/one.wav", "de/eins.wav", "intro.wav", "episode.mp3", "talk.wav", "lecture.wav",
      "chapter-1.wav", "lecture.mp4", "01.mp3", "02.mp3", "ann.wav", "ben.wav", "bed.wav",
      "reader.flac", "song.wav", "tape.raw", "inbox/Ann - Rain.wav",
    ]
    bench.texts["reader.vtt"] = "WEBVTT\n\n00:01.000 --> 00:03.000\nHello\n"
    bench.texts["reader.json"] =
      #"{ "version": "1.0.0", "segments": [{ "startTime": 1, "endTime": 3, "body": "Hello" }] }"#
    bench.texts["coughs.txt"] = "620.0\t621.0\tcough\n"
    bench.texts["episodes.csv"] = "episode,ad,ready\nshow-007,ad.mp3,yes\n"
    bench.texts["ads.csv"] = "file,at\n1.mp3,1:30\n"
    bench.texts["words.csv"] = "lesson,en,de\n1,one,eins\n"
    for name in ["ann", "ben"] {
      bench.texts["\(name).json"] = #"{"segments":[{"start":1,"end":2,"text":" Hello"}]}"#
    }
    bench.texts["talk.json"] = Self.talk
    for name in ["01.srt", "02.srt", "talk.vtt"] {
      bench.texts[name] = "WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"
    }
    for name in ["live.cue", "concert.cue"] { bench.texts[name] = Self.sheet }
    bench.pages["https://media.example.org/live.cue"] = .success(Self.sheet)
    for yaml in jobs {
      let map = SourceMap()
      do throws(Diagnostics) {
        let file = try bench.load(yaml, into: map)
        #expect(!file.jobs.isEmpty && file.warnings.isEmpty, "\(yaml)")
        for job in file.jobs {
          let exports = try job.exports(
            assets: {
              if $0.location == "lecture.mp4" {
                return PictureTimeTests.movie(
                  "lecture.mp4", lasting: Time(value: 1, timescale: 25), seconds: 7200)
              }
              var asset = Asset.fake($0.location.description, seconds: 7200)
              if $0.location == "talk.m4a" {
                asset.chapters = [Chapter(start: .zero, title: "Talk")]
              }
              return asset
            },
            listen: { _ in SilenceFindings([]) }, findKeyPicture: { $0.time })
          #expect(!exports.exports.isEmpty && exports.warnings.isEmpty, "\(yaml)")
        }
      } catch {
        Issue.record("\(error.render(in: map))")
      }
    }
  }
}
