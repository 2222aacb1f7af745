import Diagnosis
import ExportGraph
import LibAV
import MediaComposition

/// Finds how far a compressor among a sound's filters lowers it, which the filter does not say.
///
/// The same filters as before the compressor get the same sound once more, and then the same
/// compressor without make-up gain, of which all is heard. It multiplies the samples of a frame by
/// one gain (af_sidechaincompress.c), so its gain is its output divided by its input.
final class CompressorMeter {
  private let before: FilteredSource.Setup
  private let compressor: [FilterChain.Filter]
  private let format: AudioFormat
  private let watcher: any NodeWatcher
  private let input: AudioBuffer
  private let output: AudioBuffer
  private var chains: (before: FilterRow, compressor: FilterRow)?
  /// The next frame of the sound that is fed.
  private var fed: Int64 = 0
  /// The next frame that the compressor gets.
  private var position: Int64 = 0

  /// A meter for each compressor among `effects`.
  static func meters(
    _ effects: [Effect], _ format: AudioFormat, _ watcher: (any NodeWatcher)?
  ) -> [CompressorMeter] {
    guard let watcher else { return [] }
    return effects.indices.compactMap { CompressorMeter(effects[...$0], format, watcher) }
  }

  /// A meter of the last of some effects; nil: it is no compressor.
  private init?(
    _ effects: ArraySlice<Effect>, _ format: AudioFormat, _ watcher: any NodeWatcher
  ) {
    guard var settings = effects.last?.compressor else { return nil }
    (settings.makeup, settings.mix) = (0, 1)
    (self.format, self.watcher) = (format, watcher)
    before = .effects(Array(effects.dropLast()), sampleRate: format.sampleRate)
    compressor = Effect.compressor(settings).row(sampleRate: format.sampleRate).filters
    let channelCount = format.channelLayout.count
    input = AudioBuffer(channelCount: channelCount, capacity: watchedFrames)
    output = AudioBuffer(channelCount: channelCount, capacity: watchedFrames)
  }

  /// Begins anew, at a frame of the sound.
  func restart(at frame: Int64) { (chains, fed) = (nil, frame) }

  /// Takes the next `count` frames of the sound, and reports those that are ready.
  func feed(_ block: AudioBuffer, count: Int) throws(Failure) {
    defer { fed += Int64(count) }
    guard watcher.isReading else {
      chains = nil
      return
    }
    try filtering { () throws(LibAVError) in
      // `??` would lose the type of what `open` throws.
      let chains = if let chains { chains } else { try open() }
      try chains.before.feed(block.planes, count: count)
      while true {
        let count = try chains.before.take(into: input.planes, at: 0, capacity: input.capacity)
        guard count > 0 else { return }
        try chains.compressor.feed(input.planes, count: count)
        let taken = try chains.compressor.take(into: output.planes, at: 0, capacity: count)
        watcher.lowered(by: leastGain(in: taken), at: position..<position + Int64(count))
        position += Int64(count)
      }
    }
  }

  private func open() throws(LibAVError) -> (before: FilterRow, compressor: FilterRow) {
    func chain(_ filters: [FilterChain.Filter]) throws(LibAVError) -> FilterRow {
      try FilterRow.open(
        filters, sampleRate: format.sampleRate, channelCount: format.channelLayout.count,
        start: fed)
    }
    let made = (before: try chain(before.filters), compressor: try chain(compressor))
    position = fed - Int64(before.lag)
    chains = made
    return made
  }

  private func leastGain(in count: Int) -> Float {
    var least: Float = 1
    for channel in 0..<format.channelLayout.count {
      let (before, after) = (input.planes[channel], output.planes[channel])
      for frame in 0..<count where abs(before[frame]) >= Float.leastNormalMagnitude {
        least = min(least, after[frame] / before[frame])
      }
    }
    return least
  }
}
