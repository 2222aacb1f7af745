internal import MPEGAudio

/// What may come behind a seam.
struct Follower {
  /// How its blocks begin.
  var slopes: [Bool]
  /// A copied frame that is packed with the seam; nil: it comes later.
  var frame: UnpackedFrame?
  /// How far the first frame reaches back that is not packed with the seam.
  var mainDataBegin: Int
}

extension Follower {
  /// A copied frame; nil if it leaves no room behind a full reservoir, as damaged ones may.
  init?(copied frame: UnpackedFrame, leaving mainDataBegin: Int) {
    guard FramePacker.hasRoom(for: [frame], leaving: mainDataBegin) else { return nil }
    self.init(slopes: frame.slopes.isShortAtStart, frame: frame, mainDataBegin: mainDataBegin)
  }
}

/// Frames of a `SeamEncoder` between others, at the best rate at which there is room for them, and
/// where the slopes of blocks agree with both neighbours.
///
/// ```
///              first             last
///   b  b  b  b  b│s  s  s  s  s  s│f  f  f  f  f
///          ├─────┤                ├──┤
///           early                 late          Frames of the neighbours that are made anew: as few
///          └────────── frames ───────┘          as let the slopes agree at both ends.
///
///   opening seam:  b of the copy, f of the body      closing seam:  b of the body, f of the copy
/// ```
struct Seam {
  private(set) var frames: Range<Int>
  private let encoder: SeamEncoder
  private let follower: Follower?
  private var kind = SeamEncoder.Kind.switching
  private var attempt: Int

  /// Chooses among all encodings the first one that fits, with as few frames as can be.
  ///
  /// - Parameters:
  ///   - encoder: Has all sound.
  ///   - first: The first frame that must be made.
  ///   - before: How the blocks before it end, and before the frames before it, the nearest first;
  ///     empty: nothing is before it.
  ///   - last: Behind the last frame that must be made.
  ///   - followers: The frame there, and those behind it; nil: cannot follow.
  /// - Throws: LAME's status.
  init(
    _ encoder: SeamEncoder, from first: Int, behind before: [[Bool]], to last: Int,
    before followers: [Follower?]
  ) throws(LAMEError) {
    self.encoder = encoder
    for attempt in 0..<encoder.setups.attempts
    where encoder.setups.mayFit(last - first, attempt: attempt) {
      var best: (cost: Int, kind: SeamEncoder.Kind, early: Int, late: Int)?
      for kind in SeamEncoder.Kind.allCases {
        let lane = try encoder.frames(kind, attempt: attempt)
        let early =
          before.isEmpty
          ? 0 : before.indices.first { lane.slopes(first - $0).isShortAtStart == before[$0] }
        let late =
          followers.isEmpty
          ? 0
          : followers.indices.first {
            lane.slopes(last + $0 - 1).isShortAtEnd == followers[$0]?.slopes
          }
        guard let early, let late, early + late < best?.cost ?? .max else { continue }
        best = (early + late, kind, early, late)
      }
      guard let best else { continue }
      let frames = first - best.early..<last + best.late
      let follower = followers.isEmpty ? nil : followers[best.late]
      let own = try encoder.frames(best.kind, attempt: attempt).frames(frames)
      guard
        FramePacker.hasRoom(
          for: own + [follower?.frame].compactMap(\.self), leaving: follower?.mainDataBegin ?? 0)
      else { continue }
      (self.frames, self.follower, kind, self.attempt) = (frames, follower, best.kind, attempt)
      return
    }
    // There is always one of long blocks, but where no neighbour has any.
    let late = followers.firstIndex { $0 != nil } ?? 0
    frames = first..<last + late
    follower = followers.isEmpty ? nil : followers[late]
    attempt = encoder.setups.attempts - 1
  }

  /// Packs the frames behind others, and the copied frame that follows them.
  func pack(
    after previous: ArraySlice<UnpackedFrame> = [], into stream: inout FrameStream,
    _ bytes: inout [UInt8]
  ) throws(LAMEError) {
    let decided = try encoder.frames(kind, attempt: attempt)
    for attempt in attempt..<encoder.setups.attempts {
      let lane = try encoder.frames(kind, attempt: attempt)
      let isLast = attempt + 1 == encoder.setups.attempts
      guard lane.meets(decided, in: frames) || isLast else { continue }
      var all = previous + lane.frames(frames)
      if let frame = follower?.frame { all.append(frame) }
      do throws(LAMEError) {
        return try stream.pack(all, leaving: follower?.mainDataBegin ?? 0, into: &bytes)
      } catch .noRoom where !isLast {
        continue
      }
    }
  }
}
