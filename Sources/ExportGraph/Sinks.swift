import Diagnosis
import MediaComposition
import MediaTime
import Transcripts

extension SettledOutput {
  /// Throws `mendJob` if a file in this format cannot hold so many frames.
  func requireRoom(for frameCount: Int64) throws(Failure) {
    func failure(_ message: String) -> Failure {
      Failure(.mendJob, message, path: output.path, origin: output.origin)
    }
    let capabilities = output.capabilities(as: format.kind)
    guard frameCount > 0 || capabilities.holdsNoSound else {
      throw failure("\(capabilities.name) cannot hold a sound of no length; write WAV or FLAC")
    }
    guard case .aiff(let samples) = format else { return }
    // A chunk's size has 32 bits (AIFF 1.3, "Local Chunks"); a cover needs room, too.
    let size = frameCount.multipliedReportingOverflow(
      by: Int64(sound.channelLayout.count * samples.byteCount))
    guard !size.overflow, size.partialValue < Int64(UInt32.max) - (1 << 25) else {
      throw failure("AIFF holds less than 4 GiB; write CAF or WAV")
    }
  }
}

extension Graph {
  /// Adds what feeds each output: the mix in the output's format, brought to its loudness.
  ///
  /// - Throws: `mendJob` for a part that is not on the timeline, what does not fit into a file, and
  ///   what cannot be copied.
  mutating func addSinks(
    of export: Export, _ outputs: [SettledOutput], from root: Node.ID
  ) throws(Failure) {
    let duration = export.composition.duration
    let range = export.timeRange ?? TimeRange(start: .zero, duration: duration)
    guard TimeRange(start: .zero, duration: duration).contains(range) else {
      throw Failure(
        .mendJob,
        "the part from \(range.start.readableText) to \(range.end.readableText) is not within the "
          + "timeline, which lasts \(duration.readableText)", origin: export.origin)
    }
    var masters = Masters(root: root, duration: duration)
    // By their rates: the words are the same for all outputs of one.
    var transcripts: [Int: Transcript] = [:]
    var heard = HeardSources(of: export, nodes)
    for settled in outputs {
      let (output, format) = (settled.output, settled.sound)
      let target = output.loudness ?? export.loudness
      let node = masters.node(
        in: format,
        brought: target.map {
          Normalization(
            $0, headroom: settled.format.peakHeadroom(channelCount: format.channelLayout.count))
        }, for: output, &nodes)
      let first = range.start.frames(atRate: format.sampleRate)
      let frames = first..<max(first, range.end.frames(atRate: format.sampleRate))
      try settled.requireRoom(for: Int64(frames.count))
      var sink = Sink(
        node: node, frames: frames, output: output, format: settled.format,
        metadata: export.metadata.overridden(by: output.metadata),
        chapters: export.chapters(in: frames, rate: format.sampleRate)
          .distinct(in: output, as: settled.format.kind, rate: format.sampleRate),
        isDithered: needsDither(node, as: settled.format), ceiling: target?.truePeak)
      if !output.transcript.isEmpty {
        let words =
          transcripts[format.sampleRate]
          ?? export.transcript(in: frames, rate: format.sampleRate)
        transcripts[format.sampleRate] = words
        sink.transcript = words
      }
      sink.picture = settled.picture
      try sink.picture?.addStills(of: sink.chapters, in: range, of: duration, to: output)
      try copy(into: &sink)
      settleFacts(of: &sink, &heard)
      try sink.settleGains(in: export, &heard)
      sink.dropStaleLyrics(in: export)
      sinks.append(sink)
    }
  }
}

/// The nodes that feed outputs: conversions of the mix, brought to levels. Outputs share those that
/// are equal.
private struct Masters {
  let root: Node.ID
  /// The timeline's length.
  let duration: Time
  private var converted: [AudioFormat: Node.ID] = [:]
  private var normalized: [Key: Node.ID] = [:]

  private struct Key: Hashable {
    var input: Node.ID
    var normalization: Normalization
  }

  init(root: Node.ID, duration: Time) {
    self.root = root
    self.duration = duration
  }

  mutating func node(
    in format: AudioFormat, brought normalization: Normalization?, for output: Output,
    _ nodes: inout [Node]
  ) -> Node.ID {
    let input = conversion(to: format, for: output, &nodes)
    guard let normalization else { return input }
    var key = Key(input: input, normalization: normalization)
    key.normalization.target.origin = .unknown
    if let known = normalized[key] { return known }
    nodes.append(
      Node(
        .process(.normalize(normalization), input), format: format, frames: nodes[input].frames,
        origin: output.origin))
    normalized[key] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func conversion(
    to format: AudioFormat, for output: Output, _ nodes: inout [Node]
  ) -> Node.ID {
    let mixFormat = nodes[root].format
    if format == mixFormat { return root }
    if let known = converted[format] { return known }
    nodes.append(
      Node(
        .convert(root), format: format, frames: 0..<duration.frames(atRate: format.sampleRate),
        ratio: FrameRatio(from: mixFormat.sampleRate, to: format.sampleRate),
        origin: output.origin))
    converted[format] = nodes.count - 1
    return nodes.count - 1
  }
}
