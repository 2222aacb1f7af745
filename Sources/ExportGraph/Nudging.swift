import MPEGAudio
import MediaComposition

extension Graph {
  /// Moves the sources of a sink onto the grid of the longest one, in nodes of its own.
  ///
  /// - Returns: By how many samples each node was moved.
  mutating func nudge(_ sink: inout Sink) -> [Node.ID: Int] {
    let sole = SoleSpans(nodes, of: sink.node, in: sink.frames).spans
    let format = nodes[sink.node].format
    let count = FrameHeader.samplesPerFrame(ofSampleRate: format.sampleRate)
    let sources = sole.compactMap { span -> (id: Node.ID, phase: Int, length: Int)? in
      guard case .source(let id, let start) = span.content, let asset = nodes[id].asset,
        asset.isCopyable(as: sink.format, format)
      else { return nil }
      let phase = start + Int64(asset.encoderDelay ?? 0) - span.frames.lowerBound
      return (id, Int(phase) % count, span.frames.count)
    }
    guard let longest = sources.max(by: { $0.length < $1.length }) else { return [:] }
    var shifts: [Node.ID: Int] = [:]
    for source in sources {
      let late = ((source.phase - longest.phase) % count + count) % count
      let shift = late > count / 2 ? late - count : late
      if shift != 0 { shifts[source.id] = shift }
    }
    guard !shifts.isEmpty else { return [:] }
    var nudges: [Node.ID: Int] = [:]
    sink.node = moved(sink.node, by: shifts, &nudges) ?? sink.node
    return nudges
  }

  /// A copy of a mix in which the sound of sources lies later, each by its own number of frames; nil
  /// where none of its sources does.
  private mutating func moved(
    _ id: Node.ID, by shifts: [Node.ID: Int], _ nudges: inout [Node.ID: Int]
  ) -> Node.ID? {
    guard case .mix(let children) = nodes[id].kind else { return nil }
    var copies: [Node.ID] = []
    for child in children {
      if let shift = shifts[child] {
        nodes.append(nodes[child].slipped(by: Int64(shift)))
        nudges[nodes.count - 1] = shift
        copies.append(nodes.count - 1)
      } else {
        copies.append(moved(child, by: shifts, &nudges) ?? child)
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
