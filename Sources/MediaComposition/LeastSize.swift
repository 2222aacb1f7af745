import MPEGAudio

extension Output.Format {
  /// The fewest bytes of a file with so much sound, before its tags: exact for PCM and for MP3 of a
  /// constant bit rate, and else what silence takes.
  ///
  /// - Parameters:
  ///   - frames: Its length; 0 or more.
  ///   - sampleRate: Frames a second, above 0.
  ///   - channelCount: Above 0.
  /// - Returns: Bytes; `Int64.max` also where they are more.
  package func leastByteCount(frames: Int64, sampleRate: Int, channelCount: Int) -> Int64 {
    let frames = Int128(max(0, frames))
    func packets(of length: Int, _ bytes: Int) -> Int128 {
      frames / Int128(max(1, length)) * Int128(bytes)
    }
    func constant(_ bitRate: Int) -> Int128 {
      frames * Int128(bitRate / 8) / Int128(max(1, sampleRate))
    }
    let bytes =
      switch self {
      case .wav(let samples), .aiff(let samples), .caf(let samples):
        frames * Int128(channelCount * samples.byteCount)
      case .mp3(let settings):
        switch settings.rateControl {
        case .cbr(let bitRate): constant(bitRate)
        // The lowest of MPEG-1, and of MPEG-2 (ISO 11172-3, 2.4.2.3; ISO 13818-3, 2.4.2.3).
        case .abr, .vbr: constant(sampleRate < 32_000 ? 8_000 : 32_000)
        }
      // libavcodec's blocks last 105 ms at most; each has a header, and two bytes for each channel.
      case .flac: packets(of: sampleRate / 8, 8 + 2 * channelCount)
      case .alac: packets(of: 4096, 8)
      case .m4a: packets(of: 1024, 6)
      case .vorbis: packets(of: 4096, 2)
      case .opus: packets(of: sampleRate / 50, 2)
      }
    return Int64(clamping: bytes)
  }
}
