import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition

extension Decoder {
  /// Refuses an output whose format cannot be had at a rate and in a layout that are known, or at
  /// any rate.
  ///
  /// - Parameters:
  ///   - output: The output, whole.
  ///   - rate: The output's own.
  ///   - channels: The output's own.
  ///   - mix: What the job says of its mix; an output without a rate takes the nearest that its
  ///     codec has.
  func checkSound(
    of output: JobOutput, rate: Located<Int>?, channels: Located<ChannelLayout>?,
    mix: OutputContext
  ) {
    guard let kind = output.format.kind else { return }
    let layout = channels ?? mix.mixChannels
    let place = output.settingPlaces[.rateControl] ?? output.origin
    if let layout, let problem = kind.problem(of: layout.value) {
      guard channels == nil else { return sink.error(problem, at: layout.origin) }
      return sink.error(
        problem, at: place, help: "give this output 'channels' of its own",
        notes: [.init("the job's channels are given here", at: layout.origin)])
    }
    func problems(_ rate: Int) -> [FormatProblem] {
      output.format.problems(sampleRate: rate, layout: layout?.value ?? .stereo)
    }
    let rates = kind.capabilities.sampleRates
    let known = rate ?? mix.mixRate.map { Located(rates.nearest(to: $0.value), at: $0.origin) }
    if let known {
      for problem in problems(known.value) {
        if report(problem, of: output, at: known, layout) { continue }
        if rate != nil {
          sink.error(problem.message, at: known.origin)
        } else {
          sink.error(
            problem.message, at: place, notes: [.init("the rate is given here", at: known.origin)])
        }
      }
      return
    }
    let everywhere = MP3Settings.sampleRates.map { problems(rates.nearest(to: $0)) }
    guard everywhere.allSatisfy({ !$0.isEmpty }) else { return }
    let usual = output.format.usualSampleRate(
      for: rates.nearest(to: 44_100), layout: layout?.value ?? .stereo, preset: output.mp3Preset)
    // The rate is not known: some of it may be possible.
    let found = problems(usual)
    let certain = found.filter { problem in
      everywhere.allSatisfy { $0.contains { $0.setting == problem.setting } }
    }
    for problem in certain.isEmpty ? Array(found.prefix(1)) : certain {
      if report(problem, of: output, at: Located(usual), layout) { continue }
      sink.error(problem.message, at: place)
    }
  }

  /// Says at its own place what is wrong with one setting of an MP3; false where it is the bit rate,
  /// or the setting has no place of its own.
  private func report(
    _ problem: FormatProblem, of output: JobOutput, at rate: Located<Int>,
    _ layout: Located<ChannelLayout>?
  ) -> Bool {
    guard case .exactly(.mp3(let settings)) = output.format, problem.setting != .rateControl,
      let place = output.settingPlaces[problem.setting]
    else { return false }
    var (help, note): (String?, Diagnostic.Note?)
    switch problem.setting {
    case .stereoMode:
      note = layout.map { .init("the channels are given here", at: $0.origin) }
      if let preset = output.mp3Preset, preset.isMono, layout?.origin == .unknown {
        help = "'\(preset.rawValue)' is mono, unless the output has 'channels: stereo'"
      }
    case .lowpass: help = "'lowpass: off' keeps all of the sound"
    case .highpass: help = "for a lower one, give the item 'effects: [highpass: 80 Hz]'"
    case .minimumBitRate, .maximumBitRate:
      if case .cbr = settings.rateControl { help = "leave it out" }
    default: break
    }
    if [.lowpass, .highpass, .minimumBitRate, .maximumBitRate].contains(problem.setting) {
      note = .init("the rate is given here", at: rate.origin)
    }
    sink.error(
      problem.message, at: place, help: help,
      notes: [note].compactMap(\.self).filter { $0.origin != .unknown })
    return true
  }
}

extension Output.Kind {
  /// Why no file of this kind can be in `layout`, at any rate.
  fileprivate func problem(of layout: ChannelLayout) -> String? {
    problem(sampleRate: capabilities.sampleRates.nearest(to: 48_000), layout: layout)
  }
}
