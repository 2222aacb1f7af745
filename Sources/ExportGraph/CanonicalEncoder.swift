import Diagnosis
import MediaComposition
import SystemPackage

/// Writes values as bytes, for a digest: two values of one type give the same bytes if, and only
/// if, all that counts in them is equal.
///
/// Each value begins with a byte for its kind, texts and lists of bytes with their length, and
/// nested values are closed, so bytes have one reading. Keys stand in the order of declaration;
/// dictionaries and sets, which have no order, are refused.
///
/// Not encoded: where something was written (`Origin`) and a file's identity (`FileIdentity`),
/// which callers compare apart. Paths and addresses are written as `name` gives them.
package final class CanonicalEncoder {
  fileprivate var buffer: [UInt8] = []
  fileprivate var depth = 0
  private let name: (MediaLocation) -> [UInt8]
  private let feed: (UnsafeRawBufferPointer) -> Void

  fileprivate enum Mark: UInt8 {
    case open = 0x7B
    case close = 0x7D
    case key = 0x6B
    case null = 0x30
    case no = 0x6E
    case yes = 0x79
    case integer = 0x69
    case natural = 0x75
    case double = 0x64
    case float = 0x66
    case text = 0x73
    case path = 0x70
  }

  /// An encoder that writes paths as `name` has them, and everything to `feed`, a few KB at a time.
  package init(
    naming name: @escaping (MediaLocation) -> [UInt8],
    feeding feed: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    self.name = name
    self.feed = feed
    buffer.reserveCapacity(2 * Self.blockSize)
  }

  private static let blockSize = 4096

  /// Writes a value, and passes everything written to `feed`. O(size of the value).
  ///
  /// - Throws: As the value's own `encode(to:)`; `EncodingError` for a dictionary or a set in it.
  package func encode(_ value: some Encodable) throws {
    try write(value)
    flush()
  }

  fileprivate func write<Value: Encodable>(_ value: Value) throws {
    if Value.self == Origin.self || Value.self == FileIdentity.self {
      put(.null)
    } else if Value.self == CodedPath.self, let path = value as? CodedPath {
      put(.path)
      put(bytes: name(.file(path.wrappedValue)))
    } else if Value.self == MediaLocation.self, let location = value as? MediaLocation {
      put(.path)
      put(bytes: name(location))
    } else {
      guard !(Value.self is any Unordered.Type) else { throw Self.error(value, "has no order") }
      let container = open()
      try value.encode(to: container)
      close(to: container.level - 1)
    }
    if buffer.count >= Self.blockSize { flush() }
  }

  fileprivate static func error(_ value: Any, _ text: String) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: text))
  }

  private func flush() {
    buffer.withUnsafeBytes(feed)
    buffer.removeAll(keepingCapacity: true)
  }

  fileprivate func open() -> CanonicalContainer {
    put(.open)
    depth += 1
    return CanonicalContainer(encoder: self, level: depth)
  }

  /// Closes containers deeper than `level`: containers have no end of their own.
  fileprivate func close(to level: Int) {
    while depth > level {
      put(.close)
      depth -= 1
    }
  }

  fileprivate func put(_ mark: Mark) { buffer.append(mark.rawValue) }

  fileprivate func put(_ mark: Mark, _ bits: UInt64) {
    put(mark)
    withUnsafeBytes(of: bits.littleEndian) { buffer.append(contentsOf: $0) }
  }

  fileprivate func put(bytes: some Collection<UInt8>) {
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { buffer.append(contentsOf: $0) }
    buffer.append(contentsOf: bytes)
  }

  fileprivate func put(_ mark: Mark, _ text: String) {
    put(mark)
    put(bytes: text.utf8)
  }
}

/// Values without an order: their bytes would differ from run to run.
private protocol Unordered {}
extension Dictionary: Unordered {}
extension Set: Unordered {}

/// One container of a value, at a level of nesting: unkeyed or single, or what a keyed one writes to.
private struct CanonicalContainer: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  let encoder: CanonicalEncoder
  let level: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// No value asks for it.
  var count: Int { 0 }

  /// Ends what was opened in the container, before its next value.
  ///
  /// - Throws: `EncodingError` where another container was written to since.
  func begin() throws -> CanonicalEncoder {
    guard encoder.depth >= level else { throw CanonicalEncoder.error(level, "is closed") }
    encoder.close(to: level)
    return encoder
  }

  func nested() -> CanonicalContainer {
    encoder.close(to: level)
    return encoder.open()
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedCanonicalContainer<Key>(container: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { try begin().put(.null) }
  func encode(_ value: Bool) throws { try begin().put(value ? .yes : .no) }
  func encode(_ value: String) throws { try begin().put(.text, value) }
  func encode(_ value: Double) throws { try begin().put(.double, value.bitPattern) }
  func encode(_ value: Float) throws { try begin().put(.float, UInt64(value.bitPattern)) }
  func encode<Number: Encodable & FixedWidthInteger>(_ value: Number) throws {
    precondition(Number.bitWidth <= 64)
    try begin().put(Number.isSigned ? .integer : .natural, UInt64(truncatingIfNeeded: value))
  }
  func encode<Value: Encodable>(_ value: Value) throws { try begin().write(value) }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    nested().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested() }
  func superEncoder() -> any Encoder { nested() }
}

/// A container that writes each value behind its key.
private struct KeyedCanonicalContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let container: CanonicalContainer
  var codingPath: [any CodingKey] { [] }

  private func at(_ key: Key) throws -> CanonicalContainer {
    try container.begin().put(.key, key.stringValue)
    return container
  }

  private func nested(at key: Key) -> CanonicalContainer {
    container.encoder.close(to: container.level)
    container.encoder.put(.key, key.stringValue)
    return container.encoder.open()
  }

  func encodeNil(forKey key: Key) throws { try at(key).encodeNil() }
  func encode(_ value: Bool, forKey key: Key) throws { try at(key).encode(value) }
  func encode(_ value: String, forKey key: Key) throws { try at(key).encode(value) }
  func encode(_ value: Double, forKey key: Key) throws { try at(key).encode(value) }
  func encode(_ value: Float, forKey key: Key) throws { try at(key).encode(value) }
  func encode<Number: Encodable & FixedWidthInteger>(_ value: Number, forKey key: Key) throws {
    try at(key).encode(value)
  }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try at(key).encode(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { nested(at: key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(at: key) }
  func superEncoder() -> any Encoder { container.nested() }
  func superEncoder(forKey key: Key) -> any Encoder { nested(at: key) }
}
