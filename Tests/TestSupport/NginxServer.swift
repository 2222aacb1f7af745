import Glibc
import Synchronization
import Threads

/// nginx over a folder with a fixture, with HTTP/2, TLS and passwords; it ends with this process.
public final class NginxServer: Sendable {
  /// Whether it can be started.
  public static var isInstalled: Bool { access(program, X_OK) == 0 }
  /// Debian's folder of such programs is not on everybody's path.
  private static let program = "/usr/sbin/nginx"

  /// What it serves, its certificate, and its `access.log`.
  public let folder = TestFolder()
  /// On the loopback.
  public let port: Int
  private let process: Mutex<ChildProcess>

  /// Starts it.
  ///
  /// - Throws: `ToolFailure`, `ChildProcess.SystemError`, `WaitFailure`
  public init() throws {
    port = try Self.freePort()
    try Tool.succeed("cp", Fixture.path("feelings.ogg"), folder.path("take.ogg"))
    try Tool.succeed(
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
      folder.path("key.pem"), "-out", folder.path("cert.pem"))
    try writeFile(folder.path("users"), Array("ann:{PLAIN}s3cret\n".utf8))
    try writeFile(folder.path("nginx.conf"), Array(Self.configuration(port, folder.root).utf8))
    // The shell ends it with this process, which closes the shell's input however it ends.
    let child = try ChildProcess.spawn(
      "/bin/sh",
      arguments: [
        "-c", #"\#(Self.program) -p "$0" -c "$0/nginx.conf" & cat > /dev/null; kill $!"#,
        folder.root,
      ])
    process = Mutex(child)
    let pid = folder.path("pid")
    try wait(until: "nginx listens") { access(pid, R_OK) == 0 }
  }

  /// Of the requests: the protocol, the status, the bytes of the body, the encoding asked for, and
  /// the path.
  ///
  /// - Throws: `Errno`
  public func requests() throws -> [[Substring]] {
    String(decoding: try readFile(folder.path("access.log")), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: " ") }
  }

  private static func freePort() throws -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else { throw ToolFailure(description: "no port is free") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func configuration(_ port: Int, _ root: String) -> String {
    """
    \(geteuid() == 0 ? "user root;" : "")
    daemon off;
    worker_processes 1;
    pid \(root)/pid;
    error_log \(root)/error.log;
    events { }
    http {
      log_format short '$server_protocol $status $body_bytes_sent $http_accept_encoding $uri';
      access_log \(root)/access.log short;
      client_body_temp_path \(root)/body;
      proxy_temp_path \(root)/proxy;
      fastcgi_temp_path \(root)/fastcgi;
      uwsgi_temp_path \(root)/uwsgi;
      scgi_temp_path \(root)/scgi;
      types { audio/ogg ogg; }
      gzip on;
      gzip_types audio/ogg;
      server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(root)/cert.pem;
        ssl_certificate_key \(root)/key.pem;
        location /open/ { alias \(root)/; }
        location /closed/ {
          alias \(root)/;
          auth_basic "closed";
          auth_basic_user_file \(root)/users;
        }
        location /other/ { alias \(root)/; }
          location /moved/ { return 302 /other/take.ogg; }
        location /away/ { return 302 http://localhost:\(port)/open/take.ogg; }
      }
    }

    """
  }
}
