internal import MPEGAudio

/// How the frames of a stream's seams are encoded: LAME proves each of these settings when it is
/// first used, once for all seams. One thread at a time.
package final class SeamSetups {
  /// One way to encode a seam.
  struct Attempt: Hashable {
    var kind: SeamEncoder.Kind
    /// Of the bit rate; the best comes first.
    var number: Int
  }

  /// The stream's own settings.
  let stream: EncoderSetup
  private let bitRates: [Int]
  private(set) var proven: [Attempt: EncoderSetup] = [:]

  /// Settings for seams of a stream with the settings `stream`.
  package init(like stream: EncoderSetup) {
    self.stream = stream
    let rates = MP3Settings.bitRates(forSampleRate: stream.sampleRate)
    let highest = rates.last ?? 0
    // In free format: the reservoir may hold what slots do not.
    let higher = [12, 8, 6, 5, 4, 3, 2, 1].map { (highest + highest * $0 / 16) / 1000 * 1000 }
    bitRates = higher + rates.suffix(6).reversed()
  }

  /// From this quality on LAME shapes no noise (`lame_init_qval`).
  private static let flatNoise = 7

  /// How many attempts of a kind there are.
  var attempts: Int { bitRates.count }

  /// Whether so many frames may find room: an encoding that does not need not be made.
  func mayFit(_ count: Int, attempt number: Int) -> Bool {
    func bytes(_ bitRate: Int) -> Int { stream.samplesPerFrame * bitRate / stream.sampleRate / 8 }
    let reservoir = FrameHeader.largestMainDataBegin(ofSampleRate: stream.sampleRate)
    let highest = MP3Settings.bitRates(forSampleRate: stream.sampleRate).last ?? 0
    return (bytes(bitRates[number]) - bytes(highest)) * count <= reservoir + bytes(highest) / 8
  }

  /// The settings of an attempt.
  func setup(_ attempt: Attempt) throws(LAMEError) -> EncoderSetup {
    if let known = proven[attempt] { return known }
    var settings = MP3Settings(.cbr(bitRate: bitRates[attempt.number]), quality: Self.flatNoise)
    settings.lowpass = .off
    settings.stereoMode = stream.settings.stereoMode
    let setup = try EncoderSetup(
      settings, sampleRate: stream.sampleRate, channelCount: stream.channelCount,
      for: attempt.kind == .long ? .longSeam : .seam)
    proven[attempt] = setup
    return setup
  }
}
