import Diagnosis
import ExportGraph
import MPEGAudio
import JSON
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@Suite("Plans")
struct PlanTests {
  @Test("the text shows speed, direction, channels, effects and pan, and ramps in order of time")
  func text() throws {
    let graph = try Graph(compiling: export())
    #expect(
      graph.planText(name: "show", duration: export().composition.duration) == """
        show: 0:20.000, mixed at 44.1 kHz stereo
          timeline
            0:00.000 – 0:10.000  music.wav from 0:00.000, polarity inverted, gain −6.0 dB, \
        silence at 0:00.000 to 0.0 dB at 0:01.000, 0.0 dB at 0:04.000 to −6.0 dB at 0:05.000, \
        0.0 dB at 0:09.000 to silence at 0:10.000, pan 0 % at 0:02.000 to −20 % at 0:03.000
            0:10.000 – 0:20.000  part, pan 50 %
              0:00.000 – 0:10.000  highpass 80 Hz, denoise 12 dB
                0:00.000 – 0:10.000  speed × 1.05, pitch kept (rubberband)
                  0:00.000 – 0:10.500  reversed
                    0:00.000 – 0:10.500  music.wav from 0:02.000, channel 2 alone
          outputs
            out.wav  WAV 16 bit, 44.1 kHz stereo, dithered

        """)
  }

  @Test("the text shows a varied clip and a varied group")
  func varispeed() throws {
    var fast = Segment(
      .asset(music),
      TimeMapping(source: range(5, 15), target: range(0, 8)))
    fast.channels = .layout(.mono)
    let inner = Composition(tracks: [
      Track(segments: [fast], timePitchAlgorithm: .varispeed)
    ])
    var group = Segment(
      .composition(inner), TimeMapping(source: range(0, 8), target: range(0, 16)))
    group.channels = .channel(0)
    let composition = Composition(tracks: [
      Track(segments: [group], timePitchAlgorithm: .varispeed)
    ])
    let graph = try Graph(
      compiling: Export(
        name: "slow", composition: composition,
        outputs: [Output(path: "out.wav", format: .wav(.float32))]))
    #expect(
      graph.planText(name: "slow", duration: composition.duration) == """
        slow: 0:16.000, mixed at 44.1 kHz stereo
          timeline
            0:00.000 – 0:16.000  part
              0:00.000 – 0:16.000  varispeed × 0.5
                0:00.000 – 0:08.000  group, channel 1 alone
                  0:00.000 – 0:08.000  music.wav from 0:05.000, as mono, varispeed × 1.25
          outputs
            out.wav  WAV 32 bit float, 44.1 kHz stereo

        """)
  }

  @Test("groups and parts have the names of their tracks, and nodes in JSON and diagrams do")
  func trackNames() throws {
    let source = range(0, 8)
    let group = Segment(
      .composition(
        Composition(tracks: [
          Track(segments: [Segment(.asset(music), TimeMapping(source: source, target: source))])
        ])), TimeMapping(source: source, target: source))
    var part = Segment(.asset(music), TimeMapping(source: source, target: source))
    part.isReversed = true
    let composition = Composition(tracks: [
      Track(name: "voice", segments: [group]), Track(name: "music", segments: [part]),
    ])
    let graph = try Graph(
      compiling: Export(
        name: "x", composition: composition,
        outputs: [Output(path: "out.wav", format: .wav(.float32))]))
    #expect(
      graph.planText(name: "x", duration: composition.duration) == """
        x: 0:08.000, mixed at 44.1 kHz stereo
          timeline
            0:00.000 – 0:08.000  group 'voice'
              0:00.000 – 0:08.000  music.wav from 0:00.000
            0:00.000 – 0:08.000  part 'music'
              0:00.000 – 0:08.000  reversed
                0:00.000 – 0:08.000  music.wav from 0:00.000
          outputs
            out.wav  WAV 32 bit float, 44.1 kHz stereo

        """)
    let names = graph.nodesJSON.elements?.compactMap { $0["track"]?.text }
    #expect(names == ["voice", "music"])
    #expect(graph.diagram(in: .dot, name: "x", prefix: "").contains("track voice"))
  }

  @Test("a mix that is cut as a whole has the tracks of the mix, and one for what was inserted")
  func tracksOfPieces() throws {
    let whole = range(0, 8)
    func clip(_ origin: Origin = .unknown) -> Segment {
      Segment(.asset(music), TimeMapping(source: whole, target: whole), origin: origin)
    }
    let map = SourceMap()
    let origins = map.add(arguments: ["job", "voice", "bed", "ad"])
    let mix = Composition(tracks: [
      Track(name: "voice", segments: [clip()], origin: origins[1]),
      Track(name: "bed", segments: [clip()], origin: origins[2]),
    ])
    func piece(_ source: TimeRange, at start: Int64) -> Segment {
      Segment(
        .composition(mix),
        TimeMapping(
          source: source,
          target: TimeRange(start: Time(value: start, timescale: 1), duration: source.duration)),
        origin: origins[0])
    }
    var ad = clip(origins[3])
    ad.target.start = Time(value: 6, timescale: 1)
    let pieces = [piece(range(0, 2), at: 0), piece(range(4, 8), at: 2), ad]
    func heard(_ composition: Composition) throws -> [String] {
      let graph = try Graph(
        compiling: Export(
          name: "x", composition: composition,
          outputs: [Output(path: "out.wav", format: .wav(.float32))]))
      return graph.heardTracks.map { "\($0.name ?? "-") \($0.nodes.count)" }
    }
    let cut = Composition(tracks: [Track(segments: pieces, origin: origins[0])])
    #expect(try heard(cut) == ["voice 2", "bed 2", "insertions 1"])
    // Cut once more, as a repetition or a range of all is.
    let again = Composition(tracks: [
      Track(
        segments: [
          Segment(
            .composition(cut), TimeMapping(source: range(1, 7), target: range(0, 6)),
            origin: origins[0])
        ], origin: origins[0])
    ])
    #expect(try heard(again) == ["voice 2", "bed 2", "insertions 1"])
    // Items of a list keep their own track.
    let list = Composition(tracks: [Track(segments: Array(pieces.prefix(1)), origin: origins[3])])
    #expect(try heard(list) == ["- 1"])
  }

  @Test("the text shows the version of an output's tag where it is set, or matters to players")
  func tagVersions() throws {
    let start = Time.zero
    let plain = [Chapter(start: start, title: "A", url: "https://example.org")]
    let rich = [Chapter(start: start, title: String(repeating: "é", count: 64))]
    let cases: [(ID3Version?, [Chapter], String, String)] = [
      (nil, [], "", "2.4"), (nil, plain, "", "2.4"), (.v24, plain, ", ID3v2.4", "2.4"),
      (.v23, plain, ", ID3v2.3", "2.3"), (.v23, rich, ", ID3v2.3", "2.3"),
      (
        nil, rich, ", ID3v2.3: in 2.4 FFmpeg loses chapters with an image or a long text", "2.3"
      ),
      (
        .v24, rich, ", ID3v2.4, of which FFmpeg loses chapters with an image or a long text", "2.4"
      ),
    ]
    for (version, chapters, words, told) in cases {
      var export = export()
      export.outputs = [Output(path: "out.mp3", format: .mp3(.standard))]
      export.outputs[0].id3 = version
      export.chapters = chapters
      let graph = try Graph(compiling: export)
      let duration = export.composition.duration
      #expect(
        graph.planText(name: "show", duration: duration)
          .hasSuffix("\n    out.mp3  MP3 V2, 44.1 kHz stereo\(words)\n"))
      let document = graph.planJSON(name: "show", duration: duration, records: [])
      #expect(document.line.contains("\"id3\":\"\(told)\""))
    }
  }

  @Test("the JSON shows the same of each node, its ramps in order of time")
  func json() throws {
    let document = try Graph(compiling: export()).planJSON(
      name: "show", duration: export().composition.duration,
      records: [ExportRecord(path: "out.json")])
    let nodes = [
      #"{"id":0,"kind":"source","sample_rate":44100,"channels":"stereo","first_frame":0,"#
        + #""end_frame":441000,"gain":-0.5011872,"ramps":[{"first_frame":0,"#
        + #""end_frame":44100,"start":0,"end":1,"curve":"linear"},{"first_frame":176400,"#
        + #""end_frame":220500,"start":1,"end":0.5011872,"curve":"linear"},"#
        + #"{"first_frame":396900,"end_frame":441000,"start":1,"end":0,"curve":"linear"}],"#
        + #""pan":0,"pan_ramps":[{"first_frame":88200,"end_frame":132300,"start":0,"#
        + #""end":-0.2,"curve":"linear"}],"path":"music.wav","source_frame":0,"inputs":[]}"#,
      #"{"id":1,"kind":"source","sample_rate":44100,"channels":"stereo","first_frame":0,"#
        + #""end_frame":463050,"gain":1,"ramps":[],"selection":"channel 2 alone","#
        + #""path":"music.wav","source_frame":88200,"inputs":[]}"#,
      #"{"id":2,"kind":"process","sample_rate":44100,"channels":"stereo","#
        + #""first_frame":0,"end_frame":463050,"gain":1,"ramps":[],"process":"reversed","#
        + #""inputs":[1]}"#,
      #"{"id":3,"kind":"process","sample_rate":44100,"channels":"stereo","#
        + #""first_frame":0,"end_frame":441000,"gain":1,"ramps":[],"process":"speed × 1.05,"#
        + #" pitch kept (rubberband)","inputs":[2]}"#,
      #"{"id":4,"kind":"process","sample_rate":44100,"channels":"stereo","#
        + #""first_frame":0,"end_frame":441000,"gain":1,"ramps":[],"#
        + #""process":"highpass 80 Hz, denoise 12 dB","inputs":[3]}"#,
      #"{"id":5,"kind":"excerpt","sample_rate":44100,"channels":"stereo","#
        + #""first_frame":441000,"end_frame":882000,"gain":1,"ramps":[],"pan":0.5,"#
        + #""pan_ramps":[],"source_frame":0,"inputs":[4]}"#,
      #"{"id":6,"kind":"mix","sample_rate":44100,"channels":"stereo","first_frame":0,"#
        + #""end_frame":882000,"gain":1,"ramps":[],"inputs":[0,5]}"#,
    ]
    let expected: String =
      #"{"name":"show","duration":20,"duration_exact":"20s","nodes":["#
      + nodes.joined(separator: ",")
      + #"],"chapters":[],"outputs":[{"path":"out.wav","format":"WAV 16 bit","node":6,"#
      + #""first_frame":0,"end_frame":882000,"dithered":true,"metadata":{},"chapter_files":[]}],"#
      + #""records":[{"path":"out.json"}]}"#
    #expect(document.line == expected)
    // What is to be fetched is found where media are read.
    let job = document.with(["fetches": []])
    let whole: JSONValue = [
      "version": 2, "avjob": "0.1.0", "jobs": [job], "exit_status": 0, "messages": [],
    ]
    try JSONSchema.validate(whole.line, as: "plan")
  }

  @Test("the text and the JSON say where words go, how many, and by which map they were moved")
  func words() throws {
    var export = export()
    let cue = Cue("Hello", in: range(1, 2), words: [Word("Hello", in: range(1, 2))])
    export.transcript = Transcript([cue, Cue("Bye", in: range(3, 4))], language: "en")
    export.outputs = [Output(path: "out.mp3", format: .mp3(.standard))]
    export.outputs[0].transcript = TranscriptPlaces(sidecars: [.vtt, .txt], lyrics: true)
    let graph = try Graph(compiling: export)
    let duration = export.composition.duration
    #expect(
      graph.planText(name: "show", duration: duration).hasSuffix(
        """
            out.mp3  MP3 V2, 44.1 kHz stereo
              in it: lyrics, 2 cues
            out.vtt  WebVTT, 2 cues
            out.txt  plain text, 2 cues

        """))
    let document = graph.planJSON(name: "show", duration: duration, records: []) {
      export.heardParts
    }
    let expected = [
      #""transcript":{"cues":2,"words":1,"language":"en","captions":false,"lyrics":true},"#
        + #""transcript_files":[{"path":"out.vtt","format":"WebVTT","media_type":"text/vtt"},"#
        + #"{"path":"out.txt","format":"plain text","media_type":"text/plain"}]"#,
      #""heard":[{"path":"music.wav","source_start":0,"source_start_exact":"0s","source_end":10,"#
        + #""source_end_exact":"10s","start":0,"start_exact":"0s","end":10,"end_exact":"10s"},"#
        + #"{"path":"music.wav","source_start":2,"#,
    ]
    for part in expected { #expect(document.line.contains(part), "\(document.line)") }
    #expect(document.line.contains(#""reversed":true"#))
    let whole: JSONValue = [
      "version": 2, "avjob": "0.1.0", "jobs": [document.with(["fetches": []])],
      "exit_status": 0, "messages": [],
    ]
    try JSONSchema.validate(whole.line, as: "plan")
    // Without a place for words, there is neither.
    export.outputs[0].transcript = .none
    let without = try Graph(compiling: export).planJSON(
      name: "show", duration: duration, records: []
    ) {
      export.heardParts
    }
    #expect(!without.line.contains("heard") && !without.line.contains("transcript"))
  }

  @Test("a record stands among the outputs")
  func records() throws {
    let text = try Graph(compiling: export()).planText(
      name: "show", duration: export().composition.duration,
      records: [ExportRecord(path: "out.json")])
    #expect(text.hasSuffix("\n    out.json  JSON record\n"))
  }
}

extension PlanTests {
  fileprivate var music: Asset {
    Asset(
      location: .file("music.wav"), streamIndex: 0, container: "wav", codec: "pcm",
      sampleRate: 44_100,
      channelLayout: .stereo, bitDepth: 16, frameCount: 44_100 * 60,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  fileprivate func export() -> Export {
    var first = Segment(.asset(music), source: range(0, 10), at: .zero)
    first.mix = AudioMix(
      gain: Gain(decibels: -6),
      volume: VolumeEnvelope([ramp(.unity, Gain(decibels: -6), 4, 5)]),
      envelopes: [
        VolumeEnvelope([ramp(.unity, .silence, 9, 10)]),
        VolumeEnvelope([ramp(.silence, .unity, 0, 1)]),
      ],
      pan: PanEnvelope(
        .centre, ramps: [PanRamp(from: .centre, to: Pan(position: -0.2), over: range(2, 3))]),
      invertsPolarity: true)
    let source = TimeRange(start: range(2, 3).start, duration: Time(value: 21, timescale: 2))
    let second = Segment(
      .asset(music), TimeMapping(source: source, target: range(10, 20)), channels: .channel(1),
      isReversed: true, effects: [.highpass(frequency: 80), .denoise(reduction: 12)],
      mix: AudioMix(pan: PanEnvelope(Pan(position: 0.5))))
    return Export(
      name: "show", composition: Composition(tracks: [Track(segments: [first, second])]),
      outputs: [Output(path: "out.wav", format: .wav(.int16))])
  }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 1), end: Time(value: end, timescale: 1))
  }

  private func ramp(_ from: Gain, _ to: Gain, _ start: Int64, _ end: Int64) -> VolumeRamp {
    VolumeRamp(from: from, to: to, over: range(start, end))
  }
}
