/// Sound that is missing between two packets of a stream, of which packets' time stamps do not say so.
///
/// In Ogg it stood on pages that are missing: the numbers of those around them leave some out (RFC 3533, 6,
/// field 6), and their granules say how many frames these had. In AVI empty chunks stand for it.
struct SoundGap: Sendable, Hashable {
  /// A place between two packets.
  struct Boundary: Sendable, Hashable {
    /// Where the first page behind it lies on which a packet begins, or the packet itself, as libavformat
    /// counts bytes.
    var place: Int64
    /// Whether a packet that began before it ends behind it.
    var isWithinPacket: Bool
  }

  /// Frames from the last packet's end before it to `end`.
  var frames: Int64
  /// Between the sound before it and that behind it.
  var start: Boundary
  /// Behind the first page on which a packet ends behind the gap, or `start`; nil: the stream's end.
  var end: Boundary?
}

extension SoundGap {
  /// A gap of `frames` before the packet that lies at `place`.
  init(frames: Int64, before place: Int64) {
    let boundary = Boundary(place: place, isWithinPacket: false)
    self.init(frames: frames, start: boundary, end: boundary)
  }
}

/// Finds the holes that gaps leave while a stream's frames are counted. One thread at a time.
struct GapHoles {
  private let gaps: [SoundGap]
  private let places: Set<Int64>
  /// By the place of a page, or of a packet: frames before the first packet there, and before the packet
  /// ahead of that one.
  private var counts: [Int64: (first: Int64, previous: Int64)] = [:]
  private var last: (place: Int64?, frame: Int64) = (nil, 0)

  init(_ gaps: [SoundGap]) {
    self.gaps = gaps
    places = Set(gaps.flatMap { [$0.start.place, $0.end?.place].compactMap { $0 } })
  }

  /// Notes a packet before which the stream has `frame` frames, and where it lies, or the page on which
  /// it begins.
  mutating func note(_ frame: Int64, at place: Int64?) {
    if let place, place != last.place, places.contains(place), counts[place] == nil {
      counts[place] = (frame, last.frame)
    }
    last = (place, frame)
  }

  /// The holes of a stream: the frames between the sound around a gap less those that are there.
  ///
  /// - Parameters:
  ///   - count: Frames of the stream.
  ///   - least: Fewer frames are no hole.
  /// - Returns: The holes, in order.
  /// - Complexity: O(n) in the number of gaps
  func holes(in count: Int64, least: Int64) -> [HoleFinder.Hole] {
    gaps.compactMap { gap in
      guard let start = frame(gap.start), let end = gap.end.map(frame) ?? count else { return nil }
      let size = gap.frames - (end - start)
      return size >= least ? HoleFinder.Hole(frame: start, count: size) : nil
    }
  }

  private func frame(_ boundary: SoundGap.Boundary) -> Int64? {
    counts[boundary.place].map { boundary.isWithinPacket ? $0.previous : $0.first }
  }
}
