import MediaTime

/// A label of Audacity: a start and an end, with tabs behind them, and a text (Audacity's manual,
/// "Importing and Exporting Labels").
package struct AudacityLabel {
  /// In seconds with six decimals, which are less than half a frame of any sample rate.
  package let line: String

  /// A label of a part of a sound, or of a place if `end` is `start`.
  package init(from start: Time, to end: Time, _ text: String) {
    let times = [start, end].map { time in
      let millionths = time.frames(atRate: 1_000_000)
      return "\(millionths / 1_000_000)." + paddedDigits(millionths % 1_000_000, count: 6)
    }
    let text = text.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    line = "\(times[0])\t\(times[1])\t\(String(text))\n"
  }
}
