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
    func constant(_ bitRate: Int) -> Int128 {
      frames * Int128(bitRate / 8) / Int128(max(1, sampleRate))
    }
    let bytes =
      switch setting {
      case .samples(.g722): frames / 2
      case .samples(.gsm): frames / 160 * 32
      case .samples(.ima4): frames / 64 * Int128(34 * channelCount)
      case .samples(let samples): frames * Int128(channelCount * samples.byteCount)
      case .mp3(let settings):
        switch settings.rateControl {
        case .cbr(let bitRate): constant(bitRate)
        // The lowest of MPEG-1, and of MPEG-2 (ISO 11172-3, 2.4.2.3; ISO 13818-3, 2.4.2.3).
        case .abr, .vbr: constant(sampleRate < 32_000 ? 8_000 : 32_000)
        }
      case .fdkAAC(let settings):
        frames / Int128(settings.profile.packetLength)
          * Int128(kind.capabilities.leastPacket?.bytes ?? 0)
      case .bitDepth, .bitRate, .quality:
        kind.capabilities.leastPacket.map { packet in
          frames / Int128(max(1, packet.frames ?? sampleRate / 8))
            * Int128(packet.bytes + packet.bytesPerChannel * channelCount)
        } ?? 0
      }
    return Int64(clamping: bytes)
  }
}
