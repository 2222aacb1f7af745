import Diagnosis
import MediaComposition
import MediaTime
import Tagging
import Transcripts

/// What an export does, as a value: nodes that produce blocks of sound, each on a frame range of
/// one timeline, and the outputs that they feed.
///
/// Children stand before their parents in `nodes`. Every node below a `convert` counts frames of
/// the mix's rate from the start of the job's timeline, so a moment of the composition becomes a
/// frame index once, however deep it is nested. Reversed, stretched and filtered sound counts from
/// a zero of its own, up to the `excerpt` that places it.
package struct Graph: Sendable, Hashable, Encodable {
  /// Children before parents.
  package var nodes: [Node]
  /// One for each output of the export, in its order.
  package var sinks: [Sink]
  /// For each track of the composition, in order, the nodes of its sound in the mix; none if it is
  /// disabled, or one of pictures.
  package var tracks: [[Node.ID]]
  /// The composition's tracks of pictures that are enabled, in order; none where pictures follow their
  /// sound. Encoded where there are some. What an output shows of them is its sink's `picture`.
  package var shownTracks: [ShownTrack] = []
  /// The tracks as a listener switches them. Not encoded.
  package var heardTracks: [HeardTrack] = []

  private enum CodingKeys: CodingKey { case nodes, sinks, tracks, shownTracks }

  /// Writes nodes, sinks and tracks.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(nodes, forKey: .nodes)
    try container.encode(sinks, forKey: .sinks)
    try container.encode(tracks, forKey: .tracks)
    if !shownTracks.isEmpty { try container.encode(shownTracks, forKey: .shownTracks) }
  }

  /// A graph of `nodes` that feed `sinks`.
  package init(nodes: [Node], sinks: [Sink], tracks: [[Node.ID]] = []) {
    self.nodes = nodes
    self.sinks = sinks
    self.tracks = tracks
    heardTracks = tracks.map { HeardTrack(Track(), $0) }
  }
}

extension Graph {
  /// Whether the mix of all sinks has one channel.
  package var isMixedInMono: Bool {
    sinks.first.map { nodes[mixNode(of: $0.node)].format.channelLayout.count == 1 } ?? false
  }
}

/// Rate and channels of a node's sound: always 32-bit float, planar.
package struct AudioFormat: Sendable, Hashable, Encodable {
  /// Frames a second.
  package var sampleRate: Int
  /// The channels and their places.
  package var channelLayout: ChannelLayout

  /// A format.
  package init(sampleRate: Int, channelLayout: ChannelLayout) {
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
  }
}

/// A producer of sound.
package struct Node: Sendable, Hashable, Encodable {
  /// An index into the graph's nodes.
  package typealias ID = Int

  /// What a node does.
  package enum Kind: Sendable, Hashable, Encodable {
    /// Frames of a source from its frame `start`. Boxed: a source is long, and nodes are copied.
    indirect case source(Source, start: Int64)
    /// The sum of the children, each over its own frames; silence without children.
    case mix([ID])
    /// One child's sound at another rate, another layout, or both, from the timeline's start.
    case convert(ID)
    /// One child's whole sound, changed in time or tone; both count from a zero of their own.
    case process(SoundProcess, ID)
    /// A part of a child that counts from a zero of its own, from the child's frame `start`.
    case excerpt(ID, start: Int64)
    /// One child's sound, lowered while one of the keys sounds, which it does not hold. Keys are
    /// read ahead of it, and may have other parents.
    case duck(ID, keys: [ID], Ducking)
  }

  /// The node's kind. One of another memory makes another node.
  package internal(set) var kind: Kind
  /// The format of its sound.
  package var format: AudioFormat
  /// Frames of the node's own rate on its timeline: outside them the node is silent.
  package var frames: Range<Int64>
  /// Applied to the kind's sound.
  package var level: Level
  /// How far back its sound depends on its input, which its kind decides.
  package let memory: Memory
  /// Where the job declares it.
  package var origin: Origin
  /// The name of the track whose sound it is, for plans; nil within a track, and for what has none. Not
  /// encoded: names change no sound.
  package var name: String?

  private enum CodingKeys: CodingKey { case kind, format, frames, level, memory, origin }

  /// How far back a node's sound depends on its input.
  package enum Memory: Sendable, Hashable, Encodable {
    case none
    /// At most this many frames.
    case frames(Int)
    /// Without bound: it is rendered from its start, wherever rendering begins.
    case unbounded
  }

  /// A node of `kind` that sounds over `frames`; a `convert` of a child at another rate has their ratio.
  package init(
    _ kind: Kind, format: AudioFormat, frames: Range<Int64>, level: Level = .unity,
    ratio: FrameRatio = .one, origin: Origin = .unknown
  ) {
    self.kind = kind
    self.format = format
    self.frames = frames
    self.level = level
    memory = kind.memory(atRate: format.sampleRate, converting: ratio)
    self.origin = origin
  }
}

/// An asset as a node reads it: channels weighted, and brought on the asset's own grid to another
/// rate, another speed, or both.
package struct Source: Sendable, Hashable, Encodable {
  /// The asset.
  package var asset: Asset
  /// How its channels become those of the node.
  package var matrix: ChannelMatrix
  /// The ratio of its frames to the node's.
  package var ratio: FrameRatio

  /// `asset` through `matrix` and `ratio`.
  package init(_ asset: Asset, matrix: ChannelMatrix, ratio: FrameRatio) {
    self.asset = asset
    self.matrix = matrix
    self.ratio = ratio
  }

  /// Frames that the whole asset becomes; no more than `1 << 60`.
  package var frameCount: Int64 {
    min(ratio.target(ofSource: asset.frameCount), Limits.farthestFrame)
  }
}

/// A change of a whole sound. The node's frames have the new length.
package enum SoundProcess: Sendable, Hashable, Encodable {
  /// The last frame first.
  case reverse
  /// Slower or faster, pitch included.
  case varispeed(FrameRatio)
  /// Slower or faster at the same pitch, by rubberband or atempo.
  case stretch(FrameRatio, TimePitchAlgorithm)
  /// Filtered, in order; the filters' delays are removed.
  case filter([Effect])
  /// With echoes.
  case delay(Effect.Delay)
  /// Convolved with an impulse response.
  case reverb(Effect.Reverb)
  /// Leveled, in place.
  case leveler(Effect.Leveler)
  /// Limited, in place.
  case limiter(Effect.Limiter)
  /// Changed or seen by code of the program.
  case custom(CustomEffect)
  /// Brought to a level.
  indirect case normalize(Normalization)
}

/// An `AudioMix` on a frame grid: weighted channels, a factor, and envelopes whose ramps start and
/// end on frames of the node's timeline.
package struct Level: Sendable, Hashable, Encodable {
  /// Weighs the channels before anything else; nil: none.
  package var matrix: ChannelMatrix?
  /// Over the whole; negative where the polarity is inverted.
  package var gain: Float
  /// Multiplied with one another.
  package var envelopes: [Envelope]
  /// Between left and right; nil: the centre.
  package var pan: Envelope?

  /// A value over time: a factor, or a position from −1 to 1.
  package struct Envelope: Sendable, Hashable, Encodable {
    /// Before the first ramp.
    package var initial: Float
    /// In order of frames; after a ramp its end holds until the next.
    package var ramps: [Ramp]

    /// An envelope of ramps, before which `initial` holds.
    package init(_ initial: Float, _ ramps: [Ramp] = []) {
      self.initial = initial
      self.ramps = ramps
    }
  }

  /// A move between two frames.
  package struct Ramp: Sendable, Hashable, Encodable {
    /// From the first frame of the move to the one after its last; empty for a step.
    package var frames: Range<Int64>
    /// The value at the first frame.
    package var start: Float
    /// The value from the end on.
    package var end: Float
    /// The path between the two.
    package var curve: VolumeCurve

    /// A ramp over `frames`.
    package init(frames: Range<Int64>, start: Float, end: Float, curve: VolumeCurve) {
      self.frames = frames
      self.start = start
      self.end = end
      self.curve = curve
    }
  }

  /// A level of these; the defaults change nothing.
  package init(
    matrix: ChannelMatrix? = nil, gain: Float = 1, envelopes: [Envelope] = [],
    pan: Envelope? = nil
  ) {
    self.matrix = matrix
    self.gain = gain
    self.envelopes = envelopes
    self.pan = pan
  }

  /// Without change.
  package static let unity = Level()

  /// Whether it is `unity`, without copying: ten thousand clips have ten thousand levels.
  package var isUnity: Bool { matrix == nil && gain == 1 && envelopes.isEmpty && pan == nil }
}

/// An output and the node that feeds it.
package struct Sink: Sendable, Hashable, Encodable {
  /// The node.
  package var node: Node.ID
  /// The node's frames that are written; the same for all sinks of a node.
  package var frames: Range<Int64>
  /// The output, with every setting decided.
  package var output: Output
  /// Its format.
  package var format: Output.Format
  /// The export's tags, with the output's own on top.
  package var metadata: Metadata
  /// Tags of sources that would not be true of the output, and are left out.
  package var staleTags: [StaleTags] = []
  /// The keys of tags of sources that were brought into the output's own notation or time.
  package var movedTags: [String] = []
  /// The gains that its tags get when it is encoded.
  package var gains: [LevelTag.Scope] = []
  /// What its gain as an album is measured with; nil where it gets none.
  package var album: Album?
  /// In the output's own time, in order.
  package var chapters: [Chapter]
  /// What it holds beside sound, tags and chapters.
  package var marks = SinkMarks()
  /// What became of marks, to be noted.
  package var markNotes: [String] = []
  /// The words, in the output's own time; none where it has no place for them.
  package var transcript = Transcript()
  /// Whether samples of few bits need dither: not where each one passes through untouched.
  package var isDithered: Bool
  /// dBTP that no peak of the encoded file may pass; nil: any may.
  package var ceiling: Double?
  /// What it copies from its sources; nil: all of it is encoded.
  package var copied: CopyPlan?
  /// The moving picture beside the sound; nil where there is none.
  package var picture: PicturePlan?

  /// A sink that writes `frames` of `node`.
  package init(
    node: Node.ID, frames: Range<Int64>, output: Output, format: Output.Format,
    metadata: Metadata, chapters: [Chapter], isDithered: Bool, ceiling: Double? = nil
  ) {
    self.node = node
    self.frames = frames
    self.output = output
    self.format = format
    self.metadata = metadata
    self.chapters = chapters
    self.isDithered = isDithered
    self.ceiling = ceiling
  }
}

extension Sink {
  /// What its file can hold.
  package var capabilities: OutputCapabilities { output.capabilities(as: format.kind) }

  /// The files beside the output that have something in them.
  package var sidecars: [Sidecar] {
    output.sidecars.filter { sidecar in
      switch sidecar {
      case .chapters: !chapters.isEmpty
      case .transcript: !transcript.cues.isEmpty
      case .silences: output.silences?.found.isEmpty == false
      }
    }
  }
}
