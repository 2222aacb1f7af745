import MediaComposition
import MediaTime

/// What an export does, as a plain value: nodes that give blocks of sound, each on a frame range
/// of one timeline, and the outputs that are fed from them.
///
/// Children stand before their parents in `nodes`. Every node below a `convert` counts frames of
/// the mix's rate from the start of the job's timeline, so that a moment of the composition
/// becomes a frame index once, however deep it is nested.
public struct Graph: Sendable, Hashable {
  public var nodes: [Node]
  /// One for each output of the export, in its order.
  public var sinks: [Sink]

  public init(nodes: [Node], sinks: [Sink]) {
    self.nodes = nodes
    self.sinks = sinks
  }
}

/// Rate and channels of the sound that a node gives: always 32-bit float, planar.
public struct AudioFormat: Sendable, Hashable {
  /// Frames a second.
  public var sampleRate: Int
  public var channelLayout: ChannelLayout

  public init(sampleRate: Int, channelLayout: ChannelLayout) {
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
  }
}

/// A giver of sound.
public struct Node: Sendable, Hashable {
  /// An index into the graph's nodes.
  public typealias ID = Int

  public enum Kind: Sendable, Hashable {
    /// Frames of an asset, converted to the node's format on the asset's own grid; the first is
    /// frame `start` of the whole asset so converted.
    case source(Asset, start: Int64)
    /// The sum of the children, each over its own frames; silence where there is none.
    case mix([ID])
    /// One child's sound at another rate, another layout, or both, from the timeline's start.
    case convert(ID)
  }

  public var kind: Kind
  public var format: AudioFormat
  /// Frames of the node's own rate on the timeline: outside them the node is silent.
  public var frames: Range<Int64>
  /// Applied to what the kind gives.
  public var level: Level
  /// Frames by which the sound comes late.
  public var latency: Int
  /// Frames that sound on after the last one was put in.
  public var tail: Int
  public var memory: Memory
  public var origin: Origin

  /// How far back a node's sound depends on what it was fed.
  public enum Memory: Sendable, Hashable {
    case none
    /// At most so many frames.
    case frames(Int)
    case unbounded
  }

  public init(
    _ kind: Kind, format: AudioFormat, frames: Range<Int64>, level: Level = .unity,
    latency: Int = 0, tail: Int = 0, memory: Memory = .none, origin: Origin = .unknown
  ) {
    self.kind = kind
    self.format = format
    self.frames = frames
    self.level = level
    self.latency = latency
    self.tail = tail
    self.memory = memory
    self.origin = origin
  }
}

/// An `AudioMix` on a frame grid: a factor, and envelopes whose ramps start and end on frames of
/// the node's timeline.
public struct Level: Sendable, Hashable {
  public var gain: Float
  public var envelopes: [[Ramp]]

  public struct Ramp: Sendable, Hashable {
    public var frames: Range<Int64>
    public var start: Float
    public var end: Float
    public var curve: VolumeRamp.Curve

    public init(frames: Range<Int64>, start: Float, end: Float, curve: VolumeRamp.Curve) {
      self.frames = frames
      self.start = start
      self.end = end
      self.curve = curve
    }
  }

  public init(gain: Float = 1, envelopes: [[Ramp]] = []) {
    self.gain = gain
    self.envelopes = envelopes
  }

  public static let unity = Level()
}

/// An output and the node that feeds it.
public struct Sink: Sendable, Hashable {
  public var node: Node.ID
  public var output: Output
  /// Merged: the export's, put under the output's own.
  public var metadata: Metadata
  /// On the timeline, in order.
  public var chapters: [Chapter]
  /// Whether a 16-bit sink needs dither: not where every sample passes through untouched.
  public var isDithered: Bool

  public init(
    node: Node.ID, output: Output, metadata: Metadata, chapters: [Chapter], isDithered: Bool
  ) {
    self.node = node
    self.output = output
    self.metadata = metadata
    self.chapters = chapters
    self.isDithered = isDithered
  }
}
