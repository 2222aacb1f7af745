internal import MPEGAudio
internal import Splicing

/// Encodes a few frames beside copied ones, as true to the sound as frames can be: at the highest
/// constant bit rate that leaves room, with noise that is not shaped.
///
/// It holds the sound that it encodes, to encode it in several ways.
final class SeamEncoder {
  /// Which blocks its frames have.
  enum Kind: CaseIterable {
    /// Short ones where the sound has an attack, as other encoders have there.
    case switching
    /// Long ones alone.
    case long
  }

  /// Frames that one of the encoders made.
  struct Frames {
    fileprivate let first: Int
    fileprivate let all: [UnpackedFrame]

    func frames(_ range: Range<Int>) -> ArraySlice<UnpackedFrame> {
      all[range.lowerBound - first..<range.upperBound - first]
    }

    func slopes(_ frame: Int) -> WindowSlopes { all[frame - first].slopes }

    /// Whether a part of both begins and ends with the same slopes.
    func meets(_ other: Frames, in range: Range<Int>) -> Bool {
      guard let last = range.last else { return true }
      return slopes(range.lowerBound).isShortAtStart
        == other.slopes(range.lowerBound).isShortAtStart
        && slopes(last).isShortAtEnd == other.slopes(last).isShortAtEnd
    }
  }

  let span: LaneSpan
  let setups: SeamSetups
  private let sound: ChunkSound<Float>
  private var made: [SeamSetups.Attempt: Frames] = [:]

  /// An encoder of what `span` says, without sound yet.
  init(_ span: LaneSpan, _ setups: SeamSetups) {
    (self.span, self.setups) = (span, setups)
    sound = ChunkSound(channelCount: setups.stream.channelCount, capacity: span.sound.count)
  }

  /// Whether it has all sound.
  var isComplete: Bool { sound.isFull }

  /// Takes the part of a block that belongs to its sound.
  func add(_ planes: UnsafePointer<UnsafeMutablePointer<Float>>, _ block: Range<Int64>) {
    let part = block.clamped(to: span.sound)
    guard !part.isEmpty else { return }
    _ = sound.append(planes, from: Int(part.lowerBound - block.lowerBound), count: part.count)
  }

  /// The frames of one of the encoders, made once.
  func frames(_ kind: Kind, attempt number: Int) throws(LAMEError) -> Frames {
    let attempt = SeamSetups.Attempt(kind: kind, number: number)
    if let known = made[attempt] { return known }
    let maker = FrameMaker(try setups.setup(attempt).open(), at: 0)
    let silence = span.silence(channelCount: sound.channelCount)
    var packets: [Placed<UnpackedFrame>] = []
    try maker.encode(silence.planes, from: 0, count: silence.count, into: &packets)
    try maker.encode(sound.planes, from: 0, count: sound.count, into: &packets)
    try maker.finish(into: &packets)
    let frames = Frames(first: span.firstFrame, all: packets.map(\.packet))
    made[attempt] = frames
    return frames
  }
}
