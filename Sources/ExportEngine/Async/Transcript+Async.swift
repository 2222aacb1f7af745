import Diagnosis
import MediaComposition
import SystemPackage
import Transcripts

// Here, since what runs work on threads of its own is a part of this module.

extension Transcript {
  /// The transcript in the file at `path`, of any form that is known, as
  /// `init(contentsOf:speakerPrefix:encoding:warn:)` reads it: the file is read on a thread of its own, and a
  /// task that is cancelled goes on at once.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - speakerPrefix: Whether `Ann: Hello.` is a line of Ann's; else it is text.
  ///   - encoding: How it is coded; nil: as its byte-order mark says, else UTF-8, else Windows-1252
  ///     with a warning.
  ///   - warn: Gets what is odd and does not stop the reading.
  /// - Throws: As the other one; the code `cancelled` where the task is cancelled.
  /// - Complexity: O(n log n)
  public init(
    contentsOf path: FilePath, speakerPrefix: Bool = false, encoding: TextEncoding? = nil,
    warn: (Warning) -> Void = { _ in }
  ) async throws(Failure) {
    let (transcript, warnings) = try await onThread(about: .file(path)) { _ throws(Failure) in
      var warnings: [Warning] = []
      let transcript = try Transcript(
        contentsOf: path, speakerPrefix: speakerPrefix, encoding: encoding
      ) { warnings.append($0) }
      return (transcript, warnings)
    }
    warnings.forEach(warn)
    self = transcript
  }
}
