import MediaComposition

/// Where one source alone is heard in a node, untouched: what a file could have copied from it.
///
/// A sweep over the node's sounds: O(n log n) in its nodes, their ramps and the spans.
struct UntouchedSpans {
  /// What is heard in a span.
  enum Content: Hashable {
    /// The frames of one source, from its frame `start` on, by nodes that continue one another.
    case source([Node.ID], start: Int64)
    /// More or other than that.
    case changed(Change)
  }

  /// Why a span is no copy of a source.
  enum Change: Hashable {
    case silence
    case mixed
    case level
    case process
    /// Another rate, speed or channels.
    case conversion
  }

  /// Frames of the node, and what is heard in them.
  struct Span: Hashable {
    var frames: Range<Int64>
    var content: Content
  }

  /// All frames of the node, in order.
  private(set) var spans: [Span] = []

  /// The node of a source of which the frames from `start` on, and nothing else, are heard; nil
  /// otherwise.
  var only: (node: Node.ID, start: Int64)? {
    guard spans.count == 1, case .source(let ids, let start) = spans[0].content else { return nil }
    return (ids[0], start)
  }

  private let nodes: [Node]
  private var sounds: [Span] = []

  /// The spans of `node` in `frames`.
  init(_ nodes: [Node], of node: Node.ID, in frames: Range<Int64>) {
    self.nodes = nodes
    collect(node, in: frames)
    sweep(frames)
  }

  /// Collects the sounds of a node, of which each is heard alone or with others.
  private mutating func collect(_ id: Node.ID, in window: Range<Int64>) {
    let frames = nodes[id].frames.clamped(to: window)
    guard !frames.isEmpty else { return }
    let untouched = nodes[id].level.unityRanges(in: frames)
    var next = frames.lowerBound
    func touched(to end: Int64) {
      if next < end { sounds.append(Span(frames: next..<end, content: .changed(.level))) }
    }
    switch nodes[id].kind {
    case .source(let source, let start):
      guard source.ratio == .one, source.matrix.isIdentity else {
        return sounds.append(Span(frames: frames, content: .changed(.conversion)))
      }
      for range in untouched {
        touched(to: range.lowerBound)
        let first = start + range.lowerBound - nodes[id].frames.lowerBound
        sounds.append(Span(frames: range, content: .source([id], start: first)))
        next = range.upperBound
      }
      touched(to: frames.upperBound)
    case .mix(let children):
      for range in untouched {
        touched(to: range.lowerBound)
        next = range.upperBound
      }
      touched(to: frames.upperBound)
      for child in children {
        for range in untouched.overlapping(nodes[child].frames) { collect(child, in: range) }
      }
    case .convert:
      sounds.append(Span(frames: frames, content: .changed(.conversion)))
    case .process, .excerpt, .duck:
      sounds.append(Span(frames: frames, content: .changed(.process)))
    }
  }

  private mutating func sweep(_ frames: Range<Int64>) {
    // At one frame, ends come before starts.
    let changes = sounds.indices.flatMap { index in
      [(sounds[index].frames.lowerBound, 1, index), (sounds[index].frames.upperBound, 0, index)]
    }.sorted(by: <)
    var active: Set<Int> = []
    var next = frames.lowerBound
    for (frame, isStart, index) in changes {
      if frame > next {
        append(next..<frame, active)
        next = frame
      }
      if isStart == 1 { active.insert(index) } else { active.remove(index) }
    }
    append(next..<frames.upperBound, [])
  }

  private mutating func append(_ frames: Range<Int64>, _ active: Set<Int>) {
    guard !frames.isEmpty else { return }
    guard let only = active.first else { return add(frames, .changed(.silence)) }
    guard active.count == 1 else { return add(frames, .changed(.mixed)) }
    switch sounds[only].content {
    case .changed: add(frames, sounds[only].content)
    case .source(let ids, let start):
      add(frames, .source(ids, start: start + frames.lowerBound - sounds[only].frames.lowerBound))
    }
  }

  /// A span that continues the one before it becomes a part of it.
  private mutating func add(_ frames: Range<Int64>, _ content: Content) {
    guard let last = spans.last, last.frames.upperBound == frames.lowerBound,
      let joined = joined(last, with: content)
    else { return spans.append(Span(frames: frames, content: content)) }
    spans[spans.count - 1] = Span(
      frames: last.frames.lowerBound..<frames.upperBound, content: joined)
  }

  /// What is heard in a span and behind it; nil if that is not one thing.
  private func joined(_ span: Span, with content: Content) -> Content? {
    guard case .source(let before, let start) = span.content,
      case .source(let next, let nextStart) = content
    else { return span.content == content ? content : nil }
    guard start + Int64(span.frames.count) == nextStart, let last = before.last,
      let first = next.first,
      last == first || nodes[last].asset == nodes[first].asset
    else { return nil }
    return .source(last == first ? before : before + next, start: start)
  }
}

extension Graph {
  /// Whether a file in `format` needs dither after a node: its integers have few bits, and are no
  /// copy of a source's samples. O(nodes).
  ///
  /// All of the node is asked, whatever is written of it, so that a part is the slice of the whole;
  /// and samples may lie elsewhere than in their source, which what is copied may not.
  package func needsDither(_ node: Node.ID, as format: Output.Format) -> Bool {
    guard let depth = format.ditheredDepth else { return false }
    return !nodes.passesUntouched(from: node, depth: depth)
  }
}

extension [Node] {
  /// Whether every sample below `root` is one sample of a source of at most `depth` bits, or silence.
  fileprivate func passesUntouched(from root: Node.ID, depth: Int) -> Bool {
    guard self[root].level.isUnity else { return false }
    switch self[root].kind {
    case .source(let source, _):
      return (source.asset.bitDepth ?? .max) <= depth && source.ratio == .one
        && source.matrix.isPermutation
    case .excerpt(let child, _), .process(.reverse, let child):
      return passesUntouched(from: child, depth: depth)
    case .convert, .process, .duck:
      return false
    case .mix(let children):
      let ranges = children.map { self[$0].frames }.sorted { $0.lowerBound < $1.lowerBound }
      let isSequence = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
      return isSequence && children.allSatisfy { passesUntouched(from: $0, depth: depth) }
    }
  }
}

extension Level {
  /// Where it changes nothing, in order. O(ramps)
  fileprivate func unityRanges(in frames: Range<Int64>) -> [Range<Int64>] {
    if isUnity { return [frames] }
    guard matrix == nil, gain == 1, pan == nil else { return [] }
    return envelopes.reduce([frames]) { $0.intersection($1.unityRanges(in: frames)) }
  }
}

extension [Range<Int64>] {
  /// Those that share frames with `frames`; they must be in order and apart. O(log n + found)
  fileprivate func overlapping(_ frames: Range<Int64>) -> ArraySlice<Range<Int64>> {
    let start = partitioningIndex { $0.upperBound > frames.lowerBound }
    return self[start...].prefix { $0.lowerBound < frames.upperBound }
  }

  /// What both have; both must be in order and apart.
  fileprivate func intersection(_ others: [Range<Int64>]) -> [Range<Int64>] {
    flatMap { range in others.overlapping(range).map { $0.clamped(to: range) } }
  }
}

extension Level.Envelope {
  /// Where its value is one.
  fileprivate func unityRanges(in frames: Range<Int64>) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    var (start, value) = (frames.lowerBound, initial)
    func hold(to end: Int64) {
      let end = min(end, frames.upperBound)
      if value == 1, start < end { ranges.append(start..<end) }
    }
    for ramp in ramps {
      if ramp.start == 1, ramp.end == 1, value == 1 { continue }
      hold(to: ramp.frames.lowerBound)
      start = max(start, ramp.frames.upperBound)
      value = ramp.end
    }
    hold(to: frames.upperBound)
    return ranges
  }
}
