extension FrameIndex {
  /// LAME's settings for a stream like this one: those of its tag, or the constant bit rate of its
  /// frames. nil where neither is there. O(frames)
  package var settings: MP3Settings? {
    let rates = MP3Settings.bitRates(forSampleRate: sampleRate)
    switch tag?.rateControl {
    case .variable?:
      // 100 − 10 V − q, where q is at most 9.
      guard let quality = tag?.quality, 1...100 ~= quality else { break }
      return MP3Settings(.vbr(quality: Double(min(9, (100 - quality) / 10))))
    case .mean(let bitRate)?:
      guard let range = MP3Settings.meanBitRates(forSampleRate: sampleRate) else { break }
      let asked = (bitRate ?? meanBitRate) / 1000 * 1000
      return MP3Settings(.abr(bitRate: max(range.lowerBound, min(range.upperBound, asked))))
    case .constant?, nil: break
    }
    // Frames are whole bytes, and differ by their padding alone. A few may agree by chance; the first
    // one of a cut may be longer, to hold what the next one reaches back to.
    guard let last = entries.last?.length, entries.count == count || tag?.kind == .info,
      entries.dropFirst().allSatisfy({ abs($0.length - last) <= 1 })
    else { return nil }
    return rates.first { abs($0 - meanBitRate) <= $0 / 200 }.map { MP3Settings(.cbr(bitRate: $0)) }
  }
}
