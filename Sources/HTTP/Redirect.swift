import Diagnosis

/// The owner of credentials and connections: a scheme, a host and a port (RFC 6454, 4).
struct Origin: Sendable, Hashable {
  let scheme: MediaURL.Scheme
  let host: String
  let port: Int

  /// The origin of a URL.
  init(_ url: MediaURL) {
    (scheme, host) = (url.scheme, url.host)
    port = url.port ?? url.scheme.port
  }
}

/// The targets of redirects (RFC 9110, 10.2.2; RFC 3986, 5).
enum Redirect {
  /// Whether a status redirects a GET.
  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  /// Resolves Location in an answer to `url`, without the credentials of `url`.
  ///
  /// - Throws: `HTTPError.redirect` for a text that is not the address of a medium, and
  ///   `downgrade`.
  static func target(of location: String, from url: MediaURL) throws(HTTPError) -> MediaURL {
    // By scalars: an accent that follows a '?' makes one character with it.
    let text = location.unicodeScalars.prefix { $0 != "#" }
    let target: MediaURL
    do throws(MediaURLError) {
      target = try MediaURL(try absolute(String(text), from: url))
    } catch {
      throw .redirect(error)
    }
    if url.scheme == .https, target.scheme == .http { throw .downgrade }
    return target
  }

  /// Resolves a reference (RFC 3986, 5.2.2).
  private static func absolute(
    _ text: String, from url: MediaURL
  ) throws(MediaURLError) -> String {
    let origin = url.scheme.rawValue + "://" + url.authority
    if text.startsWithScalars("//") { return "\(url.scheme.rawValue):\(text)" }
    if text.isEmpty { return origin + url.path + (url.query.map { "?" + $0 } ?? "") }
    if text.startsWithScalars("?") { return origin + url.path + text }
    if let scheme = MediaURL.scheme(of: text, before: ":") {
      // `http:path` is deprecated (5.2.2), and servers do not send it.
      guard MediaURL.scheme(of: text) != nil else {
        throw MediaURL.Scheme(rawValue: scheme) == nil ? .otherScheme(scheme) : .noAddress
      }
      return text
    }
    let end = text.unicodeScalars.firstIndex(of: "?") ?? text.endIndex
    let path: Substring
    if text.startsWithScalars("/") {
      path = text[..<end]
    } else {
      let last = url.path.lastIndex(of: "/") ?? url.path.startIndex
      path = Substring(url.path[...last] + text[..<end])
    }
    return origin + withoutDots(path) + String(text[end...])
  }

  /// Removes `.` and `..` from a path (RFC 3986, 5.2.4).
  private static func withoutDots(_ path: Substring) -> String {
    var kept: [Substring] = []
    let parts = Substring(path.unicodeScalars.dropFirst())
      .splitScalars(at: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(part)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
