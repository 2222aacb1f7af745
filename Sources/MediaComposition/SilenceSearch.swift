import MediaTime
import Transcripts

/// A search for silence in a sound: the sound, and what counts as silent.
///
/// The sound is measured in steps of 10 ms that count from its start. The level of a step is the RMS
/// of its samples in its loudest channel.
package struct SilenceSearch: Sendable, Hashable, Codable {
  /// What sounds.
  package var composition: Composition
  /// Over the whole of it.
  package var mix: AudioMix
  /// A step is silent if its level is lower.
  package var threshold: Gain
  /// The least length of a silence; nil: the silences at both ends are sought, of any length.
  package var least: Time?
  /// How silences between sounds are to be shortened that last at least `least`; nil: they are listed.
  package var shortening: PauseShortening?
  /// Edges of words, each of which is to be moved to the quietest place near it; if there are some,
  /// silences are not sought.
  ///
  /// Such a place is the middle of the four steps of 5 ms, counted from the start of the sound, that have
  /// the lowest level in all channels together; of several, the one nearest to the edge.
  package var edges: [SpokenEdge] = []

  /// How long a step is.
  package static let step = Time(value: 1, timescale: 100)

  /// A search in `composition`.
  package init(
    in composition: Composition, mix: AudioMix = .unity, below threshold: Gain,
    lasting least: Time? = nil, shortening: PauseShortening? = nil
  ) {
    self.composition = composition
    self.mix = mix
    self.threshold = threshold
    self.least = least
    self.shortening = shortening
  }

  /// A search in `composition` for the quietest places near `edges`.
  package init(in composition: Composition, near edges: [SpokenEdge]) {
    self.init(in: composition, below: .silence)
    self.edges = edges
  }
}

/// What becomes of a pause: a silence between two sounds.
///
/// What is left of it is its own sound: a part behind the last sound and a part before the next, each
/// of which is at least a quarter of it. They are joined where their levels are nearest.
package struct PauseShortening: Sendable, Hashable, Codable {
  /// How long each pause is afterwards, rounded up to steps.
  package var length: Time
  /// Where words are spoken, in order and apart: nothing nearer to them than `PauseShortening.margin` is
  /// removed.
  package var words: [TimeRange]

  /// What stays beside a word.
  package static let margin = Time(value: 50, timescale: 1000)

  /// A shortening to `length`.
  package init(to length: Time, keeping words: [TimeRange] = []) {
    self.length = length
    self.words = words
  }

  /// How long both sides of a pause overlap where it was shortened: a quarter of what is left, at most
  /// 50 ms.
  package var crossfade: Time {
    min(length.multiplied(by: 1, over: 4), Time(value: 50, timescale: 1000))
  }
}

/// A silence between two sounds that lasts as long as was asked for.
package struct Pause: Sendable, Hashable, Codable {
  /// Why a pause stays as it is.
  package enum Exception: String, Sendable, Hashable, Codable {
    /// Its level moves: it is something soft, as a fade, a whisper or a breath.
    case uneven
    /// Words are spoken in it.
    case spoken
  }

  /// Its steps from the start of the sound.
  package var steps: Range<Int64>
  /// Those to remove; nil where it stays as it is.
  package var removedSteps: Range<Int64>?
  /// Why it stays as it is; nil where it is shortened.
  package var exception: Exception?

  /// A pause of these steps, some of which are removed.
  package init(_ steps: Range<Int64>, removing removedSteps: Range<Int64>) {
    self.steps = steps
    self.removedSteps = removedSteps
  }

  /// A pause that stays as it is.
  package init(_ steps: Range<Int64>, keptAs exception: Exception) {
    self.steps = steps
    self.exception = exception
  }

  /// When it is.
  package var silence: TimeRange { TimeRange(ofSteps: steps) }
  /// What is to be removed; nil where it stays as it is.
  package var removed: TimeRange? { removedSteps.map(TimeRange.init(ofSteps:)) }
}

extension TimeRange {
  /// The time of steps that count from the start of a sound.
  fileprivate init(ofSteps steps: Range<Int64>) {
    self.init(
      start: Time(value: steps.lowerBound, timescale: 100),
      end: Time(value: steps.upperBound, timescale: 100))
  }
}

/// What a search for silence has found.
package struct SilenceFindings: Sendable, Hashable, Codable {
  /// In order, from step to step; one at the end of the sound ends with it. If pauses are to be
  /// shortened, those at both ends alone.
  package var silences: [TimeRange]
  /// The level of the loudest step where all of the sound is silent.
  package var loudest: Gain
  /// If pauses are to be shortened: all of them, in order.
  package var pauses: [Pause]
  /// Where the edges of a search are moved to, in their order.
  package var edges: [Time] = []

  /// Silences, and the level of the loudest step.
  package init(_ silences: [TimeRange], loudest: Gain = .silence, pauses: [Pause] = []) {
    self.silences = silences
    self.loudest = loudest
    self.pauses = pauses
  }

  /// What is between the silences at both ends of a sound of `duration`; nil where all is silent.
  package func sounding(in duration: Time) -> TimeRange? {
    var sounding = TimeRange(start: .zero, duration: duration)
    if let first = silences.first, first.start == .zero {
      sounding = TimeRange(start: first.end, end: duration)
    }
    if let last = silences.last, last.end == duration {
      sounding.duration = last.start - sounding.start
    }
    return sounding.duration > .zero ? sounding : nil
  }
}
