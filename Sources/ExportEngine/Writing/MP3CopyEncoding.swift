import Diagnosis
import ExportGraph
import LAME
import MPEGAudio
import MediaComposition
import Threads

/// Writes an MP3 of frames that are copied from its sources, and of those that are encoded around
/// them.
///
/// Steps follow one another in the file: a copy, an encoded run, the next copy. Runs take the sound
/// that they need as it comes; it may overlap with that of the run after a short copy.
final class MP3CopyEncoding: SoundEncoding {
  private let sources: MP3Sources
  private let setup: EncoderSetup
  private let seams: SeamSetups
  private let crew: Crew
  private var output: MP3Bytes
  /// Frames of sound that have come so far.
  private var frameCount: Int64 = 0
  private var stream: FrameStream
  /// The header that all frames are like.
  private let header: FrameHeader
  /// What is still to be written, in order.
  private var steps: ArraySlice<Step>
  /// Whether the run before a copy has given out the copy's first frame.
  private var isBegun = false
  /// How many frames of the copy that is being written are given out; nil before its first.
  private var copied: Int?
  /// The copy whose last frames are not given out, and the first of these.
  private var held: (copy: Int, first: Int)?
  /// The encoders of the runs that have begun, by the first of the frames of each.
  private var encoders: [Int: RunEncoder] = [:]

  fileprivate enum Step {
    case carrier
    case copy(Int)
    /// Frames, and the sound that they may need.
    case run(Range<Int>, sound: Range<Int64>)
  }

  /// Frames that are copied at once.
  private static let batch = 64

  /// `tag` as of `MP3Bytes`.
  init(
    _ file: OutputFile, _ sources: MP3Sources, _ settings: MP3Settings, _ format: AudioFormat,
    tag: [UInt8], crew: Crew
  ) throws {
    output = try MP3Bytes(file, tag: tag)
    guard let encoding = try sources.encoding() else {
      throw Failure(.reportBug, "has nothing to copy")
    }
    var settings = settings
    let channelCount = format.channelLayout.count
    if channelCount == 2, !encoding.isJoint { settings.stereoMode = .simple }
    setup = try EncoderSetup(settings, sampleRate: format.sampleRate, channelCount: channelCount)
    seams = SeamSetups(like: setup)
    (self.sources, self.crew, header) = (sources, crew, encoding.header)
    stream = FrameStream(encoding.slots, header, encoding.info, &output.pending)
    steps = sources.layout.steps[...]
  }

  var firstNeeded: Int64 {
    // The sounds of later runs begin later.
    for case .run(_, let sound) in steps where sound.upperBound > frameCount {
      return max(sound.lowerBound, frameCount)
    }
    return .max
  }

  func skip(_ count: Int64) throws {
    frameCount += count
    try advance()
  }

  func encode(_ block: AudioBuffer) throws {
    let range = frameCount..<frameCount + Int64(block.frameCount)
    for case .run(let frames, let sound) in steps {
      if sound.lowerBound >= range.upperBound { break }
      try encoder(of: frames).add(block.planes, range)
    }
    try skip(Int64(block.frameCount))
  }

  func finish() throws -> [CopiedPart]? {
    try advance()
    stream.finish(into: &output.pending)
    try output.flush()
    let layout = sources.layout
    try output.put(infoFrame: stream.infoFrame(delay: layout.delay, padding: layout.padding))
    return sources.parts
  }

  var warnings: [Warning] { sources.damageWarnings }

  func cancel() { for encoder in encoders.values { encoder.cancel() } }

  // MARK: - Steps

  /// Writes all steps that do not reach beyond the sound that there was.
  private func advance() throws {
    while let step = steps.first {
      switch step {
      case .carrier: try carry()
      case .copy(let number): guard try copy(number) else { return }
      case .run(let frames, let sound):
        guard try run(frames, isComplete: frameCount >= sound.upperBound) else { return }
      }
      steps = steps.dropFirst()
    }
  }

  /// Begins with a silent frame that has room for what the next one reaches back to.
  private func carry() throws {
    let silence = [UnpackedFrame.silence(like: header)]
    let begin = try sources.mainData(before: 0, of: 0).count
    try stream.append(silence[...], leaving: begin, into: &output.pending)
  }

  /// Copies frames as far as their sound has passed; gives whether those are all that may be given
  /// out before the run behind them has begun.
  private func copy(_ number: Int) throws -> Bool {
    let (layout, frames) = (sources.layout, sources.layout.copies[number].frames)
    let isLast = steps.count == 1
    let start = if let copied { copied } else { try begin(copy: number) }
    let count = max(start, isLast ? frames.count : sources.certainCount(of: number))
    let passed = frameCount - layout.firstSample(ofFrame: frames.lowerBound)
    let length = Int64(layout.samplesPerFrame)
    let due = min(count, Int(max(0, passed + length - 1) / length))
    for first in stride(from: start, to: due, by: Self.batch) {
      if crew.cancellation.isCancelled { throw LAMEError.cancelled }
      let (bytes, lengths) = try sources.frames(first..<min(first + Self.batch, due), of: number)
      stream.copy(bytes[...], lengths: lengths, into: &output.pending)
      if output.isFull { try output.flush() }
    }
    copied = max(start, due)
    guard copied == count else { return false }
    if !isLast { held = (number, count) }
    copied = nil
    return true
  }

  /// Makes room for what a copy's first frame reaches back to; gives how many of its frames are given
  /// out already.
  private func begin(copy number: Int) throws -> Int {
    let first = isBegun ? 1 : 0
    isBegun = false
    let mainData = try sources.mainData(before: first, of: number)
    try stream.fill(endingWith: mainData, into: &output.pending)
    return first
  }

  /// Gives out the last frames of a copy, up to one of the stream.
  private func endCopy(before frame: Int) throws(Failure) {
    guard let (number, first) = held else { return }
    held = nil
    let count = frame - sources.layout.copies[number].frames.lowerBound
    let (bytes, lengths) = try sources.frames(first..<count, of: number)
    let free = try sources.freeCount(after: count - 1, of: number)
    var frames: [ArraySlice<UInt8>] = []
    var start = 0
    for length in lengths {
      frames.append(bytes[start..<start + length])
      start += length
    }
    stream.copyEnd(frames, freeing: free, into: &output.pending)
    sources.end(copy: number, at: frame)
  }

  /// Encodes a run as far as there is sound; gives whether that is all of it.
  private func run(_ frames: Range<Int>, isComplete: Bool) throws -> Bool {
    let encoder = try encoder(of: frames)
    if isComplete { try encoder.complete() }
    if let start = encoder.start { try endCopy(before: start) }
    if isComplete {
      try encoder.finish(into: &stream, &output.pending)
    } else {
      try encoder.pack(into: &stream, &output.pending)
    }
    if output.isFull { try output.flush() }
    guard isComplete else { return false }
    encoders[frames.lowerBound] = nil
    if case .copy(let number)? = steps.dropFirst().first, let end = encoder.end {
      sources.begin(copy: number, at: end)
      isBegun = true
    }
    return true
  }

  private func encoder(of frames: Range<Int>) throws -> RunEncoder {
    if let encoder = encoders[frames.lowerBound] { return encoder }
    let encoder = try RunEncoder(
      frames, in: sources.layout, setup, between: try sources.neighbours(of: frames), crew: crew,
      seams: seams)
    encoders[frames.lowerBound] = encoder
    return encoder
  }
}

extension CopyLayout {
  /// All frames, in order.
  fileprivate var steps: [MP3CopyEncoding.Step] {
    var steps = encoded.map { run in
      let reach = max(0, run.lowerBound - RunEncoder.reach)..<run.upperBound + RunEncoder.reach
      let sound = RunEncoder.sound(for: reach, in: self)
      return (run.lowerBound, MP3CopyEncoding.Step.run(run, sound: sound))
    }
    steps += copies.indices.map { (copies[$0].frames.lowerBound, .copy($0)) }
    if hasCarrier { steps.append((0, .carrier)) }
    return steps.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
