import MediaComposition
import MediaTime
import Testing

@Suite("Tracks that are lowered under others")
struct AudioDuckingTests {
  private let a = sound("a.wav")

  private func track(_ name: String?, under keys: String..., by depth: Double = 12) -> Track {
    Track(
      name: name, segments: [clip(a, from: 0, lasting: 5, at: 0)],
      ducking: keys.isEmpty ? nil : AudioDucking(under: keys, by: depth))
  }

  private func error(_ tracks: Track...) -> EditError? {
    do throws(EditError) {
      try Composition(tracks: tracks).validate()
      return nil
    } catch {
      return error
    }
  }

  @Test("a ducking has the settings that suit speech over music, unless others are given")
  func defaults() {
    let ducking = AudioDucking(under: ["voice"], by: 12)
    #expect(ducking.attack.seconds == 0.08 && ducking.hold.seconds == 0.3)
    #expect(ducking.release.seconds == 0.6 && abs(ducking.threshold.decibels + 40) < 1e-9)
  }

  @Test("under one track, several, those of one name, and in a row, is valid")
  func valid() {
    #expect(error(track("music", under: "voice"), track("voice")) == nil)
    #expect(error(track(nil, under: "voice"), track("voice"), track("voice")) == nil)
    #expect(
      error(track("music", under: "fx", "voice"), track("fx", under: "voice"), track("voice"))
        == nil)
    #expect(error(track("music", under: "voice", by: 0), track("voice")) == nil)
  }

  @Test("a ducking under a track that is not there is refused")
  func unknown() {
    #expect(error(track("music", under: "voice"), track("Voice")) == .unknownTrack("voice"))
    #expect(error(track("music", under: "voice"), track(nil)) == .unknownTrack("voice"))
    #expect("\(EditError.unknownTrack("voice"))" == "there is no track 'voice' to be ducked under")
  }

  @Test("a ducking under itself or in a circle is refused, and one in a long row")
  func circles() {
    #expect(error(track("a", under: "a")) == .circularDucking("a"))
    #expect(error(track("a"), track("a", under: "a")) == .circularDucking("a"))
    #expect(error(track("a", under: "b"), track("b", under: "a")) == .circularDucking("a"))
    #expect(
      error(track("x", under: "a"), track("a", under: "b"), track("b", under: "a"))
        == .circularDucking("a"))
    let row = ["a", "b", "c", "d"].map { name in
      track(name, under: String(Unicode.Scalar(UInt8(name.utf8.first ?? 0) + 1)))
    }
    #expect(error(row[0], row[1], row[2], row[3], track("e")) == nil)
    #expect(
      error(row[0], row[1], row[2], row[3], track("e", under: "f"), track("f")) == .tooManyDuckings
    )
    #expect(
      "\(EditError.tooManyDuckings)" == "more than 4 tracks are ducked under one another in a row")
    #expect("\(EditError.circularDucking("a"))" == "the track 'a' is ducked under itself")
  }

  @Test("depths, times and thresholds out of bounds are refused")
  func bounds() {
    let changes: [(inout AudioDucking) -> Void] = [
      { $0.keyTracks = [] }, { $0.depth = -1 }, { $0.depth = 101 }, { $0.depth = .nan },
      { $0.attack = seconds(-1) }, { $0.hold = seconds(31) }, { $0.release = .invalid },
      { $0.attack = .positiveInfinity }, { $0.threshold = .silence },
    ]
    for change in changes {
      var ducked = track("music", under: "voice")
      if var ducking = ducked.ducking {
        change(&ducking)
        ducked.ducking = ducking
      }
      guard case .invalidDucking = error(ducked, track("voice")) else {
        Issue.record("\(String(describing: ducked.ducking)) is valid")
        continue
      }
    }
    #expect(
      "\(EditError.invalidDucking(AudioDucking(under: [], by: 1)))"
        == "a ducking has a key track, 0 to 100 dB, times of 0 to 30s and a threshold above -inf dB"
    )
  }

  @Test("a track that is taken out is no key any more, unless another one has its name")
  func removal() throws {
    var composition = Composition(tracks: [
      track("music", under: "voice", "fx"), track("voice"), track("voice"), track("fx"),
    ])
    composition.removeTrack(at: 1)
    #expect(composition.tracks[0].ducking?.keyTracks == ["voice", "fx"])
    composition.removeTrack(at: 1)
    #expect(composition.tracks[0].ducking?.keyTracks == ["fx"])
    composition.removeTrack(at: 1)
    #expect(composition.tracks[0].ducking == nil)
    try composition.validate()
  }

  @Test(
    "a composition that is inserted keeps its duckings, beside tracks that are ducked otherwise")
  func insertion() throws {
    let other = Composition(tracks: [track("music", under: "voice"), track("voice")])
    var same = other
    try same.insertTimeRange(range(1, 3), of: other, at: seconds(2))
    #expect(same.tracks.count == 2 && same.tracks.map(\.ducking) == other.tracks.map(\.ducking))
    #expect(same.duration == seconds(8))
    var plain = Composition(tracks: [track("music"), track(nil)])
    try plain.insertTimeRange(range(0, 5), of: other, at: .invalid)
    #expect(plain.tracks.map(\.name) == ["music", nil, "music", "voice"])
    #expect(plain.tracks.map { $0.ducking?.depth } == [nil, nil, 12, nil])
    try plain.validate()
  }

  @Test("a track that is inserted into another one leaves its ducking behind")
  func trackInsertion() throws {
    var receiver = track("bed")
    var music = track("music", under: "voice")
    music.preferredVolume = Gain(decibels: -3)
    try receiver.insertTimeRange(range(0, 5), of: music, at: .invalid)
    guard case .composition(let inner) = receiver.segments.last?.content else {
      Issue.record("it needs its volume")
      return
    }
    #expect(inner.tracks.map(\.ducking) == [nil])
    try Composition(tracks: [receiver]).validate()
  }

  @Test("ranges that are removed or scaled move sounds, and leave duckings as they are")
  func edits() throws {
    var composition = Composition(tracks: [track("music", under: "voice"), track("voice")])
    let duckings = composition.tracks.map(\.ducking)
    try composition.removeTimeRange(range(1, 2))
    try composition.scaleTimeRange(range(0, 1), toDuration: seconds(3))
    try composition.insertEmptyTimeRange(range(1, 1))
    #expect(composition.tracks.map(\.ducking) == duckings)
    try composition.validate()
  }
}
