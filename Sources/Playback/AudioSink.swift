import Diagnosis
import MediaComposition
import Threads

/// How a device wants its samples, in the machine's byte order, the channels of a frame side by
/// side.
public enum SampleEncoding: String, Sendable, Hashable, CaseIterable {
  /// 32-bit float, full scale being 1.
  case float32
  /// 32 bits, of which the upper 24 count.
  case int32
  /// 24 bits at the bottom of 32.
  case int24
  /// 24 bits in three bytes.
  case packedInt24
  /// 16 bits.
  case int16

  /// Bytes of a sample.
  public var byteCount: Int {
    switch self {
    case .float32, .int32, .int24: 4
    case .packedInt24: 3
    case .int16: 2
    }
  }
}

/// What a sink takes, as agreed when it was opened.
public struct SinkFormat: Sendable, Hashable {
  /// Frames a second.
  public var sampleRate: Int
  /// Channels of a frame, 1 or more. Where they are more than 8, sound is in the first of them, as
  /// many as it has, but two at least; the others are silent.
  public var channelCount: Int
  /// How a sample is written.
  public var encoding: SampleEncoding
  /// Frames that the sink takes at a time.
  public var periodFrames: Int
  /// Frames that it holds between those that were written and those that are heard.
  public var bufferFrames: Int

  /// A format.
  public init(
    sampleRate: Int, channelCount: Int, encoding: SampleEncoding, periodFrames: Int,
    bufferFrames: Int
  ) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.encoding = encoding
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
  }

  /// Bytes of a frame.
  public var frameSize: Int { channelCount * encoding.byteCount }
}

/// What became of frames that were handed to a sink, by what is to be done next.
public enum SinkOutcome: Sendable, Hashable {
  /// So many were taken; hand over the rest.
  case wrote(Int)
  /// There is no room; wait.
  case full
  /// It ran dry, and there was silence; it is ready for frames again.
  case ranDry
  /// It was stopped by the system, with what it held lost, of which `delay` tells; once it is
  /// dropped, it is ready for frames again.
  case interrupted
  /// It is not there any more; close it, and open another.
  case gone
}

/// Where sound goes: a device, a file, nowhere.
///
/// Opened, used and released by one thread, the writer's. While sound plays, that thread must come
/// in time: `write`, `wait`, `delay` and `drain` neither allocate, lock nor log, and only `wait`
/// blocks. What is written is heard in order; the first frames after the opening, or after `drop`,
/// start the sink as soon as it holds enough.
public protocol AudioSink: AnyObject {
  /// What it takes.
  var format: SinkFormat { get }

  /// Frames that were written and are not heard yet. Of a sink that was stopped or is gone, those
  /// that it held then, until it is dropped: what is lost was not heard.
  var delay: Int { get }

  /// Whether it stays what it is from the first item of a queue to the last, as a file does; otherwise it
  /// is closed, and another one opened, for an item of another rate or other channels.
  var isFixed: Bool { get }

  /// Hands over frames in the sink's format; takes as many as there is room for.
  ///
  /// - Throws: What is wrong with it for good, a full disk for instance. The player stops, tells
  ///   `PlayerEvent.deviceFailed`, and opens no other; where another sink may be better later, give
  ///   `.gone` instead.
  func write(_ frames: UnsafeRawPointer, count: Int) throws(Failure) -> SinkOutcome

  /// Waits until there is room for a period, or `descriptor` is readable, or the time is over.
  func wait(or descriptor: Int32, milliseconds: Int32)

  /// Forgets what is not heard yet; silence at once.
  func drop()

  /// Sees to it that all that was written is heard, however little.
  ///
  /// - Returns: Whether it has been. If not, ask again after a `wait`.
  /// - Throws: What keeps it from being heard, for good; as `write`.
  func drain() throws(Failure) -> Bool
}

extension AudioSink {
  /// No: most devices are opened for one sound.
  public var isFixed: Bool { false }
}

/// Opens the sink of a player, on the writer's thread; it is asked again, from time to time, where
/// the sink is gone, and for each item whose rate or channels the sink does not have.
///
/// - Parameter wanted: Rate and channels of the sound; the sink may have others.
/// - Throws: `mendMachine` or `tryAgain` where there is none.
public typealias SinkOpener =
  @Sendable (_ wanted: SinkRequest) throws(Failure) -> any AudioSink

/// What a player would like of a sink.
public struct SinkRequest: Sendable, Hashable {
  /// Frames a second of the sound.
  public var sampleRate: Int
  /// Channels of the sound.
  public var channelCount: Int

  /// A wish for a rate and channels.
  public init(sampleRate: Int, channelCount: Int) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// Whether a device of a format plays the sound as it is. One channel is the same sound on two.
  func isMet(by format: SinkFormat) -> Bool {
    format.sampleRate == sampleRate
      && (format.channelCount == channelCount || (channelCount, format.channelCount) == (1, 2))
  }
}
