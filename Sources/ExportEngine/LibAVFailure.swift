import Diagnosis
import Glibc
import LibAV
import MediaComposition
import SystemPackage

extension LibAVError {
  /// The failure for this error of FFmpeg's in the input file at `path`.
  func inputFailure(_ path: FilePath) -> Failure {
    if isFormatChange {
      return Failure(
        .mendInput, "\(operation); a file has one rate and number of channels: encode it again",
        path: path)
    }
    if isTooLarge { return Failure(.mendInput, "\(operation); encode it again", path: path) }
    if let posix, let failure = Failure.reading(posix, "cannot be read", path: path) {
      return failure
    }
    return Failure(
      .mendInput, "cannot be read: \(message) (\(operation)); check the file or encode it again",
      path: path)
  }
}

/// Runs `body`; FFmpeg's errors become failures of the input at `path`.
func reading<T>(_ path: FilePath, _ body: () throws(LibAVError) -> T) throws(Failure) -> T {
  do { return try body() } catch { throw error.inputFailure(path) }
}

extension LibAVError {
  /// The failure for an error that does not depend on a file.
  var machineFailure: Failure {
    posix == ENOMEM
      ? Failure(.tryAgain, "not enough memory; close other programs or run fewer jobs at once")
      : Failure(.reportBug, "\(operation) failed: \(message)")
  }
}
