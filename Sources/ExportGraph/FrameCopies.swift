import MPEGAudio
import MediaComposition

/// Which frames of MP3 an output copies, and which are encoded.
struct FrameCopies {
  private let nodes: [Node]
  private let sink: Sink
  /// What is heard, in order.
  private let spans: [UntouchedSpans.Span]
  /// By span; nil where none of it can be copied.
  private let candidates: [CopyLayout.Span?]
  private let layout: CopyLayout

  /// Chooses them. O(n log n) in the nodes
  init(_ nodes: [Node], _ sink: Sink) {
    (self.nodes, self.sink) = (nodes, sink)
    let spans = UntouchedSpans(nodes, of: sink.node, in: sink.frames).spans
    let format = nodes[sink.node].format
    candidates = spans.map { span in
      guard case .source(let ids, let start) = span.content, let asset = nodes[ids[0]].asset,
        asset.isCopyable(as: sink.format, format)
      else { return nil }
      let first = span.frames.lowerBound - sink.frames.lowerBound
      return CopyLayout.Span(
        frames: first..<first + Int64(span.frames.count),
        start: start + Int64(asset.encoderDelay ?? 0))
    }
    self.spans = spans
    layout = CopyLayout(
      candidates.compactMap(\.self), length: Int64(sink.frames.count),
      samplesPerFrame: FrameHeader.samplesPerFrame(ofSampleRate: format.sampleRate))
  }

  /// By how many samples each node would have to lie later to be on the grid; none that is.
  var offsets: [Node.ID: Int] {
    guard !layout.copies.isEmpty else { return [:] }
    var offsets: [Node.ID: Int] = [:]
    for (span, candidate) in zip(spans, candidates) {
      guard case .source(let ids, _) = span.content, let candidate else { continue }
      let offset = layout.offset(of: candidate)
      if offset != 0 { for id in ids { offsets[id] = offset } }
    }
    return offsets
  }

  /// The plan, in which some nodes were moved by so many samples.
  func plan(_ shifts: [Node.ID: Int]) -> CopyPlan {
    let numbers = candidates.indices.filter { candidates[$0] != nil }
    var assets: [Asset] = []
    var parts: [CopiedPart] = []
    for copy in layout.copies {
      guard case .source(let ids, let start) = spans[numbers[copy.span]].content,
        let asset = nodes[ids[0]].asset, let candidate = candidates[numbers[copy.span]]
      else { continue }
      assets.append(asset)
      let frames = layout.samples(of: copy.frames)
      parts.append(
        CopiedPart(
          frames: frames, packetCount: copy.frames.count,
          source: CopiedPart.Source(
            asset.location, .packets,
            frame: start + frames.lowerBound - candidate.frames.lowerBound,
            firstPacket: copy.first, nudge: shifts[ids[0]] ?? 0)))
    }
    return CopyPlan(
      .frames(layout), assets: assets,
      parts: (parts + encodedParts).sorted { $0.frames.lowerBound < $1.frames.lowerBound })
  }

  private var encodedParts: [CopiedPart] {
    var first = 0
    return layout.encoded.map { run in
      let frames = layout.samples(of: run)
      let start = frames.lowerBound + sink.frames.lowerBound
      let end = frames.upperBound + sink.frames.lowerBound
      while first < spans.count, spans[first].frames.upperBound <= start { first += 1 }
      var reasons: [CopiedPart.Reason] = []
      var number = first
      while number < spans.count, spans[number].frames.lowerBound < end {
        // Of a hundred sounds, most are off the grid by numbers of their own: the first one is named.
        if let reason = reason(number), !reasons.contains(where: { $0.isLike(reason) }) {
          reasons.append(reason)
        }
        number += 1
      }
      if reasons.isEmpty { reasons = [layout.copies.isEmpty ? .short : .seam] }
      return CopiedPart(frames: frames, packetCount: run.count, reasons: reasons)
    }
  }

  private func refusal(_ number: Int) -> CopiedPart.Reason {
    guard case .source(let ids, _) = spans[number].content, let asset = nodes[ids[0]].asset else {
      return .codec
    }
    return asset.refusal(as: sink.format, nodes[sink.node].format)
  }

  /// Why none of a span is copied; nil where only its ends are encoded.
  private func reason(_ number: Int) -> CopiedPart.Reason? {
    switch spans[number].content {
    case .changed(.silence):
      // A shift onto the grid may leave as much.
      return spans[number].frames.count > layout.samplesPerFrame / 2 ? .silence : nil
    case .changed(let change): return change.reason
    case .source:
      guard let candidate = candidates[number] else { return refusal(number) }
      let offset = layout.offset(of: candidate)
      return offset == 0 || layout.copies.isEmpty ? nil : .grid(offset: offset)
    }
  }
}

extension CopiedPart.Reason {
  fileprivate func isLike(_ other: CopiedPart.Reason) -> Bool {
    switch (self, other) {
    case (.grid, .grid): true
    default: self == other
    }
  }
}
