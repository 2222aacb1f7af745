import Diagnosis
import HTTP
import SystemPackage

extension Failure {
  /// The failure that a user sees where a request to `url` has failed.
  package init(_ error: HTTPError, of url: MediaURL) {
    if case .source(let failure) = error {
      self = failure
    } else {
      self.init(
        error.kind, "\(error.fault); \(error.remedy)", location: .remote(url), code: error.code)
    }
  }

  /// The failure of a request for more of a medium, of which the server has given bytes before: a status
  /// that an address has which works once, or for a time, says so.
  init(later error: HTTPError, of url: MediaURL) {
    guard case .status(let status, _) = error, [401, 403, 404, 410].contains(status) else {
      self.init(error, of: url)
      return
    }
    self.init(
      error.kind,
      "\(error.fault), and gave bytes of the file before: the address may work once, or for a time; "
        + "use a new one, or download the file and name the copy", location: .remote(url),
      code: error.code)
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
