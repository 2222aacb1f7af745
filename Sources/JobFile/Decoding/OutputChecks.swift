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
  ///   - place: The settings of the output, where it has some.
  func checkSound(
    of output: JobOutput, rate: Located<Int>?, channels: Located<ChannelLayout>?,
    mix: OutputContext, settings place: Origin?
  ) {
    guard let kind = output.format.kind else { return }
    let layout = channels ?? mix.mixChannels
    if let layout, let problem = kind.problem(of: layout.value) {
      guard channels == nil else { return sink.error(problem, at: layout.origin) }
      return sink.error(
        problem, at: place ?? output.origin, help: "give this output 'channels' of its own",
        notes: [.init("the job's channels are given here", at: layout.origin)])
    }
    func problem(_ rate: Int) -> String? {
      output.format.problem(sampleRate: rate, layout: layout?.value ?? .stereo)
    }
    let rates = kind.capabilities.sampleRates
    if let rate {
      guard let problem = problem(rate.value) else { return }
      sink.error(problem, at: rate.origin)
    } else if let mixRate = mix.mixRate {
      guard let problem = problem(rates.nearest(to: mixRate.value)) else { return }
      sink.error(
        problem, at: place ?? output.origin,
        notes: [.init("the rate is given here", at: mixRate.origin)])
    } else if MP3Settings.sampleRates.allSatisfy({ problem(rates.nearest(to: $0)) != nil }),
      let problem = problem(rates.nearest(to: 44_100))
    {
      sink.error(problem, at: place ?? output.origin)
    }
  }
}

extension Output.Kind {
  /// Why no file of this kind can be in `layout`, at any rate.
  fileprivate func problem(of layout: ChannelLayout) -> String? {
    problem(sampleRate: capabilities.sampleRates.nearest(to: 48_000), layout: layout)
  }
}

extension JobOutput.Format {
  /// Container and codec; nil where only the clip says them.
  var kind: Output.Kind? {
    switch self {
    case .exactly(let format): format.kind
    case .usual(let kind): kind
    case .sameAsClip: nil
    }
  }

  /// Why a file in this format cannot have so many frames a second and such a layout; nil where it
  /// can, as far as is known.
  func problem(sampleRate: Int, layout: ChannelLayout) -> String? {
    switch self {
    case .exactly(let format): format.problem(sampleRate: sampleRate, layout: layout)
    case .usual(let kind): kind.problem(sampleRate: sampleRate, layout: layout)
    case .sameAsClip: nil
    }
  }
}
