import Diagnosis
import Glibc
import HTTP
import SystemPackage

extension Failure {
  /// A failure of a request, for people.
  package init(_ error: HTTPError, of url: MediaURL) {
    self.init(error.kind, "\(error.fault); \(error.remedy)", location: .remote(url))
  }

  /// A failure of the cache's own files.
  init(storing error: any Error, in folder: FilePath) {
    guard let code = error as? Errno else {
      self.init(.mendMachine, "the media cache cannot be used: \(error)", path: folder)
      return
    }
    let remedy =
      code == .noSpace || code == Errno(rawValue: EDQUOT)
      ? "free some space, or name a folder on another disk in AVJOB_CACHE"
      : "name another folder in AVJOB_CACHE"
    self.init(.mendMachine, "the media cache cannot be written: \(code); \(remedy)", path: folder)
  }
}
