import Diagnosis
import ExportGraph
import Loudness
import MediaComposition
import MediaTime
import SystemPackage
import Threads

extension ExportSession {
  /// How often an export is rendered where its encoders lift peaks over a ceiling, or change its
  /// loudness.
  private static let mostRenderings = 5
  /// dB by which an encoded file may miss its level.
  static let levelTolerance = 0.1
  /// dB by which a sound within a mix may miss its level, which is approached by fewer means.
  private static let itemTolerance = 0.5

  /// Proves the sources of a strict export, brings every sound to its level, renders and encodes, and
  /// measures the encoded files. What an encoder did to the peaks or the loudness of a file is given
  /// back by another rendering.
  ///
  /// - Throws: As `run`; nothing is left behind.
  func mastered(
    _ graph: Graph, _ crew: Crew, examining examination: Examination,
    _ progress: (Progress) -> Void
  ) throws -> Rendering {
    let isDrawn = examination.contains(.levels)
    let measured = graph.sinks.indices.filter { isDrawn || isMeasured(graph.sinks[$0]) }
    let analyst = SoundAnalyst(
      library: library, budget: crew.budget, cancellation: crew.cancellation)
    let normalizer = Normalizer(analyst: analyst, groups: groups)
    let unproven = unprovenSounds(in: graph)
    let passes = Pass.all(
      proving: !unproven.isEmpty, measuring: !graph.normalizations.isEmpty,
      checking: !measured.isEmpty)
    var latest = 0
    // A pass that is made again does not turn the progress back.
    func report(_ share: Double, of pass: Pass) {
      guard let index = passes.firstIndex(of: pass), index >= latest else { return }
      latest = index
      progress(Progress(share, ofPass: index, among: passes.count, over: export.duration))
    }
    try requireOwnDigests(of: unproven, crew) { report($0, of: .proving) }
    var solved = Normalizer.Result(graph: graph)
    for attempt in 1... {
      try normalizer.solve(&solved) { report($0, of: .measuring) }
      var rendering = try render(solved.graph, crew, inspecting: examination.contains(.joins)) {
        // Exactly the frames where there is but one pass.
        if passes.count == 1 { progress($0) } else { report($0.fractionCompleted, of: .rendering) }
      }
      do {
        try measure(measured, of: &rendering, drawing: isDrawn, crew) { report($0, of: .checking) }
      } catch {
        rendering.abandon()
        throw error
      }
      let corrected =
        attempt < Self.mostRenderings
        && correct(&solved, by: rendering.outputs, isLast: attempt + 1 == Self.mostRenderings)
      guard corrected else {
        do {
          try requireConformance(of: rendering)
          guard try putGains(into: &rendering, of: &solved, by: normalizer) else {
            rendering.abandon()
            continue
          }
          try putLoudness(into: rendering)
        } catch {
          rendering.abandon()
          throw error
        }
        for (index, sink) in rendering.graph.sinks.enumerated() {
          rendering.outputs[index].correction = solved.corrections[sink.node]
        }
        rendering.warnings += misses(solved, rendering.outputs)
        if examination.contains(.pictures) { rendering.drawPictureJoins(unless: crew.cancellation) }
        return rendering
      }
      rendering.abandon()
    }
    throw Failure(.reportBug, "an export is rendered without end", origin: export.origin)
  }

  /// The same session with every sound measured that is brought to a level: its graph has their
  /// gains. The session itself where there are none.
  ///
  /// - Parameters:
  ///   - budget: Whose idle cores measure, beside the calling thread's; nil: all that the process may
  ///     use.
  ///   - cancellation: Ends it within a fraction of a second.
  ///   - progress: Gets the share that is done, 0 to 1, on this thread.
  /// - Returns: The measured session.
  /// - Throws: `Failure`, also `cancelled`.
  /// - Complexity: One to four passes over each of these sounds; none over what was measured before
  @available(*, noasync, message: "it blocks its thread; await measured(progress:)")
  package func measured(
    budget: CPUBudget? = nil, cancellation: CancellationFlag = CancellationFlag(),
    progress: (Double) -> Void = { _ in }
  ) throws(Failure) -> ExportSession {
    var solved = Normalizer.Result(graph: try graph())
    guard !solved.graph.normalizations.isEmpty else { return self }
    do {
      let analyst = SoundAnalyst(library: library, budget: budget, cancellation: cancellation)
      try cancellation.endingReads {
        try Normalizer(analyst: analyst, groups: groups).solve(&solved, progress: progress)
      }
    } catch {
      if cancellation.isCancelled { throw .cancelled.placed(at: export.origin) }
      throw error as? Failure ?? Failure(.reportBug, "unexpected error: \(error)")
    }
    return solving(by: solved.graph)
  }

  /// Whether an output's file is measured when it is encoded.
  private func isMeasured(_ sink: Sink) -> Bool {
    (sink.output.loudness ?? export.loudness) != nil || !export.records.isEmpty
      || sink.output.conform?.isEmpty == false || sink.marks.measuresLoudness
      || !sink.gains.isEmpty
  }

  /// Completes the `bext` of encoded files with what was measured in them.
  private func putLoudness(into rendering: Rendering) throws(Failure) {
    for (index, sink) in rendering.graph.sinks.enumerated() where sink.marks.measuresLoudness {
      guard let levels = rendering.outputs[index].loudness else { continue }
      try rendering.writers[index].file.complete(sink, by: levels)
    }
  }

  /// Measures the encoded files of some outputs, before they are in their places.
  private func measure(
    _ measured: [Int], of rendering: inout Rendering, drawing isDrawn: Bool, _ crew: Crew,
    _ progress: (Double) -> Void
  ) throws {
    for (number, index) in measured.enumerated() {
      guard let file = rendering.writers[index].files.first else { continue }
      // Of its own: what it knows of unfinished files is of no use to others.
      let library = MediaLibrary()
      let analyst = SoundAnalyst(
        library: library, budget: crew.budget, cancellation: crew.cancellation)
      let sink = rendering.graph.sinks[index]
      do {
        // Beside a picture others of its source's sounds may stand behind the output's own.
        let asset = try library.asset(
          at: .file(file.currentPath), streamIndex: sink.picture == nil ? nil : 0)
        let graph = Graph(of: asset)
        func report(_ share: Double) {
          progress((Double(number) + share) / Double(measured.count))
        }
        let node = graph.nodes.count - 1
        let (levels, overview) =
          isDrawn
          ? try analyst.portrait(of: node, in: graph, progress: report)
          : (try analyst.loudness(of: node, in: graph, progress: report), nil)
        rendering.outputs[index].overview = overview
        rendering.levels[index] = levels
        let isDualMono =
          (sink.output.loudness ?? export.loudness)?.isDualMono == true
          && asset.channelLayout.count == 1
        rendering.outputs[index].loudness = isDualMono ? levels.asDualMono : levels
        rendering.outputs[index].conformances = sink.output.conformances(
          of: DeliveredSound(asset, levels: levels))
      } catch let failure as Failure {
        throw failure.about(sink.output.path).placed(at: sink.output.origin)
      }
    }
  }

  /// Aims lower or louder where an encoder lifted peaks over a ceiling or changed the loudness.
  ///
  /// - Parameters:
  ///   - solved: Gets the new aims.
  ///   - outputs: Have what was measured.
  ///   - isLast: Whether the next encoding is the last one, whose peaks are others again: they are
  ///     aimed lower than the latest ask for.
  /// - Returns: Whether there is anything to correct.
  private func correct(
    _ solved: inout Normalizer.Result, by outputs: [WrittenOutput], isLast: Bool
  ) -> Bool {
    var corrected = false
    for (index, output) in outputs.enumerated() {
      let sink = solved.graph.sinks[index]
      guard case .process(.normalize(var normalization), _) = solved.graph.nodes[sink.node].kind,
        sink.format.integerDepth == nil, let loudness = output.loudness,
        let correction = solved.corrections[sink.node]
      else { continue }
      var isOff = false
      if let ceiling = normalization.target.truePeak, let peak = loudness.truePeak, peak > ceiling {
        normalization.headroom += (peak - ceiling) * (isLast ? 1.5 : 1) + 0.1
        isOff = true
      }
      let target = normalization.target
      let isWhole = sink.frames == solved.graph.nodes[sink.node].frames
      // All sounds of a group have one gain; and where the limiter has kept a sound from its level,
      // more gain is of no use.
      if isWhole, target.group == nil, let level = target.level.value(in: loudness),
        let miss = correction.miss, abs(miss - normalization.compensation) <= Self.levelTolerance,
        abs(level - target.level.decibels) > Self.levelTolerance
      {
        normalization.compensation -= level - target.level.decibels
        isOff = true
      }
      guard isOff else { continue }
      solved.graph.renew(normalization, ofSink: index)
      corrected = true
    }
    return corrected
  }
}

// MARK: - What was not reached

extension ExportSession {
  /// A warning for each sound that misses its level, and for each file whose peaks pass its ceiling.
  private func misses(_ solved: Normalizer.Result, _ outputs: [WrittenOutput]) -> [Warning] {
    let graph = solved.graph
    var found = zip(graph.sinks, outputs).flatMap { sink, output -> [Warning] in
      guard let correction = output.correction else { return [] }
      let isWhole = sink.frames == graph.nodes[sink.node].frames
      let rate = graph.nodes[sink.node].format.sampleRate
      return correction.misses(in: output.loudness, atRate: rate, isWhole: isWhole).map {
        Warning($0, path: output.path, origin: sink.output.origin)
      }
    }
    let masters = Set(graph.sinks.map(\.node))
    // One item is several nodes where outputs have several rates or layouts.
    var named: Set<Origin> = []
    for (id, correction) in solved.corrections.sorted(by: { $0.key < $1.key })
    where !masters.contains(id) {
      let misses = correction.misses(
        in: correction.after, atRate: graph.nodes[id].format.sampleRate, isWhole: true,
        tolerance: Self.itemTolerance)
      let origin = graph.nodes[id].origin
      guard !misses.isEmpty, named.insert(origin).inserted || origin == .unknown else { continue }
      let media = Set(graph.subgraph(of: id).nodes.compactMap(\.asset?.location))
      found += misses.map { miss in
        media.count == 1
          ? Warning(miss, location: media.first, origin: origin)
          : Warning("a sound made of \(media.count) media \(miss)", origin: origin)
      }
    }
    return found
  }
}

extension LoudnessCorrection {
  /// A sentence for each part of the target that the sound misses: its level, its ceiling.
  ///
  /// - Parameters:
  ///   - sound: The measurement of the finished sound; nil: it was not measured.
  ///   - sampleRate: The rate at which it is brought to its level.
  ///   - isWhole: Whether the output has all of the sound; a part of it has a level of its own.
  ///   - tolerance: dB by which it may miss its level.
  /// - Returns: What a warning says of the output after its name.
  fileprivate func misses(
    in sound: LoudnessMeasurement?, atRate sampleRate: Int, isWhole: Bool,
    tolerance: Double = ExportSession.levelTolerance
  ) -> [String] {
    let level = target.level
    guard level.value(in: before) != nil else {
      guard case .integrated = level else {
        return ["cannot be brought to \(level): it is silent; leave its 'loudness' out"]
      }
      guard sampleRate < ChunkMeter.leastRate else {
        return [
          "cannot be brought to \(level): it is silent, or softer than −70 LUFS; leave its "
            + "'loudness' out"
        ]
      }
      return [
        "cannot be brought to \(level): sound of \(sampleRate) Hz has no loudness, since the "
          + "K-weighting needs \(ChunkMeter.leastRate) Hz; write 'rms' or 'peak' in its 'loudness', or "
          + "a 'sample_rate' of \(ChunkMeter.leastRate) Hz or more"
      ]
    }
    var found: [String] = []
    if isWhole, target.group == nil, let sound, let value = level.value(in: sound) {
      let miss = value - level.decibels
      if abs(miss) > tolerance {
        let side = miss < 0 ? "below" : "above"
        let isHeld = ceiling != nil && miss < 0
        let reason = isHeld ? ", held down by its peaks" : ""
        let remedy =
          isHeld
          ? "write a lower level, or a 'compressor' or 'leveler' among its 'effects'"
          : "an encoder changed it: write the level \((level.decibels - miss).tenths) in its place"
        found.append("is \(abs(miss).tenths) dB \(side) \(level)\(reason); \(remedy)")
      }
    }
    if let ceiling = target.truePeak, let peak = sound?.truePeak, peak > ceiling {
      found.append(
        "has peaks of \(peak.hundredths) dBTP, over the \(ceiling.hundredths) dBTP that are "
          + "allowed; write a lower 'true_peak', or a higher bit rate"
      )
    }
    return found
  }
}

// MARK: - Progress

/// A pass that an export makes over its sound.
private enum Pass {
  case proving, measuring, rendering, checking

  /// Those of an export, in their order.
  static func all(proving: Bool, measuring: Bool, checking: Bool) -> [Pass] {
    var all: [Pass] = proving ? [.proving] : []
    if measuring { all.append(.measuring) }
    all.append(.rendering)
    if checking { all.append(.checking) }
    return all
  }
}

extension ExportSession.Progress {
  /// A share of the pass number `index` of `count` over a sound of `duration`.
  fileprivate init(_ share: Double, ofPass index: Int, among count: Int, over duration: Time) {
    func time(_ passes: Double) -> Time {
      Time(value: Int64((passes * duration.seconds * 1000).rounded()), timescale: 1000)
    }
    self.init(completed: time(Double(index) + share), total: time(Double(count)))
  }
}
