import Diagnosis
import Glibc

/// The variables of proxies, passwords and authorities, as curl(1) reads them.
struct NetworkEnvironment: Sendable, Hashable {
  /// The variables that are set and not empty.
  private let variables: [String: String]

  private static let names = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    "NETRC", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR",
  ]

  /// An environment with these variables alone.
  init(_ variables: [String: String]) {
    self.variables = variables.filter { !$0.value.isEmpty }
  }

  /// The environment of this process, as it is now.
  static var process: NetworkEnvironment {
    let found = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return NetworkEnvironment(Dictionary(found) { first, _ in first })
  }

  private func first(_ names: String...) -> String? {
    names.lazy.compactMap { variables[$0] }.first
  }

  /// The file of passwords; nil for `~/.netrc` (CURLOPT_NETRC_FILE).
  var passwordFile: String? { first("NETRC") }

  /// The file of authorities; nil for that of the library (CURLOPT_CAINFO).
  ///
  /// A library that was built for another distribution has a file that may not be there: the first one
  /// of the usual files is taken in its place.
  ///
  /// - Parameters:
  ///   - builtIn: The library's own file.
  ///   - isReadable: Whether there is such a file, and this process may read it.
  /// - Returns: nil where the library's own file or folder is to be used.
  func authorityFile(builtIn: String?, isReadable: (String) -> Bool) -> String? {
    if let file = first("CURL_CA_BUNDLE", "SSL_CERT_FILE") { return file }
    if authorityFolder != nil || builtIn.map(isReadable) == true { return nil }
    return Self.usualAuthorityFiles.first(where: isReadable)
  }

  /// Of Debian, Arch and Alpine; Fedora and RHEL; SUSE; newer RHEL; and Alpine without a package.
  private static let usualAuthorityFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The folder of authorities; nil for that of the library (CURLOPT_CAPATH).
  var authorityFolder: String? {
    variables["CURL_CA_BUNDLE"] == nil ? first("SSL_CERT_DIR") : nil
  }

  /// The proxy for a URL; nil without one.
  ///
  /// Ignores `HTTP_PROXY`, which clients of a CGI program can set (CVE-2016-5385). A SOCKS proxy gets
  /// the name of the server, as every other one does: `socks5` is `socks5h`, `socks4` is `socks4a`.
  func proxy(for url: MediaURL) -> String? {
    let proxy =
      switch url.scheme {
      case .http: first("http_proxy", "all_proxy", "ALL_PROXY")
      case .https: first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
      }
    return isExcepted(url.host) ? nil : proxy.map(Self.resolvingProxy)
  }

  private static func resolvingProxy(_ address: String) -> String {
    switch MediaURL.scheme(of: address) {
    case "socks4": "socks4a" + address.dropFirst(6)
    case "socks5": "socks5h" + address.dropFirst(6)
    default: address
    }
  }

  /// Whether `no_proxy` lists a host: as `*`, or by a name of a host or domain, an address, or a
  /// network such as `10.0.0.0/8` (CURLOPT_NOPROXY).
  private func isExcepted(_ host: String) -> Bool {
    guard let list = first("no_proxy", "NO_PROXY") else { return false }
    let entries = list.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
    if entries == ["*"] { return true }
    if let address = NetworkAddress(host: host) {
      return entries.contains { Self.network($0, has: address) }
    }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return entries.contains { entry in
      var domain = entry.drop { $0 == "." }
      if domain.hasSuffix(".") { domain.removeLast() }
      return !domain.isEmpty && (name == domain || name.hasSuffix(".\(domain)"))
    }
  }

  private static func network(_ text: Substring, has address: NetworkAddress) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let isBare = parts[0].contains(":") && !parts[0].hasPrefix("[")
    let host = isBare ? "[\(parts[0])]" : String(parts[0])
    guard let network = NetworkAddress(host: host), network.bytes.count == address.bytes.count
    else { return false }
    let all = 8 * address.bytes.count
    guard let bits = parts.count == 1 ? all : Int(parts[1]), (0...all).contains(bits) else {
      return false
    }
    return (0..<bits).allSatisfy { bit in
      (network.bytes[bit / 8] ^ address.bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
    }
  }
}
