import Diagnosis
import MediaComposition
import Threads

/// The samples that a device takes, in the machine's byte order, the channels of a frame side by
/// side.
public enum SampleEncoding: String, Sendable, Hashable, CaseIterable {
  /// 32-bit float, full scale being 1.
  case float32
  /// 32 bits, of which hardware uses the upper 24.
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

/// The format of a sink, as agreed when it was opened.
public struct SinkFormat: Sendable, Hashable {
  /// Frames a second.
  public var sampleRate: Int
  /// Channels of a frame, 1 or more. If there are more than 8, the sound is in the first ones, at
  /// least two, and the others are silent.
  public var channelCount: Int
  /// Where its channels are, as its device says it; nil: at the usual places of so many. One without
  /// positions has them by their numbers, as a file has.
  package var channelLayout: ChannelLayout?
  /// The encoding of a sample.
  public var encoding: SampleEncoding
  /// Frames that the sink takes at a time.
  public var periodFrames: Int
  /// Frames that it holds: written, and not heard yet.
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

  /// The layout in which it gets a sound of the layout `own`: each channel goes to its place, or, without
  /// one, to where a downmix has it. It is the sound's own where that changes nothing; for as many channels
  /// that have no positions there or here, or are two at most; and for more than eight channels of which
  /// nothing is known.
  func layout(of own: ChannelLayout) -> ChannelLayout {
    let isPlaced = !own.isUnplaced && channelLayout?.isUnplaced != true
    guard isPlaced && channelCount > 2 || own.count != channelCount else { return own }
    let usual = channelCount <= 8 ? ChannelLayout.usual(ofCount: channelCount) : nil
    // There a single channel would play on the left.
    guard let places = isPlaced ? channelLayout ?? usual : usual else {
      return own.count == 1 ? .stereo : own
    }
    let isSame = (places.surroundsAtBack ?? places) == (own.surroundsAtBack ?? own)
    return isSame ? own : places
  }
}

/// The result of a write, by what the caller does next.
public enum SinkOutcome: Sendable, Hashable {
  /// The sink took this many frames; write the rest.
  case wrote(Int)
  /// The sink has no room; wait.
  case full
  /// The sink ran out of sound, and there was silence; it is ready for frames again.
  case ranDry
  /// The system has stopped the sink, and the frames that it held, `delay` of them, are lost; after
  /// `drop` it is ready for frames again.
  case interrupted
  /// The device is gone; close the sink, and open another.
  case gone
}

/// How much sound a sink holds at one moment.
public struct SinkFill: Sendable, Hashable {
  /// As `AudioSink.delay`.
  public var delay: Int
  /// The frames of `delay` that are in the sink's own buffer, 0 to `delay`, and not in a server or a
  /// cable behind it. A player that is to react soon keeps little there.
  public var buffered: Int
  /// Whether the sink plays what it holds: not before it holds enough to start, and not after it ran
  /// out of sound.
  public var isPlaying: Bool

  /// The fill of a sink that holds `buffered` of `delay` frames itself.
  public init(delay: Int, buffered: Int, isPlaying: Bool) {
    (self.delay, self.buffered, self.isPlaying) = (delay, buffered, isPlaying)
  }
}

/// A destination of sound: a device, a file, or none.
///
/// Opened, used and released by one thread, the writing one, which must run in time while sound
/// plays: `write`, `wait`, `drain` and the properties neither allocate, lock nor log, and only
/// `wait` blocks. Frames are heard in the order of writing. The sink starts by itself, after opening
/// and after `drop`, when it holds enough frames.
public protocol AudioSink: AnyObject {
  /// The format of its frames.
  var format: SinkFormat { get }

  /// Frames that were written and are not heard yet. If the sink was stopped or is gone: the frames
  /// that it held then, until it is dropped.
  var delay: Int { get }

  /// What the sink holds now. A player that is to react soon looks at it when the next sound is due.
  var fill: SinkFill { get }

  /// Whether the sink keeps its format for all items of a queue, as a file does. Otherwise it is
  /// closed, and another sink opened, for an item with another rate or other channels.
  var isFixed: Bool { get }

  /// Writes frames in the sink's format, as many as it has room for.
  ///
  /// - Throws: A final failure, such as a full disk. The player stops, reports
  ///   `PlayerEvent.deviceFailed`, and opens no other sink; if another sink may work later, return
  ///   `.gone` instead.
  func write(_ frames: UnsafeRawPointer, count: Int) throws(Failure) -> SinkOutcome

  /// Waits for room for a period, for `descriptor` to be readable, or for the time.
  func wait(or descriptor: Int32, milliseconds: Int32)

  /// Discards everything that is not heard yet; silence at once.
  func drop()

  /// Plays everything that was written, however little.
  ///
  /// - Returns: Whether all of it was heard. If not, call again after a `wait`.
  /// - Throws: A final failure, as `write`.
  func drain() throws(Failure) -> Bool
}

extension AudioSink {
  /// All of `delay` is in its own buffer, and it plays: for sinks that start with the first frames.
  public var fill: SinkFill {
    let delay = delay
    return SinkFill(delay: delay, buffered: delay, isPlaying: true)
  }

  /// False: most devices are opened for one format.
  public var isFixed: Bool { false }
}

/// Opens the sink of a player, on the writing thread. It is called again, from time to time, if the
/// sink is gone, and for each item with a rate or channels that the sink does not have.
///
/// - Parameter wanted: Rate and channels of the sound; the sink may have others.
/// - Throws: `mendMachine` or `tryAgain` if there is no sink.
public typealias SinkOpener =
  @Sendable (_ wanted: SinkRequest) throws(Failure) -> any AudioSink

/// The format that a player requests of a sink.
public struct SinkRequest: Sendable, Hashable {
  /// Frames a second of the sound.
  public var sampleRate: Int
  /// Channels of the sound.
  public var channelCount: Int

  /// A request for a rate and channels.
  public init(sampleRate: Int, channelCount: Int) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// Whether a device with a format plays the sound unchanged; mono is the same sound on two
  /// channels.
  func isMet(by format: SinkFormat) -> Bool {
    format.sampleRate == sampleRate
      && (format.channelCount == channelCount || (channelCount, format.channelCount) == (1, 2))
  }
}
