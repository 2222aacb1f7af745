internal import MPEGAudio
package import Threads

/// Encodes one stream on many cores: PCM in, MP3 frames out, in order.
///
/// The sound is cut into chunks on a fixed grid (`ChunkGrid`). Each is encoded by a LAME instance of
/// its own, which starts a little earlier; the frames are spliced where two instances have come to
/// agree, and the bit reservoir is laid out again (`Splicer`). The bytes depend on the sound and
/// the settings alone.
///
/// Chunks are encoded by the calling thread, while it would otherwise wait, and by threads on cores
/// of the budget that are idle. In memory there is the sound of one chunk more than there are threads.
/// One thread at a time, which blocks while it encodes.
package final class ChunkEncoder {
  /// PCM frames that were taken so far.
  package private(set) var frameCount: Int64 = 0

  private let setup: EncoderSetup
  private let channelCount: Int
  private let grid: ChunkGrid
  private let queue: ChunkQueue
  private var splicer: Splicer
  /// In order of time; those that are not spliced yet.
  private var chunks: [Chunk] = []
  /// The last chunk, while it is being filled.
  private var open: Chunk?
  /// What this thread encodes.
  private var own: Chunk?
  /// The last sound of the chunk before the open one.
  private let warmUp: ChunkSound
  private var spares: [ChunkSound] = []
  private var nextFirstFrame = 0

  /// An encoder, ready for sound.
  ///
  /// - Parameters:
  ///   - setup: The settings, proven by LAME.
  ///   - grid: Where encoders take over from one another; nil: the one of such settings.
  ///   - budget: Of whose idle cores use is made; nil: none. The calling thread is thought to hold a
  ///     core of it.
  ///   - cancellation: Once set, calls throw `LAMEError.cancelled` within a fraction of a second.
  package init(
    _ setup: EncoderSetup, grid: ChunkGrid? = nil, budget: CPUBudget? = nil,
    cancellation: CancellationFlag = CancellationFlag()
  ) {
    let grid = grid ?? .standard(for: setup)
    self.setup = setup
    self.grid = grid
    channelCount = setup.channelCount
    queue = ChunkQueue(setup, budget: budget, cancellation: cancellation)
    splicer = Splicer(grid: grid, slots: setup.slots)
    warmUp = ChunkSound(
      channelCount: channelCount, capacity: grid.warmUp * setup.samplesPerFrame)
  }

  deinit { queue.stop() }

  /// Encodes frames and appends the MP3 frames that are complete to `bytes`: many at a time, or
  /// none. The first of all is an empty one that keeps the place of `infoFrame`.
  ///
  /// - Parameters:
  ///   - planes: One pointer for each channel, to `count` samples where ±1 is full scale.
  ///   - count: PCM frames, any number.
  ///   - bytes: Grows by whole MP3 frames.
  /// - Throws: `.notFinite` and `.tooLoud` before any of the frames is encoded, LAME's status, or
  ///   `.cancelled`.
  package func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    try MP3Encoder.requireEncodable(
      planes, channelCount: channelCount, count: count, firstFrame: frameCount)
    var done = 0
    while done < count {
      let chunk = try chunkToFill(&bytes)
      done += chunk.sound?.append(planes, from: done, count: count - done) ?? 0
      if chunk.sound?.isFull == true {
        close(chunk)
        queue.callHelpers()
      }
    }
    frameCount += Int64(count)
  }

  /// Completes the stream: appends the last frames to `bytes`. Nothing may be encoded after it.
  ///
  /// - Returns: The frame that belongs where the first, empty one stands.
  /// - Throws: As `encode`.
  package func finish(into bytes: inout [UInt8]) throws(LAMEError) -> [UInt8] {
    let last = try chunkToFill(&bytes)
    last.isLast = true
    close(last)
    // One of the chunks is for this thread.
    queue.callHelpers(keeping: 1)
    while !chunks.isEmpty { try work(&bytes) }
    return try splicer.finish(into: &bytes)
  }

  /// Gives up: waits until no thread encodes any more. Nothing is to be called after it.
  package func cancel() { queue.stop() }

  // MARK: - Chunks

  private func chunkToFill(_ bytes: inout [UInt8]) throws(LAMEError) -> Chunk {
    if let open { return open }
    try collect(&bytes)
    while chunks.count(where: { $0.sound != nil }) >= room { try work(&bytes) }
    let isFirst = nextFirstFrame == 0
    let warmUp = isFirst ? 0 : grid.warmUp
    let sound =
      spares.popLast()
      ?? ChunkSound(
        channelCount: channelCount,
        capacity: (grid.warmUp + grid.length) * setup.samplesPerFrame)
    sound.restart(
      withLast: warmUp * setup.samplesPerFrame, of: isFirst ? nil : self.warmUp,
      room: (warmUp + grid.length) * setup.samplesPerFrame)
    let chunk = Chunk(
      firstFrame: nextFirstFrame, soundStart: nextFirstFrame - warmUp, sound: sound)
    nextFirstFrame += grid.length
    open = chunk
    return chunk
  }

  /// How many chunks may have their sound in memory: with helpers one for each thread and one more,
  /// so that no thread waits for sound; without, the one that this thread fills and then encodes.
  private var room: Int {
    let helpers = queue.helpers
    return helpers == 0 ? 1 : helpers + 2
  }

  /// The open chunk has all of its sound: it is there to be encoded, or, a short last one, to be
  /// heard by the encoder of the chunk before.
  private func close(_ chunk: Chunk) {
    open = nil
    chunks.append(chunk)
    guard let sound = chunk.sound else { return }
    warmUp.restart(withLast: warmUp.capacity, of: sound, room: warmUp.capacity)
    let frames = sound.count / setup.samplesPerFrame - (chunk.firstFrame - chunk.soundStart)
    if chunk.isLast, chunk.firstFrame > 0, frames < grid.shortest {
      queue.pass(chunk)
    } else {
      queue.add(chunk)
    }
  }

  /// Does what can be done on this thread, for some milliseconds, or waits for others.
  private func work(_ bytes: inout [UInt8]) throws(LAMEError) {
    if let chunk = own ?? queue.claim() {
      own = queue.advance(chunk) ? nil : chunk
      queue.callHelpers()
    } else if let first = chunks.first {
      queue.wait(for: first)
    }
    try collect(&bytes)
  }

  /// Splices what is encoded, in order.
  private func collect(_ bytes: inout [UInt8]) throws(LAMEError) {
    while let chunk = chunks.first, try queue.isEncoded(chunk) {
      try splicer.add(chunk, into: &bytes)
      chunks.removeFirst()
      if let sound = chunk.sound { spares.append(sound) }
      chunk.sound = nil
    }
  }
}
