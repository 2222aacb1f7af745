import TestSupport
import Testing

/// Where the command does not go.
@Suite("Servers that are not asked") struct RemoteSafetyTests {
  private func refusal(_ call: String, in stage: RemoteStage) throws -> String {
    let result = try stage.run("avjob \(call)")
    #expect(result.status == 2 && result.text.isEmpty)
    #expect(try stage.run("avjob cache list").text == "the cache is empty\n")
    return result.errors
  }

  @Test("below --root, no server is asked that is not named")
  func root() throws {
    let stage = try RemoteStage()
    let url = stage.url("plain", "sweep.mp3")
    try stage.stage.write("job.yaml", "clip: \(url)\noutput: out.wav\n")
    let message = "below --root no server is asked that is not named; add --allow-host localhost"
    #expect(try refusal("run -q --root . job.yaml", in: stage).contains(message))
    #expect(try stage.requests().isEmpty)
    try stage.make("avjob run -q --root . --allow-host $host job.yaml")
    #expect(try !stage.requests().isEmpty)
  }

  @Test("the cache gives nothing of a server that is not allowed, and below --root nothing unasked")
  func cached() throws {
    let stage = try RemoteStage()
    let url = stage.url("maxage=60", "sweep.mp3")
    try stage.stage.write("job.yaml", "clip: \(url)\noutput: out.wav\n")
    try stage.make("avjob run -q --allow-host $host job.yaml; rm out.wav")
    let before = try stage.requests().count
    for options in ["", "--root .", "--offline", "--offline --root ."] {
      let other = try stage.run("avjob run -q \(options) --allow-host localhost:1 job.yaml")
      #expect(other.status == 2 && other.errors.contains("'\(stage.host)' is not an allowed host"))
    }
    #expect(try stage.run("avjob run -q --offline --root . job.yaml").status == 2)
    try stage.make("avjob run -q --allow-host $host job.yaml")
    #expect(try stage.requests().count == before)
    try stage.make("rm out.wav; avjob run -q --root . --allow-host $host job.yaml")
    #expect(try stage.requests().count == before + 1)
    #expect(try stage.requests().last?["If-None-Match"] != nil)
  }

  @Test("a server of this machine is not asked unless it is named, at its port")
  func loopback() throws {
    let stage = try RemoteStage()
    let url = "http://\(stage.host)/plain/sweep.mp3"
    #expect(
      try refusal("probe \(url)", in: stage) == """
        error: '\(url)': '\(stage.host)' has a loopback address, which is not allowed; add \
        --allow-host '\(stage.host)' if you trust this server

        """)
    #expect(
      try refusal("probe --allow-host localhost:1 \(url)", in: stage) == """
        error: '\(url)': '\(stage.host)' is not an allowed host; add --allow-host '\(stage.host)'

        """)
    #expect(
      try refusal("probe --allow-host '*' \(url)", in: stage).contains("has a loopback address"))
  }

  /// The command behind a DNS that is not to be trusted: see `resolver.c`.
  private func run(_ script: String, in stage: RemoteStage) throws -> ToolResult {
    try stage.run(
      """
      avjob() { LD_PRELOAD=\(try Rig.resolver.get()) "$AVJOB" "$@"; }
      \(script)
      """)
  }

  @Test("below --root a name that is named leads to no address that is not public")
  func names() throws {
    let stage = try RemoteStage()
    let host = "loopback.rig:\(stage.server.port)"
    let url = "http://\(host)/plain/sweep.mp3?\(stage.query)"
    try stage.stage.write("job.yaml", "clip: \(url)\noutput: out.wav\n")
    let refused = try run("avjob run -q --root . --allow-host \(host) job.yaml", in: stage)
    #expect(refused.status == 2, "\(refused.errors)")
    #expect(
      refused.errors.contains(
        """
        the name '\(host)' has a loopback address, which is not allowed for names; write the \
        address instead of the name, and allow it, if you trust this server
        """), "\(refused.errors)")
    let unnamed = try run("avjob run -q job.yaml", in: stage)
    #expect(unnamed.errors.contains("'\(host)' has a loopback address, which is not allowed; add"))
    #expect(try stage.requests().isEmpty)
    let made = try run("avjob run -q --allow-host \(host) job.yaml", in: stage)
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test("a name that is named leads to no link-local address, where clouds keep passwords")
  func metadata() throws {
    let stage = try RemoteStage()
    let result = try run("avjob probe --allow-host metadata.rig http://metadata.rig/a", in: stage)
    #expect(result.status == 2)
    #expect(
      result.errors.contains("the name 'metadata.rig' has a link-local address"), "\(result.errors)"
    )
  }

  @Test("a process without free descriptors says so, and does not say that the server refuses it")
  func descriptors() throws {
    let stage = try RemoteStage()
    let url = stage.url("plain", "sweep.mp3")
    let result = try run(
      "RIG_NO_SOCKETS=1 avjob probe --allow-host $host '\(url)'", in: stage)
    #expect(result.errors.contains("no connection can be opened: too many open files"))
  }

  @Test(
    "no redirect leads to a file, another scheme, or a host that is not named",
    arguments: [
      ("file:%2F%2F%2Fetc%2Fpasswd", "'file://' is not supported"),
      ("ftp:%2F%2Flocalhost%2Fa.wav", "'ftp://' is not supported"),
      ("http:%2F%2F127.0.0.1:1%2Fa.wav", "'127.0.0.1:1' is not an allowed host"),
      ("http:%2F%2F10.0.0.1%2Fa.wav", "'10.0.0.1' is not an allowed host"),
      ("http:%2F%2F[::1]:1%2Fa.wav", "'[::1]:1' is not an allowed host"),
    ])
  func redirects(target: String, message: String) throws {
    let stage = try RemoteStage()
    let url = "http://\(stage.host)/redirect=302/\(target)"
    let screen = try refusal("probe --allow-host $host '\(url)'", in: stage)
    #expect(screen.contains(message), "\(screen)")
  }

  @Test("a redirect to a server that is named is followed")
  func goodRedirect() throws {
    let stage = try RemoteStage()
    let target = "http:%2F%2Flocalhost:\(stage.server.port)%2Fplain%2Fsweep.mp3%3F\(stage.query)"
    try stage.make(
      """
      avjob clip -q --allow-host $host 'http://\(stage.host)/redirect=307/\(target)' -o a.wav
      avjob clip -q $FIXTURES/sweep.mp3 -o b.wav
      cmp a.wav b.wav
      """)
  }

  @Test("no other scheme is a medium", arguments: ["ftp", "file", "gopher", "data"])
  func schemes(scheme: String) throws {
    let stage = try RemoteStage()
    #expect(
      try refusal("probe \(scheme)://localhost/a.wav", in: stage) == """
        error: '\(scheme)://localhost/a.wav': '\(scheme)://' is not supported; write an \
        address that begins with https:// or http://

        """)
  }
}
