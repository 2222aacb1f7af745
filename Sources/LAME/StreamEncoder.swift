internal import MPEGAudio

/// What turns sound into an MP3 stream whose first frame is written last.
package protocol FrameEncoder: AnyObject {
  /// Encodes frames, and appends to `bytes` the MP3 frames that are complete, whole.
  ///
  /// - Parameters:
  ///   - planes: One pointer for each channel, to `count` samples where ±1 is full scale.
  ///   - count: PCM frames, any number.
  ///   - bytes: Grows by whole MP3 frames; the first one is empty and keeps the Info frame's place.
  /// - Throws: `.notFinite` and `.tooLoud` before any of the frames is encoded, or LAME's status.
  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, into bytes: inout [UInt8]
  ) throws(LAMEError)

  /// Completes the stream; nothing may be encoded after it.
  ///
  /// - Returns: The Info frame, to be put over the first frame.
  func finish(into bytes: inout [UInt8]) throws(LAMEError) -> [UInt8]

  /// Gives up; nothing may be called after it.
  func cancel()
}

extension ChunkEncoder: FrameEncoder {}

/// Encodes sound as it comes, by one LAME instance: each MP3 frame is given out as soon as it is
/// whole, some tenths of a second behind the sound, where `ChunkEncoder` waits for half a minute.
///
/// One thread at a time.
package final class StreamEncoder: FrameEncoder {
  private let lane: Lane
  private let slots: FramePacker.Slots
  private let channelCount: Int
  private let samplesPerFrame: Int
  /// Begun with the first frame.
  private var stream: FrameStream?
  private var frameCount: Int64 = 0

  /// An encoder at the start of a stream.
  ///
  /// - Throws: Where LAME has no memory.
  package init(_ setup: EncoderSetup) throws(LAMEError) {
    lane = Lane(try setup.open(), firstFrame: 0)
    slots = setup.slots
    channelCount = setup.channelCount
    samplesPerFrame = setup.samplesPerFrame
  }

  /// PCM frames of the sound that a decoder makes of what was given out so far.
  package var givenCount: Int64 {
    let decoded = Int64((stream?.frameCount ?? 0) * samplesPerFrame)
    return max(0, min(frameCount, decoded - Int64(lane.delay + FrameIndex.decoderDelay)))
  }

  package func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    try MP3Encoder.requireEncodable(
      planes, channelCount: channelCount, count: count, firstFrame: frameCount)
    try lane.encode(planes, from: 0, count: count)
    frameCount += Int64(count)
    // All but the last frame, which determines how much room those before it must leave.
    guard lane.frames.count > 1 else { return }
    let last = lane.endFrame - 1
    try pack(to: last, leaving: lane.frame(last).mainDataBegin, into: &bytes)
  }

  package func finish(into bytes: inout [UInt8]) throws(LAMEError) -> [UInt8] {
    try lane.flush()
    try pack(to: lane.endFrame, leaving: 0, into: &bytes)
    stream?.finish(into: &bytes)
    return stream?.infoFrame(delay: lane.delay, padding: lane.padding) ?? []
  }

  package func cancel() {}

  private func pack(
    to end: Int, leaving mainDataBegin: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    let frames = lane.frames[..<(end - lane.firstFrame)]
    var stream = stream ?? frames.first.map { FrameStream(slots, $0.header, lane.encoding, &bytes) }
    self.stream = nil
    try stream?.pack(frames, leaving: mainDataBegin, into: &bytes)
    self.stream = stream
    lane.forget(to: end)
  }
}
