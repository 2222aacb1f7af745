import Diagnosis
import ExportGraph
import LibAV
import MediaComposition

extension Sink {
  /// Finds out whether the FFmpeg that is linked has the output's encoder, where not every one does.
  ///
  /// - Throws: `mendMachine` where it has not.
  func requireEncoder() throws(Failure) {
    guard case .amr(let bitRate) = format else { return }
    let codec = Encoder.Codec.amr(bitRate: bitRate)
    guard !codec.isAvailable else { return }
    throw missing(codec.encoderName).about(output.path).placed(at: output.origins.format)
  }

  private func missing(_ encoder: String) -> Failure {
    let package = OptionalLibrary.moreCodecs(version: Library.codecVersion).packageName
    return Failure(
      .mendMachine,
      "\(format.kind.capabilities.codecName) needs FFmpeg's \(encoder), and this FFmpeg lacks it; install "
        + "\(package), or write '.gsm' or '.g722'", code: .libraryMissing)
  }
}
