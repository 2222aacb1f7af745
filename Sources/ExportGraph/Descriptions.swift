import MPEGAudio
import MediaComposition

extension Output.Format {
  /// Codec and settings, as `MP3 V2` or `FLAC 16 bit`, and an encoder that is not the usual one, as
  /// `HE-AAC 48 kbps by libfdk-aac`.
  package var name: String {
    let text =
      switch setting {
      case .mp3(let settings): "\(settings)"
      case .samples(let format): format.rawValue
      case .bitDepth(let bitDepth): "\(bitDepth) bit"
      case .bitRate(let bitRate): "\(kilo(bitRate)) kbps"
      case .quality(let quality): "q\(quality.formatted)"
      case .fdkAAC(let settings): settings.rateName
      }
    guard case .fdkAAC(let settings) = self else { return "\(kind.capabilities.codecName) \(text)" }
    return "\(settings.profile.name) \(text) by libfdk-aac"
  }

  /// Codec, settings and sound, as `MP3 V2, 44.1 kHz stereo`.
  package func description(sampleRate: Int, channelCount: Int) -> String {
    "\(name), \(AudioFormat.text(sampleRate: sampleRate, channelCount: channelCount))"
  }
}

extension Sink {
  /// The format's name, and what a WAV is called, as `WAV 24 bit as BW64`.
  package var formatName: String {
    output.waveContainer.map { "\(format.name) as \($0.name)" } ?? format.name
  }
}

extension FDKAACSettings {
  /// How bits are spent, as `48 kbps` or `VBR 3`.
  fileprivate var rateName: String {
    switch rateControl {
    case .bitRate(let bitRate): "\(kilo(bitRate)) kbps"
    case .vbr(let quality): "VBR \(quality)"
    }
  }
}

extension Output.Request {
  /// The format's name, as far as its parts are set.
  package var name: String {
    switch self {
    case .exactly(let format): format.name
    case .usual(let kind): kind.capabilities.codecName
    case .same: "same as its sources"
    case .copied(let kind): "\(kind.capabilities.codecName), copied"
    }
  }
}

extension AudioFormat {
  /// Of a file, as `44.1 kHz stereo`. Where the name of the layout is not known, more than two
  /// channels are `6 channels`: their number does not tell where they are.
  package static func text(sampleRate: Int, channelCount: Int, layout: String? = nil) -> String {
    "\(kilo(sampleRate)) kHz " + (layout ?? ChannelLayout.counted(channelCount).name)
  }
}

extension AudioFormat: CustomStringConvertible {
  /// For example `44.1 kHz stereo`.
  package var description: String { rateText + " " + channelLayout.name }

  /// For example `44.1 kHz`.
  package var rateText: String { "\(kilo(sampleRate)) kHz" }
}

extension Double {
  fileprivate var formatted: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}

private func kilo(_ count: Int) -> String {
  let (whole, rest) = count.quotientAndRemainder(dividingBy: 1000)
  guard rest != 0 else { return "\(whole)" }
  var digits = String(String(1000 + rest).dropFirst())
  while digits.hasSuffix("0") { digits.removeLast() }
  return "\(whole).\(digits)"
}
