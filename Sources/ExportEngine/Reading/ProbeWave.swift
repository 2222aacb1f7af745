import Diagnosis
import LibAV
import MediaComposition
import MediaTime

extension Prober {
  /// Warnings of a WAV whose sizes do not fit its bytes; none for other files.
  ///
  /// - Throws: Where the larger part would be left out.
  func waveWarnings(_ stream: LibAV.Stream, _ demuxer: Demuxer) throws(Failure) -> [Warning] {
    guard let wave = demuxer.wave else { return [] }
    var warnings: [Warning] = []
    if wave.isWrapped, let told = wave.announcedSize {
      warnings.append(
        Warning(
          "its size of 32 bits has wrapped: its header counts \(told) bytes of sound, and the file "
            + "holds \(wave.soundSize); all of it is read", location: location))
    }
    let rest = wave.unclaimedSize
    guard rest > 0 else { return warnings }
    let what =
      "holds \(rest) bytes behind its sound"
      + (wave.holdsAnother ? ", where another WAV begins" : " that no chunk has")
    guard rest <= wave.soundSize else {
      throw Failure(
        .mendInput,
        what + "; more than are heard: "
          + (wave.holdsAnother ? "take it apart there" : "its header is wrong, write it again"),
        location: location)
    }
    // A tenth of a second, and a hundredth: as of lengths.
    let least = max(
      Int64(stream.blockAlign) * Int64(stream.sampleRate) / 10, wave.soundSize / 100)
    if rest > least || wave.holdsAnother {
      warnings.append(Warning(what + ": they are left out", location: location))
    }
    return warnings
  }
}
