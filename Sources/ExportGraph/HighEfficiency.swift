import Diagnosis
package import FDKAAC
import MediaComposition

extension Export {
  /// Keeps the profile of an output that is to have the codec of `parts`, where the one that its settings
  /// come from is HE-AAC: its packets, where all of them are the output; else libfdk-aac's, where it is
  /// installed. FFmpeg's encoder makes AAC-LC alone.
  ///
  /// - Parameters:
  ///   - settled: The output.
  ///   - parts: What it is to be like.
  ///   - mix: What all outputs are made of.
  /// - Returns: A note where the output becomes AAC-LC.
  /// - Complexity: that of compiling one output, where a part is HE-AAC; else O(parts).
  func keepProfile(
    of settled: inout SettledOutput, like parts: [Asset], in mix: AudioFormat
  ) -> Diagnostic? {
    let sound = settled.sound
    guard settled.format.kind == .aac,
      let model = settled.format.kind.model(
        among: parts, sampleRate: sound.sampleRate, layout: sound.channelLayout),
      model.profile != nil, !isWholeCopy(settled, of: mix)
    else { return nil }
    guard settled.output.soundContainer(as: .aac) != .caf,
      let format = settled.format.encoded(inProfileOf: model, sound)
    else { return lossNote(on: settled, like: model) }
    settled.format = format
    settled.output.request = .exactly(format)
    return nil
  }

  /// Whether an output is a copy of whole sources. O(segments)
  func isWholeCopy(_ settled: SettledOutput, of mix: AudioFormat) -> Bool {
    var copy = self
    copy.outputs = [settled.output]
    // Of this output alone the mix might be another one.
    (copy.sampleRate, copy.channelLayout) = (mix.sampleRate, mix.channelLayout)
    let plan = (try? Graph(compiling: copy))?.sinks.first?.copied
    return plan?.isWhole == true && plan?.assets.isEmpty == false
  }

  private func lossNote(on settled: SettledOutput, like model: Asset) -> Diagnostic {
    let sound = settled.sound
    let format = settled.format.description(
      sampleRate: sound.sampleRate, channelCount: sound.channelLayout.count)
    let output = settled.output
    // Of an encoder that is there, and refuses such a sound, there is none.
    let remedy =
      output.soundContainer(as: .aac) == .caf
      ? "write '\(output.path.stem ?? "").m4a', since CAF holds AAC-LC alone"
      : FDKLibrary.shared == nil
        ? OptionalLibrary.fdkAAC.installation + ", which encodes HE-AAC" : nil
    return Diagnostic(
      .note,
      "'\(output.path)' becomes \(format), which sounds worse at its bit rate: "
        + "'\(model.location)' is \(model.formatText), and FFmpeg encodes AAC-LC alone",
      at: output.origin,
      help: [remedy, "write twice the bit rate, as 'aac: 128k'"].compactMap(\.self)
        .joined(separator: ", or "))
  }
}

extension Output.Format {
  /// AAC in the profile of `model`, at the same bit rate, or the nearest that libfdk-aac has; nil where
  /// it is not installed, or does not make it.
  fileprivate func encoded(inProfileOf model: Asset, _ sound: AudioFormat) -> Output.Format? {
    guard case .bitRate(let bitRate) = setting, FDKLibrary.shared != nil else { return nil }
    let count = sound.channelLayout.count
    let isStereo = model.profile == FDKAACSettings.Profile.heV2.name && count == 2
    var settings = FDKAACSettings(.bitRate(bitRate), profile: isStereo ? .heV2 : .he)
    do throws(FDKError) {
      try FDKAnswers.shared.require(
        settings.encoderSettings(sampleRate: sound.sampleRate, channelCount: count))
    } catch {
      guard case .otherBitRate(let nearest) = error.kind else { return nil }
      settings.rateControl = .bitRate(nearest)
    }
    let format = Output.Format.fdkAAC(settings)
    return format.problem(sampleRate: sound.sampleRate, layout: sound.channelLayout) == nil
      ? format : nil
  }
}

extension FDKAACSettings {
  /// The settings of an encoder for such a sound.
  package func encoderSettings(sampleRate: Int, channelCount: Int) -> FDKEncoder.Settings {
    // ISO 14496-3, table 1.17.
    let objectType =
      switch profile {
      case .lc: 2
      case .he: 5
      case .heV2: 29
      }
    let quality =
      switch rateControl {
      case .bitRate: 0
      case .vbr(let quality): quality
      }
    return FDKEncoder.Settings(
      objectType: objectType, bitRate: bitRate, quality: quality, sampleRate: sampleRate,
      channelCount: channelCount)
  }
}
