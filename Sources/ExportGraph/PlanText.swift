import MediaComposition
import MediaTime

extension Graph {
  /// The plan of an export, for people: what sounds when, what is done to it, what is written.
  ///
  /// - Parameters:
  ///   - name: The export's name, which heads the text.
  ///   - duration: The timeline's length.
  /// - Returns: Lines that each end in a line feed.
  public func planText(name: String, duration: Time) -> String {
    var lines = ["\(name): \(duration.clockText(decimals: 3))"]
    if let mix = sinks.first.map({ mixNode(of: $0.node) }) {
      lines[0] += ", mixed at \(nodes[mix].format)"
      lines += timeline(of: mix, depth: 1, within: part(of: mix))
    }
    let chapters = sinks.first?.chapters ?? []
    if !chapters.isEmpty {
      lines.append("  chapters")
      lines += chapters.map { "    \($0.start.clockText(decimals: 3))  \($0.title)" }
    }
    lines.append("  outputs" + (partText.map { ", of \($0) on the timeline" } ?? ""))
    for sink in sinks { lines.append("    " + sentence(for: sink)) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The node that a sink's own conversion is fed from.
  func mixNode(of id: Node.ID) -> Node.ID {
    if case .convert(let child) = nodes[id].kind { child } else { id }
  }

  /// The frames of the mix that are written; nil where that is all of them.
  private func part(of mix: Node.ID) -> Range<Int64>? {
    guard let sink = sinks.first, sink.frames != nodes[sink.node].frames else { return nil }
    let rate = nodes[sink.node].format.sampleRate
    func frames(_ frame: Int64) -> Int64 {
      Time(frames: frame, rate: rate).frames(atRate: nodes[mix].format.sampleRate)
    }
    return frames(sink.frames.lowerBound)..<frames(sink.frames.upperBound)
  }

  private var partText: String? {
    guard let sink = sinks.first, sink.frames != nodes[sink.node].frames else { return nil }
    return interval(sink.frames, rate: nodes[sink.node].format.sampleRate)
  }

  /// What sounds in a node; only what sounds in `part`, where that is given.
  private func timeline(
    of id: Node.ID, depth: Int, within part: Range<Int64>? = nil
  ) -> [String] {
    let node = nodes[id]
    let indent = String(repeating: "  ", count: depth)
    var lines: [String] = []
    switch node.kind {
    case .source(let source, let start):
      lines.append(indent + interval(node) + "  " + sentence(for: node, source, from: start))
    case .mix(let children):
      let level = node.level.notes(rate: node.format.sampleRate)
      let head = depth == 1 ? "timeline" : interval(node) + "  group"
      lines.append(indent + ([head] + level).joined(separator: ", "))
      let inOrder = children.filter { child in part.map { $0.overlaps(nodes[child].frames) } ?? true
      }
      .sorted { (nodes[$0].frames.lowerBound, $0) < (nodes[$1].frames.lowerBound, $1) }
      for child in inOrder { lines += timeline(of: child, depth: depth + 1, within: part) }
    case .convert(let child):
      lines += timeline(of: child, depth: depth)
    case .process(let process, let child):
      lines.append(indent + interval(node) + "  " + process.description)
      lines += timeline(of: child, depth: depth + 1)
    case .excerpt(let child, let start):
      var notes = [interval(node) + "  part"]
      if start > 0 {
        notes[0] +=
          " from \(Time(frames: start, rate: node.format.sampleRate).clockText(decimals: 3))"
      }
      notes += node.level.notes(rate: node.format.sampleRate)
      lines.append(indent + notes.joined(separator: ", "))
      lines += timeline(of: child, depth: depth + 1)
    }
    return lines
  }

  private func interval(_ node: Node) -> String {
    interval(node.frames, rate: node.format.sampleRate)
  }

  private func interval(_ frames: Range<Int64>, rate: Int) -> String {
    Time(frames: frames.lowerBound, rate: rate).clockText(decimals: 3) + " – "
      + Time(frames: frames.upperBound, rate: rate).clockText(decimals: 3)
  }

  private func sentence(for node: Node, _ source: Source, from start: Int64) -> String {
    let asset = source.asset
    let rate = node.format.sampleRate
    var notes = [
      "\(asset.path) from \(Time(frames: start, rate: rate).clockText(decimals: 3))"
    ]
    if asset.sampleRate != rate {
      notes.append(
        "resampled from \(AudioFormat(sampleRate: asset.sampleRate, channelLayout: asset.channelLayout))"
      )
    } else if asset.channelLayout != node.format.channelLayout {
      notes.append("\(asset.channelLayout.name) to \(node.format.channelLayout.name)")
    }
    if source.matrix != ChannelMatrix(from: asset.channelLayout, to: node.format.channelLayout) {
      notes.append("channels selected")
    }
    if source.ratio != FrameRatio(from: asset.sampleRate, to: rate) { notes.append("varispeed") }
    return (notes + node.level.notes(rate: rate)).joined(separator: ", ")
  }

  private func sentence(for sink: Sink) -> String {
    let node = nodes[sink.node]
    var notes = [
      "\(sink.output.path)  \(sink.output.format.name), \(node.format)"
    ]
    if case .convert(let child) = node.kind {
      notes.append("converted from \(nodes[child].format)")
    }
    if sink.output.format.storesInt16 {
      notes.append(sink.isDithered ? "dithered" : "samples copied exactly")
    }
    return notes.joined(separator: ", ")
  }
}

extension Level {
  /// What it does, in words; nothing where it does nothing.
  func notes(rate: Int) -> [String] {
    var notes: [String] = []
    if matrix != nil { notes.append("channels selected") }
    if gain < 0 { notes.append("polarity inverted") }
    if abs(gain) != 1 { notes.append("gain \(decibels(abs(gain)))") }
    for ramp in envelopes.flatMap(\.ramps) where ramp.start != 1 || ramp.end != 1 {
      let start = Time(frames: ramp.frames.lowerBound, rate: rate).clockText(decimals: 3)
      let end = Time(frames: ramp.frames.upperBound, rate: rate).clockText(decimals: 3)
      notes.append("\(decibels(ramp.start)) at \(start) to \(decibels(ramp.end)) at \(end)")
    }
    if let pan {
      let positions = [pan.initial] + pan.ramps.map(\.end)
      notes.append(
        "pan " + positions.map { "\(Int(($0 * 100).rounded())) %" }.joined(separator: " to "))
    }
    return notes
  }

  /// One decimal, or `silence`.
  private func decibels(_ factor: Float) -> String {
    guard factor > 0 else { return "silence" }
    let tenths = Int((Gain(factor: Double(factor)).decibels * 10).rounded())
    let sign = tenths < 0 ? "−" : tenths > 0 ? "+" : ""
    return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10) dB"
  }
}

extension Process: CustomStringConvertible {
  /// What is done, in words.
  public var description: String {
    switch self {
    case .reverse: "reversed"
    case .varispeed(let ratio): "varispeed \(ratio.speedText)"
    case .stretch(let ratio, let algorithm):
      "speed \(ratio.speedText), pitch kept (\(algorithm == .spectral ? "rubberband" : "atempo"))"
    case .filter(let effects): effects.map(\.description).joined(separator: ", ")
    }
  }
}

extension FrameRatio {
  /// As `× 1.05`.
  fileprivate var speedText: String {
    let thousandths = (source * 1000 + target / 2) / target
    var digits = String(String(1000 + thousandths % 1000).dropFirst())
    while digits.hasSuffix("0") { digits.removeLast() }
    return "× \(thousandths / 1000)" + (digits.isEmpty ? "" : "." + digits)
  }
}
