import MediaComposition
import MediaTime

extension Job {
  /// The job whole, and the tags that it takes from its only clip.
  struct Whole {
    /// Without tags.
    var export: Export
    var clipTags: Metadata
  }

  /// The composition of this job and its outputs, with the facts of its media put in.
  ///
  /// - Throws: As `exports`.
  func whole(assets known: [MediaReference: Asset]) throws(Diagnostics) -> Whole {
    var lowering = Lowering(assets: known, sampleRate: sampleRate)
    guard let voice = lowering.voice(ofJob: item), lowering.diagnostics.isEmpty else {
      throw lowering.diagnostics
    }
    let sources = media.compactMap { known[$0] }
    try checkRates(sources)
    let export = Export(
      name: name, composition: voice.timeline, mix: voice.mix, sampleRate: sampleRate,
      channelLayout: channelLayout, chapters: voice.chapters,
      outputs: outputs.map { $0.output(of: self, from: sources) }, origin: origin)
    return Whole(export: export, clipTags: inheritedMetadata(known))
  }
}

extension Job {
  /// Refuses MP3 settings that LAME does not have at the rate of the sources.
  private func checkRates(_ sources: [Asset]) throws(Diagnostics) {
    var found = Diagnostics()
    for output in outputs where output.sampleRate == nil && sampleRate == nil {
      guard case .mp3 = output.format,
        let fastest = sources.max(by: { $0.sampleRate < $1.sampleRate })
      else { continue }
      let rate = output.format.sampleRate(nearest: fastest.sampleRate)
      let count = min(2, (output.channelLayout ?? channelLayout)?.count ?? 2)
      if let problem = output.format.problem(sampleRate: rate, channelCount: count) {
        found.append(
          Diagnostic(
            problem, at: output.origin,
            help: "'\(fastest.path)' has \(fastest.sampleRate) Hz: choose another setting, or give "
              + "the output a 'sample_rate' that has it"))
      }
    }
    if !found.isEmpty { throw found }
  }
}

extension Job {
  /// A job that is one clip keeps its tags, whatever is done to it.
  private func inheritedMetadata(_ assets: [MediaReference: Asset]) -> Metadata {
    guard case .clip(let reference) = item.content else { return Metadata() }
    return assets[reference]?.metadata ?? Metadata()
  }
}

extension Lowering.Voice {
  /// The voice as a job's timeline: without its level and its chapters, which are the export's.
  fileprivate var timeline: Composition {
    var bare = self
    (bare.mix, bare.chapters) = (.unity, [])
    let segment = bare.segment(at: .zero)
    if case .composition(let inner) = content,
      segment
        == Segment(
          content, source: TimeRange(start: .zero, duration: inner.duration), at: .zero,
          origin: origin)
    {
      return inner
    }
    return bare.composition
  }
}

extension JobOutput {
  /// This output with what follows from the sources filled in.
  fileprivate func output(of job: Job, from sources: [Asset]) -> Output {
    let isDeep = sources.contains { ($0.bitDepth ?? 0) > 16 }
    let isMono = sources.allSatisfy { $0.channelLayout.count == 1 } && !sources.isEmpty
    let channels = channelLayout ?? job.channelLayout ?? (isMono ? .mono : .stereo)
    let format: Output.Format =
      switch self.format {
      case .mp3(let settings): .mp3(settings)
      case .wav(let format): .wav(format ?? (isDeep ? .int24 : .int16))
      case .flac(let bitDepth): .flac(bitDepth: bitDepth ?? (isDeep ? 24 : 16))
      case .m4a(let bitRate):
        .m4a(bitRate: bitRate ?? usualAACBitRate(job, sources, channelCount: channels.count))
      }
    return Output(
      path: path, format: format, sampleRate: sampleRate, channelLayout: channelLayout,
      metadata: metadata, origin: origin)
  }

  /// 64 kbps a channel, as far as the sample rate has them: at most 6144 bits a channel for a frame
  /// of 1024 samples (ISO 14496-3 4.5.3.3).
  private func usualAACBitRate(_ job: Job, _ sources: [Asset], channelCount: Int) -> Int {
    let mixRate = job.sampleRate ?? sources.map(\.sampleRate).max() ?? 44_100
    let rate = sampleRate ?? format.sampleRate(nearest: mixRate)
    return min(64, 6144 * rate / 1024 / 1000) * 1000 * (channelCount == 1 ? 1 : 2)
  }
}
