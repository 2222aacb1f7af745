import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Testing

/// What an export leaves open, decided from its sources.
@Suite("Settling an export")
struct SettlingTests {
  @Test("a panned mono clip has stereo's usual bit rate, for that is its layout")
  func pannedMono() throws {
    for (kind, format) in [
      (Output.Kind.aac, Output.Format.m4a(bitRate: 128_000)), (.opus, .opus(bitRate: 96_000)),
    ] {
      var export = export([sound(layout: .mono)], [Output(path: "x", request: .usual(kind))])
      export.mix.pan.initial = Pan(position: -1)
      let settled = try export.settled().export.outputs[0]
      #expect(settled.format == format)
      #expect(settled.channelLayout == .stereo)
      #expect(try Graph(compiling: export).sinks[0].format == format)
    }
  }

  @Test(
    "surround is kept where the format has it, and becomes stereo with a note where it has not",
    arguments: [
      (Output.Kind.flac, ChannelLayout.surround51, "5.1"), (.aac, .surround71, "7.1"),
      (.mp3, .surround51, "stereo"), (.alac, .surround71, "stereo"), (.opus, .surround51, "5.1"),
      (.wav, .quad, "quad"),
    ])
  func surround(kind: Output.Kind, layout: ChannelLayout, expected: String) throws {
    let (settled, notes) = try export(
      [sound(layout: layout)], [Output(path: "x", request: .usual(kind))]
    ).settled()
    #expect(settled.outputs[0].channelLayout?.name == expected)
    #expect(settled.channelLayout?.name == expected)
    let codec = kind.capabilities.codecName
    let note = Diagnostic(
      .note,
      "'x' is stereo: '\(layout.count).wav', \(layout.name), is mixed down, without the "
        + "low-frequency channel",
      at: .unknown, help: "\(codec) has no layout of \(layout.name)")
    #expect(notes == (expected == layout.name ? [] : [note]))
  }

  @Test(
    "a lossless output has 24 bits where a source has more than 16, or floats that lost nothing",
    arguments: [
      ("pcm_s16le", 16, false), ("pcm_s24le", 24, true), ("pcm_f32le", nil, true),
      ("pcm_f64be", nil, true), ("pcm_f16le", nil, true), ("wavpack", nil, true),
      ("wavpack", 16, false), ("mp3", nil, false), ("vorbis", nil, false),
    ] as [(String, Int?, Bool)])
  func depths(codec: String, depth: Int?, isDeep: Bool) throws {
    var deep = sound(layout: .mono)
    (deep.codec, deep.bitDepth) = (codec, depth)
    for kind in [Output.Kind.wav, .aiff, .caf, .flac, .alac] {
      let outputs = [Output(path: "x", request: .usual(kind))]
      let settled = try export([sound(layout: .stereo), deep], outputs).settled().export
      #expect(settled.outputs[0].format?.integerDepth == (isDeep ? 24 : 16), "\(kind)")
    }
  }

  @Test("a downmix requested by 'channels' is noted for surround, and not for stereo")
  func askedDownmix() throws {
    let mono = [Output(path: "x", format: .wav(.int16), channelLayout: .mono)]
    #expect(try export([sound(layout: .stereo)], mono).settled().notes == [])
    #expect(
      try export([sound(layout: .surround51)], mono).settled().notes.map(\.message)
        == ["'x' is mono: '6.wav', 5.1, is mixed down, without the low-frequency channel"])
    var preset = Output(path: "x", format: .mp3(MP3Preset.phone.settings))
    preset.mp3Preset = .phone
    #expect(
      try export([sound(layout: .stereo)], [preset]).settled().notes.map(\.message)
        == ["'x' is mono: '2.wav', stereo, is mixed down"])
  }

  @Test("sources of several layouts, and some channels of surround, become stereo")
  func mixedLayouts() throws {
    let output = [Output(path: "x", format: .wav(.int16))]
    let both = export([sound(layout: .surround51), sound(layout: .stereo)], output)
    #expect(try both.settled().export.outputs[0].channelLayout == .stereo)
    var selected = export([sound(layout: .surround51)], output)
    selected.composition.tracks[0].segments[0].channels = .channel(2)
    #expect(try selected.settled().export.outputs[0].channelLayout == .stereo)
    let wide = export(
      [sound(layout: .surround51)], output + [Output(path: "y", format: .mp3(.standard))])
    let graph = try Graph(compiling: wide)
    #expect(
      graph.sinks.map { graph.nodes[$0.node].format.channelLayout } == [.surround51, .stereo])
  }

  @Test("more channels than outputs have become stereo, with a note on how one is taken")
  func manyChannels() throws {
    let layout = ChannelLayout(Array(repeating: .unplaced, count: 10))
    for kind in [Output.Kind.wav, .flac, .mp3] {
      let (settled, notes) = try export(
        [sound(layout: layout)], [Output(path: "x", request: .usual(kind))]
      ).settled()
      #expect(settled.outputs[0].channelLayout == .stereo)
      #expect(
        notes == [
          Diagnostic(
            .note,
            "'x' is stereo: '10.wav', 10 channels without positions, is mixed down", at: .unknown,
            help: "outputs have eight channels at most; for one of these write "
              + "'channels: channel 1', or another")
        ], "\(kind)")
    }
    let refusal = #expect(throws: Diagnostics.self) {
      try export([sound(layout: layout)], [Output(path: "x.wav", request: .copied(.wav))]).settled()
    }
    #expect(
      refusal?.all == [
        Diagnostic(
          "outputs have one to eight channels, not 10", at: .unknown,
          help: "without 'copy' they are mixed down to stereo; for one of them write "
            + "'channels: channel 1', or another")
      ])
  }

  @Test("surround at the side is the same layout as at the back, which it becomes beside that")
  func surroundsAtSides() throws {
    let output = [Output(path: "x", format: .wav(.int16))]
    let pairs: [(back: ChannelLayout, side: UInt64)] = [
      (.surround51, 0x60F), (.surround50, 0x607), (.quad, 0x603),
    ]
    for (back, mask) in pairs {
      let side = ChannelLayout(mask: mask)
      for (layouts, expected) in [
        ([back, side], back), ([side, back, side], back), ([side, side], side),
        ([side, .stereo], .stereo), ([side, .surround71], .stereo),
      ] {
        let (settled, notes) = try export(layouts.map { sound(layout: $0) }, output).settled()
        #expect(settled.outputs[0].channelLayout == expected, "\(layouts)")
        #expect(settled.channelLayout == expected, "\(layouts)")
        #expect(notes.isEmpty == (expected != .stereo), "\(layouts)")
      }
    }
  }

  @Test("an export that is settled stays as it is")
  func idempotence() throws {
    var preset = Output(path: "p", format: .mp3(MP3Preset.phone.settings))
    preset.mp3Preset = .phone
    let requests: [Output] = Output.Kind.allCases.map { Output(path: "x", request: .usual($0)) }
    for layout in [ChannelLayout.mono, .stereo, .surround51, .surround71] {
      for rate in [8000, 44_100, 88_200, 96_000, 192_000] {
        let once = try export([sound(rate: rate, layout: layout)], requests + [preset])
          .settled().export
        #expect(try once.settled().export == once)
      }
    }
  }

  @Test("every impossible setting is thrown at once, each at its own place")
  func allProblems() throws {
    var settings = MP3Settings(.vbr(quality: 2))
    settings.stereoMode = .forced
    settings.lowpass = .hertz(16_000)
    var first = Output(path: "a", format: .mp3(settings))
    first.origins.stereoMode = Origin(rawValue: 1)
    first.origins.lowpass = Origin(rawValue: 2)
    var second = Output(path: "b", format: .m4a(bitRate: 320_000))
    second.origins.format = Origin(rawValue: 3)
    second.id3 = .v24
    second.origins.id3 = Origin(rawValue: 4)
    let export = export([sound(rate: 8000, layout: .mono)], [first, second])
    let found = #expect(throws: Diagnostics.self) { try export.settled() }
    #expect(found?.all.map(\.origin.rawValue) == [1, 2, 3, 4])
    let failure = #expect(throws: Failure.self) { try Graph(compiling: export) }
    #expect(
      failure?.message == "forced joint stereo needs two channels, and there is one; "
        + "'1.wav' is mono: leave 'mode' out, or give the output 'channels: stereo'")
    #expect(failure?.origin == Origin(rawValue: 1))
  }

  @Test(
    "settings and layouts that a format does not have are refused by name",
    arguments: [
      (.flac(bitDepth: 20), 44_100, .mono, "FLAC is written with 16 or 24 bits a sample, not 20"),
      (
        .m4a(bitRate: 128_000), 192_000, .mono,
        "AAC has no sample rate of 192000 Hz: it has 7350, 8000, 11025, 12000, 16000, 22050, "
          + "24000, 32000, 44100, 48000, 64000, 88200, 96000"
      ),
      (
        .m4a(bitRate: 320_000), 8000, .mono,
        "AAC at 8000 Hz with 1 channel has 8 to 48 kbps, not 320"
      ),
      (
        .mp3(.standard), 96_000, .mono,
        "MP3 has no sample rate of 96000 Hz: the nearest is 48000 Hz (it has 8000, 11025, 12000, "
          + "16000, 22050, 24000, 32000, 44100 and 48000)"
      ),
      (
        .vorbis(.bitRate(600_000)), 44_100, .stereo,
        "Vorbis at 44100 Hz with 2 channels has 45 to 500 kbps, not 600"
      ),
      (
        .vorbis(.bitRate(128_000)), 96_000, .stereo,
        "Vorbis has no bit rates at 96000 Hz: give it a quality, as 'q5'"
      ),
      (.wav(.int16), 0, .mono, "no format has a sample rate of 0 Hz"),
      (
        .aiff(.muLaw), 8000, .mono,
        "AIFF has no samples of mu-law: it has 16 bit, 24 bit and 32 bit float"
      ),
      (.mp3(.standard), 48_000, .surround51, "MP3 has one or two channels, not 6"),
      (
        .alac(bitDepth: 16), 48_000, .surround71,
        "ALAC has no layout of 7.1: it has mono, stereo, 5.0 and 5.1"
      ),
      (
        .opus(bitRate: 256_000), 48_000, .surround50,
        "Opus has no layout of 5.0: it has mono, stereo, quad, 5.1 and 7.1"
      ),
      (
        .wav(.int16), 48_000, ChannelLayout([.frontLeft, .frontLeft]),
        "the channel layout names a channel twice"
      ),
    ] as [(Output.Format, Int, ChannelLayout, String)])
  func refusals(format: Output.Format, rate: Int, layout: ChannelLayout, words: String) {
    let output = Output(path: "x", format: format, sampleRate: rate, channelLayout: layout)
    let failure = #expect(throws: Failure.self) {
      try Graph(compiling: export([sound(layout: .stereo)], [output]))
    }
    #expect(failure?.message == words)
    #expect(failure?.remedy == .mendJob)
  }

  @Test(
    "a bit rate that some layout or rate of the sources would have is not refused before they are known"
  )
  func unknownSources() {
    for (format, isPossible) in [
      (Output.Format.opus(bitRate: 8000), true), (.opus(bitRate: 600_000), true),
      (.m4a(bitRate: 640_000), true), (.m4a(bitRate: 800_000), true),
      (.m4a(bitRate: 5_000_000), false), (.vorbis(.bitRate(2_000_000)), false),
      (.flac(bitDepth: 20), false), (.wav(.float32), true), (.mp3(.standard), true),
    ] {
      let output = Output(path: "x", format: format)
      #expect(output.problems(mixRate: nil, mixLayout: nil).isEmpty == isPossible, "\(format)")
      var stereo = output
      stereo.channelLayout = .stereo
      let rate = Located(format.kind.capabilities.sampleRates.nearest(to: 44_100))
      let isStereoPossible = stereo.problems(mixRate: rate, mixLayout: nil).isEmpty
      let export = export(
        [sound(rate: rate.value, layout: .stereo)], [stereo])
      let isSettled = (try? export.settled()) != nil
      #expect(isSettled == isStereoPossible, "\(format)")
    }
  }

  @Test("rates beyond all bounds are refused, and end nothing")
  func farRates() {
    for kind in Output.Kind.allCases {
      for rate in [Int.max, Int.max - 1, Int.min, 0, -1] {
        let nearest = kind.capabilities.sampleRates.nearest(to: rate)
        #expect(kind.capabilities.sampleRates.contains(nearest), "\(kind) \(rate)")
      }
    }
  }

  @Test(
    "a sound of no length, or too long for AIFF, is refused where the format has no room for it")
  func lengths() throws {
    let empty = Composition()
    for kind in Output.Kind.allCases {
      let export = Export(
        name: "x", composition: empty, outputs: [Output(path: "x", request: .usual(kind))])
      guard !kind.capabilities.holdsNoSound else {
        #expect(try Graph(compiling: export).sinks[0].frames.isEmpty)
        continue
      }
      let failure = #expect(throws: Failure.self) { try Graph(compiling: export) }
      #expect(
        failure?.message
          == "\(kind.capabilities.name) cannot hold a sound of no length; write WAV or FLAC")
    }
    let long = sound(rate: 96_000, layout: .stereo, frames: 1 << 30)
    let failure = #expect(throws: Failure.self) {
      try Graph(compiling: export([long], [Output(path: "x", format: .aiff(.int24))]))
    }
    #expect(failure?.message == "AIFF holds less than 4 GiB; write CAF or WAV")
  }

  private func export(_ assets: [Asset], _ outputs: [Output]) -> Export {
    let tracks = assets.map { asset in
      Track(segments: [
        Segment(
          .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
      ])
    }
    return Export(name: "x", composition: Composition(tracks: tracks), outputs: outputs)
  }

  private func sound(rate: Int = 48_000, layout: ChannelLayout, frames: Int64 = 480_000) -> Asset {
    Asset(
      location: .file(FilePath("\(layout.count).wav")), streamIndex: 0, container: "wav",
      codec: "pcm_s16le",
      sampleRate: rate, channelLayout: layout, bitDepth: 16, frameCount: frames,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }
}
