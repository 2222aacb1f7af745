import Diagnosis
import LibAV
import MediaComposition
import MediaTime

extension Prober {
  /// Warnings of sizes in a header that do not fit the file's bytes: of a WAV's that have wrapped, and of
  /// what lies behind the sound.
  ///
  /// - Throws: Where the larger part would be left out.
  func sizeWarnings(_ stream: LibAV.Stream, _ demuxer: Demuxer) throws(Failure) -> [Warning] {
    guard let wave = demuxer.wave else {
      let behind = try ContainerFacts.bytesBehind(of: demuxer.formatName, in: bytes)
      guard let behind else { return [] }
      return try warning(of: behind, soundSize: identity.size - behind.count, stream).map { [$0] }
        ?? []
    }
    var warnings: [Warning] = []
    if wave.isWrapped, let told = wave.announcedSize {
      warnings.append(
        Warning(
          "its size of 32 bits has wrapped: its header counts \(told) bytes of sound, and the file "
            + "holds \(wave.soundSize); all of it is read", location: location))
    }
    let behind = ContainerFacts.BytesBehind(
      count: wave.unclaimedSize, another: wave.holdsAnother ? "WAV" : nil)
    if let warning = try warning(of: behind, soundSize: wave.soundSize, stream) {
      warnings.append(warning)
    }
    return warnings
  }

  private func warning(
    of behind: ContainerFacts.BytesBehind, soundSize: Int64, _ stream: LibAV.Stream
  ) throws(Failure) -> Warning? {
    guard behind.count > 0 else { return nil }
    let what =
      "holds \(behind.count) bytes behind its sound"
      + (behind.another.map { ", where another \($0) begins" } ?? " that no chunk has")
    guard behind.count <= soundSize else {
      throw Failure(
        .mendInput,
        what + "; more than are heard: "
          + (behind.another == nil
            ? "its header is wrong, write it again" : "take it apart there"),
        location: location)
    }
    // A tenth of a second, and a hundredth: as of lengths.
    let least = max(Int64(stream.blockAlign) * Int64(stream.sampleRate) / 10, soundSize / 100)
    guard behind.count > least || behind.another != nil else { return nil }
    return Warning(what + ": they are left out", location: location)
  }
}
