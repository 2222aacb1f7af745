import Diagnosis
import LibAV
import MediaCache
import MediaComposition
import Synchronization

/// Media of the program's own sources.
extension MediaNetwork {
  /// The bytes of a source, which its owner reads on one thread at a time: from the source itself, or
  /// through the cache where the source asks for that, cannot be read at any place, or does not say how
  /// long it is.
  ///
  /// - Throws: `Failure`
  static func bytes(of source: any MediaSource) throws(Failure) -> any ByteSource {
    let information = try source.checkedInformation()
    if let length = information.contentLength, !source.isCached(information) {
      return SourceBytes(source, length: length)
    }
    return CachedReader(try medium(of: source, information), named: .source(source))
  }

  /// What distinguishes a source's medium from others, in the form of a file's.
  ///
  /// - Throws: `Failure`
  static func identity(of source: any MediaSource) throws(Failure) -> FileIdentity {
    let information = try source.checkedInformation()
    let size: Int64
    if let length = information.contentLength {
      size = length
    } else {
      size = try medium(of: source, information).size
    }
    let content = information.validator ?? "object \(SourceNumbers.number(of: source))"
    let name = source.cacheIdentifier ?? source.name
    return try identity(
      of: Array("\(name)\n\(content)\n\(size)".utf8), size: size, on: FileIdentity.sourceDevice,
      location: .source(source))
  }

  /// A medium of a server, or of a source that is read through the cache; nil for a file and for other
  /// sources.
  ///
  /// - Throws: `Failure`
  static func cachedMedium(of location: MediaLocation) throws(Failure) -> CachedMedium? {
    switch location {
    case .file: return nil
    case .remote(let url): return try medium(at: url)
    case .source(let source):
      let information = try source.checkedInformation()
      guard source.isCached(information) else { return nil }
      return try medium(of: source, information)
    }
  }

  /// The address of a medium in the cache: a server's own, or that of a source which is read through
  /// the cache; nil for a file and for other sources, also those that do not answer.
  ///
  /// A source is asked what is known of it.
  package static func cacheAddress(of location: MediaLocation) -> MediaURL? {
    switch location {
    case .file: return nil
    case .remote(let url): return url
    case .source(let source):
      guard let information = try? source.checkedInformation(), source.isCached(information) else {
        return nil
      }
      return try? address(of: source, information)
    }
  }

  private static func medium(
    of source: any MediaSource, _ information: MediaContentInformation
  ) throws(Failure) -> CachedMedium {
    let url = try address(of: source, information)
    do throws(Failure) {
      let medium = try cache().medium(at: url)
      guard medium.size > 0 else {
        throw Failure(.mendInput, "is empty (0 bytes)", location: .source(source))
      }
      return medium
    } catch {
      throw error.naming(.source(source), insteadOf: url)
    }
  }

  /// The address under which the cache knows a source's medium: another content has another one.
  private static func address(
    of source: any MediaSource, _ information: MediaContentInformation
  ) throws(Failure) -> MediaURL {
    let number = "\(SourceNumbers.number(of: source))"
    let name = (source.cacheIdentifier ?? "object-\(number)").utf8.percentEncoded()
    let content = information.validator.map { Array($0.utf8) } ?? Array("object \(number)".utf8)
    do {
      let digest = try content.withUnsafeBytes { try SHA256.digest($0) }
      let text = "https://\(SourceTable.host)/\(name)?\(digest.prefix(20).map(\.self).hexadecimal)"
      let url = try MediaURL(text)
      // What may not be kept goes with its source.
      for gone in sources.note(source, at: url) { try? cache().release(at: gone) }
      return url
    } catch let error as MediaURLError {
      throw Failure(
        .mendInput, "its cacheIdentifier makes no address: \(error.fault); choose a shorter one",
        location: .source(source))
    } catch {
      throw Failure(.mendMachine, "\(error)", location: .source(source))
    }
  }
}

extension MediaLocation {
  /// Whether it is read through the cache: a server's medium, or one of a source that asks for that or
  /// needs it.
  var isFetched: Bool { MediaNetwork.cacheAddress(of: self) != nil }
}

extension MediaSource {
  /// Whether it is read through the cache.
  fileprivate func isCached(_ information: MediaContentInformation) -> Bool {
    cacheIdentifier != nil || !information.isByteRangeAccessSupported
      || information.contentLength == nil
  }

  /// The type of its medium as the extension of a name; nil where it is not known.
  var typeExtension: String? { (try? checkedInformation())?.fileExtension }
}

extension FileIdentity {
  /// The device of media that are a program's own; Linux gives no device this number.
  static let sourceDevice: UInt64 = .max - 1
}

/// Numbers of sources, of which no two of a machine are equal: an address in memory may be used again.
private enum SourceNumbers {
  private struct Known {
    weak var source: (any MediaSource)?
    let number: UInt64
  }

  private static let known = Mutex<[ObjectIdentifier: Known]>([:])

  static func number(of source: any MediaSource) -> UInt64 {
    known.withLock { known in
      let key = ObjectIdentifier(source)
      if let found = known[key], found.source === source { return found.number }
      if known.count.nonzeroBitCount == 1 { known = known.filter { $0.value.source != nil } }
      let number = UInt64.random(in: .min ... .max)
      known[key] = Known(source: source, number: number)
      return number
    }
  }
}
