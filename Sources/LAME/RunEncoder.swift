package import MPEGAudio
package import Threads

/// Encodes a run of frames between copied ones, which it meets without a step.
///
/// The frames beside copies are those of a `SeamEncoder`; the others of a long run are encoded with
/// the stream's own settings, on all idle cores (`RunBody`). Encoders take over from one another
/// where the slopes of their blocks agree: a run may begin some frames earlier, and end some later.
/// One thread at a time.
package final class RunEncoder {
  /// The frames of a copy beside a run, the nearest first.
  package struct Neighbours {
    /// Of those before it, how their blocks end.
    package var before: [[Bool]] = []
    /// Those behind it, and how far the next one of each reaches back; nil for a frame that cannot be
    /// the first.
    package var behind: [(frame: UnpackedFrame, nextMainDataBegin: Int)?] = []

    /// No frames.
    package init() {}
  }

  /// How many frames of a copy a run may replace at either end.
  package static let reach = 8

  /// The first frame; nil until it is decided.
  package private(set) var start: Int?
  /// Behind the last frame; nil until it is decided. The copy's frame there is given out with the run,
  /// in a slot of its own, so that it takes no room from the frames before it.
  package private(set) var end: Int?

  private let frames: Range<Int>
  private let neighbours: Neighbours
  /// The frames behind a copy; or all.
  private let head: SeamEncoder?
  private let body: RunBody?
  /// The frames before a copy; of a run that has no body the same as `head`.
  private let tail: SeamEncoder?
  /// Head frames that are decided, and not packed yet.
  private var opening: Seam?
  /// Tail frames that are decided.
  private var closing: Seam?
  /// The next frame to be packed.
  private var next: Int

  /// An encoder of some of the stream's frames.
  ///
  /// - Parameters:
  ///   - frames: One of `layout.encoded`.
  ///   - layout: The stream's.
  ///   - setup: The stream's settings.
  ///   - neighbours: Some frames of the copies beside it.
  ///   - crew: The threads that encode a long run.
  ///   - seams: The settings of the frames beside copies, for all runs of the stream.
  /// - Throws: Where LAME has no memory.
  package init(
    _ frames: Range<Int>, in layout: CopyLayout, _ setup: EncoderSetup,
    between neighbours: Neighbours, crew: Crew, seams: SeamSetups
  ) throws(LAMEError) {
    (self.frames, self.neighbours) = (frames, neighbours)
    next = frames.lowerBound
    func seam(_ frames: Range<Int>) -> SeamEncoder {
      SeamEncoder(LaneSpan(frames, warmUp: Self.seamWarmUp, in: layout), seams)
    }
    let isBehindCopy = !neighbours.before.isEmpty
    let isBeforeCopy = !neighbours.behind.isEmpty
    if !isBehindCopy { start = frames.lowerBound }
    let (earliest, latest) =
      (frames.lowerBound - neighbours.before.count, frames.upperBound + neighbours.behind.count)
    guard isBehindCopy || isBeforeCopy, frames.count <= Self.shortest else {
      let (first, last) = Self.bodyFrames(frames)
      head = isBehindCopy ? seam(earliest..<first + Self.choice) : nil
      tail = isBeforeCopy ? seam(last - Self.choice..<latest) : nil
      let own =
        (isBehindCopy ? first : frames.lowerBound)..<(isBeforeCopy ? last : frames.upperBound)
      body = RunBody(
        LaneSpan(own, warmUp: Self.bodyWarmUp, in: layout), setup, crew: crew)
      return
    }
    let all = seam(earliest..<latest)
    (head, body, tail) = (all, nil, all)
  }

  /// PCM frames of the stream's sound that an encoder of `frames` may need.
  package static func sound(for frames: Range<Int>, in layout: CopyLayout) -> Range<Int64> {
    LaneSpan(frames, warmUp: bodyWarmUp, in: layout).sound
  }

  /// Frames behind a copy that are true to it, and before one.
  private static let (framesBehind, framesBefore) = (2, 3)
  /// Among how many frames an encoder may take over from another.
  private static let choice = 4
  /// Frames of a run that has no frames but such.
  static let shortest = framesBehind + framesBefore + 2 * choice + 3
  private static let seamWarmUp = 4
  private static let bodyWarmUp = 16

  private static func bodyFrames(_ frames: Range<Int>) -> (first: Int, last: Int) {
    (frames.lowerBound + framesBehind, frames.upperBound - framesBefore)
  }

  /// Takes the sound of `block`, PCM frames of the stream's sound that follow those of the call
  /// before, as far as it is needed. Blocks while LAME encodes.
  ///
  /// - Throws: As `ChunkEncoder`.
  package func add(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, _ block: Range<Int64>
  ) throws(LAMEError) {
    head?.add(planes, block)
    if tail !== head { tail?.add(planes, block) }
    try body?.add(planes, block)
    try decideStart()
  }

  /// Decides `start` and `end`, once all sound was added. Blocks while LAME encodes.
  ///
  /// - Throws: As `ChunkEncoder`.
  package func complete() throws(LAMEError) {
    try body?.finish()
    try decideStart()
    try decideEnd()
  }

  /// Gives out the frames that are certain so far, once `start` is decided.
  ///
  /// - Throws: LAME's status, or `.noRoom`.
  package func pack(into stream: inout FrameStream, _ bytes: inout [UInt8]) throws(LAMEError) {
    guard let body, start != nil else { return }
    try packOpening(into: &stream, &bytes)
    // The frame behind them determines how much room they leave.
    let last = tail == nil ? Int.max : Self.bodyFrames(frames).last - Self.choice - 1
    let certain = min(body.endFrame - 1, last)
    guard certain > next else { return }
    try stream.pack(
      body.frames(next..<certain), leaving: body.frame(certain).mainDataBegin, into: &bytes)
    next = certain
    body.forget(to: certain)
  }

  /// Gives out all other frames, after `complete`.
  ///
  /// - Parameters:
  ///   - stream: Gets the frames.
  ///   - bytes: Grows by frames that are complete.
  /// - Throws: LAME's status, or `.noRoom`.
  package func finish(into stream: inout FrameStream, _ bytes: inout [UInt8]) throws(LAMEError) {
    try pack(into: &stream, &bytes)
    guard let closing else {
      guard let body else { return }
      return try stream.pack(body.frames(next..<frames.upperBound), leaving: 0, into: &bytes)
    }
    let before = body?.frames(next..<closing.frames.lowerBound) ?? []
    try closing.pack(after: before, into: &stream, &bytes)
  }

  /// Gives up: see `ChunkEncoder`.
  package func cancel() { body?.cancel() }

  // MARK: - Seams

  /// Decides where a body takes over from a copy: as near to the copy's planned end as slopes allow.
  private func decideStart() throws(LAMEError) {
    guard start == nil, let head, let body, head.isComplete else { return }
    let first = Self.bodyFrames(frames).first
    guard body.endFrame > first + Self.choice else { return }
    let followers = (0...Self.choice).map { distance in
      Follower(
        slopes: body.frame(first + distance).slopes.isShortAtStart, frame: nil,
        mainDataBegin: body.frame(first + distance).mainDataBegin)
    }
    let seam = try Seam(
      head, from: frames.lowerBound, behind: neighbours.before, to: first, before: followers)
    (opening, start, next) = (seam, seam.frames.lowerBound, seam.frames.lowerBound)
  }

  private func decideEnd() throws(LAMEError) {
    guard let tail else { return end = frames.upperBound }
    var followers = neighbours.behind.map { behind in
      behind.flatMap { Follower(copied: $0.frame, leaving: $0.nextMainDataBegin) }
    }
    // Where all are damaged, the first one falls silent.
    if let first = neighbours.behind.firstIndex(where: { $0 != nil }),
      let behind = neighbours.behind[first], followers.allSatisfy({ $0 == nil })
    {
      followers[first] = Follower(
        copied: .silence(like: behind.frame.header), leaving: behind.nextMainDataBegin)
    }
    var (first, before) = (frames.lowerBound, neighbours.before)
    if let body {
      first = Self.bodyFrames(frames).last
      before = (0...Self.choice).map { body.frame(first - $0 - 1).slopes.isShortAtEnd }
    }
    let seam = try Seam(
      tail, from: first, behind: before, to: frames.upperBound, before: followers)
    (closing, end) = (seam, seam.frames.upperBound)
    if body == nil { start = seam.frames.lowerBound }
  }

  private func packOpening(
    into stream: inout FrameStream, _ bytes: inout [UInt8]
  ) throws(LAMEError) {
    guard let body, let seam = opening else { return }
    try seam.pack(into: &stream, &bytes)
    opening = nil
    next = seam.frames.upperBound
    body.forget(to: next)
  }
}
