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

  @Test(
    "no redirect leads to a file, another scheme, or a host that is not named",
    arguments: [
      ("file:%2F%2F%2Fetc%2Fpasswd", "what 'file://' leads to is not read"),
      ("ftp:%2F%2Flocalhost%2Fa.wav", "what 'ftp://' leads to is not read"),
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
        error: '\(scheme)://localhost/a.wav': what '\(scheme)://' leads to is not read; write an \
        address that begins with https:// or http://

        """)
  }
}
