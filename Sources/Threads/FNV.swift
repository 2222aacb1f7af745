extension Sequence<UInt8> {
  /// FNV-1a of 64 bits (Fowler, Noll, Vo) of these bytes, or of those that gave `previous` and these:
  /// the same on every machine. Texts with equal sums are easily made. O(n).
  package func fnv1a(continuing previous: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    reduce(previous) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
