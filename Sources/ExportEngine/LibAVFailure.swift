import Diagnosis
import Glibc
import LibAV
import MediaComposition
import SystemPackage

extension LibAVError {
  /// What FFmpeg's answer means to the owner of the input file at `path`.
  func inputFailure(_ path: FilePath) -> Failure {
    if isFormatChange {
      return Failure(
        .mendInput, "\(operation); a file has one rate and number of channels: encode it again",
        path: path)
    }
    if let posix, let failure = Failure.reading(posix, "cannot be read", path: path) {
      return failure
    }
    return Failure(
      .mendInput, "cannot be read: \(message) (\(operation)); check the file or encode it again",
      path: path)
  }
}

/// Runs `body`, giving FFmpeg's errors as failures of the input at `path`.
func reading<T>(_ path: FilePath, _ body: () throws(LibAVError) -> T) throws(Failure) -> T {
  do { return try body() } catch { throw error.inputFailure(path) }
}

extension LibAVError {
  /// A library that fails on nothing but its own account.
  var machineFailure: Failure {
    posix == ENOMEM
      ? Failure(.tryAgain, "not enough memory; close other programs or run fewer jobs at once")
      : Failure(.reportBug, "\(operation) failed: \(message)")
  }
}
