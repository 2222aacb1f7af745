import Tagging

/// Texts as frames hold them (2.4.0 structure §4, 2.3.0 §3.3), in any of the four encodings.
struct ID3Text {
  private let encoding: UInt8
  private var rest: ArraySlice<UInt8>
  /// Of UTF-16: whether the low byte comes first, as the last byte-order mark said.
  private var isLittleEndian = true
  /// Whether a text was no UTF-8 though its frame says so, and is taken for Windows-1252.
  private(set) var isGuessed = false

  /// `bytes` behind the byte that names the encoding; nil where there is no such encoding.
  init?(_ bytes: ArraySlice<UInt8>, encoding: UInt8) {
    guard encoding <= 3 else { return nil }
    self.encoding = encoding
    rest = bytes
    isLittleEndian = encoding != 2
  }

  private var width: Int { encoding == 1 || encoding == 2 ? 2 : 1 }

  /// The text up to its terminator, or to the end.
  mutating func next() -> String {
    var end = rest.startIndex
    while end <= rest.endIndex - width, rest[end..<end + width].contains(where: { $0 != 0 }) {
      end += width
    }
    let isTerminated = end <= rest.endIndex - width
    let bytes = rest[..<(isTerminated ? end : rest.endIndex)]
    rest = rest[(isTerminated ? end + width : rest.endIndex)...]
    return decode(bytes)
  }

  /// What follows the texts that were taken.
  var remainder: ArraySlice<UInt8> { rest }

  /// All texts that are left, without empty ones.
  mutating func all() -> [String] {
    var texts: [String] = []
    while !rest.isEmpty {
      let text = next()
      if !text.isEmpty { texts.append(text) }
    }
    return texts
  }

  private mutating func decode(_ bytes: ArraySlice<UInt8>) -> String {
    switch encoding {
    // Writers of ISO 8859-1 mean Windows-1252, which has letters where that has controls.
    case 0: return EightBitText.windows1252(bytes)
    case 3:
      let (text, isGuessed) = EightBitText.decoded(bytes)
      self.isGuessed = self.isGuessed || isGuessed
      return text
    default:
      var bytes = bytes
      if bytes.starts(with: [0xFF, 0xFE]) {
        isLittleEndian = true
        bytes = bytes.dropFirst(2)
      } else if bytes.starts(with: [0xFE, 0xFF]) {
        isLittleEndian = false
        bytes = bytes.dropFirst(2)
      }
      let (low, high) = isLittleEndian ? (0, 1) : (1, 0)
      let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
        UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + high]) << 8
      }
      return String(decoding: units, as: UTF16.self)
    }
  }

  /// ISO 8859-1, whose bytes are the first characters of Unicode.
  static func latin1(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return text
  }
}
