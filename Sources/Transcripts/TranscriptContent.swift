import MediaTime

extension Transcript {
  /// All of it in a text that no other transcript has, for a digest: many thousand words take their time
  /// member by member. O(n)
  package var content: String {
    var content = Content()
    content.add(language)
    for cue in cues {
      content.add(cue.range)
      content.add(cue.text)
      for text in [cue.speaker, cue.markup, cue.settings, cue.identifier] { content.add(text) }
      content.add(cue.number.map(Int64.init))
      content.add(cue.endsParagraph ? 1 : 0)
      content.add(cue.isMomentary ? 1 : 0)
      content.add(Int64(cue.words.count))
      for word in cue.words {
        content.add(word.text)
        content.add(word.range)
        content.add(word.confidence.map { Int64(bitPattern: $0.bitPattern) })
      }
    }
    return String(decoding: content.bytes, as: UTF8.self)
  }
}

/// Values one after the other. Each says where it ends, so that no two lists of values look alike.
private struct Content {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String?) {
    add(text.map { Int64($0.utf8.count) })
    if let text { bytes += text.utf8 }
  }

  mutating func add(_ number: Int64?) {
    guard let number else { return bytes.append(UInt8(ascii: "-")) }
    var rest = UInt64(bitPattern: number)
    // Hexadecimal digits, the least first.
    while rest > 0 {
      bytes.append(UInt8(ascii: "a") + UInt8(rest & 15))
      rest >>= 4
    }
    bytes.append(UInt8(ascii: ";"))
  }

  mutating func add(_ range: TimeRange?) {
    guard let range else { return bytes.append(UInt8(ascii: "-")) }
    for time in [range.start, range.duration] {
      add(time.value)
      add(Int64(time.timescale))
      add(Int64(time.flags.rawValue))
    }
  }
}
