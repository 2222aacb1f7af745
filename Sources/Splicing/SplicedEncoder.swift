package import Threads

/// Encodes one stream on many cores: PCM in, packets out, in order.
///
/// The sound is cut into chunks on a fixed grid (`ChunkGrid`). Each is encoded by an encoder of its
/// own, which starts a little earlier; the packets are spliced where two encoders have come to agree
/// (`Splicer`). The packets depend on the sound and the codec alone.
///
/// Chunks are encoded by a crew: by the calling thread, while it would otherwise wait, and by those on
/// idle cores. In memory there is the sound of one chunk more than there are threads. One thread at a
/// time, which blocks while it encodes.
package final class SplicedEncoder<Codec: SplicedCodec> {
  /// Why the codec did not encode.
  package typealias Problem = Codec.Encoder.Problem
  /// What is encoded.
  package typealias Sample = Codec.Encoder.Sample

  /// PCM frames that were taken so far.
  package private(set) var frameCount: Int64 = 0

  /// What encodes.
  package let codec: Codec
  private let grid: ChunkGrid
  private let crew: Crew
  private var splicer: Splicer<Codec>
  /// In order of time, those that are not spliced yet, with their numbers in the crew; nil for one that
  /// needs no encoder of its own.
  private var chunks: [(ticket: Crew.Ticket?, chunk: Chunk<Codec>)] = []
  /// The last chunk, while it is being filled.
  private var open: Chunk<Codec>?
  private var isEnded = false
  /// The last sound of the chunk before the open one.
  private let warmUp: ChunkSound<Sample>
  private var spares: [ChunkSound<Sample>] = []
  private var nextStart: Int64 = 0

  /// An encoder, ready for sound.
  ///
  /// - Parameters:
  ///   - codec: What encodes.
  ///   - stream: Gets the packets, on the calling thread.
  ///   - grid: Where encoders take over from one another.
  ///   - crew: The threads that encode, of which the calling one is the job's own. Once its
  ///     cancellation is set, calls throw `Problem.cancelled` within a fraction of a second.
  package init(_ codec: Codec, to stream: Codec.Stream, grid: ChunkGrid, crew: Crew) {
    precondition(grid.warmUp <= grid.length, "a chunk has the sound that warms the next one up")
    (self.codec, self.grid, self.crew) = (codec, grid, crew)
    splicer = Splicer(codec, to: stream, grid: grid, crew.cancellation)
    warmUp = ChunkSound(
      channelCount: codec.channelCount, capacity: grid.warmUp * codec.framesPerPacket)
  }

  deinit { cancel() }

  /// How often one encoder has taken over from another.
  package var seamCount: Int { splicer.seamCount }

  /// The stream as far as it is made.
  package var stream: Codec.Stream {
    get { splicer.stream }
    _modify { yield &splicer.stream }
  }

  /// Encodes frames, and gives packets that are certain to the stream: many at a time, or none.
  ///
  /// - Parameters:
  ///   - planes: One pointer for each channel, to `count` samples that the codec can encode.
  ///   - count: PCM frames, any number.
  /// - Throws: The codec's or the stream's error, or `.cancelled`.
  package func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Sample>>, count: Int
  ) throws(Problem) {
    var done = 0
    while done < count {
      let chunk = try chunkToFill()
      done += chunk.sound?.append(planes, from: done, count: count - done) ?? 0
      if chunk.sound?.isFull == true { close(chunk) }
    }
    frameCount += Int64(count)
  }

  /// Lets the last chunk be encoded while the calling thread does other things. Nothing may be encoded
  /// after it; `finish` does it, too.
  ///
  /// - Throws: As `encode`.
  package func end() throws(Problem) {
    guard !isEnded else { return }
    let last = try chunkToFill()
    last.isLast = true
    isEnded = true
    close(last)
  }

  /// Gives all other packets to the stream. Nothing may be encoded after it.
  ///
  /// - Returns: The encoder that made the last packets.
  /// - Throws: As `encode`.
  package func finish() throws(Problem) -> Codec.Encoder? {
    try end()
    while !chunks.isEmpty { try work() }
    try splicer.finish()
    return splicer.lane?.encoder
  }

  /// Gives up: waits until no thread encodes any more. Nothing is to be called after it.
  package func cancel() { crew.withdraw(chunks.compactMap(\.ticket)) }

  // MARK: - Chunks

  private func chunkToFill() throws(Problem) -> Chunk<Codec> {
    if let open { return open }
    try collect()
    while !hasRoom { try work() }
    let warmUp = nextStart == 0 ? 0 : grid.warmUp * codec.framesPerPacket
    let length = grid.length * codec.framesPerPacket
    let sound =
      spares.popLast()
      ?? ChunkSound(
        channelCount: codec.channelCount,
        capacity: grid.warmUp * codec.framesPerPacket + length)
    sound.restart(withLast: warmUp, of: self.warmUp, room: warmUp + length)
    let chunk = Chunk(
      codec, start: nextStart, soundStart: nextStart - Int64(warmUp), sound: sound,
      cancellation: crew.cancellation)
    nextStart += Int64(length)
    open = chunk
    return chunk
  }

  /// Whether the sound of another chunk may be in memory: of several threads one chunk for each and one
  /// more, so that no thread waits for sound, and those of all encoders of a crew together, beside the
  /// one that each fills; of one thread, the one that it fills and then encodes.
  private var hasRoom: Bool {
    let held = chunks.count { $0.chunk.sound != nil }
    let threads = crew.threads
    return held == 0 || threads > 1 && held <= threads && !crew.isBusy
  }

  /// The open chunk has all of its sound: it is there to be encoded, or, a short last one, to be
  /// heard by the encoder of the chunk before.
  private func close(_ chunk: Chunk<Codec>) {
    open = nil
    guard let sound = chunk.sound else { return }
    warmUp.restart(withLast: warmUp.capacity, of: sound, room: warmUp.capacity)
    let packets = (sound.count - Int(chunk.start - chunk.soundStart)) / codec.framesPerPacket
    let isShort = chunk.isLast && !chunk.isFirst && packets < grid.shortest
    // The last one is for this thread.
    chunks.append((isShort ? nil : crew.add(chunk, keeping: chunk.isLast ? 1 : 0), chunk))
  }

  /// Does what can be done on this thread, for some milliseconds, or waits for others.
  private func work() throws(Problem) {
    if let ticket = chunks.first?.ticket { crew.work(for: ticket) }
    try collect()
  }

  /// Splices what is encoded, in order.
  private func collect() throws(Problem) {
    while let (ticket, chunk) = chunks.first, ticket.map(crew.isDone) ?? true {
      if let problem = chunk.problem { throw problem }
      try splicer.add(chunk)
      chunks.removeFirst()
      if let sound = chunk.sound { spares.append(sound) }
      chunk.sound = nil
    }
  }
}
