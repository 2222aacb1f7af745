import Diagnosis
import ExportGraph
import Glibc
import LibAV
import MediaComposition
import Synchronization

extension FilteredSource.Setup {
  /// The filters of a segment's effects.
  static func effects(_ effects: [Effect], sampleRate: Int) -> Self {
    let heard = effects.filter { !$0.isNeutral }
    let names = heard.map(\.shortName)
    var setup = Self(
      filters: [],
      subject: names.count == 1
        ? "the effect \(names[0])" : "one of the effects \(names.joined(separator: ", "))")
    for effect in heard {
      let row = effect.row(sampleRate: sampleRate)
      setup.filters += row.filters
      setup.lag += row.lag
    }
    return setup
  }

  /// The filters that make `ratio.source` frames `ratio.target` at the same pitch.
  static func stretch(
    _ ratio: FrameRatio, _ algorithm: TimePitchAlgorithm, sampleRate: Int
  ) throws(Failure) -> Self {
    let tempo = Double(ratio.source) / Double(ratio.target)
    switch algorithm {
    case .spectral: return try rubberband(tempo, sampleRate: sampleRate)
    case .timeDomain, .varispeed: return atempo(tempo, sampleRate: sampleRate)
    }
  }

  private static let changeOfSpeed = "the change of speed"

  // MARK: In the time domain

  /// `atempo`, several times where one is not enough.
  ///
  /// Its windows are centred on their moments, so it has no lag of its own; but where it slows
  /// down, its sound comes from ahead, by a quarter of a window to half of one.
  private static func atempo(_ tempo: Double, sampleRate: Int) -> Self {
    var setup = Self(filters: [], lead: sampleRate / 8, subject: changeOfSpeed)
    // The window is the power of two above 1/24 s (`yae_reset`).
    var window = 1
    while window < sampleRate / 24 { window *= 2 }
    var first = Double(setup.lead)
    var rest = tempo
    while rest != 1 {
      let step = max(0.5, rest)
      setup.filters.append(FilterChain.Filter("atempo", [("tempo", "\(step)")]))
      first = first / step - Double(window) / 2 * max(0, min(1, 1 / step - 1))
      rest /= step
    }
    setup.lag = max(0, Int(first.rounded()))
    return setup
  }

  // MARK: Spectral

  private static let lags = Mutex<[Rubberband: Int]>([:])

  private struct Rubberband: Hashable {
    var tempo: Double
    var sampleRate: Int
  }

  /// `rubberband`, whose lag depends on rate, tempo and version, and cannot be queried: it is
  /// measured once for each rate and tempo.
  private static func rubberband(_ tempo: Double, sampleRate: Int) throws(Failure) -> Self {
    // Longer than half of its longest window, so that the sound's first frames are whole.
    var setup = Self(
      filters: [.rubberband(tempo: tempo)], lead: sampleRate / 8, subject: changeOfSpeed)
    let key = Rubberband(tempo: tempo, sampleRate: sampleRate)
    if let known = lags.withLock({ $0[key] }) {
      setup.lag = known
    } else {
      setup.lag = try measureLag(of: setup, tempo: tempo, sampleRate: sampleRate)
      lags.withLock { $0[key] = setup.lag }
    }
    return setup
  }

  /// The median lag of clicks that are fed after the setup's lead: each falls elsewhere between two
  /// steps of the filter.
  private static func measureLag(
    of setup: Self, tempo: Double, sampleRate: Int
  ) throws(Failure) -> Int {
    let spacing = Double(sampleRate) / 4 * max(1, tempo)
    // At odd places, so that no two fall alike between the filter's steps.
    let clicks = [0.37, 1.45, 2.7, 3.78, 4.45].map { Int(spacing * $0) }
    let input = AudioBuffer(channelCount: 1, capacity: 4096)
    let output = AudioBuffer(
      channelCount: 1, capacity: Int((Double(setup.lead) + 6 * spacing) / tempo))
    return try filtering { () throws(LibAVError) in
      let chain = try FilterChain.open(setup.filters, sampleRate: sampleRate, channelCount: 1)
      var fed = -setup.lead
      while output.frameCount < output.capacity {
        input.planes[0].update(repeating: 0, count: input.capacity)
        for click in clicks where (fed..<fed + input.capacity).contains(click) {
          input.planes[0][click - fed] = 0.9
        }
        try chain.feed(input.planes, count: input.capacity)
        fed += input.capacity
        output.frameCount += try chain.take(
          into: output.planes, at: output.frameCount, capacity: output.capacity - output.frameCount)
      }
      let reach = Int(spacing / tempo / 3)
      let lags = clicks.map { click -> Int in
        let expected = Int(Double(click + setup.lead) / tempo)
        let around = max(0, expected - reach)..<min(output.capacity, expected + reach)
        let loudest = around.max { abs(output.planes[0][$0]) < abs(output.planes[0][$1]) }
        return (loudest ?? expected) - Int(Double(click) / tempo)
      }
      return max(0, lags.sorted()[lags.count / 2])
    }
  }
}

extension Effect {
  /// As a job names it, without its settings but for described filters.
  fileprivate var shortName: String {
    if case .filter = self { return description }
    return "'\(description.prefix { $0 != " " })'"
  }
}

extension FilterChain.Filter {
  /// `rubberband` in its real-time mode, which starts no threads; tempi from 0.01 to 100.
  static func rubberband(tempo: Double) -> Self {
    Self(
      "rubberband",
      [
        ("tempo", "\(tempo)"), ("pitch", "1"), ("transients", "crisp"), ("window", "standard"),
      ])
  }
}
