import Diagnosis
import Tagging

/// Counts the texts that an ASF file has of each name, of which libavformat gives one (ASF 1.2).
struct ASFValues {
  /// The Extended Content Description Object (3.11), the Header Extension Object (3.4), and of what
  /// stands in it the Metadata Library Object (4.8), by their GUIDs' first halves.
  private static let description: [UInt8] = [0x40, 0xA4, 0xD0, 0xD2, 0x07, 0xE3, 0xD2, 0x11]
  private static let extended: [UInt8] = [0xB5, 0x03, 0xBF, 0x5F, 0x2E, 0xA9, 0xCF, 0x11]
  private static let library: [UInt8] = [0x94, 0x1C, 0x23, 0x44, 0x98, 0x94, 0xD1, 0x49]

  /// More bytes than the header of any honest file has of them.
  private static let most = 1 << 24

  private var counts: [String: Int] = [:]
  /// Entries that may still be read.
  private var rest = 10_000

  /// The names that have several texts.
  static func repeated(in medium: MediumBytes) throws(Failure) -> [String] {
    let head = try medium.bytes(at: 0, count: 24)
    guard head.count == 24 else { return [] }
    // The header object's head has a number of objects and two bytes more (3.1).
    let end = Int64(clamping: AtomHead.number(head[16..<24].reversed()))
    var values = ASFValues()
    try values.add(in: 30..<max(30, min(end, try medium.size())), of: medium)
    return values.counts.filter { $0.value > 1 }.map(\.key).sorted()
  }

  private mutating func add(in range: Range<Int64>, of medium: MediumBytes) throws(Failure) {
    for chunk in try ContainerFacts.chunks(in: range, of: .asf, medium)
    where chunk.body.count < Self.most {
      let body = chunk.body
      switch try medium.bytes(at: body.lowerBound - 24, count: 8) {
      case Self.extended where range.lowerBound == 30 && body.count > 22:
        try add(in: body.lowerBound + 22..<body.upperBound, of: medium)
      case Self.description, Self.library:
        let isLibrary = try medium.bytes(at: body.lowerBound - 24, count: 8) == Self.library
        add(try medium.bytes(at: body.lowerBound, count: body.count), isLibrary: isLibrary)
      default: break
      }
    }
  }

  /// A number of entries; each has the sizes of its name and its value, and a type.
  private mutating func add(_ body: [UInt8], isLibrary: Bool) {
    var rest = body[...]
    func take(_ count: Int) -> [UInt8]? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func number(_ size: Int = 2) -> Int? {
      take(size).map { Int(AtomHead.number($0.reversed())) }
    }
    for _ in 0..<(number() ?? 0) where self.rest > 0 {
      self.rest -= 1
      // The library's begin with numbers of a language and a stream.
      if isLibrary, take(4) == nil { return }
      guard let size = number() else { return }
      let name: [UInt8]?
      let type: Int?
      if isLibrary {
        type = number()
        guard let length = number(4) else { return }
        name = take(size)
        guard take(length) != nil else { return }
      } else {
        name = take(size)
        type = number()
        guard let length = number(), take(length) != nil else { return }
      }
      // Texts have the type 0; pictures are streams.
      if type == 0, let name { count(name, isLibrary: isLibrary) }
    }
  }

  private mutating func count(_ name: [UInt8], isLibrary: Bool) {
    let units = stride(from: 0, to: name.count - 1, by: 2).map {
      UInt16(name[$0]) | UInt16(name[$0 + 1]) << 8
    }
    let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    // The first values of these stand in an object without names (3.10).
    let isKnown = ["Title", "Author", "Copyright", "Description", "Rating"].contains(text)
    counts[text, default: isLibrary && isKnown ? 1 : 0] += 1
  }
}
