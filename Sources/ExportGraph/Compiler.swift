import MPEGAudio
import MediaComposition
import MediaTime

extension Graph {
  /// Longer than any recording, and short enough that frames can be counted at any rate.
  static let longestTimeline = Time(value: 36_000_000, timescale: 1)

  /// Compiles an export: chooses the mix's rate and layout, puts every segment on the frame grid,
  /// and gives each output its sound.
  ///
  /// A segment's start on the timeline becomes a frame once, `time × rate` rounded half away from
  /// zero, whatever the depth of nesting. O(segments).
  ///
  /// - Throws: `Failure` (`mendJob`) where the timeline is longer than 10,000 hours.
  public init(compiling export: Export) throws(Failure) {
    let mixFormat = AudioFormat.ofMix(for: export)
    let compiler = Compiler(format: mixFormat)
    let duration = export.composition.duration
    guard duration.isNumeric else {
      throw Failure(.mendJob, "the timeline's length is not a number", origin: export.origin)
    }
    guard duration <= Graph.longestTimeline else {
      throw Failure(
        .mendJob, "the timeline would be \(duration) long; 10,000 hours are the most",
        origin: export.origin)
    }
    var nodes: [Node] = []
    let length = duration.frames(atRate: mixFormat.sampleRate)
    let root = compiler.addMix(
      of: export.composition, at: .zero, window: 0..<length, mix: export.mix,
      origin: export.origin, to: &nodes)

    var converted: [AudioFormat: Node.ID] = [mixFormat: root]
    var sinks: [Sink] = []
    let chapters = export.timelineChapters
    for output in export.outputs {
      let format = AudioFormat.of(output, from: mixFormat)
      if converted[format] == nil {
        let frames = 0..<duration.frames(atRate: format.sampleRate)
        let isResampled = format.sampleRate != mixFormat.sampleRate
        nodes.append(
          Node(
            .convert(root), format: format, frames: frames,
            memory: isResampled ? .frames(Resampling.warmUp(from: mixFormat, to: format)) : .none,
            origin: output.origin))
        converted[format] = nodes.count - 1
      }
      let node = converted[format] ?? root
      sinks.append(
        Sink(
          node: node, output: output, metadata: export.metadata.overridden(by: output.metadata),
          chapters: chapters,
          isDithered: output.format.storesInt16
            && !(node == root && nodes.passesInt16Untouched(from: root))))
    }
    self.init(nodes: nodes, sinks: sinks)
  }
}

/// Puts compositions on one frame grid.
private struct Compiler {
  let format: AudioFormat

  /// Appends the node that mixes `composition`, whose own zero lies at `start` on the timeline.
  func addMix(
    of composition: Composition, at start: Time, window: Range<Int64>, mix: AudioMix,
    origin: Origin, to nodes: inout [Node]
  ) -> Node.ID {
    var children: [Node.ID] = []
    for track in composition.tracks where track.isEnabled {
      if track.mix.isUnity {
        children += add(track.segments, at: start, window: window, to: &nodes)
        continue
      }
      let segments = add(track.segments, at: start, window: window, to: &nodes)
      nodes.append(
        Node(
          .mix(segments), format: format, frames: window,
          level: level(of: track.mix, at: start), origin: track.origin))
      children.append(nodes.count - 1)
    }
    nodes.append(
      Node(
        .mix(children), format: format, frames: window, level: level(of: mix, at: start),
        origin: origin))
    return nodes.count - 1
  }

  /// Appends a node for each segment that sounds inside `window`.
  func add(
    _ segments: [Segment], at start: Time, window: Range<Int64>, to nodes: inout [Node]
  ) -> [Node.ID] {
    var children: [Node.ID] = []
    children.reserveCapacity(segments.count)
    for segment in segments {
      let target = start + segment.target.start
      let first = target.frames(atRate: format.sampleRate)
      let end = (target + segment.target.duration).frames(atRate: format.sampleRate)
      let frames = (first..<max(first, end)).clamped(to: window)
      guard !frames.isEmpty else { continue }
      switch segment.content {
      case .silence:
        continue
      case .asset(let asset):
        let origin = segment.source.start.frames(atRate: format.sampleRate)
        // Rounding may ask for one frame more than the asset has; the timeline is silent there.
        let available = first + asset.duration.frames(atRate: format.sampleRate) - origin
        let sounding = frames.clamped(to: first..<max(first, available))
        guard !sounding.isEmpty else { continue }
        nodes.append(
          Node(
            .source(asset, start: origin + sounding.lowerBound - first), format: format,
            frames: sounding, level: level(of: segment.mix, at: target), origin: segment.origin))
        children.append(nodes.count - 1)
      case .composition(let inner):
        children.append(
          addMix(
            of: inner, at: target - segment.source.start, window: frames,
            mix: segment.mix.delayed(by: segment.source.start), origin: segment.origin, to: &nodes))
      }
    }
    return children
  }

  /// `mix`, whose own zero lies at `start` on the timeline, on the frame grid.
  func level(of mix: AudioMix, at start: Time) -> Level {
    Level(
      gain: Float(mix.gain.factor),
      envelopes: mix.envelopes.map { envelope in
        envelope.ramps.map { ramp in
          let range = ramp.timeRange
          let first = (start + range.start).frames(atRate: format.sampleRate)
          let end = (start + range.end).frames(atRate: format.sampleRate)
          return Level.Ramp(
            frames: first..<max(first, end), start: Float(ramp.startVolume.factor),
            end: Float(ramp.endVolume.factor), curve: ramp.curve)
        }
      })
  }
}

extension AudioMix {
  /// The same mix, its zero moved later.
  fileprivate func delayed(by delay: Time) -> AudioMix {
    guard delay != .zero else { return self }
    var copy = self
    for envelope in copy.envelopes.indices {
      for ramp in copy.envelopes[envelope].ramps.indices {
        let range = copy.envelopes[envelope].ramps[ramp].timeRange
        copy.envelopes[envelope].ramps[ramp].timeRange = TimeRange(
          start: range.start + delay, duration: range.duration)
      }
    }
    return copy
  }
}

extension Export {
  /// Every chapter that falls on the timeline, in order of time.
  fileprivate var timelineChapters: [Chapter] {
    let all =
      chapters + composition.chapters(within: TimeRange(start: .zero, end: composition.duration))
    return all.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }
}

extension Composition {
  /// The chapters of its segments that fall inside `window`, in the composition's own time.
  fileprivate func chapters(within window: TimeRange) -> [Chapter] {
    var found: [Chapter] = []
    for track in tracks where track.isEnabled {
      for segment in track.segments {
        var inner = segment.chapters
        if case .composition(let composition) = segment.content {
          inner += composition.chapters(within: segment.source).map {
            $0.moved(by: -segment.source.start)
          }
        }
        found += inner.map { $0.moved(by: segment.target.start) }
      }
    }
    return found.filter { $0.start >= window.start && $0.start < window.end }
  }
}

extension Chapter {
  fileprivate func moved(by offset: Time) -> Chapter {
    var copy = self
    copy.start = start + offset
    return copy
  }
}

extension [Node] {
  /// Whether every sample below `root` is one sample of a source of at most 16 bits, or silence.
  fileprivate func passesInt16Untouched(from root: Node.ID) -> Bool {
    let node = self[root]
    guard node.level == .unity else { return false }
    switch node.kind {
    case .source(let asset, _):
      return (asset.bitDepth ?? .max) <= 16 && asset.sampleRate == node.format.sampleRate
        && asset.channelLayout == node.format.channelLayout
    case .convert:
      return false
    case .mix(let children):
      let ranges = children.map { self[$0].frames }.sorted { $0.lowerBound < $1.lowerBound }
      let isSequence = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
      return isSequence && children.allSatisfy { passesInt16Untouched(from: $0) }
    }
  }
}
