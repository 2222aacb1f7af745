import ExportGraph
import MediaTime

/// The nodes that outputs are made of, with their frames that are still to be rendered. They are read in
/// step, so that little of the mix is held for the last of them.
struct Rendition {
  struct Master {
    let id: Node.ID
    let rate: Int
    let channelCount: Int
    /// The sinks that it feeds.
    let sinks: [Int]
    /// Its frames that are still to be rendered.
    var frames: Range<Int64>

    var position: Time { Time(frames: frames.lowerBound, rate: rate) }
  }

  private(set) var all: [Master]

  init(of graph: Graph) {
    all = Set(graph.sinks.map(\.node)).sorted().map { id in
      let node = graph.nodes[id]
      let sinks = graph.sinks.indices.filter { graph.sinks[$0].node == id }
      return Master(
        id: id, rate: node.format.sampleRate, channelCount: node.format.channelLayout.count,
        sinks: sinks, frames: 0..<Int64(sinks.first.map { graph.sinks[$0].frames.count } ?? 0))
    }
  }

  /// The master that is behind the others; nil at the end.
  private var latest: Int? {
    all.indices.filter { !all[$0].frames.isEmpty }
      .min { all[$0].position < all[$1].position }
  }

  /// The next block: that of the master which is behind the others; nil at the end.
  var next: (master: Int, frames: Range<Int64>)? {
    latest.map { ($0, all[$0].frames.prefix(Renderer.blockSize)) }
  }

  /// The time that the master ahead of the others has reached.
  var position: Time { all.map(\.position).max() ?? .zero }

  mutating func advance(_ index: Int, by count: Int64) {
    all[index].frames = all[index].frames.lowerBound + count..<all[index].frames.upperBound
  }

  /// Those of its frames within a range of each master.
  func clamped(to range: (Master) -> Range<Int64>) -> Rendition {
    var copy = self
    for place in all.indices {
      copy.all[place].frames = range(all[place]).clamped(to: all[place].frames)
    }
    return copy
  }
}
