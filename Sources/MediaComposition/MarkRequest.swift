import Diagnosis
import MediaTime

/// What an output gets of Broadcast Wave, of radio and of other formats' chunks, beside what its sources
/// bring along.
package struct MarkRequest: Sendable, Hashable, Codable {
  /// A moment of an output.
  package struct Edge: Sendable, Hashable, Codable {
    /// From the start, or back from the end.
    package var offset: Time
    /// Whether it counts back from the end.
    package var isFromEnd: Bool

    /// A moment of an output.
    package init(_ offset: Time, isFromEnd: Bool = false) {
      (self.offset, self.isFromEnd) = (offset, isFromEnd)
    }
  }

  /// `bext` (EBU Tech 3285); an unset text is the source's.
  package struct Broadcast: Sendable, Hashable, Codable {
    /// What the sound is; 256 bytes.
    package var description: String?
    /// Who made it; 32 bytes.
    package var originator: String?
    /// What it is to its originator (EBU R 99); 32 bytes.
    package var originatorReference: String?
    /// Whether the written file's loudness is measured for it.
    package var measuresLoudness = false

    /// With the texts of the source.
    package init() {}
  }

  /// `cart` (AES46); an unset text is the source's.
  package struct Cart: Sendable, Hashable, Codable {
    /// A place in the sound under its usage, as `SEGs`.
    package struct Timer: Sendable, Hashable, Codable {
      /// Four characters.
      package var usage: String
      /// Where.
      package var time: Edge

      /// A place under a usage.
      package init(_ usage: String, _ time: Edge) { (self.usage, self.time) = (usage, time) }
    }

    /// The texts that it can have.
    package enum Text: String, Sendable, Hashable, CaseIterable, Codable {
      case title, artist, category, classification
      case cutID = "cut_id"
      case clientID = "client_id"
      case outCue = "out_cue"
      case startDate = "start_date"
      case startTime = "start_time"
      case endDate = "end_date"
      case endTime = "end_time"
    }

    /// A text.
    package struct Entry: Sendable, Hashable, Codable {
      /// Which.
      package var key: Text
      /// The text.
      package var text: String

      /// A text of a field.
      package init(_ key: Text, _ text: String) { (self.key, self.text) = (key, text) }
    }

    /// Each field once.
    package var texts: [Entry] = []
    /// At most eight, each usage once; those of the source under other usages stay.
    package var timers: [Timer] = []

    /// With the texts and timers of the source.
    package init() {}
  }

  /// nil: that of the source, if it has one.
  package var broadcast: Broadcast?
  /// Whether there is no `bext`, whatever the source has.
  package var removesBroadcast = false
  /// nil: that of the source, if it has one.
  package var cart: Cart?
  /// Whether chunks of a source in another format are kept, where all of its samples are.
  package var keepsForeign = false
  /// What a WAV is called; nil: as its source, or as its size has it.
  package var container: WaveContainer?
  /// Where `bwf`, `cart`, `foreign` and `container` were written.
  package var origins: [Origin] = [.unknown, .unknown, .unknown, .unknown]

  /// Of nothing.
  package init() {}

  /// What is asked for that a format has no place for: the key, and where it was written.
  package func misfits(
    in places: Set<OutputCapabilities.Place>
  ) -> [(key: String, origin: Origin)] {
    let asked: [(String, OutputCapabilities.Place, Bool)] = [
      ("bwf", .broadcast, broadcast != nil), ("cart", .cart, cart != nil),
      ("foreign", .foreign, keepsForeign),
      // What has a `bext` is a WAV.
      ("container", .broadcast, container != nil),
    ]
    return zip(asked, origins).filter { $0.0.2 && !places.contains($0.0.1) }
      .map { ($0.0.0, $0.1) }
  }
}
