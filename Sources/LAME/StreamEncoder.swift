internal import MPEGAudio
internal import Splicing

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

  /// Lets what is left be encoded on other cores; `finish` does it, too.
  func end() throws(LAMEError)

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
  private let lane: Lane<MP3Codec>
  private let setup: EncoderSetup
  private var stream: MP3Stream
  private var frameCount: Int64 = 0

  /// An encoder at the start of a stream.
  ///
  /// - Throws: Where LAME has no memory.
  package init(_ setup: EncoderSetup) throws(LAMEError) {
    lane = try Lane(MP3Codec(setup: setup), at: 0)
    self.setup = setup
    stream = MP3Stream(setup.slots)
  }

  /// PCM frames of the sound that a decoder makes of what was given out so far.
  package var givenCount: Int64 {
    let decoded = Int64(stream.frameCount * setup.samplesPerFrame)
    return max(0, min(frameCount, decoded - Int64(lane.encoder.delay + FrameIndex.decoderDelay)))
  }

  package func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    try MP3Encoder.requireEncodable(
      planes, channelCount: setup.channelCount, count: count, firstFrame: frameCount)
    try lane.encode(planes, from: 0, count: count)
    frameCount += Int64(count)
    // All but the last frame, which determines how much room those before it must leave.
    guard lane.packets.count > 1 else { return }
    try give(lane.packets.count - 1)
    stream.drain(into: &bytes)
  }

  package func finish(into bytes: inout [UInt8]) throws(LAMEError) -> [UInt8] {
    try lane.finish()
    try give(lane.packets.count)
    let infoFrame = stream.finish(lane.encoder)
    stream.drain(into: &bytes)
    return infoFrame
  }

  package func end() throws(LAMEError) {}

  package func cancel() {}

  private func give(_ count: Int) throws(LAMEError) {
    let next = lane.packets.count > count ? lane.packets[count].packet : nil
    try stream.append(lane.packets[..<count], of: lane.encoder, before: next)
    lane.forget(count)
  }
}
