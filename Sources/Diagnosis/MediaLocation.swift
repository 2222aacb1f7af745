import SystemPackage

/// The place of a medium: a file on this machine, an address on a server, or a source of the program's
/// own.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum MediaLocation: Sendable {
  /// A path, absolute or relative to the process's folder.
  case file(FilePath)
  /// An address.
  case remote(MediaURL)
  /// Bytes that the program has itself. Two locations are equal if their sources are one object, which
  /// lives as long as a location of it, and so as long as a library that has read it.
  case source(any MediaSource)

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

  /// The path; nil for an address or a source.
  public var file: FilePath? {
    if case .file(let path) = self { path } else { nil }
  }

  /// The address; nil for a file or a source.
  public var url: MediaURL? {
    if case .remote(let url) = self { url } else { nil }
  }

  /// The source; nil for a file or an address.
  public var source: (any MediaSource)? {
    if case .source(let source) = self { source } else { nil }
  }

  /// The file's name, without folders and query; nil if the path ends in a slash.
  package var lastName: String? {
    switch self {
    case .file(let path): path.lastComponent?.string
    case .remote(let url): url.lastComponent.isEmpty ? nil : url.lastComponent
    case .source(let source): Self.lastName(of: source.name)
    }
  }

  private static func lastName(of name: String) -> String? {
    let isAddress = MediaURL.scheme(of: name) != nil
    let path =
      isAddress
      ? Substring(name.unicodeScalars.prefix { $0 != "?" && $0 != "#" }) : name[...]
    return path.splitScalars(at: "/", omittingEmptySubsequences: false).last.flatMap {
      $0.isEmpty ? nil : String($0)
    }
  }

  /// `lastName` as a component of a path.
  package var fileName: FilePath.Component? {
    let path = file ?? FilePath(lastName ?? "")
    return path.lastComponent.flatMap { $0.kind == .regular ? $0 : nil }
  }

  /// The file's name without its extension; nil without a file's name.
  package var stem: String? {
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
    // No path contains a zero.
    case .source(let source): Array("\0\(source.name)".utf8)
    }
  }

  /// The location for files on disk and for reports: without the secrets of an address.
  package var redacted: MediaLocation {
    switch self {
    case .file, .source: self
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
    case .source(let source): source.name
    }
  }
}

extension MediaLocation: Hashable {
  /// Whether both are one place: the same path or address, or one source.
  public static func == (left: MediaLocation, right: MediaLocation) -> Bool {
    switch (left, right) {
    case (.file(let left), .file(let right)): left == right
    case (.remote(let left), .remote(let right)): left == right
    case (.source(let left), .source(let right)): left === right
    default: false
    }
  }

  /// By the path, the address, or the source's identity.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .file(let path): hasher.combine(path)
    case .remote(let url): hasher.combine(url)
    case .source(let source): hasher.combine(ObjectIdentifier(source))
    }
  }
}

extension MediaLocation: Comparable {
  /// Files first, by their paths, then addresses, and sources by their names; among sources of one name
  /// the order is that of a run.
  public static func < (left: MediaLocation, right: MediaLocation) -> Bool {
    switch (left, right) {
    case (.file(let left), .file(let right)):
      left.bytes.lexicographicallyPrecedes(right.bytes)
    case (.remote(let left), .remote(let right)): left < right
    case (.source(let left), .source(let right)):
      (left.name, UInt(bitPattern: ObjectIdentifier(left).hashValue))
        < (right.name, UInt(bitPattern: ObjectIdentifier(right).hashValue))
    default: left.rank < right.rank
    }
  }
}

extension MediaLocation {
  /// The order of kinds.
  private var rank: Int {
    switch self {
    case .file: 0
    case .remote: 1
    case .source: 2
    }
  }
}

extension MediaLocation {
  /// Checks that another process can read the medium.
  ///
  /// - Throws: `Failure` for a source, whose bytes this process alone has.
  package func requireReadableByOtherProcesses() throws(Failure) {
    guard case .source = self else { return }
    throw Failure(
      .mendJob,
      "is a source of this program's own, whose bytes no other process has; run its job in this "
        + "process, without --isolate", location: self)
  }
}

extension MediaLocation: Codable {
  private enum CodingKeys: String, CodingKey { case url, source }

  /// Reads what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError`, also for a source: its bytes are those of the process that has it.
  public init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: CodingKeys.self) else {
      self = .file(try CodedPath(from: decoder).wrappedValue)
      return
    }
    if let name = try container.decodeIfPresent(String.self, forKey: .source) {
      throw DecodingError.dataCorruptedError(
        forKey: .source, in: container,
        debugDescription: "'\(name)' is a source of another process, which alone has its bytes")
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
  /// processes of this run. Files on disk contain `redacted`. Of a source the name is written, as
  /// `{"source": …}`, for people to read.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .file(let path): try CodedPath(wrappedValue: path).encode(to: encoder)
    case .remote(let url):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(url.absoluteText, forKey: .url)
    case .source(let source):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(source.name, forKey: .source)
    }
  }
}
