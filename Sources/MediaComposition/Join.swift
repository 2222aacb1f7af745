import Diagnosis
import Glibc
import JSON
import MediaTime

/// Where an item of a timeline ends and the next one begins, as it was written.
package struct Join: Sendable, Hashable, Codable {
  /// What is wrong with the sound there.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  package enum Flaw: Sendable, Hashable, Codable {
    /// The waveform leaps as it does nowhere near.
    case click
    /// So many frames are silent between two sounds that are not.
    case gap(frames: Int)
    /// The sound behind it is so many decibels louder; negative: softer.
    case step(decibels: Double)
  }

  /// Frames of the output, from the one with which the next item begins to that behind the last of
  /// the item before: empty but for a crossfade.
  package var frames: Range<Int64>
  /// Where the job declares the next item.
  package var origin: Origin
  /// What was found; none where all is well.
  package var flaws: [Flaw] = []
  /// Frames of the output that `samples` shows.
  package var shown: Range<Int64>
  /// The waveform of one channel there, 127 being its highest peak.
  package var samples: [Int8]
  /// That peak, 1 being full scale.
  package var peak: Float

  /// A join that was looked at.
  package init(
    frames: Range<Int64>, origin: Origin = .unknown, flaws: [Flaw] = [], shown: Range<Int64>,
    samples: [Int8], peak: Float
  ) {
    self.frames = frames
    self.origin = origin
    self.flaws = flaws
    self.shown = shown
    self.samples = samples
    self.peak = peak
  }
}

extension Join.Flaw: CustomStringConvertible {
  /// As a sentence has it: `a click`, `a gap of 20 samples`, `a step of 12.1 dB up`.
  package var description: String {
    switch self {
    case .click: "a click"
    case .gap(let frames): "a gap of \(frames) samples"
    case .step(let decibels):
      "a step of \(abs(decibels).tenths) dB \(decibels < 0 ? "down" : "up")"
    }
  }

  /// What takes it away.
  package var remedy: String {
    switch self {
    case .click: "crossfade the two ('crossfade: 10ms')"
    case .gap: "trim the silence"
    case .step(let decibels) where abs(decibels) > 20:
      "trim the softer one ('trim') if it is noise, else give both one level ('loudness', 'gain')"
    case .step: "give both one level ('loudness', 'gain')"
    }
  }

  /// In documents.
  fileprivate var json: JSONValue {
    switch self {
    case .click: ["kind": "click"]
    case .gap(let frames): ["kind": "gap", "frames": .count(frames)]
    case .step(let decibels): ["kind": "step", "db": .number(decibels, decimals: 1)]
    }
  }
}

extension Join {
  /// In documents, of sound of this rate; with its waveform where that is wanted.
  package func json(sampleRate: Int, withSamples isDrawn: Bool) -> JSONValue {
    let bytes = samples.map { UInt8(bitPattern: $0) }
    return .members([
      "start": .time(Time(frames: frames.lowerBound, rate: sampleRate)),
      "first_frame": .integer(frames.lowerBound), "end_frame": .integer(frames.upperBound),
      "flaws": .list(flaws.map(\.json)),
      "shown_frame": isDrawn ? .integer(shown.lowerBound) : nil,
      "peak": isDrawn ? .number(Double(peak), decimals: 7) : nil,
      "samples": isDrawn ? .base64(bytes) : nil,
    ])
  }
}
