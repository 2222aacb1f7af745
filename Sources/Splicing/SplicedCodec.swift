/// A codec whose encoders forget their past, so that several of them can make one stream, each a
/// part of it.
package protocol SplicedCodec: Sendable {
  /// Makes packets of sound.
  associatedtype Encoder: PartEncoder
  /// Where the packets of all encoders go.
  associatedtype Stream: PacketStream where Stream.Encoder == Encoder

  /// Channels of the sound.
  var channelCount: Int { get }
  /// PCM frames of a packet, or another step at whose multiples an encoder may begin.
  var framesPerPacket: Int { get }

  /// Starts an encoder whose first sound is `frame` of the stream's, a multiple of
  /// `framesPerPacket`. Called on any thread.
  ///
  /// - Throws: The codec's refusal, as where memory is short.
  func open(at frame: Int64) throws(Encoder.Problem) -> Encoder

  /// Whether two encoders that made these packets of the same sound, and agreed in some before them,
  /// may take over from one another.
  func agree(_ one: Encoder.Packet, _ other: Encoder.Packet) -> Bool
}

/// An encoder of a part of a stream. Used by one thread at a time, which need not be the same one.
package protocol PartEncoder: AnyObject {
  /// What it takes: of each channel and frame one.
  associatedtype Sample: BitwiseCopyable & Numeric
  /// What a codec makes of some PCM frames.
  associatedtype Packet
  /// Why a codec did not encode.
  associatedtype Problem: EncodingProblem

  /// Encodes `count` PCM frames from `start` of the planes on, which follow those of the call before,
  /// and appends the packets that are complete.
  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Sample>>, from start: Int, count: Int,
    into packets: inout [Placed<Packet>]
  ) throws(Problem)

  /// Appends the last packets of the stream. Nothing may be encoded after it.
  func finish(into packets: inout [Placed<Packet>]) throws(Problem)
}

/// An error of an encoder.
package protocol EncodingProblem: Error, Sendable {
  /// The job was stopped.
  static var cancelled: Self { get }
}

/// A packet, and the PCM frames of the stream that it is; those of an encoder's delay lie before the
/// encoder's first.
package struct Placed<Packet> {
  /// PCM frames, counted from the stream's first one.
  package let frames: Range<Int64>
  /// What the codec made of them.
  package let packet: Packet

  /// A packet at its place.
  package init(_ frames: Range<Int64>, _ packet: Packet) {
    (self.frames, self.packet) = (frames, packet)
  }
}

/// A stream that is written of the packets of many encoders.
package protocol PacketStream {
  /// Makes the packets.
  associatedtype Encoder: PartEncoder

  /// Whether there is room for `packet`, of another encoder, behind some that are not appended yet.
  func accepts(
    _ packet: Encoder.Packet, behind packets: ArraySlice<Placed<Encoder.Packet>>
  ) -> Bool

  /// Takes the next packets.
  ///
  /// - Parameters:
  ///   - packets: Those of one encoder.
  ///   - encoder: Which made them.
  ///   - next: The packet that follows them; nil at the end.
  /// - Throws: What keeps the stream from being written.
  mutating func append(
    _ packets: ArraySlice<Placed<Encoder.Packet>>, of encoder: Encoder, before next: Encoder.Packet?
  ) throws(Encoder.Problem)
}

extension PacketStream {
  package func accepts(
    _: Encoder.Packet, behind _: ArraySlice<Placed<Encoder.Packet>>
  ) -> Bool { true }
}
