import Tagging

/// An atom with a version and flags (ISO 14496-12, 4.2.2), in version 1 where its times have 64 bits.
struct FullAtom {
  private let name: String
  private var body: Body

  struct Body {
    fileprivate(set) var bytes: [UInt8]
    fileprivate let isLong: Bool
    var timeWidth: Int { isLong ? 8 : 4 }

    mutating func put(_ number: UInt64, _ width: Int) { bytes.put(number, width) }

    /// When something was made and changed, which is not said; its clock and its duration.
    mutating func put(times duration: Int64, clock: Int) {
      bytes.put(0, timeWidth)
      bytes.put(0, timeWidth)
      bytes.put(UInt64(clock), 4)
      bytes.put(UInt64(duration), timeWidth)
    }

    /// The same of track 1, which has the movie's clock.
    mutating func put(trackTimes duration: Int64) {
      bytes.put(0, timeWidth)
      bytes.put(0, timeWidth)
      bytes.put(1, 4)
      bytes.put(0, 4)
      bytes.put(UInt64(duration), timeWidth)
    }

    static func += (body: inout Body, bytes: some Sequence<UInt8>) { body.bytes += bytes }
  }

  init(
    _ name: String, version: UInt8 = 0, flags: UInt64 = 0, isLong: Bool = false,
    _ fill: (inout Body) -> Void
  ) {
    self.name = name
    body = Body(bytes: [isLong ? 1 : version], isLong: isLong)
    body.put(flags, 3)
    fill(&body)
  }

  var bytes: [UInt8] { AtomHead.encoded(name, body.bytes) }
}

extension [UInt8] {
  /// Appends a number of so many bytes, the most significant first.
  mutating func put(_ number: UInt64, _ width: Int) {
    for index in (0..<width).reversed() {
      append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
    }
  }
}
