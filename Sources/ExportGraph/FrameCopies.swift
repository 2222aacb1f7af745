import MPEGAudio
import MediaComposition

/// Which frames of its sources an output copies, and which are encoded.
struct FrameCopies {
  private let nodes: [Node]
  private let sink: Sink
  /// What is heard, in order.
  private let spans: [UntouchedSpans.Span]
  /// By span; nil where none of it can be copied.
  private let candidates: [CopyLayout.Span?]
  /// What all copied packets' decoders are set up with; nil where one clip alone is copied, and for MP3.
  private let setup: String?
  private let layout: CopyLayout
  /// Whether the file says exactly where the sound of its packets begins. Of Vorbis in Matroska, readers
  /// leave nothing out.
  private let isExact: Bool

  /// Chooses them. O(n log n) in the nodes
  init(_ nodes: [Node], _ sink: Sink) {
    (self.nodes, self.sink) = (nodes, sink)
    let isExact = sink.format.kind != .vorbis || sink.output.movie == nil
    let untouched = UntouchedSpans(nodes, of: sink.node, in: sink.frames)
    let spans = untouched.spans
    let format = nodes[sink.node].format
    let isJoined = sink.format.kind != .mp3 && untouched.only == nil
    let whole = nodes.wholeAsset(untouched.only, frames: sink.frames.count)
    // Of CAF only packets of AAC-LC are described.
    let isHighEfficiency =
      isExact && sink.output.soundContainer(as: sink.format.kind) != .caf
      && whole?.isHighEfficiencyCopy(as: sink.format, format) == true
    let setup = isJoined ? spans.mostHeardSetup(nodes, sink, format) : nil
    candidates = spans.map { span in
      guard case .source(let ids, let start) = span.content, let asset = nodes[ids[0]].asset,
        isExact,
        isHighEfficiency
          || asset.hasFrames(for: sink.format, format)
            && (!isJoined || asset.joins(setup))
      else { return nil }
      let first = span.frames.lowerBound - sink.frames.lowerBound
      return CopyLayout.Span(
        frames: first..<first + Int64(span.frames.count),
        start: start + Int64(asset.encoderDelay ?? 0))
    }
    (self.spans, self.setup, self.isExact) = (spans, setup, isExact)
    layout = CopyLayout(
      candidates.compactMap(\.self), length: Int64(sink.frames.count),
      on: isHighEfficiency
        ? .wholeHighEfficiencyAAC : sink.format.kind.frameGrid(sampleRate: format.sampleRate))
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
      let isCounted = sink.format.kind.countsPackets
      parts.append(
        CopiedPart(
          frames: frames, packetCount: isCounted ? copy.frames.count : nil,
          source: CopiedPart.Source(
            asset.location, .packets,
            frame: start + frames.lowerBound - candidate.frames.lowerBound,
            firstPacket: isCounted ? copy.first : nil, nudge: shifts[ids[0]] ?? 0)))
    }
    return CopyPlan(
      .frames(layout), assets: assets,
      parts: (parts + encodedParts).sorted { $0.frames.lowerBound < $1.frames.lowerBound },
      setup: setup)
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
      return CopiedPart(
        frames: frames, packetCount: sink.format.kind.countsPackets ? run.count : nil,
        reasons: reasons)
    }
  }

  private func refusal(_ number: Int) -> CopiedPart.Reason {
    guard case .source(let ids, _) = spans[number].content, let asset = nodes[ids[0]].asset else {
      return .codec
    }
    let format = nodes[sink.node].format
    guard asset.isCopyable(as: sink.format, format) else {
      return asset.refusal(as: sink.format, format)
    }
    guard isExact else { return .inexact(.matroska) }
    guard asset.hasExactPackets || sink.format.kind == .mp3 else {
      return .inexact(asset.packetObstacle)
    }
    return asset.packetSetup == nil ? .alone : .setup
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

extension [Node] {
  /// The source of which all frames, and nothing else, are heard in an output of so many; `only` as of
  /// `UntouchedSpans`.
  func wholeAsset(_ only: (node: Node.ID, start: Int64)?, frames: Int) -> Asset? {
    guard let only, only.start == 0, let asset = self[only.node].asset,
      asset.frameCount == Int64(frames)
    else { return nil }
    return asset
  }
}

extension [UntouchedSpans.Span] {
  /// What the decoders of those sounds are set up with of which most is heard; of equal ones the first.
  fileprivate func mostHeardSetup(_ nodes: [Node], _ sink: Sink, _ format: AudioFormat) -> String? {
    var counts: [String: Int] = [:]
    var order: [String] = []
    for span in self {
      guard case .source(let ids, _) = span.content, let asset = nodes[ids[0]].asset,
        asset.hasFrames(for: sink.format, format), let setup = asset.packetSetup
      else { continue }
      if counts[setup] == nil { order.append(setup) }
      counts[setup, default: 0] += span.frames.count
    }
    return order.reduce(nil) { best, next in
      (counts[next] ?? 0) > (best.flatMap { counts[$0] } ?? 0) ? next : best
    }
  }
}

extension Asset {
  /// Whether its frames can be those of an output in `format`, at exact places.
  fileprivate func hasFrames(for format: Output.Format, _ sound: AudioFormat) -> Bool {
    isCopyable(as: format, sound) && !format.isHighEfficiency
      && (hasExactPackets || format.kind == .mp3)
  }

  /// Whether all of it can be an output in `format`, whose profile no part of it would keep.
  fileprivate func isHighEfficiencyCopy(as format: Output.Format, _ sound: AudioFormat) -> Bool {
    format.kind == .aac && hasWholePackets && isCopyable(as: format, sound)
  }

  /// Whether its packets can be in one stream with those of decoders that are set up in this way. What
  /// is still to be written will say.
  fileprivate func joins(_ setup: String?) -> Bool {
    packetSetup != nil && packetSetup == setup
  }
}

extension Output.Kind {
  /// Whether all packets have one length. The lengths of others are found when they are read.
  fileprivate var countsPackets: Bool { self != .opus && self != .vorbis }

  /// How its frames lie. Of others than these nothing is copied by frames.
  fileprivate func frameGrid(sampleRate: Int) -> CopyLayout.Grid {
    switch self {
    case .aac: .aac
    case .opus: .opus
    case .vorbis: .vorbis
    default: .mp3(samplesPerFrame: FrameHeader.samplesPerFrame(ofSampleRate: sampleRate))
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
