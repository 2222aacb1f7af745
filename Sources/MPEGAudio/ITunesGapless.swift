/// What iTunes notes of an encoder's silence under the name `iTunSMPB`: in an ID3 comment of an MP3
/// and in a free-form atom of an M4A.
///
/// The text is a row of hexadecimal numbers: nothing, delay, padding, length, and more that is not
/// needed. The delay is the whole one: what a decoder gives before the sound, in MP3 with the 529 by
/// which it is late itself, so that delay + length + padding is all that there is (FFmpeg's mov.c, and
/// mp3dec.c since 8.0).
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
