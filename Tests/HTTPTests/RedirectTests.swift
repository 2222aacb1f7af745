import Diagnosis
import TestSupport
import Testing

@testable import HTTP

@Suite("Redirects")
struct RedirectTests {
  @Test(
    "targets are resolved as RFC 3986 has it",
    arguments: [
      ("https://o.org/x", "https://o.org/x"), ("//o.org/x", "https://o.org/x"),
      ("/x?y", "https://h:8080/x?y"), ("x", "https://h:8080/b/c/x"),
      ("./x", "https://h:8080/b/c/x"),
      ("../x", "https://h:8080/b/x"), ("../../../x", "https://h:8080/x"),
      ("?z", "https://h:8080/b/c/d;p?z"), ("x#y", "https://h:8080/b/c/x"),
      ("#y", "https://h:8080/b/c/d;p?q"), ("x/../y/.", "https://h:8080/b/c/y/"),
      ("..", "https://h:8080/b/"), ("/a//b", "https://h:8080/a//b"),
      ("x?a=/../b", "https://h:8080/b/c/x?a=/../b"),
      ("ü", "https://h:8080/b/c/%C3%BC"), ("a/b:c", "https://h:8080/b/c/a/b:c"),
      // Signs beside what makes one `Character` with them.
      ("?\u{301}z", "https://h:8080/b/c/d;p?%CC%81z"), ("/\u{301}x", "https://h:8080/%CC%81x"),
      ("x#\u{301}y", "https://h:8080/b/c/x"), ("/\u{D4E}/../x", "https://h:8080/x"),
      ("HTTPS://O.org", "https://o.org/"), ("https://u:p@o.org/x", "https://u:p@o.org/x"),
    ])
  func targets(location: String, expected: String) throws {
    let url = try MediaURL("https://anna:hush@h:8080/b/c/d;p?q")
    #expect(try Redirect.target(of: location, from: url).absoluteText == expected)
  }

  @Test(
    "targets that are no address of a medium are refused by name",
    arguments: [
      ("file:///etc/passwd", MediaURLError.otherScheme("file")),
      ("FILE:/etc/passwd", .otherScheme("file")), ("ftp://h/x", .otherScheme("ftp")),
      ("gopher://h:70/_x", .otherScheme("gopher")), ("javascript:1", .otherScheme("javascript")),
      ("data:,x", .otherScheme("data")), ("https:x", .noAddress), ("https://", .noHost),
      ("https:///x", .noHost), ("//", .noHost), ("https://h:99999/", .port),
      ("/a b", .byte(0x20)), ("/a\tb", .byte(0x09)), ("/a\u{1}", .byte(1)),
      ("\\\\h\\x", .byte(0x5C)),
      ("https://h\\@o.org/", .userinfo), ("/%00", .escape), ("https://ä.org/", .host),
      ("https://h:\u{1B}[2J/", .port),
    ])
  func refused(location: String, error: MediaURLError) throws {
    let url = try MediaURL("https://h/b")
    #expect(throws: HTTPError.redirect(error)) { try Redirect.target(of: location, from: url) }
  }

  @Test("a redirect from https to http is refused, and the other way is not")
  func downgrade() throws {
    let (safe, open) = (try MediaURL("https://h/"), try MediaURL("http://h/"))
    #expect(throws: HTTPError.downgrade) { try Redirect.target(of: "http://h/", from: safe) }
    #expect(try Redirect.target(of: "https://h/", from: open) == safe)
  }

  @Test(
    "are followed with range and conditions, and not shown",
    arguments: [301, 302, 303, 307, 308])
  func followed(status: Int) throws {
    let server = try FaultServer.shared.get()
    let name = "plain/a.bin?to-\(status)"
    var request = HTTPRequest(
      try server.url("redirect=\(status)/%2F\(escaped(name))"), range: .bytes(5..<9))
    request.ifRange = "Thu, 01 Jan 1970 00:00:00 GMT"
    request.ifNoneMatch = "\"x\""
    let answer = Answer(request, from: .local())
    #expect(answer.error == nil && answer.heads == 1 && answer.head?.status == 200)
    let records = try server.requests(for: name)
    #expect(records.map { $0["range"] } == ["bytes=5-8"])
    #expect(records.first?["If-Range"] == request.ifRange)
    #expect(records.first?["If-None-Match"] == "\"x\"")
  }

  @Test("end at the limit")
  func loops() throws {
    let server = try FaultServer.shared.get()
    #expect(try Answer("loop/endless").error == .tooManyRedirects(8))
    #expect(try server.requests(for: "loop/endless").count == 9)
    let bare = escaped("HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n")
    #expect(try Answer("raw=\(bare)/").error == .redirectWithoutTarget)
    #expect(try Answer("status=300/x").error == .status(300, retryAfter: nil))
  }

  @Test("to other schemes are refused, and nothing is opened")
  func schemes() throws {
    let folder = TestFolder()
    try writeFile(folder.path("secret"), Array("secret".utf8))
    let file = escaped("file://\(folder.path("secret"))")
    let answer = try Answer("redirect=302/\(file)")
    #expect(answer.error == .redirect(.otherScheme("file")) && answer.bytes.isEmpty)
    let ftp = try Answer("redirect=307/\(escaped("ftp://127.0.0.1/x"))")
    #expect(ftp.error == .redirect(.otherScheme("ftp")))
    let newline = try Answer("redirect=302/\(escaped("/a\u{1}b"))")
    // A control character in a field is no field for curl, or no address for us.
    #expect(newline.error != nil && newline.bytes.isEmpty)
  }

  @Test("are held to the same hosts and addresses")
  func policy() throws {
    let server = try FaultServer.shared.get()
    // The first server is allowed by its name; it is not the one that it redirects to.
    for (target, error) in [
      (
        "http://localhost:\(server.port)/plain/a.bin",
        HTTPError.forbiddenHost("localhost:\(server.port)")
      ),
      ("http://127.1:\(server.port)/plain/a.bin", .forbiddenHost("127.1:\(server.port)")),
      ("http://169.254.169.254/latest", .forbiddenHost("169.254.169.254")),
    ] {
      #expect(try Answer("redirect=302/\(escaped(target))").error == error)
    }
    let client = HTTPClient.local(["127.0.0.1", "*"])
    for (host, scope) in [
      ("localhost:\(server.port)", NetworkAddress.Scope.loopback),
      ("127.1:\(server.port)", .loopback), ("169.254.169.254", .linkLocal),
    ] {
      let target = escaped("http://\(host)/plain/a.bin")
      let request = HTTPRequest(try server.url("redirect=302/\(target)"))
      let answer = Answer(request, from: client)
      #expect(answer.error == .forbiddenAddress(host, scope) && answer.bytes.isEmpty)
    }
  }

  @Test("take user and password to the same origin, and to no other")
  func credentials() throws {
    let server = try FaultServer.shared.get()
    let client = HTTPClient.local(["127.0.0.1", "localhost"])
    func request(to target: String) throws -> HTTPRequest {
      HTTPRequest(
        try MediaURL(
          "http://anna:hush@127.0.0.1:\(server.port)/redirect=302/\(escaped(target))"))
    }
    let here = "auth=anna:hush/a.bin?here"
    #expect(Answer(try request(to: "/" + here), from: client).error == nil)
    let there = "auth=anna:hush/a.bin?there"
    let other = try server.url(there, host: "localhost").absoluteText
    #expect(Answer(try request(to: other), from: client).error == .status(401, retryAfter: nil))
    #expect(try server.requests(for: here).compactMap { $0["Authorization"] }.count == 1)
    #expect(try server.requests(for: there).count == 1)
    #expect(try server.requests(for: there).allSatisfy { $0["Authorization"] == nil })
    // There and back again.
    let back = escaped("http://127.0.0.1:\(server.port)/\(here)")
    let detour = try server.url("redirect=302/\(back)", host: "localhost").absoluteText
    #expect(Answer(try request(to: detour), from: client).error == nil)
  }
}
