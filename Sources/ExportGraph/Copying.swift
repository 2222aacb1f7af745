import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime

extension Graph {
  /// Decides what an output copies: where a source of its format is heard alone and untouched, its
  /// frames; around everything else the fewest frames are encoded.
  ///
  /// With `nudge` its sounds are moved onto one grid of frames, in nodes of its own.
  ///
  /// - Throws: `mendJob` where nothing can be copied, and what the output refuses to encode.
  mutating func copy(into sink: inout Sink) throws(Failure) {
    guard let copying = sink.output.copying else { return }
    var nudges: [Node.ID: Int] = [:]
    if copying.join == .nudge, sink.format.kind == .mp3 { nudges = nudge(&sink) }
    let plan: CopyPlan
    switch sink.format.kind {
    case .mp3: plan = copyPlan(of: sink, nudges)
    case .wav, .aiff, .caf, .flac, .alac: plan = samplePlan(of: sink)
    case .aac, .vorbis, .opus: plan = packetPlan(of: sink)
    }
    // A clip of a frame is encoded.
    if plan.assets.isEmpty, plan.parts.reasons != [.short] {
      guard copying.isRequired else { return }
      throw nothingCopied(plan, sink)
    }
    try requireCopied(plan, sink, copying)
    sink.copied = plan
  }

  /// Of a format that loses nothing, samples are copied: they are what its encoder is given.
  private func samplePlan(of sink: Sink) -> CopyPlan {
    var assets: [Asset] = []
    let zero = sink.frames.lowerBound
    let parts = SoleSpans(nodes, of: sink.node, in: sink.frames).spans.map { span -> CopiedPart in
      let frames = span.frames.lowerBound - zero..<span.frames.upperBound - zero
      switch span.content {
      case .changed(let change): return CopiedPart(frames: frames, reasons: [change.reason])
      case .source(let id, let start):
        guard let asset = nodes[id].asset, asset.holdsSamples(for: sink.format) else {
          return CopiedPart(frames: frames, reasons: [.codec])
        }
        assets.append(asset)
        return CopiedPart(frames: frames, source: CopiedPart.Source(asset.location, frame: start))
      }
    }
    return CopyPlan(nil, assets: assets, parts: parts)
  }

  /// Of other formats the packets of one clip are copied, between which nothing else can lie.
  private func packetPlan(of sink: Sink) -> CopyPlan {
    let spans = SoleSpans(nodes, of: sink.node, in: sink.frames).spans
    let frames = 0..<Int64(sink.frames.count)
    if spans.count == 1, case .source(let id, let start) = spans[0].content,
      let asset = nodes[id].asset
    {
      guard asset.isCopyable(as: sink.format, nodes[sink.node].format) else {
        return CopyPlan(nil, assets: [], parts: [CopiedPart(frames: frames, reasons: [.codec])])
      }
      let source = CopiedPart.Source(asset.location, frame: start)
      return CopyPlan(nil, assets: [asset], parts: [CopiedPart(frames: frames, source: source)])
    }
    var reasons: [CopiedPart.Reason] = []
    for case .changed(let change) in spans.map(\.content) where !reasons.contains(change.reason) {
      reasons.append(change.reason)
    }
    if spans.count > 1 { reasons.append(.seam) }
    return CopyPlan(nil, assets: [], parts: [CopiedPart(frames: frames, reasons: reasons)])
  }

  private func copyPlan(of sink: Sink, _ nudges: [Node.ID: Int]) -> CopyPlan {
    let sound = SoleSpans(nodes, of: sink.node, in: sink.frames).spans
    let rate = nodes[sink.node].format.sampleRate
    let copyable = sound.compactMap { span -> (span: SoleSpans.Span, copy: CopyLayout.Span)? in
      guard case .source(let id, let start) = span.content, let asset = nodes[id].asset,
        asset.isCopyable(as: sink.format, nodes[sink.node].format)
      else { return nil }
      let first = span.frames.lowerBound - sink.frames.lowerBound
      return (
        span,
        CopyLayout.Span(
          frames: first..<first + Int64(span.frames.count),
          start: start + Int64(asset.encoderDelay ?? 0))
      )
    }
    let layout = CopyLayout(
      copyable.map(\.copy), length: Int64(sink.frames.count),
      samplesPerFrame: rate >= 32000 ? 1152 : 576)
    var assets: [Asset] = []
    let copies = layout.copies.compactMap { copy -> CopiedPart? in
      guard case .source(let id, _) = copyable[copy.span].span.content, let asset = nodes[id].asset
      else { return nil }
      assets.append(asset)
      return CopiedPart(
        frames: layout.samples(of: copy.frames), packetCount: copy.frames.count,
        source: CopiedPart.Source(
          asset.location,
          frame: max(0, layout.firstSample(ofFrame: copy.frames.lowerBound))
            - copyable[copy.span].copy.frames.lowerBound + copyable[copy.span].copy.start
            - Int64(asset.encoderDelay ?? 0),
          firstPacket: copy.first, nudge: nudges[id] ?? 0))
    }
    let encoded = layout.encoded.map { run in
      let frames = layout.samples(of: run)
      let onTimeline =
        frames.lowerBound + sink.frames.lowerBound..<frames.upperBound + sink.frames.lowerBound
      var reasons: [CopiedPart.Reason] = []
      for span in sound where span.frames.overlaps(onTimeline) {
        let copy = copyable.first { $0.span == span }?.copy
        guard let reason = reason(span, copy, layout), !reasons.contains(reason) else { continue }
        reasons.append(reason)
      }
      if reasons.isEmpty { reasons = [layout.copies.isEmpty ? .short : .seam] }
      return CopiedPart(frames: frames, packetCount: run.count, reasons: reasons)
    }
    return CopyPlan(
      layout, assets: assets,
      parts: (copies + encoded).sorted { $0.frames.lowerBound < $1.frames.lowerBound })
  }

  /// Why none of a span is copied; nil where only its ends are encoded.
  private func reason(
    _ span: SoleSpans.Span, _ copy: CopyLayout.Span?, _ layout: CopyLayout
  ) -> CopiedPart.Reason? {
    switch span.content {
    case .changed(.silence):
      // A nudge may leave as much.
      return span.frames.count > layout.samplesPerFrame / 2 ? .silence : nil
    case .changed(let change): return change.reason
    case .source:
      guard let copy else { return .codec }
      let offset = layout.offset(of: copy)
      return offset == 0 || layout.copies.isEmpty ? nil : .grid(offset: offset)
    }
  }

  // MARK: - Refusals

  private func nothingCopied(_ plan: CopyPlan, _ sink: Sink) -> Failure {
    let why: String
    switch nodes[sink.node].kind {
    case .convert(let mix):
      why = "the mix is \(nodes[mix].format), and the output \(nodes[sink.node].format)"
    case .process(.normalize, _): why = "its sound is brought to a loudness"
    default:
      why =
        plan.layout == nil && plan.parts.reasons.contains(.seam)
        ? "of its packets one clip alone can be made" : plan.parts.reasons.text
    }
    let kind = sink.format.kind
    return Failure(
      .mendJob, "'\(kind.rawValue): copy' finds nothing to copy: \(why); \(kind.encodingHelp)",
      path: sink.output.path, origin: sink.output.origin)
  }

  private func requireCopied(
    _ plan: CopyPlan, _ sink: Sink, _ copying: Output.Copying
  ) throws(Failure) {
    // What is still to be written will have a grid.
    guard !nodes.contains(where: { $0.asset?.isPredicted == true }) else { return }
    let rate = nodes[sink.node].format.sampleRate
    for part in plan.parts {
      let grid = part.reasons.contains { if case .grid = $0 { true } else { false } }
      guard
        copying.isStrict && part.reasons.contains(where: { $0 != .seam && $0 != .silence })
          || copying.join == .strict && grid
      else { continue }
      let place = Time(frames: part.frames.lowerBound, rate: rate).clockText(decimals: 3)
      let (rule, help) =
        grid && copying.join == .strict
        ? (
          "join: strict", "'join: exact' encodes it, 'join: nudge' moves it by half a frame at most"
        )
        : (
          "\(sink.format.kind.rawValue): copy strict",
          "'\(sink.format.kind.rawValue): copy' encodes it"
        )
      throw Failure(
        .mendJob,
        "'\(rule)' does not encode what cannot be copied: at \(place) "
          + "\([part].reasons.text); \(help)",
        path: sink.output.path, origin: sink.output.origin)
    }
  }

  // MARK: - Nudging

  /// Moves the sources of a sink onto the grid of the longest one, in nodes of its own.
  ///
  /// - Returns: By how many samples each node was moved.
  private mutating func nudge(_ sink: inout Sink) -> [Node.ID: Int] {
    let sole = SoleSpans(nodes, of: sink.node, in: sink.frames).spans
    let format = nodes[sink.node].format
    let count = format.sampleRate >= 32000 ? 1152 : 576
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

extension Output.Kind {
  /// What encodes anew, in words.
  var encodingHelp: String {
    switch self {
    case .mp3: "'mp3: V2' encodes it"
    case .wav, .aiff, .caf, .flac, .alac: "'\(rawValue): 16 bit' writes it"
    case .aac, .opus: "'\(rawValue): 128k' encodes it"
    case .vorbis: "'vorbis: q5' encodes it"
    }
  }
}

extension SoleSpans.Change {
  fileprivate var reason: CopiedPart.Reason {
    switch self {
    case .silence: .silence
    case .mixed: .mixed
    case .level: .level
    case .process: .process
    case .conversion: .conversion
    }
  }
}

extension Asset {
  /// Whether a lossless file in `format` holds each of its samples as it is.
  fileprivate func holdsSamples(for format: Output.Format) -> Bool {
    guard let kind = outputKind, codec != "mp3" else { return false }
    switch kind {
    case .wav, .aiff, .caf, .flac, .alac:
      guard let depth = format.integerDepth else { return true }
      return (bitDepth ?? .max) <= depth
    case .mp3, .aac, .vorbis, .opus: return false
    }
  }

  /// Whether its frames can be those of an output in `format`.
  fileprivate func isCopyable(as format: Output.Format, _ sound: AudioFormat) -> Bool {
    guard outputKind == format.kind, sampleRate == sound.sampleRate,
      channelLayout.count == sound.channelLayout.count
    else { return false }
    return switch format.kind {
    case .mp3: container == "mp3"
    case .aac: container.hasPrefix("mov,")
    case .opus: container == "ogg"
    // Its decoders begin with a whole block, whatever a file says of the samples before its sound.
    case .vorbis, .wav, .aiff, .caf, .flac, .alac: false
    }
  }
}

extension [CopiedPart.Reason] {
  fileprivate var text: String { map(\.text).joined(separator: ", ") }
}

extension Export {
  /// Notes on outputs in MP3 that are encoded, and of which every frame could be copied.
  ///
  /// - Complexity: O(segments) for each output
  public var copyNotes: [Diagnostic] {
    outputs.compactMap { output in
      guard output.kind == .mp3, output.copying == nil else { return nil }
      var copy = self
      copy.outputs = [output]
      copy.outputs[0].request = .copied(.mp3)
      copy.outputs[0].copying = Output.Copying(join: .strict, isStrict: true)
      guard let plan = try? Graph(compiling: copy).sinks.first?.copied, plan.isWhole else {
        return nil
      }
      return Diagnostic(
        .note, "'\(output.path)' is encoded anew, which costs time and quality", at: output.origin,
        help: "'--mp3 copy' cuts it without encoding, as exactly")
    }
  }
}
