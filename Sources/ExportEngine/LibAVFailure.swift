import Diagnosis
import Glibc
import LibAV
import MediaComposition
import SystemPackage

extension LibAVError {
  /// The failure for this error of FFmpeg's in the medium at `location`.
  func inputFailure(_ location: MediaLocation) -> Failure {
    if let failure = cause as? Failure { return failure }
    if isFormatChange {
      return Failure(
        .mendInput, "\(operation); a file has one rate and number of channels: encode it again",
        location: location)
    }
    if isPhrase { return Failure(.mendInput, operation, location: location) }
    if isTooLarge {
      return Failure(.mendInput, "\(operation); encode it again", location: location)
    }
    if isMissingBytes || isEmptyFile {
      return Failure(
        .mendInput,
        (isMissingBytes
          ? "was cut short: it ends where more has to follow"
          : "ends before its sound: it was cut short, or holds none")
          + " (\(operation)); copy or download it again", location: location)
    }
    if let posix, let failure = Failure.reading(posix, "cannot be read", location: location) {
      return failure
    }
    return Failure(
      .mendInput, "cannot be read: \(message) (\(operation)); check the file or encode it again",
      location: location)
  }
}

/// Runs `body`; FFmpeg's errors become failures of the medium at `location`.
func reading<T>(_ location: MediaLocation, _ body: () throws(LibAVError) -> T) throws(Failure) -> T
{
  do { return try body() } catch { throw error.inputFailure(location) }
}

extension LibAVError {
  /// The failure for an error that does not depend on a file.
  var machineFailure: Failure {
    posix == ENOMEM
      ? Failure(.tryAgain, "not enough memory; close other programs or run fewer jobs at once")
      : Failure(.reportBug, "\(operation) failed: \(message)")
  }
}
