import SystemPackage

/// The place of a medium: a file on this machine, or an address on a server.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum MediaLocation: Sendable, Hashable {
  /// A path, absolute or relative to the process's folder.
  case file(FilePath)
  /// An address.
  case remote(MediaURL)

  /// Parses a user's text: an address if it begins with a scheme and `://`, otherwise a path.
  ///
  /// - Throws: `Failure` (`mendJob`) for a malformed address.
  public init(parsing text: String) throws(Failure) {
    guard MediaURL.scheme(of: text) != nil else {
      self = .file(FilePath(text))
      return
    }
    do throws(MediaURLError) {
      self = .remote(try MediaURL(text))
    } catch {
      throw Failure(.mendJob, "'\(MediaURL.shown(text))': \(error.fault); \(error.remedy)")
    }
  }

  /// The path; nil for an address.
  public var file: FilePath? {
    if case .file(let path) = self { path } else { nil }
  }

  /// The address; nil for a file.
  public var url: MediaURL? {
    if case .remote(let url) = self { url } else { nil }
  }

  /// The file's name, without folders and query; nil if the path ends in a slash.
  public var lastName: String? {
    switch self {
    case .file(let path): path.lastComponent?.string
    case .remote(let url): url.lastComponent.isEmpty ? nil : url.lastComponent
    }
  }

  /// `lastName` as a component of a path.
  public var fileName: FilePath.Component? {
    let path = file ?? FilePath(lastName ?? "")
    return path.lastComponent.flatMap { $0.kind == .regular ? $0 : nil }
  }

  /// The file's name without its extension; nil without a file's name.
  public var stem: String? {
    file.map(\.stem) ?? fileName?.stem
  }

  /// The identity of the location, for a digest: the bytes of a path, or of an address with its
  /// query and its user, to whom the server may give another file than to others. The password may
  /// change, and is left out.
  package var bytes: [UInt8] {
    switch self {
    case .file(let path): path.bytes
    case .remote(let url):
      // No address contains a line break.
      Array(
        (url.withoutCredentials.absoluteText + (url.credentials.map { "\n" + $0.user } ?? "")).utf8)
    }
  }

  /// The location for files on disk and for reports: without the secrets of an address.
  public var redacted: MediaLocation {
    switch self {
    case .file: self
    case .remote(let url): .remote(url.redacted)
    }
  }
}

extension MediaLocation: CustomStringConvertible {
  /// The location for messages: without the secrets of an address.
  public var description: String {
    switch self {
    case .file(let path): path.string
    case .remote(let url): url.description
    }
  }
}

extension MediaLocation: Comparable {
  /// Files first, by their paths.
  public static func < (left: MediaLocation, right: MediaLocation) -> Bool {
    switch (left, right) {
    case (.file(let left), .file(let right)):
      left.bytes.lexicographicallyPrecedes(right.bytes)
    case (.file, .remote): true
    case (.remote, .file): false
    case (.remote(let left), .remote(let right)): left < right
    }
  }
}

extension MediaLocation: Codable {
  private enum CodingKeys: String, CodingKey { case url }

  /// Reads what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError`
  public init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: CodingKeys.self) else {
      self = .file(try CodedPath(from: decoder).wrappedValue)
      return
    }
    let text = try container.decode(String.self, forKey: .url)
    do throws(MediaURLError) {
      self = .remote(try MediaURL(text))
    } catch {
      throw DecodingError.dataCorruptedError(
        forKey: .url, in: container, debugDescription: error.fault)
    }
  }

  /// Writes a path as `CodedPath` does, and an address as `{"url": …}`, with its secrets, for other
  /// processes of this run. Files on disk contain `redacted`.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .file(let path): try CodedPath(wrappedValue: path).encode(to: encoder)
    case .remote(let url):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(url.absoluteText, forKey: .url)
    }
  }
}
