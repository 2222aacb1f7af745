/// A key of a terminal, for commands that are controlled by keys.
package enum Key: Hashable, Sendable {
  case character(Character)
  case up, down, right, left
  case pageUp, pageDown, home, end
  case enter, backspace, escape, tab
  case delete
  /// One of the keys above that are no characters, with one modifier. Not every terminal reports
  /// modifiers: on the Linux console the key comes without.
  indirect case modified(Modifier, Key)

  /// A key that is held while another one is pressed.
  package enum Modifier: Hashable {
    case shift, alt, control
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  package init(extendedGraphemeClusterLiteral character: Character) {
    self = .character(character)
  }
}

/// Makes keys of the bytes that a terminal sends: UTF-8, and the sequences of ECMA-48 as xterm, the
/// console of Linux and their like use them. Unknown keys are left out whole.
///
/// A sequence may come in pieces. What Escape alone sends is the start of one, so it is known to be a
/// key when nothing follows for a while: the caller then calls `endOfPause`.
package struct KeyReader {
  private var pending: [UInt8] = []

  package init() {}

  private static let escape: UInt8 = 0x1B
  /// No sequence of a key is longer.
  private static let longestSequence = 32

  /// Whether the next key has begun, and is not whole.
  package var isWaiting: Bool { !pending.isEmpty }

  /// The keys that are whole with these bytes.
  package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, length) = first() {
      pending.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// What the bytes are that nothing has followed: Escape, where they began with it. The rest of a
  /// sequence that was broken off is nothing.
  package mutating func endOfPause() -> [Key] {
    defer { pending = [] }
    return pending.first == Self.escape ? [.escape] : []
  }

  /// The key that the pending bytes begin with, nil for an unknown one, and how many bytes it takes; nil
  /// as a whole while the key is not complete.
  private func first() -> (key: Key?, length: Int)? {
    guard let byte = pending.first else { return nil }
    switch byte {
    case Self.escape: return sequence()
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0x09: return (.tab, 1)
    case 0..<0x20: return (nil, 1)
    default: return character()
    }
  }

  private func character() -> (key: Key?, length: Int)? {
    let length =
      switch pending[0] {
      case ..<0x80: 1
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    let bytes = pending.prefix(length)
    guard length > 0, !bytes.dropFirst().contains(where: { $0 & 0xC0 != 0x80 }) else {
      return (nil, 1)
    }
    guard bytes.count == length else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return (text.count == 1 ? text.first.map { .character($0) } : nil, length)
  }

  private func sequence() -> (key: Key?, length: Int)? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      // SS3: the arrows of a keypad in application mode; in rxvt small letters are with Ctrl.
      guard pending.count > 2 else { return nil }
      return (Self.key(pending[2], smallWith: .control), 3)
    // Another key follows: no terminal sends these two bytes for one key.
    default: return (.escape, 1)
    }
  }

  /// CSI: parameters and intermediates, and a final byte (ECMA-48, 5.4).
  private func controlSequence() -> (key: Key?, length: Int)? {
    // The console's function keys: ESC [ [ A.
    if pending.count > 2, pending[2] == UInt8(ascii: "[") {
      return pending.count > 3 ? (nil, 4) : nil
    }
    guard let end = pending.dropFirst(2).firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      return pending.count > Self.longestSequence ? (nil, pending.count) : nil
    }
    // A control byte, or the next key: the sequence was broken off.
    guard (0x40...0x7E).contains(pending[end]) else { return (nil, end) }
    let parameters = pending[2..<end].split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
    ).map { Int(String(decoding: $0, as: UTF8.self)) }
    let number = parameters.first ?? nil
    let key =
      pending[end] == UInt8(ascii: "~")
      ? number.flatMap { Self.numbers[$0] } : Self.key(pending[end], smallWith: .shift)
    return (
      key.map { Self.key($0, modifiedBy: parameters.count > 1 ? parameters[1] : nil) }, end + 1
    )
  }

  /// xterm's parameter of modifiers: 1, and 1 for Shift, 2 for Alt, 4 for Ctrl. Of several at once
  /// none counts.
  private static func key(_ key: Key, modifiedBy parameter: Int?) -> Key {
    switch parameter {
    case 2: .modified(.shift, key)
    case 3: .modified(.alt, key)
    case 5: .modified(.control, key)
    default: key
    }
  }

  /// The key of a final byte. rxvt sends small letters for arrows with a modifier.
  private static func key(_ letter: UInt8, smallWith modifier: Key.Modifier) -> Key? {
    if let key = letters[letter] { return key }
    let isSmallArrow = (UInt8(ascii: "a")...UInt8(ascii: "d")).contains(letter)
    return isSmallArrow ? letters[letter - 0x20].map { .modified(modifier, $0) } : nil
  }

  private static let letters: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "F"): .end, UInt8(ascii: "H"): .home,
  ]
  private static let numbers: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
  ]
}
