import MediaComposition
import MediaTime

/// What an export does, as a plain value: nodes that give blocks of sound, each on a frame range
/// of one timeline, and the outputs that are fed from them.
///
/// Children stand before their parents in `nodes`. Every node below a `convert` counts frames of
/// the mix's rate from the start of the job's timeline, so that a moment of the composition
/// becomes a frame index once, however deep it is nested.
public struct Graph: Sendable, Hashable {
  /// Children before parents.
  public var nodes: [Node]
  /// One for each output of the export, in its order.
  public var sinks: [Sink]

  /// A graph of `nodes` that feed `sinks`.
  public init(nodes: [Node], sinks: [Sink]) {
    self.nodes = nodes
    self.sinks = sinks
  }
}

/// Rate and channels of the sound that a node gives: always 32-bit float, planar.
public struct AudioFormat: Sendable, Hashable {
  /// Frames a second.
  public var sampleRate: Int
  /// Where the channels come from.
  public var channelLayout: ChannelLayout

  /// A format.
  public init(sampleRate: Int, channelLayout: ChannelLayout) {
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
  }
}

/// A giver of sound.
public struct Node: Sendable, Hashable {
  /// An index into the graph's nodes.
  public typealias ID = Int

  /// What a node does.
  public enum Kind: Sendable, Hashable {
    /// Frames of an asset, converted to the node's format on the asset's own grid; the first is
    /// frame `start` of the whole asset so converted.
    case source(Asset, start: Int64)
    /// The sum of the children, each over its own frames; silence where there is none.
    case mix([ID])
    /// One child's sound at another rate, another layout, or both, from the timeline's start.
    case convert(ID)
  }

  /// What it does.
  public var kind: Kind
  /// What it gives.
  public var format: AudioFormat
  /// Frames of the node's own rate on the timeline: outside them the node is silent.
  public var frames: Range<Int64>
  /// Applied to what the kind gives.
  public var level: Level
  /// Frames by which the sound comes late.
  public var latency: Int
  /// Frames that sound on after the last one was put in.
  public var tail: Int
  /// How far back its sound depends on what it was fed.
  public var memory: Memory
  /// Where what it does was written.
  public var origin: Origin

  /// How far back a node's sound depends on what it was fed.
  public enum Memory: Sendable, Hashable {
    case none
    /// At most so many frames.
    case frames(Int)
    case unbounded
  }

  /// A node of `kind` that sounds over `frames`.
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
  /// Over the whole.
  public var gain: Float
  /// Multiplied with one another; each is ramps in order of frames.
  public var envelopes: [[Ramp]]

  /// A move of the volume between two frames.
  public struct Ramp: Sendable, Hashable {
    /// From the first frame of the move to the one after its last.
    public var frames: Range<Int64>
    /// The factor at the first frame.
    public var start: Float
    /// The factor from the end on.
    public var end: Float
    /// The path between the two.
    public var curve: VolumeRamp.Curve

    /// A ramp over `frames`.
    public init(frames: Range<Int64>, start: Float, end: Float, curve: VolumeRamp.Curve) {
      self.frames = frames
      self.start = start
      self.end = end
      self.curve = curve
    }
  }

  /// A level of a gain and envelopes.
  public init(gain: Float = 1, envelopes: [[Ramp]] = []) {
    self.gain = gain
    self.envelopes = envelopes
  }

  /// As it came.
  public static let unity = Level()
}

/// An output and the node that feeds it.
public struct Sink: Sendable, Hashable {
  /// The node that feeds it.
  public var node: Node.ID
  /// What is written.
  public var output: Output
  /// Merged: the export's, put under the output's own.
  public var metadata: Metadata
  /// On the timeline, in order.
  public var chapters: [Chapter]
  /// Whether a 16-bit sink needs dither: not where every sample passes through untouched.
  public var isDithered: Bool

  /// A sink that writes what `node` gives.
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
