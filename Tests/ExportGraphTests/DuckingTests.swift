import Diagnosis
import JSON
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportGraph

@Suite("Compiling tracks that are lowered under others")
struct DuckingTests {
  @Test("a ducked track is a node that reads its sound and, ahead of it, its keys")
  func nodes() throws {
    let graph = try compile([track("music", under: "voice"), track("voice", at: 20)])
    let ducks = graph.ducks
    try #require(ducks.count == 1)
    let (id, child, keys, ducking) = ducks[0]
    #expect(graph.nodes[child].frames == 0..<10_000 && graph.nodes[id].frames == 0..<10_000)
    #expect(keys.map { graph.nodes[$0].frames } == [20_000..<30_000])
    #expect(graph.tracks == [[id], keys])
    #expect(ducking.depth == 12 && ducking.threshold == 0.01)
    #expect(
      [ducking.attack, ducking.hold, ducking.release, ducking.step, ducking.zero]
        == [80, 300, 600, 10, 0])
    #expect(graph.nodes[id].memory == .frames(930))
    #expect(ducking.reach(of: 0..<1) == -930..<101)
    guard case .mix(let children) = graph.nodes[graph.sinks[0].node].kind else {
      Issue.record("the mix comes last")
      return
    }
    #expect(children == [id] + keys)
  }

  @Test("a ducking by 0 dB, or under keys that never sound, is none")
  func nothing() throws {
    let plain = try compile([track("music"), track("voice")])
    #expect(try compile([track("music", under: "voice", by: 0), track("voice")]) == plain)
    var disabled = track("voice")
    disabled.isEnabled = false
    var muted = track("voice")
    muted.segments[0].mix.gain = .silence
    for silent in [disabled, muted, Track(name: "voice")] {
      #expect(
        try compile([track("music", under: "voice"), silent]) == compile([track("music"), silent]))
    }
    disabled = track("music", under: "voice")
    disabled.isEnabled = false
    #expect(try compile([disabled, track("voice")]).ducks.isEmpty)
  }

  @Test("both tracks of a sequence that cross-fades are ducked, and both are keys")
  func crossFades() throws {
    let lanes = [track("music", under: "voice"), track("music", under: "voice", at: 9)]
    let voices = [track("voice"), track("voice", at: 9)]
    let graph = try compile(lanes + voices)
    #expect(graph.ducks.map(\.keys.count) == [2, 2])
    #expect(graph.ducks.map(\.keys) == [graph.tracks[2] + graph.tracks[3]].flatMap { [$0, $0] })
  }

  @Test("a key is what its track gives to the mix: all its clips, its mix, and its own ducking")
  func keys() throws {
    var fx = track("fx", under: "voice")
    fx.segments.append(contentsOf: track("", at: 15).segments)
    fx.mix.gain = Gain(decibels: -6)
    let graph = try compile([track("music", under: "fx"), fx, track("voice")])
    try #require(graph.ducks.count == 2)
    // Keys come first.
    let (first, second) = (graph.ducks[0], graph.ducks[1])
    #expect(graph.tracks[1] == [first.id] && graph.tracks[0] == [second.id])
    #expect(second.keys == [first.id] && first.keys == graph.tracks[2])
    #expect(abs(graph.nodes[first.child].level.gain - 0.5011872) < 1e-6)
  }

  @Test("where a window cuts a group, its keys are compiled as far as they are heard by the duck")
  func windows() throws {
    let inner = Composition(tracks: [
      track("music", under: "fx", at: 0, lasting: 20),
      track("fx", under: "voice", at: 0, lasting: 20), track("voice", at: 0, lasting: 20),
    ])
    let group = Segment(
      .composition(inner), source: TimeRange(start: seconds(8), duration: seconds(4)),
      at: seconds(3))
    let graph = try compile([Track(segments: [group])])
    try #require(graph.ducks.count == 2)
    let (fx, music) = (graph.ducks[0], graph.ducks[1])
    #expect(graph.nodes[music.id].frames == 3000..<7000)
    #expect(graph.nodes[fx.id].frames == 2070..<7100)
    #expect(graph.nodes[fx.keys[0]].frames == 1140..<7200)
    // The steps are those of the whole group, whose zero lies before the timeline.
    #expect(music.ducking.zero == -5000)
    #expect(graph.nodes[graph.sinks[0].node].frames == 0..<7000)
  }

  @Test("a ducking that cannot be is refused at its track")
  func refusals() {
    func message(_ tracks: [Track]) -> Failure? {
      do throws(Failure) {
        _ = try compile(tracks)
        return nil
      } catch {
        return error
      }
    }
    var ducked = track("music", under: "voice")
    ducked.origin = Origin(rawValue: 7)
    #expect(
      message([ducked])
        == Failure(
          .mendJob, "there is no track 'voice' to be ducked under", origin: Origin(rawValue: 7)))
    ducked.ducking?.depth = -3
    #expect(message([ducked, track("voice")])?.origin == Origin(rawValue: 7))
    #expect(
      message([track("a", under: "b"), track("b", under: "a")])?.message
        == "the track 'a' is ducked under itself")
  }

  @Test("a ducked clip is no copy of its file's samples, and needs dither")
  func dither() throws {
    let graph = try compile([track("music", under: "voice"), track("voice", at: 20)])
    let plain = try compile([track("music"), track("voice", at: 20)])
    let root = graph.sinks[0].node
    #expect(graph.needsDither(root, as: .wav(.int16)))
    #expect(!plain.needsDither(plain.sinks[0].node, as: .wav(.int16)))
  }

  @Test("the estimate of work counts the key as far as it is read, and the gain")
  func estimate() throws {
    let composition = [track("music", under: "voice", lasting: 20), track("voice", lasting: 20)]
    let plain = [track("music", lasting: 20), track("voice", lasting: 20)]
    let (ducked, other) = (try compile(composition), try compile(plain))
    #expect(ducked.estimatedWork > other.estimatedWork)
    #expect(ducked.estimatedWork < other.estimatedWork * 1.2)
  }

  @Test("plans name the depth, the keys and the times")
  func plans() throws {
    let graph = try compile([
      track("music", under: "voice", by: 7.5), track("voice", at: 5, lasting: 10),
    ])
    #expect(
      graph.planText(name: "show", duration: seconds(15)) == """
        show: 0:15.000, mixed at 1 kHz stereo
          timeline
            0:00.000 – 0:10.000  ducked by 7.5 dB under 'voice', attack 0.08s, hold 0.3s, release 0.6s
              0:00.000 – 0:10.000  sound.wav from 0:00.000
            0:05.000 – 0:15.000  sound.wav from 0:00.000
          outputs
            out.wav  WAV 32 bit float, 1 kHz stereo

        """)
    let json = graph.planJSON(name: "show", duration: seconds(15), records: []).line
    #expect(
      json.contains(
        #"{"id":2,"kind":"duck","sample_rate":1000,"channels":"stereo","first_frame":0,"#
          + #""end_frame":10000,"gain":1,"ramps":[],"process":"ducked by 7.5 dB under 'voice', "#
          + #"attack 0.08s, hold 0.3s, release 0.6s","inputs":[0,1]}"#), "\(json)")
  }

  @Test("names of tracks do not count in what an export depends on, depths do")
  func encoding() throws {
    func bytes(_ tracks: [Track]) throws -> [UInt8] {
      var bytes: [UInt8] = []
      let encoder = CanonicalEncoder(naming: { $0.bytes }) { bytes += $0 }
      try encoder.encode(try compile(tracks).nodes)
      return bytes
    }
    let voiced = try bytes([track("music", under: "voice"), track("voice")])
    #expect(try bytes([track("bed", under: "talk"), track("talk")]) == voiced)
    #expect(try bytes([track("music", under: "voice", by: 11), track("voice")]) != voiced)
    #expect(try bytes([track("music"), track("voice")]) != voiced)
  }

  private func compile(_ tracks: [Track]) throws(Failure) -> Graph {
    try Graph(
      compiling: Export(
        name: "test", composition: Composition(tracks: tracks),
        outputs: [Output(path: "out.wav", format: .wav(.float32))]))
  }

  private func track(
    _ name: String, under keys: String..., by depth: Double = 12, at start: Int64 = 0,
    lasting duration: Int64 = 10
  ) -> Track {
    let asset = Asset(
      location: .file("sound.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 1000,
      channelLayout: .stereo, bitDepth: 16, frameCount: 30_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    let source = TimeRange(start: .zero, duration: seconds(duration))
    return Track(
      name: name, segments: [Segment(.asset(asset), source: source, at: seconds(start))],
      ducking: keys.isEmpty ? nil : AudioDucking(under: keys, by: depth))
  }

  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }
}

extension Graph {
  fileprivate var ducks: [(id: Node.ID, child: Node.ID, keys: [Node.ID], ducking: Ducking)] {
    nodes.enumerated().compactMap { id, node in
      guard case .duck(let child, let keys, let ducking) = node.kind else { return nil }
      return (id, child, keys, ducking)
    }
  }
}
