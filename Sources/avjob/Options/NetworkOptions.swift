import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc

/// `--offline` and `--allow-host`: every command that reads media has them.
struct NetworkOptions: ParsableArguments {
  @Flag(help: "Ask no server: media of addresses come from the cache, or not at all.")
  var offline = false

  @Option(
    name: .customLong("allow-host"),
    help: .value(
      "host", "Ask this server, even a private one, and no others; may be repeated."))
  var allowedHosts: [String] = []

  func validate() throws {
    do throws(Failure) {
      try MediaNetwork.check(allowedHosts: allowedHosts)
    } catch {
      throw ValidationError(error.message)
    }
  }

  /// The options that the environment sets.
  ///
  /// - Throws: `ValidationError` for a size that is none.
  static func options() throws -> MediaNetwork.Options {
    var options = MediaNetwork.Options()
    if let text = getenv("AVJOB_CACHE_SIZE").map({ String(cString: $0) }), !text.isEmpty {
      options.cacheSize = try Bound.bytes(text, of: "AVJOB_CACHE_SIZE")
    }
    return options
  }

  /// Sets how this process reads media of servers.
  ///
  /// - Parameter isConfined: Whether job files are a stranger's, so that servers must be named.
  /// - Throws: `ValidationError` for a size or a host that is none.
  func enter(isConfined: Bool) throws {
    var options = try Self.options()
    options.isOffline = offline
    options.allowedHosts = allowedHosts
    options.mustNameHosts = isConfined
    do throws(Failure) {
      try MediaNetwork.configure(options)
    } catch {
      throw ValidationError(error.message)
    }
  }
}

/// A command that reads media.
protocol MediaCommand: ParsableCommand {
  var network: NetworkOptions { get }
  /// Whether `--root` was given.
  var isConfined: Bool { get }
}

extension MediaCommand {
  var isConfined: Bool { false }
}
