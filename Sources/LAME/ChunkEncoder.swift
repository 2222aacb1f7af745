internal import MPEGAudio
package import Splicing
package import Threads

/// Encodes one stream on many cores: PCM in, MP3 frames out, in order.
///
/// Frames are those of several LAME instances, spliced where these have come to agree
/// (`SplicedEncoder`). The bytes depend on the sound and the settings alone. In memory there is the
/// sound of one chunk more than there are threads. One thread at a time, which blocks while it encodes.
package final class ChunkEncoder {
  /// PCM frames that were taken so far.
  package var frameCount: Int64 { encoder.frameCount }

  private let encoder: SplicedEncoder<MP3Codec>

  /// An encoder, ready for sound.
  ///
  /// - Parameters:
  ///   - setup: The settings, proven by LAME.
  ///   - grid: Where encoders take over from one another; nil: the one of such settings.
  ///   - crew: The threads that encode. Once its cancellation is set, calls throw
  ///     `LAMEError.cancelled` within a fraction of a second.
  package init(_ setup: EncoderSetup, grid: ChunkGrid? = nil, crew: Crew = Crew()) {
    let codec = MP3Codec(setup: setup)
    encoder = SplicedEncoder(
      codec, to: MP3Stream(setup.slots), grid: grid ?? codec.grid, crew: crew)
  }

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
      planes, channelCount: encoder.codec.channelCount, count: count, firstFrame: frameCount)
    defer { encoder.stream.drain(into: &bytes) }
    try encoder.encode(planes, count: count)
  }

  /// Lets the last frames be encoded while the calling thread does other things; see
  /// `SplicedEncoder.end`.
  ///
  /// - Throws: As `encode`.
  package func end() throws(LAMEError) { try encoder.end() }

  /// Completes the stream: appends the last frames to `bytes`. Nothing may be encoded after it.
  ///
  /// - Returns: The frame that belongs where the first, empty one stands.
  /// - Throws: As `encode`.
  package func finish(into bytes: inout [UInt8]) throws(LAMEError) -> [UInt8] {
    defer { encoder.stream.drain(into: &bytes) }
    guard let last = try encoder.finish() else { return [] }
    return encoder.stream.finish(last)
  }

  /// Gives up: waits until no thread encodes any more. Nothing is to be called after it.
  package func cancel() { encoder.cancel() }
}
