import Diagnosis
import Glibc
import MediaComposition
import MediaTime

extension Graph {
  /// Where an item ends and the next one begins with the frame behind it, or is crossfaded.
  package struct JoinedItems: Sendable, Hashable {
    /// From the start of the next item to the end of the one before, in an output's own frames.
    package var frames: Range<Int64>
    /// Whether the job leaves the level as it is: neither fades nor gives another gain.
    package var isSteady: Bool
    /// Where the job declares the next item.
    package var origin: Origin

    /// A join of these.
    package init(frames: Range<Int64>, isSteady: Bool, origin: Origin) {
      self.frames = frames
      self.isSteady = isSteady
      self.origin = origin
    }
  }

  /// The joins in the sound of a sink, in order, one for each frame: those within reversed or stretched
  /// sound are not known. O(nodes log nodes), and again for each part of a sound that is heard twice.
  package func joins(of sink: Sink) -> [JoinedItems] {
    let mix = mixNode(of: sink.node)
    var found = JoinSearch(nodes: nodes, rate: nodes[mix].format.sampleRate)
    found.search([mix], movedBy: 0, within: nodes[mix].frames)
    let (mixRate, rate) = (nodes[mix].format.sampleRate, nodes[sink.node].format.sampleRate)
    func frame(_ frame: Int64) -> Int64 {
      Time(frames: frame, rate: mixRate).frames(atRate: rate) - sink.frames.lowerBound
    }
    var joins: [JoinedItems] = []
    for join in found.joins.sorted(by: { $0.frames.lowerBound < $1.frames.lowerBound }) {
      let frames = frame(join.frames.lowerBound)..<frame(join.frames.upperBound)
      guard frames.lowerBound > 0, frames.upperBound < sink.frames.count,
        frames.lowerBound != joins.last?.frames.lowerBound
      else { continue }
      joins.append(JoinedItems(frames: frames, isSteady: join.isSteady, origin: join.origin))
    }
    return joins
  }
}

/// Walks through nodes that stand on one timeline.
private struct JoinSearch {
  let nodes: [Node]
  /// Frames of the longest fade that hides no more than a click.
  private let shortFade: Int
  private(set) var joins: [Graph.JoinedItems] = []

  init(nodes: [Node], rate: Int) {
    self.nodes = nodes
    shortFade = rate / 10
  }

  /// - Parameters:
  ///   - nodes: Nodes that sound together or one after the other.
  ///   - offset: From their frames to those of the timeline.
  ///   - window: Frames of the timeline that are heard.
  mutating func search(_ nodes: [Node.ID], movedBy offset: Int64, within window: Range<Int64>) {
    let siblings = nodes.flatMap(parts)
    let starts = Dictionary(
      siblings.map { (self.nodes[$0].frames.lowerBound, $0) },
      uniquingKeysWith: { first, _ in first })
    for id in siblings {
      if siblings.count > 1 { findJoin(behind: self.nodes[id], starts, offset, window) }
      descend(into: self.nodes[id], offset, window)
    }
  }

  /// The nodes that a mix only gathers, such as the items of a ducking track that do not overlap;
  /// otherwise the node itself.
  private func parts(of id: Node.ID) -> [Node.ID] {
    guard case .mix(let children) = nodes[id].kind, !children.isEmpty, nodes[id].level.isUnity,
      children.allSatisfy({
        nodes[id].frames.lowerBound <= nodes[$0].frames.lowerBound
          && nodes[$0].frames.upperBound <= nodes[id].frames.upperBound
      })
    else { return [id] }
    return children.flatMap(parts)
  }

  private mutating func findJoin(
    behind item: Node, _ starts: [Int64: Node.ID], _ offset: Int64, _ window: Range<Int64>
  ) {
    let end = item.frames.upperBound
    let fade = item.level.fade { $0.frames.upperBound == end && $0.end == 0 }
    let crossfaded = fade.flatMap { starts[$0.frames.lowerBound] }.map { nodes[$0] }
    let isCrossfaded = crossfaded.map { next in
      next.frames.upperBound > end
        && next.level.fade { $0.frames.lowerBound == next.frames.lowerBound && $0.start == 0 }
          != nil
    }
    guard let next = isCrossfaded == true ? crossfaded : starts[end].map({ nodes[$0] }) else {
      return
    }
    let frames = next.frames.lowerBound + offset..<end + offset
    guard window.contains(frames.lowerBound), window.contains(frames.upperBound) else { return }
    let rise = next.level.fade {
      $0.frames.lowerBound == next.frames.lowerBound && $0.start == 0
    }
    let isFaded =
      isCrossfaded == true || [fade, rise].contains { ($0?.frames.count ?? 0) > shortFade }
    joins.append(
      Graph.JoinedItems(
        frames: frames, isSteady: !isFaded && item.level.hasGain(of: next.level),
        origin: next.origin))
  }

  private mutating func descend(into node: Node, _ offset: Int64, _ window: Range<Int64>) {
    let heard = (node.frames.lowerBound + offset..<node.frames.upperBound + offset)
      .clamped(to: window)
    guard !heard.isEmpty else { return }
    switch node.kind {
    case .source, .convert, .process(.reverse, _), .process(.varispeed, _), .process(.stretch, _):
      break
    case .mix(let children): search(children, movedBy: offset, within: heard)
    case .duck(let child, keys: _, _), .process(_, let child):
      search([child], movedBy: offset, within: heard)
    case .excerpt(let child, let start):
      search([child], movedBy: offset + node.frames.lowerBound - start, within: heard)
    }
  }
}

extension Level {
  /// The first of its ramps that is such a one.
  fileprivate func fade(_ isWanted: (Ramp) -> Bool) -> Ramp? {
    envelopes.lazy.flatMap(\.ramps).first(where: isWanted)
  }

  /// Whether the gain is the same, but for what no one takes for a step.
  fileprivate func hasGain(of other: Level) -> Bool {
    abs(20 * log10(Double(abs(gain)) / Double(abs(other.gain)))) < 3
  }
}
