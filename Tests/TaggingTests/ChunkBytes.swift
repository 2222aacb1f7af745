import TestSupport

/// Bytes of a chunk's fields, written without the code that is tested.
enum Field {
  static func little(_ number: UInt64, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  static func big(_ number: UInt64, _ count: Int = 4) -> [UInt8] {
    little(number, count).reversed()
  }

  static func text(_ text: String, _ count: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
  }

  /// Fields behind one another: long sums take the compiler too long.
  static func all(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }

  static func name(_ text: String) -> [UInt8] { Array(text.utf8) }

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

extension Dice {
  /// A text of up to `count` bytes, without blanks and NULs.
  mutating func text(_ count: Int) -> String {
    let letters = Array("abcXYZ0123-_.:/")
    return String(
      (0..<Int(number(0..<Int64(count + 1)))).map { _ in letters.randomElement(using: &self) ?? "a"
      })
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  mutating func word() -> UInt32 { UInt32(truncatingIfNeeded: next()) }

  mutating func bit() -> Bool { next() & 1 == 1 }
}
