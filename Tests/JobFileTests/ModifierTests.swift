import Diagnosis
import MediaComposition
import MediaTime
import Testing

@testable import JobFile
@testable import JobModel

/// What modifiers make of an item. Every file lasts a minute.
@Suite struct ModifierTests {
  @Test(
    "A modifier that changes nothing leaves no trace",
    arguments: [
      "gain: 0 dB", "gain: 100 %", "pan: 0 %", "pan: centre", "pan: { 0s: 0 %, 4s: 0 % }",
      "pan: {}", "volume: {}", "volume: { 0s: 0 dB, 30s: 0 dB }", "speed: 1", "speed: 100 %",
      "speed: { rate: 3/3, pitch: follow }", "reverse: false", "loop: 1", "cut: []", "insert: []",
      "effects: []", "mute: false", "polarity: normal", "channels: stereo", "from: start",
      "to: end", "duration: 60s",
    ])
  func null(modifier: String) throws {
    let plain = try Shapes.export("tracks: { x: { clip: a.wav }, y: [b.wav] }")
    let modified = try Shapes.export("tracks: { x: { clip: a.wav, \(modifier) }, y: [b.wav] }")
    #expect(modified.composition.withoutOrigins == plain.composition.withoutOrigins)
    // A sequence on a track stays that track.
    let sequence = "tracks: { x: { concat: [a.wav, b.wav]"
    if !modifier.hasPrefix("channels") && !modifier.contains("60s") && !modifier.contains("m:")
      && !modifier.hasPrefix("to") && !modifier.contains("volume: { 0")
    {
      let list = try Shapes.export("\(sequence), \(modifier) } }")
      #expect(
        list.composition.withoutOrigins
          == (try Shapes.export("\(sequence) } }")).composition.withoutOrigins)
    }
    let job = try Shapes.export("clip: a.wav\n\(modifier)")
    #expect(
      job.composition.withoutOrigins
        == (try Shapes.export("clip: a.wav")).composition.withoutOrigins)
    #expect(job.mix.isUnity)
  }

  @Test("Polarity and mute are a matter of level: the item keeps its place and its length")
  func polarityAndMute() throws {
    let inverted = try Shapes.segment("{ clip: a.wav ..5s, polarity: inverted, gain: 50 % }")
    #expect(inverted.mix == AudioMix(gain: Gain(factor: 0.5), invertsPolarity: true))
    #expect(try Shapes.segment("{ clip: a.wav, polarity: invert }").mix.invertsPolarity)
    let export = try Shapes.export(
      "concat: [{ clip: a.wav ..5s, mute: true, gain: 3 dB, fade_in: 1s, chapter: One }, b.wav]")
    #expect(
      export.composition.tracks.map(Shapes.text) == ["a.wav 0s..5s @ 0s, b.wav 0s..1:00 @ 5s"])
    // The fade is that of a picture, which is seen.
    let fade = VolumeRamp(
      from: .silence, to: .unity,
      over: TimeRange(start: .zero, duration: Time(value: 1, timescale: 1)), picture: .black)
    #expect(
      export.composition.tracks[0].segments[0].mix
        == AudioMix(gain: .silence, envelopes: [VolumeEnvelope([fade])]))
    #expect(Shapes.chapters(export) == ["One @ 0s"])
    #expect(try Shapes.export("clip: a.wav\nmute: true").mix.gain == .silence)
  }

  @Test(
    "Channels are a layout, or one of the file's own",
    arguments: [
      ("mono", ChannelSelection.layout(.mono)), ("left", .channel(0)), ("right", .channel(1)),
      ("channel 1", .channel(0)), ("channel 2", .channel(1)),
    ])
  func channels(text: String, selection: ChannelSelection) throws {
    #expect(try Shapes.segment("{ clip: a.wav, channels: \(text) }").channels == selection)
    // A file of one channel is that channel.
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 60, layout: .mono)
    if text == "mono" || text == "channel 1" {
      #expect(try Shapes.segment("{ clip: a.wav, channels: \(text) }", bench).channels == nil)
    }
  }

  @Test("Positions are looked up in the file's own layout")
  func positions() throws {
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 60, layout: ChannelLayout(mask: 0x3F))
    #expect(try Shapes.segment("{ clip: a.wav, channels: centre }", bench).channels == .channel(2))
    #expect(
      try Shapes.segment("{ clip: a.wav, channels: channel 6 }", bench).channels == .channel(5))
    #expect(
      try Shapes.segment("{ clip: a.wav, channels: stereo }", bench).channels == .layout(.stereo))
  }

  @Test("A job's channels are its mix's, and one channel of its clip makes the mix mono")
  func jobChannels() throws {
    let mono = try Shapes.export("clip: a.wav\nchannels: mono")
    #expect(mono.channelLayout == .mono)
    #expect(mono.composition.tracks[0].segments[0].channels == nil)
    let left = try Shapes.export("clip: a.wav\nchannels: left")
    #expect(left.channelLayout == .mono)
    #expect(left.composition.tracks[0].segments[0].channels == .channel(0))
  }

  @Test("Pan is one place or points, straight from one to the next")
  func pan() throws {
    #expect(
      try Shapes.segment("{ clip: a.wav, pan: -20 % }").mix.pan == PanEnvelope(Pan(position: -0.2)))
    #expect(try Shapes.segment("{ clip: a.wav, pan: right }").mix.pan == PanEnvelope(.right))
    #expect(
      try Shapes.segment("{ clip: a.wav, pan: { 4s: 100 %, 0s: left } }").mix.pan
        == PanEnvelope(
          .left,
          ramps: [
            PanRamp(
              from: .left, to: .right,
              over: TimeRange(start: .zero, end: Time(value: 4, timescale: 1)))
          ]))
  }

  @Test("A volume has a curve in its long form, and fades have all three")
  func curves() throws {
    let segment = try Shapes.segment(
      """
      { clip: a.wav, volume: { points: { 0s: 0 dB, 9s: -inf dB }, curve: exponential },
        fade_in: { duration: 1s, curve: exponential } }
      """)
    #expect(
      segment.mix.envelopes.map { $0.ramps.map(\.curve) } == [[.exponential], [.exponential]])
    #expect(
      try Shapes.segment("{ clip: a.wav, volume: { points: { 0s: 0 dB, 9s: 50 % } } }").mix
        == (try Shapes.segment("{ clip: a.wav, volume: { 0s: 0 dB, 9s: 50 % } }").mix))
  }

  @Test("Pictures fade with the sound and blend in cross-fades, unless a fade cuts them")
  func fadedPictures() throws {
    func moves(_ yaml: String) throws -> [PictureTransition?] {
      let export = try Shapes.export(yaml)
      let mixes = [export.mix] + export.composition.tracks.flatMap(\.segments).map(\.mix)
      return mixes.flatMap(\.envelopes).flatMap(\.ramps).map(\.picture)
    }
    let cut = "{ duration: 1s, picture: cut }"
    #expect(try moves("clip: a.wav\nfade_in: 1s\nfade_out: 1s") == [.black, .black])
    #expect(
      try moves("clip: a.wav\nfade_in: \(cut)\nfade_out: { duration: 1s, picture: fade }")
        == [nil, .black])
    #expect(try moves("concat: [a.wav, b.wav]\ncrossfade: 1s") == [.blend, .blend])
    #expect(try moves("concat: [a.wav, b.wav]\ncrossfade: \(cut)") == [.cut, .cut])
    #expect(
      try moves("concat: [a.wav, { clip: b.wav, crossfade: \(cut) }]\ncrossfade: 2s")
        == [.cut, .cut])
    let ranges = "clip: a.wav\ncut: { ranges: [10s..20s], crossfade:"
    #expect(try moves("\(ranges) 1s }") == [.blend, .blend])
    #expect(try moves("\(ranges) \(cut) }") == [.cut, .cut])
    let found = #expect(throws: Diagnostics.self) {
      try moves("clip: a.wav\nfade_in: { duration: 1s, picture: wipe }")
    }
    #expect(
      found?.all.map(\.message) == ["'wipe' is nothing that a picture does in a fade"])
    #expect(found?.all.first?.help == "write 'fade' or 'cut'")
  }

  @Test("Reverse plays the range from its end, and the rest counts in the reversed sound")
  func reverse() throws {
    let segment = try Shapes.segment("{ clip: a.wav 10s..20s, reverse: true, fade_in: 1s }")
    #expect(Shapes.text(segment) == "a.wav 10s..20s @ 0s reversed")
    #expect(segment.mix.envelopes.first?.ramps.first?.timeRange.start == .zero)
    #expect(try Shapes.tracks("clip: a.wav\nreverse: true") == ["a.wav 0s..1:00 @ 0s reversed"])
  }

  @Test(
    "Speed is an exact factor",
    arguments: [
      ("2", "30s"), ("1.1", "600/11s"), ("110 %", "600/11s"), ("1/3", "3:00"), ("4/3", "45s"),
      ("0.03125", "32:00"), ("32", "1.875s"), ("1.000000001", "60000000000/1000000001s"),
    ])
  func speed(text: String, duration: String) throws {
    let segment = try Shapes.segment("{ clip: a.wav, speed: \(text) }")
    #expect("\(segment.target.duration)" == duration)
    #expect("\(segment.source)" == "0s..1:00")
    #expect(!segment.target.duration.hasBeenRounded)
  }

  @Test(
    "The pitch is kept unless it is told to follow",
    arguments: [
      ("1.5", TimePitchAlgorithm.spectral), ("{ rate: 1.5 }", .spectral),
      ("{ rate: 1.5, pitch: keep }", .spectral), ("{ rate: 1.5, pitch: follow }", .varispeed),
      ("{ rate: 1.5, algorithm: time_domain }", .timeDomain),
      ("{ rate: 1.5, pitch: keep, algorithm: time_domain }", .timeDomain),
      ("{ rate: 1.5, algorithm: varispeed }", .varispeed),
    ])
  func pitch(speed: String, algorithm: TimePitchAlgorithm) throws {
    let job = try Shapes.export("clip: a.wav\nspeed: \(speed)")
    #expect(job.composition.tracks.map(\.timePitchAlgorithm) == [algorithm])
    #expect("\(job.composition.duration)" == "40s")
    // Beside others, too.
    let list = try Shapes.export("concat: [b.wav, { clip: a.wav, speed: \(speed), gain: 50 % }]")
    let segment = try #require(list.composition.tracks.first?.segments.last)
    #expect("\(segment.target)" == "1:00..1:40" && segment.mix.gain == Gain(factor: 0.5))
    guard case .composition(let inner) = segment.content else {
      #expect(algorithm == list.composition.tracks[0].timePitchAlgorithm)
      return
    }
    #expect(inner.tracks.map(\.timePitchAlgorithm) == [algorithm])
    #expect(inner.tracks[0].segments[0].mix.isUnity)
  }

  @Test("Modifiers apply in the language's order, whatever the order of writing")
  func order() throws {
    let segment = try Shapes.segment(
      """
      { fade_out: 1s, effects: [denoise, highpass: 80 Hz, { lowpass: 12 kHz, denoise: 6.5 dB }],
        loop: 2, speed: 2, reverse: true, from: 20s, clip: a.wav }
      """)
    #expect(
      Shapes.text(segment)
        == "[a.wav 20s..1:00 @ 0s for 20s reversed, a.wav 20s..1:00 @ 20s for 20s reversed] "
        + "0s..40s @ 0s (denoise 12 dB, highpass 80 Hz, lowpass 12000 Hz, denoise 6.5 dB)")
    #expect("\(segment.mix.envelopes[0].ramps[0].timeRange)" == "39s..40s")
  }

  @Test("A leveler and a limiter have one setting, or all")
  func levels() throws {
    let segment = try Shapes.segment(
      """
      { clip: a.wav, effects: [leveler, leveler: -20 LKFS, leveler: { target: -18 LUFS, range: 6 dB },
        limiter, limiter: -2 dBTP, limiter: { ceiling: -1.5 dBTP, release: 0.25s }] }
      """)
    #expect(
      segment.effects.map(\.description) == [
        "leveler (target -23 LUFS, range 12 dB)", "leveler (target -20 LUFS, range 12 dB)",
        "leveler (target -18 LUFS, range 6 dB)", "limiter (ceiling -1 dBTP, release 100 ms)",
        "limiter (ceiling -2 dBTP, release 100 ms)", "limiter (ceiling -1.5 dBTP, release 250 ms)",
      ])
  }

  @Test("A loop to the end is cut where the longest other track ends")
  func loopToTheEnd() throws {
    let yaml = """
      tracks:
        voice: [a.wav, 5s, b.wav ..10s]
        short: b.wav ..3s
        music: { clip: b.wav ..20s, at: 10s, loop: end, fade_out: 5s }
        other: { clip: a.wav ..50s, loop: end }
      """
    let export = try Shapes.export(yaml)
    #expect(
      export.composition.tracks.map(Shapes.text).suffix(2) == [
        "[b.wav 0s..20s @ 0s, b.wav 0s..20s @ 20s, b.wav 0s..20s @ 40s, b.wav 0s..20s @ 1:00] "
          + "0s..1:05 @ 10s",
        "[a.wav 0s..50s @ 0s, a.wav 0s..50s @ 50s] 0s..1:15 @ 0s",
      ])
    let music = export.composition.tracks[2].segments[0]
    #expect("\(music.mix.envelopes[0].ramps[0].timeRange)" == "1:00..1:05")
    // What is longer than the others is cut, too.
    #expect(
      try Shapes.tracks("tracks: { x: a.wav ..10s, y: { clip: b.wav, loop: end } }").last
        == "[b.wav 0s..1:00 @ 0s] 0s..10s @ 0s")
    // Behind other items of its track, and in a cross-fade.
    #expect(
      try Shapes.tracks(
        "tracks: { x: a.wav, y: [b.wav ..10s, { clip: a.wav ..9s, crossfade: 2s, loop: end }] }"
      ).last?.hasSuffix(" 0s..52s @ 8s") == true)
  }

  @Test("The keys of a source are defaults, and those of a clip replace them")
  func sources() throws {
    let yaml = """
      sources:
        host: { file: media/host.wav, speed: 2, reverse: true, channels: left, mute: true,
          polarity: inverted, pan: left, effects: [denoise], loop: 2, cut: [0s..10s],
          insert: [{ clip: b.wav, at: 30s }] }
      concat:
        - host
        - { clip: host, speed: 1, reverse: false, channels: stereo, mute: false, polarity: normal,
            pan: centre, effects: [], loop: 1, cut: [], insert: [] }
      """
    let export = try Shapes.export(yaml)
    let segments = export.composition.tracks[0].segments
    #expect("\(segments[0].target.duration)" == "1:50")
    #expect(segments[0].mix == AudioMix(gain: .silence))
    #expect(Shapes.text(segments[1]) == "media/host.wav 0s..1:00 @ 1:50")
    #expect(segments[1].mix.isUnity && segments[1].channels == nil)
  }

  @Test("A hundred thousand rounds are as fast as they are exact, and loops of loops end")
  func manyRounds() throws {
    let export = try Shapes.export("concat: [{ clip: a.wav ..1/3s, loop: 100000 }]")
    #expect("\(export.composition.duration)" == "100000/3s")
    let segment = try Shapes.segment(
      "{ concat: [{ clip: a.wav ..1ms, loop: 1000 }], loop: 1000 }")
    #expect("\(segment.target.duration)" == "16:40")
  }
}

extension Composition {
  /// The same composition, wherever it was written.
  var withoutOrigins: Composition {
    var copy = self
    for track in copy.tracks.indices {
      copy.tracks[track].origin = .unknown
      for index in copy.tracks[track].segments.indices {
        copy.tracks[track].segments[index].origin = .unknown
        if case .composition(let inner) = copy.tracks[track].segments[index].content {
          copy.tracks[track].segments[index].content = .composition(inner.withoutOrigins)
        }
      }
    }
    return copy
  }
}
