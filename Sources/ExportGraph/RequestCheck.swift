import Diagnosis
import MPEGAudio
import MediaComposition

/// Checks a request beside the export's rate and layout: reports each impossible setting with its
/// place, and what to write instead.
struct RequestCheck {
  private let output: Output
  private let kind: Output.Kind
  private let mixRate: Located<Int>?
  private let mixLayout: Located<ChannelLayout>?

  init(
    _ output: Output, _ kind: Output.Kind, mixRate: Located<Int>?,
    mixLayout: Located<ChannelLayout>?
  ) {
    self.output = output
    self.kind = kind
    self.mixRate = mixRate
    self.mixLayout = mixLayout
  }

  /// The impossible settings of `format` at this rate and in this layout. `sources` decided rate
  /// and layout where the job does not; nil: no source did.
  func problems(
    of format: Output.Format?, sampleRate: Int, layout: ChannelLayout, _ sources: SourceFacts?
  ) -> [Diagnostic] {
    if let problem = layoutProblem(layout) { return [problem] + containerProblems }
    return settingProblems(format, sampleRate, layout)
      .map { diagnostic($0, format, layout, sources) } + containerProblems
  }

  /// The settings that are impossible for any source; one of those that only some rates or layouts
  /// have.
  ///
  /// - Complexity: O(1) where nothing is impossible, else O(rates × layouts of the format)
  func problemsAnywhere() -> [Diagnostic] {
    let written = output.ownLayout ?? mixLayout?.value
    if let written, let problem = layoutProblem(written) { return [problem] + containerProblems }
    let layout = written ?? .stereo
    let rates = kind.capabilities.sampleRates
    let usual = writtenRate ?? output.usualRate(from: rates.nearest(to: 44_100), layout)
    let found = settingProblems(output.format, usual, layout)
    guard !found.isEmpty else { return containerProblems }
    // Sources decide what is not written: some settings may be possible.
    let layouts = written.map { [$0] } ?? kind.capabilities.someLayouts
    let everywhere = (writtenRate.map { [$0] } ?? rates.examples).flatMap { rate in
      layouts.map { settingProblems(output.format, rate, $0) }
    }
    guard everywhere.allSatisfy({ !$0.isEmpty }) else { return containerProblems }
    let certain = found.filter { problem in
      everywhere.allSatisfy { $0.contains { $0.setting == problem.setting } }
    }
    return (certain.isEmpty ? Array(found.prefix(1)) : certain)
      .map { diagnostic($0, output.format, layout, nil) } + containerProblems
  }

  private func settingProblems(
    _ format: Output.Format?, _ sampleRate: Int, _ layout: ChannelLayout
  ) -> [MP3Settings.Problem] {
    if let format { return format.problems(sampleRate: sampleRate, layout: layout) }
    return kind.problem(sampleRate: sampleRate, layout: layout)
      .map { [MP3Settings.Problem(.sound, $0)] } ?? []
  }

  /// The output's own rate, else the one that it takes of the export's.
  private var writtenRate: Int? {
    output.sampleRate
      ?? mixRate.map { kind.capabilities.sampleRates.nearest(to: $0.value) }
  }

  private var place: Origin {
    output.origins.format == .unknown ? output.origin : output.origins.format
  }

  // MARK: Words

  /// A layout that no file of this kind has.
  private func layoutProblem(_ layout: ChannelLayout) -> Diagnostic? {
    let rate = kind.capabilities.sampleRates.nearest(to: 48_000)
    guard let problem = kind.problem(sampleRate: rate, layout: layout) else { return nil }
    guard output.ownLayout == nil, let mixLayout else {
      let own = output.origins.channelLayout
      return Diagnostic(problem, at: own == .unknown ? place : own, help: copyHelp(layout))
    }
    return Diagnostic(
      problem, at: place, help: "give this output 'channels' of its own",
      notes: notes("the job's channels are given here", mixLayout.origin))
  }

  /// What to write where a copy would have all of a source's channels.
  private func copyHelp(_ layout: ChannelLayout) -> String? {
    guard case .copied = output.request, output.ownLayout == nil else { return nil }
    if layout.isUnplaced, let name = kind.capabilities.layoutName(ofCount: layout.count) {
      return
        "write '\(kind.rawValue): \(kind.capabilities.exampleSetting)', and 'channels: \(name)', which "
        + "gives them places"
    }
    return "without 'copy' they are mixed down to stereo"
      + (layout.count > 8 ? "; for one of them write 'channels: channel 1', or another" : "")
  }

  private var containerProblems: [Diagnostic] {
    let name = kind.capabilities.name
    var found: [Diagnostic] = []
    if output.id3 != nil, !kind.capabilities.hasID3 {
      found.append(
        Diagnostic(
          "'id3' on an output that is \(name): it is the tag of MP3 and AIFF",
          at: output.origins.id3 == .unknown ? output.origin : output.origins.id3,
          help: "leave it out"))
    }
    if case .exactly(.fdkAAC(let settings)) = output.request, settings.profile != .lc,
      output.soundContainer(as: .aac) == .caf
    {
      found.append(
        Diagnostic(
          "\(settings.profile.name) is not written to CAF", at: place,
          help: "write '\(output.path.stem ?? "").m4a' or '.aac', or AAC-LC"))
    }
    // A movie's file has other places than a file of its sound.
    let places = output.capabilities(as: kind).places
    found += (output.marks?.misfits(in: places) ?? []).map { key, origin in
      Diagnostic(
        "'\(key)' on an output that is \(name), which has no place for it",
        at: origin == .unknown ? output.origin : origin,
        help: key == "foreign" ? "write FLAC or WAV, or leave it out" : "write WAV, or leave it out"
      )
    }
    return found
  }

  private func diagnostic(
    _ problem: MP3Settings.Problem, _ format: Output.Format?, _ layout: ChannelLayout,
    _ sources: SourceFacts?
  ) -> Diagnostic {
    let own = output.origins[problem.setting]
    let isWhole = problem.setting == .rateControl || problem.setting == .sound
    if problem.setting == .stereoMode { return modeProblem(problem, sources) }
    if let sources, let help = remedy(for: problem, format, layout, sources) {
      return Diagnostic(problem.message, at: own == .unknown ? place : own, help: help)
    }
    let rate = output.sampleRate == nil ? mixRate?.origin : output.origins.sampleRate
    guard !isWhole, own != .unknown else {
      guard output.sampleRate == nil || rate == .unknown else {
        return Diagnostic(problem.message, at: rate ?? place)
      }
      return Diagnostic(
        problem.message, at: place, notes: notes("the rate is given here", rate))
    }
    var help: String?
    switch problem.setting {
    case .lowpass: help = "'lowpass: off' keeps all of the sound"
    case .highpass: help = "for a lower one, give the item 'effects: [highpass: 80 Hz]'"
    case .minimumBitRate, .maximumBitRate:
      if case .mp3(let settings) = format, case .cbr = settings.rateControl {
        help = "leave it out"
      }
    default: return Diagnostic(problem.message, at: own)
    }
    return Diagnostic(
      problem.message, at: own, help: help, notes: notes("the rate is given here", rate))
  }

  /// What to write where sources decided the rate or the layout that makes a setting impossible;
  /// nil where the job decides both.
  private func remedy(
    for problem: MP3Settings.Problem, _ format: Output.Format?, _ layout: ChannelLayout,
    _ sources: SourceFacts
  ) -> String? {
    func isPossible(_ sampleRate: Int, _ layout: ChannelLayout) -> Bool {
      !settingProblems(format, sampleRate, layout).contains { $0.setting == problem.setting }
    }
    let rates = kind.capabilities.sampleRates.examples
    if writtenRate == nil, let source = sources.fastest {
      if rates.contains(where: { isPossible($0, layout) }) {
        return "'\(source.location)' has \(source.sampleRate) Hz: choose another setting, or give "
          + "the output a 'sample_rate' that has it"
      }
    }
    guard output.ownLayout == nil, mixLayout == nil else { return nil }
    let own = writtenRate.map { [$0] } ?? rates
    let isElsewhere = kind.capabilities.someLayouts.contains { other in
      own.contains { isPossible($0, other) }
    }
    guard isElsewhere else { return nil }
    return "the sources are \(layout.name): choose another setting, or give the output "
      + "'channels' that have it"
  }

  /// A stereo mode for one channel.
  private func modeProblem(_ problem: MP3Settings.Problem, _ sources: SourceFacts?) -> Diagnostic {
    let own = output.origins.stereoMode
    let written = output.channelLayout == nil ? mixLayout?.origin : output.origins.channelLayout
    var help: String?
    if output.channelLayout == nil, let preset = output.mp3Preset, preset.isMono {
      help = "'\(preset.rawValue)' is mono, unless the output has 'channels: stereo'"
      return Diagnostic(problem.message, at: own == .unknown ? place : own, help: help)
    }
    if output.channelLayout == nil, mixLayout == nil, let source = sources?.fastest {
      help = "'\(source.location)' is mono: leave 'mode' out, or give the output 'channels: stereo'"
    }
    return Diagnostic(
      problem.message, at: own == .unknown ? place : own, help: help,
      notes: notes("the channels are given here", written))
  }

  private func notes(_ message: String, _ origin: Origin?) -> [Diagnostic.Note] {
    guard let origin, origin != .unknown else { return [] }
    return [Diagnostic.Note(message, at: origin)]
  }
}

extension OutputCapabilities {
  /// All layouts of the format, or those with names where it has any.
  fileprivate var someLayouts: [ChannelLayout] { layouts ?? ChannelLayout.named.map(\.value) }
}

extension Output {
  /// The settings of this request that are impossible whatever its sources are, each at its place.
  ///
  /// - Parameters:
  ///   - mixRate: The export's sample rate, if set.
  ///   - mixLayout: The export's layout, if set.
  /// - Returns: Empty where only a source decides the format.
  package func problems(
    mixRate: Located<Int>?, mixLayout: Located<ChannelLayout>?
  ) -> [Diagnostic] {
    guard let kind else { return [] }
    return RequestCheck(self, kind, mixRate: mixRate, mixLayout: mixLayout).problemsAnywhere()
  }
}
