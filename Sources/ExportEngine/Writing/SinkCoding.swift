import Diagnosis
import ExportGraph
import LibAV
import MediaComposition

extension Sink {
  /// What holds its packets, and what codes its sound of this rate and layout.
  ///
  /// - Parameters:
  ///   - sound: Rate and channels of its blocks.
  ///   - mask: A bit for each channel (`AV_CH_…`), or 0.
  /// - Returns: What the packets go into, and who makes them.
  /// - Throws: `mendJob` where a WAV cannot hold its marks; `reportBug` for MP3.
  func coding(
    of sound: AudioFormat, mask: UInt64
  ) throws(Failure) -> (LibAVRecipe.Wrapping, Encoder.Codec) {
    switch format {
    case .wav(let samples):
      (
        .chunks(try waveFile(samples.waveFormat(sound, mask: mask))),
        samples.codec(isBigEndian: capabilities.isBigEndian)
      )
    case .aiff(let samples):
      (.muxer(.aiff), samples.codec(isBigEndian: capabilities.isBigEndian))
    case .caf(let samples):
      (
        .muxer(samples == .ima4 ? .codedCAF : .caf),
        samples.codec(isBigEndian: capabilities.isBigEndian)
      )
    case .raw(let samples):
      (
        .muxer(.raw), samples == .gsm ? .gsm(inWAV: false) : samples.codec(isBigEndian: false)
      )
    case .flac(let bitDepth): (.muxer(output.movieContainer ?? .flac), .flac(bitDepth: bitDepth))
    case .alac(let bitDepth): (.muxer(soundContainer), .alac(bitDepth: bitDepth))
    case .m4a(let bitRate):
      // Peaks of noise that a decoder makes up keep no ceiling.
      (.muxer(soundContainer), .aac(bitRate: bitRate, substitutesNoise: ceiling == nil))
    case .fdkAAC(let settings):
      (.muxer(soundContainer), .aac(bitRate: settings.bitRate ?? 0))
    case .vorbis(.quality(let quality)):
      (.muxer(output.movieContainer ?? .ogg(serial: serial(sound))), .vorbis(.quality(quality)))
    case .vorbis(.bitRate(let bitRate)):
      (.muxer(output.movieContainer ?? .ogg(serial: serial(sound))), .vorbis(.bitRate(bitRate)))
    case .opus(let bitRate):
      (.muxer(output.movieContainer ?? .ogg(serial: serial(sound))), .opus(bitRate: bitRate))
    case .amr(let bitRate): (.muxer(.amr), .amr(bitRate: bitRate))
    case .mp3: throw Failure(.reportBug, "MP3 is not written by FFmpeg")
    }
  }

  /// What holds its AAC or Apple Lossless.
  fileprivate var soundContainer: Muxer.Container {
    switch output.soundContainer(as: format.kind) {
    case .adts: .adts
    case .caf: .codedCAF
    case nil: output.movieContainer ?? .m4a
    }
  }

  /// The number of an Ogg stream, which must differ in each file that may be chained to it (RFC 3533
  /// §4), and be the same at each run: FNV-1a over the job's words for the output.
  private func serial(_ sound: AudioFormat) -> UInt32 {
    var words = [
      output.path.lastComponent?.string ?? "", format.name, "\(sound)",
      "\(frames.count)",
    ]
    for item in metadata.items { words += [item.key] + item.values }
    return words.joined(separator: "\n").utf8.reduce(0x811C_9DC5) {
      ($0 ^ UInt32($1)) &* 0x0100_0193
    }
  }
}

extension Output {
  /// What holds its sound, where its name is a movie's.
  fileprivate var movieContainer: Muxer.Container? {
    switch movie {
    case .mp4: .mp4
    case .mov: .mov
    case .mkv: .matroska
    case .webm: .webm
    case nil: nil
    }
  }
}

extension Output.SampleFormat {
  fileprivate func codec(isBigEndian: Bool) -> Encoder.Codec {
    switch self {
    case .uint8: .pcm(.uint8, isBigEndian: isBigEndian)
    case .int16: .pcm(.int16, isBigEndian: isBigEndian)
    case .int24: .pcm(.int24, isBigEndian: isBigEndian)
    case .float32: .pcm(.float, isBigEndian: isBigEndian)
    case .muLaw: .muLaw
    case .aLaw: .aLaw
    case .g722: .g722
    case .gsm: .gsm(inWAV: true)
    case .ima4: .ima4
    }
  }
}
