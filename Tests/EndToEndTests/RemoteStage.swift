import TestSupport

/// A stage with a cache of its own, beside a server with faults.
struct RemoteStage {
  /// A server of `Fixtures`, for all tests.
  private static let fixtures = Result { try FaultServer.ofFixtures() }

  let stage = Stage()
  let server: FaultServer
  /// The query of the stage's addresses, which tells its requests from those of other tests.
  let query: String

  /// A stage beside the server of `Fixtures`, or of the stage's own files.
  init(servingItself: Bool = false) throws {
    server = try servingItself ? FaultServer(of: stage.folder) : Self.fixtures.get()
    query = "stage=\(stage.folder.root.split(separator: "-").last ?? "")"
  }

  /// As `--allow-host` takes it.
  var host: String { "localhost:\(server.port)" }

  func path(fault: String, _ name: String) -> String { "/\(fault)/\(name)?\(query)" }

  func url(_ fault: String, _ name: String) -> String {
    "http://\(host)\(path(fault: fault, name))"
  }

  /// As `Stage.run`; `$host` is the server's.
  func run(_ script: String) throws -> ToolResult {
    try stage.run(script, environment: environment)
  }

  /// As `Stage.make`.
  @discardableResult
  func make(_ script: String) throws -> ToolResult {
    try stage.make(script, environment: environment)
  }

  /// What names the cache and the server to a command.
  var environment: [String: String] {
    [
      "AVJOB_CACHE": stage.path("cache"), "host": host, "NETRC": "/nonexistent", "no_proxy": "*",
    ]
  }

  /// The requests of this stage, in their order.
  func requests() throws -> [[String: String]] { try server.requests(for: query) }
}

extension [[String: String]] {
  /// Bytes of all bodies.
  var bodyBytes: Int { reduce(0) { $0 + ($1["bytes"].flatMap { Int($0) } ?? 0) } }
}
