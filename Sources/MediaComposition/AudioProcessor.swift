import MediaTime

/// A change of sound of a program's own, which keeps the sound's length and place (the callbacks of
/// an `MTAudioProcessingTap`, an `AUAudioUnit`).
///
/// A processor is a value with settings; sound is changed by its instances, of which several may work
/// at once, each on its own part of the sound. An effect of it (`Effect.processor`) works in exports,
/// in previews and in measurements alike. It has no name in job files.
///
/// What its instances are given, and what of it is heard, follows from what it declares:
/// - An instance gets blocks of `ProcessingBuffer.frameCount` frames, one after the other, the first
///   one beginning at a multiple of that number, with silence behind the sound's end. It never goes
///   back: for a place before, another instance is made.
/// - The first `latency(atRate:)` frames that an instance gives are left out, so that what is heard
///   stays in its place.
/// - Where `memory` is a time, an instance may begin anywhere, that much before the first frame that
///   is heard of it: renderers on several cores, and players after a seek. The samples must then be
///   those, bit for bit, of an instance that began at the sound's first frame.
/// - Where `memory` is unbounded, one instance gets all of the sound from its first frame on. Players
///   begin 0.3 s before the target of a seek, as they do for filters with feedback.
public protocol AudioProcessor: Sendable {
  /// A short name for plans and messages; the type's name by default.
  var name: String { get }
  /// A text that stands for the processor and all of its settings: two processors with one identity
  /// make the same sound, in any run of any program. nil, the default: nobody knows, so that an export
  /// with it has no fingerprint, hence no receipt, and nothing that is measured of it is kept.
  var identity: String? { get }
  /// By how many frames what an instance gives is late (`AUAudioUnit.latency`), 0 … 60 s; 0 by default.
  /// Called from any thread.
  func latency(atRate sampleRate: Int) -> Int
  /// How long it rings on behind the sound's end (`AUAudioUnit.tailTime`), 0 … 60 s; 0 by default.
  /// `Composition.applying(_:)` and `Track.applying(_:)` put so much silence behind the sound; in a
  /// segment, which keeps its length, what rings on is cut.
  var tail: Time { get }
  /// How far back a frame depends on the sound before it; unbounded by default.
  var memory: ProcessorMemory { get }

  /// Makes what changes a sound. Called on a rendering thread, once for each place at which rendering
  /// begins.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames a second.
  ///   - channelLayout: The channels of the sound, which stay as they are.
  /// - Returns: What changes one sound, once from its beginning on.
  /// - Throws: Any error, which the export fails with at the effect's place.
  func makeInstance(
    sampleRate: Int, channelLayout: ChannelLayout
  ) throws -> any AudioProcessorInstance
}

extension AudioProcessor {
  /// The type's name.
  public var name: String { "\(Self.self)" }
  /// None: no receipt is written.
  public var identity: String? { nil }
  /// None.
  public func latency(atRate sampleRate: Int) -> Int { 0 }
  /// None.
  public var tail: Time { .zero }
  /// Unbounded.
  public var memory: ProcessorMemory { .unbounded }
}

/// How far back a frame of a processor depends on the sound before it.
public enum ProcessorMemory: Sendable, Hashable {
  /// At most this long, 0 … 1 h.
  case time(Time)
  /// Back to the first frame, as filters with feedback do.
  case unbounded

  /// A frame depends on no other before it.
  public static let none = ProcessorMemory.time(.zero)
}

/// Changes the blocks of one sound, in their order. One thread at a time, not always the same one.
public protocol AudioProcessorInstance: AnyObject {
  /// Changes a block in place (`MTAudioProcessingTapProcessCallback`, `AUInternalRenderBlock`).
  ///
  /// - Parameter buffer: The block, which must not be kept.
  /// - Throws: Any error, which the export fails with at the effect's place.
  func process(_ buffer: ProcessingBuffer) throws
}

/// A block of planar float sound that a processor changes in place (`AudioBufferList`). Valid during
/// the call that gets it.
public struct ProcessingBuffer {
  /// Frames of each block.
  public static let frameCount = 4096

  /// Which frames of the sound, counted from its first; those behind the end are silent.
  public let frames: Range<Int64>
  /// Frames a second.
  public let sampleRate: Int
  /// Channels.
  public let channelCount: Int
  private let planes: UnsafePointer<UnsafeMutablePointer<Float>>

  /// A block in the engine's memory: `channelCount` planes of `frames.count` samples.
  package init(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int,
    frames: Range<Int64>, sampleRate: Int
  ) {
    (self.planes, self.channelCount) = (planes, channelCount)
    (self.frames, self.sampleRate) = (frames, sampleRate)
  }

  /// The moment of the first frame in the sound's own time.
  public var presentationTime: Time { Time(frames: frames.lowerBound, rate: sampleRate) }

  /// The samples of a channel, 0 …< `channelCount`; ±1 is full scale.
  public subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
    precondition(0..<channelCount ~= channel, "a block has channels 0 to \(channelCount - 1)")
    return UnsafeMutableBufferPointer(start: planes[channel], count: frames.count)
  }
}
