import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime

extension CustomEffect {
  /// A sound through the effect.
  ///
  /// - Parameters:
  ///   - input: The sound, whose first frame is 0.
  ///   - format: The sound's.
  ///   - frameCount: The sound's length.
  ///   - jumps: The warm-up of a processor of unbounded memory after a jump.
  /// - Returns: A sound of the same length.
  func source(
    over input: any Sound, _ format: AudioFormat, frameCount: Int64, _ jumps: Jumps
  ) -> any Sound {
    switch work {
    case .processor(let processor):
      ProcessorSource(
        input, processor, format, window: window(atRate: format.sampleRate),
        frameCount: frameCount, jumps: jumps)
    case .tap(_, let body): TapSource(input, format, body)
    }
  }
}

/// A sound through a processor of the program, with its moments in place.
///
/// Blocks lie on one grid, wherever an instance begins, and an instance of bounded memory begins as much
/// before a frame as that depends on: its samples do not depend on the way to them.
final class ProcessorSource: DerivedSound {
  let input: any Sound
  private let processor: any AudioProcessor
  private let format: AudioFormat
  private let frameCount: Int64
  private let latency: Int64
  /// Frames before a frame that it depends on; nil: all.
  private let reach: Int64?
  private let jumps: Jumps
  private let block: AudioBuffer
  private var instance: (any AudioProcessorInstance)?
  /// The first frame that is right of this instance.
  private var first: Int64 = 0
  /// The next frame of the input that the instance gets.
  private var fed: Int64 = 0

  private static let blockSize = Int64(ProcessingBuffer.frameCount)

  /// `frameCount` frames of `input` through `processor`, whose memory is bounded where there is a
  /// `window`.
  init(
    _ input: any Sound, _ processor: any AudioProcessor, _ format: AudioFormat,
    window: (before: Int, after: Int)?, frameCount: Int64, jumps: Jumps
  ) {
    (self.input, self.processor, self.format) = (input, processor, format)
    (self.frameCount, self.jumps) = (frameCount, jumps)
    latency = Int64(window?.after ?? processor.latency(atRate: format.sampleRate))
    reach = window.map { Int64($0.before) }
    block = AudioBuffer(channelCount: input.channelCount, capacity: ProcessingBuffer.frameCount)
    block.frameCount = block.capacity
  }

  /// The frames of the sound that the block has.
  private var ready: Range<Int64> { fed - Self.blockSize - latency..<fed - latency }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    var (position, filled) = (frames.lowerBound, 0)
    let wanted = max(0, Int(min(frames.upperBound, frameCount) - position))
    var instance = try instance(for: position)
    while filled < wanted {
      let ready = self.ready
      guard position < ready.upperBound else {
        do throws(Failure) {
          try feed(instance)
        } catch {
          self.instance = nil
          throw error
        }
        continue
      }
      let some = min(wanted - filled, Int(ready.upperBound - position))
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset + filled)
          .update(from: block.planes[channel] + Int(position - ready.lowerBound), count: some)
      }
      filled += some
      position += Int64(some)
      instance = try self.instance(for: position)
    }
    return filled
  }

  /// The instance, of which the block has the frame at `position`, or one of the next blocks will.
  private func instance(for position: Int64) throws(Failure) -> any AudioProcessorInstance {
    let warmUp = jumps.warmUp?.frames(atRate: format.sampleRate)
    let farthest = reach.map { $0 + latency + 2 * Self.blockSize } ?? warmUp.map { 2 * $0 }
    let isFar = farthest.map { position - ready.upperBound > $0 } ?? false
    if let instance, position >= max(first, ready.lowerBound), !isFar { return instance }
    let before = reach ?? warmUp ?? position
    fed = max(0, position - before) / Self.blockSize * Self.blockSize
    first = fed == 0 ? 0 : reach.map { fed + $0 } ?? position
    let made = try attempt {
      try processor.makeInstance(
        sampleRate: format.sampleRate, channelLayout: format.channelLayout)
    }
    instance = made
    return made
  }

  /// Gives the instance the next block, behind the sound's end a silent one.
  private func feed(_ instance: any AudioProcessorInstance) throws(Failure) {
    let next = fed..<fed + Self.blockSize
    let read = fed < frameCount ? try input.read(next, into: block, at: 0) : 0
    for channel in 0..<channelCount {
      (block.planes[channel] + read).update(repeating: 0, count: block.capacity - read)
    }
    let buffer = ProcessingBuffer(
      block.planes, channelCount: channelCount, frames: next, sampleRate: format.sampleRate)
    try attempt { try instance.process(buffer) }
    guard block.isFinite(from: 0, count: block.frameCount) else {
      let time = buffer.presentationTime.inSeconds
      throw Failure(
        .mendJob,
        "the processor '\(processor.name)' gives samples that are no numbers (NaN or infinity) after "
          + "\(time) of its sound; mend the processor")
    }
    fed = next.upperBound
  }

  private func attempt<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
    do {
      return try body()
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(
        .mendJob, "the processor '\(processor.name)' failed: \(error); mend it, or leave it out")
    }
  }
}

/// A sound that a closure of the program sees as it passes.
final class TapSource: DerivedSound {
  let input: any Sound
  private let format: PCMFormat
  private let body: (PCMBuffer) -> Void

  init(_ input: any Sound, _ format: AudioFormat, _ body: @escaping (PCMBuffer) -> Void) {
    (self.input, self.body) = (input, body)
    self.format = PCMFormat(sampleRate: format.sampleRate, channelLayout: format.channelLayout)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let count = try input.read(frames, into: buffer, at: offset)
    guard count > 0 else { return 0 }
    body(
      PCMBuffer(
        buffer, offset..<offset + count, as: format,
        at: Time(frames: frames.lowerBound, rate: format.sampleRate)))
    return count
  }
}
