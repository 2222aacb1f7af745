import Diagnosis
import MediaComposition
import MediaTime
import Testing

@testable import JobFile
@testable import JobModel

/// Times that are pictures of a source. Every file lasts a minute.
@Suite struct PictureTimeTests {
  /// A video with a picture each `duration`, or at uneven times.
  static func movie(
    _ name: String, lasting duration: Time?, first: Time = .zero, timecode: String? = nil,
    start: Time = .zero, seconds: Int64 = 60
  ) -> Asset {
    var asset = Asset.fake(name, seconds: seconds)
    asset.container = "mov,mp4,m4a,3gp,3g2,mj2"
    var track = AssetTrack(index: 1, mediaType: .video, codec: "h264")
    track.frameDuration = duration
    track.firstPicture = duration.map { _ in first }
    track.timecode = timecode
    asset.tracks = [AssetTrack(index: 0, mediaType: .audio, codec: "aac"), track]
    asset.start = start
    return asset
  }

  private static var bench: Bench {
    let pal = Time(value: 1, timescale: 25)
    let ntsc = Time(value: 1001, timescale: 30_000)
    let tenth = Time(value: 1, timescale: 10)
    let movies = [
      movie("pal.mp4", lasting: pal), movie("ntsc.mp4", lasting: ntsc),
      movie("film.mp4", lasting: Time(value: 1001, timescale: 24_000)),
      movie("late.mp4", lasting: ntsc, first: tenth, start: Time(value: 1, timescale: 2)),
      movie("coded.mp4", lasting: pal, timecode: "01:00:00:00"),
      movie("drop.mov", lasting: ntsc, timecode: "00:59:58;20"),
      movie("phone.mov", lasting: Time(value: 1, timescale: 30), timecode: "16:37:58;20"),
      movie("night.mp4", lasting: pal, timecode: "23:59:50:00"),
      movie("odd.mp4", lasting: pal, timecode: "A001"), movie("uneven.mp4", lasting: nil),
    ]
    var bench = Bench()
    for asset in movies {
      bench.media.append("\(asset.location)")
      bench.assets["\(asset.location)"] = asset
    }
    return bench
  }

  @Test(
    "a range begins where a picture is first shown, and ends there",
    arguments: [
      ("pal.mp4 frame 100..frame 200", "4s..8s"), ("pal.mp4 ..frame 50", "0s..2s"),
      ("pal.mp4 00:00:04:05..+2s", "4.2s..6.2s"), ("pal.mp4 frame 0..frame 1500", "0s..1:00"),
      ("ntsc.mp4 frame 1..", "1001/30000s..1:00"), ("ntsc.mp4 00:00:50;00..", "50.05s..1:00"),
      ("film.mp4 frame 24..00:00:48:00", "1.001s..48.048s"),
      ("late.mp4 frame 100..", "881/300s..1:00"), ("coded.mp4 01:00:04:00..frame 200", "4s..8s"),
      ("drop.mov 00:59:59;20..01:00:00;20", "1.001s..2.002s"),
      ("night.mp4 00:00:05:00..", "15s..1:00"),
    ])
  func ranges(clip: String, range: String) throws {
    let name = clip.prefix { $0 != " " }
    #expect(try Shapes.tracks("clip: \(clip)", Self.bench) == ["\(name) \(range) @ 0s"])
  }

  /// When the volume of a job's segments moves.
  private func ramps(_ yaml: String) throws -> [String] {
    try Shapes.export(yaml, Self.bench).composition.tracks.flatMap(\.segments)
      .flatMap(\.mix.envelopes).flatMap(\.ramps).map { "\($0.timeRange)" }
  }

  @Test("cuts, silences, insertions and chapters after a range count pictures of the file")
  func edits() throws {
    let export = try Shapes.export(
      """
      clip: pal.mp4
      from: frame 250
      cut: [frame 300..00:00:14:00]
      insert: [{ clip: a.wav ..1s, at: frame 500 }]
      chapters: { frame 250: One, 00:00:16:00: Two }
      """, Self.bench)
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "pal.mp4 10s..12s @ 0s, pal.mp4 14s..20s @ 2s, a.wav 0s..1s @ 8s, pal.mp4 20s..1:00 @ 9s"
      ])
    #expect(Shapes.chapters(export) == ["One @ 0s", "Two @ 4s"])
    #expect(
      try ramps("clip: pal.mp4 10s..\nmute: [frame 300..frame 350]") == [
        "1.995s..2s", "4s..4.005s",
      ])
  }

  @Test("points of the volume are pictures with the source's clock")
  func volume() throws {
    let points = "{ frame 300: 0 dB, frame 350: -6 dB }"
    #expect(
      try ramps("clip: pal.mp4 10s..\nvolume: { points: \(points), clock: source }") == ["2s..4s"])
  }

  @Test("times of other items count from a range that begins at a picture")
  func references() throws {
    let export = try Shapes.export(
      """
      tracks:
        voice: [10s, { clip: b.wav ..5s, name: second }]
        music:
          clip: pal.mp4 frame 100..
          chapters: { points: { second.start: Two }, clock: source }
      """, Self.bench)
    #expect(Shapes.chapters(export) == ["Two @ 10s"])
  }

  private func refusals(_ yaml: String, _ bench: Bench = PictureTimeTests.bench) -> [String] {
    do throws(Diagnostics) {
      _ = try bench.exports(yaml + "\noutput: x.wav")
      return []
    } catch {
      return error.all.map { "\($0.message); \($0.help ?? "")" }
    }
  }

  @Test(
    "pictures that are not known, or no times here, are refused by name",
    arguments: [
      (
        "clip: a.wav frame 10..",
        "'frame 10' needs a moving picture, and 'a.wav' has none; write seconds"
      ),
      (
        "clip: uneven.mp4 frame 10..",
        "'frame 10' needs pictures that all last equally long, and 'uneven.mp4' does not say that its "
          + "do; write seconds"
      ),
      (
        "clip: pal.mp4\nvolume: { frame 10: 0 dB }",
        "'frame 10' is a picture of the source, and this time counts in the item as it sounds; write "
          + "seconds, or name 'clock: source'"
      ),
      (
        "concat: [pal.mp4]\nfrom: frame 10",
        "'frame 10' is a picture of a clip, and the sequence is none; write seconds"
      ),
      (
        "clip: late.mp4 frame 2..",
        "'frame 2' is shown before 'late.mp4' begins to sound; write a later one, or 'start'"
      ),
      (
        "clip: pal.mp4\nfrom: frame 5\ncut: [frame 0..frame 7]",
        "'frame 0' is shown before the range of 'pal.mp4', which starts at 0.2s; write a later one, or "
          + "'start'"
      ),
      (
        "clip: phone.mov 16:38:00;02..",
        "'phone.mov' begins at '16:37:58;20', which is no timecode of its pictures; write 'frame 1234', "
          + "counted from 0, or seconds"
      ),
      (
        "clip: pal.mp4 frame 1501..",
        "the range starts at 1:00.04, but 'pal.mp4' lasts 1:00; start it earlier"
      ),
      (
        "clip: pal.mp4 00:00:01:25..",
        "'00:00:01:25' is no timecode of 25 pictures a second; the last number goes to 24"
      ),
      (
        "clip: coded.mp4 00:00:04:00..",
        "'00:00:04:00' is before the first picture of 'coded.mp4', which is '01:00:00:00'; timecodes "
          + "count from there on"
      ),
      (
        "clip: drop.mov 01:00:00:20..",
        "the timecodes of 'drop.mov', which begins at '00:59:58;20', are drop-frame; write "
          + "'01:00:00;20'"
      ),
      (
        "clip: odd.mp4 00:00:01:00..",
        "'odd.mp4' begins at 'A001', which is no timecode of its pictures; write 'frame 1234', counted "
          + "from 0, or seconds"
      ),
      (
        "concat: [a.wav, { clip: pal.mp4, at: frame 10 }]",
        "'frame 10' is a picture of a source, and no time of a timeline; write seconds, as '4.2s', or "
          + "the time of another item, as 'talk.end'"
      ),
      (
        "clip: pal.mp4\nfade_in: 00:00:01:00",
        "'00:00:01:00' is a moment, and a length is meant here; write a time, as '1:30' or '250ms'"
      ),
      (
        "clip: pal.mp4\nsnap: second",
        "'second' is nothing to snap to; write 'frame' or 'keyframe'"
      ),
      (
        "clip: a.wav 1s..\nsnap: keyframe\ncut: [2s..3s]",
        "'snap: keyframe' needs a moving picture, and 'a.wav' has none; leave it out"
      ),
      ("concat: [pal.mp4]\nsnap: frame", "'snap' belongs to a clip; write it beside the 'clip'"),
      (
        "clip: a.wav 1s..\nsnap: frame\ncut: [2s..3s]",
        "'snap: frame' needs a moving picture, and 'a.wav' has none; leave it out"
      ),
      (
        "clip: pal.mp4 4.001s..4.002s\nsnap: frame",
        "'snap' leaves nothing from 4.001s to 4.002s: both are nearest to one picture; make the range "
          + "longer"
      ),
    ])
  func refused(yaml: String, refusal: String) {
    #expect(refusals(yaml) == [refusal])
  }

  @Test("parts begin at times of the whole, and at no picture")
  func parts() {
    var bench = Self.bench
    bench.texts["parts.txt"] = "00:00:04:00 One\n"
    #expect(
      bench.exportScreen("clip: pal.mp4\nsplit: parts.txt\noutput: 'x-${part.n}.wav'").hasPrefix(
        "parts.txt:1:1: error: '00:00:04:00' is a picture of a source, and parts begin at times of "
          + "the whole\n"))
  }

  @Test("a file of chapters may have timecodes")
  func listed() throws {
    var bench = Self.bench
    bench.texts["chapters.txt"] = "00:00:00:00 One\n00:00:04:05 Two\n"
    let export = try Shapes.export("clip: pal.mp4\nchapters: chapters.txt", bench)
    #expect(Shapes.chapters(export) == ["One @ 0s", "Two @ 4.2s"])
  }

  @Test(
    "'snap' moves edges to the nearest picture, the later of two that are as near",
    arguments: [
      ("pal.mp4 4.019s..8.021s", "4s..8.04s"), ("pal.mp4 4.02s..7.98s", "4.04s..8s"),
      ("pal.mp4 4s..59.99s", "4s..1:00"), ("pal.mp4 1ms..", "0s..1:00"),
      ("ntsc.mp4 1s..2s", "1.001s..2.002s"), ("late.mp4 1ms..", "0.0004s..1:00"),
    ])
  func snapped(clip: String, range: String) throws {
    let name = clip.prefix { $0 != " " }
    #expect(
      try Shapes.tracks("clip: \(clip)\nsnap: frame", Self.bench) == ["\(name) \(range) @ 0s"])
  }

  @Test("'snap' moves the edges of cuts as pictures of the file, also behind a range")
  func snappedCuts() throws {
    #expect(
      try Shapes.tracks("clip: ntsc.mp4 1s..\ncut: [1s..2s]\nsnap: frame", Self.bench) == [
        "ntsc.mp4 1.001s..2.002s @ 0s, ntsc.mp4 3.003s..1:00 @ 1.001s"
      ])
  }

  /// Key pictures of every video stand at 0.3 s, 4.3 s and so on, up to 56.3 s.
  private static var keyed: Bench {
    var bench = Self.bench
    bench.keyPicture = { search throws(Failure) in
      let keys = (0..<15).map { Time(value: 3 + 40 * $0, timescale: 10) }
      func distance(_ key: Time) -> Time {
        key < search.time ? search.time - key : key - search.time
      }
      return keys.min { (distance($0), $1) < (distance($1), $0) } ?? .zero
    }
    return bench
  }

  @Test(
    "'snap: keyframe' moves edges to the nearest key picture, and an end to that of the file",
    arguments: [
      ("pal.mp4 4s..8s", "4.3s..8.3s"), ("uneven.mp4 2.3s..6.2s", "4.3s..4.3s"),
      ("uneven.mp4 2.2s..6.3s", "0.3s..8.3s"), ("pal.mp4 4.3s..58.1s", "4.3s..56.3s"),
      ("pal.mp4 58.2s..59s", "56.3s..1:00"), ("pal.mp4 ..1s", "0s..0.3s"),
      ("pal.mp4 0.1s..", "0.3s..1:00"),
    ])
  func keyframes(clip: String, range: String) throws {
    let name = clip.prefix { $0 != " " }
    let yaml = "clip: \(clip)\nsnap: keyframe"
    guard range != "4.3s..4.3s" else {
      #expect(
        refusals(yaml, Self.keyed) == [
          "'snap' leaves nothing from 2.3s to 6.2s: both are nearest to one key picture; make the "
            + "range longer"
        ])
      return
    }
    #expect(try Shapes.tracks(yaml, Self.keyed) == ["\(name) \(range) @ 0s"])
  }

  @Test("'snap: keyframe' moves the edges of cuts, and what counts from a range that is moved")
  func keyframeCuts() throws {
    #expect(
      try Shapes.tracks("clip: ntsc.mp4 1s..\ncut: [7s..12s]\nsnap: keyframe", Self.keyed) == [
        "ntsc.mp4 0.3s..8.3s @ 0s, ntsc.mp4 12.3s..1:00 @ 8s"
      ])
    let export = try Shapes.export(
      """
      tracks:
        voice: [10s, { clip: b.wav ..5s, name: second }]
        music:
          clip: pal.mp4 4s..
          snap: keyframe
          chapters: { points: { second.start: Two }, clock: source }
      """, Self.keyed)
    #expect(Shapes.chapters(export) == ["Two @ 10s"])
  }

  @Test(
    "'snap' moves the edges of parts to pictures of the clip, also behind a cut and at another speed"
  )
  func snappedParts() throws {
    func parts(_ yaml: String, _ bench: Bench) throws -> [String] {
      try bench.exports(yaml + "\noutput: 'x-${part.n}.wav'").compactMap(\.timeRange).map {
        "\($0)"
      }
    }
    #expect(
      try parts("clip: pal.mp4\nsnap: keyframe\nsplit: { every: 25s }", Self.keyed) == [
        "0s..24.3s", "24.3s..48.3s", "48.3s..1:00",
      ])
    #expect(
      try parts(
        "clip: ntsc.mp4 4.3s..\ncut: [4s..12s]\nspeed: 2\nsnap: keyframe\nsplit: { every: 13s }",
        Self.keyed) == ["0s..14s", "14s..23.85s"])
    #expect(
      try parts("clip: ntsc.mp4 ..5s\nsnap: frame\nsplit: { every: 2s }", Self.bench) == [
        "0s..2.002s", "2.002s..4.004s", "4.004s..5.005s",
      ])
    let screen = Self.keyed.exportScreen(
      "clip: pal.mp4\nsnap: keyframe\nsplit: { every: 2s }\noutput: 'x-${part.n}.wav'")
    #expect(
      screen.contains(
        "error: 'snap' leaves nothing of the part from 4s to 6s: both are nearest to one key picture\n"
      ),
      "\(screen)")
  }

  @Test("a picture that cannot be searched is reported once, where 'snap' stands")
  func unsearched() {
    var bench = Self.bench
    bench.keyPicture = { search throws(Failure) in
      throw Failure(.mendInput, "is no picture", location: search.asset.location)
    }
    let screen = bench.exportScreen("clip: pal.mp4 4s..8s\nsnap: keyframe\noutput: x.wav")
    #expect(screen.hasPrefix("job.yaml:2:7: error: 'pal.mp4': is no picture\n"), "\(screen)")
    #expect(screen.split(separator: "is no picture").count == 2)
  }
}
