internal import CEBUR128

/// Loudness and true peaks by ITU-R BS.1770-4 and EBU Tech 3341; loudness as libebur128 measures
/// it.
///
/// Memory does not grow with what is measured. One thread at a time.
package final class LoudnessMeter {
  /// The position of a channel, which gives its weight (BS.1770-4, table 3).
  package enum Position: Sendable, Hashable {
    /// Before the listener; of weight 1.
    case front
    /// Beside or behind the listener, between 60° and 120°; of weight 1.41.
    case surround
    /// Of no weight, as low frequency effects.
    case ignored

    /// The weight of its energy.
    package var weight: Double {
      switch self {
      case .front: 1
      case .surround: 1.41
      case .ignored: 0
      }
    }
  }

  /// What libebur128 refuses.
  package struct MeterError: Error, Sendable, CustomStringConvertible {
    /// One line.
    package let description: String
  }

  private let state: UnsafeMutablePointer<ebur128_state>
  private let channelCount: Int
  /// Interleaved frames, for the library.
  private let scratch: UnsafeMutablePointer<Float>
  private static let scratchFrames = 1024
  /// Of each channel.
  private let peakFilters: [TruePeakFilter]
  /// Of each channel, since it was taken.
  private var newPeaks: [Double]
  /// The largest magnitude between samples so far, 1 being full scale.
  package private(set) var truePeak = 0.0

  /// A meter without sound so far.
  ///
  /// - Throws: Where the library has no memory, or no such rate (16 Hz to 2.8 MHz) or number of
  ///   channels (1 to 64).
  package init(sampleRate: Int, positions: [Position]) throws(MeterError) {
    let modes =
      EBUR128_MODE_S.rawValue | EBUR128_MODE_I.rawValue | EBUR128_MODE_HISTOGRAM.rawValue
    guard
      let state = ebur128_init(
        UInt32(clamping: positions.count), UInt(max(0, sampleRate)), Int32(modes))
    else {
      throw MeterError(
        description: "ebur128_init: no meter for \(positions.count) channels at \(sampleRate) Hz")
    }
    self.state = state
    channelCount = positions.count
    peakFilters = positions.map { _ in TruePeakFilter(sampleRate: sampleRate) }
    newPeaks = Array(repeating: 0, count: positions.count)
    scratch = .allocate(capacity: channelCount * Self.scratchFrames)
    for (channel, position) in positions.enumerated() {
      ebur128_set_channel(state, UInt32(channel), position.libraryValue)
    }
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
    scratch.deallocate()
  }

  /// Measures `count` frames of planar sound, full scale being 1.
  package func add(_ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int) {
    var done = 0
    while done < count {
      let some = min(count - done, Self.scratchFrames)
      for channel in 0..<channelCount {
        let plane = planes[channel] + done
        for index in 0..<some { scratch[index * channelCount + channel] = plane[index] }
      }
      // It fails only where memory does not suffice for a longer window, and there is none.
      ebur128_add_frames_float(state, scratch, some)
      done += some
    }
    for channel in 0..<channelCount {
      let peak = peakFilters[channel].add(planes[channel], count: count)
      newPeaks[channel] = max(newPeaks[channel], peak)
      truePeak = max(truePeak, peak)
    }
  }

  /// LUFS of the last 400 ms; nil where that is silence.
  package var momentary: Double? { value(ebur128_loudness_momentary) }

  /// LUFS of the last three seconds; nil where that is silence.
  package var shortTerm: Double? { value(ebur128_loudness_shortterm) }

  /// LUFS of everything so far, gated; nil where that is silence.
  package var integrated: Double? { value(ebur128_loudness_global) }

  /// Of each channel, the largest magnitude between samples since the last call, 1 being full
  /// scale.
  package func takeTruePeaks() -> [Double] {
    defer { for channel in newPeaks.indices { newPeaks[channel] = 0 } }
    return newPeaks
  }

  private func value(
    _ function: (UnsafeMutablePointer<ebur128_state>, UnsafeMutablePointer<Double>) -> Int32
  ) -> Double? {
    var value = 0.0
    guard function(state, &value) == EBUR128_SUCCESS.rawValue, value.isFinite else { return nil }
    return value
  }
}

extension LoudnessMeter.Position {
  /// The library's channel of the same weight.
  var libraryValue: Int32 {
    let channel =
      switch self {
      // Left of the middle or in it is one to the library, but for what it does with both.
      case .front: EBUR128_LEFT
      case .surround: EBUR128_LEFT_SURROUND
      case .ignored: EBUR128_UNUSED
      }
    return Int32(channel.rawValue)
  }
}
