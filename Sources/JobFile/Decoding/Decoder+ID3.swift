import JobModel
import MPEGAudio
import MediaComposition
import YAML

extension Decoder {
  /// The version of the tag, behind `id3`. Where only the clip knows an output's format, it is
  /// refused by `Job.outputs(from:)`.
  func id3(_ entry: YAMLEntry?, of format: JobOutput.Format, _ scope: Scope) -> ID3Version? {
    guard let entry else { return nil }
    let version = value(entry.value, scope) { text throws(QuantityError) in
      guard let version = ID3Version.allCases.first(where: { "\($0)" == text }) else {
        throw QuantityError(
          "'\(text)' is no version of ID3 that is written",
          help: "write '2.4', or '2.3' for old players")
      }
      return version
    }
    if let kind = format.kind, !kind.capabilities.hasID3 {
      sink.error(JobOutput.id3Refusal(kind), at: entry.keyOrigin, help: "leave it out")
      return nil
    }
    return version?.value
  }
}
