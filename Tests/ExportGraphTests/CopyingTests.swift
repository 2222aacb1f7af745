import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

/// What an MP3 is copied from, span by span.
@Suite("Copying")
struct CopyingTests {
  @Test("a clip is copied whole")
  func clip() throws {
    let plan = try plan([clip(talk, from: 10, to: 40, at: 0)])
    #expect(plan.lines == ["0–1323000: talk.mp3 from 382"])
    #expect(plan.parts.map(\.packetCount) == [1151])
  }

  @Test("the output's rate, channels and settings are those of the source that is heard longest")
  func settings() throws {
    let segments = [clip(music, from: 0, to: 5, at: 0), clip(talk, from: 0, to: 20, at: 5)]
    let sink = try #require(try graph(segments).sinks.first)
    #expect(sink.format == .mp3(MP3Settings(.cbr(bitRate: 128_000))))
    #expect(sink.output.sampleRate == 44_100 && sink.output.channelLayout == .stereo)
  }

  @Test("fades, gains, pans and what sounds beside them are encoded, and the rest is copied")
  func changes() throws {
    var faded = clip(talk, from: 0, to: 60, at: 0)
    try faded.mix.setVolumeRamp(
      fromStartVolume: .silence, toEndVolume: .unity, timeRange: range(0, 2))
    let fade = try plan([faded]).lines
    #expect(
      fade == ["0–88751: level", "88751–2646000: talk.mp3 from 78"])
    var quiet = clip(talk, from: 60, to: 70, at: 60)
    quiet.mix.gain = Gain(decibels: -3)
    let gain = try plan([clip(talk, from: 0, to: 60, at: 0), quiet]).lines
    #expect(
      gain == ["0–2643887: talk.mp3 from 0", "2643887–3087000: level"])
    let bed = Track(segments: [clip(music, from: 0, to: 1, at: 30)])
    let mixed = try plan(
      [Track(segments: [clip(talk, from: 0, to: 60, at: 0)]), bed])
    #expect(
      mixed.lines == [
        "0–1321391: talk.mp3 from 0", "1321391–1367471: mixed",
        "1367471–2646000: talk.mp3 from 1188",
      ])
  }

  @Test("a join of one grid has a seam of two or three frames")
  func join() throws {
    // 1152 samples apart.
    let first = clip(talk, from: 0, to: 20, at: 0)
    let second = Segment(
      .asset(talk),
      source: TimeRange(
        start: Time(frames: 20 * 44_100 + 11 * 1152, rate: 44_100), duration: seconds(10)),
      at: seconds(20))
    let plan = try plan([first, second])
    #expect(plan.parts.map { $0.source != nil } == [true, false, true])
    #expect(plan.parts[1].reasons == [.seam] && 2...3 ~= (plan.parts[1].packetCount ?? 0))
  }

  @Test("a join of two grids is encoded, nudged or refused")
  func grids() throws {
    let segments = [clip(talk, from: 0, to: 20, at: 0), clip(talk, from: 30, to: 40, at: 20)]
    let lines = try plan(segments).lines
    #expect(
      lines == ["0–880175: talk.mp3 from 0", "880175–1323000: grid(offset: -216)"])
    let note = try #require(try graph(segments).gridNotes.first)
    #expect(
      note.message
        == "'out.mp3': 0:10.041 of it is encoded, since frames of its sources do not meet on "
        + "one grid")
    #expect(
      note.help == "'join: nudge' copies all, and moves sounds by half a frame at most")
    let nudged = try plan(segments, Output.Copying(join: .nudge))
    #expect(nudged.parts.compactMap(\.source).map(\.nudge) == [0, -216])
    #expect(nudged.parts.compactMap(\.source).count == 2)
    #expect(nudged.parts.allSatisfy { $0.reasons.isEmpty || $0.reasons == [.seam] })
    expect(
      segments, by: Output.Copying(join: .strict),
      "'join: strict' does not encode what cannot be copied: at 0:19.959 its frames begin 216 samples "
        + "too late; 'join: exact' encodes it, 'join: nudge' moves it by half a frame at most")
    expect(
      segments, by: Output.Copying(isStrict: true),
      "'mp3: copy strict' does not encode what cannot be copied: at 0:19.959 its frames begin 216 "
        + "samples too late; 'mp3: copy' encodes it")
  }

  @Test("a clip in two pieces is nudged as one")
  func nudgedPieces() throws {
    let segments = [
      clip(talk, from: 0, to: 20, at: 0), clip(talk, from: 30, to: 35, at: 20),
      clip(talk, from: 35, to: 40, at: 25),
    ]
    let plan = try plan(segments, Output.Copying(join: .nudge))
    #expect(plan.parts.map { $0.source?.nudge } == [0, nil, -216])
    #expect(plan.parts[1].reasons == [.seam])
  }

  @Test("of many sounds that are off the grid, one is named")
  func manyGrids() throws {
    let segments = (0..<20).map { number in
      clip(talk, from: Int64(number) * 7, to: Int64(number) * 7 + 2, at: Int64(number) * 2)
    }
    let whole = clip(talk, from: 200, to: 300, at: 40)
    let plan = try plan(segments + [whole])
    #expect(
      plan.lines == [
        "0–86447: talk.mp3 from 0", "86447–1764911: grid(offset: 468)",
        "1764911–6174000: talk.mp3 from 7658",
      ])
  }

  @Test("automation leaves copies between its ramps, in each clip of a track")
  func automation() throws {
    var track = Track(
      segments: (0..<2).map { clip(music, from: 10 * $0, to: 10 * $0 + 4, at: 4 * $0) })
    for start in [1, 5] as [Int64] {
      try track.mix.setVolumeRamp(
        fromStartVolume: .unity, toEndVolume: .silence, timeRange: range(start, start + 1))
      try track.mix.setVolumeRamp(
        fromStartVolume: .silence, toEndVolume: .unity, timeRange: range(start + 1, start + 2))
    }
    let lines = try samples([track], .wav(.int16)).lines
    #expect(
      lines == [
        "0–44100: music.wav from 0", "44100–132300: level", "132300–176400: music.wav from 0",
        "176400–220500: music.wav from 0", "220500–308700: level",
        "308700–352800: music.wav from 0",
      ])
  }

  @Test("AAC is copied where its packets can be cut, and said to be packets")
  func aac() throws {
    var talk = asset("talk.m4a", "aac")
    talk.container = "mov,mp4,m4a,3gp,3g2,mj2"
    talk.hasExactPackets = true
    let segments = [clip(talk, from: 1, to: 11, at: 0)]
    #expect(
      try packets(segments).parts.map(\.text) == [
        "copied, 433 packets of talk.m4a from packet 41"
      ])
    // Of several clips, packets need headers that agree.
    let pair = [segments[0], clip(talk, from: 21, to: 31, at: 10)]
    #expect {
      try packets(pair)
    } throws: { error in
      (error as? Failure)?.message.contains("its packets can be those of one clip alone") == true
    }
    var other = talk
    (talk.packetSetup, other.packetSetup) = ("1210", "1190")
    other.location = .file(FilePath("other.m4a"))
    let three = [
      clip(talk, from: 1, to: 11, at: 0), clip(other, from: 1, to: 6, at: 10),
      clip(talk, from: 16, to: 26, at: 15),
    ]
    #expect(
      try packets(three).lines == [
        "0–439228: talk.m4a from 41", "439228–662460: setup", "662460–1102500: talk.m4a from 690",
      ])
    talk.packetSetup = nil
    var faded = clip(talk, from: 1, to: 11, at: 0)
    try faded.mix.setVolumeRamp(
      fromStartVolume: .silence, toEndVolume: .unity, timeRange: range(0, 10))
    #expect {
      try packets([faded])
    } throws: { error in
      (error as? Failure)?.message
        == "'aac: copy' finds nothing to copy: a gain, a fade or a pan is on the sound; 'aac: 128k' "
        + "encodes it"
    }
    talk.hasExactPackets = false
    let obstacles: [(PacketObstacle?, String)] = [
      (nil, ""), (.edits, ", since its file plays it in several edits"),
      (.profile, ", since it is AAC of another profile than LC"),
    ]
    for (obstacle, reason) in obstacles {
      talk.packetObstacle = obstacle
      #expect {
        try packets([clip(talk, from: 1, to: 11, at: 0)])
      } throws: { error in
        (error as? Failure)?.message
          == "'aac: copy' finds nothing to copy: its packets cannot be cut exactly\(reason); "
          + "'aac: 128k' encodes it"
      }
    }
  }

  @Test(
    "an output that keeps its codec has a note where its source lets nothing be copied, and else none"
  )
  func keptCodec() throws {
    func notes(
      gain: Double = 1, _ change: (inout Asset) -> Void = { _ in }
    ) throws -> [String] {
      var talk = asset("talk.m4a", "aac")
      talk.container = "mov,mp4,m4a,3gp,3g2,mj2"
      change(&talk)
      var segment = clip(talk, from: 1, to: 11, at: 0)
      segment.mix.gain = Gain(factor: gain)
      var output = Output(path: "out.m4a", format: .m4a(bitRate: 128_000))
      output.copying = Output.Copying(isRequired: false)
      let export = Export(
        name: "same", composition: Composition(tracks: [Track(segments: [segment])]),
        outputs: [output])
      return try Graph(compiling: export).encodedNotes.map(\.message)
    }
    let note = "'out.m4a' keeps its codec, and is encoded anew, which costs quality: its "
    #expect(try notes().allSatisfy { $0.hasPrefix(note + "packets cannot be cut exactly") })
    #expect(try notes().count == 1)
    #expect(
      try notes { $0.container = "flv" } == [note + "container has no exact times of packets"])
    #expect(try notes { $0.hasExactPackets = true } == [])
    #expect(try notes { $0.profile = "HE-AAC" } == [])
    // What is changed is encoded from any source.
    #expect(try notes(gain: 0.5) == [])
  }

  @Test("Vorbis is copied as one clip, which is longer than a block, into Ogg")
  func vorbis() throws {
    var theme = asset("theme.ogg", "vorbis")
    (theme.container, theme.hasExactPackets) = ("ogg", true)
    let cut = [clip(theme, from: 1, to: 11, at: 0)]
    #expect(
      try packets(cut, .vorbis, "out.ogg").parts.map(\.text) == [
        "copied, packets of theme.ogg from sample 44100"
      ])
    let pair = cut + [clip(theme, from: 21, to: 31, at: 10)]
    #expect {
      try packets(pair, .vorbis, "out.ogg")
    } throws: { error in
      (error as? Failure)?.message.contains("its packets can be those of one clip alone") == true
    }
    let block = TimeRange(start: .zero, end: Time(frames: 4096, rate: 44_100))
    let moment = Segment(.asset(theme), source: block, at: .zero)
    #expect(try packets([moment], .vorbis, "out.ogg").lines == ["0–4096: short"])
  }

  private func packets(
    _ segments: [Segment], _ kind: Output.Kind = .aac, _ name: String = "out.m4a"
  ) throws -> CopyPlan {
    var output = Output(path: FilePath(name), request: .copied(kind))
    output.copying = Output.Copying()
    let export = Export(
      name: "copy", composition: Composition(tracks: [Track(segments: segments)]),
      outputs: [output])
    return try #require(try Graph(compiling: export).sinks.first?.copied)
  }

  private func samples(_ tracks: [Track], _ format: Output.Format) throws -> CopyPlan {
    var output = Output(path: "out.wav", format: format)
    output.copying = Output.Copying()
    let export = Export(
      name: "copy", composition: Composition(tracks: tracks), outputs: [output])
    return try #require(try Graph(compiling: export).sinks.first?.copied)
  }

  @Test("a nudge leaves the mix of other outputs as it is")
  func nudgedAlone() throws {
    let segments = [clip(talk, from: 0, to: 20, at: 0), clip(talk, from: 30, to: 40, at: 20)]
    var export = export([Track(segments: segments)], Output.Copying(join: .nudge))
    export.outputs.append(Output(path: "a.wav", format: .wav(.int16)))
    let graph = try Graph(compiling: export)
    #expect(graph.sinks[0].node != graph.sinks[1].node)
    var alone = export
    alone.outputs.removeFirst()
    #expect(graph.subgraph(of: graph.sinks[1].node).nodes == (try Graph(compiling: alone)).nodes)
  }

  @Test("nothing to copy is refused, with the reason and what to write")
  func refusals() throws {
    var quiet = clip(talk, from: 0, to: 10, at: 0)
    quiet.mix.gain = Gain(decibels: -3)
    expect(
      [quiet],
      "'mp3: copy' finds nothing to copy: a gain, a fade or a pan is on the sound; 'mp3: V2' "
        + "encodes it")
    var export = export([Track(segments: [clip(talk, from: 0, to: 10, at: 0)])])
    export.sampleRate = 48_000
    #expect {
      try Graph(compiling: export)
    } throws: { error in
      (error as? Failure)?.message
        == "'mp3: copy' finds nothing to copy: the mix is 48 kHz stereo, and the output 44.1 kHz "
        + "stereo; 'mp3: V2' encodes it"
    }
    expect(
      [clip(music, from: 0, to: 10, at: 0)],
      "'mp3: copy' of sources that are not MP3")
  }

  @Test("a clip of a frame is encoded, and the plan has the reason")
  func short() throws {
    let segment = Segment(
      .asset(talk),
      source: TimeRange(start: seconds(3), duration: Time(frames: 800, rate: 44_100)), at: .zero)
    #expect(try plan([segment]).lines == ["0–800: short"])
    #expect(throws: Failure.self) { try plan([segment], Output.Copying(isStrict: true)) }
  }

  // MARK: - Exports

  private func expect(
    _ segments: [Segment], by copying: Output.Copying = .init(), _ message: String,
    at place: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: place) {
      try plan(segments, copying)
    } throws: { error in
      (error as? Failure)?.message.hasPrefix(message) == true
    }
  }

  private func plan(_ segments: [Segment], _ copying: Output.Copying = .init()) throws -> CopyPlan {
    try plan([Track(segments: segments)], copying)
  }

  private func plan(_ tracks: [Track], _ copying: Output.Copying = .init()) throws -> CopyPlan {
    try #require(try Graph(compiling: export(tracks, copying)).sinks.first?.copied)
  }

  private func graph(_ segments: [Segment]) throws -> Graph {
    try Graph(compiling: export([Track(segments: segments)]))
  }

  private func export(_ tracks: [Track], _ copying: Output.Copying = .init()) -> Export {
    var output = Output(path: "out.mp3", request: .copied(.mp3))
    output.copying = copying
    return Export(name: "copy", composition: Composition(tracks: tracks), outputs: [output])
  }

  private func clip(_ asset: Asset, from: Int64, to: Int64, at start: Int64) -> Segment {
    Segment(.asset(asset), source: range(from, to), at: seconds(start))
  }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: seconds(start), end: seconds(end))
  }

  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  private var talk: Asset {
    var asset = asset("talk.mp3", "mp3")
    asset.encoderDelay = 1105
    asset.mp3Settings = MP3Settings(.cbr(bitRate: 128_000))
    return asset
  }

  private var music: Asset { asset("music.wav", "pcm_s16le") }

  private func asset(_ name: String, _ codec: String) -> Asset {
    Asset(
      location: .file(FilePath(name)), streamIndex: 0, container: codec == "mp3" ? "mp3" : "wav",
      codec: codec, sampleRate: 44_100, channelLayout: .stereo,
      bitDepth: codec.hasPrefix("pcm") ? 16 : nil, frameCount: 44_100 * 600,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }
}

extension CopyPlan {
  /// A line for each part.
  fileprivate var lines: [String] {
    parts.map { part in
      let source = part.source.map { "\($0.location) from \($0.firstPacket ?? 0)" }
      let reasons = part.reasons.map { "\($0)" }.joined(separator: ", ")
      return "\(part.frames.lowerBound)–\(part.frames.upperBound): \(source ?? reasons)"
    }
  }
}
