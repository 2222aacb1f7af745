import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// How a recorder records (`AVAudioRecorder.settings`).
public struct RecordingSettings: Sendable, Hashable {
  /// Frames a second; nil: 48 kHz, or what the device has that is nearest to it. A device that does
  /// not have the rate that is named here is refused: nothing is resampled.
  public var sampleRate: Int?
  /// Channels; nil: two, or what the device has that is nearest to it. Others are refused.
  public var channelCount: Int?
  /// WAV, FLAC or MP3 with its settings; nil: by the file's extension, with samples as wide as the
  /// device's.
  public var format: Output.Format?
  /// The samples of a WAV or FLAC whose `format` is nil; nil: as wide as the device's.
  public var sampleFormat: Output.SampleFormat?
  /// Ends by itself when so much was recorded, to the frame.
  public var duration: Time?
  /// A new file begins each time that so much was recorded, without a frame between them: `a.wav`
  /// becomes `a-001.wav`, `a-002.wav` and so on.
  public var split: Time?
  /// Begins to record when a sample is as large as this, 1 being full scale, and with the half second
  /// before it.
  public var startLevel: Float?
  /// Ends when no sound was heard for some time; the silence before the first sound does not count.
  public var silence: Silence?
  /// Whether files that are there already lose what they hold; otherwise they are refused.
  public var isReplacing = false

  /// What ends a recording.
  public struct Silence: Sendable, Hashable {
    /// Samples that are smaller are silence, 1 being full scale.
    public var level: Float
    /// So long.
    public var duration: Time

    /// Silence below a level.
    public init(below level: Float, for duration: Time) {
      self.level = level
      self.duration = duration
    }
  }

  /// Records until it is stopped, as the device gives it.
  public init() {}

  /// Refuses what nothing could be recorded by.
  func requireSense() throws(Failure) {
    try Self.requireLength(duration, "record for")
    try Self.requireLength(split, "begin a new file after")
    try Self.requireLength(silence?.duration, "end after silence of")
    for level in [startLevel, silence?.level] {
      guard let level, !(level.isFinite && level >= 0) else { continue }
      throw Failure(.mendJob, "a level of \(level) is none; name one from 0, silence, to 1")
    }
  }

  /// Refuses a length that is named and is none.
  static func requireLength(_ length: Time?, _ purpose: String) throws(Failure) {
    guard let length, !(length.isNumeric && length > .zero) else { return }
    let name = length.isNumeric ? "\(length.seconds) s" : "a time that is no number"
    throw Failure(.mendJob, "cannot \(purpose) \(name); name a time above 0")
  }
}

/// What a recorder has recorded.
public struct Recording: Sendable, Hashable {
  /// In order; the last one may hold less than the others.
  public var files: [RecordedFile] = []
  /// Where sound was lost, in order.
  public var losses: [RecordingLoss] = []
  /// Frames a second.
  public var sampleRate: Int
  /// Channels in it.
  public var channelCount: Int
  /// Frames in all files, the silence in place of what was lost included.
  public var frameCount: Int64 = 0
  /// Why it ended.
  public var end = End.stopped

  /// How long it is.
  public var duration: Time { Time(frames: frameCount, rate: sampleRate) }

  /// Why a recording ended.
  public enum End: Sendable, Hashable {
    /// Somebody stopped it.
    case stopped
    /// All that was asked for is recorded.
    case duration
    /// It was silent for long enough.
    case silence
    /// It could not go on; the files hold what was recorded until shortly before.
    case failed(Failure)
  }
}

/// A file of a recording.
public struct RecordedFile: Sendable, Hashable {
  /// Where it is.
  public var path: FilePath
  /// Bytes.
  public var size: Int64
  /// Frames of sound; of a file that could not be finished those that are in it all the same.
  public var frameCount: Int64
  /// Samples beyond full scale.
  public var clippedSamples: Int64 = 0
  /// The largest magnitude of any sample, 1 being full scale.
  public var peak: Float = 0
  /// Whether it was finished; otherwise what came last is missing, and it can be played all the same.
  public var isComplete = true
}

/// A place in a recording where sound is missing.
public struct RecordingLoss: Sendable, Hashable {
  /// How it came.
  public enum Cause: Sendable, Hashable {
    /// The computer did not fetch the sound from the device in time.
    case overrun
    /// The computer slept.
    case interruption
    /// The device was not there.
    case unplugged
    /// The disk took no sound for longer than it could be held back.
    case slowDisk
  }

  /// How it came.
  public var cause: Cause
  /// When, in the time of the whole recording.
  public var time: Time
  /// How many frames are missing: silence stands in their place. Told by the clock, but for
  /// `slowDisk`, where they were counted.
  public var frameCount: Int64
}
