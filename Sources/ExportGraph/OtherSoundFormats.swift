import Diagnosis
import MediaComposition

/// How a sound beside the one that an output is made of is encoded.
package struct OtherSoundFormat: Sendable, Hashable {
  /// Its codec is that of the output's own sound.
  package var format: Output.Format
  package var sound: AudioFormat

  /// As the output's own sound, which is in `format`, but with the rate and the channels that its sources
  /// have, as far as the codec has them, and with the bit rate that is usual for these where they are not as
  /// many.
  ///
  /// - Parameters:
  ///   - sources: What is joined; not empty.
  ///   - format: That of the output.
  ///   - own: What its own sound is.
  package init(of sources: [AudioFormat], like format: Output.Format, _ own: AudioFormat) {
    let capabilities = format.kind.capabilities
    let layout = capabilities.layout(
      nearest: ChannelLayout.common(of: sources.map(\.channelLayout)))
    let rate = sources.map(\.sampleRate).max() ?? own.sampleRate
    sound = AudioFormat(
      sampleRate: capabilities.sampleRates.nearest(to: rate), channelLayout: layout)
    let isAsWide = layout.count == own.channelLayout.count
    if isAsWide || !format.isByChannels, let shared = format.ofOthers,
      shared.problem(sampleRate: sound.sampleRate, layout: layout) == nil
    {
      self.format = shared
    } else {
      self.format = format.kind.usualFormat(
        isDeep: false, sampleRate: sound.sampleRate, channelCount: layout.count)
    }
  }
}

extension Output.Format {
  /// The format of sounds beside one in this format, which FFmpeg encodes; nil where its settings are none
  /// of FFmpeg's encoder: a bit rate of HE-AAC is too low for AAC-LC.
  fileprivate var ofOthers: Output.Format? {
    guard case .fdkAAC(let settings) = self else { return self }
    return isHighEfficiency ? nil : settings.bitRate.map { .m4a(bitRate: $0) }
  }

  /// Whether it has a bit rate for all channels together.
  fileprivate var isByChannels: Bool {
    switch setting {
    case .bitRate, .fdkAAC, .mp3: true
    case .samples, .bitDepth, .quality: false
    }
  }
}

extension AssetTrack {
  /// What its header says of its sound; nil where it says nothing.
  fileprivate var sound: AudioFormat? {
    guard let sampleRate, let channelLayout else { return nil }
    return AudioFormat(sampleRate: sampleRate, channelLayout: channelLayout)
  }
}

extension JoinedTrack {
  /// The channels that it has beside a sound in a format; nil where headers do not say.
  fileprivate func layout(in format: Output.Format) -> ChannelLayout? {
    let sources = streams.compactMap { $0?.sound }
    guard let first = sources.first else { return nil }
    return OtherSoundFormat(of: sources, like: format, first).sound.channelLayout
  }
}

extension PicturePlan {
  /// Notes on other sounds that are mixed down, by what the headers of their files say.
  package func downmixNotes(in output: Output, as format: Output.Format) -> [Diagnostic] {
    sounds.flatMap { track -> [Diagnostic] in
      guard let layout = track.layout(in: format) else { return [] }
      return zip(assets, track.streams).compactMap { asset, stream in
        guard let stream, let own = stream.channelLayout, own.count > 2,
          !ChannelMatrix(from: own, to: layout).keepsEachChannel
        else { return nil }
        let isHeld = format.kind.capabilities.layout(nearest: own) == own
        return Diagnostic(
          .note,
          "'\(output.path)': \(stream.text) of '\(asset.location)', \(own.name), is mixed down to "
            + layout.name, at: output.origin,
          help: isHeld
            ? "the sounds that it is joined with have other channels"
            : "\(format.kind.capabilities.codecName) has no layout of \(own.name)")
      }
    }
  }

  /// The channels of sounds that are encoded, for people: ` in 5.1`; empty where they are as the output's own
  /// or headers do not say.
  func layoutText(of track: AssetTrack, beside own: AudioFormat, as format: Output.Format) -> String
  {
    guard let joined = sounds.first(where: { $0.first == track }),
      let layout = joined.layout(in: format), layout != own.channelLayout
    else { return "" }
    return " in \(layout.name)"
  }
}
