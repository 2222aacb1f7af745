import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// A source through filters of libavfilter, with its moments in place.
///
/// A filter's memory has no bound, so a step back feeds the source again from its first frame, in
/// blocks that are the same each time, with silence before and after it. Players, which cannot wait
/// for that, set a warm-up instead, with nearly the same sound.
final class FilteredSource: DerivedSound {
  struct Setup {
    var filters: [FilterChain.Filter]
    var lead = 0
    /// Frames of output before the sound.
    var lag = 0
    /// What the filters do, for messages: 'the effect 'eq'' for example.
    var subject: String
  }

  let input: any Sound
  private let setup: Setup
  private let ratio: FrameRatio
  private let sampleRate: Int
  private let frameCount: Int64
  private let jumps: Jumps
  private let meters: [CompressorMeter]
  private let block: AudioBuffer
  private var chain: FilterRow?
  /// The next frame of the chain's output, counted from the sound's first.
  private var chainPosition: Int64 = 0
  /// The next frame of the input that it is fed.
  private var fed: Int64 = 0
  private var isInputAtEnd = false

  private static let blockSize = 4096
  /// More blocks of silence than any filter takes in without output.
  private static let patience = 4096

  /// `frameCount` frames of output from `input` through the filters of `setup`, which change its
  /// length by `ratio`. `jumps` has the warm-up after a jump; `meters` get the input, too.
  init(
    _ input: any Sound, _ setup: Setup, _ ratio: FrameRatio = .one, sampleRate: Int,
    frameCount: Int64, jumps: Jumps = Jumps(), meters: [CompressorMeter] = []
  ) {
    self.input = input
    self.setup = setup
    self.ratio = ratio
    self.sampleRate = sampleRate
    self.frameCount = frameCount
    self.jumps = jumps
    self.meters = meters
    block = AudioBuffer(channelCount: input.channelCount, capacity: Self.blockSize)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    var (position, filled) = (frames.lowerBound, 0)
    let wanted = max(0, Int(min(frames.upperBound, frameCount) - position))
    let chain = try chain(at: position)
    var blocksWithoutSound = 0
    while filled < wanted {
      let isBefore = chainPosition < position
      let room = isBefore ? Int(min(position - chainPosition, Int64(wanted))) : wanted - filled
      // Frames before the position go where the next read writes, and are overwritten.
      let taken = try filtering { () throws(LibAVError) in
        try chain.take(into: buffer.planes, at: offset + (isBefore ? 0 : filled), capacity: room)
      }
      try requireFinite(buffer, offset + (isBefore ? 0 : filled), taken, "gives", at: chainPosition)
      chainPosition += Int64(taken)
      if !isBefore {
        filled += taken
        position += Int64(taken)
      }
      guard taken < room else { continue }
      blocksWithoutSound = taken > 0 ? 0 : blocksWithoutSound + 1
      guard blocksWithoutSound < Self.patience else {
        throw Failure(.reportBug, "\(setup.filters) gave no sound")
      }
      try feed(chain)
    }
    return filled
  }

  /// The chain, whose next frame is the one at `position`, or one before it.
  private func chain(at position: Int64) throws(Failure) -> FilterRow {
    let warmUp = jumps.warmUp?.frames(atRate: sampleRate)
    let isFar = warmUp.map { position - chainPosition > 2 * $0 } ?? false
    if let chain, position >= chainPosition, !isFar { return chain }
    // On the grid of the blocks from its start.
    let first = warmUp.map { ratio.source(ofTarget: max(0, position - $0)) } ?? 0
    let start = first / Int64(Self.blockSize) * Int64(Self.blockSize)
    let made = try filtering { () throws(LibAVError) in
      try FilterRow.open(
        setup.filters, sampleRate: sampleRate, channelCount: channelCount,
        start: start - Int64(setup.lead))
    }
    chain = made
    chainPosition = ratio.target(ofSource: start) - Int64(setup.lag)
    (fed, isInputAtEnd) = (start, false)
    for meter in meters { meter.restart(at: start) }
    clear(0..<block.capacity)
    var silence = setup.lead
    while silence > 0 {
      let count = min(silence, block.capacity)
      try filtering { () throws(LibAVError) in try made.feed(block.planes, count: count) }
      silence -= count
    }
    return made
  }

  /// Feeds a whole block: of the source, and past its end of silence.
  private func feed(_ chain: FilterRow) throws(Failure) {
    let next = fed..<fed + Int64(block.capacity)
    let read = isInputAtEnd ? 0 : try input.read(next, into: block, at: 0)
    try requireFinite(block, 0, read, "gets", at: ratio.target(ofSource: fed))
    fed = next.upperBound
    if read < block.capacity {
      isInputAtEnd = true
      clear(read..<block.capacity)
    }
    try filtering { () throws(LibAVError) in try chain.feed(block.planes, count: block.capacity) }
    for meter in meters { try meter.feed(block, count: block.capacity) }
  }

  /// Refuses samples that no filter can do anything with, where they come into being: filters with
  /// feedback would give nothing else from then on.
  private func requireFinite(
    _ buffer: AudioBuffer, _ offset: Int, _ count: Int, _ verb: String, at frame: Int64
  ) throws(Failure) {
    guard !buffer.isFinite(from: offset, count: count) else { return }
    chain = nil
    let time = Time(frames: max(0, frame), rate: sampleRate).inSeconds
    throw Failure(
      .mendJob,
      "\(setup.subject) \(verb) samples that are no numbers (NaN or infinity) after \(time) of its "
        + "sound; lower the sound in front of it, as with 'gain: -12 dB', or leave it out")
  }

  private func clear(_ frames: Range<Int>) {
    for channel in 0..<channelCount {
      (block.planes[channel] + frames.lowerBound).update(repeating: 0, count: frames.count)
    }
  }
}

/// Runs `body`; FFmpeg's errors become failures of the machine.
func filtering<T>(_ body: () throws(LibAVError) -> T) throws(Failure) -> T {
  do {
    return try body()
  } catch {
    throw error.isMissingFilter ? error.missingFilterFailure : error.machineFailure
  }
}

extension LibAVError {
  /// For a machine without libavfilter, or without one of its filters.
  var missingFilterFailure: Failure {
    Failure(
      .mendMachine,
      "needs FFmpeg's \(operation), which is not there; install "
        + OptionalLibrary.filters(version: Library.filterVersion).packageName,
      code: .libraryMissing)
  }
}

/// The warm-up before a frame that is jumped to, for nodes of unbounded memory. All nodes of one
/// rendering share it, so that it can change from jump to jump.
package final class Jumps {
  /// Nil: everything, from the start: exact, and slow.
  package var warmUp: Time?

  /// Jumps with so much of warm-up.
  package init(warmUp: Time? = nil) { self.warmUp = warmUp }
}
