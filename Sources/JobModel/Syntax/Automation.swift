import Diagnosis
import MediaComposition
import MediaTime

/// What the automation of a radio station reads in a file's tags: where it begins and ends, and where the
/// next file begins. Moments are those of the job's sound, as its files have it.
///
/// The tags are Liquidsoap's, which AzuraCast writes, too (`liq_cue_in` …): seconds from the start of the
/// file.
package struct Automation: Sendable, Hashable {
  /// A moment of the sound.
  package enum Place: Sendable, Hashable {
    /// From its start, or back from its end.
    case moment(Moment)
    /// Where the chapter of this title begins.
    case chapter(String)
    /// Where the silence at its start ends, or that at its end begins.
    case trim
  }

  /// Where it begins to be heard.
  package var cueIn: Located<Place>?
  /// Where it is no longer heard.
  package var cueOut: Located<Place>?
  /// Where the next one begins.
  package var next: Located<Place>?
  /// How long it is faded in.
  package var fadeIn: Located<TimeText>?
  /// How long it is faded out.
  package var fadeOut: Located<TimeText>?
  /// The gain with which it is played.
  package var amplify: Located<Gain>?
  /// What counts as silence, and how much of it stays; nil where no place is `trim`.
  package var trim: Trim?
  /// Where it was written.
  package var origin: Origin

  /// None of it.
  package init(origin: Origin = .unknown) { self.origin = origin }

  /// Its places, in order of time, with their names in tags.
  var places: [(tag: String, place: Located<Place>)] {
    [("liq_cue_in", cueIn), ("liq_cross_start_next", next), ("liq_cue_out", cueOut)]
      .compactMap { tag, place in place.map { (tag, $0) } }
  }

  /// Whether sound is analysed for it.
  var listens: Bool { places.contains { $0.place.value == .trim } }
}
