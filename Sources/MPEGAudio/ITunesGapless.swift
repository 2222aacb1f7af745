/// What iTunes notes of an encoder's silence under the name `iTunSMPB`: in an ID3 comment of an MP3
/// and in a free-form atom of an M4A.
///
/// The text is a row of hexadecimal numbers: nothing, delay, padding, length, and more that is not
/// needed. Delay + length + padding is all that there is. In M4A the delay is what a decoder gives
/// before the sound (FFmpeg's mov.c). In MP3 it is the encoder's share of that, as in LAME's tag, and
/// the sound begins `FrameIndex.decoderDelay` later: iTunes 12.9 notes 528, and its sound begins at
/// 1057.
package struct ITunesGapless: Sendable, Hashable {
  /// PCM frames before the sound.
  package let delay: Int
  /// PCM frames behind the sound.
  package let padding: Int
  /// PCM frames of sound, at least one.
  package let length: Int64

  /// Reads the text; nil where it is not of that form, or no sound is left.
  package init?(parsing text: some StringProtocol) {
    let numbers = text.split(separator: " ", maxSplits: 4).prefix(4).map { Int64($0, radix: 16) }
    guard numbers.count == 4, let delay = numbers[1], let padding = numbers[2],
      let length = numbers[3], Self.silence.contains(delay), Self.silence.contains(padding),
      (1..<1 << 40).contains(length)
    else { return nil }
    self.delay = Int(delay)
    self.padding = Int(padding)
    self.length = length
  }

  /// More than any encoder puts there is an error.
  private static let silence: Range<Int64> = 0..<1 << 16
}
