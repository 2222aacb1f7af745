import MediaComposition

extension Graph {
  /// Each change of rate, layout or depth on the way, once, a line for each: the changes that cost
  /// time or quality. O(nodes).
  package var conversions: [String] {
    var lines: [String] = []
    var seen: Set<String> = []
    func add(_ line: String) { if seen.insert(line).inserted { lines.append(line) } }
    for node in nodes {
      guard case .source(let source, _) = node.kind else { continue }
      let own = AudioFormat(
        sampleRate: source.asset.sampleRate, channelLayout: source.asset.channelLayout)
      guard own.sampleRate != node.format.sampleRate else { continue }
      add("'\(source.asset.location)' is resampled from \(own.rateText) to \(node.format.rateText)")
    }
    for sink in sinks {
      let node = nodes[sink.node]
      if case .convert(let child) = node.kind {
        add("'\(sink.output.path)' is converted from \(nodes[child].format) to \(node.format)")
      }
      if sink.isDithered, let depth = sink.format.ditheredDepth {
        add("'\(sink.output.path)' is dithered to \(depth) bit")
      }
    }
    return lines
  }
}
