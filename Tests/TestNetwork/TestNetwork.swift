import Diagnosis
import ExportEngine
import SystemPackage
import TestSupport

/// The network of this process's tests: a cache of their own, and this machine as the only server.
public enum TestNetwork {
  /// Configures it, for all tests of the process: of two settings the later one would hold for all.
  ///
  /// - Returns: The folder in which `media` is the cache.
  @discardableResult
  public static func prepare() throws -> TestFolder {
    try ProcessSetup.once("network") { folder in
      var options = MediaNetwork.Options(environment: { _ in nil })
      options.allowedHosts = ["127.0.0.1"]
      options.cacheFolder = .file(FilePath(folder.path("media")))
      try MediaNetwork.configure(options)
    }
  }
}
