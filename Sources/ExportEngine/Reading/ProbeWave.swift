import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Tagging

extension Prober {
  /// Warnings of a WAV whose sizes or padding do not fit its bytes; none for other files.
  func waveWarnings(_ demuxer: Demuxer) -> [Warning] {
    guard let wave = demuxer.wave else { return [] }
    var warnings: [Warning] = []
    if wave.isWrapped, let told = wave.announcedSize {
      warnings.append(
        Warning(
          "its size of 32 bits has wrapped: its header counts \(told) bytes of sound, and the file "
            + "holds \(wave.soundSize); all of it is read", location: location))
    }
    let further = wave.furtherSounds
    if !further.isEmpty {
      let byteCount = further.reduce(0) { $0 + $1.content.count }
      warnings.append(
        Warning(
          "has \(further.count + 1) chunks 'data', where a WAV has one: the first is read, and the "
            + "\(byteCount) bytes of the \(further.count == 1 ? "other" : "others") are left out",
          location: location))
    }
    if let chunk = wave.unpadded {
      warnings.append(
        Warning(
          "its chunk '\(chunk.name)' has an odd number of bytes, \(chunk.content.count), and lacks the "
            + "byte of padding behind it: the chunks after it are read all the same",
          location: location))
    }
    return warnings
  }

  /// Whether a WAV or Wave64 has more chunks before its sound than are looked at.
  func hidesSound(_ format: String) throws(Failure) -> Bool {
    let first: Int64 = format == "w64" ? 40 : 12
    let chunks = try ContainerFacts.chunks(
      in: first..<max(first, try bytes.size()), of: format == "w64" ? .wave64 : .riff,
      isLenient: true, bytes)
    return chunks.count == ChunkLimits.chunks && !chunks.contains { $0.name == "data" }
  }
}
