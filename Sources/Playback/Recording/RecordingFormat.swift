import Diagnosis
import MediaComposition
import MediaTime

extension RecordingSettings {
  /// The requested samples of the file; nil for the device's own, and for lossy formats.
  var fileSamples: Output.SampleFormat? {
    switch format {
    case .wav(let samples)?: samples
    case .flac(let bits)?, .alac(let bits)?: bits == 16 ? .int16 : .int24
    case nil: sampleFormat
    default: nil
    }
  }

  /// Refuses a device without the requested rate and channels.
  func requireAsked(of format: SourceFormat) throws(Failure) {
    guard format.channelCount <= 8 else {
      throw Failure(
        .mendJob,
        "the device has \(format.channelCount) channels, and files have eight at most; name a device "
          + "that has fewer")
    }
    if let rate = sampleRate, rate != format.sampleRate {
      throw Failure(
        .mendJob,
        "the device does not record \(rate) Hz but \(format.sampleRate) Hz; record that, and "
          + "convert it afterwards")
    }
    if let split, split < Time(frames: 1, rate: format.sampleRate) {
      throw Failure(
        .mendJob, "cannot begin a new file after less than a sample; name a longer time")
    }
    if let count = channelCount, count != format.channelCount {
      throw Failure(
        .mendJob,
        "the device does not record \(count) channel\(count == 1 ? "" : "s") but "
          + "\(format.channelCount); record that many, and convert them afterwards")
    }
  }

  /// The requested format, or else one with samples as wide as the device's.
  func output(
    as kind: Output.Kind, from device: SourceFormat
  ) throws(Failure) -> Output.Format {
    if let format { return format }
    guard kind == .wav || kind == .flac else {
      guard sampleFormat == nil else {
        throw Failure(
          .mendJob,
          "\(kind.capabilities.codecName) has no sample format; leave it out, or record WAV or FLAC"
        )
      }
      return kind.usualFormat(
        isDeep: device.encoding != .int16, sampleRate: device.sampleRate,
        channelCount: device.channelCount)
    }
    let natural: Output.SampleFormat =
      switch device.encoding {
      case .int16: .int16
      case .int24, .packedInt24, .int32: .int24
      case .float32: kind == .wav ? .float32 : .int24
      }
    let samples = sampleFormat ?? natural
    guard kind == .flac else { return .wav(samples) }
    guard samples != .float32 else {
      throw Failure(.mendJob, "FLAC holds no floats; record 16 or 24 bits, or WAV")
    }
    return .flac(bitDepth: samples == .int16 ? 16 : 24)
  }
}
