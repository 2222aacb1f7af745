import MediaComposition

extension Graph {
  /// Moves the sources of a sink onto the grid of those of which most is heard, in nodes of its own.
  ///
  /// - Returns: By how many samples each node was moved.
  mutating func shiftOntoGrid(_ sink: inout Sink) -> [Node.ID: Int] {
    let shifts = FrameCopies(nodes, sink).offsets
    guard !shifts.isEmpty else { return [:] }
    var done: [Node.ID: Int] = [:]
    sink.node = moved(sink.node, by: shifts, &done) ?? sink.node
    return done
  }

  /// A copy of a mix in which the sound of sources lies later, each by its own number of frames; nil
  /// where none of its sources does.
  private mutating func moved(
    _ id: Node.ID, by shifts: [Node.ID: Int], _ done: inout [Node.ID: Int]
  ) -> Node.ID? {
    guard case .mix(let children) = nodes[id].kind else { return nil }
    var copies: [Node.ID] = []
    for child in children {
      if let shift = shifts[child] {
        nodes.append(nodes[child].slipped(by: Int64(shift)))
        done[nodes.count - 1] = shift
        copies.append(nodes.count - 1)
      } else {
        copies.append(moved(child, by: shifts, &done) ?? child)
      }
    }
    guard copies != children else { return nil }
    var mix = nodes[id]
    mix.kind = .mix(copies)
    nodes.append(mix)
    return nodes.count - 1
  }
}

extension Node {
  /// A source that sounds as before, with its sound later by `shift` frames: a slip edit.
  fileprivate func slipped(by shift: Int64) -> Node {
    guard case .source(let source, let start) = kind else { return self }
    var node = self
    let zero = frames.lowerBound - start + shift
    node.frames = frames.clamped(to: zero..<zero + source.frameCount)
    node.kind = .source(source, start: node.frames.lowerBound - zero)
    return node
  }
}
