import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// The settings of a recorder (`AVAudioRecorder.settings`).
public struct RecordingSettings: Sendable, Hashable {
  /// Frames a second; nil: 48 kHz, or the device's nearest rate. Other rates are refused, since
  /// nothing is resampled.
  public var sampleRate: Int?
  /// Channels; nil: two, or the device's nearest number. Other numbers are refused.
  public var channelCount: Int?
  /// WAV, FLAC, MP3, AAC or ALAC in M4A, Opus or Vorbis in Ogg, with its settings
  /// (`AVFormatIDKey`, `AVEncoderBitRateKey`); nil: by the file's extension, with samples as wide as
  /// the device's, or the usual bit rate of rate and channels.
  public var format: Output.Format?
  /// The samples of a WAV or FLAC whose `format` is nil; nil: as wide as the device's. The device
  /// is opened with these samples if it has them: the file has the device's own, bit for bit.
  public var sampleFormat: Output.SampleFormat?
  /// The length after which the recording ends, to the frame.
  public var duration: Time?
  /// The length after which a new file begins, with no frame lost between them: `a.wav` becomes
  /// `a-001.wav`, `a-002.wav` and so on.
  public var split: Time?
  /// The level of the first sample, 1 being full scale: the recording begins half a second before
  /// it.
  public var startLevel: Float?
  /// The sound before the start that is recorded as well, at most `longestPreRoll`: the recorder
  /// listens from `prepareToRecord` on, and the file begins this long before `record`, or before
  /// the first sound of `startLevel`. Nil: none before `record`, half a second before the first
  /// sound.
  public var preRoll: Time?
  /// The silence that ends the recording; silence before the first sound does not count.
  public var silence: Silence?
  /// Whether existing files are overwritten, each when there is sound for it; otherwise they are
  /// refused.
  public var isReplacing = false

  /// Silence that ends a recording.
  public struct Silence: Sendable, Hashable {
    /// The level below which samples are silence, 1 being full scale.
    public var level: Float
    /// The length of the silence.
    public var duration: Time

    /// Silence below a level, for a length.
    public init(below level: Float, for duration: Time) {
      self.level = level
      self.duration = duration
    }
  }

  /// The longest pre-roll, which memory holds: 5 minutes.
  package static let longestPreRoll = Time(value: 300, timescale: 1)

  /// Settings for a recording until `stop`, in the format of the device.
  public init() {}

  /// Whether the recorder listens before it records, until `record`.
  package var listens: Bool { preRoll != nil && startLevel == nil }

  /// Refuses impossible settings.
  func requireSense() throws(Failure) {
    try Self.requireLength(duration, "record for")
    try Self.requireLength(split, "begin a new file after")
    try Self.requireLength(silence?.duration, "end after silence of")
    try Self.requireLength(preRoll, "begin before the start by")
    if let preRoll, preRoll > Self.longestPreRoll {
      throw Failure(
        .mendJob,
        "cannot begin \(preRoll.seconds) s before the start; name at most "
          + "\(Self.longestPreRoll.seconds) s")
    }
    for level in [startLevel, silence?.level] {
      guard let level, !(level.isFinite && level >= 0) else { continue }
      throw Failure(.mendJob, "a level of \(level) is none; name one from 0, silence, to 1")
    }
  }

  /// Refuses a given length that is not above 0.
  static func requireLength(_ length: Time?, _ purpose: String) throws(Failure) {
    guard let length, !(length.isNumeric && length > .zero) else { return }
    let name = length.isNumeric ? "\(length.seconds) s" : "a time that is no number"
    throw Failure(.mendJob, "cannot \(purpose) \(name); name a time above 0")
  }
}

/// The result of a recording.
public struct Recording: Sendable, Hashable {
  /// The files, in order; the last one may be shorter than the others. None if there was no sound to
  /// overwrite an existing file with.
  public var files: [RecordedFile] = []
  /// The losses, in order.
  public var losses: [RecordingLoss] = []
  /// The markers, in order.
  public var markers: [RecordingMarker] = []
  /// Files of Audacity's labels, one beside each file that has markers and no place for them.
  package var labelFiles: [FilePath] = []
  /// Why the last label file was not written; nil if all were.
  package var labelFailure: Failure?
  /// Frames a second.
  package var sampleRate: Int
  /// Channels of a frame.
  package var channelCount: Int
  /// Frames in all files, with the silence in place of lost sound.
  public var frameCount: Int64 = 0
  /// Why the recording ended.
  public var end = End.stopped

  /// The length of the recording.
  public var duration: Time { Time(frames: frameCount, rate: sampleRate) }

  /// Why a recording ended.
  public enum End: Sendable, Hashable {
    /// It was stopped.
    case stopped
    /// The length of the settings is recorded.
    case duration
    /// It was silent for the time of the settings.
    case silence
    /// It failed; the files have the sound until shortly before.
    case failed(Failure)
  }
}

/// A file of a recording.
public struct RecordedFile: Sendable, Hashable {
  /// The path.
  public var path: FilePath
  /// Bytes.
  public var size: Int64
  /// Frames of sound, also in a file that could not be finished.
  public var frameCount: Int64
  /// Samples beyond full scale.
  package var clippedSamples: Int64 = 0
  /// The largest magnitude of any sample, 1 being full scale.
  package var peak: Float = 0
  /// Whether the file was finished. Otherwise the last sound is missing, and the file can be
  /// played.
  public var isComplete = true
}

/// A marked place of a recording.
public struct RecordingMarker: Sendable, Hashable {
  /// The time in the whole recording.
  public var time: Time
  /// The name.
  public var name: String
}

/// Lost sound in a recording.
public struct RecordingLoss: Sendable, Hashable {
  /// The cause of a loss.
  public enum Cause: Sendable, Hashable {
    /// The computer did not read the device in time.
    case overrun
    /// The computer slept.
    case interruption
    /// The device was disconnected, or did not answer.
    case unplugged
    /// The disk took no sound for longer than memory could hold it.
    case slowDisk
  }

  /// The cause of a loss.
  public var cause: Cause
  /// The time of the loss in the whole recording.
  public var time: Time
  /// The lost frames, which silence replaces. Measured by the clock; for `slowDisk` they are
  /// counted.
  public var frameCount: Int64
}
