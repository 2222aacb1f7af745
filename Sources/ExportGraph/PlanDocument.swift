import MediaComposition
import MediaTime

/// The plan of an export, for programs: encodes to a stable JSON shape, `version` 1.
///
/// Times are exact texts as the job language has them; frames count at the node's own rate.
public struct PlanDocument: Encodable, Sendable {
  /// One node of the graph.
  public struct Node: Encodable, Sendable {
    var id: Int
    var kind: String
    var sampleRate: Int
    var channels: String
    var firstFrame: Int64
    var endFrame: Int64
    var gain: Float
    var ramps: [Ramp]
    var pan: Float?
    var panRamps: [Ramp]?
    var process: String?
    var selection: String?
    var source: String?
    var sourceFrame: Int64?
    var inputs: [Int]
  }

  /// A move of the volume.
  public struct Ramp: Encodable, Sendable {
    var firstFrame: Int64
    var endFrame: Int64
    var start: Float
    var end: Float
    var curve: String
  }

  /// One file to be written.
  public struct Output: Encodable, Sendable {
    var path: String
    var format: String
    var node: Int
    /// Of the node's frames, those that are written.
    var firstFrame: Int64
    var endFrame: Int64
    var isDithered: Bool
    /// The tag's version in MP3 and AIFF.
    var id3: String?
    var metadata: [String: String]
    /// The file that the cover is read from: a picture, or media that hold one.
    var cover: String?
    /// The files of chapters beside it.
    var sidecars: [Sidecar]
  }

  /// A file of chapters.
  public struct Sidecar: Encodable, Sendable {
    var path: String
    var format: String
  }

  /// A named moment.
  public struct Chapter: Encodable, Sendable {
    var start: String
    var title: String
  }

  var version = 1
  var name: String
  var duration: String
  var nodes: [Node]
  var chapters: [Chapter]
  var outputs: [Output]

  /// The plan of the export called `name`. O(nodes).
  public init(_ graph: Graph, name: String, duration: Time) {
    self.name = name
    self.duration = duration.description
    nodes = graph.nodes.enumerated().map { Node(id: $0.offset, $0.element) }
    chapters = (graph.sinks.first?.chapters ?? []).map {
      Chapter(start: $0.start.description, title: $0.title)
    }
    outputs = graph.sinks.map { sink in
      Output(
        path: sink.output.path.string, format: sink.output.format.name, node: sink.node,
        firstFrame: sink.frames.lowerBound, endFrame: sink.frames.upperBound,
        isDithered: sink.isDithered, id3: sink.id3Version?.description,
        metadata: Dictionary(
          sink.metadata.items.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }),
        cover: sink.metadata.cover?.path.string,
        sidecars: sink.sidecars.map {
          Sidecar(path: sink.output.path.sidecar($0).string, format: $0.rawValue)
        })
    }
  }
}

extension PlanDocument.Node {
  fileprivate init(id: Int, _ node: Node) {
    self.id = id
    sampleRate = node.format.sampleRate
    channels = node.format.channelLayout.name
    firstFrame = node.frames.lowerBound
    endFrame = node.frames.upperBound
    gain = node.level.gain
    ramps = node.level.rampsInOrder.map(PlanDocument.Ramp.init)
    selection = node.level.matrix?.selectionText
    pan = node.level.pan?.initial
    panRamps = node.level.pan.map { $0.ramps.map(PlanDocument.Ramp.init) }
    switch node.kind {
    case .source(let read, let start):
      kind = "source"
      source = read.asset.path.string
      sourceFrame = start
      process = read.varispeedText(at: node.format.sampleRate)
      selection = read.selectionText(to: node.format.channelLayout)
      inputs = []
    case .mix(let children):
      kind = "mix"
      inputs = children
    case .convert(let child):
      kind = "convert"
      inputs = [child]
    case .process(let process, let child):
      kind = "process"
      self.process = process.description
      inputs = [child]
    case .excerpt(let child, let start):
      kind = "excerpt"
      sourceFrame = start
      inputs = [child]
    }
  }
}

extension PlanDocument.Ramp {
  fileprivate init(_ ramp: Level.Ramp) {
    self.init(
      firstFrame: ramp.frames.lowerBound, endFrame: ramp.frames.upperBound, start: ramp.start,
      end: ramp.end, curve: ramp.curve.rawValue)
  }
}
