import MediaComposition
import MediaTime
import Testing

@testable import JobFile
@testable import JobModel

/// What effects with a tail or a medium of their own make of an item. Every file lasts a minute.
@Suite struct EffectTests {
  @Test("A tail lengthens the item by a silence, and what comes later counts in the longer item")
  func tail() throws {
    let segment = try Shapes.segment(
      "{ clip: a.wav ..10s, effects: [delay: { time: 1s, tail: 1.5s }], fade_out: 1s }")
    #expect(
      Shapes.text(segment)
        == "[a.wav 0s..10s @ 0s, silence 0s..1.5s @ 10s] 0s..11.5s @ 0s "
        + "(delay (time 1 s, feedback 30 %, mix 25 %, tail 1.5 s))")
    #expect("\(segment.mix.envelopes[0].ramps[0].timeRange)" == "10.5s..11.5s")
    let tracks = try Shapes.tracks(
      """
      concat:
        - clip: a.wav
          speed: 2
          effects: [{ delay: { time: 20ms, tail: 1s } }, { reverb: { impulse: b.wav, tail: 2s } }]
        - b.wav
      """)
    #expect(tracks.count == 1)
    #expect(tracks[0].hasPrefix("[a.wav 0s..1:00 @ 0s for 30s, silence 0s..3s @ 30s] 0s..33s @ 0s"))
    #expect(tracks[0].hasSuffix(", b.wav 0s..1:00 @ 33s"))
    #expect(
      try Shapes.segment("{ clip: a.wav, effects: [delay: { time: 20ms }] }").target.duration
        == Time(value: 60, timescale: 1))
  }

  @Test("An impulse response is a medium of the job, by its path or by a name of 'sources'")
  func media() throws {
    let yaml = """
      sources: { hall: media/host.wav }
      concat:
        - { clip: a.wav, effects: [reverb: { impulse: hall, mix: 40 % }] }
        - { clip: b.wav, effects: [{ reverb: { impulse: intro.mp3, gain: -6 dB } }] }
      """
    let job = try #require(try Bench().load(yaml + "\noutput: x.wav").jobs.first)
    #expect(
      job.media.map(\.location.description) == ["a.wav", "b.wav", "media/host.wav", "intro.mp3"])
    #expect(job.readFiles.contains("intro.mp3"))
    let export = try Shapes.export(yaml)
    #expect(export.composition.readAssets.count == 4)
    #expect(
      Shapes.text(export.composition.tracks[0].segments[1]).hasSuffix(
        "(reverb (impulse intro.mp3, mix 25 %, gain -6 dB, tail 0 ms))"))
  }
}
