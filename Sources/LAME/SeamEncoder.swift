internal import MPEGAudio

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

  private struct Attempt: Hashable {
    var kind: Kind
    var number: Int
  }

  let span: LaneSpan
  private let setup: EncoderSetup
  /// To try, the best first.
  private let bitRates: [Int]
  private let sound: ChunkSound
  private var made: [Attempt: Frames] = [:]

  /// - Parameters:
  ///   - span: What it encodes.
  ///   - setup: The stream's own settings.
  init(_ span: LaneSpan, like setup: EncoderSetup) {
    (self.span, self.setup) = (span, setup)
    let rates = MP3Settings.bitRates(forSampleRate: setup.sampleRate)
    let highest = rates.last ?? 0
    // In free format: the reservoir may hold what slots do not.
    let higher = [12, 8, 6, 5, 4, 3, 2, 1].map { (highest + highest * $0 / 16) / 1000 * 1000 }
    bitRates = higher + rates.suffix(6).reversed()
    sound = ChunkSound(channelCount: setup.channelCount, capacity: span.sound.count)
  }

  /// From this quality on LAME shapes no noise (`lame_init_qval`).
  private static let flatNoise = 7

  /// Whether so many frames may find room: an encoding that does not need not be made.
  func mayFit(_ count: Int, attempt number: Int) -> Bool {
    func bytes(_ bitRate: Int) -> Int { setup.samplesPerFrame * bitRate / setup.sampleRate / 8 }
    let reservoir = setup.samplesPerFrame == 1152 ? 511 : 255
    let highest = MP3Settings.bitRates(forSampleRate: setup.sampleRate).last ?? 0
    return (bytes(bitRates[number]) - bytes(highest)) * count <= reservoir + bytes(highest) / 8
  }

  /// How many encodings of a kind there are.
  var attempts: Int { bitRates.count }

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
    let attempt = Attempt(kind: kind, number: number)
    if let known = made[attempt] { return known }
    var settings = MP3Settings(.cbr(bitRate: bitRates[number]), quality: Self.flatNoise)
    settings.lowpass = .off
    settings.stereoMode = setup.settings.stereoMode
    let own = try EncoderSetup(
      settings, sampleRate: setup.sampleRate, channelCount: setup.channelCount,
      for: kind == .long ? .longSeam : .seam)
    let lane = Lane(try own.open(), firstFrame: span.firstFrame)
    let silence = span.silence(channelCount: setup.channelCount)
    try lane.encode(silence.planes, from: 0, count: silence.count)
    try lane.encode(sound.planes, from: 0, count: sound.count)
    try lane.flush()
    let frames = Frames(first: lane.firstFrame, all: lane.frames)
    made[attempt] = frames
    return frames
  }
}
