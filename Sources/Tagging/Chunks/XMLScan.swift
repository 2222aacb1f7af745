/// Finds where the elements of an XML text lie, in one pass. It knows tags, comments, CDATA, processing
/// instructions and document types (XML 1.0, 2.4 to 2.8), and expands nothing.
struct XMLScan {
  private(set) var elements: [IXML.Element] = []
  /// What is wrong with it; the elements up to there are found.
  private(set) var fault: String?
  /// Whether it has more elements than are kept.
  private(set) var isFull = false

  /// An element whose end was not found yet.
  private struct Open {
    let name: ArraySlice<UInt8>
    let path: String
    let start: Int
    let content: Int
  }

  private let bytes: [UInt8]
  private var position = 0
  private var open: [Open] = []
  /// Elements within the deepest that is kept.
  private var deeper = 0
  private static let (depthLimit, nameLimit) = (16, 64)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      fault = "it is not UTF-8"
    }
    while fault == nil, let next = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = next
      step()
    }
    if fault == nil, !open.isEmpty { fault = "an element does not end" }
    elements.sort { $0.whole.lowerBound < $1.whole.lowerBound }
  }

  /// Goes over what begins at a `<`.
  private mutating func step() {
    let rest = bytes[position...]
    if rest.starts(with: "<!--".utf8) {
      skip(past: "-->", from: 4, "a comment does not end")
    } else if rest.starts(with: "<![CDATA[".utf8) {
      skip(past: "]]>", from: 9, "a CDATA section does not end")
    } else if rest.starts(with: "<?".utf8) {
      skip(past: "?>", from: 2, "an instruction does not end")
    } else if rest.starts(with: "<!".utf8) {
      skipDeclaration()
    } else {
      tag()
    }
  }

  private mutating func skip(past mark: String, from offset: Int, _ problem: String) {
    let mark = Array(mark.utf8)
    var place = position + offset
    while let next = bytes[place...].firstIndex(of: mark[0]) {
      if bytes[next...].starts(with: mark) {
        position = next + mark.count
        return
      }
      place = next + 1
    }
    fault = problem
  }

  /// A document type, with what it declares between brackets.
  private mutating func skipDeclaration() {
    var depth = 0
    for index in bytes[position...].indices {
      switch bytes[index] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0:
        position = index + 1
        return
      default: break
      }
    }
    fault = "a document type does not end"
  }

  /// A tag at its start, its end or both.
  private mutating func tag() {
    let start = position
    var quote: UInt8?
    let end = bytes[start...].firstIndex { byte in
      if let known = quote {
        if byte == known { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      return quote == nil && byte == UInt8(ascii: ">")
    }
    guard let end else {
      fault = "a tag does not end"
      return
    }
    position = end + 1
    let inner = bytes[(start + 1)..<end]
    if inner.first == UInt8(ascii: "/") {
      close(Self.name(inner.dropFirst()), at: start)
    } else {
      let isEmpty = inner.last == UInt8(ascii: "/")
      begin(Self.name(isEmpty ? inner.dropLast() : inner), at: start, isEmpty: isEmpty)
    }
  }

  private static func name(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    tag.prefix(nameLimit).prefix { $0 > 0x20 }
  }

  private mutating func begin(_ name: ArraySlice<UInt8>, at start: Int, isEmpty: Bool) {
    guard deeper == 0, open.count < Self.depthLimit else {
      if !isEmpty { deeper += 1 }
      return
    }
    // The root has no path of its own.
    let text = String(decoding: name, as: UTF8.self)
    let parent = open.last?.path ?? ""
    let path = open.isEmpty ? "" : parent.isEmpty ? text : parent + "/" + text
    let element = Open(name: name, path: path, start: start, content: position)
    if isEmpty { keep(element, contentEnd: position) } else { open.append(element) }
  }

  private mutating func close(_ name: ArraySlice<UInt8>, at start: Int) {
    guard deeper == 0 else {
      deeper -= 1
      return
    }
    guard let last = open.popLast(), last.name == name else {
      fault = "the tags of its elements do not pair"
      return
    }
    keep(last, contentEnd: start)
  }

  private mutating func keep(_ element: Open, contentEnd: Int) {
    guard !element.path.isEmpty else { return }
    guard elements.count < ChunkLimits.entries else {
      isFull = true
      return
    }
    elements.append(
      IXML.Element(
        path: element.path, content: element.content..<contentEnd,
        whole: element.start..<position))
  }
}
