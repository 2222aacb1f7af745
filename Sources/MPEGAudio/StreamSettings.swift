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
    // Of frames that were not found, the file's head must say that they are like those that were.
    guard let last = entries.last, entries.count == count || isConstant || tag?.kind == .info
    else { return nil }
    // Slots differ by their padding alone; the first one of a cut may be longer, to hold what the next
    // one reaches back to.
    return rates.first { rate in
      let length = samplesPerFrame / 8 * rate / sampleRate
      let lengths = length...length + 1
      return lengths ~= last.length && entries.dropFirst().allSatisfy { lengths ~= $0.length }
    }.map { MP3Settings(.cbr(bitRate: $0)) }
  }
}
