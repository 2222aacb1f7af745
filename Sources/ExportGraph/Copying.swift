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
    var shifts: [Node.ID: Int] = [:]
    if copying.join == .nudge, sink.format.kind.capabilities.copiedUnit == .frames {
      shifts = shiftOntoGrid(&sink)
    }
    let plan: CopyPlan
    switch sink.format.kind.capabilities.copiedUnit {
    case .frames, .clip: plan = FrameCopies(nodes, sink).plan(shifts)
    case .samples: plan = wholePlan(of: sink) ?? samplePlan(of: sink)
    case .nothing:
      guard copying.isRequired else { return }
      throw Failure(
        .mendJob, "\(sink.capabilities.codecName) is not copied; \(sink.format.kind.encodingHelp)",
        path: sink.output.path, origin: sink.output.origin)
    }
    // A clip of one frame is encoded.
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
    let parts = UntouchedSpans(nodes, of: sink.node, in: sink.frames).spans.map {
      span -> CopiedPart in
      let frames = span.frames.lowerBound - zero..<span.frames.upperBound - zero
      switch span.content {
      case .changed(let change): return CopiedPart(frames: frames, reasons: [change.reason])
      case .source(let ids, let start):
        guard let asset = nodes[ids[0]].asset, asset.holdsSamples(for: sink.format) else {
          return CopiedPart(frames: frames, reasons: [.codec])
        }
        assets.append(asset)
        return CopiedPart(
          frames: frames, source: CopiedPart.Source(asset.location, .samples, frame: start))
      }
    }
    return CopyPlan(.samples, assets: assets, parts: parts)
  }

  /// Of a codec whose decoder is what all packets before have made it, those of one whole source are copied;
  /// nil where an output is not such a source, and nothing else.
  private func wholePlan(of sink: Sink) -> CopyPlan? {
    guard case .samples(let samples) = sink.format.setting, samples.isEncodedAnew else {
      return nil
    }
    let untouched = UntouchedSpans(nodes, of: sink.node, in: sink.frames)
    guard let asset = nodes.wholeAsset(untouched.only, frames: sink.frames.count),
      asset.outputKind == sink.format.kind, asset.hasPackets(of: samples)
    else { return nil }
    let part = CopiedPart(
      frames: 0..<Int64(sink.frames.count),
      source: CopiedPart.Source(asset.location, .packets, frame: 0))
    return CopyPlan(.whole, assets: [asset], parts: [part])
  }

  // MARK: - Refusals

  private func nothingCopied(_ plan: CopyPlan, _ sink: Sink) -> Failure {
    let why: String
    switch nodes[sink.node].kind {
    case .convert(let mix):
      why = "the mix is \(nodes[mix].format), and the output \(nodes[sink.node].format)"
    case .process(.normalize, _): why = "its sound is brought to a loudness"
    default:
      if case .samples(let samples) = sink.format.setting, samples.isEncodedAnew {
        why = "sound stored as \(samples.rawValue) is copied as a whole file alone"
      } else if case .samples(.ima4) = sink.format.setting {
        why = "sound stored as ima4 is decoded and encoded again, never copied"
      } else {
        why = plan.parts.reasons.text
      }
    }
    let kind = sink.format.kind
    return Failure(
      .mendJob,
      "'\(kind.rawValue): copy' finds nothing to copy: \(why); "
        + kind.encodingHelp(of: nodes.compactMap(\.asset)),
      path: sink.output.path, origin: sink.output.origin)
  }

  private func requireCopied(
    _ plan: CopyPlan, _ sink: Sink, _ copying: Output.Copying
  ) throws(Failure) {
    // What is still to be written will have a grid.
    guard !nodes.contains(where: { $0.asset?.isPredicted == true }) else { return }
    let rate = nodes[sink.node].format.sampleRate
    for part in plan.parts {
      let grid = part.isOffGrid
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
}

extension Output.Kind {
  /// What encodes anew, in words.
  var encodingHelp: String {
    encodingHelp(of: [])
  }

  /// As `encodingHelp`, with as many bits as this kind has of those of the sources. O(sources)
  func encodingHelp(of sources: [Asset]) -> String {
    let isLossless = capabilities.isLossless
    let setting = isLossless ? setting(for: sources) : capabilities.exampleSetting
    return "'\(rawValue): \(setting)' \(isLossless ? "writes" : "encodes") it"
  }

  private func setting(for sources: [Asset]) -> String {
    let depths = sources.filter { source in
      source.codec.hasPrefix("pcm_") || source.outputKind?.capabilities.isLossless == true
    }.map { $0.bitDepth ?? .max }
    let formats = capabilities.sampleFormats
    guard let depth = depths.max(), depth > 16 else { return capabilities.exampleSetting }
    if depth > 24, formats.contains(.float32) { return Output.SampleFormat.float32.rawValue }
    // FLAC and ALAC have depths, with the same name.
    return formats.isEmpty || formats.contains(.int24)
      ? Output.SampleFormat.int24.rawValue : capabilities.exampleSetting
  }
}

extension UntouchedSpans.Change {
  var reason: CopiedPart.Reason {
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
  func holdsSamples(for format: Output.Format) -> Bool {
    guard let outputKind, outputKind.capabilities.isLossless else { return false }
    return switch format {
    // Decoded to 16 bits, of which G.711 holds 256 values.
    case .wav(.muLaw), .raw(.muLaw): codec == "pcm_mulaw"
    case .wav(.aLaw), .raw(.aLaw): codec == "pcm_alaw"
    // Decoded, they are encoded again, which loses more: of some all packets are copied.
    case .raw(.g722), .raw(.gsm), .wav(.gsm), .caf(.ima4): false
    default: format.integerDepth.map { (bitDepth ?? .max) <= $0 } ?? true
    }
  }

  /// Whether all of its packets, one behind the other, are a file's sound in `format`: of G.722 and GSM.
  fileprivate func hasPackets(of format: Output.SampleFormat) -> Bool {
    switch format {
    // What is still to be written has no reader's name.
    case .g722: codec == "adpcm_g722" && ["g722", "wav", RawSound.container].contains(container)
    case .gsm where outputKind == .wav: codec == "gsm_ms" && container == "wav"
    case .gsm: codec == "gsm" && ["gsm", RawSound.container].contains(container)
    case .uint8, .int16, .int24, .float32, .muLaw, .aLaw, .ima4: false
    }
  }

  /// Why its frames are not those of an output in `format`.
  func refusal(as format: Output.Format, _ sound: AudioFormat) -> CopiedPart.Reason {
    guard outputKind == format.kind else { return .codec }
    let isAlike =
      sampleRate == sound.sampleRate && channelLayout.count == sound.channelLayout.count
    return isAlike ? .container : .conversion
  }

  /// Whether its frames can be those of an output in `format`.
  func isCopyable(as format: Output.Format, _ sound: AudioFormat) -> Bool {
    guard outputKind == format.kind, sampleRate == sound.sampleRate,
      channelLayout.count == sound.channelLayout.count
    else { return false }
    let capabilities = format.kind.capabilities
    return switch capabilities.copiedUnit {
    // Packets of AAC are counted in a bare stream and in CAF.
    case .frames, .clip:
      container == capabilities.container
        || outputKind == .aac && ["aac", "caf"].contains(container) && hasExactPackets
    case .samples, .nothing: false
    }
  }
}

extension CopiedPart {
  fileprivate var isOffGrid: Bool {
    reasons.contains { if case .grid = $0 { true } else { false } }
  }
}

extension [CopiedPart.Reason] {
  fileprivate var text: String { map(\.text).joined(separator: ", ") }
}

extension Graph {
  /// Notes on outputs that encode sounds since their frames lie on other grids: another join copies them.
  ///
  /// - Complexity: O(parts)
  package var gridNotes: [Diagnostic] {
    sinks.compactMap { sink in
      guard let copied = sink.copied, sink.output.copying?.join == .exact,
        sink.output.copying?.isRequired == true
      else { return nil }
      let frames = copied.parts.reduce(0) { $0 + ($1.isOffGrid ? $1.frames.count : 0) }
      guard frames > 0 else { return nil }
      let time = Time(frames: Int64(frames), rate: nodes[sink.node].format.sampleRate)
      return Diagnostic(
        .note,
        "'\(sink.output.path)': \(time.clockText(decimals: 3)) of it is encoded, since frames of its "
          + "sources do not meet on one grid", at: sink.output.origin,
        help: "'join: nudge' copies all, and moves sounds by half a frame at most")
    }
  }
}

extension Graph {
  /// Notes on outputs that keep a lossy codec, and of whose sources nothing can be copied, whatever is
  /// done with them. Of HE-AAC there is a note where it is settled.
  ///
  /// - Complexity: O(n log n) in the nodes, for each output that keeps its codec and copies nothing
  package var encodedNotes: [Diagnostic] {
    sinks.compactMap { sink in
      guard sink.copied == nil, sink.output.copying?.isRequired == false,
        [.frames, .clip].contains(sink.format.kind.capabilities.copiedUnit),
        !nodes.contains(where: { $0.asset?.profile != nil })
      else { return nil }
      let reasons = FrameCopies(nodes, sink).plan([:]).parts.reasons.filter {
        if case .inexact = $0 { true } else { $0 == .container }
      }
      guard !reasons.isEmpty else { return nil }
      return Diagnostic(
        .note,
        "'\(sink.output.path)' keeps its codec, and is encoded anew, which costs quality: "
          + reasons.text, at: sink.output.origin)
    }
  }
}

extension Export {
  /// Notes on outputs in MP3 that are encoded, and of which every frame could be copied.
  ///
  /// - Complexity: O(segments) for each output
  package var copyNotes: [Diagnostic] {
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
        help: "'--mp3 copy' cuts it at the same samples without encoding")
    }
  }
}
