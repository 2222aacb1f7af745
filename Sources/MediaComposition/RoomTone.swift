import MediaTime

/// How long a recording goes on before its sound begins and after it ends.
///
/// The sound is every step of 10 ms whose level (mean power of all channels) is more than 12 dB above
/// the noise floor, and more than −60 dB: what is quieter is room tone, or digital silence.
package struct RoomTone: Sendable, Hashable, Codable {
  /// Before the first such step.
  package var head: Time
  /// After the last one.
  package var tail: Time

  /// Room tone of these lengths.
  package init(head: Time, tail: Time) {
    self.head = head
    self.tail = tail
  }

  /// dB by which sound is louder than the noise floor: single steps of a steady noise are up to some
  /// 3 dB louder than its quietest half second, of a room's rumble up to 9 dB.
  package static let distance = 12.0
  /// dB that sound exceeds in any case: the most that ACX takes for a noise floor.
  package static let leastLevel = -60.0
}
