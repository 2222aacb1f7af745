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
    try write(value, path: [])
    flush()
  }

  fileprivate func write<Value: Encodable>(_ value: Value, path: [any CodingKey]) throws {
    if Value.self == Origin.self || Value.self == FileIdentity.self {
      put(.null)
    } else if Value.self == CodedPath.self, let path = value as? CodedPath {
      put(.path)
      put(bytes: name(.file(path.wrappedValue)))
    } else if Value.self == MediaLocation.self, let location = value as? MediaLocation {
      put(.path)
      put(bytes: name(location))
    } else {
      guard !(Value.self is any Unordered.Type) else {
        throw EncodingError.invalidValue(
          value, EncodingError.Context(codingPath: path, debugDescription: "has no order"))
      }
      open()
      let level = depth
      try value.encode(to: CanonicalContainer(self, codingPath: path, level: level))
      close(to: level - 1)
    }
    if buffer.count >= Self.blockSize { flush() }
  }

  private func flush() {
    buffer.withUnsafeBytes(feed)
    buffer.removeAll(keepingCapacity: true)
  }

  fileprivate func open() {
    put(.open)
    depth += 1
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

/// One container of a value, at a level of nesting: keyed, unkeyed or single.
private struct CanonicalContainer {
  let encoder: CanonicalEncoder
  let codingPath: [any CodingKey]
  let level: Int
  var count = 0

  init(_ encoder: CanonicalEncoder, codingPath: [any CodingKey], level: Int) {
    self.encoder = encoder
    self.codingPath = codingPath
    self.level = level
  }

  /// Writes the key or mark of the container's next value.
  ///
  /// - Throws: `EncodingError` where another container was written to since.
  func begin() throws -> CanonicalEncoder {
    guard encoder.depth >= level else {
      throw EncodingError.invalidValue(
        level, EncodingError.Context(codingPath: codingPath, debugDescription: "is closed"))
    }
    encoder.close(to: level)
    return encoder
  }

  func nested() -> CanonicalContainer {
    encoder.open()
    return CanonicalContainer(encoder, codingPath: codingPath, level: encoder.depth)
  }
}

extension CanonicalContainer: Encoder {
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedCanonicalContainer<Key>(container: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension CanonicalContainer: SingleValueEncodingContainer, UnkeyedEncodingContainer {
  mutating func encodeNil() throws { try begin().put(.null) }
  mutating func encode(_ value: Bool) throws { try begin().put(value ? .yes : .no) }
  mutating func encode(_ value: String) throws { try begin().put(.text, value) }
  mutating func encode(_ value: Double) throws { try begin().put(.double, value.bitPattern) }
  mutating func encode(_ value: Float) throws { try begin().put(.float, UInt64(value.bitPattern)) }
  mutating func encode(_ value: Int) throws { try put(Int64(value)) }
  mutating func encode(_ value: Int8) throws { try put(Int64(value)) }
  mutating func encode(_ value: Int16) throws { try put(Int64(value)) }
  mutating func encode(_ value: Int32) throws { try put(Int64(value)) }
  mutating func encode(_ value: Int64) throws { try put(value) }
  mutating func encode(_ value: UInt) throws { try begin().put(.natural, UInt64(value)) }
  mutating func encode(_ value: UInt8) throws { try begin().put(.natural, UInt64(value)) }
  mutating func encode(_ value: UInt16) throws { try begin().put(.natural, UInt64(value)) }
  mutating func encode(_ value: UInt32) throws { try begin().put(.natural, UInt64(value)) }
  mutating func encode(_ value: UInt64) throws { try begin().put(.natural, value) }
  mutating func encode<T: Encodable>(_ value: T) throws {
    try begin().write(value, path: codingPath)
  }

  private func put(_ value: Int64) throws {
    try begin().put(.integer, UInt64(bitPattern: value))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.close(to: level)
    return KeyedEncodingContainer(KeyedCanonicalContainer<NestedKey>(container: nested()))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.close(to: level)
    return nested()
  }

  mutating func superEncoder() -> any Encoder {
    encoder.close(to: level)
    return nested()
  }
}

/// A container that writes each value behind its key.
private struct KeyedCanonicalContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var container: CanonicalContainer
  var codingPath: [any CodingKey] { container.codingPath }

  private func at(_ key: any CodingKey) throws -> CanonicalContainer {
    try container.begin().put(.key, key.stringValue)
    return container
  }

  private func nested(at key: any CodingKey) -> CanonicalContainer {
    container.encoder.close(to: container.level)
    container.encoder.put(.key, key.stringValue)
    return container.nested()
  }

  mutating func encodeNil(forKey key: Key) throws { try put(key) { try $0.encodeNil() } }
  mutating func encode(_ value: Bool, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: String, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Double, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Float, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Int, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Int8, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Int16, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Int32, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: Int64, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: UInt, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: UInt8, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: UInt16, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: UInt32, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode(_ value: UInt64, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try put(key) { try $0.encode(value) }
  }

  private func put(_ key: Key, _ write: (inout CanonicalContainer) throws -> Void) throws {
    var container = try at(key)
    try write(&container)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedCanonicalContainer<NestedKey>(container: nested(at: key)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(at: key)
  }

  mutating func superEncoder() -> any Encoder { nested(at: SuperKey()) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { nested(at: key) }
}

/// The key under which a class encodes its superclass.
private struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}
