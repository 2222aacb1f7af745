/// Where copied Layer III frames lie in a stream, and which of its frames are encoded.
///
/// A copied frame keeps its sound only if it lies on the same grid as in its own stream: all copies
/// of a stream share one phase, the one with which most frames can be copied. Around each copy, the
/// frames that reach into other sound are encoded: those whose windows do, which are 1152 + 480
/// samples long (ISO 11172-3 §2.4.3.4: overlapping blocks of 36 samples in 32 subbands, and a filter
/// bank of 512 taps). A copy that the stream begins with brings the frames before it that its
/// decoding depends on; decoders cut them off by the tag's delay.
///
/// Decoded samples count from the first sample that a decoder makes of the first frame behind the
/// Info frame, its own delay of 529 included.
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

  /// PCM frames of each frame.
  package let samplesPerFrame: Int
  /// PCM frames of sound.
  package let length: Int64
  /// The decoded sample that is the first of the sound.
  package private(set) var skip: Int
  /// In order.
  package private(set) var copies: [Copy] = []
  /// Whether the first frame is silent, to hold main data that the next ones reach back to.
  package private(set) var hasCarrier = false

  /// PCM frames between LAME's input and the same sound in its decoded stream: 576 of LAME's own,
  /// and the decoder's 529 (`lame_get_encoder_delay`).
  package static let encoderSkip = 576 + FrameIndex.decoderDelay

  /// How many decoded samples a frame's last granule reaches beyond the frame.
  private static let reach: Int64 = 576 + 480

  /// Fewer frames in a row are encoded: their seams would cost more.
  private static let shortestCopy = 4

  /// Chooses the phase and places copies of `spans`, which must be in order and apart.
  ///
  /// - Complexity: O(n) in the number of spans.
  package init(_ spans: [Span], length: Int64, samplesPerFrame: Int) {
    self.init(length: length, samplesPerFrame: samplesPerFrame)
    // In so short a file, FFmpeg 5.1 cuts both ends off one frame wrongly.
    guard length > samplesPerFrame else { return }
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

  private init(length: Int64, samplesPerFrame: Int) {
    self.length = length
    self.samplesPerFrame = samplesPerFrame
    skip = Self.encoderSkip
  }

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
        Self.encoderSkip + (phase - Self.encoderSkip % samplesPerFrame + samplesPerFrame)
        % samplesPerFrame
    }
    for number in fitting where copies.last?.span != number {
      let (span, skip) = (spans[number], Int64(skip))
      let first = (span.frames.lowerBound + skip + count - 1) / count
      let end = end(of: span)
      guard end - Int(first) >= Self.shortestCopy else { continue }
      copies.append(
        Copy(span: number, first: frame(Int(first), of: span), frames: Int(first)..<end))
    }
  }

  /// Begins with a span's frames, some of them before its sound; false where too few of them count.
  private mutating func begin(with span: Span, number: Int) -> Bool {
    let (count, start) = (samplesPerFrame, Int(span.start))
    // Those whose blocks overlap with the first one's, and fill the filter bank.
    let preRoll = 1152 / count
    let first = max(0, start / count - preRoll)
    hasCarrier = first > 0 || start < FrameIndex.decoderDelay
    skip = start - first * count + (hasCarrier ? count : 0)
    let from = hasCarrier ? 1 : 0
    let end = end(of: span)
    let heard = start / count - first + from
    let isAll = span.frames.upperBound == length
    guard end - heard >= (isAll ? 1 : Self.shortestCopy) else {
      hasCarrier = false
      return false
    }
    copies = [Copy(span: number, first: first, frames: from..<end)]
    return true
  }

  /// Behind the last frame that reaches into no other sound.
  private func end(of span: Span) -> Int {
    guard span.frames.upperBound < length else { return frameCount }
    let end = (span.frames.upperBound + Int64(skip) - Self.reach) / Int64(samplesPerFrame)
    return max(0, Int(end))
  }

  /// The number in its own stream of the frame that lies at `frame` of the output.
  private func frame(_ frame: Int, of span: Span) -> Int {
    let first = firstSample(ofFrame: frame) - span.frames.lowerBound + span.start
    return Int(first / Int64(samplesPerFrame))
  }
}
