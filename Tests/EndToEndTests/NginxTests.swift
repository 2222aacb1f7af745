import TestSupport
import Testing

/// The command's requests to a server that is not part of the tests: nginx, with HTTP/2, TLS by a
/// private authority, redirects, passwords and compression.
///
/// Only where nginx is installed, as in CI: its package starts a server that a developer may not
/// want.
@Suite("Media of nginx", .serialized, .enabled(if: NginxServer.isInstalled))
struct NginxTests {
  private static let server = Result { try NginxServer() }

  /// The command, with a cache of its own.
  private func avjob(
    _ arguments: String..., in folder: TestFolder, adding variables: [String: String] = [:]
  ) throws -> ToolResult {
    let server = try Self.server.get()
    var environment = [
      "AVJOB_CACHE": folder.path("cache"), "CURL_CA_BUNDLE": server.folder.path("cert.pem"),
      "HOME": folder.root,
    ]
    environment.merge(variables) { $1 }
    let all = arguments + ["--allow-host", "localhost:\(server.port)"]
    return try Tool.run([Command.path] + all, environment: environment)
  }

  private func url(_ path: String, user: String = "") throws -> String {
    "https://\(user)localhost:\(try Self.server.get().port)/\(path)"
  }

  @Test(
    "a clip over HTTP/2 and TLS is that of the file, nothing is compressed, and is fetched once")
  func clip() throws {
    let (folder, server) = (TestFolder(), try Self.server.get())
    let (mine, theirs) = (folder.path("a.wav"), folder.path("b.wav"))
    for _ in 1...2 {
      let made = try avjob(
        "clip", "-q", "--force", try url("open/take.ogg"), "--from", "5s", "--to", "8s", "-o", mine,
        in: folder)
      #expect(made.status == 0, "\(made.errors)")
    }
    let local = server.folder.path("take.ogg")
    try Tool.succeed(
      Command.path, "clip", "-q", local, "--from", "5s", "--to", "8s", "-o", theirs)
    #expect(try readFile(mine) == readFile(theirs))
    let requests = try server.requests().filter { $0[4].hasPrefix("/open/") }
    #expect(requests.allSatisfy { $0[0] == "HTTP/2.0" && $0[3] == "identity" }, "\(requests)")
    #expect(requests.filter { $0[1] == "304" }.count == 1, "\(requests)")
    let size = try readFile(local).count
    #expect(requests.reduce(0) { $0 + (Int($1[2]) ?? 0) } <= size)
  }

  @Test("a certificate that no known authority has signed is refused")
  func certificate() throws {
    let refused = try avjob(
      "probe", try url("open/take.ogg"), in: TestFolder(),
      adding: ["CURL_CA_BUNDLE": "/etc/ssl/certs/ca-certificates.crt"])
    #expect(refused.status != 0)
    #expect(refused.errors.contains("certificate"), "\(refused.errors)")
  }

  @Test("a password comes from the address or from netrc, and is in no message")
  func passwords() throws {
    let folder = TestFolder()
    let none = try avjob("probe", try url("closed/take.ogg"), in: folder)
    #expect(none.errors.contains("the server answered 401 (Unauthorized)"), "\(none.errors)")
    let wrong = try avjob("probe", try url("closed/take.ogg", user: "ann:wr0ng@"), in: folder)
    #expect(wrong.status != 0 && !wrong.errors.contains("wr0ng"), "\(wrong.errors)")
    let right = try avjob("probe", try url("closed/take.ogg", user: "ann:s3cret@"), in: folder)
    #expect(right.status == 0 && !right.text.contains("s3cret"), "\(right.errors)")
    let netrc = folder.path("netrc")
    try writeFile(netrc, Array("machine localhost login ann password s3cret\n".utf8))
    let kept = try avjob(
      "probe", try url("closed/take.ogg"), in: TestFolder(), adding: ["NETRC": netrc])
    #expect(kept.status == 0, "\(kept.errors)")
  }

  @Test("a redirect is followed, and one from https to http is not")
  func redirects() throws {
    let followed = try avjob("probe", try url("moved/x.ogg"), in: TestFolder())
    #expect(followed.status == 0, "\(followed.errors)")
    let refused = try avjob("probe", try url("away/x.ogg"), in: TestFolder())
    #expect(refused.status == 2)
    let message = "the server redirects from https:// to http://; use an https:// address"
    #expect(refused.errors.contains(message), "\(refused.errors)")
  }

  @Test(
    "a job is made, and a medium is played, over HTTP/2, through a redirect, with netrc's password",
    arguments: [("open", "open"), ("moved", "other"), ("closed", "closed")])
  func runAndPreview(path: String, served: String) throws {
    let (folder, server) = (TestFolder(), try Self.server.get())
    let (netrc, job) = (folder.path("netrc"), folder.path("job.yaml"))
    try writeFile(netrc, Array("machine localhost login ann password s3cret\n".utf8))
    let address = try url("\(path)/take.ogg") + "?run-\(path)"
    try writeFile(job, Array("clip: \(address) 5s..8s\noutput: out.wav\n".utf8))
    let before = try server.requests().count
    let made = try avjob("run", "-q", job, in: folder, adding: ["NETRC": netrc])
    #expect(made.status == 0, "\(made.errors)")
    let local = folder.path("local.wav")
    try Tool.succeed(
      Command.path, "clip", "-q", server.folder.path("take.ogg"), "--from", "5s", "--to", "8s",
      "-o",
      local)
    #expect(try readFile(folder.path("out.wav")) == readFile(local))
    let played = try avjob(
      "preview", address, "--from", "5s", "--to", "6s", "--device", "null", in: folder,
      adding: ["NETRC": netrc, "AVJOB_CACHE": folder.path("other-cache")])
    #expect(played.status == 0, "\(played.errors)")
    let requests = try server.requests().dropFirst(before)
    let bodies = requests.filter { $0[4] == "/\(served)/take.ogg" && $0[1] == "206" }
    #expect(bodies.count >= 2 && bodies.allSatisfy { $0[0] == "HTTP/2.0" }, "\(requests)")
  }
}
