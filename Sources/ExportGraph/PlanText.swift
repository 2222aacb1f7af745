import Diagnosis
import MediaComposition
import MediaTime

extension Graph {
  /// The plan of an export, for people: each sound's time and changes, and the outputs.
  ///
  /// - Parameters:
  ///   - name: The export's name, the text's heading.
  ///   - duration: The timeline's length.
  ///   - records: Those of the export.
  /// - Returns: Lines that each end in a line feed. What would begin another line in a name or in a
  ///   title, which may come from a medium, or be an order to a terminal, is U+FFFD.
  package func planText(
    name: String, duration: Time, records: [ExportRecord] = []
  ) -> String {
    var lines = ["\(name): \(duration.clockText(decimals: 3))"]
    if let mix = sinks.first.map({ mixNode(of: $0.node) }) {
      lines[0] += ", mixed at \(nodes[mix].format)"
      lines += timeline(of: mix, depth: 1, within: part(of: mix))
    }
    lines += shownTracks.flatMap { $0.lines(within: writtenPart) }
    let chapters = sinks.first?.chapters ?? []
    if !chapters.isEmpty {
      lines.append("  chapters")
      lines += chapters.map { "    \($0.start.clockText(decimals: 3))  \($0.title)" }
    }
    lines.append("  outputs" + (writtenPart.map { ", of \($0.clockText) on the timeline" } ?? ""))
    for sink in sinks {
      lines.append("    " + sentence(for: sink))
      let rate = nodes[sink.node].format.sampleRate
      for part in sink.copied?.parts ?? [] {
        lines.append("      " + interval(part.frames, rate: rate) + "  " + part.text)
      }
      if let picture = sink.picture {
        let sound = nodes[sink.node].format
        lines.append("      beside it: " + picture.text(beside: sound, as: sink.format))
        lines += (picture.fadeTexts + picture.spanTexts).map { "        " + $0 }
      }
      lines += sink.wordTexts.map { "      " + $0 }
      lines += sink.sidecarTexts.map { "    " + $0 }
    }
    lines += records.map { "    \($0.path)  JSON record" }
    return lines.map(\.printable).joined(separator: "\n") + "\n"
  }

  /// The mix that a sink's own conversion and normalization read.
  package func mixNode(of id: Node.ID) -> Node.ID {
    switch nodes[id].kind {
    case .convert(let child), .process(.normalize, let child): mixNode(of: child)
    case .source, .mix, .process, .excerpt, .duck: id
    }
  }

  /// The part of the timeline that is written; nil for all of it.
  private var writtenPart: TimeRange? {
    guard let sink = sinks.first, sink.frames != nodes[sink.node].frames else { return nil }
    return TimeRange(frames: sink.frames, rate: nodes[sink.node].format.sampleRate)
  }

  /// The frames of the mix that are written; nil for all of them.
  private func part(of mix: Node.ID) -> Range<Int64>? {
    let rate = nodes[mix].format.sampleRate
    return writtenPart.map { $0.start.frames(atRate: rate)..<$0.end.frames(atRate: rate) }
  }

  /// The sounds of a node, or of its `part`.
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
      let head = depth == 1 ? "timeline" : interval(node) + "  group" + node.nameText
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
    case .duck(let child, keys: _, let ducking):
      let text = ducking.text(rate: node.format.sampleRate)
      lines.append(indent + interval(node) + "  " + text)
      lines += timeline(of: child, depth: depth + 1, within: part)
    case .excerpt(let child, let start):
      var notes = [interval(node) + "  part" + node.nameText]
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
    TimeRange(frames: frames, rate: rate).clockText
  }

  private func sentence(for node: Node, _ source: Source, from start: Int64) -> String {
    let asset = source.asset
    let rate = node.format.sampleRate
    let first = source.speed(at: rate).source(ofTarget: start)
    var notes = [
      "\(asset.location) from \(Time(frames: first, rate: rate).clockText(decimals: 3))"
    ]
    let selection = source.selectionText(to: node.format.channelLayout)
    if asset.sampleRate != rate {
      notes.append(
        "resampled from \(AudioFormat(sampleRate: asset.sampleRate, channelLayout: asset.channelLayout))"
      )
    } else if selection == nil, asset.channelLayout != node.format.channelLayout {
      notes.append("\(asset.channelLayout.name) to \(node.format.channelLayout.name)")
    }
    notes += [selection, source.varispeedText(at: rate)].compactMap(\.self)
    return (notes + node.level.notes(rate: rate)).joined(separator: ", ")
  }

  private func sentence(for sink: Sink) -> String {
    let node = nodes[sink.node]
    var notes = [
      "\(sink.output.path)  \(sink.formatName), \(node.format)"
    ]
    let mix = nodes[mixNode(of: sink.node)].format
    if mix != node.format { notes.append("converted from \(mix)") }
    if case .process(.normalize(let normalization), _) = node.kind {
      notes.append(normalization.description)
    }
    let names = (sink.output.conform ?? []).map(\.name)
    if !names.isEmpty { notes.append("checked for " + names.joined(separator: ", ")) }
    if sink.isDithered {
      notes.append("dithered")
    } else if sink.format.integerDepth != nil, sink.format.ditheredDepth != nil {
      notes.append("samples copied exactly")
    }
    if let text = sink.id3Text { notes.append(text) }
    return notes.joined(separator: ", ")
  }
}

extension TimeRange {
  fileprivate init(frames: Range<Int64>, rate: Int) {
    self.init(
      start: Time(frames: frames.lowerBound, rate: rate),
      end: Time(frames: frames.upperBound, rate: rate))
  }

  /// As plans have it: `0:00.000 – 0:04.000`.
  var clockText: String {
    start.clockText(decimals: 3) + " – " + end.clockText(decimals: 3)
  }
}

extension Level {
  /// Its changes, in words; empty where it changes nothing.
  func notes(rate: Int) -> [String] {
    var notes: [String] = []
    if let matrix { notes.append(matrix.selectionText) }
    if gain < 0 { notes.append("polarity inverted") }
    if abs(gain) != 1 { notes.append("gain \(decibels(abs(gain)))") }
    notes += rampsInOrder.filter { $0.start != 1 || $0.end != 1 }
      .map { ramp in move(ramp, rate, decibels) }
    guard let pan else { return notes }
    let moves = pan.ramps.map { "pan " + move($0, rate, percent) }
    return notes + (moves.isEmpty ? ["pan \(percent(pan.initial))"] : moves)
  }

  /// The ramps of all envelopes, in order of time.
  var rampsInOrder: [Ramp] {
    envelopes.flatMap(\.ramps).enumerated()
      .sorted {
        ($0.element.frames.lowerBound, $0.offset) < ($1.element.frames.lowerBound, $1.offset)
      }
      .map(\.element)
  }

  private func move(_ ramp: Ramp, _ rate: Int, _ text: (Float) -> String) -> String {
    let start = Time(frames: ramp.frames.lowerBound, rate: rate).clockText(decimals: 3)
    let end = Time(frames: ramp.frames.upperBound, rate: rate).clockText(decimals: 3)
    return "\(text(ramp.start)) at \(start) to \(text(ramp.end)) at \(end)"
  }

  private func percent(_ position: Float) -> String {
    let whole = Int((position * 100).rounded())
    return "\(whole < 0 ? "−" : "")\(whole.magnitude) %"
  }

  /// One decimal, or `silence`.
  private func decibels(_ factor: Float) -> String {
    guard factor > 0 else { return "silence" }
    return "\(Gain(factor: Double(factor)).decibels.signedTenths) dB"
  }
}

extension SoundProcess: CustomStringConvertible {
  /// The process, in words.
  package var description: String {
    switch self {
    case .reverse: "reversed"
    case .varispeed(let ratio): "varispeed \(ratio.speedText)"
    case .stretch(let ratio, let algorithm):
      "speed \(ratio.speedText), pitch kept (\(algorithm == .spectral ? "rubberband" : "atempo"))"
    case .filter(let effects): effects.map(\.description).joined(separator: ", ")
    case .delay(let settings): Effect.delay(settings).description
    case .reverb(let reverb): Effect.reverb(reverb).description
    case .leveler(let settings): Effect.leveler(settings).description
    case .limiter(let settings): Effect.limiter(settings).description
    case .custom(let effect): effect.description
    case .normalize(let normalization): normalization.description
    }
  }
}

extension Source {
  /// The selected channels, in words; nil where all are.
  func selectionText(to layout: ChannelLayout) -> String? {
    matrix == ChannelMatrix(from: asset.channelLayout, to: layout) ? nil : matrix.selectionText
  }

  /// For example `varispeed × 1.05`; nil at the asset's own speed.
  func varispeedText(at rate: Int) -> String? {
    let speed = speed(at: rate)
    return speed == .one ? nil : "varispeed \(speed.speedText)"
  }

  /// The change of speed besides the conversion to `rate` frames a second.
  func speed(at rate: Int) -> FrameRatio {
    ratio == FrameRatio(from: asset.sampleRate, to: rate)
      ? .one : FrameRatio(from: ratio.source * rate, to: ratio.target * asset.sampleRate)
  }
}

extension ChannelMatrix {
  /// The selected channels, in words; they count from 1, as in job files.
  var selectionText: String {
    guard let row = weights.first else { return "no channels" }
    let used = row.indices.filter { index in weights.contains { $0[index] != 0 } }
    if used.count == 1, row.count > 1 { return "channel \(used[0] + 1) alone" }
    return weights.allSatisfy { $0 == row } ? "as mono" : "channels selected"
  }
}

extension Node {
  /// For example ` 'voice'`, behind a word.
  fileprivate var nameText: String { name.map { " '\($0)'" } ?? "" }
}
