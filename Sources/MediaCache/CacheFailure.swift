import Diagnosis
import HTTP
import SystemPackage

extension Failure {
  /// The failure that a user sees where a request to `url` has failed.
  package init(_ error: HTTPError, of url: MediaURL) {
    self.init(error.kind, "\(error.fault); \(error.remedy)", location: .remote(url), code: error.code)
  }

  /// A failure of the cache's own files.
  ///
  /// - Parameters:
  ///   - error: An `Errno`, or any other error; a `Failure` stays as it is.
  ///   - action: The attempt, to stand after “the media cache”.
  ///   - folder: The cache's.
  init(caching error: any Error, _ action: String = "cannot be used", in folder: FilePath) {
    switch error {
    case let failure as Failure: self = failure
    case let code as Errno: self.init(code, "the media cache \(action)", inCache: folder)
    default: self.init(.mendMachine, "the media cache \(action): \(error)", path: folder)
    }
  }

  /// A failure of a call on the cache's files.
  init(_ code: Errno, _ attempt: String, inCache folder: FilePath) {
    let found = SystemRemedy(code.rawValue)
    let otherFolder = "name another folder in AVJOB_CACHE"
    let (remedy, advice): (Remedy, String) =
      switch found.remedy {
      // A file system without locks, such as NFS without lockd, has none later either.
      case _ where code == .noLocks: (.mendMachine, otherFolder)
      case .tryAgain: (.tryAgain, found.text)
      case .mendMachine:
        (.mendMachine, [found.advice, otherFolder].compactMap(\.self).joined(separator: ", or "))
      // No job names the cache's files.
      default: (.mendMachine, otherFolder)
      }
    self.init(
      remedy, "\(attempt): \(code); \(advice)", path: folder,
      code: found.code == .outputNotWritable ? nil : found.code)
  }
}

extension MediaCache {
  /// What `body` returns, with failures for people; `Failure.init(caching:)` has the action.
  ///
  /// - Throws: `Failure`
  func reporting<Result>(
    _ action: String = "cannot be used", _ body: () throws -> Result
  ) throws(Failure) -> Result {
    do { return try body() } catch { throw Failure(caching: error, action, in: options.folder) }
  }
}
