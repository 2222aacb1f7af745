/// The gains for players that an output's tags get, measured in its sound: ReplayGain 2.0, and in Opus
/// R128 (RFC 7845, 5.2.1).
package enum GainTags: String, Sendable, Hashable, CaseIterable, Codable {
  /// That of the file by itself.
  case track
  /// Also that of all files of its album, as one sound.
  case album
}
