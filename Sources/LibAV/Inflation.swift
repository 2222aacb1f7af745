internal import CReadingBounds

/// Inflates what tags have compressed (RFC 1950), with the zlib that libavformat is linked with.
package enum Inflation {
  /// - Parameters:
  ///   - bytes: The compressed ones.
  ///   - size: How many they become.
  /// - Returns: nil where they are no such thing. O(size)
  package static func inflate(_ bytes: [UInt8], to size: Int) -> [UInt8]? {
    guard size >= 0, size <= 1 << 26 else { return nil }
    var found = UInt(size)
    var target = [UInt8](repeating: 0, count: max(1, size))
    let status = avjob_inflate(&target, &found, bytes, UInt(bytes.count))
    guard status == 0, found == UInt(size) else { return nil }
    return Array(target.prefix(size))
  }
}
