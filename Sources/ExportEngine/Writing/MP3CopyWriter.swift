import Diagnosis
import LAME
import MPEGAudio
import MediaComposition
import Threads

/// Writes an MP3 of frames that are copied from its sources, and of those that are encoded around
/// them.
///
/// Steps follow one another in the file: a copy, an encoded run, the next copy. Runs take the sound
/// that they need as it comes; it may overlap with that of the run after a short copy.
final class MP3CopyWriter: SoundWriter {
  private let file: OutputFile
  private let sources: MP3Sources
  private let setup: EncoderSetup
  private let seams: SeamSetups
  private let crew: Crew
  private var tally: SoundTally
  /// The place of the Info frame: after the ID3 tag.
  private let start: Int64
  private var position: Int64
  private var pending: [UInt8] = []
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

  private static let bufferSize = 1 << 16
  /// Frames that are copied at once.
  private static let batch = 64

  private init(
    _ file: OutputFile, _ sources: MP3Sources, _ settings: MP3Settings, _ tally: SoundTally,
    sampleRate: Int, _ crew: Crew, start: Int64
  ) throws(Failure) {
    guard let encoding = try sources.encoding() else {
      throw Failure(.reportBug, "has nothing to copy")
    }
    var settings = settings
    if tally.channelCount == 2, !encoding.isJoint { settings.stereoMode = .simple }
    do throws(LAMEError) {
      setup = try EncoderSetup(
        settings, sampleRate: sampleRate, channelCount: tally.channelCount)
    } catch {
      throw error.failure(of: file)
    }
    seams = SeamSetups(like: setup)
    (self.file, self.sources, self.tally) = (file, sources, tally)
    (self.crew, self.start, position, header) = (crew, start, start, encoding.header)
    stream = FrameStream(encoding.slots, header, encoding.info, &pending)
    steps = sources.layout.steps[...]
  }

  /// `tag` has the bytes before the sound: a whole ID3v2 tag or nothing.
  static func open(
    _ file: OutputFile, _ sources: MP3Sources, _ settings: MP3Settings, tally: SoundTally,
    sampleRate: Int, tag: [UInt8], crew: Crew
  ) throws(Failure) -> MP3CopyWriter {
    try file.put(tag, at: 0)
    return try MP3CopyWriter(
      file, sources, settings, tally, sampleRate: sampleRate, crew, start: Int64(tag.count))
  }

  var firstNeeded: Int64 {
    // The sounds of later runs begin later.
    for case .run(_, let sound) in steps where sound.upperBound > tally.frameCount {
      return max(sound.lowerBound, tally.frameCount)
    }
    return .max
  }

  func skip(_ frameCount: Int64) throws(Failure) {
    tally.skip(frameCount)
    do throws(Failure) { try advance() } catch { throw abandoning(error) }
  }

  func write(_ block: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      let range = tally.frameCount..<tally.frameCount + Int64(block.frameCount)
      // The block may have been rendered for another output.
      guard firstNeeded < range.upperBound else { return try skip(Int64(block.frameCount)) }
      try tally.add(block)
      for case .run(let frames, let sound) in steps {
        if sound.lowerBound >= range.upperBound { break }
        let encoder = try encoder(of: frames)
        try encoding { () throws(LAMEError) in try encoder.add(block.planes, range) }
      }
      try advance()
    } catch {
      throw abandoning(error)
    }
  }

  func finish() throws(Failure) -> WrittenOutput {
    do throws(Failure) {
      try tally.requireComplete()
      try advance()
      stream.finish(into: &pending)
      try flush()
      let layout = sources.layout
      try file.put(stream.infoFrame(delay: layout.delay, padding: layout.padding), at: start)
      try file.flush()
    } catch {
      throw abandoning(error)
    }
    var written = tally.result(of: file, sampleRate: setup.sampleRate)
    written.copied = sources.parts
    return written
  }

  var files: [OutputFile] { [file] }

  func abandon() {
    for encoder in encoders.values { encoder.cancel() }
    file.discard()
  }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }

  // MARK: - Steps

  /// Writes all steps that do not reach beyond the sound that there was.
  private func advance() throws(Failure) {
    while let step = steps.first {
      switch step {
      case .carrier: try carry()
      case .copy(let number): guard try copy(number) else { return }
      case .run(let frames, let sound):
        guard try run(frames, isComplete: tally.frameCount >= sound.upperBound) else { return }
      }
      steps = steps.dropFirst()
    }
  }

  /// Begins with a silent frame that has room for what the next one reaches back to.
  private func carry() throws(Failure) {
    let silence = [UnpackedFrame.silence(like: header)]
    let begin = try sources.mainData(before: 0, of: 0).count
    try packing { () throws(FramePacker.NoRoom) in
      try stream.append(silence[...], leaving: begin, into: &pending)
    }
  }

  /// Copies frames as far as their sound has passed; gives whether those are all that may be given
  /// out before the run behind them has begun.
  private func copy(_ number: Int) throws(Failure) -> Bool {
    let (layout, frames) = (sources.layout, sources.layout.copies[number].frames)
    let isLast = steps.count == 1
    let start = if let copied { copied } else { try begin(copy: number) }
    let count = max(start, isLast ? frames.count : sources.certainCount(of: number))
    let passed = tally.frameCount - layout.firstSample(ofFrame: frames.lowerBound)
    let length = Int64(layout.samplesPerFrame)
    let due = min(count, Int(max(0, passed + length - 1) / length))
    for first in stride(from: start, to: due, by: Self.batch) {
      if crew.cancellation.isCancelled { throw LAMEError.cancelled.failure(of: file) }
      let (bytes, lengths) = try sources.frames(first..<min(first + Self.batch, due), of: number)
      stream.copy(bytes[...], lengths: lengths, into: &pending)
      if pending.count >= Self.bufferSize { try flush() }
    }
    copied = max(start, due)
    guard copied == count else { return false }
    if !isLast { held = (number, count) }
    copied = nil
    return true
  }

  /// Makes room for what a copy's first frame reaches back to; gives how many of its frames are given
  /// out already.
  private func begin(copy number: Int) throws(Failure) -> Int {
    let first = isBegun ? 1 : 0
    isBegun = false
    let mainData = try sources.mainData(before: first, of: number)
    try packing { () throws(FramePacker.NoRoom) in
      try stream.fill(endingWith: mainData, into: &pending)
    }
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
    stream.copyEnd(frames, freeing: free, into: &pending)
    sources.end(copy: number, at: frame)
  }

  /// Encodes a run as far as there is sound; gives whether that is all of it.
  private func run(_ frames: Range<Int>, isComplete: Bool) throws(Failure) -> Bool {
    let encoder = try encoder(of: frames)
    if isComplete { try encoding { () throws(LAMEError) in try encoder.complete() } }
    if let start = encoder.start { try endCopy(before: start) }
    try encoding { () throws(LAMEError) in
      if isComplete {
        try encoder.finish(into: &stream, &pending)
      } else {
        try encoder.pack(into: &stream, &pending)
      }
    }
    if pending.count >= Self.bufferSize { try flush() }
    guard isComplete else { return false }
    encoders[frames.lowerBound] = nil
    if case .copy(let number)? = steps.dropFirst().first, let end = encoder.end {
      sources.begin(copy: number, at: end)
      isBegun = true
    }
    return true
  }

  private func encoder(of frames: Range<Int>) throws(Failure) -> RunEncoder {
    if let encoder = encoders[frames.lowerBound] { return encoder }
    let neighbours = try sources.neighbours(of: frames)
    do throws(LAMEError) {
      let encoder = try RunEncoder(
        frames, in: sources.layout, setup, between: neighbours, crew: crew, seams: seams)
      encoders[frames.lowerBound] = encoder
      return encoder
    } catch {
      throw error.failure(of: file)
    }
  }

  private func encoding(_ body: () throws(LAMEError) -> Void) throws(Failure) {
    do throws(LAMEError) { try body() } catch { throw error.failure(of: file) }
  }

  private func packing(_ body: () throws(FramePacker.NoRoom) -> Void) throws(Failure) {
    do throws(FramePacker.NoRoom) {
      try body()
    } catch {
      throw LAMEError.noRoom(frame: error.frame).failure(of: file)
    }
  }

  private func flush() throws(Failure) {
    try file.put(pending, at: position)
    position += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }
}

extension CopyLayout {
  /// All frames, in order.
  fileprivate var steps: [MP3CopyWriter.Step] {
    var steps = encoded.map { run in
      let reach = max(0, run.lowerBound - RunEncoder.reach)..<run.upperBound + RunEncoder.reach
      let sound = RunEncoder.sound(for: reach, in: self)
      return (run.lowerBound, MP3CopyWriter.Step.run(run, sound: sound))
    }
    steps += copies.indices.map { (copies[$0].frames.lowerBound, .copy($0)) }
    if hasCarrier { steps.append((0, .carrier)) }
    return steps.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
