// Loops over whole sounds, which are compiled here, where the compiler optimizes (`Signal` tells why).

extension [UInt8] {
  /// How many bytes from the start on are those of another sound.
  public func commonPrefix(with other: [UInt8]) -> Int {
    zip(self, other).prefix { $0 == $1 }.count
  }

  /// How many bytes up to the end are those that another sound ends with.
  public func commonSuffix(with other: [UInt8]) -> Int {
    zip(reversed(), other.reversed()).prefix { $0 == $1 }.count
  }
}

extension Collection<Float> {
  /// Whether these are the samples of a slice.
  public func elementsEqual(_ other: ArraySlice<Float>) -> Bool {
    withSamples { samples in other.withSamples { areEqual(samples, $0) } }
  }

  /// Whether these are the samples of a block.
  public func elementsEqual(_ other: UnsafeBufferPointer<Float>) -> Bool {
    withSamples { areEqual($0, other) }
  }

  /// The largest difference from the samples of another sound, up to the end of the shorter one;
  /// infinite where one of them is no number.
  public func largestDifference(from other: some Collection<Float>) -> Float {
    withSamples { a in
      other.withSamples { b in
        var largest: Float = 0
        for (a, b) in zip(a, b) {
          let difference = abs(a - b)
          largest = difference.isNaN ? .infinity : Swift.max(largest, difference)
        }
        return largest
      }
    }
  }

  private func withSamples<Result>(_ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
    withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
  }
}

// Not `elementsEqual`, which would be the one above.
private func areEqual(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Bool {
  a.count == b.count && zip(a, b).allSatisfy { $0 == $1 }
}

extension [Int16] {
  /// The largest difference from the samples of another sound, up to the end of the shorter one.
  public func largestDifference(from other: ArraySlice<Int16>) -> Int {
    zip(self, other).reduce(0) { Swift.max($0, abs(Int($1.0) - Int($1.1))) }
  }
}

extension [Float] {
  /// The samples of one of the channels of interleaved sound.
  public func channel(_ channel: Int, of count: Int) -> [Float] {
    stride(from: channel, to: self.count, by: count).map { self[$0] }
  }

  /// The samples of each of the channels of interleaved sound.
  public func channels(_ count: Int) -> [[Float]] {
    (0..<count).map { channel($0, of: count) }
  }
}
