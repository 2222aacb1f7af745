import SystemPackage

/// A path that is encoded as a text where its bytes are UTF-8, and else as the list of its bytes:
/// paths on Linux are bytes, and most of them should be readable where they are stored.
///
/// (`FilePath`'s own `Codable` writes an object of numbers in either case.)
@propertyWrapper
public struct CodedPath: Sendable, Hashable, Codable {
  /// The path itself.
  public var wrappedValue: FilePath

  /// A path to be encoded.
  public init(wrappedValue: FilePath) { self.wrappedValue = wrappedValue }

  /// Reads what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` for what is neither a text nor a list of bytes, and where there is a
  ///   zero byte, which no path has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let bytes: [UInt8]
    do {
      bytes = Array(try container.decode(String.self).utf8)
    } catch DecodingError.typeMismatch {
      bytes = try container.decode([UInt8].self)
    }
    guard !bytes.contains(0) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a path has no zero byte")
    }
    wrappedValue = FilePath(bytes: bytes)
  }

  /// Writes a text, or where that would lose bytes a list of numbers from 0 to 255.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let bytes = wrappedValue.bytes
    if let text = String(validating: bytes, as: UTF8.self) {
      try container.encode(text)
    } else {
      try container.encode(bytes)
    }
  }
}

extension FilePath {
  /// The bytes of the path, without the zero at its end.
  package var bytes: [UInt8] {
    withPlatformString { start in
      UnsafeBufferPointer(start: start, count: length).map { UInt8(bitPattern: $0) }
    }
  }

  /// The path of these bytes, up to the first zero.
  package init(bytes: some Sequence<UInt8>) {
    self = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }
}
