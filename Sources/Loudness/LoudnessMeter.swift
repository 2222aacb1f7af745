internal import MediaComposition

internal import CEBUR128

/// Loudness and true peaks by ITU-R BS.1770-4 and EBU Tech 3341, as they are shown while sound plays:
/// ten times a second.
///
/// libebur128 weights the sound and adds up its tenths of seconds. It has functions for longer
/// windows, which add up all their samples each time: that took nearly half of a preview's
/// rendering. Memory does not grow with what is measured, as long as readings are taken. One thread
/// at a time.
package final class LoudnessMeter {
  /// The position of a channel, which gives its weight (BS.1770-4, table 3).
  package enum Position: Sendable, Hashable {
    /// Anywhere else; of weight 1.
    case front
    /// Beside the listener, from 60° to 120° and at the height of the ears; of weight 1.41.
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

  /// What was measured up to the last whole tenth of a second.
  package struct Reading: Sendable, Hashable {
    /// LUFS of the last 400 ms, and of the last three seconds; nil where that is silence. Before the
    /// first sound is silence.
    package var momentary: Double?
    package var shortTerm: Double?
    /// Energies of the blocks of 400 ms that have ended since the last reading, for gating: there is
    /// one for each tenth of a second (BS.1770-4, annex 1).
    package var blocks: [Double] = []
  }

  private let state: UnsafeMutablePointer<ebur128_state>
  private let sampleRate: Int
  private let channelCount: Int
  /// Interleaved frames, for the library.
  private let scratch: UnsafeMutablePointer<Float>
  private static let scratchFrames = 1024
  /// The frames of the open tenth of a second, and the number of those before it.
  private var openFrames = 0
  private var tenthCount = 0
  /// The energies of the last tenths.
  private var tenths = [Double](repeating: 0, count: 30)
  private var reading = Reading()
  private var hasReading = false
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
    guard
      let state = ebur128_init(
        UInt32(clamping: positions.count), UInt(max(0, sampleRate)),
        Int32(EBUR128_MODE_M.rawValue))
    else {
      throw MeterError(
        description: "ebur128_init: no meter for \(positions.count) channels at \(sampleRate) Hz")
    }
    self.state = state
    self.sampleRate = sampleRate
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
      let some = min(count - done, Self.scratchFrames, tenthFrames - openFrames)
      for channel in 0..<channelCount {
        let plane = planes[channel] + done
        for index in 0..<some { scratch[index * channelCount + channel] = plane[index] }
      }
      // It fails only where memory does not suffice for a longer window, and there is none.
      ebur128_add_frames_float(state, scratch, some)
      done += some
      openFrames += some
      if openFrames == tenthFrames { closeTenth() }
    }
    for channel in 0..<channelCount {
      let peak = peakFilters[channel].add(planes[channel], count: count)
      newPeaks[channel] = max(newPeaks[channel], peak)
      truePeak = max(truePeak, peak)
    }
  }

  /// Frames of the open tenth, where tenths are no whole number of frames: 11.025 kHz has 1102 or
  /// 1103.
  private var tenthFrames: Int {
    ((tenthCount + 1) * sampleRate + 5) / 10 - (tenthCount * sampleRate + 5) / 10
  }

  private func closeTenth() {
    // It fails only for a window longer than 400 ms.
    var loudness = -Double.infinity
    ebur128_loudness_window(state, 100, &loudness)
    tenths[tenthCount % tenths.count] = LoudnessHistogram.energy(ofLoudness: loudness)
    tenthCount += 1
    openFrames = 0
    let energy = energy(ofTenths: 4)
    if tenthCount >= 4 { reading.blocks.append(energy) }
    reading.momentary = Self.loudness(energy)
    reading.shortTerm = Self.loudness(self.energy(ofTenths: tenths.count))
    hasReading = true
  }

  private func energy(ofTenths count: Int) -> Double {
    (1...count).reduce(0) { sum, back in
      sum + (back > tenthCount ? 0 : tenths[(tenthCount - back) % tenths.count])
    } / Double(count)
  }

  private static func loudness(_ energy: Double) -> Double? {
    energy > 0 ? LoudnessHistogram.loudness(ofEnergy: energy) : nil
  }

  /// The newest reading; nil if there is none since the last call.
  package func takeReading() -> Reading? {
    guard hasReading else { return nil }
    defer { (reading.blocks, hasReading) = ([], false) }
    return reading
  }

  /// Of each channel, the largest magnitude between samples since the last call, 1 being full
  /// scale.
  package func takeTruePeaks() -> [Double] {
    defer { for channel in newPeaks.indices { newPeaks[channel] = 0 } }
    return newPeaks
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
