internal import MPEGAudio
internal import Splicing

/// Frames of LAME's as the bytes of one stream, whose bit reservoir is laid out again.
struct MP3Stream: PacketStream {
  /// Whole frames that were not taken yet. The first of all is an empty one that keeps the place of
  /// the Info frame.
  var bytes: [UInt8] = []
  private let slots: FramePacker.Slots
  /// Begun with the first frame.
  private var stream: FrameStream?

  init(_ slots: FramePacker.Slots) { self.slots = slots }

  /// MP3 frames that were given out, without the empty one.
  var frameCount: Int { stream?.frameCount ?? 0 }

  /// Whether its main data find room in the reservoir.
  func accepts(_ frame: UnpackedFrame, behind frames: ArraySlice<Placed<UnpackedFrame>>) -> Bool {
    guard
      let packer = stream?.packer
        ?? frames.first.map({ FramePacker(slots, like: $0.packet.header) })
    else { return frame.mainDataBegin == 0 }
    let reservoir = frames.reduce(packer.reservoir) {
      packer.mostReservoir(after: $1.packet, from: $0)
    }
    return reservoir >= frame.mainDataBegin
  }

  mutating func append(
    _ frames: ArraySlice<Placed<UnpackedFrame>>, of encoder: FrameMaker, before next: UnpackedFrame?
  ) throws(LAMEError) {
    var stream =
      stream ?? frames.first.map { FrameStream(slots, $0.packet.header, encoder.encoding, &bytes) }
    self.stream = nil
    try stream?.pack(
      frames.map(\.packet)[...], leaving: next?.mainDataBegin ?? 0, into: &bytes)
    self.stream = stream
  }

  /// Gives all bytes out.
  ///
  /// - Returns: The frame that belongs where the first, empty one stands.
  mutating func finish(_ encoder: FrameMaker) -> [UInt8] {
    stream?.finish(into: &bytes)
    return stream?.infoFrame(delay: encoder.delay, padding: encoder.padding) ?? []
  }

  /// Moves the bytes to the end of others.
  mutating func drain(into others: inout [UInt8]) {
    others += bytes
    bytes.removeAll(keepingCapacity: true)
  }
}
