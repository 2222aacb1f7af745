import Diagnosis
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite("Allowed hosts")
struct PolicyTests {
  @Test(
    "patterns match hosts and ports",
    arguments: [
      ("h.org", "https://h.org/", true), ("H.Org", "http://h.ORG:81/", true),
      ("h.org.", "https://h.org/", true), ("h.org", "https://h.org./", true),
      ("h.org", "https://x.h.org/", false), ("h.org", "https://xh.org/", false),
      ("h.org:443", "https://h.org/", true), ("h.org:443", "http://h.org/", false),
      ("h.org:80", "http://h.org/", true), ("h.org:8080", "http://h.org:8080/", true),
      ("*.h.org", "https://x.h.org/", true), ("*.h.org", "https://x.y.h.org/", true),
      ("*.h.org", "https://h.org/", false), ("*.h.org", "https://xh.org/", false),
      ("*.h.org:81", "https://x.h.org/", false), ("*", "https://anything/", true),
      ("*", "https://[2001:db8::1]/", true), ("*:8080", "http://h:8080/", true),
      ("[::1]:8080", "http://[0:0::1]:8080/", true), ("[::1]", "http://[::2]/", false),
      ("[::1]", "http://[::ffff:0.0.0.1]/", false), ("127.0.0.1", "http://127.0.0.1:9/", true),
      ("127.0.0.1", "http://127.1/", false), ("[::1]", "http://h/", false),
      ("a_b-c", "http://a_b-c/", true),
    ])
  func patterns(text: String, url: String, isMatch: Bool) throws {
    #expect(try HostPattern(text).matches(try MediaURL(url)) == isMatch)
  }

  @Test(
    "patterns that are none are refused with what is wrong about them",
    arguments: [
      ("", HostPatternError.empty), ("https://h", .address), ("h/x", .address),
      ("u@h", .credentials), ("ä.org", .host), ("h h", .host), (".h", .host), ("h..x", .host),
      (".", .host), ("h:", .port("")), ("h:0", .port("0")), ("h:65536", .port("65536")),
      ("h:+1", .port("+1")), ("h:8x", .port("8x")), ("h:\n1", .port("?1")), ("::1", .brackets),
      ("[::1", .brackets), ("[::1]x", .host), ("[h]", .host), ("[]", .host), ("[::1]:", .port("")),
      ("h.*", .wildcard), ("**", .wildcard), ("*h.org", .wildcard), ("x.*.org", .wildcard),
      ("h\u{212A}.org", .host), ("*.1", .wildcard), ("*.168.192", .wildcard), ("*.", .host),
      ("*.*", .host), (":80", .host),
      ("h:*", .port("*")), ("h\0", .host),
    ])
  func wrongPatterns(text: String, error: HostPatternError) {
    #expect(throws: error) { try HostPattern(text) }
    #expect(!error.fault.isEmpty && !error.remedy.isEmpty)
  }

  @Test(
    "an address is allowed that is public, or whose host is named exactly",
    arguments: [
      ([], "10.0.0.1", false), (["*"], "10.0.0.1", false), (["*.lan"], "10.0.0.1", false),
      (["nas.lan"], "10.0.0.1", true), (["nas.lan:80"], "10.0.0.1", true),
      (["nas.lan:81"], "10.0.0.1", false), (["*", "nas.lan"], "::1", true), ([], "1.1.1.1", true),
      (["*"], "2606:4700::1111", true), (["other.lan"], "127.0.0.1", false),
    ])
  func addresses(hosts: [String], address: String, isAllowed: Bool) throws {
    let policy = AddressPolicy(allowedHosts: try hosts.map { try HostPattern($0) })
    let host = address.contains(":") ? "[\(address)]" : address
    let found = try #require(NetworkAddress(host: host))
    let result = Result { try policy.check(found, of: try MediaURL("http://nas.lan/")) }
    #expect(((try? result.get()) != nil) == isAllowed)
  }

  @Test(
    "a name leads to no link-local address, and where names are not trusted to public ones alone",
    arguments: [
      ("nas.lan", true, "10.0.0.1", true), ("nas.lan", true, "127.0.0.1", true),
      ("nas.lan", true, "fd00::1", true), ("nas.lan", true, "169.254.169.254", false),
      ("nas.lan", true, "fe80::1", false), ("nas.lan", true, "::ffff:169.254.169.254", false),
      ("nas.lan:80", true, "169.254.169.254", false), ("localhost", true, "fe80::1", false),
      ("nas.lan", false, "10.0.0.1", false), ("nas.lan", false, "127.0.0.1", false),
      ("nas", false, "10.0.0.1", false), ("h.org", false, "169.254.169.254", false),
      ("h.org", false, "fd00:ec2::254", false), ("h.org", false, "1.1.1.1", true),
      ("h.org:80", false, "100.64.0.1", false), ("localhost", false, "127.0.0.1", true),
      ("localhost", false, "::1", true), ("x.localhost", false, "127.0.0.1", true),
      ("localhost", false, "10.0.0.1", false), ("10.0.0.1", false, "10.0.0.1", true),
      ("10.0.0.1", false, "10.0.0.2", false), ("0x7f.1", false, "127.0.0.1", true),
      ("169.254.169.254", false, "169.254.169.254", true), ("[fe80::1]", false, "fe80::1", true),
      ("[::1]", false, "::1", true), ("[::ffff:10.0.0.1]", false, "::ffff:10.0.0.1", true),
      ("[fd00::1]", false, "fd00::2", false),
    ])
  func names(host: String, trustsNames: Bool, address: String, isAllowed: Bool) throws {
    let policy = AddressPolicy(allowedHosts: [try HostPattern(host)], trustsNames: trustsNames)
    let found = try #require(
      NetworkAddress(host: address.contains(":") ? "[\(address)]" : address))
    let url = try MediaURL("http://\(host)/")
    let error = isAllowed ? nil : HTTPError.forbiddenAddressOfName(url.authority, found.scope)
    let result = Result { () throws(HTTPError) in try policy.check(found, of: url) }
    if case .failure(let thrown) = result { #expect(thrown == error) } else { #expect(isAllowed) }
  }

  @Test(
    "this machine is not connected to in any spelling",
    arguments: [
      "127.0.0.1", "localhost", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1",
      "017700000001", "127.255.255.254",
    ])
  func loopback(host: String) throws {
    let server = try FaultServer.shared.get()
    let path = "plain/a.bin?forbidden"
    for hosts in [[], ["*"]] {
      let answer = Answer(HTTPRequest(try server.url(path, host: host)), from: .local(hosts))
      #expect(answer.error == .forbiddenAddress("\(host):\(server.port)", .loopback))
    }
    #expect(try server.requests(for: "?forbidden").isEmpty)
  }

  @Test(
    "addresses that are not public are not connected to",
    arguments: [
      ("0.0.0.0", NetworkAddress.Scope.unspecified), ("0", .unspecified), ("[::]", .unspecified),
      ("[::1]", .loopback), ("[::ffff:127.0.0.1]", .loopback), ("[::ffff:7f00:1]", .loopback),
      ("[64:ff9b::7f00:1]", .loopback), ("[2002:7f00:1::]", .loopback), ("10.0.0.1", .private),
      ("192.168.0.1", .private), ("172.16.0.1", .private), ("100.64.0.1", .shared),
      ("169.254.169.254", .linkLocal), ("[fe80::1]", .linkLocal), ("[fd00::1]", .private),
      ("224.0.0.1", .multicast), ("255.255.255.255", .reserved), ("192.0.2.1", .documentation),
    ])
  func notPublic(host: String, scope: NetworkAddress.Scope) throws {
    let url = try MediaURL("http://\(host):9/x")
    let error = HTTPError.forbiddenAddress("\(host):9", scope)
    let address = try #require(NetworkAddress(host: host))
    #expect(throws: error) { try AddressPolicy().check(address, of: url) }
    // Curl does not ask for sockets that the machine does not have.
    if host.hasPrefix("["), !Self.hasIPv6 { return }
    #expect(Answer(HTTPRequest(url), from: .local([])).error == error)
  }

  private static let hasIPv6: Bool = {
    let socket = Glibc.socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
    if socket >= 0 { close(socket) }
    return socket >= 0
  }()

  @Test("a host that no pattern names is not asked for")
  func otherHosts() throws {
    let answer = Answer(HTTPRequest(try MediaURL("http://h.invalid/")), from: .local(["*.org"]))
    #expect(answer.error == .forbiddenHost("h.invalid"))
  }

  @Test("through a proxy, addresses and names of this machine are held to the policy by name")
  func proxies() throws {
    let server = try FaultServer.shared.get()
    let environment = ["http_proxy": "http://127.0.0.1:\(server.port)"]
    let client = HTTPClient.local([], environment: environment)
    let answer = Answer(
      HTTPRequest(try MediaURL("http://media.example.com/plain/a.bin?proxied")), from: client)
    #expect(answer.error == nil && answer.bytes == FaultServer.bytes)
    #expect(try server.requests(for: "?proxied").map { $0["host"] } == ["media.example.com"])
    for host in [
      "localhost", "LOCALHOST.", "x.localhost", "127.0.0.1", "0x7f.1", "2130706433", "[::1]",
      "[::ffff:10.0.0.1]", "192.168.1.1", "169.254.169.254", "ip6-localhost",
    ] {
      let url = try MediaURL("http://\(host)/plain/a.bin?never")
      guard case .forbiddenAddress = Answer(HTTPRequest(url), from: client).error else {
        Issue.record("\(host) was asked for")
        continue
      }
      let redirect = try MediaURL("http://h.org/redirect=302/\(escaped(url.absoluteText))")
      guard case .forbiddenAddress = Answer(HTTPRequest(redirect), from: client).error else {
        Issue.record("\(host) was redirected to")
        continue
      }
    }
    #expect(try server.requests(for: "?never").isEmpty)
    let down = HTTPClient.local([], environment: ["http_proxy": "http://127.0.0.1:1"])
    guard case .proxy = Answer(HTTPRequest(try MediaURL("http://h.org/")), from: down).error else {
      Issue.record("a proxy that is not there is no fault of the server's")
      return
    }
  }

  @Test(
    "proxies are those of the environment",
    arguments: [
      (["http_proxy": "p"], "http://h/", "p"), (["http_proxy": "p"], "https://h/", nil),
      (["HTTP_PROXY": "p"], "http://h/", nil), (["HTTPS_PROXY": "p"], "https://h/", "p"),
      (["https_proxy": "a", "HTTPS_PROXY": "b"], "https://h/", "a"),
      (["all_proxy": "p"], "http://h/", "p"), (["ALL_PROXY": "p"], "https://h/", "p"),
      (["https_proxy": "", "all_proxy": "p"], "https://h/", "p"),
      (["all_proxy": "p", "no_proxy": "*"], "http://h/", nil),
      (["all_proxy": "p", "no_proxy": "a, h.org"], "http://x.H.org./", nil),
      (["all_proxy": "p", "NO_PROXY": ".h.org"], "http://h.org/", nil),
      (["all_proxy": "p", "no_proxy": "h.org"], "http://xh.org/", "p"),
      (["all_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://10.1.2.3/", nil),
      (["all_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://11.1.2.3/", "p"),
      (["all_proxy": "p", "no_proxy": "10.0.0.1/x"], "http://10.0.0.1/", "p"),
      (["all_proxy": "p", "no_proxy": "127.0.0.1"], "http://0x7f.1/", nil),
      (["all_proxy": "p", "no_proxy": "::1,fd00::/8"], "http://[fd00::1]/", nil),
      (["all_proxy": "p", "no_proxy": "::1"], "http://[0::1]/", nil),
      (["all_proxy": "p", "no_proxy": "."], "http://h/", "p"),
      (["all_proxy": "socks5://p:1080"], "http://h/", "socks5h://p:1080"),
      (["all_proxy": "SOCKS4://p"], "http://h/", "socks4a://p"),
      (["all_proxy": "socks5h://p"], "http://h/", "socks5h://p"),
    ] as [([String: String], String, String?)])
  func environment(variables: [String: String], url: String, proxy: String?) throws {
    #expect(NetworkEnvironment(variables).proxy(for: try MediaURL(url)) == proxy)
  }

  @Test("authorities are those of curl's variable, or else of OpenSSL's")
  func authorities() {
    func file(_ variables: [String: String]) -> String? {
      NetworkEnvironment(variables).authorityFile(builtIn: "built", isReadable: { $0 == "built" })
    }
    let both = ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"]
    #expect(file(both) == "a" && NetworkEnvironment(both).authorityFolder == nil)
    let other = ["SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"]
    #expect(file(other) == "b" && NetworkEnvironment(other).authorityFolder == "c")
    #expect(file(["CURL_CA_BUNDLE": ""]) == nil)
  }

  @Test(
    "authorities of another distribution are found where the library's own file is not there",
    arguments: [
      ("built", ["built", "/etc/ssl/cert.pem"], nil),
      (
        "built", ["/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"],
        "/etc/pki/tls/certs/ca-bundle.crt"
      ),
      (nil, ["/etc/ssl/ca-bundle.pem"], "/etc/ssl/ca-bundle.pem"),
      ("built", [], nil),
    ] as [(String?, [String], String?)])
  func distributions(builtIn: String?, files: [String], expected: String?) {
    let none = NetworkEnvironment([:])
    #expect(none.authorityFile(builtIn: builtIn, isReadable: files.contains) == expected)
    // A folder is the only place, where it is named.
    let folder = NetworkEnvironment(["SSL_CERT_DIR": "c"])
    #expect(folder.authorityFile(builtIn: builtIn, isReadable: files.contains) == nil)
  }
}
