/// Which tags stop being true when the sound changes.
package enum TagClass: Sendable, Hashable {
  /// About the content: true of any edit of it.
  case content
  /// A measurement of level, as ReplayGain: true as long as all of the sound comes out at its level.
  case level
  /// A measurement or an identity of the samples: true as long as they are the same.
  case samples
  /// A change of an MP3's frames that can be undone: true of these frames alone.
  case frames
  /// When the sound begins, in frames since midnight (EBU Tech 3285, 2.3).
  case timeReference

  /// That of a key, in any case.
  package init(of key: String) {
    // Behind a colon, as in `org.hydrogenaudio.replaygain:replaygain_track_gain` of MP4.
    let lower = key.lowercased()
    let name = lower.split(separator: ":").last.map(String.init) ?? lower
    switch name {
    // ReplayGain's first names in Vorbis comments.
    case "rg_radio", "rg_audiophile": self = .level
    case "rg_peak": self = .samples
    case "time_reference": self = .timeReference
    case "umid", "acoustid_fingerprint", "acoustid fingerprint": self = .samples
    case _ where name.hasPrefix("mp3gain_"): self = .frames
    case _ where name.hasPrefix("replaygain_"), _ where name.hasPrefix("r128_"):
      self = name.hasSuffix("_peak") ? .samples : .level
    default: self = .content
    }
  }
}

/// Gains of a track or an album in the two notations: ReplayGain 2.0 counts from −18 LUFS, in dB, and
/// Opus from −23 LUFS, in 1/256 dB (RFC 7845, 5.2.1).
package enum LevelTag {
  private static let pairs = [
    ("replaygain_track_gain", "R128_TRACK_GAIN"), ("replaygain_album_gain", "R128_ALBUM_GAIN"),
  ]

  /// The tag of Opus for one of ReplayGain; nil where it has none.
  package static func opus(_ key: String, _ value: String) -> (key: String, value: String)? {
    guard let pair = pairs.first(where: { $0.0 == key.lowercased() }),
      let gain = decibels(value)
    else { return nil }
    let steps = ((gain - 5) * 256).rounded()
    guard -32768...32767 ~= steps else { return nil }
    return (pair.1, String(Int(steps)))
  }

  /// The tag of ReplayGain for one of Opus; nil where it has none.
  package static func replayGain(_ key: String, _ value: String) -> (key: String, value: String)? {
    guard let pair = pairs.first(where: { $0.1 == key.uppercased() }),
      let steps = Int16(value)
    else { return nil }
    let hundredths = Int((Double(steps) * 100 / 256).rounded()) + 500
    let (whole, rest) = Int(hundredths.magnitude).quotientAndRemainder(dividingBy: 100)
    return (
      pair.0.uppercased(),
      (hundredths < 0 ? "-" : "") + "\(whole)." + (rest < 10 ? "0" : "") + "\(rest) dB"
    )
  }

  /// Whether a loudness that gains count from is that of ReplayGain 2.0: −18 LUFS, or the 89 dB of its
  /// first version, which stand for the same.
  package static func isUsualReference(_ value: String) -> Bool {
    decibels(value).map { $0 == -18 || $0 == 89 } ?? false
  }

  private static func decibels(_ text: String) -> Double? {
    let number = text.prefix { "+-.0123456789".contains($0) }
    return Double(number.first == "+" ? number.dropFirst() : number)
  }
}
