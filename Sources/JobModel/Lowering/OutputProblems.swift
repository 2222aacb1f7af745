import MPEGAudio
import MediaComposition

/// What a format cannot do, and which of the settings asks for it: `rateControl` in formats that have
/// a single one.
package struct FormatProblem {
  package var setting: MP3Settings.Problem.Setting
  package var message: String
}

extension JobOutput.Format {
  /// Container and codec; nil where only the clip says them.
  package var kind: Output.Kind? {
    switch self {
    case .exactly(let format): format.kind
    case .usual(let kind): kind
    case .sameAsClip: nil
    }
  }

  /// Why a file in this format cannot have so many frames a second and such a layout: one problem
  /// for each setting that has one, as far as is known.
  package func problems(sampleRate: Int, layout: ChannelLayout) -> [FormatProblem] {
    let message: String?
    switch self {
    case .exactly(.mp3(let settings)):
      return settings.problems(sampleRate: sampleRate, channelCount: layout.count).map {
        FormatProblem(setting: $0.setting, message: $0.message)
      }
    case .exactly(let format): message = format.problem(sampleRate: sampleRate, layout: layout)
    case .usual(let kind): message = kind.problem(sampleRate: sampleRate, layout: layout)
    case .sameAsClip: message = nil
    }
    return message.map { [FormatProblem(setting: .rateControl, message: $0)] } ?? []
  }

  /// The sample rate of an output where the job says none and the mix, as far as the codec has its
  /// rate, is at `sampleRate`: that one, but under a name of LAME's the lower one that LAME itself
  /// would take.
  package func usualSampleRate(for sampleRate: Int, layout: ChannelLayout, preset: MP3Preset?)
    -> Int
  {
    guard preset != nil, case .exactly(.mp3(let settings)) = self else { return sampleRate }
    let lower = settings.preferredSampleRate(for: sampleRate, channelCount: layout.count)
    let problems = settings.problems(sampleRate: lower, channelCount: layout.count)
    return problems.contains { $0.setting == .rateControl } ? sampleRate : lower
  }
}

extension JobOutput {
  /// What is wrong with `id3` on an output that has no such tag.
  package static func id3Refusal(_ kind: Output.Kind) -> String {
    "'id3' on an output that is \(kind.capabilities.name): it is the tag of MP3 and AIFF"
  }
}
