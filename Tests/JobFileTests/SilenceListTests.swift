import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Lists of the silences of outputs.
@Suite("Silence lists") struct SilenceListTests {
  /// What was asked for.
  private final class Searches {
    var list: [SilenceSearch] = []
  }

  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: Time(value: start, timescale: 10), end: Time(value: end, timescale: 10))
  }

  @Test("Outputs have the silences of the mix that last long enough; equal wishes are one search")
  func found() throws {
    let asked = Searches()
    var bench = Bench()
    bench.listen = { search in
      asked.list.append(search)
      return SilenceFindings([Self.range(0, 5), Self.range(100, 120), Self.range(585, 600)])
    }
    let exports = try bench.exports(
      """
      clip: a.wav
      gain: -6 dB
      output:
        - { file: x.wav, silences: { as: [labels, cue], longer_than: 1s, below: -50 dB } }
        - { file: b.flac, silences: { as: labels, longer_than: 1s, below: -50 dB } }
        - { file: c.flac, silences: { as: cue, longer_than: 1600ms, below: -50 dB } }
        - { file: d.flac, silences: { as: [], longer_than: 3s, below: -50 dB } }
        - e.flac
      """)
    let outputs = exports[0].outputs
    #expect(outputs[0].silences?.sidecars == [.labels, .cue])
    #expect(outputs[0].silences?.found == [Self.range(100, 120), Self.range(585, 600)])
    #expect(outputs[1].silences?.found == outputs[0].silences?.found)
    #expect(outputs[2].silences?.found == [Self.range(100, 120)])
    #expect(outputs[3].sidecars.isEmpty && outputs[4].silences == nil)
    #expect(asked.list.map(\.least).count == 2)
    #expect(asked.list.allSatisfy { Int($0.mix.gain.decibels.rounded()) == -6 })
  }

  @Test("A sound whose silences are listed nowhere is not analysed for them")
  func nowhere() throws {
    func listens(_ places: String) throws -> Bool {
      let jobs = try Bench().load(
        "clip: a.wav\noutput: { file: a.flac, silences: { as: \(places), longer_than: 1s, below: -50 dB } }"
      ).jobs
      return try #require(jobs.first).listens
    }
    #expect(try listens("cue") && listens("[labels]"))
    #expect(try !listens("[]"))
  }

  @Test("Lists of silences that are none")
  func refusals() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.flac, silences: labels }
          - { file: b.flac, silences: { as: labels, below: -50 dB } }
          - { file: c.flac, silences: { as: label, longer_than: 1s, below: -50 dB } }
          - { file: d.flac, silences: { as: cue, longer_than: 0s, below: -50 dB } }
          - { file: e.flac, silences: { as: cue, longer_than: 100 samples, below: 3 } }
        """#),
      #"""
      job.yaml:3:31: error: 'silences' is a map, not a text
          3 |   - { file: a.flac, silences: labels }
            |                               ^~~~~~
        help: write { as: labels, longer_than: 1s, below: -50 dB }
      job.yaml:4:31: error: 'silences' needs 'longer_than'
          4 |   - { file: b.flac, silences: { as: labels, below: -50 dB } }
            |                               ^
        help: write { as: labels, longer_than: 1s, below: -50 dB }
      job.yaml:5:37: error: 'label' is no place for silences
          5 |   - { file: c.flac, silences: { as: label, longer_than: 1s, below: -50 dB } }
            |                                     ^~~~~
        help: did you mean 'labels'?
      job.yaml:6:55: error: '0s' is no length of a silence
          6 |   - { file: d.flac, silences: { as: cue, longer_than: 0s, below: -50 dB } }
            |                                                       ^~
        help: write a time, as '1s'
      job.yaml:7:55: error: '100 samples' is no length of a silence
          7 |   - { file: e.flac, silences: { as: cue, longer_than: 100 samples, below: 3 } }
            |                                                       ^~~~~~~~~~~
        help: write a time, as '1s'
      job.yaml:7:75: error: '3' has no unit
          7 |   - { file: e.flac, silences: { as: cue, longer_than: 100 samples, below: 3 } }
            |                                                                           ^
        help: write '3 dB', or a factor as '50 %'
      """#)
  }
}
