import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

@Suite struct DuckScreens {
  private func tracks(_ yaml: String) throws -> [Track] {
    try Shapes.export(yaml).composition.tracks
  }

  @Test("A duck is the track's, beside a clip and beside a list")
  func places() throws {
    let ducking = AudioDucking(under: ["voice"], by: 12)
    let clip = try tracks(
      "tracks: { voice: a.wav, music: { clip: b.wav, gain: -3 dB, duck: { under: voice, by: 12 dB } } }"
    )
    #expect(clip.map(\.ducking) == [nil, ducking])
    #expect(clip[1].segments[0].mix.gain == Gain(decibels: -3))
    let list = try tracks(
      """
      tracks:
        voice: a.wav
        music:
          duck: { under: [voice], by: 12 dB }
          concat: [b.wav ..10s, b.wav ..10s]
          crossfade: 2s
      """)
    #expect(list.map(\.name) == ["voice", "music", "music"])
    #expect(list.map(\.ducking) == [nil, ducking, ducking])
    #expect(Shapes.text(list[1]) == "b.wav 0s..10s @ 0s")
    let effects = try tracks(
      """
      tracks:
        voice: a.wav
        music: { concat: [b.wav, b.wav], effects: [denoise], duck: { under: voice, by: 12 dB } }
      """)
    #expect(effects.map(\.ducking) == [nil, ducking])
  }

  @Test("A duck in a group is under tracks of that group")
  func groups() throws {
    let outer = try tracks(
      """
      tracks:
        talk:
          tracks: { voice: a.wav, bed: { clip: b.wav, duck: { under: voice, by: 9 dB } } }
          at: 2s
        music: { clip: b.wav, duck: { under: talk, by: 6 dB } }
      """)
    guard case .composition(let talk) = outer[0].segments[0].content else {
      Issue.record("the talk is a group")
      return
    }
    #expect(talk.tracks.map { $0.ducking?.keyTracks } == [nil, ["voice"]])
    #expect(outer.map { $0.ducking?.keyTracks } == [nil, ["talk"]])
  }

  @Test("Times, threshold and depth are as they are written, and else as usual")
  func settings() throws {
    let own = try tracks(
      """
      sample_rate: 48 kHz
      tracks:
        voice: a.wav
        music:
          clip: b.wav
          duck: { under: voice, by: 7.5 dB, attack: 0s, hold: 2s, release: 4800 samples, threshold: -50 dB }
      """)[1].ducking
    let expected = AudioDucking(
      under: ["voice"], by: 7.5, attack: .zero, hold: Time(value: 2, timescale: 1),
      release: Time(value: 1, timescale: 10), threshold: Gain(decibels: -50))
    #expect(own == expected)
    #expect(
      try tracks(
        "tracks: { voice: a.wav, music: { clip: b.wav, duck: { under: voice, by: 0 dB } } }")[
          1
        ].ducking == AudioDucking(under: ["voice"], by: 0))
  }

  @Test("Tracks that are not there, and ducks under oneself and in a circle, are refused")
  func names() {
    expect(
      Bench().screen(
        #"""
        tracks:
          voice: a.wav
          music: { clip: b.wav, duck: { under: [voce, jingle], by: 12 dB } }
          bed: { clip: b.wav, duck: { under: bed, by: 12 dB } }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:41: error: there is no track 'voce' beside 'music'
          3 |   music: { clip: b.wav, duck: { under: [voce, jingle], by: 12 dB } }
            |                                         ^~~~
        help: did you mean 'voice'?
      job.yaml:3:47: error: there is no track 'jingle' beside 'music'
          3 |   music: { clip: b.wav, duck: { under: [voce, jingle], by: 12 dB } }
            |                                               ^~~~~~
        help: the other tracks are 'voice', 'bed'
      job.yaml:4:38: error: 'bed' would be lower while it sounds itself
          4 |   bed: { clip: b.wav, duck: { under: bed, by: 12 dB } }
            |                                      ^~~
        help: name another track; 'gain' lowers all of it
      """#)
    expect(
      Bench().screen(
        #"""
        tracks:
          voice: { clip: a.wav, duck: { under: fx, by: 12 dB } }
          music: { clip: b.wav, duck: { under: voice, by: 12 dB } }
          fx: { clip: b.wav, duck: { under: music, by: 12 dB } }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:40: error: these tracks duck in a circle: 'voice' under 'fx' under 'music' under 'voice'
          2 |   voice: { clip: a.wav, duck: { under: fx, by: 12 dB } }
            |                                        ^~
        help: leave one of the ducks out
      job.yaml:4:37: note: and this one
          4 |   fx: { clip: b.wav, duck: { under: music, by: 12 dB } }
            |                                     ^~~~~
      job.yaml:3:40: note: and this one
          3 |   music: { clip: b.wav, duck: { under: voice, by: 12 dB } }
            |                                        ^~~~~
      """#)
  }

  @Test("A duck elsewhere than on a track is refused")
  func elsewhere() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, duck: { under: voice, by: 12 dB } }
        duck: { under: voice, by: 12 dB }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:20: error: 'duck' belongs to a track
          2 |   - { clip: a.wav, duck: { under: voice, by: 12 dB } }
            |                    ^~~~
        help: write it beside all of the track, as music: { concat: [...], duck: ... }
      job.yaml:3:1: error: unknown key 'duck'
          3 | duck: { under: voice, by: 12 dB }
            | ^~~~
        help: 'duck' belongs to a track: write it beside all of the track, as music: { concat: [...], duck: ... }
      """#)
  }

  @Test("Depths, times and thresholds that cannot be are refused")
  func values() {
    func screen(_ duck: String) -> String {
      Bench().exportScreen(
        "tracks: { voice: a.wav, music: { clip: b.wav, duck: \(duck) } }\noutput: x.mp3"
      ).split(separator: "\n").filter { $0.contains("error:") || $0.contains("help:") }
        .joined(separator: "\n")
    }
    let cases = [
      "{ under: voice }": "a duck needs 'by'|write { under: voice, by: 12 dB }",
      "{ by: 12 dB }": "a duck needs 'under'|name the other track",
      "voice": "'duck' is a map, not a text|write { under: voice, by: 12 dB }",
      "{ under: [], by: 12 dB }":
        "an empty list|write a track's name, or a list, as [voice, jingles]",
      "{ under: voice, by: -12 dB }": "'-12 dB' would be louder|a track is lowered by '12 dB'",
      "{ under: voice, by: 12 }": "'12' has no unit|write '12 dB'",
      "{ under: voice, by: 200 dB }": "'200 dB' is out of range|depths go from 0 dB to 100 dB",
      "{ under: voice, by: 50 % }": "'50 %' is no number of decibels|write '12 dB'",
      "{ under: voice, by: 6 dB, threshold: 3 dB }":
        "'3 dB' is out of range|thresholds go from -100 dB to 0 dB",
      "{ under: voice, by: 6 dB, attack: 40s }":
        "the attack lasts 40s, but 30s at most|make it shorter, or write 'volume' points",
      "{ under: voice, by: 6 dB, release: 100 samples }":
        "'100 samples' needs a sample rate|write seconds, or give the job a 'sample_rate'",
    ]
    for (duck, words) in cases {
      let parts = words.split(separator: "|")
      let text = screen(duck)
      #expect(
        text.contains("error: \(parts[0])\n") && text.hasSuffix("help: \(parts[1])"), "\(text)")
    }
  }
}
