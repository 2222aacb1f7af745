internal import MPEGAudio
internal import Splicing
internal import Threads

/// The frames of a long run that are encoded with the stream's own settings.
///
/// ```
///   copy │               frames of a run              │ copy
///   ─────┼────────────────────────────────────────────┼─────
///     ├─ head: SeamEncoder ─┤       ├─ tail: SeamEncoder ─┤
///                  ├─────────── body ────────┤
///                  └ choice ┘       └ choice ┘
///   The opening Seam ends, and the closing one begins, in frames that two encoders have made.
/// ```
final class RunBody {
  private let span: LaneSpan
  private let encoder: ChunkEncoder
  private let channelCount: Int
  private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private var unpacker = FrameUnpacker()
  private var bytes: [UInt8] = []
  /// From `firstFrame` of the stream on.
  private var unpacked: [UnpackedFrame] = []
  private var firstFrame: Int
  private var isBegun = false

  init(_ span: LaneSpan, _ setup: EncoderSetup, crew: Crew) {
    self.span = span
    encoder = ChunkEncoder(setup, crew: crew)
    pointers = .allocate(capacity: setup.channelCount)
    channelCount = setup.channelCount
    // The encoder begins with an empty frame, for an Info frame.
    firstFrame = span.firstFrame - 1
  }

  deinit { pointers.deallocate() }

  /// Behind the last frame that was made.
  var endFrame: Int { firstFrame + unpacked.count }

  func frame(_ index: Int) -> UnpackedFrame { unpacked[index - firstFrame] }

  func frames(_ range: Range<Int>) -> ArraySlice<UnpackedFrame> {
    unpacked[range.lowerBound - firstFrame..<range.upperBound - firstFrame]
  }

  func add(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, _ block: Range<Int64>
  ) throws(LAMEError) {
    let part = block.clamped(to: span.sound)
    guard !part.isEmpty else { return }
    try begin()
    for channel in 0..<channelCount {
      (pointers + channel).initialize(
        to: planes[channel] + Int(part.lowerBound - block.lowerBound))
    }
    try encoder.encode(pointers, count: part.count, into: &bytes)
    try unpack()
  }

  /// Makes the last frames.
  func finish() throws(LAMEError) {
    try begin()
    _ = try encoder.finish(into: &bytes)
    try unpack()
  }

  func cancel() { encoder.cancel() }

  /// Drops the frames before `frame`, but one.
  func forget(to frame: Int) {
    let count = frame - 1 - firstFrame
    guard count > 0 else { return }
    unpacked.removeFirst(count)
    firstFrame += count
  }

  private func begin() throws(LAMEError) {
    guard !isBegun else { return }
    isBegun = true
    let silence = span.silence(channelCount: channelCount)
    try encoder.encode(silence.planes, count: silence.count, into: &bytes)
  }

  private func unpack() throws(LAMEError) {
    try unpacker.drain(&bytes, into: &unpacked)
  }
}
