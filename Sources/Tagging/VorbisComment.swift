/// The comments of a FLAC, Vorbis or Opus stream: fields in order, of which one may stand several times
/// (Xiph's "Ogg Vorbis I format specification: comment field and header specification").
package struct VorbisComment: Sendable, Hashable {
  /// One field.
  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// As a comment holds it, behind its length.
    fileprivate var bytes: [UInt8] { Array("\(name)=\(value)".utf8) }
  }

  package private(set) var fields: [Field] = []
  /// Names of fields whose texts are not UTF-8, and are taken for Windows-1252.
  package private(set) var guessed: [String] = []

  /// Fields that are read, and bytes of one: longer ones are pictures.
  private static let (fieldLimit, sizeLimit) = (10_000, 1 << 20)

  /// Reads vendor and fields; what lies behind a length that cannot be true is left out.
  ///
  /// - Parameter bytes: From the vendor's length on.
  /// - Complexity: O(n)
  package init(parsing bytes: ArraySlice<UInt8>) {
    for range in Self.ranges(in: bytes).prefix(Self.fieldLimit) where range.count <= Self.sizeLimit
    {
      let field = bytes[range]
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals > range.lowerBound else {
        continue
      }
      let name = String(decoding: field[..<equals], as: UTF8.self)
      let (value, isGuessed) = EightBitText.decoded(field[(equals + 1)...])
      if isGuessed, guessed.count < 100 { guessed.append(name) }
      fields.append(Field(name, value))
    }
  }

  /// Where the values of the fields that hold a picture lie, however long they are: of
  /// `METADATA_BLOCK_PICTURE`, and of `COVERART` before it (Xiph's "VorbisComment: Cover art").
  ///
  /// - Parameter bytes: From the vendor's length on.
  /// - Returns: Names in capitals, in the order of the fields.
  /// - Complexity: O(fields)
  package static func pictures(
    in bytes: ArraySlice<UInt8>
  ) -> [(name: String, value: Range<Int>)] {
    ranges(in: bytes).prefix(fieldLimit).compactMap { range in
      let head = bytes[range].prefix(pictureFields.reduce(0) { max($0, $1.utf8.count) } + 1)
      guard let equals = head.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = String(decoding: head[..<equals], as: UTF8.self).uppercased()
      return pictureFields.contains(name) ? (name, equals + 1..<range.upperBound) : nil
    }
  }

  private static let pictureFields = ["METADATA_BLOCK_PICTURE", "COVERART"]

  /// Where the fields lie, without their lengths.
  private static func ranges(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    var position = bytes.startIndex
    func number() -> Int? {
      guard bytes.endIndex - position >= 4 else { return nil }
      defer { position += 4 }
      return bytes[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard let vendor = number(), vendor <= bytes.endIndex - position else { return [] }
    position += vendor
    guard let count = number() else { return [] }
    var ranges: [Range<Int>] = []
    // Each has at least its length.
    for _ in 0..<min(count, bytes.count / 4) {
      guard let size = number(), size <= bytes.endIndex - position else { break }
      ranges.append(position..<position + size)
      position += size
    }
    return ranges
  }
}

extension VorbisComment {
  /// The name of the field that stands for others until they are put in its place.
  package static let placeholder = "_"

  /// Fields as comments have them one behind the other, each behind its length.
  package static func encoded(_ fields: [Field]) -> [UInt8] {
    fields.flatMap { number($0.bytes.count) + $0.bytes }
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) }
  }

  /// The value of a field `placeholder` that is as long as `fields` are; nil without any.
  package static func placeholderValue(for fields: [Field]) -> String? {
    guard !fields.isEmpty else { return nil }
    let size = encoded(fields).count
    return String(repeating: "x", count: max(0, size - 4 - placeholder.utf8.count - 1))
  }

  /// Comments with `fields` in place of their field `placeholder`: as many bytes. libavformat's own
  /// comments have each name once, and some under others.
  ///
  /// - Parameters:
  ///   - bytes: From the vendor's length on; what lies behind the fields stays.
  ///   - fields: Those that take the placeholder's place.
  /// - Returns: nil without a placeholder of that size.
  package static func replacingPlaceholder(
    in bytes: [UInt8], with fields: [Field]
  ) -> [UInt8]? {
    guard let value = placeholderValue(for: fields) else { return bytes }
    let wanted = Field(placeholder, value).bytes.count
    let ranges = ranges(in: bytes[...])
    guard
      let place = ranges.first(where: {
        $0.count == wanted && bytes[$0].starts(with: "\(placeholder)=".utf8)
      }), let first = ranges.first
    else { return nil }
    var result = bytes
    result.replaceSubrange(place.lowerBound - 4..<place.upperBound, with: encoded(fields))
    // The count stands before the first field's length.
    let count = ranges.count - 1 + fields.count
    result.replaceSubrange(first.lowerBound - 8..<first.lowerBound - 4, with: number(count))
    return result
  }
}
