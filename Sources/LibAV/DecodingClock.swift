/// Makes times of decoding, for packets in order of decoding, out of those at which they are shown: the
/// i-th packet is decoded when the picture is shown that is `depth` places before it in order of showing.
package struct DecodingClock {
  /// Times of pictures that were put in, ascending.
  private var waiting: [Int64] = []
  private let depth: Int
  private let step: Int64
  private var last: Int64?
  private static let farthest: UInt64 = 1 << 56

  /// A clock before its first packet.
  ///
  /// - Parameters:
  ///   - depth: How many pictures may be decoded before one that is shown before them.
  ///   - step: The least ticks from one packet to the next.
  package init(depth: Int, step: Int64) { (self.depth, self.step) = (depth, step) }

  /// When the next packet is decoded; nil where that is later than it is shown.
  ///
  /// Complexity: O(`depth`)
  package mutating func decoded(_ shown: Int64, lasting length: Int64) -> Int64? {
    // Beyond any recording: what is counted from there would not fit.
    guard shown.magnitude < Self.farthest, length.magnitude < Self.farthest else { return nil }
    waiting.insert(shown, at: waiting.lastIndex { $0 <= shown }.map { $0 + 1 } ?? 0)
    // The first ones are decoded before anything is shown.
    var decoded = waiting[0]
    if waiting.count > depth {
      waiting.removeFirst()
    } else {
      decoded -= Int64(depth - waiting.count + 1) * length
    }
    if let last { decoded = max(decoded, last + step) }
    last = decoded
    return decoded <= shown ? decoded : nil
  }
}
