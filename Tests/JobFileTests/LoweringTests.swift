import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import JobFile

/// What items become. Every file lasts a minute unless a test says otherwise.
@Suite struct LoweringTests {
  private func seconds(_ value: Int64) -> Time { Time(value: value, timescale: 1) }
  private func ms(_ value: Int64) -> Time { Time(value: value, timescale: 1000) }

  private func export(_ yaml: String, _ bench: Bench = Bench()) throws -> Export {
    let exports = try bench.exports(yaml)
    return try #require(exports.first)
  }

  private func tracks(_ yaml: String, _ bench: Bench = Bench()) throws -> [Track] {
    try export(yaml + "\noutput: x.mp3", bench).composition.tracks
  }

  /// Name, source and place of each segment: `a.wav 1:00..2:00 @ 0s`.
  private func shape(_ track: Track) -> [String] {
    track.segments.map { segment in
      let what =
        switch segment.content {
        case .silence: "silence"
        case .asset(let asset): "\(asset.location)"
        case .composition(let inner): "\(inner.tracks.count) tracks"
        }
      return "\(what) \(segment.source) @ \(segment.target.start)"
    }
  }

  @Test("The smallest job is one clip and one MP3 at V2")
  func smallest() throws {
    let export = try export("clip: a.wav\noutput: teaser.mp3")
    #expect(export.name == "job")
    #expect(export.composition.tracks.map(shape) == [["a.wav 0s..1:00 @ 0s"]])
    #expect(export.outputs.map(\.path) == ["teaser.mp3"])
    #expect(export.outputs.map(\.format) == [.mp3(.standard)])
    #expect(export.sampleRate == 48_000 && export.channelLayout == .stereo && export.mix.isUnity)
  }

  @Test(
    "Every way to write a range",
    arguments: [
      ("a.wav 10s..20s", "10s..20s"), ("a.wav ..20s", "0s..20s"), ("a.wav 10s..", "10s..1:00"),
      ("a.wav 10s..+5s", "10s..15s"), ("a.wav start..end", "0s..1:00"),
      ("a.wav end-10s..end-1/3s", "50s..179/3s"), ("a.wav end-10s..", "50s..1:00"),
      ("a.wav 1001/30000s..", "1001/30000s..1:00"),
      ("a.wav 480samples..+48000samples", "0.01s..1.01s"),
      ("a.wav 0:10..0:20.25", "10s..20.25s"), ("My take 1..2.wav", "0s..1:00"),
      ("My take 1..2.wav 1s..2s", "1s..2s"),
    ])
  func ranges(clip: String, range: String) throws {
    let segment = try #require(try tracks("clip: \(clip)").first?.segments.first)
    #expect("\(segment.source)" == range)
    #expect(segment.target.start == .zero)
  }

  @Test("from, to and duration are a range")
  func rangeKeys() throws {
    let items = "{ clip: a.wav, from: 10s, to: end-5s }, { clip: a.wav, from: 5s, duration: 2s }"
    #expect(
      try tracks("concat: [\(items), { clip: a.wav, duration: 3s }]").map(shape) == [
        ["a.wav 10s..55s @ 0s", "a.wav 5s..7s @ 45s", "a.wav 0s..3s @ 47s"]
      ])
  }

  @Test("A sequence is one track; bare times are silence")
  func sequence() throws {
    #expect(
      try tracks("concat: [a.wav ..1/3s, 750ms, { silence: 1s }, b.wav 1s..2s]").map(shape) == [
        [
          "a.wav 0s..1/3s @ 0s", "silence 0s..0.75s @ 1/3s", "silence 0s..1s @ 13/12s",
          "b.wav 1s..2s @ 25/12s",
        ]
      ])
  }

  @Test("A thousand joins at odd rates stay exact")
  func thousandJoins() throws {
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 1, rate: 44_100)
    bench.assets["b.wav"] = .fake("b.wav", seconds: 1, rate: 48_000)
    let pair = "a.wav ..44099samples, b.wav ..47999samples"
    let list = Array(repeating: pair, count: 500).joined(separator: ", ")
    let track = try #require(try tracks("concat: [\(list)]", bench).first)
    let length =
      Time(value: 44_099, timescale: 44_100) + Time(value: 47_999, timescale: 48_000)
    #expect(track.end == length * 500)
    #expect(!track.end.hasBeenRounded)
  }

  @Test("Cross-fades stand on two tracks, with equal power by default")
  func crossfades() throws {
    let yaml = """
      concat:
        - a.wav ..10s
        - { clip: b.wav ..10s, crossfade: { duration: 1s, curve: linear } }
        - a.wav 20s..30s
        - { clip: b.wav 20s..30s, crossfade: 0s }
      crossfade: 2s
      """
    let tracks = try tracks(yaml)
    #expect(
      tracks.map(shape) == [
        ["a.wav 0s..10s @ 0s", "a.wav 20s..30s @ 17s", "b.wav 20s..30s @ 27s"],
        ["b.wav 0s..10s @ 9s"],
      ])
    func ramp(_ from: Gain, _ to: Gain, _ start: Int64, _ end: Int64, _ curve: VolumeCurve)
      -> VolumeEnvelope
    {
      let range = TimeRange(start: seconds(start), end: seconds(end))
      return VolumeEnvelope([
        VolumeRamp(from: from, to: to, over: range, curve: curve, picture: .blend)
      ])
    }
    #expect(
      tracks[0].segments.map(\.mix.envelopes) == [
        [ramp(.unity, .silence, 9, 10, .linear)], [ramp(.silence, .unity, 0, 2, .equalPower)], [],
      ])
    #expect(
      tracks[1].segments.map(\.mix.envelopes) == [
        [ramp(.silence, .unity, 0, 1, .linear), ramp(.unity, .silence, 8, 10, .equalPower)]
      ])
  }

  @Test("Half of an item may be cross-faded, and not a sample more")
  func halfOfAnItem() throws {
    let exact = try tracks("concat: [a.wav ..4s, b.wav ..4s, a.wav ..4s]\ncrossfade: 2s")
    #expect(exact.map(\.end) == [seconds(8), seconds(6)])
    #expect(throws: Diagnostics.self) {
      try tracks("concat: [a.wav ..4s, b.wav ..3999ms]\ncrossfade: 2s")
    }
  }

  @Test("'at' is in the sequence's own time, in any order")
  func at() throws {
    let yaml = "concat: [{ clip: a.wav ..5s, at: 1:00 }, b.wav ..2s, { clip: a.wav ..3s, at: 4s }]"
    #expect(
      try tracks(yaml).map(shape) == [
        ["a.wav 0s..3s @ 4s", "a.wav 0s..5s @ 1:00", "b.wav 0s..2s @ 1:05"]
      ])
  }

  @Test("Tracks sound together, each a sequence placed by 'at'")
  func tracks() throws {
    let yaml = """
      tracks:
        voice: [a.wav ..10s, 500ms, b.wav]
        music: { clip: a.wav, at: 10s, gain: 50 % }
        bed: { concat: [a.wav, b.wav], crossfade: 4s }
        late: { concat: [a.wav, b.wav], at: 5s }
        plain: b.wav
      """
    let tracks = try tracks(yaml)
    #expect(tracks.map(\.name) == ["voice", "music", "bed", "bed", "late", "plain"])
    #expect(
      tracks.map(shape) == [
        ["a.wav 0s..10s @ 0s", "silence 0s..0.5s @ 10s", "b.wav 0s..1:00 @ 10.5s"],
        ["a.wav 0s..1:00 @ 10s"], ["a.wav 0s..1:00 @ 0s"], ["b.wav 0s..1:00 @ 56s"],
        ["1 tracks 0s..2:00 @ 5s"], ["b.wav 0s..1:00 @ 0s"],
      ])
    #expect(tracks[1].segments[0].mix == AudioMix(gain: Gain(factor: 0.5)))
  }

  @Test("A group keeps its own time and takes modifiers as one item")
  func groups() throws {
    let yaml = """
      concat:
        - a.wav ..10s
        - { tracks: { x: a.wav, y: { clip: b.wav, at: 5s } }, from: 2s, to: 12s, gain: 50 %, chapter: Two }
      """
    let track = try #require(try tracks(yaml).first)
    #expect(shape(track) == ["a.wav 0s..10s @ 0s", "2 tracks 2s..12s @ 10s"])
    #expect(track.segments[1].mix.gain == Gain(factor: 0.5))
    #expect(track.segments[1].chapters.map(\.title) == ["Two"])
  }

  @Test("Gain, volume points and fades are the segment's mix")
  func mix() throws {
    let item = """
      { clip: a.wav 10s..20s, gain: -inf dB, fade_in: 1s,
        fade_out: { duration: 2s, curve: equal_power },
        volume: { 4s: 50 %, 0s: 100 %, end: 0 % } }
      """
    let segment = try #require(try tracks("concat: [\(item)]").first?.segments.first)
    let half = Gain(factor: 0.5)
    #expect(
      segment.mix
        == AudioMix(
          gain: .silence,
          envelopes: [
            VolumeEnvelope([
              VolumeRamp(
                from: .unity, to: half, over: TimeRange(start: .zero, end: seconds(4))),
              VolumeRamp(
                from: half, to: .silence, over: TimeRange(start: seconds(4), end: seconds(10))),
            ]),
            VolumeEnvelope([
              VolumeRamp(
                from: .silence, to: .unity, over: TimeRange(start: .zero, end: seconds(1)),
                picture: .black)
            ]),
            VolumeEnvelope([
              VolumeRamp(
                from: .unity, to: .silence, over: TimeRange(start: seconds(8), end: seconds(10)),
                curve: .equalPower, picture: .black)
            ]),
          ]))
  }

  @Test("One volume point is a gain")
  func onePoint() throws {
    let segment = try #require(
      try tracks("concat: [{ clip: a.wav, gain: 50 %, volume: { 3s: 50 % } }]").first?.segments
        .first)
    #expect(segment.mix == AudioMix(gain: Gain(factor: 0.25)))
  }

  @Test("A job's own modifiers are the export's")
  func exportMix() throws {
    let export = try export(
      """
      concat: [a.wav, b.wav]
      to: 1:30
      gain: 50 %
      fade_out: 10s
      chapters: { 0s: Start, 1:00: { title: Next, url: https://example.org, image: media/cover.jpg } }
      sample_rate: 44.1 kHz
      channels: mono
      metadata: { title: No, track: 007, date: 2026-01-02, cover: media/cover.jpg }
      output: x.wav
      """)
    #expect(export.composition.tracks.map(shape) == [["1 tracks 0s..1:30 @ 0s"]])
    #expect(export.composition.tracks[0].segments[0].mix.isUnity)
    #expect(export.mix.gain == Gain(factor: 0.5))
    let fade = VolumeRamp(
      from: .unity, to: .silence, over: TimeRange(start: seconds(80), end: seconds(90)),
      picture: .black)
    #expect(export.mix.envelopes == [VolumeEnvelope([fade])])
    #expect(export.chapters.map(\.title) == ["Start", "Next"])
    #expect(export.chapters.map(\.start) == [.zero, seconds(60)])
    #expect(export.chapters[1].url == "https://example.org")
    #expect(export.chapters[1].image == .file("media/cover.jpg"))
    #expect(export.sampleRate == 44_100)
    #expect(export.channelLayout == .mono)
    #expect(export.metadata["title"] == "No" && export.metadata["track"] == "007")
    #expect(
      export.metadata["date"] == "2026-01-02" && export.metadata.cover == .file("media/cover.jpg"))
  }

  @Test("A job of one clip keeps its tags and the chapters that its range touches")
  func keptTags() throws {
    var bench = Bench()
    var asset = Asset.fake("a.wav", seconds: 60)
    asset.metadata["title"] = "Old"
    asset.metadata["artist"] = "Ann"
    asset.chapters = [0, 20, 40].map { Chapter(start: seconds($0), title: "from \($0)") }
    bench.assets["a.wav"] = asset
    let cut = "clip: a.wav 30s..50s\nmetadata: { title: New }\noutput: x.mp3"
    let export = try export(cut, bench)
    #expect(export.metadata["title"] == "New" && export.metadata["artist"] == "Ann")
    #expect(export.chapters.map(\.title) == ["from 20", "from 40"])
    #expect(export.chapters.map(\.start) == [.zero, seconds(10)])
    let own = try self.export("clip: a.wav\nchapter: Mine\noutput: x.mp3", bench)
    #expect(own.chapters.map(\.title) == ["Mine"])
    let joined = try self.export("concat: [a.wav]\noutput: x.mp3", bench)
    #expect(joined.metadata.isEmpty && joined.chapters.isEmpty)
  }

  @Test("A source's keys are defaults for the clips that name it")
  func sources() throws {
    let yaml = """
      sources:
        host: media/host.wav 5s..15s
        guest: { file: media/guest.mka, stream: 1, gain: 50 %, fade_in: 1s }
        odd: { file: My take 1..2.wav }
      concat:
        - host
        - host ..2s
        - { clip: host, from: 7s }
        - { clip: guest 1s..2s, gain: 100 % }
        - odd
      output: x.mp3
      """
    let job = try #require(try Bench().load(yaml).jobs.first)
    #expect(
      job.media.map(\.location.file) == ["media/host.wav", "media/guest.mka", "My take 1..2.wav"])
    #expect(job.media.map(\.stream) == [nil, 1, nil])
    let track = try #require(try export(yaml).composition.tracks.first)
    #expect(
      shape(track) == [
        "media/host.wav 5s..15s @ 0s", "media/host.wav 0s..2s @ 10s",
        "media/host.wav 7s..1:00 @ 12s", "media/guest.mka 1s..2s @ 1:05",
        "My take 1..2.wav 0s..1:00 @ 1:06",
      ])
    #expect(track.segments[3].mix.gain == .unity && track.segments[3].mix.envelopes.count == 1)
  }

  @Test("Wildcards expand in lists, in natural order")
  func wildcards() throws {
    #expect(
      try tracks("concat: [{ clip: raw/*.wav, fade_in: 1s, to: 2s }, raw/**/b*.wav]").map(shape)
        == [
          [
            "raw/ch1.wav 0s..2s @ 0s", "raw/ch2.wav 0s..2s @ 2s", "raw/ch10.wav 0s..2s @ 4s",
            "raw/extra/bonus.wav 0s..1:00 @ 6s",
          ]
        ])
  }

  @Test("Formats and their settings")
  func formats() throws {
    let export = try export(
      """
      clip: a.wav
      output:
        - a.mp3
        - { file: b.mp3, mp3: V0, sample_rate: 44.1 kHz, channels: mono, metadata: { title: B } }
        - { file: c.mp3, mp3: { cbr: 128k, quality: 3 } }
        - { file: d.mp3, mp3: voice, sample_rate: 22.05 kHz }
        - { file: e.wav, wav: 32 bit float }
        - { file: f.flac, flac: 24 bit }
        - { file: g.m4a, aac: 96k }
        - { file: take 1.5, flac: 16 bit }
        - { file: h.aif, aiff: 32 bit float }
        - { file: i.caf, caf: 24 bit }
        - { file: j.m4a, alac: 24 bit }
        - { file: k.ogg, vorbis: q4.5 }
        - { file: l.oga, vorbis: 160 kbps }
        - { file: m.ogg, opus: 64k }
        - { file: n.opus, opus: 256k, channels: 5.1 }
      """)
    #expect(
      export.outputs.map(\.format) == [
        .mp3(.standard), .mp3(MP3Settings(.vbr(quality: 0))),
        .mp3(MP3Settings(.cbr(bitRate: 128_000), quality: 3)),
        .mp3(MP3Settings(.abr(bitRate: 56_000))), .wav(.float32), .flac(bitDepth: 24),
        .m4a(bitRate: 96_000), .flac(bitDepth: 16), .aiff(.float32), .caf(.int24),
        .alac(bitDepth: 24), .vorbis(.quality(4.5)), .vorbis(.bitRate(160_000)),
        .opus(bitRate: 64_000), .opus(bitRate: 256_000),
      ])
    #expect(export.outputs.last?.channelLayout == .surround51)
    #expect(export.outputs[1].sampleRate == 44_100)
    #expect(export.outputs[1].channelLayout == .mono)
    #expect(export.outputs[1].metadata["title"] == "B")
    // LAME's preset 'voice' is mono.
    #expect(export.outputs[3].channelLayout == .mono)
  }

  @Test("The open settings of an output follow from the sources")
  func derivedFormats() throws {
    var bench = Bench()
    let yaml = "concat: [a.wav, b.wav]\noutput: [x.wav, x.flac, x.m4a, x.aif, x.caf, x.ogg, x.opus]"
    bench.assets["b.wav"] = .fake("b.wav", seconds: 1, layout: .mono, bitDepth: 24)
    #expect(
      try export(yaml, bench).outputs.map(\.format) == [
        .wav(.int24), .flac(bitDepth: 24), .m4a(bitRate: 128_000), .aiff(.int24), .caf(.int24),
        .vorbis(.quality(5)), .opus(bitRate: 96_000),
      ])
    bench.assets["a.wav"] = .fake("a.wav", seconds: 1, layout: .mono, bitDepth: nil)
    bench.assets["b.wav"] = .fake("b.wav", seconds: 1, layout: .mono)
    #expect(
      try export(yaml, bench).outputs.map(\.format) == [
        .wav(.int16), .flac(bitDepth: 16), .m4a(bitRate: 64_000), .aiff(.int16), .caf(.int16),
        .vorbis(.quality(5)), .opus(bitRate: 64_000),
      ])
  }

  @Test("After a file that could not be probed, errors elsewhere are still reported")
  func missingAssets() throws {
    let job = try #require(
      try Bench().load("concat: [a.wav, b.wav ..2:00]\noutput: x.mp3").jobs.first)
    let bench = Bench()
    #expect {
      try job.export { $0.location == "a.wav" ? nil : bench.asset($0) }
    } throws: { error in
      (error as? Diagnostics)?.all.map(\.message) == [
        "the range ends at 2:00, but 'b.wav' lasts 1:00"
      ]
    }
    #expect(throws: Diagnostics()) { try job.export { _ in nil } }
  }
}
