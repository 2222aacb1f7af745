/// Numbers that look random, the same in every run (SplitMix64).
public struct Dice: RandomNumberGenerator {
  private var state: UInt64

  /// One of many sequences.
  public init(_ seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// So many bytes. O(n)
  public mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, size in
      for index in 0..<count { bytes[index] = UInt8(truncatingIfNeeded: next()) }
      size = count
    }
  }

  /// A number in a range that is not empty.
  public mutating func number(_ range: Range<Int64>) -> Int64 { .random(in: range, using: &self) }
}
