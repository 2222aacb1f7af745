/// Where copied frames of a codec lie in a stream, and which of its frames are encoded.
///
/// A copied frame keeps its sound only if it lies on the same grid as in its own stream: all copies
/// of a stream share one phase, the one with which most frames can be copied. Around each copy, the
/// frames that reach into other sound are encoded (`Grid`). A copy that the stream begins with brings
/// the frames before it that its decoding depends on; decoders cut them off by the delay that the
/// file has.
///
/// Decoded samples count from the first sample that a decoder makes of the first frame; of MP3 of the
/// first one behind the Info frame, the decoder's own delay of 529 included.
package struct CopyLayout: Sendable, Hashable, Codable {
  /// Sound that one stream's frames could give.
  package struct Span: Sendable, Hashable {
    /// PCM frames of the output.
    package var frames: Range<Int64>
    /// The decoded sample of its stream that the first of them is; 0 or more.
    package var start: Int64

    /// The sound of `frames`, which are decoded samples from `start` on.
    package init(frames: Range<Int64>, start: Int64) {
      self.frames = frames
      self.start = start
    }
  }

  /// Frames of one span's stream, one after the other.
  package struct Copy: Sendable, Hashable, Codable {
    /// Which of the spans.
    package var span: Int
    /// The first one's number in its own stream; 0 or more.
    package var first: Int
    /// Frames of the output.
    package var frames: Range<Int>
  }

  /// How a codec's frames lie, and how far they depend on one another.
  package let grid: Grid
  /// PCM frames of sound.
  package let length: Int64
  /// The decoded sample that is the first of the sound.
  package private(set) var skip: Int
  /// In order.
  package private(set) var copies: [Copy] = []
  /// Whether the first frame is silent, to hold main data that the next ones reach back to.
  package private(set) var hasCarrier = false

  /// Chooses the phase and places copies of `spans`, which must be in order and apart.
  ///
  /// - Complexity: O(n) in the number of spans.
  package init(_ spans: [Span], length: Int64, on grid: Grid) {
    (self.length, self.grid, skip) = (length, grid, grid.encoderSkip)
    guard length >= grid.shortestStream else { return }
    var counts: [Int: Int64] = [:]
    for span in spans { counts[phase(of: span), default: 0] += Int64(span.frames.count) }
    // Of equal ones the first span's.
    var best: (phase: Int, count: Int64)?
    for span in spans {
      let phase = phase(of: span)
      if let count = counts[phase], count > best?.count ?? 0 { best = (phase, count) }
    }
    if let best { place(spans, at: best.phase) }
  }

  /// PCM frames of each frame.
  package var samplesPerFrame: Int { grid.samplesPerFrame }

  /// Frames of the output, without the Info frame.
  package var frameCount: Int {
    let count = Int64(samplesPerFrame)
    return Int((length + Int64(skip) + count - 1) / count)
  }

  /// The tag's delay.
  package var delay: Int { skip - FrameIndex.decoderDelay }

  /// The tag's padding.
  package var padding: Int {
    Int(Int64(frameCount) * Int64(samplesPerFrame) - length) - delay
  }

  /// Which remainder of the frame length `skip` must have for a span to be copied.
  package func phase(of span: Span) -> Int {
    let (rest, count) = (span.start - span.frames.lowerBound, Int64(samplesPerFrame))
    return Int((rest % count + count) % count)
  }

  /// By how many samples a span would have to begin later for its frames to be on this grid; at most
  /// half a frame either way.
  package func offset(of span: Span) -> Int {
    let late = (phase(of: span) - skip % samplesPerFrame + samplesPerFrame) % samplesPerFrame
    return late > samplesPerFrame / 2 ? late - samplesPerFrame : late
  }

  /// The PCM frames of the output that the frames from `frame` on begin with.
  package func firstSample(ofFrame frame: Int) -> Int64 {
    Int64(frame) * Int64(samplesPerFrame) - Int64(skip)
  }

  /// Runs of frames between copies, which are encoded.
  package var encoded: [Range<Int>] {
    var runs: [Range<Int>] = []
    var next = hasCarrier ? 1 : 0
    for copy in copies {
      if copy.frames.lowerBound > next { runs.append(next..<copy.frames.lowerBound) }
      next = copy.frames.upperBound
    }
    if next < frameCount { runs.append(next..<frameCount) }
    return runs
  }

  /// Leaves frames of a copy to the encoded runs around it.
  package mutating func shorten(_ copy: Int, start: Int = 0, end: Int = 0) {
    let frames = copies[copy].frames
    copies[copy].frames = frames.lowerBound + start..<frames.upperBound - end
    copies[copy].first += start
  }

  // MARK: - Placing

  private mutating func place(_ spans: [Span], at phase: Int) {
    let count = Int64(samplesPerFrame)
    let fitting = spans.indices.filter { self.phase(of: spans[$0]) == phase }
    if let first = fitting.first,
      spans[first].frames.lowerBound > 0 || !begin(with: spans[first], number: first)
    {
      skip =
        grid.encoderSkip + (phase - grid.encoderSkip % samplesPerFrame + samplesPerFrame)
        % samplesPerFrame
    }
    for number in fitting where copies.last?.span != number {
      let (span, skip) = (spans[number], Int64(skip))
      let lead = span.frames.lowerBound == 0 ? 0 : grid.lead
      var first = Int((span.frames.lowerBound + lead + skip + count - 1) / count)
      first += max(0, grid.firstWhole - frame(first, of: span))
      let end = end(of: span)
      guard end - first >= grid.shortestCopy else { continue }
      copies.append(Copy(span: number, first: frame(first, of: span), frames: first..<end))
    }
  }

  /// Begins with a span's frames, some of them before its sound; false where too few of them count.
  private mutating func begin(with span: Span, number: Int) -> Bool {
    let (count, start) = (samplesPerFrame, Int(span.start))
    let first = max(0, start / count - grid.preRoll)
    hasCarrier = grid.hasReservoir && (first > 0 || start < FrameIndex.decoderDelay)
    skip = start - first * count + (hasCarrier ? count : 0)
    let from = hasCarrier ? 1 : 0
    let end = end(of: span)
    let heard = start / count - first + from
    let isAll = span.frames.upperBound == length
    guard end - heard >= (isAll ? 1 : grid.shortestCopy) else {
      hasCarrier = false
      return false
    }
    copies = [Copy(span: number, first: first, frames: from..<end)]
    return true
  }

  /// Behind the last frame that reaches into no other sound.
  private func end(of span: Span) -> Int {
    guard span.frames.upperBound < length else { return frameCount }
    let end = (span.frames.upperBound + Int64(skip) - grid.reach) / Int64(samplesPerFrame)
    return max(0, Int(end))
  }

  /// The number in its own stream of the frame that lies at `frame` of the output.
  private func frame(_ frame: Int, of span: Span) -> Int {
    let first = firstSample(ofFrame: frame) - span.frames.lowerBound + span.start
    return Int(first / Int64(samplesPerFrame))
  }
}
