import Diagnosis
import MediaTime

/// Where the silences of an output are listed, and which those are.
package struct SilencePlaces: Sendable, Hashable, Codable {
  /// A list of silences beside an output, under its name.
  package enum Sidecar: String, Sendable, Hashable, CaseIterable, Codable {
    /// Audacity's labels: start and end of each silence, to the millionth of a second.
    case labels
    /// A CUE sheet with a track for each part between silences, whose pregap (`INDEX 00`) is the silence
    /// before it, to the 75th of a second.
    case cue

    /// What stands in place of the output's extension.
    package var fileExtension: String {
      switch self {
      case .labels: "silences.txt"
      case .cue: "silences.cue"
      }
    }

    /// Its name for people.
    package var name: String {
      switch self {
      case .labels: "labels of silences"
      case .cue: "CUE sheet of silences"
      }
    }
  }

  /// The files beside the output, no kind twice.
  package var sidecars: [Sidecar]
  /// How long a silence lasts at least; more than zero.
  package var least: Time
  /// What is silent, as `SilenceSearch` measures it: below this level.
  package var threshold: Gain
  /// Where the level and the length were written.
  package var origin: Origin
  /// Those of the written part, from its start, in order and apart; none before the sound was analysed.
  package var found: [TimeRange] = []

  /// Silences of at least `least` below `threshold`, in these files.
  package init(
    _ sidecars: [Sidecar], lasting least: Time, below threshold: Gain, origin: Origin = .unknown
  ) {
    (self.sidecars, self.least, self.threshold) = (sidecars, least, threshold)
    self.origin = origin
  }

  /// The same for a part of the timeline whose silences were found: what is left of them in the part, where
  /// that is long enough.
  ///
  /// - Complexity: O(log n + silences in the part)
  package func part(_ range: TimeRange) -> SilencePlaces {
    var part = self
    let reaching = found[found.partitioningIndex { $0.end > range.start }...]
    part.found = reaching.prefix { $0.start < range.end }.compactMap { silence in
      let left = silence.intersection(range)
      return left.duration >= least ? left.moved(by: -range.start) : nil
    }
    return part
  }
}
